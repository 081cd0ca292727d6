package validation_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"issuegrid/graph/validation"
	"issuegrid/test/tier"
)

const mergedSchema = `
type Query { a: A b: B node: Node u: U list: [Node] }
interface Node { id: ID! name: String f(x: Int, y: String): Int node: Node list: [Node!] }
interface Named { name: String f(x: Int, y: String): Int }
type A implements Node & Named { id: ID! name: String f(x: Int, y: String): Int node: Node list: [Node!] own: Int! a: A b: B g(list: [Int], in: In): Int }
type B implements Node & Named { id: ID! name: String f(x: Int, y: String): Int node: Node list: [Node!] own: String! a: A b: B g(list: [Int], in: In): Int }
union U = A | B
input In { x: Int list: [Int] }`

// validate parses a query and applies one rule to it.
func validate(t *testing.T, schema *ast.Schema, query string, rule core.Rule) gqlerror.List {
	t.Helper()
	doc, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		t.Fatalf("%v: %s", err, query)
	}
	return validator.ValidateWithRules(schema, doc, rules.NewRules(rule))
}

func TestMergeableFields(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: mergedSchema})
	rule := (&validation.Validator{Schema: schema, Fields: 500, Selections: 15_000}).MergeableFields()
	for _, c := range []struct{ query, says string }{
		{`{ a { id id } a { id name } }`, ""},
		{`{ a { x: id x: name } }`,
			`Fields "a" conflict because subfields "x" conflict because they return conflicting types "ID!" and "String"`},
		{`{ x: a { id } x: b { id } }`, `"a" and "b" are different fields`},
		{`{ a { f(x: 1) f(x: 2) } }`, "differing arguments"},
		{`{ a { f(x: 1) f } }`, "differing arguments"},
		{`{ a { f(x: 1, y: "a") f(y: "a", x: 1) } }`, ""},
		{`query($v: Int, $w: Int) { a { f(x: $v) f(x: $w) } }`, "differing arguments"},
		{`query($v: Int) { a { f(x: $v) f(x: $v) } }`, ""},
		{`{ a { f(y: "1") f(x: 1) } }`, "differing arguments"},
		// Fields of different object types with the same shape.
		{`{ node { ... on A { x: f(x: 1) } ... on B { x: f(x: 2) } } }`, ""},
		{`{ node { ... on A { x: f } ... on B { x: own } } }`, "conflicting types"},
		{`{ node { ... on A { own } ... on B { own } } }`, `"Int!" and "String!"`},
		{`{ node { ... on A { x: a { y: f(x: 1) } } ... on B { x: b { y: f(x: 2) } } } }`, ""},
		{`{ node { ... on A { x: a { y: id } } ... on B { x: b { y: name } } } }`, "conflicting types"},
		{`{ node { ... on A { x: a { y: id y: name } } } }`, "conflicting types"},
		// A field of an interface can belong to any type.
		{`{ node { ... on A { x: f(x: 1) } ... on Node { x: f(x: 2) } } }`, "differing arguments"},
		{`{ node { x: f(x: 1) ... on B { x: f(x: 2) } } }`, "differing arguments"},
		{`{ node { ... on Node { x: f(x: 1) } ... on Named { x: f(x: 2) } } }`, "differing arguments"},
		{
			`{ node { x: node { id } ... on A { x: node { y: f(x: 1) } } ... on B { x: node { y: f(x: 2) } } } }`,
			""},
		{`{ node { x: node { y: f } ... on A { x: node { y: f(x: 1) } } } }`, "differing arguments"},
		// Conflicts through fragments, through merging, and at any depth.
		{`{ ...F ...G } fragment F on Query { x: a { id } } fragment G on Query { x: b { id } }`,
			"different fields"},
		{`{ a { ...F } a { x: name } } fragment F on A { ...G } fragment G on A { x: id }`,
			"conflicting types"},
		{
			`{ a { a { a { ...F } } } a { a { ...G } } } fragment F on A { x: id } fragment G on A { a { x: own } }`,
			`subfields "a" conflict because subfields "a" conflict because subfields "x"`},
		{`{ a { ...F ...F ... { ...F } } } fragment F on A { x: id }`, ""},
		// Conflicts that the library does not find.
		{`{ a { g(list: [1]) g(list: [2]) } }`, "differing arguments"},
		{`{ a { g(in: {x: 1}) g(in: {x: 2}) } }`, "differing arguments"},
		{`{ a { g(in: {x: 1, list: [1, 2]}) g(in: {x: 1, list: [1, 2]}) } }`, ""},
		{`{ node { ... on A { x: a { id } } ... on B { x: id } } }`, "conflicting types"},
	} {
		t.Run(c.query, func(t *testing.T) {
			got := validate(t, schema, c.query, rule)
			switch {
			case c.says == "" && len(got) > 0:
				t.Error(got)
			case c.says != "" && (len(got) != 1 || !strings.Contains(got[0].Message, c.says) ||
				len(got[0].Locations) != 1):
				t.Errorf("%v, want %q", got, c.says)
			}
		})
	}
}

