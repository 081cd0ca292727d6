package filter

import (
	"slices"

	"issuegrid/tracker"
)

// Form is a normalized condition, from which plans are made: the conjunction of All. No member is an And, at
// most one member is an In on any given column, and Not occurs only around a Has, a Contains, an Is or a
// Refers. A member of an Or is an And only if it consists of an Is or a Refers and the In that it implies, or
// if All would otherwise have more than maxAll members. The zero Form matches every issue.
type Form struct {
	All []Condition
	// Never reports whether no issue can match the condition.
	Never bool
}

// maxAll is the maximum number of members that All of a Form has because Ors were distributed over Ands. The
// members of one Or then have at most MaxTerms members together, like a filter, since each is planned.
const maxAll = 12

// Normalize returns the normal form of a condition. It merges conditions on one column into one In, turns
// contradictions into Never, and distributes Ors over Ands, so that a plan can choose among the results by
// statistics: (a and b) or c becomes (a or c) and (b or c). Nil matches every issue.
func Normalize(c Condition) Form {
	if c == nil {
		return Form{}
	}
	for c = simplify(c); ; {
		if or, ok := c.(Or); ok && len(or) == 0 {
			return Form{Never: true}
		}
		all, ok := c.(And)
		if !ok {
			all = And{c}
		}
		next, ok := distribute(all)
		if !ok {
			return Form{All: all}
		}
		c = simplify(next)
	}
}

// clause is a member of the And that an Or is distributed to: the members of the Or that are no Ands, and one
// member of each And.
type clause struct {
	rest   Or
	chosen []Condition
}

// implies reports whether o matches every issue that c matches. They are of the same Or.
func (c clause) implies(o clause) bool {
	return !slices.ContainsFunc(c.chosen, func(part Condition) bool {
		in := func(m Condition) bool { return implies(part, m) }
		return !slices.ContainsFunc(o.chosen, in) && !slices.ContainsFunc(o.rest, in)
	})
}

// distribute distributes one Or among the members of all over its Ands. It returns false if none has Ands, or
// if there would be too many members.
func distribute(all And) (And, bool) {
	for i, m := range all {
		or, ok := m.(Or)
		if !ok {
			continue
		}
		clauses, ok := clausesOf(or, maxAll-(len(all)-1))
		if !ok {
			continue
		}
		out := slices.Clone(all[:i])
		for n, c := range clauses {
			if !absorbed(clauses, n) {
				out = append(out, slices.Concat(Or(c.chosen), c.rest))
			}
		}
		return append(out, all[i+1:]...), true
	}
	return nil, false
}

// absorbed reports whether another clause implies the one at n. Of two that imply each other, the first one
// stays.
func absorbed(clauses []clause, n int) bool {
	for i, other := range clauses {
		if i != n && other.implies(clauses[n]) && (i < n || !clauses[n].implies(other)) {
			return true
		}
	}
	return false
}

// clausesOf returns what an Or with Ands is distributed to. It returns false if it has none, or if these
// would be more than most.
func clausesOf(or Or, most int) ([]clause, bool) {
	rest, clauses, ands := Or(nil), []clause{{}}, false
	for _, m := range or {
		and, ok := m.(And)
		parts := withUnindexed(and)
		if !ok || len(parts) == 1 {
			rest = append(rest, m)
			continue
		}
		ands = true
		if n := len(clauses) * len(parts); n > most || n*len(or) > MaxTerms {
			return nil, false
		}
		var longer []clause
		for _, c := range clauses {
			for _, p := range parts {
				longer = append(longer, clause{chosen: append(slices.Clip(c.chosen), p)})
			}
		}
		clauses = longer
	}
	for i := range clauses {
		clauses[i].rest = rest
	}
	return clauses, ands
}

