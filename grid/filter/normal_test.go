package filter_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// evaluate evaluates a condition on a row whose texts were all read. Of package filter it uses only
// Values.Contains.
func evaluate(c filter.Condition, r row) bool {
	is := func(m filter.Condition) bool { return evaluate(m, r) }
	switch c := c.(type) {
	case filter.And:
		return !slices.ContainsFunc(c, func(m filter.Condition) bool { return !is(m) })
	case filter.Or:
		return slices.ContainsFunc(c, is)
	case filter.Not:
		return !is(c.Condition)
	case filter.In:
		v, ok := r.values[c.Column]
		domain := columnOf(c.Column).domain
		switch {
		case !ok:
			return c.Values.None
		case domain == nil:
			return len(c.Values.Ranges) > 0
		}
		return c.Values.Contains(domain.encode(v))
	case filter.Has:
		members, _ := r.values[c.Column].([]string)
		return slices.ContainsFunc(members, func(m string) bool {
			return m == c.Member || c.Column == "tags" && columns.FoldTag(m) == c.Member
		})
	case filter.Contains:
		text, ok := r.values[c.Column].(string)
		return ok && indexOf(sortkey.Fold(text), c.Folded) >= 0
	}
	panic(fmt.Sprintf("unknown condition %T", c))
}

// indexOf is a naive strings.Index.
func indexOf(text, needle string) int {
	for i := 0; i+len(needle) <= len(text); i++ {
		if text[i:i+len(needle)] == needle {
			return i
		}
	}
	return -1
}

// checkForm checks that a Form has the properties that its comment documents. The members of an Or in the
// form are subject to the same rules.
func checkForm(f filter.Form) error {
	if f.Never {
		if len(f.All) > 0 {
			return fmt.Errorf("Never with %d members", len(f.All))
		}
		return nil
	}
	return checkMembers(f.All, true)
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
			case filter.Has, filter.Contains:
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
			if got := !form.Never && evaluate(filter.And(form.All), r); got != want {
				t.Fatalf("%s: the form returned %v, want %v, for the issue\n%v\n%+v", q.text, got, want, r,
					form)
			}
			if got := evaluate(filter.Negate(q.condition), r); got == want {
				t.Fatalf("%s: the opposite returned %v too, for the issue\n%v", q.text, got, r)
			}
			if got := !opposite.Never && evaluate(filter.And(opposite.All), r); got == want {
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
	return filter.In{Column: c, Values: filter.StartsWith(sortkey.Fold(s))}
}
func null(c tracker.Column) filter.Condition {
	return filter.In{Column: c, Values: filter.NoValue()}
}
func notNull(c tracker.Column) filter.Condition { return filter.In{Column: c, Values: filter.Any()} }

var (
	one, two, three, five = sortkey.Int(1), sortkey.Int(2), sortkey.Int(3), sortkey.Int(5)
	tagA, tagB            = filter.Has{Column: "tags", Member: "a"}, filter.Has{Column: "tags", Member: "b"}
	inText                = filter.Contains{Column: "text", Folded: "a"}
)

type (
	and = filter.And
	or  = filter.Or
)

func TestContradictionsAreNever(t *testing.T) {
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

func TestTautologiesAreAlways(t *testing.T) {
	for name, c := range map[string]filter.Condition{
		"no condition":                  nil,
		"everything":                    and{},
		"nested nothings":               and{and{}, filter.Negate(or{}), and{and{}}},
		"eq or not eq":                  or{eq("int", one), filter.Negate(eq("int", one))},
		"null or not null":              or{null("int"), notNull("int")},
		"lt or gte or null":             or{lt("int", three), gte("int", three), null("int")},
		"lte 5 or gt 3 or null":         or{lte("int", five), gt("int", three), null("int")},
		"lt or gte, always a value":     or{lt("num", three), gte("num", three)},
		"begins with nothing of a name": begins("name", ""),
		"name is there":                 notNull("name"),
		"name is not null":              filter.Negate(null("name")),
		"not eq 1 or not eq 2":          or{filter.Negate(eq("int", one)), filter.Negate(eq("int", two))},
		"has or not has":                or{tagA, filter.Negate(tagA)},
		"has or more or not has":        or{tagA, inText, tagB, filter.Negate(tagA)},
		"contains or not contains":      or{filter.Negate(inText), inText},
		"deep": and{or{tagB, and{or{tagA, filter.Negate(tagA)}, notNull("state")}},
			notNull("created")},
	} {
		t.Run(name, func(t *testing.T) {
			if f := filter.Normalize(c); !f.Always() || f.Never {
				t.Errorf("got %+v, want always", f)
			}
			if c == nil {
				return
			}
			if f := filter.Normalize(filter.Negate(c)); !f.Never {
				t.Errorf("the opposite: got %+v, want never", f)
			}
		})
	}
}

// TestNormalForms has conditions that resemble contradictions or tautologies but are neither.
func TestNormalForms(t *testing.T) {
	notEq := filter.Equal(one).Not()
	for name, tt := range map[string]struct {
		c    filter.Condition
		want filter.Form
	}{
		"ne includes no value": {filter.Negate(eq("int", one)),
			filter.Form{All: []filter.Condition{filter.In{Column: "int", Values: notEq}}}},
		"lt or gte leaves null out": {or{lt("int", three), gte("int", three)},
			filter.Form{All: []filter.Condition{notNull("int")}}},
		"null or has": {or{null("tags"), tagA},
			filter.Form{All: []filter.Condition{or{null("tags"), tagA}}}},
		"null and not has": {and{null("tags"), filter.Negate(tagA)},
			filter.Form{All: []filter.Condition{null("tags"), filter.Negate(tagA)}}},
		"has a and not has b": {and{tagA, filter.Negate(tagB)},
			filter.Form{All: []filter.Condition{tagA, filter.Negate(tagB)}}},
		"the same of two columns": {and{eq("int", one), eq("num", two)},
			filter.Form{All: []filter.Condition{eq("int", one), eq("num", two)}}},
		"null of another column and has": {and{null("multi"), tagA},
			filter.Form{All: []filter.Condition{null("multi"), tagA}}},
		"members of one in list": {or{eq("int", two), eq("int", one), eq("int", two)},
			filter.Form{All: []filter.Condition{filter.In{Column: "int",
				Values: filter.Equal(one).Or(filter.Equal(two))}}}},
		"members of one sort once": {and{tagA, filter.Negate(tagB), tagA, filter.Negate(tagB)},
			filter.Form{All: []filter.Condition{tagA, filter.Negate(tagB)}}},
		"de Morgan": {filter.Negate(or{tagA, and{tagB, inText}}),
			filter.Form{All: []filter.Condition{filter.Negate(tagA),
				or{filter.Negate(tagB), filter.Negate(inText)}}}},
		"name ne says nothing of null": {filter.Negate(eq("name", one)),
			filter.Form{All: []filter.Condition{
				filter.In{Column: "name", Values: filter.Values{Ranges: notEq.Ranges}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, filter.Normalize(tt.c), sameBytes); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
