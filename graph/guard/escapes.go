package guard

import (
	"strings"
	"unicode/utf16"

	"issuegrid/tracker"
)

// Escapes of the form \uXXXX in strings, in JSON and in GraphQL. Such an escape can be a surrogate: half of a character beyond U+FFFF, which takes two.
//
// Law: a surrogate without its other half is no character, and the request is refused. A decoder would put U+FFFD in its place, and so store what nobody
// has sent, and make one name of two.

// escapes follows the escapes of one string, byte by byte, wherever it is cut.
type escapes struct {
	escaped bool // the byte before is a backslash
	digits  int  // of a code that are still to come
	code    rune
	high    bool // the escape before is the first half of a pair
}

// take takes a byte behind the opening quote. It reports whether that closes the string, and whether there was half a character. An escape that can't be
// read is left to the decoder to refuse.
func (e *escapes) take(c byte) (closed, lone bool) {
	if e.digits > 0 {
		if digit, ok := hexDigit(c); ok {
			e.code = e.code<<4 | digit
			if e.digits--; e.digits > 0 {
				return false, false
			}
			low := e.code >= 0xdc00 && e.code <= 0xdfff
			lone = low != e.high
			e.high = e.code >= 0xd800 && e.code <= 0xdbff
			return false, lone
		}
		e.digits = 0
	}
	switch {
	case e.escaped && c == 'u':
		e.escaped, e.digits, e.code = false, 4, 0
		return false, false
	case !e.escaped && c == '\\':
		e.escaped = true
		return false, false
	}
	closed, lone = c == '"' && !e.escaped, e.high
	e.escaped, e.high = false, false
	return closed, lone
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}

// loneSurrogate refuses half a character in what is named.
func loneSurrogate(where string) error {
	return tracker.Bad("", `%s has an escape from \ud800 to \udfff without its other half (a lone surrogate), which is no character: send both halves, or leave it out`, where)
}

// joinSurrogates returns a query in which the escapes of two halves of a character are the character itself, because the library reads each escape by
// itself. Blanks behind the string keep the places of what follows in its line.
//
// Example: {f(x:"\ud83d\ude00!")} becomes {f(x:"😀!"           )}, with 11 blanks.
func joinSurrogates(query string) (string, error) {
	if !hasSurrogate(query) {
		return query, nil
	}
	var out strings.Builder
	rest := 0 // what is behind here is still to be copied
	for i := 0; i < len(query); {
		switch {
		case query[i] == '#':
			for i < len(query) && query[i] != '\n' && query[i] != '\r' {
				i++
			}
		case strings.HasPrefix(query[i:], `"""`): // in which a backslash is a backslash
			i = blockEnd(query, i+3)
		case query[i] == '"':
			joined, end, err := joinString(query, i)
			if err != nil {
				return "", err
			}
			if joined != "" {
				out.WriteString(query[rest:i] + joined)
				rest = end
			}
			i = end
		default:
			i++
		}
	}
	out.WriteString(query[rest:])
	return out.String(), nil
}

// hasSurrogate reports whether there may be the escape of one.
func hasSurrogate(query string) bool {
	for {
		i := strings.Index(query, `\u`)
		if i < 0 {
			return false
		}
		if query = query[i+2:]; len(query) >= 2 && query[0]|0x20 == 'd' && query[1] >= '8' {
			return true
		}
	}
}

// blockEnd is where a block string ends whose text begins at i. Of more than three quotes the last three end it.
func blockEnd(query string, i int) int {
	for i < len(query) {
		switch {
		case strings.HasPrefix(query[i:], `\"""`):
			i += 4
		case strings.HasPrefix(query[i:], `"""`):
			return i + len(query[i:]) - len(strings.TrimLeft(query[i:], `"`))
		default:
			i++
		}
	}
	return i
}

// joinString reads the string that begins at i, and returns it as joinSurrogates does, empty if nothing is to be joined, and where it ends.
func joinString(query string, i int) (joined string, end int, err error) {
	var e escapes
	var out strings.Builder
	var first rune // half of a pair
	from := i
	for end = i + 1; end < len(query) && query[end] != '\n' && query[end] != '\r'; end++ {
		paired := e.high
		closed, lone := e.take(query[end])
		switch {
		case lone:
			return "", 0, loneSurrogate("a string in the query")
		case e.high && !paired:
			first = e.code
		case paired && !e.high:
			const pair = len(`\ud83d\ude00`)
			out.WriteString(query[from:end+1-pair] + string(utf16.DecodeRune(first, e.code)))
			from = end + 1
		}
		if closed {
			end++
			break
		}
	}
	if from == i {
		return "", end, nil
	}
	out.WriteString(query[from:end])
	blanks := len([]rune(query[i:end])) - len([]rune(out.String()))
	return out.String() + strings.Repeat(" ", blanks), end, nil
}
