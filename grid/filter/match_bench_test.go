package filter_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// BenchmarkContains filters 2,000 names of about 66 characters by an `or` of texts that none of them
// contains. It also reports how many times as long it takes to fold each name by x/text, and to look at all
// of it, once for each text.
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
				asked := filter.Or{}
				for i := range terms {
					asked = append(asked, filter.Contains{Column: tracker.ColumnName,
						Folded: sortkey.Fold(fmt.Sprint(script.needle, i))})
				}
				for b.Loop() {
					m := filter.NewMatcher(definition, asked)
					for _, i := range issues {
						s := m.Subject(i)
						if t, err := s.Meets(asked); t != filter.No || err != nil {
							b.Fatal(t, err)
						}
					}
				}
				now := b.Elapsed() / time.Duration(b.N)
				began := time.Now()
				for _, i := range issues[:len(issues)/terms] {
					for _, c := range asked {
						if strings.Contains(reference(i.Name), c.(filter.Contains).Folded) {
							b.Fatal(i.Name)
						}
					}
				}
				before := time.Since(began) * time.Duration(len(issues)) / time.Duration(len(issues)/terms)
				b.ReportMetric(float64(before.Microseconds())/1000, "ms-before")
				b.ReportMetric(before.Seconds()/now.Seconds(), "x-of-before")
			})
		}
	}
}

// reference folds by x/text, but for ASCII.
func reference(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	stripped := func(s string) string {
		out, _, _ := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
		return out
	}
	return stripped(strings.ToLower(cases.Fold().String(stripped(s))))
}
