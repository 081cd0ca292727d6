package filter_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// checkForm checks that a Form has the properties that its comment documents. The members of an Or in the
// form are subject to the same rules.
func checkForm(f filter.Form) error {
	if f.Never {
		if len(f.All) > 0 {
			return fmt.Errorf("Never with %d members", len(f.All))
		}
		return nil
	}
	for _, m := range f.All {
		or, _ := m.(filter.Or)
		clauses, ands := 1, false
		for _, m := range or {
			if and, ok := m.(filter.And); ok && !isOf(and) {
				clauses, ands = clauses*len(and), true
			}
		}
		if ands && len(f.All)-1+clauses <= maxAll && clauses*len(or) <= filter.MaxTerms {
			return fmt.Errorf("an And in an Or that would be %d members", clauses)
		}
	}
	return checkMembers(f.All, true)
}

// maxAll is the limit up to which Ors are distributed over Ands.
const maxAll = 12

// isOf reports whether an And is an Is or a Refers and what is on the same column.
func isOf(c filter.And) bool {
	is := slices.ContainsFunc(c, func(m filter.Condition) bool {
		switch m.(type) {
		case filter.Is, filter.Refers:
			return true
		}
		return false
	})
	return is && len(filter.Columns(c)) == 1
}

func checkMembers(all []filter.Condition, and bool) error {
	seen := map[tracker.Column]bool{}
	for _, m := range all {
		switch m := m.(type) {
		case filter.And:
			if and {
				return fmt.Errorf("an And in an And")
			} else if len(m) < 2 {
				return fmt.Errorf("an And of %d members", len(m))
			} else if err := checkMembers(m, true); err != nil {
				return err
			}
		case filter.Or:
			if !and {
				return fmt.Errorf("an Or in an Or")
			} else if len(m) < 2 {
				return fmt.Errorf("an Or of %d members", len(m))
			} else if err := checkMembers(m, false); err != nil {
				return err
			}
		case filter.Not:
			switch m.Condition.(type) {
			case filter.Has, filter.Contains, filter.Is, filter.Refers:
			default:
				return fmt.Errorf("a Not of a %T", m.Condition)
			}
		case filter.In:
			if err := checkRanges(m.Values); err != nil {
				return fmt.Errorf("%s: %w", m.Column, err)
			}
			all := len(m.Values.Ranges) == 1 && len(m.Values.Ranges[0].From) == 0 &&
				m.Values.Ranges[0].To == nil
			null := m.Column.Nullable()
			switch {
			case seen[m.Column]:
				return fmt.Errorf("%s: two Ins of the same column", m.Column)
			case len(m.Values.Ranges) == 0 && !m.Values.None:
				return fmt.Errorf("%s: an In of no value", m.Column)
			case all && (m.Values.None || !null):
				return fmt.Errorf("%s: an In of all values", m.Column)
			case !null && m.Values.None:
				return fmt.Errorf("%s: an In of no value on a required column", m.Column)
			}
			seen[m.Column] = true
		}
	}
	return nil
}

func TestNormalizeKeepsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		before := fmt.Sprintf("%#v", q.condition)
		form := filter.Normalize(q.condition)
		if after := fmt.Sprintf("%#v", q.condition); after != before {
			t.Fatalf("%s: Normalize changed its argument to\n%s", q.text, after)
		}
		if err := checkForm(form); err != nil {
			t.Fatalf("%s: %v: %+v", q.text, err, form)
		}
		if again := filter.Normalize(filter.And(form.All)); !form.Never &&
			!cmp.Equal(form, again, sameBytes) {
			t.Fatalf("%s: Normalize is not idempotent (-once +twice)\n%s", q.text,
				cmp.Diff(form, again, sameBytes))
		}
		opposite := filter.Normalize(filter.Negate(q.condition))
		for range 8 {
			r := drawRow(t)
			want := q.holds(r)
			subject := r.reading(true).subject()
			is := func(c filter.Condition) bool { return meets(subject, c) == filter.Yes }
			if got := !form.Never && is(filter.And(form.All)); got != want {
				t.Fatalf("%s: the form returned %v, want %v, for the issue\n%v\n%+v", q.text, got, want, r,
					form)
			}
			if got := is(filter.Negate(q.condition)); got == want {
				t.Fatalf("%s: the opposite returned %v too, for the issue\n%v", q.text, got, r)
			}
			if got := !opposite.Never && is(filter.And(opposite.All)); got == want {
				t.Fatalf("%s: the opposite's form returned %v too, for the issue\n%v\n%+v", q.text, got, r,
					opposite)
			}
			if form.Always() && !want {
				t.Fatalf("%s: Always, but it does not match the issue\n%v", q.text, r)
			}
			if !want {
				continue
			}
			for _, c := range testColumns {
				v, ok := r.values[c.id]
				values := form.In(c.id)
				if inside := !ok && values.None || ok && c.domain == nil && len(values.Ranges) > 0 || ok &&
					c.domain != nil && values.Contains(c.domain.encode(v)); !inside {
					t.Fatalf("%s: it matches, but In(%s) lacks the value of the issue\n%v", q.text, c.id, r)
				}
			}
		}
	})
}

