package client

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// randomJSON writes valid responses that no engine would send: in any order, with white space, escapes, and
// unknown members of every kind.
type randomJSON struct {
	*rapid.T
	strings.Builder
}

var (
	someSpaces = rapid.SampledFrom([]string{"", "", "", "", " ", "\n\t", " \r\n  "})
	// pieces are parts of JSON strings.
	somePieces = rapid.SampledFrom([]string{"", "a", "PK", "longer than one word of 8 bytes", "é", "\u2028",
		"\U0001f600", "\x7f", "\xff", "\xed\xa0\x80", "\xe2\x82",
		`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0000`, `\u001F`, `\u00e9`, `\uFFFD`,
		`\ud83d\ude00`, `\ud83d`, `\ude00`, `\uD800\u0041`})
	someNumbers = rapid.SampledFrom([]string{"0", "-0", "7", "-12.50", "1e3", "0.1E-7", "2147483647",
		"99999999999999999999999999999999999999"})
	someNames = rapid.SampledFrom([]string{"PK", "SK", "values", "f1", "f2", `\u0066\u0031`, "é", ""})
)

func (w *randomJSON) put(tokens ...string) {
	for _, token := range tokens {
		w.WriteString(someSpaces.Draw(w.T, "space"))
		w.WriteString(token)
	}
}

func (w *randomJSON) often(label string) bool { return rapid.IntRange(0, 9).Draw(w.T, label) > 0 }

func (w *randomJSON) text() string {
	return `"` + strings.Join(rapid.SliceOfN(somePieces, 0, 5).Draw(w.T, "text"), "") + `"`
}

// members writes up to 4 members of an object or array.
func (w *randomJSON) members(open, end string, member func()) {
	w.put(open)
	for n := rapid.IntRange(0, 4).Draw(w.T, "members"); n > 0; n-- {
		if member(); n > 1 {
			w.put(",")
		}
	}
	w.put(end)
}

// unknown writes any JSON.
func (w *randomJSON) unknown(depth int) {
	switch kind := rapid.IntRange(0, 5).Draw(w.T, "kind"); {
	case kind == 0 && depth > 0:
		w.members("{", "}", func() { w.put(w.text(), ":"); w.unknown(depth - 1) })
	case kind == 1 && depth > 0:
		w.members("[", "]", func() { w.unknown(depth - 1) })
	case kind == 2:
		w.put(someNumbers.Draw(w.T, "number"))
	case kind == 3:
		w.put(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(w.T, "word"))
	default:
		w.put(w.text())
	}
}

// value writes an attribute value, rarely null or of the wrong type.
func (w *randomJSON) value(depth int) {
	if !w.often("value") {
		w.put("null")
		return
	}
	w.put("{")
	if !w.often("plain") {
		w.put(`"New"`, ":")
		w.unknown(2)
		w.put(",", `"NS"`, ":", "null", ",")
	}
	kinds := []string{"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}
	if depth == 0 {
		kinds = kinds[:8]
	}
	kind := rapid.SampledFrom(kinds).Draw(w.T, "type")
	w.put(`"`+kind+`"`, ":")
	switch {
	case rapid.IntRange(0, 199).Draw(w.T, "wrong") == 0:
		w.put(`7`)
	case kind == "S":
		w.put(w.text())
	case kind == "N":
		w.put(`"` + someNumbers.Draw(w.T, "number") + `"`)
	case kind == "B":
		w.blob()
	case kind == "BOOL" || kind == "NULL":
		w.put(rapid.SampledFrom([]string{"true", "false"}).Draw(w.T, "bool"))
	case kind == "SS" || kind == "NS":
		w.members("[", "]", func() { w.put(w.text()) })
	case kind == "BS":
		w.members("[", "]", w.blob)
	case kind == "L":
		w.members("[", "]", func() { w.value(depth - 1) })
	default:
		w.item(depth - 1)
	}
	if !w.often("alone") {
		w.put(",", `"Newer"`, ":")
		w.unknown(1)
	}
	w.put("}")
}

func (w *randomJSON) blob() {
	w.put(`"` + base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(w.T, "bytes")) +
		`"`)
}

