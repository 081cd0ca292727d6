package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// shape is a response with items of one kind.
type shape struct {
	name          string
	items, fields int // with no fields they are index entries
	value         func(n int) tracker.Value
	// allocated limits the bytes allocated per byte of the response, and kept those that its items then
	// occupy. They are the inherent allocations with a margin: a value of n bytes takes 24 + n, and 16 more
	// in a list; a map takes 336 with up to 8 values, or about 45 for each value. So the worst case is an
	// item with two keys, the smallest that is read. The race detector's allocator does not pack short
	// strings, which raises the figure for tags from 3.6 to 4.6.
	allocated, kept float64
}

var shapes = []shape{
	{"1000 entries of the index", 1000, 0, nil, 8, 8},
	{"100 documents of 8 values", 100, 8, variedValue, 3, 3},
	{"100 documents of 395 integers", 100, 395, func(n int) tracker.Value {
		return tracker.Int(int64(n % 100))
	}, 2.2, 2.2},
	{"53 documents of 395 strings", 53, 395, func(int) tracker.Value {
		return tracker.Text(strings.Repeat("\U0001f600", 195))
	}, 1.3, 1.3},
	{"58 documents of 395 fields of 60 tags", 58, 395, func(n int) tracker.Value {
		return tracker.Set(someTags(n))
	}, 5, 5},
}

func variedValue(n int) tracker.Value {
	return []tracker.Value{tracker.Text("Approved"), tracker.Int(int64(n)), tracker.Float(2.5),
		tracker.Text("2023-05-01"), tracker.Bool(true),
		tracker.Text("5cq8r2m0k3n7v1xz"), tracker.Set([]string{"Red", "blue"}),
		tracker.Text("Ada Lindqvist")}[n%8]
}

func someTags(n int) []string {
	out := make([]string, 60)
	for i := range out {
		out[i] = fmt.Sprintf("t%02d", (i+n)%100)
	}
	return out
}

// body returns the response as an engine sends it.
func (s shape) body(t testing.TB) []byte {
	t.Helper()
	k := layout.Keys{Tenant: "acme"}
	values := map[tracker.FieldID]tracker.Value{}
	for n := range s.fields {
		values[tracker.FieldID(fmt.Sprintf("f%015x", n*7919))] = s.value(n)
	}
	items := make([]any, s.items)
	for i := range items {
		if s.fields == 0 {
			items[i] = inJSON(layout.Item{layout.AttrPK: layout.S(fmt.Sprintf("acme/issue-p1.i%015d", i)),
				layout.AttrSS: layout.B(sortkey.Num(int64(i)))})
			continue
		}
		items[i] = inJSON(k.EncodeIssue(
			&tracker.Issue{ID: tracker.IssueID{Project: "p1", Issue: fmt.Sprintf("i%015d", i)}, Num: int64(i),
				Name: "An issue", State: "open", Created: time.Unix(1, 0), Updated: time.Unix(2, 0),
				Version: 1,
				Values:  values}))
	}
	b, err := json.Marshal(map[string]any{"Responses": map[string]any{"issues": items},
		"UnprocessedKeys":  map[string]any{},
		"ConsumedCapacity": []any{map[string]any{"TableName": "issues", "CapacityUnits": 50.5}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// inJSON returns attributes in the form that encoding/json encodes.
func inJSON(m layout.Item) map[string]any {
	out := map[string]any{}
	for name, v := range m {
		out[name] = valueInJSON(v)
	}
	return out
}

func valueInJSON(v types.AttributeValue) map[string]any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": inJSON(v.Value)}
	case *types.AttributeValueMemberL:
		all := make([]any, len(v.Value))
		for i := range all {
			all[i] = valueInJSON(v.Value[i])
		}
		return map[string]any{"L": all}
	}
	panic(fmt.Sprintf("no document has a %T", v))
}

// query returns the response to a Query of an item with one attribute.
func query(value string) string { return `{"Items":[{"a":` + value + `}]}` }

// wanted is a check of items that are wanted.
func wanted() (bool, error) { return false, nil }

// cost is the cost of decoding, per byte of the response.
type cost struct{ allocated, kept float64 }

func costOf(t testing.TB, body []byte) cost {
	t.Helper()
	var before, after, end runtime.MemStats
	runtime.GC()
	runtime.GC() // collects what the first run has left in pools
	runtime.ReadMemStats(&before)
	out, err := Decode(body, Tables, wanted)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&end)
	runtime.KeepAlive(out)
	n := float64(len(body))
	return cost{float64(after.TotalAlloc-before.TotalAlloc) / n,
		(float64(end.HeapAlloc) - float64(before.HeapAlloc)) / n}
}

// TestDecodeMemory checks that the memory of a response is a small multiple of its size.
func TestDecodeMemory(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			body := s.body(t)
			c := costOf(t, body)
			t.Logf("%d bytes: %.2f allocated and %.2f kept for each", len(body), c.allocated, c.kept)
			if c.allocated > s.allocated || c.kept > s.kept {
				t.Errorf("%+v, at most %g and %g", c, s.allocated, s.kept)
			}
		})
	}
}

