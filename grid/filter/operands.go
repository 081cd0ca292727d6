package filter

import (
	"unicode/utf8"

	"issuegrid/dynamo"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// MaxNeedleBytes is the greatest length of an encoded text operand. It is less than what sortkey.Text cuts at, so that a text which was cut
// there never equals an operand, and the beginning that is asked for is never longer than what the index has.
const MaxNeedleBytes = 900

// Operand is an encoded value that those of a column are compared with. The functions below make operands, in the encoding that the index
// has of the column, and refuse what cannot be one: their errors are BadInput without a path.
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

// Value is a value of a sortable field, which must be one that the field can have. For texts and users there is Text.
func Value(f *tracker.Field, v tracker.Value) (Operand, error) {
	if v.Kind == tracker.KindNone {
		return nil, tracker.Bad("", "an empty text is no value to compare with")
	}
	if err := f.Check(v); err != nil {
		return nil, err
	}
	return dynamo.SortValue(f, v), nil
}

// Text is a text of 1 to MaxNeedle characters and at most MaxNeedleBytes.
func Text(s string) (Operand, error) {
	v := sortkey.Text(s)
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return nil, tracker.Bad("", "a text to compare with must not be empty; it has 1 to %d characters", MaxNeedle)
	case n > MaxNeedle:
		return nil, tracker.Bad("", "the text has %d characters; the limit is %d", n, MaxNeedle)
	case !utf8.ValidString(s):
		return nil, tracker.Bad("", "the text is not valid UTF-8")
	case len(v) > MaxNeedleBytes:
		return nil, tracker.Bad("", "the text has too many bytes in the form in which it is compared; the limit is %d", MaxNeedleBytes)
	}
	return v, nil
}

// TextStartsWith is the condition that the text in a column begins with one that Text takes.
func TextStartsWith(c tracker.Column, s string) (Condition, error) {
	if _, err := Text(s); err != nil {
		return nil, err
	}
	return In{c, StartsWith(s)}, nil
}

// TextContains is the condition that the text in a column contains one that Text takes. One of nothing but marks is in every text.
func TextContains(c tracker.Column, s string) (Condition, error) {
	if _, err := Text(s); err != nil {
		return nil, err
	}
	folded := sortkey.Fold(s)
	if folded == "" {
		return In{c, Any()}, nil
	}
	return Contains{c, folded}, nil
}

// HasMember is the condition that the set of a field has a member, which must be one that the field can have: the id of an option, or a tag.
func HasMember(f *tracker.Field, member string) (Condition, error) {
	if err := f.Check(tracker.Set([]string{member})); err != nil {
		return nil, err
	}
	if f.Type == tracker.TypeTags {
		member = dynamo.FoldTag(member)
	}
	return Has{f.ID.Column(), member}, nil
}
