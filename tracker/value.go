package tracker

import (
	"crypto/sha256"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the stored representation of a value, independent of its field's type.
type Kind uint8

// The kinds of stored values.
const (
	KindNone Kind = iota // no value
	KindText             // TEXT, LONG_TEXT, USER, DATE, DATETIME (canonical form), SELECT (the option's id)
	KindNum              // INTEGER, NUMBER, as a decimal literal
	KindBool             // BOOLEAN
	KindSet              // MULTI_SELECT (option ids), TAGS
	KindLong             // a TEXT or LONG_TEXT of more than MaxInlineText bytes, held outside the document
)

// Value is an issue's value of one custom field. The zero Value is no value. Use the accessors that match the
// field's type. They do not fail, because a value is checked when it is made.
type Value struct {
	Kind Kind
	text string
	// data of a set, a long text or a user; a pointer because a page has a thousand values and most need none
	more *more
}

type more struct {
	set  []string
	long Long
	user UserID
}

// Long locates the bytes of a long text, stored in Parts immutable items of the table. A different text has a
// different ID.
type Long struct {
	// ID identifies the text among all texts that the column of the issue ever had. It begins with a hash of
	// the text.
	ID    string
	Bytes int // length of the text
	Parts int // number of items
	// Excerpt is the beginning of the text; see Excerpt. It is empty if an earlier version of the product
	// stored the text.
	Excerpt string
}

// Excerpt returns the beginning of a text without leading white space: at most MaxInlineText bytes, cut
// between characters. Only that of an empty text is empty: white space stays if there is nothing else.
func Excerpt(text string) string {
	if trimmed := strings.TrimLeftFunc(text, unicode.IsSpace); trimmed != "" {
		text = trimmed
	}
	if len(text) <= MaxInlineText {
		return text
	}
	end := MaxInlineText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// longSum is the number of characters of the hash in an ID. They encode 128 bits.
const longSum = 26

// NewLongID returns the ID of a text. once distinguishes repeated writes of the same text; at most its first
// 6 characters are used.
func NewLongID(text, once string) string {
	sum := sha256.Sum256([]byte(text))
	return idEncoding.EncodeToString(sum[:16]) + once[:min(len(once), MaxID-longSum)]
}

// Holds reports whether text is the text that l refers to.
func (l Long) Holds(text string) bool {
	return l.Bytes == len(text) && len(l.ID) >= longSum && l.ID[:longSum] == NewLongID(text, "")
}

// LongRef identifies a long text by its issue, its column, and the reference in the issue's document.
type LongRef struct {
	Issue  IssueID
	Column Column
	Long   Long
}

// Text returns the value of a text, of a user, of a date or a datetime in canonical form, or of a select
// option's id. The empty string is no value.
func Text(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{Kind: KindText, text: s}
}

// UserValue returns the value of a USER field that refers to a user: the user's name, by which it is sorted,
// and the user's id. A value of Text is a name that refers to no user.
func UserValue(name string, id UserID) Value {
	return Value{Kind: KindText, text: name, more: &more{user: id}}
}

// Int returns an integer value.
func Int(i int64) Value { return Value{Kind: KindNum, text: strconv.FormatInt(i, 10)} }

// Float returns a number value. f must be finite; -0 becomes 0. Its literal has an exponent only where
// JavaScript writes one: from 1e21, and below 1e-6.
func Float(f float64) Value {
	if f == 0 {
		f = 0 // -0 would print as "-0"
	}
	format := byte('f')
	if size := math.Abs(f); f != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'g'
	}
	return Value{Kind: KindNum, text: strconv.FormatFloat(f, format, -1, 64)}
}

// NumLiteral returns a number or an integer value from its stored literal.
func NumLiteral(s string) Value { return Value{Kind: KindNum, text: s} }

// Bool returns a boolean value.
func Bool(b bool) Value { return Value{Kind: KindBool, text: strconv.FormatBool(b)} }

// Set returns the value of a multi-select or of tags. An empty set is no value.
func Set(items []string) Value {
	if len(items) == 0 {
		return Value{}
	}
	return Value{Kind: KindSet, more: &more{set: items}}
}

// LongText returns a value that refers to a long text.
func LongText(l Long) Value { return Value{Kind: KindLong, more: &more{long: l}} }

// Text returns the text, date, datetime, user, or option id. It is empty for a long text.
func (v Value) Text() string { return v.text }

// Literal returns the decimal literal of an integer or a number.
func (v Value) Literal() string { return v.text }

// Int returns the integer.
func (v Value) Int() int64 {
	i, _ := strconv.ParseInt(v.text, 10, 64)
	return i
}

// Float returns the number.
func (v Value) Float() float64 {
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// Bool returns the boolean.
func (v Value) Bool() bool { return v.text == "true" }

// Set returns the option ids or tags. The caller must not change the slice.
func (v Value) Set() []string {
	if v.more == nil {
		return nil
	}
	return v.more.set
}

// User returns the user that a value of a USER field refers to, and "" if it is only a name.
func (v Value) User() UserID {
	if v.more == nil {
		return ""
	}
	return v.more.user
}

// Long returns the reference to a long text.
func (v Value) Long() Long {
	if v.more == nil {
		return Long{}
	}
	return v.more.long
}

// Equal reports whether two values are equal. It compares sets in their order and long texts by their
// reference.
func (v Value) Equal(w Value) bool {
	return v.Kind == w.Kind && v.text == w.text && v.Long() == w.Long() && v.User() == w.User() &&
		slices.Equal(v.Set(), w.Set())
}
