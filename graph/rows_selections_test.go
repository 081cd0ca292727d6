package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"issuegrid/internal/sample"
)

// selections generates random operations on grids. Aliases are numbered, so that no two selections conflict.
type selections struct {
	t      *rapid.T
	schema *ast.Schema
	// valueTypes are the names of the types of values.
	valueTypes []string
	p          *sample.Project
	other      *sample.Project // its fields are not in p
	variables  map[string]any
	defined    []string
	fragments  []string
	heads      map[string][]string // fields that may be repeated, by type
	count      int
}

func (g *selections) draw(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.t, what) }

func (g *selections) chance(percent int, what string) bool { return g.draw(100, what) < percent }

func (g *selections) next(prefix string) string {
	g.count++
	return fmt.Sprint(prefix, g.count)
}

// variable defines a variable and returns its name.
func (g *selections) variable(kind string, value any) string {
	name := g.next("v")
	g.defined = append(g.defined, "$"+name+": "+kind)
	g.variables[name] = value
	return "$" + name
}

func (g *selections) directive() string {
	switch g.draw(12, "directive") {
	case 0:
		return " @skip(if: true)"
	case 1:
		return " @include(if: false)"
	case 2:
		return " @skip(if: false) @include(if: true)"
	case 3:
		return fmt.Sprintf(" @include(if: %s)", g.variable("Boolean!", g.chance(50, "included")))
	}
	return ""
}

// leaf selects a field without arguments, sometimes by an alias.
func (g *selections) leaf(name string) string {
	if g.chance(25, "alias") {
		name = g.next("a") + ": " + name
	}
	return name + g.directive()
}

