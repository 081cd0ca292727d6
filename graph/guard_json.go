package graph

import (
	"io"

	"issuegrid/tracker"
)

// jsonBody is a body of JSON that is measured while it is read, so that what is too much of it is refused before it takes memory. What is no JSON is
// left to the decoder to refuse.
type jsonBody struct {
	io.ReadCloser
	limits Limits
	open   []byte // brackets
	values int
	last   byte // of the brackets, commas and colons outside of texts
	within byte // a text ("), another scalar (0 to 9), or nothing (0)
	escape bool
}

// Read reads on, and refuses the body as soon as it is beyond a limit.
func (b *jsonBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		b.take(c)
	}
	switch {
	case b.values > b.limits.Values:
		return 0, tracker.Bad("", "the body of the request has more than %d values, which is the limit (Values): send fewer in one request", b.limits.Values)
	case len(b.open) > b.limits.Nesting+2: // around those of an input there are the body's object and that of the variables
		return 0, tracker.Bad("", "the body of the request has more than %d lists and objects in each other, which is the limit (Nesting): make the input less deep", b.limits.Nesting)
	}
	return n, err
}

func (b *jsonBody) take(c byte) {
	if b.within == '"' {
		switch {
		case b.escape:
			b.escape = false
		case c == '\\':
			b.escape = true
		case c == '"':
			b.within = 0
		}
		return
	}
	switch c {
	case '{', '[':
		b.values++
		b.open = append(b.open, c)
	case '}', ']':
		b.open = b.open[:max(0, len(b.open)-1)]
	case '"':
		if b.within = '"'; b.last == ':' || len(b.open) > 0 && b.open[len(b.open)-1] == '[' {
			b.values++
		}
		return
	case ',', ':', ' ', '\t', '\r', '\n':
	default:
		if b.within == 0 {
			b.values++
		}
		b.within = '0'
		return
	}
	b.within = 0
	if c > ' ' {
		b.last = c
	}
}
