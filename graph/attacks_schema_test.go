package graph_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// TestAttacksReachTheSchema checks that the generated attacks send a value for every argument and every input
// member of the schema, in requests that are valid except for the value.
func TestAttacksReachTheSchema(t *testing.T) {
	schema := schemaFile(t)
	p := scriptsProject()
	g := newGenerator(schema, thingsOf(&p), thingsOf(&p))
	reached := map[string]bool{}
	for _, s := range g.spots() {
		given := []placement{{s.path, g.value(s.of.Name+"."+s.field.Name, s.path, s.typ, nil)}}
		a := operationOf(s, "", "", g.along(g.wayTo(s, false), "p", g.use(s, given, g.little(s))), "")
		var sent struct{ Query string }
		if err := json.Unmarshal([]byte(a.Body), &sent); err != nil {
			t.Fatal(err)
		}
		query, errs := gqlparser.LoadQueryWithRules(schema, sent.Query, rules.NewDefaultRules())
		if errs != nil {
			t.Errorf("%s: %v: %s", s, errs, sent.Query)
			continue
		}
		reachedBy(query.Operations[0].SelectionSet, reached)
		if !slices.ContainsFunc(kinds, func(k kind) bool { return k.fits(g, s) }) {
			t.Errorf("no kind of value fits %s", s)
		}
	}
	n := 0
	for _, place := range placesOf(schema) {
		if n++; !reached[place] {
			t.Errorf("nothing attacks %s", place)
		}
	}
	if n < 200 {
		t.Errorf("only %d places", n)
	}
	t.Logf("%d arguments and members of inputs, at %d places", n, len(g.spots()))
}

// placesOf returns all arguments and input members of the schema, as Type.field(argument) and Type.member.
func placesOf(schema *ast.Schema) (all []string) {
	for _, d := range ofOurs(schema) {
		for _, f := range d.Fields {
			if d.Kind == ast.InputObject {
				all = append(all, d.Name+"."+f.Name)
			}
			for _, arg := range f.Arguments {
				if !strings.HasPrefix(f.Name, "__") {
					all = append(all, d.Name+"."+f.Name+"("+arg.Name+")")
				}
			}
		}
	}
	return all
}

// reachedBy adds the places for which a selection has values.
func reachedBy(set ast.SelectionSet, reached map[string]bool) {
	var within func(v *ast.Value)
	within = func(v *ast.Value) {
		for _, child := range v.Children {
			if v.Kind == ast.ObjectValue {
				reached[v.Definition.Name+"."+child.Name] = true
			}
			within(child.Value)
		}
	}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			for _, arg := range s.Arguments {
				reached[s.ObjectDefinition.Name+"."+s.Name+"("+arg.Name+")"] = true
				within(arg.Value)
			}
			reachedBy(s.SelectionSet, reached)
		case *ast.InlineFragment:
			reachedBy(s.SelectionSet, reached)
		}
	}
}
