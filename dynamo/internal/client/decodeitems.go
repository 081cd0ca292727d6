package client

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
)

// page is a decoded response.
type page struct {
	items  []layout.Item            // of a Query
	tables map[string][]layout.Item // of a BatchGetItem
	rest   []byte                   // other members of the response, as JSON
	// unwanted reports that the caller has gone. Then there is only rest, which has the consumed capacity.
	unwanted bool
	bytes    int // size of the response
}

// page decodes a response whose items are in the given member. Like the SDK, it treats an empty body as an
// empty response.
func (d *itemDecoder) page(member string) (*page, error) {
	if len(d.data) == 0 {
		return &page{}, nil
	}
	p := &page{rest: []byte{'{'}}
	d.enter('{')
	for n := 0; d.more(n, '}'); n++ {
		d.peek()
		start := d.pos
		switch named := string(d.key()) == member; {
		case named && d.null():
		case named && member == memberItems:
			p.items = d.items()
		case named:
			p.tables = d.tables()
		default:
			d.skip()
			if len(p.rest) > 1 {
				p.rest = append(p.rest, ',')
			}
			p.rest = append(p.rest, d.data[start:d.pos]...)
		}
	}
	if d.peek(); d.pos < len(d.data) {
		d.malformed("expected the end")
	}
	if d.err != nil {
		return nil, d.err
	}
	p.rest = append(p.rest, '}')
	if d.unwanted {
		return &page{rest: p.rest, unwanted: true, bytes: len(d.data)}, nil
	}
	return p, nil
}

func (d *itemDecoder) tables() map[string][]layout.Item {
	out := map[string][]layout.Item{}
	d.enter('{')
	for n := 0; d.more(n, '}'); n++ {
		name := string(d.key())
		out[name] = nil
		if !d.null() {
			out[name] = d.items()
		}
	}
	return out
}

func (d *itemDecoder) items() []layout.Item {
	out := []layout.Item{}
	d.enter('[')
	for n := 0; d.more(n, ']'); n++ {
		if d.unwanted {
			d.skip()
			continue
		}
		var m layout.Item
		if !d.null() {
			m = d.item()
		}
		out = append(out, m)
	}
	return out
}

// attribute is an attribute value of the SDK.
type attribute = types.AttributeValue

// namedValue is an attribute with its name.
type namedValue struct {
	name  string
	value attribute
}

// item decodes a map of attributes: an item or a map value. If a name is repeated, the last value counts.
func (d *itemDecoder) item() layout.Item {
	base := len(d.entries)
	d.enter('{')
	for n := 0; d.more(n, '}'); n++ {
		e := namedValue{name: d.name(d.key())}
		if !d.null() {
			e.value = d.attribute()
		}
		d.entries = append(d.entries, e)
	}
	m := make(layout.Item, len(d.entries)-base)
	for _, e := range d.entries[base:] {
		d.tick() // filling a map takes as long as reading it
		m[e.name] = e.value
	}
	d.entries = d.entries[:base]
	return m
}

const (
	// maxNames limits the number of interned names, and maxName the length of each. Interning is not
	// worthwhile in a response of fewer than minNamed bytes.
	maxNames = 1 << 10
	maxName  = 64
	minNamed = 8 << 10
)

// name returns an attribute name as a string shared by all items.
func (d *itemDecoder) name(b []byte) string {
	if len(b) > maxName || len(d.data) < minNamed {
		return string(b)
	}
	if s, ok := d.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if d.names == nil {
		d.names = map[string]string{}
	}
	if len(d.names) < maxNames {
		d.names[s] = s
	}
	return s
}

// attribute decodes a value: an object with one member, named for its type. It ignores null and members with
// other names, and returns nil if none remains, so that a new type of DynamoDB is not an error.
func (d *itemDecoder) attribute() (v attribute) {
	d.enter('{')
	for n := 0; d.more(n, '}'); n++ {
		kind := d.key()
		if d.null() {
			continue
		}
		next := d.member(kind)
		if v != nil && next != nil {
			d.malformed("a value of two types")
		}
		if next != nil {
			v = next
		}
	}
	return v
}

// member decodes the member of a value that is named for its type. It returns nil for unknown types.
func (d *itemDecoder) member(kind []byte) attribute {
	switch string(kind) {
	case "S":
		return &types.AttributeValueMemberS{Value: string(d.text())}
	case "N":
		return &types.AttributeValueMemberN{Value: string(d.text())}
	case "B":
		return &types.AttributeValueMemberB{Value: d.blob()}
	case "BOOL":
		return &types.AttributeValueMemberBOOL{Value: d.boolean()}
	case "NULL":
		return &types.AttributeValueMemberNULL{Value: d.boolean()}
	case "M":
		return &types.AttributeValueMemberM{Value: d.item()}
	case "L":
		return &types.AttributeValueMemberL{Value: arrayOf(d, &d.elements, d.attribute)}
	case "SS":
		return &types.AttributeValueMemberSS{Value: arrayOf(d, &d.strings, d.element)}
	case "NS":
		return &types.AttributeValueMemberNS{Value: arrayOf(d, &d.strings, d.element)}
	case "BS":
		return &types.AttributeValueMemberBS{Value: arrayOf(d, &d.blobs, d.blob)}
	}
	d.skip()
	return nil
}

// element decodes an element of a set. The sets of similar items have many elements in common.
func (d *itemDecoder) element() string { return d.name(d.text()) }

// arrayOf decodes an array with a function for its elements; null becomes a zero element.
func arrayOf[T any](d *itemDecoder, stack *[]T, read func() T) []T {
	base := len(*stack)
	d.enter('[')
	for n := 0; d.more(n, ']'); n++ {
		var e T
		if !d.null() {
			e = read()
		}
		*stack = append(*stack, e)
	}
	out := make([]T, len(*stack)-base)
	copy(out, (*stack)[base:])
	*stack = (*stack)[:base]
	return out
}