// long returns responses of 16 MB of documents, and of 2 MB that no engine would send, by content.
func long(t testing.TB) map[string][]byte {
	const size = 2 << 20
	out := map[string][]byte{
		"a string":          []byte(query(`{"S":"` + strings.Repeat("x", size) + `"}`)),
		"a name":            []byte(`{"Items":[{"` + strings.Repeat("x", size) + `":{"S":""}}]}`),
		"escapes":           []byte(query(`{"S":"` + strings.Repeat(`\u0000`, size/6) + `"}`)),
		"quotes":            []byte(query(`{"S":"` + strings.Repeat(`\"`, size/2) + `"}`)),
		"base64":            []byte(query(`{"B":"` + strings.Repeat(`QUJD`, size/4) + `"}`)),
		"white space":       []byte(`{"Items":[` + strings.Repeat("\n", size) + `]}`),
		"white space after": []byte(`{"Items":[]}` + strings.Repeat(" ", size)),
		"an unknown number": []byte(`{"New":` + strings.Repeat("1", size) + `}`),
		"unknown values":    []byte(`{"New":[` + strings.Repeat("0,", size/2) + `0]}`),
		"nulls":             []byte(query(`{"L":[` + strings.Repeat("null,", size/5) + `null]}`)),
		"numbers of a set":  []byte(query(`{"NS":[` + strings.Repeat(`"",`, size/3) + `""]}`)),
		"empty items":       []byte(`{"Items":[` + strings.Repeat("{},", size/3) + `{}]}`),
		"empty values":      []byte(query(`{"L":[` + strings.Repeat("{},", size/3) + `{}]}`)),
		"null members":      []byte(query(`{` + strings.Repeat(`"S":null,`, size/9) + `"S":"x"}`)),
		"one attribute":     []byte(`{"Items":[{` + strings.Repeat(`"":null,`, size/8) + `"":null}]}`),
		"empty tables":      []byte(`{"Responses":{` + strings.Repeat(`"":null,`, size/8) + `"":null}}`),
	}
	for _, s := range shapes[3:] {
		out[s.name] = s.body(t)
	}
	return out
}

// TestDecodeChecks checks that check is called often for any response, and that its error ends the decoding
// at once.
func TestDecodeChecks(t *testing.T) {
	for name, body := range long(t) {
		t.Run(name, func(t *testing.T) {
			member := Items
			if !bytes.HasPrefix(body, []byte(`{"Items`)) {
				member = Tables
			}
			stop := errors.New("stop")
			d := &decoder{data: body}
			calls, last, gap, stopAt := 0, 0, 0, -1
			d.check = func() (bool, error) {
				calls++
				gap, last = max(gap, d.pos-last), d.pos
				if stopAt >= 0 && d.pos >= stopAt {
					return false, stop
				}
				return false, nil
			}
			if _, err := d.response(member); err != nil {
				t.Fatal(err)
			}
			if gap = max(gap, len(body)-last); gap >= 2*CheckBytes {
				t.Errorf("%d bytes without a check", gap)
			}
			whole := calls
			*d = decoder{data: body, check: d.check}
			calls, last, stopAt = 0, 0, len(body)/2
			if _, err := d.response(member); err != stop { // unchanged
				t.Error(err)
			}
			if last-stopAt >= 2*CheckBytes || calls >= whole {
				t.Errorf("stopped %d bytes later, after %d of %d checks", last-stopAt, calls, whole)
			}
		})
	}
}

// TestDecodeChecksOfValues checks that small values are counted.
func TestDecodeChecksOfValues(t *testing.T) {
	const n = 20_000
	for name, body := range map[string]string{
		"values":         query(`{"L":[` + strings.Repeat(`{},`, n) + `{}]}`),
		"elements":       query(`{"SS":[` + strings.Repeat(`"",`, n) + `""]}`),
		"unknown values": `{"New":[` + strings.Repeat(`0,`, n) + `0]}`,
	} {
		calls := 0
		check := func() (bool, error) { calls++; return false, nil }
		if _, err := Decode([]byte(body), Items, check); err != nil || calls < n/checkValues {
			t.Errorf("%s: %d checks, %v", name, calls, err)
		}
	}
}

// TestDecodeCopies checks that decoded values do not refer to the body.
func TestDecodeCopies(t *testing.T) {
	body := shapes[0].body(t)
	want, err := Decode(bytes.Clone(body), Tables, wanted)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(body, Tables, wanted)
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	if !reflect.DeepEqual(got, want) || len(got.Tables["issues"]) != shapes[0].items {
		t.Error("what was decoded has changed with the body")
	}
}

// TestUnwantedItems checks that items are skipped as soon as they are unwanted, and that invalid JSON is
// still an error.
func TestUnwantedItems(t *testing.T) {
	for body, fails := range map[string]bool{`[{"a":{"S":"x"}}, {"a":{"S":"y"}}]`: false,
		`[{"a":{"S":"x"}}, {"a"}]`: true} {
		d := &decoder{data: []byte(body), check: func() (bool, error) { return true, nil }}
		if items := d.items(); len(items) > 0 || (d.err != nil) != fails {
			t.Errorf("%s: %v, %v", body, items, d.err)
		}
	}
}
