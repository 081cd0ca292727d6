package filter

import (
	"slices"

	"issuegrid/tracker"
)

// Form is a condition as plans are made from it: what all hold. No member is an And, no two are about one
// column alone, and Nots stand before a Has or a Contains only. The zero Form always holds.
type Form struct {
	All []Condition
	// Never tells that nothing can meet the condition.
	Never bool
}

// Normalize brings a condition into that form: conditions on one column become one In, opposites of each
// other become Never. Nil always holds.
func Normalize(c Condition) Form {
	if c == nil {
		return Form{}
	}
	switch c := simplify(c).(type) {
	case Or:
		if len(c) == 0 {
			return Form{Never: true}
		}
		return Form{All: []Condition{c}}
	case And:
		return Form{All: c}
	default:
		return Form{All: []Condition{c}}
	}
}

// Always tells that every issue meets the condition.
func (f Form) Always() bool { return !f.Never && len(f.All) == 0 }

// In returns the values that a column may have: those of the member about that column, or all.
func (f Form) In(column tracker.Column) Values {
	for _, c := range f.All {
		if in, ok := c.(In); ok && in.Column == column {
			return in.Values
		}
	}
	return Values{Ranges: []Range{{}}, None: true}
}

func simplify(c Condition) Condition {
	switch c := c.(type) {
	case In:
		return whole(c)
	case And:
		return combine(c, true)
	case Or:
		return combine(c, false)
	}
	return c
}

// Nullable tells whether issues may be without a value in a column.
func Nullable(c tracker.Column) bool { return !c.Builtin() || c == tracker.ColumnDescription }

// whole tells an In of no value, or of every value, from one that decides something.
func whole(c In) Condition {
	if !Nullable(c.Column) {
		c.Values.None = c.Values.all() // so that there is one way to say it
	}
	switch {
	case c.Values.empty():
		return Or{}
	case c.Values.all() && c.Values.None:
		return And{}
	}
	return c
}

// combine simplifies the members of an And or an Or, takes up those of members of the same kind, and puts
// those on one column together.
func combine(members []Condition, and bool) Condition {
	var flat []Condition
	for _, m := range members {
		switch m := simplify(m).(type) {
		case And:
			if and {
				flat = append(flat, m...)
			} else if len(m) == 0 {
				return And{} // one that always holds
			} else {
				flat = append(flat, m)
			}
		case Or:
			if !and {
				flat = append(flat, m...)
			} else if len(m) == 0 {
				return Or{} // one that never holds
			} else {
				flat = append(flat, m)
			}
		default:
			flat = append(flat, m)
		}
	}
	var out []Condition
	for _, m := range flat {
		if !merge(out, m, and) && !slices.ContainsFunc(out, func(o Condition) bool { return same(o, m) }) {
			out = append(out, m)
		}
	}
	kept := out[:0]
	for _, m := range out {
		if in, ok := m.(In); ok {
			m = whole(in)
		}
		switch m := m.(type) {
		case And:
			if len(m) == 0 && !and {
				return And{}
			} else if len(m) == 0 {
				continue
			}
		case Or:
			if len(m) == 0 && and {
				return Or{}
			} else if len(m) == 0 {
				continue
			}
		}
		kept = append(kept, m)
	}
	if opposed(kept, and) {
		if and {
			return Or{}
		}
		return And{}
	}
	switch {
	case len(kept) == 1:
		return kept[0]
	case and:
		return And(kept)
	}
	return Or(kept)
}

// merge puts an In to the one on the same column, if there is one.
func merge(out []Condition, m Condition, and bool) bool {
	in, ok := m.(In)
	if !ok {
		return false
	}
	for i := range out {
		if other, ok := out[i].(In); ok && other.Column == in.Column {
			if and {
				in.Values = other.Values.And(in.Values)
			} else {
				in.Values = other.Values.Or(in.Values)
			}
			out[i] = in
			return true
		}
	}
	return false
}

// opposed tells whether a member is the opposite of another, or, of an And, demands something of a value that
// another says is not there; of an Or, the opposite of that: allows every value where another lets what has
// none pass.
func opposed(members []Condition, and bool) bool {
	for _, m := range members {
		for _, other := range members {
			if not, ok := m.(Not); ok && same(other, not.Condition) {
				return true
			}
			in, ok := m.(In)
			if ok && and && len(in.Values.Ranges) == 0 && needs(other, in.Column) {
				return true
			}
			if not, isNot := other.(Not); ok && !and && isNot && in.Values.all() &&
				needs(not.Condition, in.Column) {
				return true
			}
		}
	}
	return false
}

// needs tells whether a condition holds only of issues with a value in a column.
func needs(c Condition, column tracker.Column) bool {
	a, ok := c.(atom)
	return ok && a.column() == column
}

// same reports whether two conditions are the same atom, or its Not.
func same(a, b Condition) bool {
	if x, ok := a.(Not); ok {
		y, ok := b.(Not)
		return ok && same(x.Condition, y.Condition)
	}
	x, ok := a.(atom)
	return ok && Condition(x) == b
}