func (w *randomJSON) item(depth int) {
	w.members("{", "}", func() { w.put(`"`+someNames.Draw(w.T, "name")+`"`, ":"); w.value(depth) })
}

func (w *randomJSON) items() {
	w.members("[", "]", func() {
		if w.often("item") {
			w.item(3)
		} else {
			w.put("null")
		}
	})
}

// response writes the response to an operation.
func (w *randomJSON) response(operation string) string {
	all := []string{"New", "ConsumedCapacity", "Count", "ScannedCount", "LastEvaluatedKey", "Items", "Items"}
	if operation == "BatchGetItem" {
		all = []string{"New", "ConsumedCapacity", "UnprocessedKeys", "Responses", "Responses"}
	}
	w.members("{", "}", func() {
		name := rapid.SampledFrom(all).Draw(w.T, "member")
		w.put(`"`+name+`"`, ":")
		switch {
		case !w.often("member"):
			w.put("null")
		case name == "Items":
			w.items()
		case name == "Responses":
			w.members("{", "}", func() { w.put(w.text(), ":"); w.items() })
		case name == "LastEvaluatedKey":
			w.item(0)
		case name == "UnprocessedKeys":
			w.members("{", "}", func() {
				w.put(w.text(), ":", `{"ConsistentRead":true,"Keys":`)
				w.items()
				w.put("}")
			})
		case name == "ConsumedCapacity" && operation == "BatchGetItem":
			w.members("[", "]", w.capacity)
		case name == "ConsumedCapacity":
			w.capacity()
		case name == "New":
			w.unknown(4)
		default:
			w.put(someNumbers.Draw(w.T, "count"))
		}
	})
	w.put("")
	return w.String()
}

func (w *randomJSON) capacity() {
	w.put("{", `"CapacityUnits"`, ":", someNumbers.Draw(w.T, "units"), ",", `"Table"`, ":", "{",
		`"ReadCapacityUnits"`, ":", "0.5", "}", "}")
}

// TestDecodeRandomLikeSDK decodes random responses, intact and damaged.
func TestDecodeRandomLikeSDK(t *testing.T) {
	decoded := 0
	rapid.Check(t, func(t *rapid.T) {
		operation := rapid.SampledFrom([]string{"BatchGetItem", "Query"}).Draw(t, "operation")
		body := (&randomJSON{T: t}).response(operation)
		if agree(t, operation, body) {
			decoded++
		}
		at := rapid.IntRange(0, len(body)).Draw(t, "at")
		agree(t, operation, body[:at], typeless)
		other := rapid.SampledFrom([]string{"", `"`, `\`, "{", "}", "[", "]", ",", ":", "0", "-", "null", "n",
			"\x00", "\n", "\xff", `"S":`}).Draw(t, "other")
		agree(t, operation, body[:at]+other+
			body[min(at+rapid.IntRange(0, 2).Draw(t, "instead of"), len(body)):], typeless)
	})
	if decoded == 0 {
		t.Error("no response was decoded")
	}
}

// FuzzDecode decodes any bytes as the response to each operation.
func FuzzDecode(f *testing.F) {
	f.Add(
		`{"Items":[{"a":{"L":[{"N":"1"},{"M":{"b":{"BS":["AQ=="]}}}]},"c":{"SS":["x\u00e9\ud83d"]}}],"Count":1,"LastEvaluatedKey":{"a":{"BOOL":true}}}`)
	f.Add(
		`{"Responses":{"t":[{"a":{"S":"x"}},null]},"UnprocessedKeys":{"t":{"Keys":[{"a":{"NULL":true}}]}},"New":[-0.5e+7,false]}`)
	f.Fuzz(func(t *testing.T, body string) {
		for operation := range membersOfItems {
			agree(t, operation, body, typeless)
		}
	})
}
