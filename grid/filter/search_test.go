package filter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// newIssue returns an issue with a name and a description.
func newIssue(name, description string) *tracker.Issue {
	return &tracker.Issue{ID: issueID, Name: name, Description: tracker.Text(description)}
}

// TestSearch searches for few and for many strings in texts that contain some of them, including across the
// boundaries of folded chunks.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([][]rune{[]rune("ab"), []rune("aAé\u0301"), []rune("abcdefghijÄß"),
			[]rune("日本한국\ufdfa")}).Draw(t, "alphabet")
		draw := func(name string, most int) string {
			return rapid.StringOfN(rapid.SampledFrom(alphabet), 0, most, -1).Draw(t, name)
		}
		text := draw("text", 40)
		if rapid.Bool().Draw(t, "long") {
			unit := string(rapid.SampledFrom(alphabet).Draw(t, "unit"))
			text = strings.Repeat(unit, (8<<10)/len(unit)-rapid.IntRange(0, 40).Draw(t, "before")) + text +
				strings.Repeat(unit, rapid.IntRange(0, 9000).Draw(t, "after"))
		}
		var conditions filter.Or
		for range rapid.SampledFrom([]int{1, 2, 4, 5, 20, 60}).Draw(t, "needles") {
			conditions = append(conditions, filter.Contains{Column: tracker.ColumnDescription,
				Folded: fold.String(draw("needle", 12))})
		}
		i, folded := newIssue("x", text), fold.String(text)
		any := slices.ContainsFunc(conditions, func(c filter.Condition) bool {
			return strings.Contains(folded, c.(filter.Contains).Folded)
		})
		if column, all := filter.StringsOf(conditions); column != tracker.ColumnDescription ||
			all.In(folded) != any {
			t.Fatalf("one of %+q is in %+q: %t, want %t", conditions, folded, !any, any)
		}
		m := filter.NewMatcher(definition, conditions)
		for range 2 { // the second Subject reuses the state of the first
			s := m.Subject(i)
			for _, c := range conditions {
				needle := c.(filter.Contains).Folded
				if got, want := meets(&s, c), text != "" &&
					strings.Contains(folded, needle); got != truth(want) {
					t.Fatalf("search of %+q for %+q: got %v, want %v", folded, needle, got, want)
				}
			}
		}
	})
}

// TestSearchOfNeedlesWithinEachOther searches for all substrings of a text, so that each needle found is a
// suffix of others.
func TestSearchOfNeedlesWithinEachOther(t *testing.T) {
	for _, text := range []string{"aaaaaaaaaaaa", "abcabcabdabc", "mississippi", "\x00\xc3\xa9\x00\xff"} {
		text = fold.String(text)
		var conditions filter.And
		for from := range text {
			for to := from + 1; to <= len(text); to++ {
				conditions = append(conditions,
					filter.Contains{Column: tracker.ColumnName, Folded: text[from:to]},
					filter.Contains{Column: tracker.ColumnName, Folded: text[from:to] + "a"})
			}
		}
		m := filter.NewMatcher(definition, conditions)
		for cut := range text {
			s := m.Subject(newIssue(text[cut:], ""))
			for _, c := range conditions {
				if needle := c.(filter.Contains).Folded; meets(&s,
					c) != truth(strings.Contains(fold.String(text[cut:]), needle)) {
					t.Errorf("search of %q for %q: got %v, a wrong result", text[cut:], needle, meets(&s, c))
				}
			}
		}
	}
}

