package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// asker makes requests from the schema: one for each place that takes an ID or a cursor, valid except for the
// value there.
type asker struct {
	schema *ast.Schema
	own    map[string]string // IDs of the tenant's own things, by kind
}

// place is a place for an ID or a cursor: an argument of a field, or a member within it.
type place struct {
	of    *ast.Definition
	field *ast.FieldDefinition
	path  []string
}

func (p place) String() string {
	return p.of.Name + "." + p.field.Name + "(" + strings.Join(p.path, ".") + ")"
}

// places returns all places, including those in nested inputs.
func (a *asker) places() (out []place) {
	var within func(p place, typ *ast.Type, seen []string)
	within = func(p place, typ *ast.Type, seen []string) {
		name := typ.Name()
		d := a.schema.Types[name]
		last := p.path[len(p.path)-1]
		switch {
		case name == "ID", name == "String" && (last == "after" || last == "before"):
			out = append(out, p)
		case d.Kind == ast.InputObject && !slices.Contains(seen, name):
			for _, f := range d.Fields {
				within(place{p.of, p.field, append(slices.Clone(p.path), f.Name)}, f.Type,
					append(slices.Clone(seen), name))
			}
		}
	}
	for _, d := range ofOurs(a.schema) {
		if d.Kind != ast.Object && d.Kind != ast.Interface {
			continue
		}
		for _, f := range d.Fields {
			for _, arg := range f.Arguments {
				within(place{d, f, []string{arg.Name}}, arg.Type, nil)
			}
		}
	}
	return out
}

// ways are selections that lead to an object of a type.
var ways = map[string]string{
	"Query": `{ %s }`, "Mutation": `mutation { %s }`, "Tenant": `{ viewer { tenant { %s } } }`,
	"Project": `{ project(id: "PROJECT") { %s } }`,
	"Issue":   `{ issue(id: "ISSUE") { %s } }`,

	"IssueConnection": `{ project(id: "PROJECT") { issues(first: 1) { %s } } }`,
	"IssueGroup": `{ project(id: "PROJECT") { groups(first: 1, by: [{column: {builtin: STATE}},
		{column: {builtin: NAME}}]) { nodes { %s } } } }`,
	"View": `{ node(id: "VIEW") { ... on View { %s } } }`, "Viewer": `{ viewer { %s } }`,
	"User": `{ node(id: "USER") { ... on User { %s } } }`,
	"Team": `{ node(id: "TEAM") { ... on Team { %s } } }`,

	"Comment":       `{ node(id: "COMMENT") { ... on Comment { %s } } }`,
	"ReactionCount": `{ node(id: "COMMENT") { ... on Comment { reactions { %s } } } }`,
}

// request returns a request with a value at a place.
func (a *asker) request(t *testing.T, p place, value string) string {
	t.Helper()
	way, ok := ways[p.of.Name]
	if !ok {
		t.Fatalf("no way leads to %s; add one to ways", p)
	}
	var args []string
	for _, arg := range p.field.Arguments {
		if on := arg.Name == p.path[0]; on || arg.Type.NonNull && arg.DefaultValue == nil {
			var path []string
			if on {
				path = p.path[1:]
			}
			args = append(args, arg.Name+": "+a.literal(t, p.of.Name+"."+p.field.Name, arg.Name, arg.Type, on,
				path, value))
		}
	}
	switch p.path[0] { // a small page, of which more can be selected
	case "after":
		args = append(args, "first: 2")
	case "before":
		args = append(args, "last: 2")
	case "where":
		args = append(args, "first: 2")
	}
	way = strings.NewReplacer("PROJECT", a.own["project"], "ISSUE", a.own["issue"],
		"VIEW", a.own["view"], "USER", a.own["user"], "TEAM", a.own["team"],
		"COMMENT", a.own["comment"]).Replace(way)
	return fmt.Sprintf(way, p.field.Name+"("+strings.Join(args, ", ")+")"+a.selection(p.field.Type, 3))
}

// plainly returns a request with only the tenant's own things.
func (a *asker) plainly(t *testing.T, p place) string {
	if len(p.path) == 0 {
		return fmt.Sprintf(ways[p.of.Name], p.field.Name+a.selection(p.field.Type, 3))
	}
	return a.request(t, p, "nothing")
}

