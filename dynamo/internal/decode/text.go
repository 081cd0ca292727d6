package decode

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string. The result is part of data, or of a buffer that is reused for the next string with
// escapes.
func (d *decoder) text() []byte {
	if d.peek() != '"' {
		d.malformed("expected a string")
		return nil
	}
	d.pos++
	start := d.pos
	d.plain()
	if d.pos < len(d.data) && d.data[d.pos] == '"' {
		d.pos++
		return d.data[start : d.pos-1]
	}
	return d.escaped(start)
}

// escaped reads the rest of a string that began at start, from its first escape. Like encoding/json, it
// replaces lone surrogates and invalid UTF-8 by U+FFFD. In strings without escapes, text leaves invalid UTF-8
// unchanged, like the SDK; DynamoDB does not store any.
func (d *decoder) escaped(start int) []byte {
	out := append(d.unescaped[:0], d.data[start:d.pos]...)
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case '"':
			d.pos++
			if !utf8.Valid(out) {
				out = []byte(string([]rune(string(out))))
			}
			d.unescaped = out
			return out
		case '\\':
			out = d.escape(out)
		default:
			d.malformed("a control character in a string")
		}
		start = d.pos
		d.plain()
		out = append(out, d.data[start:d.pos]...)
	}
	d.malformed("unterminated string")
	return nil
}

// escapes maps the letter after a backslash to the character.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads an escape sequence and appends the character.
func (d *decoder) escape(out []byte) []byte {
	if first, ok := d.hex(); ok {
		d.pos += 6
		if utf16.IsSurrogate(first) {
			second, _ := d.hex() // 0, which is not a surrogate, if there is none
			if first = utf16.DecodeRune(first, second); first != utf8.RuneError {
				d.pos += 6
			}
		}
		return utf8.AppendRune(out, first)
	}
	if d.pos+1 < len(d.data) {
		if c := escapes[d.data[d.pos+1]]; c != 0 {
			d.pos += 2
			return append(out, c)
		}
	}
	d.malformed("invalid escape")
	return out
}

// hex reads \u and four hexadecimal digits, and returns the code unit.
func (d *decoder) hex() (unit rune, ok bool) {
	if d.pos+6 > len(d.data) || d.data[d.pos] != '\\' || d.data[d.pos+1] != 'u' {
		return 0, false
	}
	for _, c := range d.data[d.pos+2 : d.pos+6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	return unit, true
}

// plain advances to the next quote, backslash or control character, or to the end.
func (d *decoder) plain() {
	for d.pos < len(d.data) {
		if d.pos >= d.nextCheck {
			d.checkNow()
		}
		data := d.data[:min(len(d.data), d.nextCheck)]
		i := d.pos
		for ; i+8 <= len(data); i += 8 {
			if found := special(binary.LittleEndian.Uint64(data[i:])); found != 0 {
				d.pos = i + bits.TrailingZeros64(found)/8
				return
			}
		}
		for ; i < len(data); i++ {
			if c := data[i]; c == '"' || c == '\\' || c < ' ' {
				d.pos = i
				return
			}
		}
		d.pos = max(i, d.pos)
	}
}

// special returns a word whose lowest set bit is in the first byte of w that is a quote, a backslash or a
// control character, or 0 if none is.
//
// For each byte, x-n sets the top bit if x < n and x's top bit is not set. x is c if x^c < 1. A borrow can
// set wrong bits only above a right one.
func special(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, backslash := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
}

// blob reads a base64 string.
func (d *decoder) blob() []byte {
	text := d.text()
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, rest := 0, text
	for d.err == nil && len(rest) > CheckBytes { // CheckBytes is a multiple of 4
		k, err := base64.StdEncoding.Decode(out[n:], rest[:CheckBytes])
		if err != nil || k < CheckBytes/4*3 { // base64 skips line breaks
			n, rest = 0, text
			break
		}
		n, rest = n+k, rest[CheckBytes:]
		d.checkNow()
	}
	if d.err != nil {
		return nil
	}
	k, err := base64.StdEncoding.Decode(out[n:], rest)
	if err != nil {
		d.malformed("invalid base64")
	}
	return out[:n+k]
}
