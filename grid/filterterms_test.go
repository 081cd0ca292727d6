package grid_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
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

// plain returns the value of an issue in a column, as the oracle compares it: an int64, a float64 or a
// string. States and options are ranks, and times are microseconds.
func (w *world) plain(c tracker.Column, i *tracker.Issue) (any, bool) {
	switch c {
	case tracker.ColumnNum:
		return i.Num, true
	case tracker.ColumnName:
		return i.Name, true
	case tracker.ColumnState:
		n, _ := w.definition.Project.StateRank(i.State)
		return int64(n), true
	case tracker.ColumnCreated:
		return i.Created.UnixMicro(), true
	case tracker.ColumnUpdated:
		return i.Updated.UnixMicro(), true
	}
	v := i.Value(c)
	switch {
	case v.Kind == tracker.KindNone:
		return nil, false
	case c == fInt.Column():
		return v.Int(), true
	case c == fNumber.Column():
		return v.Float(), true
	case c == fBool.Column():
		return map[bool]int64{true: 1}[v.Bool()], true
	case c == fSelect.Column():
		n, _ := w.definition.Field(fSelect).OptionRank(tracker.OptionID(v.Text()))
		return int64(n), true
	}
	return v.Text(), true
}

// encodePlain encodes a value of plain. Dates and instants have a single format, and so sort as texts.
func encodePlain(v any) sortkey.Value {
	switch v := v.(type) {
	case int64:
		return sortkey.Int(v)
	case float64:
		return sortkey.Float(v)
	}
	return sortkey.Text(v.(string))
}

// comparable is a column of ordered values: any returns a random value, and text reports whether it has
// texts.
type comparable struct {
	world  *world
	column tracker.Column
	any    func() any
	text   bool
}

func (c *comparable) read(i *tracker.Issue) (any, bool) { return c.world.plain(c.column, i) }

// encode returns the sort value in the grid.
func (c *comparable) encode(v any) sortkey.Value {
	switch c.column {
	case tracker.ColumnNum:
		return sortkey.Num(v.(int64))
	case fDate.Column(), fInstant.Column():
		return columns.SortValue(c.world.definition.Field(c.column.Field()), tracker.Text(v.(string)))
	}
	return encodePlain(v)
}

func (w *world) comparable() comparable {
	r := w.random
	below := func(n int) func() any { return func() any { return int64(r.IntN(n)) } }
	needle := func() any { return pickOne(r, worldTexts[:8]) }
	day := func() any { return pickOne(r, days) }
	c := pickOne(r, []comparable{
		{w, tracker.ColumnNum, below(int(w.nextNum) + 2), false},
		{w, tracker.ColumnName, needle, true},
		{w, tracker.ColumnState, below(3), false}, {w, tracker.ColumnState, below(3), false},
		{w, tracker.ColumnCreated, func() any {
			return time.Date(2023, 1, 1+r.IntN(3), 0, 0, 0, 0, time.UTC).UnixMicro()
		}, false},
		{w, tracker.ColumnCreatedBy, needle, true}, {w, tracker.ColumnUpdatedBy, needle, true},
		{w, tracker.ColumnDescription, needle, true},
		{w, fText.Column(), needle, true}, {w, fLong.Column(), needle, true},
		{w, fUser.Column(), needle, true},
		{w, fInt.Column(), w.anInt, false}, {w, fInt.Column(), w.anInt, false},
		{w, fNumber.Column(), func() any { return pickOne(r, floats) }, false},
		{w, fDate.Column(), day, false},
		{w, fInstant.Column(), func() any { return pickOne(r, instants) }, false},
		{w, fBool.Column(), below(2), false}, {w, fSelect.Column(), below(3), false},
	})
	if drawn := c.any; w.distinct != nil {
		c.any = func() any {
			if v, ok := c.read(pickOne(r, w.issues)); ok {
				return v
			}
			return drawn()
		}
	}
	return c
}

// folds caches folded strings. There are few, and folding takes most of the time of the test.
var folds = map[string]string{}

