package filter

import (
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// MaxNeedleBytes is the maximum length of an encoded text operand, in bytes. It is less than the length at
// which sortkey.Text truncates. Therefore a truncated text never equals an operand, and a prefix to search
// for is never longer than the indexed text.
const MaxNeedleBytes = 900

// Operand is an encoded value to compare the values of a column with. The functions below return operands in
// the encoding that the index uses for the column. Their errors are BadInput without a path.
type Operand = sortkey.Value

// Num returns the operand for an issue number.
func Num(n int64) Operand { return sortkey.Num(n) }

// State returns the operand for a state of the project.
func State(p *tracker.Project, id tracker.OptionID) (Operand, error) {
	rank, ok := p.StateRank(id)
	if !ok {
		return nil, tracker.Bad("", "the project has no state with the id %q", id)
	}
	return sortkey.Rank(rank), nil
}

// Time returns the operand for an instant in canonical form, for the built-in columns.
func Time(datetime string) (Operand, error) {
	return Value(&tracker.Field{Type: tracker.TypeDateTime}, tracker.Text(datetime))
}

// Value returns the operand for a value of a sortable field. It fails if the field cannot have the value. For
// texts and users, use Operands.Text.
func Value(f *tracker.Field, v tracker.Value) (Operand, error) {
	if v.Kind == tracker.KindNone {
		return nil, tracker.Bad("", "an empty string cannot be compared with")
	}
	if err := f.Check(v); err != nil {
		return nil, err
	}
	return columns.SortValue(f, v), nil
}
