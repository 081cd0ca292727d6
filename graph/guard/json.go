package guard

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// jsonBody checks JSON while it is read, so that excessive input is rejected before it takes memory. Syntax
// errors are left to the decoder.
//
// Law: a request that two readers could read differently is rejected. If an object has two members of the
// same name, decoders may use the first or the last; some accept QUERY for query; and a lone surrogate is
// kept, replaced or dropped. A filter in front of the server and the server must see the same request.
type jsonBody struct {
	io.ReadCloser
	limits  Limits
	account *account.Account // of the request
	// parameter is the URL parameter whose value is read, or empty for the body of a request.
	parameter string

	open    []byte // open brackets
	objects []memberNames
	values  int
	last    byte // last bracket, comma or colon outside of strings
	within  byte // kind of value being read: a string ("), another scalar (0 to 9), or none (0)
	escapes escapes
	naming  bool   // the string is a member name
	name    []byte // with escapes
	top     string // member of the body that is being read
	err     error  // why the input is rejected
}

// Members are the names of the members of a request, in its body or as URL parameters. Others are ignored.
var Members = []string{"query", "operationName", "variables", "extensions"}

// Parameter returns a reader of the JSON value of a URL parameter. It applies the same checks as for a body.
func (l Limits) Parameter(name, value string) io.Reader {
	return &jsonBody{ReadCloser: io.NopCloser(strings.NewReader(value)), limits: l, parameter: name}
}

// Read implements io.Reader. It returns an error as soon as a check fails.
func (b *jsonBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	before := b.values
	for i := 0; i < n && b.err == nil; i++ {
		if b.within == '"' && !b.naming {
			if i += b.escapes.harmless(p[i:n]); i == n {
				break
			}
		}
		b.take(p[i])
	}
	b.account.Spend(time.Duration(b.values-before) * account.ValueCPU)
	switch {
	case b.err != nil:
		return 0, b.err
	case b.values > b.limits.Values:
		return 0, tracker.Bad("", "%s has more than %d values, which is the limit (Values): send fewer in "+
			"one request", b.source(), b.limits.Values)
	case len(b.open) > b.limits.Nesting+2: // the body and its variables add two objects
		return 0, tracker.Bad("", "%s has more than %d lists and objects nested in each other, which is "+
			"the limit "+
			"(Nesting): make the input less deep", b.source(), b.limits.Nesting)
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
		if b.name = append(b.name, c); len(b.name) > maxMemberName {
			b.err = tracker.Bad("", "%s has a member whose name has more than %d bytes", b.source(),
				maxMemberName)
		}
	}
}

// maxMemberName is the maximum length of the name of a member, in bytes with escapes. No input has members
// with such names.
const maxMemberName = 4 << 10

// member processes the name of a member of the innermost open object.
func (b *jsonBody) member(name string) error {
	body := b.parameter == "" && len(b.open) == 1
	if body {
		b.top = name
		for _, known := range Members {
			if name != known && strings.EqualFold(name, known) {
				return tracker.Bad("", "the body of the request has a member that differs from `%s` in "+
					"upper and lower case only: write it `%s`", known, known)
			}
		}
	}
	if !b.objects[len(b.open)-1].add(name) {
		return nil
	}
	if body {
		return tracker.Bad("", "the body of the request has two members of the same name%s: send one",
			quotedMember(name))
	}
	return tracker.Bad("", "an object in %s has two members of the same name: send one", b.where())
}

// source describes the input, for messages.
func (b *jsonBody) source() string {
	if b.parameter != "" {
		return "the parameter `" + b.parameter + "` of the URL"
	}
	return "the body of the request"
}

// where describes the current position, for messages: a known member of the request, or the source. It does
// not repeat unknown names.
func (b *jsonBody) where() string {
	for _, known := range Members {
		if b.top == known {
			return "`" + known + "` of the request"
		}
	}
	return b.source()
}

func quotedMember(name string) string {
	for _, known := range Members {
		if name == known {
			return ", `" + name + "`"
		}
	}
	return ""
}

// unquoted returns the name that a JSON string represents, or the string as written if it is invalid.
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

// memberNames is the set of an object's member names so far.
type memberNames struct {
	few  []string
	many map[string]bool // nil up to fewNames names, then all of them
}

// fewNames is the number of names up to which a linear search is faster than a map.
const fewNames = 16

// reset empties the set but keeps its memory.
func (m *memberNames) reset() { m.few, m.many = m.few[:0], nil }

// add adds a name, and reports whether the set already had it.
func (m *memberNames) add(name string) (duplicate bool) {
	if m.many != nil {
		duplicate = m.many[name]
		m.many[name] = true
		return duplicate
	}
	for _, other := range m.few {
		duplicate = duplicate || other == name
	}
	if m.few = append(m.few, name); len(m.few) > fewNames {
		m.many = make(map[string]bool, 2*len(m.few))
		for _, other := range m.few {
			m.many[other] = true
		}
	}
	return duplicate
}