func folded(s string) string {
	f, ok := folds[s]
	if !ok {
		f = fold.String(s)
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
	compared := func(values filter.Values, holds func(order int) bool, words string) testFilter {
		return is(values, func(have any) bool { return holds(c.order(have, v)) }, fmt.Sprintf(words, v))
	}
	orEqual := r.IntN(2) == 0
	switch r.IntN(operators) {
	case 0:
		return testFilter{filter.In{Column: c.column, Values: filter.NoValue()}, func(i *tracker.Issue) bool {
			_, ok := c.read(i)
			return !ok
		}, string(c.column) + " is null"}
	case 1, 2:
		return compared(filter.Equal(c.encode(v)), func(n int) bool { return n == 0 }, "= %.20v")
	case 3:
		return compared(filter.Less(c.encode(v), orEqual), func(n int) bool {
			return n < 0 || orEqual && n == 0
		}, fmt.Sprintf("< %%.20v, %t", orEqual))
	case 4:
		return compared(filter.Greater(c.encode(v), orEqual), func(n int) bool {
			return n > 0 || orEqual && n == 0
		}, fmt.Sprintf("> %%.20v, %t", orEqual))
	case 5:
		other := c.any()
		return is(filter.Equal(c.encode(v)).Or(filter.Equal(c.encode(other))), func(have any) bool {
			return c.order(have, v) == 0 || c.order(have, other) == 0
		}, fmt.Sprintf("in %.20v, %.20v", v, other))
	case 6:
		other := c.any()
		between := filter.Greater(c.encode(v), true).And(filter.Less(c.encode(other), true))
		return is(between, func(have any) bool {
			return c.order(have, v) >= 0 && c.order(have, other) <= 0
		}, fmt.Sprintf("between %.20v, %.20v", v, other))
	case 7:
		start := v.(string)[:1+r.IntN(len(v.(string)))]
		if strings.ToValidUTF8(start, "") != start {
			start = "a"
		}
		return is(filter.StartsWith(fold.String(start)), func(have any) bool {
			return strings.HasPrefix(folded(have.(string)), folded(start))
		}, "starts with "+start)
	}
	needle := fold.String(pickOne(r, []string{"a", "END", "ng", "z", "bridge"}))
	return testFilter{filter.Contains{Column: c.column, Folded: needle}, func(i *tracker.Issue) bool {
		have, ok := c.read(i)
		return ok && strings.Contains(folded(have.(string)), needle)
	}, string(c.column) + " contains " + needle}
}

func (w *world) setTerm() testFilter {
	if w.random.IntN(3) == 0 {
		return w.participantTerm()
	}
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

// referenceTerm compares the user of a value, sometimes with the names that are implied.
func (w *world) referenceTerm() testFilter {
	user := pickOne(w.random, append([]tracker.UserID{""}, worldUsers...))
	refers := filter.Refers{Column: fUser.Column(), User: user}
	matches := func(i *tracker.Issue) bool {
		v, ok := i.Values[fUser]
		return ok && v.User() == user
	}
	if w.random.IntN(2) == 0 || w.distinct[fUser.Column()] > 0 { // then there are more names
		return testFilter{refers, matches, fmt.Sprintf("is %q", user)}
	}
	var names []filter.Operand
	for _, name := range worldTexts[:6] {
		names = append(names, sortkey.Text(name))
	}
	named := filter.In{Column: fUser.Column(), Values: filter.OneOf(names...)}
	return testFilter{filter.And{refers, named}, matches,
		fmt.Sprintf("is %q, with its names", user)}
}

func (w *world) participantTerm() testFilter {
	c, p := pickOne(w.random, []tracker.Column{tracker.ColumnAssignees, tracker.ColumnWatchers,
		tracker.ColumnAuthor, tracker.ColumnEditor}), pickOne(w.random, worldParticipants)
	role, _ := c.Role()
	one := c == tracker.ColumnAuthor || c == tracker.ColumnEditor
	if one && w.random.IntN(2) == 0 {
		return w.referenceTerm()
	}
	if !one && w.random.IntN(4) == 0 {
		return testFilter{filter.In{Column: c, Values: filter.NoValue()}, func(i *tracker.Issue) bool {
			return len(i.Participants(role)) == 0
		}, string(c) + " is null"}
	}
	return testFilter{filter.Has{Column: c, Member: string(p)}, func(i *tracker.Issue) bool {
		return slices.Contains(i.Participants(role), p)
	}, string(c) + " has " + string(p)}
}
