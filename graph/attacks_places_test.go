package graph_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// spot is a position for a value: an argument of a field or a member, at any depth, of its input. A recursive
// input is entered once.
type spot struct {
	of    *ast.Definition
	field *ast.FieldDefinition
	path  string // the argument and the members on the way, separated by dots
	typ   *ast.Type
}

// argument returns the name of the spot's argument as used in the names of families.
func (s spot) argument() string {
	argument, _, _ := strings.Cut(s.path, ".")
	return s.of.Name + "." + s.field.Name + " " + argument
}

func (s spot) String() string { return s.of.Name + "." + s.field.Name + "(" + s.path + ")" }

// mutates reports whether a request for the spot may write.
func (s spot) mutates() bool { return s.of.Name == "Mutation" }

// builder writes requests from the schema. It uses the IDs of things where the schema requires a value that
// an attack does not have.
type builder struct {
	schema *ast.Schema
	things *things
	ways   map[string][]way
}

// spots returns all spots in the arguments of fields that a query or a mutation can reach.
func (b *builder) spots() (all []spot) {
	var within func(s spot, seen []string)
	within = func(s spot, seen []string) {
		all = append(all, s)
		d := b.schema.Types[s.typ.Name()]
		if d.Kind != ast.InputObject || slices.Contains(seen, d.Name) {
			return
		}
		for _, f := range d.Fields {
			within(spot{s.of, s.field, s.path + "." + f.Name, f.Type}, append(slices.Clone(seen), d.Name))
		}
	}
	for _, d := range ofOurs(b.schema) {
		if d.Kind != ast.Object {
			continue
		}
		for _, f := range d.Fields {
			for _, arg := range f.Arguments {
				if d == b.schema.Query && strings.HasPrefix(f.Name, "__") {
					continue // introspection has separate families
				}
				within(spot{d, f, arg.Name, arg.Type}, nil)
			}
		}
	}
	return all
}

// way is a path from the root to objects of a type.
type way struct {
	steps []step
	rows  bool // it passes a list, so there are many objects
}

// step is a field, or a type condition, which has no field.
type step struct {
	of    *ast.Definition
	field *ast.FieldDefinition
}

// longestWay is the maximum number of steps of a way.
const longestWay = 6

// pageOnWay is the size of the pages on a way.
const pageOnWay = 100

// waysTo finds the shortest ways from the root to each type: one to a single object, and one through lists.
// It passes an interface, such as that of Query.node, only if no other way leads to a type, because the
// object found may have another type.
func waysTo(schema *ast.Schema) map[string][]way {
	found := map[string][]way{"Query": {{}}, "Mutation": {{}}}
	type stop struct {
		at *ast.Definition
		way
	}
	open := []stop{{at: schema.Query}}
	for _, interfaces := range []bool{false, true} {
		seen := map[string]bool{}
		for next := open; len(next) > 0; next = next[1:] {
			w := next[0]
			if len(w.steps) == longestWay {
				continue
			}
			enter := func(to *ast.Definition, s step, list bool) {
				n := way{append(slices.Clone(w.steps), s), w.rows || list}
				if key := fmt.Sprint(to.Name, n.rows); !seen[key] {
					seen[key] = true
					next = append(next, stop{to, n})
					if !slices.ContainsFunc(found[to.Name], func(known way) bool {
						return !n.rows || known.rows
					}) {
						found[to.Name] = append(found[to.Name], n)
					}
				}
			}
			if w.at.IsAbstractType() {
				for _, possible := range schema.GetPossibleTypes(w.at) {
					enter(possible, step{of: possible}, false)
				}
			}
			for _, f := range w.at.Fields {
				to := schema.Types[f.Type.Name()]
				if to.IsCompositeType() && !strings.HasPrefix(f.Name, "__") &&
					(interfaces || !to.IsAbstractType()) {
					enter(to, step{w.at, f}, f.Type.Elem != nil)
				}
			}
		}
	}
	return found
}

// along wraps a selection in the steps of a way. Alias names the first step, so that a request can contain
// several ways.
func (b *builder) along(w way, alias, selection string) string {
	for i := len(w.steps) - 1; i >= 0; i-- {
		s := w.steps[i]
		if s.field == nil {
			selection = "... on " + s.of.Name + " {" + selection + "}"
			continue
		}
		var given []placement
		for _, arg := range s.field.Arguments {
			switch {
			case arg.Name == "first":
				given = append(given, placement{"first", pageOnWay})
			case arg.Type.Elem != nil && arg.Type.Name() == "ID":
				given = append(given, placement{arg.Name, listOf(b.things.issues)})
			}
		}
		selection = s.field.Name + b.arguments(s.of, s.field, given) + " {" + selection + "}"
		if i == 0 {
			selection = alias + ": " + selection
		}
	}
	return selection
}

func listOf[T any](of []T) []any {
	out := make([]any, len(of))
	for i, v := range of {
		out[i] = v
	}
	return out
}
