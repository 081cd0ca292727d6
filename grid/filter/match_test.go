package filter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

func TestMeets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		form := filter.Normalize(q.condition)
		matcher := filter.NewMatcher(definition, form.All...) // which may lack strings of q.condition
		for range 6 {
			r := drawRow(t)
			for _, c := range testColumns {
				if r.long(c) {
					r.read[c.id] = rapid.Bool().Draw(t, "read")
				}
			}
			for _, r := range []row{r.reading(true), r, r.reading(false)} {
				s := r.subjectOf(matcher)
				if got, want := meets(s, q.condition), q.truth(r); got != want {
					t.Fatalf("%s: got %d, want %d, for the issue\n%v", q.text, got, want, r)
				}
				// The form may decide where the condition is unknown, because simplification removes terms.
				// It must not contradict the condition.
				if known := q.holds(r); form.Never {
					if known {
						t.Fatalf("%s: normalizes to never, but matches the issue\n%v", q.text, r)
					}
				} else if got := meets(s, filter.And(form.All)); got !=
					truth(known) && (got != filter.Unknown || q.truth(r) != filter.Unknown) {
					t.Fatalf("%s: the normal form returned %d, want %v, for the issue\n%v", q.text, got,
						known, r)
				}
			}
		}
	})
}

func TestLongTexts(t *testing.T) {
	order := func(a, b tracker.LongRef) int { return strings.Compare(string(a.Column), string(b.Column)) }
	rapid.Check(t, func(t *rapid.T) {
		q, r := draw(t), drawRow(t)
		var want []tracker.LongRef
		for _, c := range testColumns {
			if r.long(c) && slices.Contains(q.columns, c.id) {
				want = append(want, r.ref(c))
			}
		}
		s := r.reading(rapid.Bool().Draw(t, "read")).subject()
		got := filter.LongTexts(s.Issue, q.condition)
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := cmp.Diff(want, got, sameBytes); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", q.text, diff)
		}
		for _, ref := range got {
			s.Texts[ref.Column] = r.values[ref.Column].(string)
		}
		if got, want := meets(s, q.condition), truth(q.holds(r)); got != want {
			t.Fatalf("%s: got %d with all texts in LongTexts read, want %d", q.text, got, want)
		}
	})
}

// TestRareConditions checks what TestMeets rarely or never draws.
func TestRareConditions(t *testing.T) {
	r := row{map[tracker.Column]any{tracker.ColumnDescription: strings.Repeat("x", 300),
		"multi": []string{"OA"}}, nil}
	unread := filter.Contains{Column: tracker.ColumnDescription, Folded: "y"}
	for _, tt := range []struct {
		c    filter.Condition
		want filter.Truth
	}{
		{nil, filter.Yes},
		{filter.Not{Condition: unread}, filter.Unknown},
		{filter.Has{Column: "multi", Member: "OA"}, filter.Yes}, // only tags are folded
	} {
		if got := meets(r.subject(), tt.c); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt.c, got, tt.want)
		}
	}
	if got := filter.Columns(nil); len(got) > 0 {
		t.Errorf("no condition uses the columns %q", got)
	}
}
