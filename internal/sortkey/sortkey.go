// Package sortkey makes the sort strings of the index: byte strings that sort in the order of the values and
// numbers they encode. Text, Int, Float, Date, Time, Bool and Rank encode a value. Join appends the issue's
// number, which makes the sort string unique in its partition.
//
// Every encoding has the property compare(a, b) == bytes.Compare(enc(a), enc(b)), where the function's
// comment states the order. The package does no I/O.
//
// The encodings are those of github.com/google/orderedcode. They are self-delimiting, so that a value
// followed by a number sorts as the pair.
package sortkey

import (
	"bytes"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/google/orderedcode"

	"issuegrid/internal/fold"
)

// MaxBytes is the maximum length of a sort string: DynamoDB's limit for a sort key.
const MaxBytes = 1024

// maxText leaves space for a number or an id after an encoded string.
const maxText = 960

// Value is an encoded value, without a number after it.
type Value []byte

// Kind is the encoding of a sort value. Encodings are not self-describing.
type Kind uint8

// The kinds of encodings.
const (
	KindText  Kind = iota // Text
	KindInt               // Int, Date, Time, Bool, Rank
	KindFloat             // Float
	KindIntID             // an Int and WithID
)

// Text encodes a string in the order of fold.String(s), compared byte by byte. It encodes the longest prefix
// of fold.String(s) whose encoding has at most 960 bytes; strings with the same such prefix have the same
// encoding. The encoding is not reversible. Text folds no more of s than it needs.
func Text(s string) Value { return FoldedText(foldedStart(s)) }

// MaxFolded is the number of bytes of a folded string that its encoding can depend on.
const MaxFolded = maxText - len(terminator) + 1

// Start returns a folded string of about 1,000 bytes that has the same encoding as s: Text(Start(s)) equals
// Text(s).
func Start(s string) string {
	if len(s) <= MaxFolded {
		return s
	}
	folded, whole := start(s, MaxFolded+utf8.UTFMax)
	if !whole { // the result may end within a character
		for n := len(folded); n > MaxFolded; n-- {
			if r, size := utf8.DecodeLastRune(folded[:n]); r != utf8.RuneError || size != 1 {
				return string(folded[:n])
			}
		}
	}
	return string(folded)
}

// startChunk is the number of bytes that start folds at a time.
const startChunk = 256

// start returns at least the first n bytes of the folded form of s, or all of it.
func start(s string, n int) (folded []byte, whole bool) {
	var f fold.Folder
	f.Reset(s)
	folded = make([]byte, 0, 2*MaxFolded)
	for !f.Done() && len(folded) < n {
		folded, _ = f.Append(folded, startChunk)
	}
	return folded, f.Done()
}

// FoldedText returns Text(s), where folded is fold.String(s) or at least the first MaxFolded bytes of it.
func FoldedText(folded string) Value { return mustAppend(nil, cut(folded)) }

// Least returns the least encoded text that begins with the bytes of prefix, which need not be a text.
func Least(prefix []byte) Value { return append(bytes.Clone(prefix), terminator...) }

// FoldedPrefix returns the common prefix of the sort strings of all strings that begin with s, where folded
// is fold.String(s).
func FoldedPrefix(folded string) Value {
	v := FoldedText(folded)
	return v[:len(v)-len(terminator)]
}

// foldedStart returns the part of fold.String(s) that encodings depend on.
func foldedStart(s string) string {
	if n := fold.Plain(s[:min(len(s), MaxFolded)]); n == len(s) || n == MaxFolded {
		return s[:n]
	}
	folded, _ := start(s, MaxFolded)
	return string(folded[:min(len(folded), MaxFolded)])
}

// terminator ends every encoded string. It is less than any bytes that a longer string can have in its
// position.
const terminator = "\x00\x01"

// cut returns the prefix of s whose encoding has at most maxText bytes. It cuts between bytes, not
// characters: if a character does not fit, its first bytes remain, so that the string still sorts after one
// with a smaller character there.
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

// Int encodes an integer. The encoding is reversible.
func Int(i int64) Value { return mustAppend(nil, i) }

// Float encodes a finite number; -0 is encoded as 0. The encoding is reversible. Float panics if f is NaN or
// infinite.
func Float(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		panic("sortkey: not a finite number")
	}
	return mustAppend(nil, f)
}

