package graph_test

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// route is a way from an argument to an input object: the operation, with a variable $v in place of the
// object, and the path of the object.
type route struct{ query, path string }

// routes returns a route to every input object of the schema.
func routes(schema *ast.Schema, project string) map[string]route {
	out := map[string]route{}
	type step struct {
		kind *ast.Type
		// text returns the argument with a literal in place of the object.
		text func(literal string) string
		path string
	}
	var next []step
	for _, f := range schema.Mutation.Fields {
		for _, a := range f.Arguments {
			next = append(next, step{a.Type, func(literal string) string {
				return fmt.Sprintf("mutation($v: §) { %s(%s: %s) { __typename } }", f.Name, a.Name, literal)
			}, a.Name})
		}
	}
	for _, name := range []string{"issues", "cursorAt", "groups"} {
		for _, a := range schema.Types["Project"].Fields.ForName(name).Arguments {
			selection := map[string]string{"issues": "{ totalCount }", "cursorAt": "",
				"groups": "{ totalCount }"}[name]
			next = append(next, step{a.Type, func(literal string) string {
				return fmt.Sprintf(
					"query($v: §) { project(id: %q) { %s(%s: %s) %s } }",
					project,
					name,
					a.Name,
					literal,
					selection,
				)
			}, a.Name})
		}
	}
	for _, a := range schema.Types["Issue"].Fields.ForName("comments").Arguments {
		next = append(next, step{a.Type, func(literal string) string {
			return fmt.Sprintf(`query($v: §) { project(id: %q) { issue: issueByNum(num: 1) { comments(%s: %s) { totalCount }
				} } }`, project, a.Name, literal)
		}, a.Name})
	}
	for _, a := range schema.Types["Viewer"].Fields.ForName("issues").Arguments {
		next = append(next, step{a.Type, func(literal string) string {
			return fmt.Sprintf("query($v: §) { viewer { issues(%s: %s) { totalCount } } }", a.Name, literal)
		}, a.Name})
	}
	for len(next) > 0 {
		s := next[0]
		next = next[1:]
		open, end := "", ""
		for t := s.kind; t.Elem != nil; t = t.Elem {
			open, end = open+"[", end+"]"
			s.path += "[0]"
		}
		d := schema.Types[s.kind.Name()]
		if _, known := out[d.Name]; known || d.Kind != ast.InputObject {
			continue
		}
		out[d.Name] = route{strings.Replace(s.text(open+"$v"+end), "§", d.Name+"!", 1), s.path}
		for _, member := range d.Fields {
			next = append(next, step{member.Type, func(literal string) string {
				given := []string{member.Name + ": " + literal}
				for _, f := range d.Fields {
					if f != member && f.Type.NonNull && f.DefaultValue == nil {
						given = append(given, f.Name+": "+literalOfType(schema, f.Type))
					}
				}
				return s.text(open + "{" + strings.Join(given, ", ") + "}" + end)
			}, s.path + "." + member.Name})
		}
	}
	return out
}

// literalOfType returns a literal that a type accepts.
func literalOfType(schema *ast.Schema, t *ast.Type) string {
	if t.Elem != nil {
		return "[]"
	}
	switch d := schema.Types[t.NamedType]; d.Kind {
	case ast.Enum:
		return d.EnumValues[0].Name
	case ast.InputObject:
		var given []string
		for _, f := range d.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				given = append(given, f.Name+": "+literalOfType(schema, f.Type))
			}
		}
		return "{" + strings.Join(given, ", ") + "}"
	}
	return map[string]string{"Boolean": "true", "Int": "1", "Int64": "1", "Float": "1",
		"Date":     `"2026-01-31"`,
		"DateTime": `"2026-01-31T09:30:00Z"`}[t.NamedType] + map[string]string{"ID": `"x"`,
		"String": `"x"`}[t.NamedType]
}
