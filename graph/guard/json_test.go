package guard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"issuegrid/graph/guard"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestJSONBody checks the count of the values of random JSON that arrives in pieces of any size.
func TestJSONBody(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	l := guard.DefaultLimits()
	var random func(depth int) (any, int)
	random = func(depth int) (any, int) {
		texts := []any{1, -1.5e9, true, nil, "", `"`, `\`, "a,b:{[", "é\u0000", `\"`}
		n, values := r.IntN(5), 1
		switch kind := r.IntN(3); {
		case depth == 0 || kind == 0:
			return texts[r.IntN(len(texts))], 1
		case kind == 1:
			list := []any{}
			for range n {
				v, inner := random(depth - 1)
				list, values = append(list, v), values+inner
			}
			return list, values
		default:
			object := map[string]any{}
			for i := range n {
				v, inner := random(depth - 1)
				object[fmt.Sprint(`":,{`, i)] = v
				values += inner
			}
			return object, values
		}
	}
	for range tier.Cases(200, 2000) {
		v, want := random(6)
		text, err := json.MarshalIndent(map[string]any{"v": v}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		got, err := guard.ReadJSON(iotest.OneByteReader(bytes.NewReader(text)), l)
		if err != nil || got != want+1 {
			t.Fatalf("%d values, want %d; %v: %s", got, want+1, err, text)
		}
	}
	for body, says := range map[string]string{
		"[" + strings.Repeat("1,", l.Values) + "1]": "15000 values",
		strings.Repeat("[", l.Nesting+3):            "40 lists and objects",
		strings.Repeat(`{"a":`, l.Nesting+3):        "40 lists and objects",
		strings.Repeat("[],", l.Values+1):           "15000 values", strings.Repeat(`"",`, l.Values+1): "",
		"]]]]}}}}\xff": "",
	} {
		_, err := guard.ReadJSON(strings.NewReader(body), l)
		if says == "" && err != nil || says != "" &&
			(tracker.CodeOf(err) != tracker.BadInput || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.20s: %v, want %q", body, err, says)
		}
	}
}

// TestDuplicateMembers compares the detection of duplicate names with a map, for random objects.
func TestDuplicateMembers(t *testing.T) {
	l := guard.DefaultLimits()
	rapid.Check(t, func(t *rapid.T) {
		twice := false
		var object func(depth int) string
		object = func(depth int) string {
			seen, out := map[string]bool{}, []string{}
			for range rapid.IntRange(0, 24).Draw(t, "members") {
				name := fmt.Sprint(rapid.IntRange(0, 150).Draw(t, "name"))
				twice = twice || seen[name]
				seen[name] = true
				value := rapid.SampledFrom([]string{"1", "null", `"x"`, `"\"a\":"`, "[]", "{}"}).Draw(t,
					"value")
				if depth > 0 && rapid.IntRange(0, 5).Draw(t, "deep") == 0 {
					value = "[" + object(depth-1) + "," + object(depth-1) + "]"
				}
				out = append(out, `"`+name+`": `+value)
			}
			return "{" + strings.Join(out, ",") + "}"
		}
		body := object(2)
		_, err := guard.ReadJSON(strings.NewReader(body), l)
		if (err != nil) != twice {
			t.Fatalf("%v: %s", err, body)
		}
	})
}
