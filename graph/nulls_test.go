package graph_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// TestNullIsOmission executes operations whose optional arguments and members of inputs are variables:
// without the variables, with null for all of them, and with the defaults that the schema has written out.
// All have the same result. The operations have every member with a default.
func TestNullIsOmission(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for i, name := range []string{"Beta", "Alpha", "", "Gamma"} {
		values := map[tracker.FieldType]any{tracker.TypeInteger: fmt.Sprint(i % 2)}
		if name != "" {
			values[tracker.TypeText] = name
		}
		w.create(t, fmt.Sprint("Issue ", i), w.inputs(values))
	}
	text := w.fields[tracker.TypeText]
	user := w.addUser(t, s, "name", "Ada").ID
	schema, covered := schemaFile(t), map[string]bool{}
	n := 0
	for _, test := range []struct {
		// operation has an input INPUT of the type of, and VARIABLES. NEW is replaced by another name each
		// time.
		operation, of string
		required      string // the members of the input that are required
		skip          string // optional members that are left out
	}{
		{`query(VARIABLES) { project(id: "PROJECT") { issues(orderBy: [INPUT]) { nodes { num } } } }`,
			"IssueOrder", fmt.Sprintf(`column: {field: %q}`, text), ""},
		{`query(VARIABLES) { project(id: "PROJECT") { groups(by: [INPUT]) { nodes { key name totalCount } } } }`,
			"IssueGroupBy", fmt.Sprintf(`column: {field: %q}`, text), ""},
		{`query(VARIABLES) { project(id: "PROJECT") { issues(where: {updatedAt: {relative: {gte: INPUT}}}) { totalCount } } }`,
			"RelativeTime", "base: TODAY", ""},
		{`query(VARIABLES) { node(id: "USER") { ... on User { issues(orderBy: INPUT) { nodes { num } } } } }`,
			"ParticipationOrder", "", ""},
		{`query(VARIABLES) { project(id: "PROJECT") { issues(where: INPUT) { totalCount } } }`, "IssueFilter",
			"name: {isNull: false, eq: null}", "name"},
		{`mutation(VARIABLES) { createCustomField(input: INPUT) { field { type required description position } } }`,
			"CreateCustomFieldInput", `project: "PROJECT", name: "NEW", type: INTEGER`, "position"},
		{`mutation(VARIABLES) { changeCustomFieldType(input: INPUT) { job { kind } } }`,
			"ChangeCustomFieldTypeInput", `id: "FIELD", type: NUMBER`, ""},
		{`mutation(VARIABLES) { createView(input: INPUT) { view { shared isDefault layout filter columns { width } } } }`,
			"CreateViewInput", `project: "PROJECT", name: "NEW"`, ""},
		{`mutation(VARIABLES) { createIssue(input: {project: "PROJECT", issue: INPUT}) { issue { name description
			state { name } assigneeCount } } }`, "NewIssueInput", `name: "An issue"`, ""},
		{`mutation(VARIABLES) { updateIssue(input: INPUT) { issue { name description } } }`, "UpdateIssueInput",
			`id: "ISSUE", name: "Renamed"`, "name"},
		{`mutation(VARIABLES) { deleteIssue(input: INPUT) { project { key } } }`,
			"DeleteIssueInput", `id: "ISSUE"`, ""},
		{`mutation(VARIABLES) { deleteIssues(input: INPUT) { results { error { code } } } }`,
			"DeleteIssuesInput", `issues: [{id: "ISSUE", expectedVersion: null}]`, ""},
	} {
		d := schema.Types[test.of]
		ask := func(how string, variables map[string]any, input, declared string) string {
			n++
			var issue, field string
			switch {
			case strings.Contains(test.required, "ISSUE"):
				issue = w.create(t, "to be changed", nil).ID
			case strings.Contains(test.required, "FIELD"):
				w.addField(t, tracker.TypeInteger, fmt.Sprint("Field ", n), false)
				field = w.fields[tracker.TypeInteger]
			}
			operation := strings.NewReplacer("(VARIABLES)", declared, "INPUT", input).Replace(test.operation)
			operation = strings.NewReplacer("PROJECT", w.project, "ISSUE", issue,
				"FIELD", field, "USER", user,
				"NEW", fmt.Sprint("New ", n)).Replace(operation)
			a := s.ask(t, operation, variables)
			if len(a.Errors) > 0 {
				t.Fatalf("%s: %s: %+v", how, operation, a.Errors)
			}
			return positions.ReplaceAllString(string(a.Data), "")
		}
		var declared, given, defaults []string
		nulls := map[string]any{}
		for _, f := range d.Fields {
			if f.Type.NonNull || test.skip == f.Name {
				continue
			}
			declared = append(declared, fmt.Sprintf("$%s: %s", f.Name, f.Type))
			given = append(given, fmt.Sprintf("%s: $%s", f.Name, f.Name))
			nulls[f.Name] = nil
			if f.DefaultValue != nil {
				covered[test.of+"."+f.Name] = true
				defaults = append(defaults, fmt.Sprintf("%s: %s", f.Name, f.DefaultValue))
			}
		}
		object := func(members ...string) string {
			return "{" + strings.Join(append([]string{test.required}, members...), ", ") + "}"
		}
		all := "(" + strings.Join(declared, ", ") + ")"
		want := ask("omitted", nil, object(), "")
		for how, got := range map[string]string{
			"variables that are not given": ask("not given", nil, object(given...), all),
			"variables that are null":      ask("null", nulls, object(given...), all),
			"defaults":                     ask("defaults", nil, object(defaults...), ""),
		} {
			same(t, test.of+": "+how, want, got)
		}
	}
	for _, d := range ofOurs(schema) {
		for _, f := range d.Fields {
			if d.Kind == ast.InputObject && f.DefaultValue != nil && !covered[d.Name+"."+f.Name] {
				t.Errorf("%s.%s has a default and is not tested", d.Name, f.Name)
			}
		}
	}
}

// positions are the numbers that differ between two new fields or views.
var positions = regexp.MustCompile(`"position":\d+`)
