// Package filter is the language of conditions on issues: what they are, the one form in which they are
// planned, and whether a document meets them. Start with the types of conditions, and Normalize.
//
// Logic has two values here. An issue without a value in a column meets no comparison with one, and therefore
// meets the opposite of every comparison: Not is the exact complement, and "is not x" includes the issues
// that have nothing there.
//
// The package is pure: it does no I/O and knows no plan.
package filter

import (
	"slices"

	"issuegrid/tracker"
)

// The limits of one filter. The schema's descriptions state them.
const (
	MaxTerms  = 100 // comparisons, members of a list counted one by one
	MaxDepth  = 10  // of and, or, not in each other
	MaxNeedle = 255 // characters of a text that is compared with
)

// The limits of one operation, all its filters and cursorAt taken together. What they allow takes some 20 ms
// of CPU to read and to encode.
const (
	MaxOperationTerms = 2000 // comparisons
	// bytes of texts and tags that are compared with, each counted as often as it is given
	MaxOperandBytes = 256 << 10
)

// Condition is a condition on an issue: one of the types below.
type Condition interface {
	// negated returns the opposite. Nots remain only before conditions that have no other opposite.
	negated() Condition
	// meets reports whether an issue meets the condition.
	meets(*Subject) (Truth, error)
	// describe returns the condition in words.
	describe(*tracker.Definition) string
}

// atom is a condition on one column whose opposite is its Not. It holds only of issues with a value in the
// column, and is comparable with ==.
type atom interface {
	Condition
	column() tracker.Column
}

type (
	// In holds of issues whose value of a column is among Values. Texts are compared in the form of their
	// order: without regard to case and accents, and as far as sortkey.Text encodes them.
	In struct {
		Column tracker.Column
		Values Values
	}
	// Has holds of issues whose set has a member: the id of an option or, of tags, the folded tag.
	Has struct {
		Column tracker.Column
		Member string
	}
	// Contains holds of issues whose text in a column contains a text, both folded. An empty text is
	// contained in every text.
	Contains struct {
		Column tracker.Column
		Folded string
	}
	// Not is the opposite of a Has or a Contains.
	Not struct{ Condition atom }
	// And holds where all do. An empty And always holds.
	And []Condition
	// Or holds where any does. An empty Or never holds.
	Or []Condition
)

func (c In) negated() Condition       { return In{c.Column, c.Values.Not()} }
func (c Has) negated() Condition      { return Not{c} }
func (c Contains) negated() Condition { return Not{c} }
func (c Not) negated() Condition      { return c.Condition }

func (c Has) column() tracker.Column      { return c.Column }
func (c Contains) column() tracker.Column { return c.Column }

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

// Opposite is the exact complement of a condition.
func Opposite(c Condition) Condition { return c.negated() }

// Columns lists the columns that a condition looks at, each once. Nil looks at none.
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
