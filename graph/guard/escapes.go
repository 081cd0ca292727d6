package guard

import (
	"strings"
	"unicode/utf16"

	"issuegrid/tracker"
)

// This file handles \uXXXX escapes in strings of JSON and GraphQL. Such an escape can be a surrogate, that
// is, half of a character beyond U+FFFF.
//
// Law: a request with a lone surrogate is rejected. A decoder would replace it with U+FFFD, and so store
// something that the client did not send, and make two different names equal.

// escapes tracks the escapes of one string, byte by byte.
type escapes struct {
	escaped bool // the previous byte is a backslash
	digits  int  // digits of the code still to be read
	code    rune
	high    bool // the previous escape is the first half of a pair
}

// take processes a byte after the opening quote. It reports whether the byte closes the string, and whether
// it shows that a surrogate is lone. Invalid escapes are left to the decoder.
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

// harmless returns the number of bytes at the start of p that take need not see, because they neither close
// the string nor belong to a lone surrogate, or to an escape that p does not contain completely. Long strings
// consist of such bytes.
func (e *escapes) harmless(p []byte) (n int) {
	if e.escaped || e.digits > 0 || e.high {
		return 0
	}
	for n < len(p) {
		switch c := p[n]; {
		case c == '"':
			return n
		case c != '\\':
			n++
		case n+1 < len(p) && p[n+1] != 'u':
			n += 2
		case n+5 < len(p) && isCode(p[n+2:n+6]):
			n += 6
		case n+11 < len(p) && isPair(p[n+2:n+12]):
			n += 12
		default:
			return n
		}
	}
	return n
}

// isCode reports whether the digits are those of a character that is no surrogate.
func isCode(digits []byte) bool {
	for _, c := range digits {
		if _, ok := hexDigit(c); !ok {
			return false
		}
	}
	return digits[0]|0x20 != 'd' || digits[1] < '8'
}

// isPair reports whether the bytes after \u are those of both halves of a character: d83d\ude00.
func isPair(p []byte) bool {
	for _, i := range [...]int{2, 3, 8, 9} {
		if _, ok := hexDigit(p[i]); !ok {
			return false
		}
	}
	high, _ := hexDigit(p[1])
	low, _ := hexDigit(p[7])
	return p[0]|0x20 == 'd' && high >= 8 && high < 0xc && p[4] == '\\' && p[5] == 'u' && p[6]|0x20 == 'd' &&
		low >= 0xc
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

// loneSurrogate returns the error for a lone surrogate in the named part of a request.
func loneSurrogate(where string) error {
	return tracker.Bad("",
		`%s has an escape from \ud800 to \udfff without its other half (a lone surrogate), which is not a character: send both halves or neither`,
		where)
}

// joinSurrogates replaces pairs of escaped surrogates in a query with the characters that they represent,
// because the library decodes each escape separately. It adds spaces after the string to keep the positions
// of the rest of the line.
//
// Example: {f(x:"\ud83d\ude00!")} becomes {f(x:"😀!"           )}, with 11 spaces.
func joinSurrogates(query string) (string, error) {
	if !hasSurrogate(query) {
		return query, nil
	}
	var out strings.Builder
	rest := 0 // query[rest:] is still to be copied
	for i := 0; i < len(query); {
		switch {
		case query[i] == '#':
			for i < len(query) && query[i] != '\n' && query[i] != '\r' {
				i++
			}
		case strings.HasPrefix(query[i:], `"""`): // block strings have no escapes
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

// hasSurrogate reports whether the query may contain an escaped surrogate.
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

// blockEnd returns the index after the block string whose content begins at i. If it ends with more than
// three quotes, the last three close it.
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

// joinString joins the surrogates of the string that begins at i. It returns the string and the index after
// it, or "" if it has nothing to join.
func joinString(query string, i int) (joined string, end int, err error) {
	var e escapes
	var out strings.Builder
	var first rune // first half of a pair
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
