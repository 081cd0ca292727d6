// Package sortkey makes the sort strings of the index: bytes whose order is the order of the values and numbers that
// they encode. Start with Text, Int, Float, Date, Time, Bool and Rank, which encode a value, and Join, which adds the issue's
// number and so makes the sort string unique in its partition.
//
// The law of every encoding, tested as a property: compare(a, b) == bytes.Compare(enc(a), enc(b)), with the compare
// that the function's comment states. The package is pure: it does no I/O and imports nothing of this module.
//
// The encodings are those of github.com/google/orderedcode: composite and self-delimiting, so that a value followed by a number
// orders like the pair.
package sortkey

import (
	"bytes"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/google/orderedcode"
)

// MaxBytes is the greatest length of a sort string, because DynamoDB takes no longer sort key.
const MaxBytes = 1024

// maxText leaves room for a number or an id behind a text.
const maxText = 960

// Value is the encoding of a value, without the number behind it.
type Value []byte

// Kind says which encoding a sort value has; the encodings are not self-describing.
type Kind uint8

// The kinds of encodings.
const (
	KindText  Kind = iota // Text
	KindInt               // Int, Date, Time, Bool, Rank
	KindFloat             // Float
)

// Text encodes a text in the order of Fold(s), compared byte by byte over the longest start of it that needs no more than
// 960 bytes of encoding. Texts that agree so far are equal. Not reversible. It folds no more of s than it needs.
func Text(s string) Value { return FoldedText(foldedStart(s)) }

// MaxFolded is how many bytes of a folded text its encoding can depend on.
const MaxFolded = maxText - len(terminator) + 1

// Start returns a folded text of about a thousand bytes that stands for s in its order, whatever the length of s: Text(Start(s)) is Text(s).
func Start(s string) string {
	if len(s) <= MaxFolded {
		return s
	}
	f := Folder{text: s}
	folded := f.start(MaxFolded + utf8.UTFMax)
	if !f.Done() { // which may have ended within a character
		for n := len(folded); n > MaxFolded; n-- {
			if r, size := utf8.DecodeLastRune(folded[:n]); r != utf8.RuneError || size != 1 {
				return string(folded[:n])
			}
		}
	}
	return string(folded)
}

// startPiece is how many bytes are folded at a time where few are needed.
const startPiece = 256

// start returns what the text folds to, at least the first n bytes of it.
func (f *Folder) start(n int) []byte {
	folded := make([]byte, 0, 2*MaxFolded)
	for !f.Done() && len(folded) < n {
		folded, _ = f.Append(folded, startPiece)
	}
	return folded
}

// FoldedText is Text of a text of which folded is what Fold makes, or at least the first MaxFolded bytes of that.
func FoldedText(folded string) Value { return mustAppend(nil, cut(folded)) }

// FoldedPrefix encodes the start that all texts beginning with such a text share: their sort strings begin with it.
func FoldedPrefix(folded string) Value {
	v := FoldedText(folded)
	return v[:len(v)-len(terminator)]
}

// foldedStart folds as much of a text as encodings depend on.
func foldedStart(s string) string {
	if n := foldedPrefix(s[:min(len(s), MaxFolded)], 0); n == len(s) || n == MaxFolded {
		return s[:n]
	}
	f := Folder{text: s}
	folded := f.start(MaxFolded)
	return string(folded[:min(len(folded), MaxFolded)])
}

// terminator ends every encoded string, and is smaller than anything that a longer string has in its place.
const terminator = "\x00\x01"

// cut shortens s to what encodes in maxText bytes. It cuts between bytes, not characters: a longer character that no
// longer fits must leave its first bytes, or a text with a smaller character in that place would overtake it.
func cut(s string) string {
	if 2*len(s)+len(terminator) <= maxText {
		return s
	}
	n := len(terminator)
	for i := range len(s) {
		n++
		if s[i] == 0x00 || s[i] == 0xff {
			n++ // orderedcode escapes these with a second byte
		}
		if n > maxText {
			return s[:i]
		}
	}
	return s
}

// Int encodes an integer in its order. Reversible.
func Int(i int64) Value { return mustAppend(nil, i) }

// Float encodes a finite number in its order; -0 is 0. Reversible. NaN and infinities have no place in an order of numbers and
// must be refused before: Float panics.
func Float(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		panic("sortkey: not a finite number")
	}
	if f == 0 {
		f = 0 // one zero
	}
	return mustAppend(nil, f)
}

