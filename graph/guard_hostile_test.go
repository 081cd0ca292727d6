package graph_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/guard/guardtest"
)

// hostile maps the requests in testdata/hostile to a part of the error in the response. Unmodified gqlgen
// took up to minutes of CPU time for them, returned many megabytes, or panicked.
var hostile = map[string]string{
	"overlaps-nested":                  `"tenants":{"nodes":[]}`, // unusual, but valid
	"overlaps-of-one-field":            `"tenants":{"nodes":[]}`,
	"overlaps-of-fragments":            `"tenants":{"nodes":[]}`,
	"fragments-powers-of-two":          "Depth",
	"fragments-in-a-circle":            "spreads itself",
	"fragments-in-a-chain":             "Depth",
	"fragments-read-by-all-operations": "Operations",
	"fragments-around-names":           "12 x Fields x Fields",
	"literals-by-fragments":            "Values",
	"unknown-directive":                "Tokens",
	"unknown-names":                    "at most 20",
	"aliases":                          "Aliases",
	"names-in-paths":                   "Name",
	"numbers-beside-a-text":            "out of range",
	"deep-and-wide-literals":           "4 x Tokens",
	"a-variable-400-times":             "Values",
	"a-text-400-times":                 "Values",
	"deep-variables":                   "Nesting",
	"variables-looked-up":              "Tokens",
	"null-where-there-is-a-default":    "",
	"null-in-a-fragment":               "",
	"values":                           "Values",
	"half-of-it":                       "not a JSON object",
	"introspection-aliases":            "Introspection",
	"introspection-descriptions":       "Introspection",
	"comments":                         "Tokens",
}

func TestHostile(t *testing.T) {
	db, wire := dynamotest.Open(t)
	h := handler(db)
	files, err := filepath.Glob("testdata/hostile/*.json")
	if err != nil || len(files) != len(hostile) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wire.Reset()
			w, cost := cost(t, guardtest.Attack{Body: string(body)}, h)
			if err := harmless(w); err != nil {
				t.Errorf("%v: %.500s", err, w.Body)
			}
			if cost > cpuLimit {
				t.Errorf("it costs %v", cost)
			}
			says, ok := hostile[name]
			if !ok || !strings.Contains(w.Body.String(), says) {
				t.Errorf("%.500s does not contain %q", w.Body, says)
			}
			if calls := wire.Calls(); len(calls) > 0 && !strings.HasPrefix(name, "overlaps") {
				t.Errorf("calls %v, want none", calls)
			}
		})
	}
}

// TestQueryBeforeVariables checks that variables are coerced only to what a valid query defines: not once for
// each of many definitions, nor to types that no argument has.
func TestQueryBeforeVariables(t *testing.T) {
	db, _ := dynamotest.Open(t)
	h := handler(db)
	for _, c := range [][2]string{
		{"$x: [Int] $x: [Int]", "There can be only one variable named"},
		{strings.Repeat("$x: [Int] ", 400), "used in position expecting type"},
		{"$x: " + strings.Repeat("[", 38) + "ID" + strings.Repeat("]", 38),
			"used in position expecting type"},
	} {
		defined, says := c[0], c[1]
		w := made(guardtest.Query("query("+defined+") { nodes(ids: $x) { id } }",
			map[string]any{"x": []any{"a", map[string]any{}}}), h)
		if err := harmless(w); err != nil {
			t.Error(err)
		}
		if body := w.Body.String(); !strings.Contains(body, says) || strings.Contains(body, "ids") {
			t.Errorf("%.60s: %.300s", defined, body)
		}
	}
}

// FuzzBody sends any body. The response must be data or errors with a code other than INTERNAL.
func FuzzBody(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(guardtest.Families)) {
		for seed := range uint64(30) {
			if a := guardtest.New(name, seed); len(a.Body) < 4000 && a.URL == "" {
				f.Add(a.Body)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		body, err := os.ReadFile("testdata/hostile/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		if len(body) < 10_000 {
			f.Add(string(body))
		}
	}
	db, _ := dynamotest.Open(f)
	h := handler(db)
	f.Fuzz(func(t *testing.T, body string) {
		w := made(guardtest.Attack{Body: body}, h)
		if err := harmless(w); err != nil {
			t.Errorf("%v: %.1000s", err, w.Body)
		}
	})
}