func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		got, want := filter.Columns(q.condition), slices.Clone(q.columns)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), got, sameBytes); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", q.text, diff)
		}
	})
}

// Constructors for the operators of the API.
func eq(c tracker.Column, v sortkey.Value) filter.Condition {
	return filter.In{Column: c, Values: filter.Equal(v)}
}
func lt(c tracker.Column, v sortkey.Value) filter.Condition {
	return filter.In{Column: c, Values: filter.Less(v, false)}
}
func lte(c tracker.Column, v sortkey.Value) filter.Condition {
	return filter.In{Column: c, Values: filter.Less(v, true)}
}
func gt(c tracker.Column, v sortkey.Value) filter.Condition {
	return filter.In{Column: c, Values: filter.Greater(v, false)}
}
func gte(c tracker.Column, v sortkey.Value) filter.Condition {
	return filter.In{Column: c, Values: filter.Greater(v, true)}
}
func begins(c tracker.Column, s string) filter.Condition {
	return filter.In{Column: c, Values: filter.StartsWith(fold.String(s))}
}
func null(c tracker.Column) filter.Condition {
	return filter.In{Column: c, Values: filter.NoValue()}
}
func notNull(c tracker.Column) filter.Condition { return filter.In{Column: c, Values: filter.Any()} }

var (
	one, two, three, five = sortkey.Int(1), sortkey.Int(2), sortkey.Int(3), sortkey.Int(5)
	tagA, tagB            = filter.Has{Column: "tags", Member: "a"}, filter.Has{Column: "tags", Member: "b"}
	inText                = filter.Contains{Column: "text", Folded: "a"}
	isText                = filter.Is{Column: "text", Text: "A"}
)

type (
	and = filter.And
	or  = filter.Or
)

// TestNeverAndAlways has contradictions, among them opposites of tautologies.
func TestNeverAndAlways(t *testing.T) {
	if f := filter.Normalize(nil); !f.Always() || f.Never {
		t.Errorf("no condition: got %+v, want always", f)
	}
	for name, c := range map[string]filter.Condition{
		"nothing":           or{},
		"not everything":    filter.Negate(and{}),
		"in nothing":        filter.In{Column: "int"},
		"eq 1 and eq 2":     and{eq("int", one), eq("int", two)},
		"eq 1 and not eq 1": and{eq("int", one), filter.Negate(eq("int", one))},
		"eq 1 and not (eq 1 or eq 2)": and{eq("int", one),
			filter.Negate(or{eq("int", one), eq("int", two)})},
		"null and eq":                     and{null("int"), eq("int", one)},
		"null and not null":               and{null("int"), notNull("int")},
		"null and begins with nothing":    and{null("text"), begins("text", "")},
		"lt 3 and gt 5":                   and{lt("int", three), gt("int", five)},
		"lt 3 and gte 3":                  and{lt("int", three), gte("int", three)},
		"lte 3 and gt 3":                  and{lte("int", three), gt("int", three)},
		"begins with a and begins with b": and{begins("name", "a"), begins("name", "b")},
		"has and not has":                 and{tagA, filter.Negate(tagA)},
		"not has and has":                 and{filter.Negate(tagA), tagA},
		"contains and not contains":       and{inText, filter.Negate(inText)},
		"null of a set and has":           and{null("tags"), tagA},
		"has and not any":                 and{tagA, filter.Negate(notNull("tags"))},
		"null of a text and contains":     and{inText, null("text")},
		"null of the description, contains": and{null("description"),
			filter.Contains{Column: "description", Folded: "a"}},
		"name null":          null("name"),
		"num null":           null("num"),
		"state neither any":  filter.Negate(notNull("state")),
		"name null and more": and{tagA, null("created"), inText},
		"deep": and{tagB,
			or{and{eq("int", one), or{eq("int", two)}}, and{tagA, filter.Negate(tagA)}}},
		"an or that repeats a member, twice": and{or{tagA, tagA}, filter.Negate(and{tagA, tagA})},
		"spread over nested ands":            and{and{lt("int", three), tagA}, and{and{gt("int", five)}}},
		"not not":                            filter.Negate(filter.Negate(or{})),
		"a column that always has a value": and{filter.Negate(eq("name", sortkey.Text("a"))),
			filter.Negate(filter.Negate(eq("name", sortkey.Text("A"))))},
		"not nested nothings":      filter.Negate(and{and{}, filter.Negate(or{}), and{and{}}}),
		"neither lt, gte nor null": filter.Negate(or{lt("int", three), gte("int", three), null("int")}),
		"neither lte 5, gt 3 nor null": filter.Negate(or{lte("int", five), gt("int", three),
			null("int")}),
		"neither lt nor gte, always a value":      filter.Negate(or{lt("num", three), gte("num", three)}),
		"a name that does not begin with nothing": filter.Negate(begins("name", "")),
		"neither has nor more nor not has":        filter.Negate(or{tagA, inText, tagB, filter.Negate(tagA)}),
		"not deep": filter.Negate(and{or{tagB, and{or{tagA, filter.Negate(tagA)}, notNull("state")}},
			notNull("created")}),
	} {
		t.Run(name, func(t *testing.T) {
			if f := filter.Normalize(c); !f.Never || len(f.All) > 0 || f.Always() {
				t.Errorf("got %+v, want never", f)
			}
			if f := filter.Normalize(filter.Negate(c)); !f.Always() {
				t.Errorf("the opposite: got %+v, want always", f)
			}
		})
	}
}

