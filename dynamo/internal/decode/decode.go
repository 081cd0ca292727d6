// Package decode decodes the items in the JSON of a response of DynamoDB. It exists because the deserializer
// of the SDK first reads a response into the generic values of encoding/json: that takes 1.3 to 2.3 times the
// CPU time, 2.5 to 4.3 times the allocations, and nine times the bytes of the response in memory, where this
// package takes about two. A page of a grid is mostly the decoding of documents, and the memory of an
// operation can be reserved before its responses are read only if it is a small multiple of their size. The
// SDK's deserializer also does not check whether its caller has gone.
//
// Everything that is not an item is left to the SDK. The tests of package client compare both on random and
// on damaged responses.
package decode

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

// Item is an item of the table: its attributes by name.
type Item = map[string]types.AttributeValue

// The members of a response that have items.
const (
	Tables = "Responses" // of BatchGetItem: items by table
	Items  = "Items"     // of Query
)

// Response is a decoded response.
type Response struct {
	Items  []Item            // of a Query
	Tables map[string][]Item // of a BatchGetItem
	Rest   []byte            // other members of the response, as JSON
	// Unwanted reports that the caller has gone. Then there is only Rest, which has the consumed capacity.
	Unwanted bool
}

// Check is called while a response is decoded, at least once per 64 KiB and once per 1,000 members of objects
// and arrays. Once it reports that the items are unwanted, the remaining ones are skipped. Its error ends the
// decoding and is returned unchanged.
type Check func() (unwanted bool, err error)

// Decode decodes a response whose items are in the given member, Tables or Items. The result does not refer
// to the body. Like the SDK, Decode treats an empty body as an empty response. Its error is that of check, or
// a *smithy.DeserializationError.
func Decode(body []byte, member string, check Check) (*Response, error) {
	d := &decoder{data: body, check: check}
	return d.response(member)
}

func (d *decoder) response(member string) (*Response, error) {
	if len(d.data) == 0 {
		return &Response{}, nil
	}
	r := &Response{Rest: []byte{'{'}}
	d.enter('{')
	for n := 0; d.more(n, '}'); n++ {
		d.peek()
		start := d.pos
		switch named := string(d.key()) == member; {
		case named && d.null():
		case named && member == Items:
			r.Items = d.items()
		case named:
			r.Tables = d.tables()
		default:
			d.skip()
			if len(r.Rest) > 1 {
				r.Rest = append(r.Rest, ',')
			}
			r.Rest = append(r.Rest, d.data[start:d.pos]...)
		}
	}
	if d.peek(); d.pos < len(d.data) {
		d.malformed("expected the end")
	}
	if d.err != nil {
		return nil, d.err
	}
	r.Rest = append(r.Rest, '}')
	if d.unwanted {
		return &Response{Rest: r.Rest, Unwanted: true}, nil
	}
	return r, nil
}

func (d *decoder) tables() map[string][]Item {
	out := map[string][]Item{}
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

func (d *decoder) items() []Item {
	out := []Item{}
	d.enter('[')
	for n := 0; d.more(n, ']'); n++ {
		if d.unwanted {
			d.skip()
			continue
		}
		var m Item
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
func (d *decoder) item() Item {
	base := len(d.entries)
	d.enter('{')
	for n := 0; d.more(n, '}'); n++ {
		e := namedValue{name: d.name(d.key())}
		if !d.null() {
			e.value = d.attribute()
		}
		d.entries = append(d.entries, e)
	}
	m := make(Item, len(d.entries)-base)
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
func (d *decoder) name(b []byte) string {
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
func (d *decoder) attribute() (v attribute) {
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
func (d *decoder) member(kind []byte) attribute {
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
func (d *decoder) element() string { return d.name(d.text()) }

// arrayOf decodes an array with a function for its elements; null becomes a zero element.
func arrayOf[T any](d *decoder, stack *[]T, read func() T) []T {
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