// TestWorkIsIndependentOfConditions checks the law of cost of Matcher.
func TestWorkIsIndependentOfConditions(t *testing.T) {
	long := strings.Repeat("Größenänderung ", 20_000)
	i := newIssue("Ein Name", long)
	i.Values = map[tracker.FieldID]tracker.Value{"tags": tracker.Set([]string{"Éclair", "b"})}
	conditions := filter.And{} // all are true, so that each is evaluated
	for n := range 60 {
		v := sortkey.Text(fmt.Sprint("z", n))
		conditions = append(conditions, filter.Negate(filter.Contains{Column: tracker.ColumnDescription,
			Folded: fmt.Sprint("not there ", n)}), filter.Negate(filter.Contains{Column: tracker.ColumnName,
			Folded: fmt.Sprint("no ", n)}),
			filter.Negate(eq(tracker.ColumnDescription, v)), filter.Negate(eq(tracker.ColumnName, v)),
			filter.Negate(filter.Has{Column: "tags", Member: fmt.Sprint(n)}))
	}
	m := filter.NewMatcher(definition, conditions)
	var calls []int
	m.Work = func(folded, searched int) error {
		if calls = append(calls, folded); folded > 64<<10 || searched > 64<<10 {
			t.Errorf("%d bytes folded and %d searched in one call of Work", folded, searched)
		}
		return nil
	}
	s := m.Subject(i)
	for range 3 {
		if got, err := s.Meets(conditions); err != nil || got != filter.Yes {
			t.Fatalf("Meets = %d, %v; want Yes", got, err)
		}
	}
	sum := 0
	for _, n := range calls {
		sum += n
	}
	once := len(long) + len(i.Name) + len("Éclairb")
	if most := once + 2*sortkey.MaxFolded + len(i.Name); sum < once || sum > most {
		t.Errorf("%d bytes were folded, but the issue has %d", sum, once)
	}
	if len(calls) < 5 { // two passes, two values, tags
		t.Errorf("%d calls of Work, want at least 5", len(calls))
	}
}

// TestWorkEndsTheMatching makes each call of Work fail in turn.
func TestWorkEndsTheMatching(t *testing.T) {
	// marks only: a comparison folds the whole text
	i := newIssue("a name", strings.Repeat("\u0301", 100_000))
	i.Values = map[tracker.FieldID]tracker.Value{"tags": tracker.Set([]string{"b"})}
	errSpent := errors.New("spent")
	for name, c := range map[string]filter.Condition{
		"contains": filter.Contains{Column: tracker.ColumnDescription, Folded: "x"},
		"contains a new string": filter.Negate(filter.Contains{Column: tracker.ColumnDescription,
			Folded: "y"}),
		"equals": eq(tracker.ColumnDescription, sortkey.Text("x")),
		"has":    filter.Has{Column: "tags", Member: "x"},
		"or": filter.Or{eq(tracker.ColumnNum, sortkey.Num(5)),
			filter.Contains{Column: tracker.ColumnName, Folded: "x"}},
		"and, below another or": filter.And{
			filter.Or{filter.Negate(filter.Contains{Column: tracker.ColumnName, Folded: "x"})}},
	} {
		t.Run(name, func(t *testing.T) {
			for allowed := 0; ; allowed++ {
				m := filter.NewMatcher(definition,
					filter.Contains{Column: tracker.ColumnDescription, Folded: "x"},
					filter.Contains{Column: tracker.ColumnName, Folded: "x"})
				calls := 0
				m.Work = func(int, int) error {
					if calls++; calls > allowed {
						return errSpent
					}
					return nil
				}
				s := m.Subject(i)
				_, err := s.Meets(c)
				if calls <= allowed {
					if err != nil || calls == 0 {
						t.Errorf("Meets failed after %d calls of Work: %v", calls, err)
					}
					break
				}
				if !errors.Is(err, errSpent) || calls != allowed+1 {
					t.Fatalf("call %d of Work failed: got error %v after %d calls", allowed, err, calls)
				}
				if m.Work = nil; meets(&s, c) == filter.Unknown { // a failed result is not cached
					t.Errorf("got Unknown after call %d of Work failed", allowed)
				}
			}
		})
	}
	m := filter.NewMatcher(definition)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.Work = func(int, int) error { return ctx.Err() }
	s := m.Subject(i)
	if _, _, err := s.SortValue(tracker.ColumnName); !errors.Is(err, context.Canceled) {
		t.Errorf("SortValue: got error %v, want context.Canceled", err)
	}
}

func TestOneOfIsTheUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want filter.Values
		d := rapid.SampledFrom([]*domain{ints, texts}).Draw(t, "domain")
		var values []sortkey.Value
		for range rapid.IntRange(0, 12).Draw(t, "values") {
			v := d.encode(d.draw(t, "v"))
			values = append(values, v)
			want = want.Not().And(filter.Equal(v).Not()).Not() // by De Morgan's laws
		}
		got := filter.OneOf(values...)
		if err := checkRanges(got); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got, sameBytes); diff != "" {
			t.Error(diff)
		}
	})
}
