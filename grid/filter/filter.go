// Package filter defines conditions on issues, normalizes them for planning, and evaluates them on documents.
// Start with the types of conditions, and Normalize.
//
// Conditions are either true or false of an issue; there is no third value. An issue without a value in a
// column matches no comparison with that column, and so it matches the negation of every such comparison. Not
// is the exact complement: "is not x" includes the issues without a value.
//
// The package does no I/O and does not depend on query plans.
package filter

import (
	"slices"

	"issuegrid/tracker"
)

// The limits of a filter, which the descriptions in the schema state.
const (
	MaxTerms  = 100 // comparisons; each member of a list counts
	MaxDepth  = 10  // nesting depth of and, or, not
	MaxNeedle = 255 // characters of a string operand
)

// The limits of an operation, over all its filters and cursorAt arguments. Parsing and encoding the maximum
// takes about 20 ms of CPU.
const (
	MaxOperationTerms = 2000 // comparisons
	// bytes of string and tag operands; an operand counts each time it is given
	MaxOperandBytes = 256 << 10
)

// Condition is a condition on an issue: one of the types below.
type Condition interface {
	// negated returns the complement, with Nots moved down to the other types on one column.
	negated() Condition
	// meets reports whether an issue meets the condition.
	meets(*Subject) (Truth, error)
	// describe returns the condition in words.
	describe(*tracker.Definition) string
}

// atom is a condition on one column whose complement is its Not. It matches only issues with a value in the
// column, and is comparable with ==.
type atom interface {
	Condition
	column() tracker.Column
}

type (
	// In matches issues whose value of the column is in Values. Text is compared in the form in which it is
	// sorted: without case and accents, and only as much of it as sortkey.Text encodes.
	In struct {
		Column tracker.Column
		Values Values
	}
	// Has matches issues whose set contains the member: the id of an option, a folded tag, or a
	// tracker.Participant.
	Has struct {
		Column tracker.Column
		Member string
	}
	// Contains matches issues whose text in the column contains a string, both folded. Every text contains
	// the empty string.
	Contains struct {
		Column tracker.Column
		Folded string
	}
	// Is matches issues whose text in the column is identical to a string.
	Is struct {
		Column tracker.Column
		Text   string
	}
	// Refers matches issues whose value of the column refers to a user. For the user "", it matches those
	// with a value that is only a name. The column is that of a USER field, or of names in tokens.
	Refers struct {
		Column tracker.Column
		User   tracker.UserID
	}
	// Not is the complement of a Has, a Contains, an Is or a Refers.
	Not struct{ Condition atom }
	// And matches if all members match. An empty And matches every issue.
	And []Condition
	// Or matches if any member matches. An empty Or matches no issue.
	Or []Condition
)

func (c In) negated() Condition       { return In{c.Column, c.Values.Not()} }
func (c Has) negated() Condition      { return Not{c} }
func (c Contains) negated() Condition { return Not{c} }
func (c Is) negated() Condition       { return Not{c} }
func (c Refers) negated() Condition   { return Not{c} }
func (c Not) negated() Condition      { return c.Condition }

func (c Has) column() tracker.Column      { return c.Column }
func (c Contains) column() tracker.Column { return c.Column }
func (c Is) column() tracker.Column       { return c.Column }
func (c Refers) column() tracker.Column   { return c.Column }

func (c And) negated() Condition {
	out := make(Or, len(c))
	for i := range c {
		out[i] = c[i].negated()
	}
	return out
}

func (c Or) negated() Condition {
	out := make(And, len(c))
	for i := range c {
		out[i] = c[i].negated()
	}
	return out
}

// Negate returns the exact complement of a condition.
func Negate(c Condition) Condition { return c.negated() }

// Both returns the conjunction of two conditions, of which a may be nil.
func Both(a, b Condition) Condition {
	switch a := a.(type) {
	case nil:
		return b
	case And:
		return append(slices.Clip(a), b)
	}
	return And{a, b}
}

// Terms returns the number of comparisons of a condition: each range of values counts, as in a list.
func Terms(c Condition) int {
	n := 0
	visit(c, func(leaf Condition) {
		if in, ok := leaf.(In); ok {
			n += len(in.Values.Ranges)
			return
		}
		n++
	})
	return n
}

// Columns returns the columns that a condition uses, without duplicates. It returns none for nil.
func Columns(c Condition) []tracker.Column {
	var out []tracker.Column
	visit(c, func(leaf Condition) {
		var column tracker.Column
		switch leaf := leaf.(type) {
		case In:
			column = leaf.Column
		case atom:
			column = leaf.column()
		}
		if !slices.Contains(out, column) {
			out = append(out, column)
		}
	})
	return out
}

// visit calls with for every In and atom of a condition.
func visit(c Condition, with func(Condition)) {
	switch c := c.(type) {
	case nil:
	case And:
		for _, m := range c {
			visit(m, with)
		}
	case Or:
		for _, m := range c {
			visit(m, with)
		}
	case Not:
		visit(c.Condition, with)
	default:
		with(c)
	}
}
