package validation

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// AtArguments replaces the names of variables at the beginning of the paths in err by the places where the
// operation uses the variables first: $i.name becomes input.name if the operation has the argument
// `input: $i`. So an input has the same path in a variable, in a literal, and in the errors of resolvers. A
// variable that the operation does not use keeps its name.
func AtArguments(doc *ast.QueryDocument, op *ast.OperationDefinition, err error) error {
	if err == nil || doc == nil || op == nil {
		return err
	}
	p := positions{doc: doc, of: map[string]string{}, seen: map[string]bool{}}
	p.set(op.SelectionSet)
	var all []error
	for _, e := range tracker.AllOf(err) {
		moved := *e
		if name, ok := strings.CutPrefix(moved.Path, "$"); ok {
			rest := ""
			if end := strings.IndexAny(name, ".["); end >= 0 {
				name, rest = name[:end], name[end:]
			}
			if at := p.of[name]; at != "" {
				moved.Path = at + rest
			}
		}
		all = append(all, &moved)
	}
	return tracker.Join(all...)
}

// positions finds the first argument, or part of one, that is each variable.
type positions struct {
	doc  *ast.QueryDocument
	of   map[string]string // by variable
	seen map[string]bool   // fragments
}

func (p *positions) set(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			p.arguments(s.Arguments, s.Directives)
			p.set(s.SelectionSet)
		case *ast.InlineFragment:
			p.arguments(nil, s.Directives)
			p.set(s.SelectionSet)
		case *ast.FragmentSpread:
			p.arguments(nil, s.Directives)
			if f := p.doc.Fragments.ForName(s.Name); f != nil && !p.seen[s.Name] {
				p.seen[s.Name] = true
				p.set(f.SelectionSet)
			}
		}
	}
}

func (p *positions) arguments(all ast.ArgumentList, directives ast.DirectiveList) {
	for _, a := range all {
		p.value(&place{name: a.Name}, a.Value)
	}
	for _, d := range directives {
		for _, a := range d.Arguments {
			p.value(&place{name: a.Name}, a.Value)
		}
	}
}

func (p *positions) value(at *place, v *ast.Value) {
	if v == nil {
		return
	}
	if v.Kind == ast.Variable && p.of[v.Raw] == "" {
		p.of[v.Raw] = at.String()
	}
	for i, child := range v.Children {
		inner := &place{outer: at, name: child.Name}
		if v.Kind == ast.ListValue {
			inner = &place{outer: at, index: i}
		}
		p.value(inner, child.Value)
	}
}
