package guard_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/test/tier"
)

// parsedSizes are the sizes of a parsed query.
type parsedSizes struct {
	guard.Sizes
	doc    *ast.QueryDocument
	around []string // enclosing fragments
	cycle  bool
}

// sizesOf counts the sizes of a parsed query with its fragments expanded. It reports false for fragment
// cycles.
func sizesOf(doc *ast.QueryDocument) (guard.Sizes, bool) {
	p := &parsedSizes{doc: doc}
	p.Operations, p.Fragments = len(doc.Operations), len(doc.Fragments)
	for _, o := range doc.Operations {
		p.variables(o.VariableDefinitions)
		p.directives(o.Directives)
		p.written(o.SelectionSet)
		p.Selections += p.selections(o.SelectionSet, 1)
	}
	for _, f := range doc.Fragments {
		p.variables(f.VariableDefinition)
		p.directives(f.Directives)
		p.written(f.SelectionSet)
		p.around = []string{f.Name}
		p.selections(f.SelectionSet, 1)
		p.around = nil
	}
	return p.Sizes, !p.cycle
}

func (p *parsedSizes) variables(all ast.VariableDefinitionList) {
	p.Variables += len(all)
	for _, v := range all {
		levels := 0
		for t := v.Type; t.Elem != nil; t = t.Elem {
			levels++
		}
		p.Nesting = max(p.Nesting, levels)
		p.input(v.DefaultValue, 0)
		p.directives(v.Directives)
	}
}

func (p *parsedSizes) directives(all ast.DirectiveList) {
	p.Directives += len(all)
	for _, d := range all {
		p.arguments(d.Arguments)
	}
}

func (p *parsedSizes) arguments(all ast.ArgumentList) {
	for _, a := range all {
		p.input(a.Value, 0)
	}
}

func (p *parsedSizes) input(v *ast.Value, around int) {
	if v == nil {
		return
	}
	if v.Kind == ast.ListValue || v.Kind == ast.ObjectValue {
		around++
	}
	p.Nesting = max(p.Nesting, around)
	for _, c := range v.Children {
		p.input(c.Value, around)
	}
}

// written counts what occurs in the source once.
func (p *parsedSizes) written(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if s.Alias != s.Name {
				p.Aliases++
			}
			p.arguments(s.Arguments)
			p.directives(s.Directives)
			p.written(s.SelectionSet)
		case *ast.InlineFragment:
			p.directives(s.Directives)
			p.written(s.SelectionSet)
		case *ast.FragmentSpread:
			p.directives(s.Directives)
		}
	}
}

// selections counts the selections with fragments expanded, up to a limit.
func (p *parsedSizes) selections(set ast.SelectionSet, depth int) int {
	p.Depth = max(p.Depth, depth)
	n := len(set)
	for _, s := range set {
		if n > 1<<20 || p.cycle {
			p.cycle = true
			return n
		}
		switch s := s.(type) {
		case *ast.Field:
			if len(s.SelectionSet) > 0 {
				n += p.selections(s.SelectionSet, depth+1)
			}
		case *ast.InlineFragment:
			n += p.selections(s.SelectionSet, depth+1)
		case *ast.FragmentSpread:
			f := p.doc.Fragments.ForName(s.Name)
			if f == nil {
				continue
			}
			if slices.Contains(p.around, f.Name) {
				p.cycle = true
				return n
			}
			p.around = append(p.around, f.Name)
			n += p.selections(f.SelectionSet, depth+1)
			p.around = p.around[:len(p.around)-1]
		}
	}
	return n
}

// TestOutline checks that the sizes counted from tokens equal those of the parsed query, for the queries of
// all attacks, and that both agree on what can be parsed.
func TestOutline(t *testing.T) {
	l := guard.DefaultLimits()
	compared := map[string]int{}
	names := slices.Sorted(maps.Keys(guardtest.Families))
	for i := range tier.Cases(100, 1000) {
		family := names[i%len(names)]
		var request struct{ Query string }
		if json.Unmarshal([]byte(guardtest.New(family, uint64(i)).Body), &request) != nil {
			continue
		}
		doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: request.Query}, l.Tokens+1)
		got, refused := guard.SizesOf(request.Query, l)
		if err != nil || refused != nil || len(doc.Operations)+len(doc.Fragments) > l.Operations+l.Fragments {
			continue
		}
		want, measurable := sizesOf(doc)
		if !measurable {
			continue
		}
		if got == nil {
			t.Fatalf("%s, seed %d: no outline of a valid query: %.300s", family, i, request.Query)
		}
		if got.Aliases >= want.Aliases { // the parsed query does not show aliases that equal the field's name
			want.Aliases = got.Aliases
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Fatalf("%s, seed %d (-parsed +tokens):\n%s%.300s", family, i, diff, request.Query)
		}
		compared[family]++
	}
	if len(compared) < 30 {
		t.Errorf("compared only %v", compared)
	}
}
