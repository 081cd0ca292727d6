package graph_test

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// gift is a value for a place: the path of an argument or of a member, and what is put there.
type gift struct {
	path  string
	value any
}

// below returns the gifts at a path and below it.
func below(given []gift, path string) (out []gift) {
	for _, g := range given {
		if g.path == path || strings.HasPrefix(g.path, path+".") {
			out = append(out, g)
		}
	}
	return out
}

// arguments are those of a field that are required or given, with their parentheses.
func (b *builder) arguments(of *ast.Definition, f *ast.FieldDefinition, given []gift) string {
	var members object
	name := of.Name + "." + f.Name
	for _, arg := range f.Arguments {
		if len(below(given, arg.Name)) > 0 || arg.Type.NonNull && arg.DefaultValue == nil {
			members = append(members, member{arg.Name, b.value(name, arg.Name, arg.Type, given)})
		}
	}
	if members = accompanied(name, members); len(members) == 0 {
		return ""
	}
	text := literal(members)
	return "(" + text[1:len(text)-1] + ")"
}

// value is what is given at a path, or what a type requires there: of an input object what is required, and
// what leads to something that is given. In a list of objects each gift has an object of its own.
func (b *builder) value(of, path string, typ *ast.Type, given []gift) any {
	given = below(given, path)
	if len(given) > 0 && given[0].path == path {
		return given[0].value
	}
	if typ.Elem != nil {
		if len(given) < 2 {
			return []any{b.value(of, path, typ.Elem, given)}
		}
		list := []any{}
		for _, g := range given {
			list = append(list, b.value(of, path, typ.Elem, []gift{g}))
		}
		return list
	}
	d := b.schema.Types[typ.NamedType]
	if d.Kind != ast.InputObject {
		return b.plain(of, path, d)
	}
	var members object
	for _, f := range d.Fields {
		at := path + "." + f.Name
		switch inside := below(given, at); {
		case len(inside) > 0:
			members = append(members, member{f.Name, b.value(of, at, f.Type, inside)})
		case f.Type.NonNull && f.DefaultValue == nil && f.Name == "field":
			members = append(members, member{f.Name, b.field(path, given)})
		case f.Type.NonNull && f.DefaultValue == nil:
			members = append(members, member{f.Name, b.value(of, at, f.Type, nil)})
		}
	}
	return accompanied(d.Name, members)
}

// companions are members that inputs need where they have none but those in alone, though the schema does not
// say so: without, a request is refused before the attack is looked at.
var companions = map[string]struct {
	alone []string
	with  member
}{
	"CustomFieldFilter": {[]string{"field"}, member{"isNull", true}},
	"Project.cursorAt":  {[]string{"orderBy"}, member{"num", 1}},
	"ValueInput":        {nil, member{"text", "x"}},
	"IssueColumn":       {nil, member{"builtin", word("NAME")}},
}

func accompanied(of string, members object) object {
	c, ok := companions[of]
	if !ok || slices.ContainsFunc(members, func(m member) bool { return !slices.Contains(c.alone, m.name) }) {
		return members
	}
	return append(members, c.with)
}

// field is the id of the custom field that fits what is given beside it: for `value.date` one of dates.
func (b *builder) field(path string, given []gift) string {
	for _, g := range given {
		for _, name := range strings.Split(strings.TrimPrefix(g.path, path+"."), ".") {
			for _, kind := range tracker.FieldTypes {
				if members[kind] == name {
					return b.things.fields[kind]
				}
			}
		}
	}
	return b.things.fields[tracker.TypeText]
}

// plain is a value of a type that is no input object.
func (b *builder) plain(of, path string, d *ast.Definition) any {
	if d.Kind == ast.Enum {
		return word(d.EnumValues[0].Name)
	}
	switch d.Name {
	case "ID":
		return b.id(of, path)
	case "Int":
		return 1
	case "Float":
		return raw("1.5")
	case "Boolean":
		return true
	case "Int64":
		return "1"
	case "Date":
		return "2024-01-02"
	case "DateTime":
		return "2024-01-02T03:04:05Z"
	}
	return "x"
}

// id is the id of the thing that a place asks for, as far as names tell, and of a project where they do not.
func (b *builder) id(of, path string) string {
	parts := strings.Split(path, ".")
	for _, part := range slices.Backward(parts) {
		switch part {
		case "tenant":
			return b.things.tenant
		case "project":
			return b.things.project
		case "state", "states":
			return b.things.state
		case "option", "from", "into":
			return b.things.options[tracker.TypeSelect][0]
		case "options":
			if strings.Contains(of, "CustomField") {
				return b.things.options[tracker.TypeSelect][0]
			}
			return b.things.options[tracker.TypeMultiSelect][0]
		case "field", "fields":
			return b.things.fields[tracker.TypeText]
		}
	}
	switch {
	case strings.Contains(of, "restore"):
		return b.things.deleted
	case strings.Contains(of, "CustomField"), strings.HasSuffix(of, ".field"):
		return b.things.fields[tracker.TypeSelect]
	case strings.Contains(of, "ssue"):
		return b.things.issue
	case strings.Contains(of, "enant"):
		return b.things.tenant
	}
	return b.things.project
}
