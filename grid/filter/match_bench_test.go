package filter_test

import (
	"fmt"
	"testing"

	"issuegrid/grid/filter"
	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// BenchmarkContains filters 2,000 names of about 66 characters by an `or` of strings that none of them
// contains.
func BenchmarkContains(b *testing.B) {
	for _, script := range []struct{ name, text, needle string }{
		{"ASCII", "the quick brown fox jumps over the lazy dog, and then once again. ", "foxes"},
		{"German", "Größenänderung der Außenflügel für Prüfzwecke überwachen, Nummer. ", "Prüfung"},
		{"Japanese", "橋梁の設計図面を確認してください。ボルトの数量が違います。橋梁の設計図面を確認してください。ボルトの数量が違います。橋梁の設計図", "橋脚"},
		{"Korean", "교량 설계 도면을 확인하십시오. 볼트 수량이 다릅니다. 교량 설계 도면을 확인하십시오. 볼트 수량이 다릅니다. 교량 설", "교각"},
	} {
		issues := make([]*tracker.Issue, 2000)
		for i := range issues {
			issues[i] = &tracker.Issue{Name: fmt.Sprint(script.text, i)}
		}
		for _, terms := range []int{1, 99} {
			b.Run(fmt.Sprintf("%s, %d", script.name, terms), func(b *testing.B) {
				conditions := filter.Or{}
				for i := range terms {
					conditions = append(conditions, filter.Contains{Column: tracker.ColumnName,
						Folded: fold.String(fmt.Sprint(script.needle, i))})
				}
				for b.Loop() {
					m := filter.NewMatcher(definition, conditions)
					for _, i := range issues {
						s := m.Subject(i)
						if t, err := s.Meets(conditions); t != filter.No || err != nil {
							b.Fatalf("Meets = %d, %v; want No", t, err)
						}
					}
				}
			})
		}
	}
}