// literal returns the literal of an input: its required members, and those on the path.
func (a *asker) literal(t *testing.T, of, name string, typ *ast.Type, on bool, path []string,
	value string) string {
	t.Helper()
	if typ.Elem != nil {
		return "[" + a.literal(t, of, name, typ.Elem, on, path, value) + "]"
	}
	d := a.schema.Types[typ.NamedType]
	switch d.Kind {
	case ast.Enum:
		return d.EnumValues[0].Name
	case ast.InputObject:
		var fields []string
		for _, f := range d.Fields {
			inside := on && len(path) > 0 && path[0] == f.Name
			if inside || f.Type.NonNull && f.DefaultValue == nil {
				var rest []string
				if inside {
					rest = path[1:]
				}
				fields = append(fields, f.Name+": "+a.literal(t, d.Name, f.Name, f.Type, inside, rest, value))
			}
		}
		if len(fields) == 0 && d.Name == "ValueInput" {
			fields = append(fields, `text: "x"`)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	if on {
		return fmt.Sprintf("%q", value)
	}
	switch typ.NamedType {
	case "ID":
		return fmt.Sprintf("%q", a.ownID(t, of, name))
	case "Int":
		return "1"
	case "Boolean":
		return "true"
	case "String":
		return `"x"`
	}
	t.Fatalf("%s.%s takes a %s, for which the test has no value", of, name, typ)
	return ""
}

// ownID returns an ID of the tenant's own for a required argument or member.
func (a *asker) ownID(t *testing.T, of, name string) string {
	if id, ok := a.own[strings.TrimSuffix(name, "Id")]; ok {
		return id
	}
	switch {
	case strings.Contains(of, "State"):
		return a.own["state"]
	case name == "fromIds" || of == "UpdateOptionInput" || of == "MoveOptionInput":
		return a.own["option"]
	case strings.Contains(of, "Job"):
		n, err := model.ParseProjectID(a.own["project"])
		if err != nil {
			t.Fatal(err)
		}
		return model.JobID(n.Tenant, n.Project, "nojob")
	case strings.Contains(of, "Comment"):
		return a.own["comment"]
	case strings.Contains(of, "User") || name == "userIds":
		return a.own["user"]
	case strings.Contains(of, "Team"):
		return a.own["team"]
	case strings.Contains(of, "View") || of == "Project.view":
		return a.own["view"]
	case strings.Contains(of, "CustomField") || of == "Project.field":
		return a.own["field"]
	case strings.Contains(of, "Issue"):
		return a.own["issue"]
	case strings.Contains(of, "Project"):
		return a.own["project"]
	case strings.Contains(of, "Tenant"):
		return a.own["tenant"]
	}
	t.Fatalf("%s.%s takes an id of an unknown kind: add it to ownID, planted and nothing", of, name)
	return ""
}

// selection selects all fields without required arguments, to a depth.
func (a *asker) selection(typ *ast.Type, depth int) string { return a.selectionOf(typ, depth, "") }

// selectionOf is selection with a prefix of the aliases, if types with the same fields are selected together.
func (a *asker) selectionOf(typ *ast.Type, depth int, prefix string) string {
	d := a.schema.Types[typ.Name()]
	if !d.IsCompositeType() {
		return ""
	}
	var parts []string
	for _, f := range d.Fields {
		required := slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool {
			return a.Type.NonNull && a.DefaultValue == nil
		})
		if strings.HasPrefix(f.Name, "__") || required || depth == 0 &&
			a.schema.Types[f.Type.Name()].IsCompositeType() || f.Name == "explain" {
			continue
		}
		page := ""
		if f.Arguments.ForName("first") != nil {
			page = "(first: 2)"
		}
		alias := ""
		if prefix != "" {
			alias = prefix + f.Name + ": "
		}
		parts = append(parts, alias+f.Name+page+a.selection(f.Type, depth-1))
	}
	if d.IsAbstractType() && depth > 0 {
		for _, possible := range a.schema.GetPossibleTypes(d) {
			parts = append(parts, "... on "+possible.Name+a.selectionOf(ast.NamedType(possible.Name, nil),
				depth-1, possible.Name))
		}
	}
	if len(parts) == 0 {
		return "{ __typename }"
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// cursors returns one cursor of each connection of a world.
func cursors(t *testing.T, w *world) map[string]string {
	t.Helper()
	type page struct{ PageInfo struct{ EndCursor string } }
	var got struct {
		Project struct {
			Issues, ByText, DeletedIssues page
			Tenant                        struct{ Projects page }
		}
		Issue struct{ History page }
	}
	w.data(t,
		`query($p: ID!, $i: ID!, $f: ID!) { project(id: $p) { issues(first: 1) { pageInfo { endCursor } } deletedIssues(first: 1) { pageInfo { endCursor } }
		byText: issues(first: 1, orderBy: [{column: {fieldId: $f}}]) { pageInfo { endCursor } } tenant { projects(first: 1) { pageInfo { endCursor } } } }
		issue(id: $i) { history(first: 1) { pageInfo { endCursor } } } }`,
		map[string]any{"p": w.project, "i": w.create(t, canary, nil).ID, "f": w.fields[tracker.TypeText]},
		&got)
	return map[string]string{"a cursor of issues": got.Project.Issues.PageInfo.EndCursor,
		"of issues by text": got.Project.ByText.PageInfo.EndCursor,
		"of the trash":      got.Project.DeletedIssues.PageInfo.EndCursor,
		"of projects":       got.Project.Tenant.Projects.PageInfo.EndCursor,
		"of a history":      got.Issue.History.PageInfo.EndCursor}
}
