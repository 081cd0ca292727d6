package decode

import (
	"fmt"

	"github.com/aws/smithy-go"
)

// decoder decodes the JSON of one response. Its laws:
//
//   - Invalid JSON (RFC 8259) in any member is an error. A truncated body yields nothing.
//   - JSON has the same meaning as for the SDK.
//   - No result refers to data: strings and bytes are copied.
//   - check is called at least once per CheckBytes of data and once per checkValues members of objects and
//     arrays. Its error is returned unchanged.
//   - The stack is limited by MaxNesting, and the time is linear.
//
// The first error ends the decoding: from then on, methods read nothing and their results are meaningless.
type decoder struct {
	data  []byte
	pos   int
	check Check
	err   error
	// unwanted is what check has reported; the remaining items are then skipped.
	unwanted bool

	nextCheck int // position of the next call of check
	values    int // since check was called
	nesting   int

	unescaped []byte            // last string with escapes
	names     map[string]string // attribute names, which repeat in every item
	// Stacks of the elements of the maps and lists being decoded, so that each map and list is allocated
	// once, with its final size.
	entries  []namedValue
	elements []attribute
	strings  []string
	blobs    [][]byte
}

const (
	// CheckBytes and checkValues are after how many bytes and members Check is called.
	CheckBytes  = 64 << 10
	checkValues = 1000
	// MaxNesting limits the nesting of objects and arrays. DynamoDB nests values at most 32 levels deep, and
	// each is two objects.
	MaxNesting = 200
)

// fail ends the decoding with an error.
func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.pos = len(d.data)
}

// malformed ends the decoding because the data is not JSON or not a response.
func (d *decoder) malformed(what string) {
	d.fail(&smithy.DeserializationError{Err: fmt.Errorf("%s at byte %d of %d", what, d.pos, len(d.data))})
}

// tick counts a member of an object or array.
func (d *decoder) tick() {
	if d.values++; d.values >= checkValues || d.pos >= d.nextCheck {
		d.checkNow()
	}
}

func (d *decoder) checkNow() {
	d.values, d.nextCheck = 0, d.pos+CheckBytes
	if d.err == nil {
		unwanted, err := d.check()
		d.unwanted = d.unwanted || unwanted
		if err != nil {
			d.fail(err)
		}
	}
}

// peek skips white space and returns the next byte without reading it. At the end it returns 0, which is not
// valid in JSON.
func (d *decoder) peek() byte {
	for ; d.pos < len(d.data); d.pos++ {
		switch c := d.data[d.pos]; c {
		case ' ', '\t', '\n', '\r':
			if d.pos >= d.nextCheck {
				if d.checkNow(); d.err != nil {
					return 0
				}
			}
		default:
			return c
		}
	}
	return 0
}

// enter begins an object or an array.
func (d *decoder) enter(open byte) {
	if d.peek() != open {
		d.malformed("expected '" + string(open) + "'")
		return
	}
	d.pos++
	if d.nesting++; d.nesting > MaxNesting {
		d.malformed("exceeded the nesting depth")
	}
}

// more reports whether an object or array has another member after n, and reads the comma or the end.
func (d *decoder) more(n int, end byte) bool {
	d.tick()
	c := d.peek()
	switch {
	case d.err != nil:
		return false
	case c == end:
		d.pos++
		d.nesting--
		return false
	case n == 0:
		return true
	case c != ',':
		d.malformed("expected ',' or '" + string(end) + "'")
		return false
	}
	d.pos++
	return true
}

// key reads the name of an object's member and the colon. The result is valid until the next string is read.
func (d *decoder) key() []byte {
	name := d.text()
	if d.peek() != ':' {
		d.malformed("expected ':'")
		return nil
	}
	d.pos++
	return name
}

// null reports whether the next value is null, and reads it if it is.
func (d *decoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	d.literal("null")
	return true
}

// boolean reads true or false.
func (d *decoder) boolean() bool {
	if d.peek() == 't' {
		d.literal("true")
		return true
	}
	d.literal("false")
	return false
}

func (d *decoder) literal(word string) {
	if end := d.pos + len(word); end <= len(d.data) && string(d.data[d.pos:end]) == word {
		d.pos = end
		return
	}
	d.malformed("expected " + word)
}

// skip reads and discards a value.
func (d *decoder) skip() {
	switch c := d.peek(); c {
	case '{', '[':
		d.enter(c)
		for n := 0; d.more(n, c+2); n++ { // in ASCII, '}' is two after '{', and ']' after '['
			if c == '{' {
				d.key()
			}
			d.skip()
		}
	case '"':
		d.text()
	case 't', 'f':
		d.boolean()
	case 'n':
		d.null()
	default:
		d.number()
	}
}

// number reads an optional minus sign, an integer without leading zeros, and optionally a fraction and an
// exponent.
func (d *decoder) number() {
	d.accept("-")
	if !d.accept("0") {
		d.digits()
	}
	if d.accept(".") {
		d.digits()
	}
	if d.accept("eE") {
		d.accept("+-")
		d.digits()
	}
}

// accept reads a byte if it is one of these.
func (d *decoder) accept(these string) bool {
	for i := range len(these) {
		if d.pos < len(d.data) && d.data[d.pos] == these[i] {
			d.pos++
			return true
		}
	}
	return false
}

// digits reads at least one digit.
func (d *decoder) digits() {
	start := d.pos
	for d.pos < len(d.data) && '0' <= d.data[d.pos] && d.data[d.pos] <= '9' {
		if d.pos++; d.pos >= d.nextCheck {
			d.checkNow()
		}
	}
	if d.pos == start {
		d.malformed("expected a value")
	}
}