// object selects members of a type: leaves, the results of the given functions, and fragments on the type and
// its interface. It never repeats a selection in a way that the validator refuses.
func (g *selections) object(kind, iface string, leaves, ifaceLeaves []string, depth int,
	special ...func() string) string {
	var parts []string
	for range 1 + g.draw(4, "members") {
		switch pick := g.draw(10+2*len(special), "member"); {
		case pick < 6 || depth <= 0 && pick < 10:
			parts = append(parts, g.leaf(leaves[g.draw(len(leaves), "leaf")]))
		case pick < 10:
			parts = append(parts, g.fragment(kind, iface, leaves, ifaceLeaves, depth-1, special...))
		default:
			parts = append(parts, special[(pick-10)/2]())
		}
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

func (g *selections) fragment(kind, iface string, leaves, ifaceLeaves []string, depth int,
	special ...func() string) string {
	switch choice := g.draw(4, "fragment"); {
	case choice == 0:
		return "..." + g.directive() + " " + g.object(kind, iface, leaves, ifaceLeaves, depth, special...)
	case choice == 1 && iface != "":
		return "... on " + iface + g.directive() + " " + g.object(iface, "", ifaceLeaves, nil, depth)
	case choice == 2:
		name := g.next("F")
		g.fragments = append(g.fragments,
			fmt.Sprintf("fragment %s on %s %s", name, kind,
				g.object(kind, iface, leaves, ifaceLeaves, depth, special...)))
		spread := "..." + name + g.directive()
		if g.chance(20, "spread twice") {
			spread += " ..." + name
		}
		return spread
	}
	return "... on " + kind + g.directive() + " " + g.object(kind, iface, leaves, ifaceLeaves, depth,
		special...)
}

// again repeats the name and arguments of an earlier selection with other members.
func (g *selections) again(kind string, arguments func() string) string {
	if known := g.heads[kind]; len(known) > 0 && g.chance(20, "again") {
		return known[g.draw(len(known), "head")]
	}
	head := g.next("c") + ": " + kind + arguments()
	g.heads[kind] = append(g.heads[kind], head)
	return head
}

func (g *selections) issue(depth int) string {
	return g.object("Issue", "Node", leaves(g.schema, "Issue"), leaves(g.schema, "Node"), depth,
		func() string { return "state" + g.directive() + " " + g.state() },
		func() string {
			return g.again("value", g.fieldArgument) + g.directive() + " " + g.value(2)
		},
		func() string {
			return g.again("value", g.fieldArgument) + g.directive() + " " + g.value(2)
		},
		func() string {
			return g.again("values", g.fieldsArgument) + g.directive() + " " + g.value(2)
		},
		g.participants,
		func() string {
			if g.chance(70, "no project") {
				return g.leaf("num")
			}
			return "project" + g.directive() + " { key name ... on Node { id } }"
		},
	)
}

// participants selects the users and teams of an issue in a role.
func (g *selections) participants() string {
	name := []string{"assignees", "watchers", "author"}[g.draw(3, "role")]
	kinds := []string{"User", "Team"}
	if name == "author" {
		kinds = kinds[:1]
	} else {
		name = g.again(name, func() string {
			first := []int{0, 1, 3, 10, 100, 101}[g.draw(6, "first")]
			switch g.draw(4, "as") {
			case 0:
				return fmt.Sprintf("(first: %d)", first)
			case 1:
				return "(first: " + g.variable("Int!", first) + ")"
			}
			return ""
		})
	}
	out := name + g.directive() + " { __typename "
	for _, kind := range kinds {
		out += "... on " + kind + " " +
			g.object(kind, "Node", leaves(g.schema, kind), leaves(g.schema, "Node"), 1)
	}
	return out + "}"
}

func (g *selections) state() string {
	return g.object("State", "", leaves(g.schema, "State"), nil, 1)
}

// anyField returns the ID of a field; in 1 % of cases one that the project does not have.
func (g *selections) anyField() string {
	if g.chance(1, "unknown field") {
		return []string{"nonsense", fieldID(g.other, "3812"), fieldID(g.p, "nope"),
			projectID(g.p)}[g.draw(4, "unknown")]
	}
	return fieldID(g.p, string(g.p.Fields[g.draw(len(g.p.Fields), "field")].ID))
}

func (g *selections) fieldArgument() string {
	id := g.anyField()
	if g.chance(30, "variable") {
		return "(fieldId: " + g.variable("ID!", id) + ")"
	}
	return fmt.Sprintf("(fieldId: %q)", id)
}

func (g *selections) fieldsArgument() string {
	ids := make([]string, g.draw(6, "ids"))
	for i := range ids {
		ids[i] = g.anyField()
	}
	switch g.draw(9, "fields") {
	case 0:
		return ""
	case 1:
		return "(fieldIds: null)"
	case 2:
		return "(fieldIds: " + g.variable("[ID!]", nil) + ")"
	case 3:
		return "(fieldIds: " + g.variable("[ID!]", ids) + ")"
	case 4:
		return "(fieldIds: " + g.variable("[ID!]", g.anyField()) + ")"
	case 5:
		return fmt.Sprintf("(fieldIds: %q)", g.anyField())
	case 6:
		return fmt.Sprintf("(fieldIds: [%q, %s])", g.anyField(), g.variable("ID!", g.anyField()))
	case 7: // defined, but not given
		name := g.next("v")
		g.defined = append(g.defined, "$"+name+": [ID!]")
		return "(fieldIds: $" + name + ")"
	}
	text, _ := json.Marshal(ids)
	return "(fieldIds: " + string(text) + ")"
}

// value selects members of a custom value: of the interface, and of its types by fragments.
func (g *selections) value(depth int) string {
	ofField := func() string { return "field" + g.directive() + " " + g.customField() }
	var parts []string
	for range 1 + g.draw(4, "parts of a value") {
		switch g.draw(6, "part of a value") {
		case 0, 1:
			parts = append(parts, g.leaf([]string{"display", "display", "__typename"}[g.draw(3, "leaf")]))
		case 2:
			parts = append(parts, ofField())
		case 3:
			if depth > 0 {
				parts = append(parts, "... on CustomValue"+g.directive()+" "+g.value(depth-1))
			}
		default:
			kind := g.valueTypes[g.draw(len(g.valueTypes), "type of value")]
			special := []func() string{ofField}
			switch kind {
			case "SelectValue":
				special = append(special, func() string {
					return "option" + g.directive() + " " + g.option()
				})
			case "UserValue":
				special = append(special, func() string {
					return "user" + g.directive() + " " + g.object("User", "Node", leaves(g.schema, "User"),
						leaves(g.schema, "Node"), 1)
				})
			case "MultiSelectValue":
				special = append(special, func() string {
					return "options" + g.directive() + " " + g.option()
				})
			}
			parts = append(parts, "... on "+kind+g.directive()+" "+
				g.object(kind, "CustomValue", leaves(g.schema, kind), leaves(g.schema, "CustomValue"), 1,
					special...))
		}
	}
	if len(parts) == 0 {
		parts = []string{"display"}
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

func (g *selections) customField() string {
	special := []func() string{}
	if g.chance(15, "what is not compiled") {
		special = append(special, func() string {
			return "options" + g.directive() + " { id name }"
		}, func() string { return "project { key }" })
	}
	return g.object("CustomField", "Node", leaves(g.schema, "CustomField"), leaves(g.schema, "Node"), 1,
		special...)
}

func (g *selections) option() string {
	return g.object("Option", "", leaves(g.schema, "Option"), nil, 1)
}

func (g *selections) arguments() string {
	out := fmt.Sprintf("first: %d", 1+g.draw(6, "first"))
	if g.chance(40, "last") {
		out = fmt.Sprintf("last: %d", 1+g.draw(6, "last rows"))
	}
	switch g.draw(3, "order") {
	case 0:
		out += ", orderBy: [{column: {builtin: NAME}, direction: DESC}]"
	case 1:
		f := g.p.Fields[[]int{0, 2, 3, 4, 5, 6, 7, 10}[g.draw(8, "column")]]
		out += fmt.Sprintf(", orderBy: [{column: {fieldId: %q}, nulls: %s}]", fieldID(g.p, string(f.ID)),
			[]string{"FIRST", "LAST"}[g.draw(2, "nulls")])
	}
	return out
}

// operation generates a whole operation.
func (g *selections) operation() string {
	g.heads = map[string][]string{}
	var lists []string
	for range 1 + g.draw(2, "lists") {
		name := g.next("r")
		if g.chance(50, "edges") {
			lists = append(lists, name+": edges "+g.object("IssueEdge", "", []string{"cursor", "__typename"},
				nil, 1,
				func() string {
					return "node" + g.directive() + " " + g.issue(2)
				}, func() string { return "node " + g.issue(2) }))
		} else {
			lists = append(lists, name+": nodes "+g.issue(2))
		}
		g.heads = map[string][]string{}
	}
	query := fmt.Sprintf("{ project(id: %q) { issues(%s) { %s } } }", projectID(g.p), g.arguments(),
		strings.Join(lists, " "))
	if len(g.defined) > 0 {
		query = "query(" + strings.Join(g.defined, ", ") + ") " + query
	}
	return query + " " + strings.Join(g.fragments, " ")
}
