package grid_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// testFilter is a filter: as a condition of the grid, and as a predicate of the oracle.
type testFilter struct {
	condition   filter.Condition
	matches     func(*tracker.Issue) bool
	description string
}

var noFilter = testFilter{nil, func(*tracker.Issue) bool { return true }, "no filter"}

// filter returns a random filter of at most the given depth.
func (w *world) filter(depth int) testFilter {
	r := w.random
	if depth > 0 && r.IntN(3) > 0 {
		switch kind := r.IntN(5); kind {
		case 0:
			of := w.filter(depth - 1)
			return testFilter{filter.Negate(of.condition), func(i *tracker.Issue) bool {
				return !of.matches(i)
			}, "not(" + of.description + ")"}
		default:
			and := kind > 2
			var conditions []filter.Condition
			var parts []testFilter
			description := ""
			for range r.IntN(4) {
				part := w.filter(depth - 1)
				parts, conditions = append(parts, part), append(conditions, part.condition)
				description += part.description + "; "
			}
			matches := func(i *tracker.Issue) bool {
				for _, p := range parts {
					if p.matches(i) != and {
						return !and
					}
				}
				return and
			}
			if and {
				return testFilter{filter.And(conditions), matches, "and(" + description + ")"}
			}
			return testFilter{filter.Or(conditions), matches, "or(" + description + ")"}
		}
	}
	return w.term()
}

// comparable is a column of ordered values: read is the oracle's value of an issue, any returns a random
// value, and encode is its sort value in the grid.
type comparable struct {
	column tracker.Column
	read   func(*tracker.Issue) (any, bool)
	any    func() any
	encode func(any) sortkey.Value
	text   bool
}

func (w *world) comparable() comparable {
	r := w.random
	stored := func(f tracker.FieldID, as func(tracker.Value) any) func(*tracker.Issue) (any, bool) {
		return func(i *tracker.Issue) (any, bool) {
			v, ok := i.Values[f]
			if !ok {
				return nil, false
			}
			return as(v), true
		}
	}
	text := func(v tracker.Value) any { return v.Text() }
	fieldOf := w.definition.Field
	from := func(f tracker.FieldID) func(any) sortkey.Value {
		return func(v any) sortkey.Value { return columns.SortValue(fieldOf(f), tracker.Text(v.(string))) }
	}
	number := func(v any) sortkey.Value { return sortkey.Int(v.(int64)) }
	needle := func() any { return pickOne(r, worldTexts[:8]) }
	day := func() any { return pickOne(r, days) }
	always := func(get func(*tracker.Issue) any) func(*tracker.Issue) (any, bool) {
		return func(i *tracker.Issue) (any, bool) { return get(i), true }
	}
	state := func(id tracker.OptionID) int64 {
		n, _ := w.definition.Project.StateRank(id)
		return int64(n)
	}
	user := func(c tracker.Column) func(*tracker.Issue) (any, bool) {
		return func(i *tracker.Issue) (any, bool) {
			return i.Value(c).Text(), i.Value(c).Kind != tracker.KindNone
		}
	}
	all := []comparable{
		{tracker.ColumnNum, always(func(i *tracker.Issue) any {
			return i.Num
		}), func() any {
			return int64(r.IntN(int(w.nextNum) + 2))
		}, func(v any) sortkey.Value { return sortkey.Num(v.(int64)) }, false},
		{tracker.ColumnName, always(func(i *tracker.Issue) any { return i.Name }), needle, encodeText, true},
		{tracker.ColumnState, always(func(i *tracker.Issue) any {
			return state(i.State)
		}), func() any { return int64(r.IntN(3)) }, number, false},
		{tracker.ColumnState, always(func(i *tracker.Issue) any {
			return state(i.State)
		}), func() any { return int64(r.IntN(3)) }, number, false},
		{tracker.ColumnCreated, always(func(i *tracker.Issue) any {
			return i.Created.UnixMicro()
		}), func() any {
			return time.Date(2023, 1, 1+r.IntN(3), 0, 0, 0, 0, time.UTC).UnixMicro()
		}, number, false},
		{tracker.ColumnCreatedBy, user(tracker.ColumnCreatedBy), needle, encodeText, true},
		{tracker.ColumnUpdatedBy, user(tracker.ColumnUpdatedBy), needle, encodeText, true},
		{tracker.ColumnDescription, func(i *tracker.Issue) (any, bool) {
			return i.Description.Text(), i.Description.Kind != tracker.KindNone
		}, needle, encodeText, true},
		{fText.Column(), stored(fText, text), needle, encodeText, true},
		{fLong.Column(), stored(fLong, text), needle, encodeText, true},
		{fUser.Column(), stored(fUser, text), needle, encodeText, true},
		{fInt.Column(), stored(fInt, func(v tracker.Value) any {
			return v.Int()
		}), func() any { return pickOne(r, ints) }, number, false},
		{fInt.Column(), stored(fInt, func(v tracker.Value) any {
			return v.Int()
		}), func() any { return pickOne(r, ints) }, number, false},
		{fNumber.Column(), stored(fNumber, func(v tracker.Value) any {
			return v.Float()
		}), func() any { return pickOne(r, floats) }, encodeFloat, false},
		{fDate.Column(), stored(fDate, text), day, from(fDate), false},
		{fInstant.Column(), stored(fInstant, text), func() any {
			return pickOne(r, days) + "T00:00:00Z"
		}, from(fInstant), false},
		{fBool.Column(), stored(fBool, func(v tracker.Value) any {
			if v.Bool() {
				return int64(1)
			}
			return int64(0)
		}), func() any { return int64(r.IntN(2)) }, number, false},
		{fSelect.Column(), stored(fSelect, func(v tracker.Value) any {
			n, _ := fieldOf(fSelect).OptionRank(tracker.OptionID(v.Text()))
			return int64(n)
		}), func() any { return int64(r.IntN(3)) }, number, false},
	}
	return pickOne(r, all)
}