// Date encodes a calendar date in its order, as days since 1970-01-01. The time of day and the zone of t are ignored.
func Date(t time.Time) Value {
	y, m, d := t.Date()
	return Int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Time encodes an instant in its order, to the microsecond, as microseconds since 1970-01-01T00:00:00Z.
func Time(t time.Time) Value { return Int(t.UnixMicro()) }

// Bool encodes false before true.
func Bool(b bool) Value {
	if b {
		return Int(1)
	}
	return Int(0)
}

// Rank encodes the place of an option in its field's order.
func Rank(i int) Value { return Int(int64(i)) }

// Num is the sort string of a row in the order of the issue numbers.
func Num(num int64) []byte { return mustAppend(nil, num) }

// Join makes the sort string of a row in the order of a column: first the value, ties by the number.
func Join(v Value, num int64) []byte {
	return mustAppend(bytes.Clone(v), num)
}

// Name makes the sort string of something that is listed by name, ties by id.
func Name(name, id string) []byte { return mustAppend(Text(name), id) }

// After returns the first of all byte strings after ss: the bound that excludes ss, or includes it as an
// upper one. It shares no memory with ss.
func After(ss []byte) []byte {
	next := make([]byte, len(ss)+1)
	copy(next, ss)
	return next
}

// Split takes a sort string made by Join apart. It fails for bytes that Join cannot have made.
func Split(kind Kind, ss []byte) (Value, int64, error) {
	rest, err := parseValue(kind, ss)
	if err != nil {
		return nil, 0, err
	}
	num, err := ParseNum(rest)
	if err != nil {
		return nil, 0, err
	}
	return Value(ss[:len(ss)-len(rest)]), num, nil
}

// ParseNum reads the number of a sort string made by Num.
func ParseNum(ss []byte) (int64, error) {
	var num int64
	rest, err := orderedcode.Parse(string(ss), &num)
	if err != nil || rest != "" || !bytes.Equal(ss, Num(num)) {
		return 0, fmt.Errorf("sortkey: %x is not a number", ss)
	}
	return num, nil
}

// Valid tells whether v is an encoding that this package can have made for a column of this kind.
func Valid(kind Kind, v Value) bool {
	rest, err := parseValue(kind, v)
	return err == nil && len(rest) == 0 && len(v) <= maxText
}

// parseValue returns what follows the value in ss, and refuses every form but the one that encoding makes.
func parseValue(kind Kind, ss []byte) ([]byte, error) {
	var (
		rest  string
		err   error
		again Value
	)
	switch kind {
	case KindText:
		var s string
		if rest, err = orderedcode.Parse(string(ss), &s); err == nil {
			again = mustAppend(nil, s)
		}
	case KindInt:
		var i int64
		if rest, err = orderedcode.Parse(string(ss), &i); err == nil {
			again = Int(i)
		}
	case KindFloat:
		var f float64
		if rest, err = orderedcode.Parse(string(ss), &f); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			again = Float(f)
		}
	}
	if err != nil || again == nil || !bytes.Equal(again, ss[:len(ss)-len(rest)]) {
		return nil, fmt.Errorf("sortkey: %x does not begin with a sort value", ss)
	}
	return ss[len(ss)-len(rest):], nil
}

// Decode reads an encoded value back: the folded text, an int64, or a float64. False if v is not an encoding of this kind.
func Decode(kind Kind, v []byte) (any, bool) {
	if !Valid(kind, v) {
		return nil, false
	}
	switch kind {
	case KindText:
		var s string
		_, err := orderedcode.Parse(string(v), &s)
		return s, err == nil
	case KindFloat:
		var f float64
		_, err := orderedcode.Parse(string(v), &f)
		return f, err == nil
	}
	var i int64
	_, err := orderedcode.Parse(string(v), &i)
	return i, err == nil
}

// Share estimates how much of what lies between two sort strings of a column, least and greatest, is within From <= v < To, as if values were
// spread evenly; empty bounds are none. Texts are compared by their first bytes behind what least and greatest have in common.
func Share(kind Kind, least, greatest, from, to []byte) float64 {
	place := func(v []byte, otherwise float64) float64 {
		if len(v) == 0 {
			return otherwise
		}
		a, z, x := measure(kind, least, least, greatest), measure(kind, greatest, least, greatest), measure(kind, v, least, greatest)
		if bytes.Compare(v, least) <= 0 {
			return 0
		}
		if bytes.Compare(v, greatest) >= 0 || z <= a {
			return 1
		}
		return min(max((x-a)/(z-a), 0), 1)
	}
	return max(0, place(to, 1)-place(from, 0))
}

// measure is a number that grows with an encoded value, or with a bound between two.
func measure(kind Kind, v, least, greatest []byte) float64 {
	if kind != KindText {
		if x, ok := number(kind, v); ok {
			return x
		}
		// A bound between encodings is the first byte string behind all that begin with some bytes: it is the greatest of them, and of integers one more.
		step := 0.0
		if kind == KindInt {
			step = 1
		}
		if n := len(v); n > 0 && v[n-1] > 0 {
			last := bytes.Clone(v)
			last[n-1]--
			for range 10 {
				if x, ok := number(kind, last); ok {
					return x + step
				}
				last = append(last, 0xff)
			}
		}
	}
	same := 0
	for same < len(least) && same < len(greatest) && least[same] == greatest[same] {
		same++
	}
	x, unit := 0.0, 1.0
	for i := same; i < min(len(v), same+6); i++ {
		unit /= 256
		x += float64(v[i]) * unit
	}
	return x
}

// number decodes the integer or number that v begins with.
func number(kind Kind, v []byte) (float64, bool) {
	rest, err := parseValue(kind, v)
	if err != nil {
		return 0, false
	}
	switch x, _ := Decode(kind, v[:len(v)-len(rest)]); x := x.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func mustAppend(b []byte, item any) []byte {
	b, err := orderedcode.Append(b, item)
	if err != nil {
		panic(err) // only items of other types than string, int64 and float64 fail
	}
	return b
}
