package graph_test

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// placement is a value and the path of the argument or input member to set to it.
type placement struct {
	path  string
	value any
}

// below returns the placements at a path and below it.
func below(given []placement, path string) (out []placement) {
	for _, g := range given {
		if g.path == path || strings.HasPrefix(g.path, path+".") {
			out = append(out, g)
		}
	}
	return out
}

// arguments returns the arguments of a field, with parentheses: those that are required and those that are
// given.
func (b *builder) arguments(of *ast.Definition, f *ast.FieldDefinition, given []placement) string {
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

// value returns the value to send at a path: the given one, or what the type requires. An input object gets
// its required members and those on the path of a placement. In a list of objects each placement has its own
// object.
func (b *builder) value(of, path string, typ *ast.Type, given []placement) any {
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
			list = append(list, b.value(of, path, typ.Elem, []placement{g}))
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
		case f.Type.NonNull && f.DefaultValue == nil && f.Name == "fieldId":
			members = append(members, member{f.Name, b.field(path, given)})
		case f.Type.NonNull && f.DefaultValue == nil:
			members = append(members, member{f.Name, b.value(of, at, f.Type, nil)})
		}
	}
	return accompanied(d.Name, members)
}

// companions are members that an input needs although the schema does not require them, unless it has one of
// the members in alone. Without them a request is refused before the attack is examined.
var companions = map[string]struct {
	alone []string
	with  member
}{
	"CustomFieldFilter":       {[]string{"field"}, member{"isNull", true}},
	"Project.cursorAt":        {[]string{"orderBy"}, member{"num", 1}},
	"ValueInput":              {nil, member{"text", "x"}},
	"IssueColumn":             {nil, member{"builtin", word("NAME")}},
	"MoveTargetInput":         {nil, member{"end", true}},
	"MergeOptionsTargetInput": {nil, member{"none", true}},
}

func accompanied(of string, members object) object {
	c, ok := companions[of]
	if !ok || slices.ContainsFunc(members, func(m member) bool { return !slices.Contains(c.alone, m.name) }) {
		return members
	}
	return append(members, c.with)
}

// field returns the ID of a custom field whose type fits the given value: for `value.date`, a field of dates.
func (b *builder) field(path string, given []placement) string {
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

// plain returns a value of a type that is not an input object.
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

// id returns an ID of the kind that the name at the path suggests, or else of a project.
func (b *builder) id(of, path string) string {
	parts := strings.Split(path, ".")
	for _, part := range slices.Backward(parts) {
		switch part {
		case "tenantId":
			return b.things.tenant
		case "projectId":
			return b.things.project
		case "state", "stateId":
			return b.things.state
		case "option", "optionId", "fromIds", "intoId":
			return b.things.options[tracker.TypeSelect][0]
		case "options", "optionIds", "addOptionIds", "removeOptionIds":
			return b.things.options[tracker.TypeMultiSelect][0]
		case "fieldId", "fieldIds":
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
