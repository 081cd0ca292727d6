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
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// described is an issue with a description and a name.
func described(name, description string) *tracker.Issue {
	return &tracker.Issue{ID: issueID, Name: name, Description: tracker.Text(description)}
}

// TestSearch looks for few and for many texts in texts that have some of them, also across the borders of
// what is folded at a time.
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
				strings.Repeat(unit, rapid.IntRange(0, 9000).Draw(t, "behind"))
		}
		var asked filter.Or
		for range rapid.SampledFrom([]int{1, 2, 4, 5, 20, 60}).Draw(t, "needles") {
			asked = append(asked, filter.Contains{Column: tracker.ColumnDescription,
				Folded: sortkey.Fold(draw("needle", 12))})
		}
		i, folded := described("x", text), sortkey.Fold(text)
		m := filter.NewMatcher(definition, asked)
		for range 2 { // the second Subject has what is left of the first
			s := m.Subject(i)
			for _, c := range asked {
				needle := c.(filter.Contains).Folded
				if got, want := meets(&s, c), text != "" &&
					strings.Contains(folded, needle); got != truth(want) {
					t.Fatalf("%+q contains %+q: %v, want %v", folded, needle, got, want)
				}
			}
		}
	})
}

// TestSearchOfNeedlesWithinEachOther has all beginnings, ends and middles of a text, so that each that is
// found is the end of others.
func TestSearchOfNeedlesWithinEachOther(t *testing.T) {
	for _, text := range []string{"aaaaaaaaaaaa", "abcabcabdabc", "mississippi", "\x00\xc3\xa9\x00\xff"} {
		text = sortkey.Fold(text)
		var asked filter.And
		for from := range text {
			for to := from + 1; to <= len(text); to++ {
				asked = append(asked, filter.Contains{Column: tracker.ColumnName, Folded: text[from:to]},
					filter.Contains{Column: tracker.ColumnName, Folded: text[from:to] + "a"})
			}
		}
		m := filter.NewMatcher(definition, asked)
		for cut := range text {
			s := m.Subject(described(text[cut:], ""))
			for _, c := range asked {
				if needle := c.(filter.Contains).Folded; meets(&s,
					c) != truth(strings.Contains(sortkey.Fold(text[cut:]), needle)) {
					t.Errorf("%q contains %q: %v", text[cut:], needle, meets(&s, c))
				}
			}
		}
	}
}

// TestWorkIsTheSameHoweverMuchIsAsked states the law of cost of Matcher.
func TestWorkIsTheSameHoweverMuchIsAsked(t *testing.T) {
	long := strings.Repeat("Größenänderung ", 20_000)
	i := described("Ein Name", long)
	i.Values = map[tracker.FieldID]tracker.Value{"tags": tracker.Set([]string{"Éclair", "b"})}
	asked := filter.And{} // all hold, so that each is asked
	for n := range 60 {
		v := sortkey.Text(fmt.Sprint("z", n))
		asked = append(asked, filter.Opposite(filter.Contains{Column: tracker.ColumnDescription,
			Folded: fmt.Sprint("not there ", n)}), filter.Opposite(filter.Contains{Column: tracker.ColumnName,
			Folded: fmt.Sprint("no ", n)}),
			filter.Opposite(eq(tracker.ColumnDescription, v)), filter.Opposite(eq(tracker.ColumnName, v)),
			filter.Opposite(filter.Has{Column: "tags", Member: fmt.Sprint(n)}))
	}
	m := filter.NewMatcher(definition, asked)
	var calls []int
	m.Work = func(folded, searched int) error {
		if calls = append(calls, folded); folded > 64<<10 || searched > 64<<10 {
			t.Errorf("%d bytes folded and %d searched without a word", folded, searched)
		}
		return nil
	}
	s := m.Subject(i)
	for range 3 {
		if got, err := s.Meets(asked); err != nil || got != filter.Yes {
			t.Fatal(got, err)
		}
	}
	sum := 0
	for _, n := range calls {
		sum += n
	}
	once := len(long) + len(i.Name) + len("Éclairb")
	if most := once + 2*sortkey.MaxFolded + len(i.Name); sum < once || sum > most {
		t.Errorf("%d bytes were folded; the issue has %d", sum, once)
	}
	if len(calls) < 5 { // two passes, two values, tags
		t.Errorf("only %d calls of Work", len(calls))
	}
}

// TestWorkEndsTheMatching refuses each call of Work in turn.
func TestWorkEndsTheMatching(t *testing.T) {
	// nothing but marks: a comparison folds all of it
	i := described("a name", strings.Repeat("\u0301", 100_000))
	i.Values = map[tracker.FieldID]tracker.Value{"tags": tracker.Set([]string{"b"})}
	errSpent := errors.New("spent")
	for name, c := range map[string]filter.Condition{
		"contains": filter.Contains{Column: tracker.ColumnDescription, Folded: "x"},
		"contains what is new": filter.Opposite(filter.Contains{Column: tracker.ColumnDescription,
			Folded: "y"}),
		"equals": eq(tracker.ColumnDescription, sortkey.Text("x")),
		"has":    filter.Has{Column: "tags", Member: "x"},
		"or": filter.Or{eq(tracker.ColumnNum, sortkey.Num(5)),
			filter.Contains{Column: tracker.ColumnName, Folded: "x"}},
		"and, below another or": filter.And{
			filter.Or{filter.Opposite(filter.Contains{Column: tracker.ColumnName, Folded: "x"})}},
	} {
		t.Run(name, func(t *testing.T) {
			for refused := 0; ; refused++ {
				m := filter.NewMatcher(definition,
					filter.Contains{Column: tracker.ColumnDescription, Folded: "x"},
					filter.Contains{Column: tracker.ColumnName, Folded: "x"})
				calls := 0
				m.Work = func(int, int) error {
					if calls++; calls > refused {
						return errSpent
					}
					return nil
				}
				s := m.Subject(i)
				_, err := s.Meets(c)
				if calls <= refused {
					if err != nil || calls == 0 {
						t.Errorf("%d calls, %v", calls, err)
					}
					break
				}
				if !errors.Is(err, errSpent) || calls != refused+1 {
					t.Fatalf("call %d: %v after %d calls", refused, err, calls)
				}
				if m.Work = nil; meets(&s, c) == filter.Unknown { // what has failed is not remembered
					t.Errorf("unknown after call %d had failed", refused)
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
		t.Errorf("a sort value: %v", err)
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
			want = want.Not().And(filter.Equal(v).Not()).Not() // as De Morgan says
		}
		got := filter.OneOf(values...)
		if err := normal(got); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got, sameBytes); diff != "" {
			t.Error(diff)
		}
	})
}

// TestValuesContains compares with a look at each range.
func TestValuesContains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := ints.set(t, 4)
		v := sortkey.Int(rapid.Int64Range(-5, 5).Draw(t, "v"))
		want := slices.ContainsFunc(s.values.Ranges, func(r filter.Range) bool {
			return string(r.From) <= string(v) && (r.To == nil || string(v) < string(r.To))
		})
		if got := s.values.Contains(v); got != want {
			t.Errorf("%+v contains %x: %t", s.values, v, got)
		}
	})
}