// TestNormalForms has conditions that resemble contradictions or tautologies but are neither, and Ors that
// are distributed over Ands.
func TestNormalForms(t *testing.T) {
	notEq, notA, notB := filter.Equal(one).Not(), filter.Negate(tagA), filter.Negate(tagB)
	for name, tt := range map[string]struct {
		c    filter.Condition
		want and // nil for the condition itself
	}{
		"ne includes no value": {filter.Negate(eq("int", one)),
			and{filter.In{Column: "int", Values: notEq}}},
		"lt or gte leaves null out":      {or{lt("int", three), gte("int", three)}, and{notNull("int")}},
		"null or has":                    {or{null("tags"), tagA}, and{or{null("tags"), tagA}}},
		"null and not has":               {and{null("tags"), notA}, nil},
		"has a and not has b":            {and{tagA, notB}, nil},
		"the same of two columns":        {and{eq("int", one), eq("num", two)}, nil},
		"null of another column and has": {and{null("multi"), tagA}, nil},
		"members of one in list": {or{eq("int", two), eq("int", one), eq("int", two)},
			and{filter.In{Column: "int", Values: filter.Equal(one).Or(filter.Equal(two))}}},
		"members of one sort once": {and{tagA, notB, tagA, notB}, and{tagA, notB}},
		"de Morgan": {filter.Negate(or{tagA, and{tagB, inText}}),
			and{notA, or{notB, filter.Negate(inText)}}},
		"an or of an and": {or{and{tagA, tagB}, eq("int", one)},
			and{or{tagA, eq("int", one)}, or{tagB, eq("int", one)}}},
		"what both alternatives have": {or{and{eq("int", one), tagA}, and{eq("int", one), tagB}},
			and{eq("int", one), or{tagA, tagB}}},
		"values of one column in two alternatives": {or{and{eq("int", one), tagA}, and{eq("int", two), tagB}},
			and{filter.In{Column: "int", Values: filter.OneOf(one, two)}, or{eq("int", one), tagB},
				or{tagA, eq("int", two)}, or{tagA, tagB}}},
		"an and in an or in an and": {or{and{tagA, or{tagB, and{inText, notA}}}, eq("int", one)},
			and{or{tagA, eq("int", one)}, or{inText, tagB, eq("int", one)},
				or{notA, tagB, eq("int", one)}}},
		"is stays with what it implies": {or{and{isText, eq("text", one)}, and{tagA, tagB}},
			and{or{tagA, and{isText, eq("text", one)}}, or{tagB, and{isText, eq("text", one)}}}},
		"is in two alternatives": {or{and{isText, eq("text", one), tagA}, and{isText, eq("text", one), tagB}},
			and{or{tagA, tagB}, isText, eq("text", one)}},
		"an alternative with less": {or{and{isText, eq("text", one)}, and{isText, eq("text", one), tagB}},
			and{isText, eq("text", one)}},
		"too many members": {or{and{tagA, tagB, inText, eq("int", one)},
			and{notA, notB, eq("num", one), eq("date", one)}}, and{
			or{and{tagA, tagB, inText, eq("int", one)}, and{notA, notB, eq("num", one), eq("date", one)}}}},
		"name ne says nothing of null": {filter.Negate(eq("name", one)),
			and{filter.In{Column: "name", Values: filter.Values{Ranges: notEq.Ranges}}}},
	} {
		if tt.want == nil {
			tt.want = tt.c.(and)
		}
		if diff := cmp.Diff(filter.Form{All: tt.want}, filter.Normalize(tt.c), sameBytes); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}