// withUnindexed returns the members of an And, in which an Is or a Refers is one member with all others on
// its column: without the In that it implies, the index could not answer it.
func withUnindexed(c And) (out And) {
	var texts []tracker.Column
	for _, m := range c {
		if column, ok := unindexed(m); ok && !slices.Contains(texts, column) {
			texts = append(texts, column)
		}
	}
	with := make([]And, len(texts))
	for _, m := range c {
		columns := Columns(m)
		if at := slices.Index(texts, columns[0]); at >= 0 && len(columns) == 1 {
			with[at] = append(with[at], m)
			continue
		}
		out = append(out, m)
	}
	for _, unit := range with {
		out = append(out, unit)
	}
	return out
}

// unindexed returns the column of a condition that only a document can decide, such as that a text is
// identical to another one, of which the index has the folded text.
func unindexed(c Condition) (tracker.Column, bool) {
	switch c := c.(type) {
	case Is:
		return c.Column, true
	case Refers:
		return c.Column, true
	}
	return "", false
}

// Always reports whether every issue matches the condition.
func (f Form) Always() bool { return !f.Never && len(f.All) == 0 }

// In returns the values that the form allows in a column: those of its In on the column, or all.
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
		return simplifyIn(c)
	case And:
		return combine(c, true)
	case Or:
		return combine(c, false)
	}
	return c
}

// simplifyIn returns an empty Or for an In of no value, an empty And for an In of every value, and otherwise
// c.
func simplifyIn(c In) Condition {
	if !c.Column.Nullable() {
		c.Values.None = c.Values.all() // so that equal conditions have one form
	}
	switch {
	case c.Values.empty():
		return Or{}
	case c.Values.all() && c.Values.None:
		return And{}
	}
	return c
}

// combine simplifies the members of an And or an Or, flattens members of the same kind, and merges members on
// the same column.
func combine(members []Condition, and bool) Condition {
	var flat []Condition
	for _, m := range members {
		switch m := simplify(m).(type) {
		case And:
			if and {
				flat = append(flat, m...)
			} else if len(m) == 0 {
				return And{} // matches every issue
			} else {
				flat = append(flat, m)
			}
		case Or:
			if !and {
				flat = append(flat, m...)
			} else if len(m) == 0 {
				return Or{} // matches no issue
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
			m = simplifyIn(in)
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
	if contradict(kept, and) {
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

// implies reports whether b matches every issue that a matches. Neither is an Or.
func implies(a, b Condition) bool {
	if and, ok := b.(And); ok {
		return !slices.ContainsFunc(and, func(m Condition) bool { return !implies(a, m) })
	}
	if and, ok := a.(And); ok {
		return slices.ContainsFunc(and, func(m Condition) bool { return implies(m, b) })
	}
	if x, ok := a.(In); ok {
		y, ok := b.(In)
		return ok && x.Column == y.Column && x.Values.equal(x.Values.And(y.Values))
	}
	return same(a, b)
}

// merge merges m into the In on the same column in out, and reports whether there is one.
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

// contradict reports whether two members exclude each other (if and is set), or together cover every issue
// (otherwise). This is the case if one is the Not of the other. It is also the case in an And if one member
// allows no value in a column and another requires one, and in an Or if one allows every value and another
// matches every issue without a value.
func contradict(members []Condition, and bool) bool {
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

// needs reports whether a condition matches only issues with a value in a column.
func needs(c Condition, column tracker.Column) bool {
	a, ok := c.(atom)
	return ok && a.column() == column
}

// same reports whether two conditions are the same atom, Nots of the same, or the same Ands.
func same(a, b Condition) bool {
	if x, ok := a.(And); ok {
		y, ok := b.(And)
		return ok && slices.EqualFunc(x, y, func(a, b Condition) bool {
			return implies(a, b) && implies(b, a)
		})
	}
	if x, ok := a.(Not); ok {
		y, ok := b.(Not)
		return ok && same(x.Condition, y.Condition)
	}
	x, ok := a.(atom)
	return ok && Condition(x) == b
}