// mergedQuery writes random queries in which fields often have the same response name.
type mergedQuery struct {
	*rand.Rand
	fragments []string
	left      int // fields to write
}

func (q *mergedQuery) of(s ...string) string { return s[q.IntN(len(s))] }

func (q *mergedQuery) set(kind string, depth int) string {
	var b strings.Builder
	b.WriteString("{ __typename")
	for range 1 + q.IntN(3) {
		if q.left--; q.left < 0 {
			break
		}
		// Fields with and without a selection have different names, because the library does not compare
		// them.
		leaf, object := q.of("p: ", "q: ", ""), q.of("x: ", "y: ", "")
		fields := map[string][]string{"Query": {}, "U": {}, "Node": {"name", "id", "f", "f(x: 1)", "f(x: 2)"},
			"Named": {"name", "f", "f(x: 1)"}, "A": {"own", "id", "name", "f", "f(x: 1)"},
			"B": {"own", "id", "name", "f", "f(x: 1)"}}[kind]
		objects := map[string][]string{"Query": {"a A", "b B", "node Node", "u U", "list Node"},
			"Node": {"node Node", "list Node"}, "A": {"node Node", "list Node", "a A", "b B"},
			"B": {"node Node", "list Node", "a A", "b B"}}[kind]
		switch n := q.IntN(6); {
		case n < 2 && len(fields) > 0:
			b.WriteString(" " + leaf + q.of(fields...))
		case n < 4 && len(objects) > 0 && depth > 0:
			name, of, _ := strings.Cut(q.of(objects...), " ")
			b.WriteString(" " + object + name + q.set(of, depth-1))
		case n == 4 && kind != "Query":
			on := q.of("A", "B", "Node", "Named", "U", kind)
			if kind == "A" || kind == "B" {
				on = kind
			}
			b.WriteString(" ... on " + on + q.set(on, depth))
		case depth > 0:
			number := len(q.fragments)
			q.fragments = append(q.fragments, "")
			q.fragments[number] = fmt.Sprintf(" fragment F%d on %s %s", number, kind, q.set(kind, depth-1))
			b.WriteString(strings.Repeat(fmt.Sprintf(" ...F%d", number), 1+q.IntN(2)))
		}
	}
	return b.String() + " }"
}

// TestMergeableFieldsAgree compares the rule with the library's, which compares fields in pairs.
func TestMergeableFieldsAgree(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: mergedSchema})
	rule := (&validation.Validator{Schema: schema, Fields: 500, Selections: 15_000}).MergeableFields()
	conflicts, checked := 0, tier.Cases(1_000, 10_000)
	for seed := range checked {
		q := &mergedQuery{Rand: rand.New(rand.NewPCG(7, uint64(seed))), left: 4 + seed%24}
		query := q.set("Query", 5) + strings.Join(q.fragments, "")
		library, ours := validate(t, schema, query, rules.OverlappingFieldsCanBeMergedRule),
			validate(t, schema, query, rule)
		if (len(library) > 0) != (len(ours) > 0) {
			t.Fatalf("seed %d: %s\nthe library: %v\nhere: %v", seed, query, library, ours)
		}
		if len(ours) > 0 {
			conflicts++
		}
	}
	if conflicts < checked/10 || conflicts > checked*9/10 {
		t.Errorf("%d of %d queries have conflicts", conflicts, checked)
	}
}
