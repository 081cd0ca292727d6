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

// BenchmarkContains filters 2,000 names of about 66 characters by an `or` of strings that none of them
// contains. As a baseline, it measures folding each name with x/text and searching all of it, once for each
// string.
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
						Folded: sortkey.Fold(fmt.Sprint(script.needle, i))})
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
				elapsed := b.Elapsed() / time.Duration(b.N)
				began := time.Now()
				for _, i := range issues[:len(issues)/terms] {
					for _, c := range conditions {
						if strings.Contains(foldReference(i.Name), c.(filter.Contains).Folded) {
							b.Fatalf("%q contains a needle", i.Name)
						}
					}
				}
				baseline := time.Since(began) * time.Duration(len(issues)) / time.Duration(len(issues)/terms)
				b.ReportMetric(float64(baseline.Microseconds())/1000, "ms-before")
				b.ReportMetric(baseline.Seconds()/elapsed.Seconds(), "x-of-before")
			})
		}
	}
}

// foldReference folds with x/text, except for ASCII.
func foldReference(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	stripped := func(s string) string {
		out, _, _ := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
		return out
	}
	return stripped(strings.ToLower(cases.Fold().String(stripped(s))))
}
