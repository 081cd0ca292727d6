package guard

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"issuegrid/tracker"
)

// jsonBody is a body of JSON that is looked at while it is read, so that what is too much of it is refused before it takes memory. What is no JSON is
// left to the decoder to refuse.
//
// Law: a request that two readers could read differently is refused. Of two members of one name, one decoder takes the first and another the last; some
// take QUERY for query; and half a character is kept, replaced or dropped. A filter in front of the server and the server must see the same request.
type jsonBody struct {
	io.ReadCloser
	limits Limits
	// parameter is the parameter of a URL that the JSON is the value of; empty for the body of a request.
	parameter string

	open    []byte // brackets
	objects []memberNames
	values  int
	last    byte // of the brackets, commas and colons outside of strings
	within  byte // a string ("), another scalar (0 to 9), or nothing (0)
	escapes escapes
	naming  bool   // the string is the name of a member
	name    []byte // as it is written
	top     string // the member of the whole that the reading is in
	err     error  // why the body is refused
}

// Members are those that a request may have, in its body or as parameters of its URL. Others are ignored.
var Members = []string{"query", "operationName", "variables", "extensions"}

// Parameter returns a reader of the JSON that a parameter of the URL has as its value. The JSON is checked while
// it is read, as that of a body is.
func (l Limits) Parameter(name, value string) io.Reader {
	return &jsonBody{ReadCloser: io.NopCloser(strings.NewReader(value)), limits: l, parameter: name}
}

// Read reads on, and refuses the body as soon as something is wrong with it.
func (b *jsonBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		if b.err == nil {
			b.take(c)
		}
	}
	switch {
	case b.err != nil:
		return 0, b.err
	case b.values > b.limits.Values:
		return 0, tracker.Bad("", "%s has more than %d values, which is the limit (Values): send fewer in one request", b.whole(), b.limits.Values)
	case len(b.open) > b.limits.Nesting+2: // around those of an input there are the body's object and that of the variables
		return 0, tracker.Bad("", "%s has more than %d lists and objects in each other, which is the limit (Nesting): make the input less deep", b.whole(), b.limits.Nesting)
	}
	return n, err
}

func (b *jsonBody) take(c byte) {
	if b.within == '"' {
		b.takeString(c)
		return
	}
	switch c {
	case '{', '[':
		b.values++
		b.open = append(b.open, c)
		if len(b.objects) < len(b.open) {
			b.objects = append(b.objects, memberNames{})
		}
		b.objects[len(b.open)-1].reset()
	case '}', ']':
		b.open = b.open[:max(0, len(b.open)-1)]
	case '"':
		inList := len(b.open) > 0 && b.open[len(b.open)-1] == '['
		b.within, b.escapes, b.name = '"', escapes{}, b.name[:0]
		if b.naming = len(b.open) > 0 && !inList && b.last != ':'; b.last == ':' || inList {
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

func (b *jsonBody) takeString(c byte) {
	closed, lone := b.escapes.take(c)
	switch {
	case lone:
		b.err = loneSurrogate("a string in " + b.where())
	case closed:
		b.within = 0
		if b.naming {
			b.err = b.member(unquoted(b.name))
		}
	case b.naming:
		b.name = append(b.name, c)
	}
}

// member takes the name of a member of the object that is open.
func (b *jsonBody) member(name string) error {
	body := b.parameter == "" && len(b.open) == 1
	if body {
		b.top = name
		for _, known := range Members {
			if name != known && strings.EqualFold(name, known) {
				return tracker.Bad("", "the body of the request has a member that differs from `%s` in upper and lower case only: write it `%s`", known, known)
			}
		}
	}
	if !b.objects[len(b.open)-1].add(name) {
		return nil
	}
	if body {
		return tracker.Bad("", "the body of the request has two members of the same name%s: send one", quotedMember(name))
	}
	return tracker.Bad("", "an object in %s has two members of the same name: send one", b.where())
}

// whole names what is read.
func (b *jsonBody) whole() string {
	if b.parameter != "" {
		return "the parameter `" + b.parameter + "` of the URL"
	}
	return "the body of the request"
}

// where names what is read, and the member of it, if that is one of ours: the names of others are the client's, and are not repeated.
func (b *jsonBody) where() string {
	for _, known := range Members {
		if b.top == known {
			return "`" + known + "` of the request"
		}
	}
	return b.whole()
}

func quotedMember(name string) string {
	for _, known := range Members {
		if name == known {
			return ", `" + name + "`"
		}
	}
	return ""
}

// unquoted is the name that a string of JSON stands for; as it is written if the decoder will refuse it.
func unquoted(written []byte) string {
	if bytes.IndexByte(written, '\\') < 0 {
		return string(written)
	}
	var name string
	if json.Unmarshal([]byte(`"`+string(written)+`"`), &name) != nil {
		return string(written)
	}
	return name
}

// memberNames are the names of an object's members so far.
type memberNames struct {
	few  []string
	many map[string]bool // of more than fewNames, all
}

// fewNames is up to how many names are compared one by one, which is quicker than a map.
const fewNames = 16

// reset begins another object, in the room of the last one.
func (m *memberNames) reset() { m.few, m.many = m.few[:0], nil }

// add adds a name, and reports whether it is there already.
func (m *memberNames) add(name string) (twice bool) {
	if m.many != nil {
		twice = m.many[name]
		m.many[name] = true
		return twice
	}
	for _, other := range m.few {
		twice = twice || other == name
	}
	if m.few = append(m.few, name); len(m.few) > fewNames {
		m.many = make(map[string]bool, 2*len(m.few))
		for _, other := range m.few {
			m.many[other] = true
		}
	}
	return twice
}
