package filter

import (
	"issuegrid/columns"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// MaxNeedleBytes is the greatest length of an encoded text operand. It is less than what sortkey.Text cuts
// at, so that a text which was cut there never equals an operand, and the beginning that is asked for is
// never longer than what the index has.
const MaxNeedleBytes = 900

// Operand is an encoded value that those of a column are compared with. The functions below make operands, in
// the encoding that the index has of the column, and refuse what cannot be one: their errors are BadInput
// without a path.
type Operand = sortkey.Value

// Num is an issue's number.
func Num(n int64) Operand { return sortkey.Num(n) }

// State is a state of the project by its id.
func State(p *tracker.Project, id tracker.OptionID) (Operand, error) {
	rank, ok := p.StateRank(id)
	if !ok {
		return nil, tracker.Bad("", "the project has no state with the id %q", id)
	}
	return sortkey.Rank(rank), nil
}

// Time is an instant in canonical form, for the built-in columns.
func Time(datetime string) (Operand, error) {
	return Value(&tracker.Field{Type: tracker.TypeDateTime}, tracker.Text(datetime))
}

// Value is a value of a sortable field, which must be one that the field can have. For texts and users there
// is Operands.Text.
func Value(f *tracker.Field, v tracker.Value) (Operand, error) {
	if v.Kind == tracker.KindNone {
		return nil, tracker.Bad("", "an empty string cannot be compared with")
	}
	if err := f.Check(v); err != nil {
		return nil, err
	}
	return columns.SortValue(f, v), nil
}