// Date encodes a calendar date as days since 1970-01-01. It ignores the time of day and the zone of t.
func Date(t time.Time) Value {
	y, m, d := t.Date()
	return Int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Time encodes an instant as microseconds since 1970-01-01T00:00:00Z.
func Time(t time.Time) Value { return Int(t.UnixMicro()) }

// Bool encodes a Boolean; false is less than true.
func Bool(b bool) Value {
	if b {
		return Int(1)
	}
	return Int(0)
}

// Rank encodes the position of an option in its field.
func Rank(i int) Value { return Int(int64(i)) }

// Num returns the sort string of a row in a list ordered by issue number.
func Num(num int64) []byte { return mustAppend(nil, num) }

// Join returns the sort string of a row in a list ordered by a column, and by issue number among equal
// values.
func Join(v Value, num int64) []byte {
	return mustAppend(bytes.Clone(v), num)
}

// emptyMark is greater than every encoded value.
const emptyMark = "\xff\xff"

// Empties returns the prefix of the sort strings of all rows without a value. It sorts after every value.
func Empties() Value { return Value(emptyMark) }

// Empty returns the sort string of a row without a value in a list ordered by a column.
func Empty(num int64) []byte { return Join(Empties(), num) }

// IsEmpty reports whether a sort string is that of a row without a value.
func IsEmpty(ss []byte) bool { return bytes.HasPrefix(ss, []byte(emptyMark)) }

// Name returns the sort string of an item in a list ordered by name, and by id among equal names.
func Name(name, id string) []byte { return WithID(Text(name), id) }

// WithID returns the sort string of a value and an id.
func WithID(v Value, id string) []byte { return mustAppend(v, id) }

// After returns the smallest byte string greater than ss. As a lower bound it excludes ss, and as an upper
// bound it includes ss. The result shares no memory with ss.
func After(ss []byte) []byte {
	next := make([]byte, len(ss)+1)
	copy(next, ss)
	return next
}

// Split splits a sort string made by Join. It returns an error for any other bytes.
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

// ParseNum returns the number of a sort string made by Num.
func ParseNum(ss []byte) (int64, error) {
	var num int64
	rest, err := orderedcode.Parse(string(ss), &num)
	if err != nil || rest != "" || !bytes.Equal(ss, Num(num)) {
		return 0, fmt.Errorf("sortkey: %x is not a number", ss)
	}
	return num, nil
}

// Valid reports whether v can be an encoding made by this package for a column of this kind.
func Valid(kind Kind, v Value) bool {
	rest, err := parseValue(kind, v)
	return err == nil && len(rest) == 0 && len(v) <= maxText
}

// parseValue returns what follows the value in ss. It rejects any value that is not encoded exactly as this
// package does.
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
	case KindIntID:
		var i int64
		var id string
		if rest, err = orderedcode.Parse(string(ss), &i, &id); err == nil {
			again = WithID(Int(i), id)
		}
	case KindFloat:
		var f float64
		if rest, err = orderedcode.Parse(string(ss), &f); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			again = Float(f)
		}
	}
	if err != nil || again == nil || !bytes.Equal(again, ss[:len(ss)-len(rest)]) {
		return nil, fmt.Errorf("sortkey: %x does not begin with an encoded value", ss)
	}
	return ss[len(ss)-len(rest):], nil
}

// Decode returns the folded string, int64 or float64 that v encodes. It returns false if v is not an encoding
// of this kind.
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

// FoldedOf returns the folded string that a value of KindText encodes. whole reports whether that is all of
// the string, and not its beginning.
func FoldedOf(v Value) (folded string, whole bool) {
	rest, err := orderedcode.Parse(string(v), &folded)
	return folded, err == nil && rest == "" && len(v) <= maxText-2
}

// Share estimates the fraction of the sort strings of a column with from <= v < to. It assumes that values
// are evenly spread between least and greatest, the first and last sort strings of the column. An empty from
// or to is no bound. Strings are compared by the first bytes after the common prefix of least and greatest.
func Share(kind Kind, least, greatest, from, to []byte) float64 {
	position := func(v []byte, otherwise float64) float64 {
		if len(v) == 0 {
			return otherwise
		}
		a, z, x := measure(kind, least, least, greatest), measure(kind, greatest, least, greatest),
			measure(kind, v, least, greatest)
		if bytes.Compare(v, least) <= 0 {
			return 0
		}
		if bytes.Compare(v, greatest) >= 0 || z <= a {
			return 1
		}
		return min(max((x-a)/(z-a), 0), 1)
	}
	return max(0, position(to, 1)-position(from, 0))
}

// measure maps an encoded value, or a bound between two of them, to a number that grows with it.
func measure(kind Kind, v, least, greatest []byte) float64 {
	if kind != KindText {
		if x, ok := number(kind, v); ok {
			return x
		}
		// A bound that is not an encoding is the successor of all byte strings with some prefix. Its measure
		// is that of the greatest encoding with this prefix, plus one for integers.
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
	common := 0
	for common < len(least) && common < len(greatest) && least[common] == greatest[common] {
		common++
	}
	x, unit := 0.0, 1.0
	for i := common; i < min(len(v), common+6); i++ {
		unit /= 256
		x += float64(v[i]) * unit
	}
	return x
}

// number decodes the integer or floating-point number that v begins with.
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
		panic(err) // only types other than string, int64 and float64 fail
	}
	return b
}