// folds caches folded strings. There are few, and folding takes most of the time of the test.
var folds = map[string]string{}

func folded(s string) string {
	f, ok := folds[s]
	if !ok {
		f = sortkey.Fold(s)
		folds[s] = f
	}
	return f
}

// order compares values like the grid: texts are folded.
func (c *comparable) order(a, b any) int {
	if c.text {
		return strings.Compare(folded(a.(string)), folded(b.(string)))
	}
	return compareValues(a, b)
}

func (w *world) term() testFilter {
	r := w.random
	if r.IntN(4) == 0 {
		return w.setTerm()
	}
	c := w.comparable()
	v := c.any()
	is := func(values filter.Values, holds func(any) bool, words string) testFilter {
		return testFilter{filter.In{Column: c.column, Values: values}, func(i *tracker.Issue) bool {
			have, ok := c.read(i)
			return ok && holds(have)
		}, fmt.Sprintf("%s %s", c.column, words)}
	}
	operators := 7
	if c.text {
		operators = 9
	}
	switch r.IntN(operators) {
	case 0:
		return testFilter{filter.In{Column: c.column, Values: filter.NoValue()}, func(i *tracker.Issue) bool {
			_, ok := c.read(i)
			return !ok
		}, string(c.column) + " is null"}
	case 1, 2:
		return is(filter.Equal(c.encode(v)), func(have any) bool {
			return c.order(have, v) == 0
		}, fmt.Sprintf("= %.20v", v))
	case 3:
		orEqual := r.IntN(2) == 0
		return is(filter.Less(c.encode(v), orEqual), func(have any) bool {
			n := c.order(have, v)
			return n < 0 || orEqual && n == 0
		}, fmt.Sprintf("< %.20v, %t", v, orEqual))
	case 4:
		orEqual := r.IntN(2) == 0
		return is(filter.Greater(c.encode(v), orEqual), func(have any) bool {
			n := c.order(have, v)
			return n > 0 || orEqual && n == 0
		}, fmt.Sprintf("> %.20v, %t", v, orEqual))
	case 5:
		other := c.any()
		return is(filter.Equal(c.encode(v)).Or(filter.Equal(c.encode(other))), func(have any) bool {
			return c.order(have, v) == 0 || c.order(have, other) == 0
		},
			fmt.Sprintf("in %.20v, %.20v", v, other))
	case 6:
		other := c.any()
		return is(filter.Greater(c.encode(v),
			true).And(filter.Less(c.encode(other), true)), func(have any) bool {
			return c.order(have, v) >= 0 && c.order(have, other) <= 0
		},
			fmt.Sprintf("between %.20v, %.20v", v, other))
	case 7:
		start := v.(string)[:1+r.IntN(len(v.(string)))]
		if strings.ToValidUTF8(start, "") != start {
			start = "a"
		}
		return is(filter.StartsWith(sortkey.Fold(start)), func(have any) bool {
			return strings.HasPrefix(folded(have.(string)), folded(start))
		}, "starts with "+start)
	}
	needle := sortkey.Fold(pickOne(r, []string{"a", "END", "ng", "z", "bridge"}))
	return testFilter{filter.Contains{Column: c.column, Folded: needle}, func(i *tracker.Issue) bool {
		have, ok := c.read(i)
		return ok && strings.Contains(folded(have.(string)), needle)
	}, string(c.column) + " contains " + needle}
}

func (w *world) setTerm() testFilter {
	f, member := fMulti, string(pickOne(w.random, options).ID)
	fold := func(s string) string { return s }
	if w.random.IntN(2) == 0 {
		f, member, fold = fTags, columns.FoldTag(pickOne(w.random, worldTags)), columns.FoldTag
	}
	if w.random.IntN(4) == 0 {
		return testFilter{filter.In{Column: f.Column(),
			Values: filter.NoValue()}, func(i *tracker.Issue) bool {
			return len(i.Values[f].Set()) == 0
		}, string(f) + " is null"}
	}
	return testFilter{filter.Has{Column: f.Column(), Member: member}, func(i *tracker.Issue) bool {
		return slices.ContainsFunc(i.Values[f].Set(), func(m string) bool { return fold(m) == member })
	}, string(f) + " has " + member}
}
