package filter

import (
	"sync"
	"unicode/utf8"

	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Operands makes the string operands of one operation, and counts its comparisons. The zero Operands is ready
// to use. It is safe for concurrent use. Errors are BadInput without a path.
//
// Its law of cost: a string is not folded if its length alone makes it invalid, or if it would exceed the
// limits of the operation. Each distinct string is folded once, and only up to MaxNeedleBytes.
type Operands struct {
	mu    sync.Mutex
	terms int
	bytes int
	texts map[string]text
	tags  map[string]string // folded, by tag
}

// text is the folded form of a string, or the reason why the string cannot be an operand.
type text struct {
	folded string
	err    error
}

// Restart sets the counts to zero, for an operation that is executed again.
func (o *Operands) Restart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.terms, o.bytes = 0, 0
}

// Count adds comparisons, and fails if the operation then has too many.
func (o *Operands) Count(terms int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.terms += terms; o.terms > MaxOperationTerms {
		return tracker.Bad("", "with this the operation has %d comparisons in its filters and cursors; the "+
			"limit is %d: send some of its fields in separate operations",
			o.terms, MaxOperationTerms)
	}
	return nil
}

// use adds the bytes of an operand, and fails if the operation then has too many. The caller holds mu.
func (o *Operands) use(s string) error {
	if o.bytes += len(s); o.bytes > MaxOperandBytes {
		return tracker.Bad("", "with this the operation compares with strings of %d bytes; the limit is "+
			"%d: send some of its fields in separate operations",
			o.bytes, MaxOperandBytes)
	}
	return nil
}

// Exceeded reports whether the operation has exceeded a limit.
func (o *Operands) Exceeded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.terms > MaxOperationTerms || o.bytes > MaxOperandBytes
}

// fold returns the folded form of s. It fails unless s has 1 to MaxNeedle characters and an encoding of at
// most MaxNeedleBytes.
func (o *Operands) fold(s string) (string, error) {
	if len(s) > utf8.UTFMax*MaxNeedle {
		return "", tracker.Bad("", "the string has %d bytes; the limit is %d characters", len(s), MaxNeedle)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.use(s); err != nil {
		return "", err
	}
	known, ok := o.texts[s]
	if !ok {
		known.folded, known.err = foldOperand(s)
		if o.texts == nil {
			o.texts = map[string]text{}
		}
		o.texts[s] = known
	}
	return known.folded, known.err
}

func foldOperand(s string) (string, error) {
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return "", tracker.Bad("", "a string to compare with must not be empty; it has 1 to %d characters",
			MaxNeedle)
	case n > MaxNeedle:
		return "", tracker.Bad("", "the string has %d characters; the limit is %d", n, MaxNeedle)
	case !utf8.ValidString(s):
		return "", tracker.Bad("", "the string is not valid UTF-8")
	}
	var f fold.Folder
	f.Reset(s)
	folded := make([]byte, 0, 2*len(s))
	for !f.Done() && len(folded) <= MaxNeedleBytes {
		folded, _ = f.Append(folded, 64)
	}
	out := string(folded)
	if len(folded) > MaxNeedleBytes || len(sortkey.FoldedText(out)) > MaxNeedleBytes {
		return "", tracker.Bad("", "the string has too many bytes in the form in which it is compared; the "+
			"limit is %d", MaxNeedleBytes)
	}
	return out, nil
}

// Text returns the operand for a string of 1 to MaxNeedle characters whose encoding has at most
// MaxNeedleBytes.
func (o *Operands) Text(s string) (Operand, error) {
	folded, err := o.fold(s)
	if err != nil {
		return nil, err
	}
	return sortkey.FoldedText(folded), nil
}

// StartsWith returns the condition that the text in a column begins with s, which must be valid for Text.
func (o *Operands) StartsWith(c tracker.Column, s string) (Condition, error) {
	folded, err := o.fold(s)
	if err != nil {
		return nil, err
	}
	return In{c, StartsWith(folded)}, nil
}

// Prefix returns the range of sort strings of names that begin with s, which must be valid for Text.
func (o *Operands) Prefix(s string) (from, to []byte, err error) {
	folded, err := o.fold(s)
	if err != nil {
		return nil, nil, err
	}
	from = sortkey.FoldedPrefix(folded)
	return from, after(from), nil
}

// Contains returns the condition that the text in a column contains s, which must be valid for Text. Every
// text contains an s that consists only of accents.
func (o *Operands) Contains(c tracker.Column, s string) (Condition, error) {
	folded, err := o.fold(s)
	switch {
	case err != nil:
		return nil, err
	case folded == "":
		return In{c, Any()}, nil
	}
	return Contains{c, folded}, nil
}

// Is returns the condition that the text in a column is identical to s, which must be valid for Text. It
// implies that the text equals s, which the index can decide.
func (o *Operands) Is(c tracker.Column, s string) (Condition, error) {
	v, err := o.Text(s)
	if err != nil {
		return nil, err
	}
	return And{Is{c, s}, In{c, Equal(v)}}, nil
}

// HasMember returns the condition that the set of a field contains member, which must be valid for the field:
// the id of an option, or a tag.
func (o *Operands) HasMember(f *tracker.Field, member string) (Condition, error) {
	if all := tracker.AllOf(f.Check(tracker.Set([]string{member}))); len(all) > 0 {
		return nil, tracker.Bad("", "%s", all[0].Message)
	}
	if !columns.Folds(f.Type) {
		return Has{f.ID.Column(), member}, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.use(member); err != nil {
		return nil, err
	}
	folded, ok := o.tags[member]
	if !ok {
		folded = columns.FoldTag(member)
		if o.tags == nil {
			o.tags = map[string]string{}
		}
		o.tags[member] = folded
	}
	return Has{f.ID.Column(), folded}, nil
}
