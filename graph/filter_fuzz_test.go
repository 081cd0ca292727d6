package graph_test

import (
	"encoding/json"
	"testing"

	"issuegrid/tracker"
)

// FuzzFilter sends any literal as the filter of a grid. The response must be data or errors with a code other
// than INTERNAL, and nothing may be written.
func FuzzFilter(f *testing.F) {
	for _, where := range []string{`{}`, `{name: {contains: "x"}}`,
		`{and: [{num: {gt: 3}}, {not: {state: {in: ["a"]}}}]}`,
		`{fields: [{fieldId: "x", text: {startsWith: "é"}}]}`,
		`{or: []}`, `{num: {between: {from: 9, to: 1}}}`, `{createdAt: {lt: "2024-02-30T00:00:00Z"}}`,
		`{name: {in: ["", "\u0000"]}}`, `[{}]`, `null`, `{num: {eq: 99999999999}}`, `{name: {eq: null}}`} {
		f.Add(where)
	}
	s := newServer(f)
	w := newWorld(f, s)
	w.create(f, "An issue", w.inputs(w.full()))
	f.Fuzz(func(t *testing.T, where string) {
		a := w.post(t, `query($p: ID!) { project(id: $p) { issues(first: 3, where: `+where+
			`) { totalCount nodes { num } } } }`, map[string]any{"p": w.project})
		var got answer
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatalf("%v: %.300s", err, a.body)
		}
		for _, e := range got.Errors {
			if code := e.Extensions["code"]; code == nil || code == string(tracker.InternalErr) {
				t.Errorf("%+v", e)
			}
		}
	})
}
