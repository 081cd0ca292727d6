package graph_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
			"IssueOrder", fmt.Sprintf(`column: {fieldId: %q}`, text), ""},
		{`query(VARIABLES) { project(id: "PROJECT") { groups(by: [INPUT]) { nodes { key name totalCount } } } }`,
			"IssueGroupBy", fmt.Sprintf(`column: {fieldId: %q}`, text), ""},
		{`query(VARIABLES) { project(id: "PROJECT") { issues(where: {updatedAt: {relative: {gte: INPUT}}}) { totalCount } } }`,
			"RelativeTime", "base: START_OF_DAY", ""},
		{`query(VARIABLES) { node(id: "USER") { ... on User { issues(orderBy: INPUT) { nodes { num } } } } }`,
			"ParticipationOrder", "", ""},
		{`query(VARIABLES) { project(id: "PROJECT") { issues(where: INPUT) { totalCount } } }`, "IssueFilter",
			"name: {isNull: false, eq: null}", "name"},
		{`mutation(VARIABLES) { createCustomField(input: INPUT) { field { type required description position } } }`,
			"CreateCustomFieldInput", `projectId: "PROJECT", name: "NEW", type: INTEGER`, "position"},
		{`mutation(VARIABLES) { changeCustomFieldType(input: INPUT) { job { kind } } }`,
			"ChangeCustomFieldTypeInput", `id: "FIELD", type: NUMBER`, ""},
		{`mutation(VARIABLES) { createView(input: INPUT) { view { shared isDefault layout filter columns { width } } } }`,
			"CreateViewInput", `projectId: "PROJECT", name: "NEW"`, ""},
		{`mutation(VARIABLES) { createIssue(input: {projectId: "PROJECT", issue: INPUT}) { issue { name description
			state { name } assigneeCount } } }`, "IssueCreateInput", `name: "An issue"`, ""},
		{`mutation(VARIABLES) { updateIssue(input: {issue: INPUT}) { issue { name description } } }`, "IssueUpdateInput",
			`id: "ISSUE", name: "Renamed"`, "name"},
		{`mutation(VARIABLES) { deleteIssue(input: INPUT) { project { key } } }`,
			"DeleteIssueInput", `issue: {id: "ISSUE", expectedVersion: null}`, ""},
		{`mutation(VARIABLES) { deleteProject(input: INPUT) { tenant { name } } }`, "DeleteProjectInput",
			`id: "DOOMED"`, "confirm"},
		{`mutation(VARIABLES) { deleteIssues(input: INPUT) { results { errors { code } } } }`,
			"DeleteIssuesInput", `issues: [{id: "ISSUE", expectedVersion: null}]`, ""},
	} {
		d := schema.Types[test.of]
		// names returns what replaces the names in an operation, each time with other things.
		names := func() *strings.Replacer {
			n++
			var issue, field, doomed string
			switch {
			case strings.Contains(test.required, "ISSUE"):
				issue = w.create(t, "to be changed", nil).ID
			case strings.Contains(test.required, "DOOMED"):
				doomed = do(t, s, "createProject.project.id", "tenantId", w.tenant, "key", fmt.Sprint("D", n),
					"name", "Doomed")
			case strings.Contains(test.required, "FIELD"):
				w.addField(t, tracker.TypeInteger, fmt.Sprint("Field ", n), false)
				field = w.fields[tracker.TypeInteger]
			}
			return strings.NewReplacer("PROJECT", w.project, "ISSUE", issue, "FIELD", field, "USER", user,
				"DOOMED", doomed, "NEW", fmt.Sprint("New ", n))
		}
		ask := func(names *strings.Replacer, variables map[string]any, declared string,
			members ...string) string {
			t.Helper()
			input := "{" + strings.Join(append([]string{test.required}, members...), ", ") + "}"
			operation := names.Replace(strings.NewReplacer("(VARIABLES)", declared, "INPUT", input).Replace(
				test.operation))
			a := s.ask(t, operation, variables)
			if len(a.Errors) > 0 {
				t.Fatalf("%s: %+v", operation, a.Errors)
			}
			return positions.ReplaceAllString(string(a.Data), "")
		}
		var declared, given, literals, defaults []string
		nulls, keyed := map[string]any{}, false
		for _, f := range d.Fields {
			if keyed = keyed || f.Name == "idempotencyKey"; f.Type.NonNull || test.skip == f.Name {
				continue
			}
			literals = append(literals, f.Name+": null")
			nulls[f.Name] = nil
			if value := omitted(schema, f); value != "" {
				covered[test.of+"."+f.Name] = true
				defaults = append(defaults, f.Name+": "+value)
			}
			if f.Name != "idempotencyKey" {
				declared = append(declared, fmt.Sprintf("$%s: %s", f.Name, f.Type))
				given = append(given, fmt.Sprintf("%s: $%s", f.Name, f.Name))
			}
		}
		all := "(" + strings.Join(declared, ", ") + ")"
		want := ask(names(), nil, "")
		for how, got := range map[string]string{
			"variables that are not given": ask(names(), nil, all, given...),
			"variables that are null":      ask(names(), nulls, all, given...),
			"null in the query":            ask(names(), nil, "", literals...),
			"what is described":            ask(names(), nil, "", defaults...),
		} {
			same(t, test.of+": "+how, want, got)
		}
		if keyed {
			key := fmt.Sprintf("idempotencyKey: %q", test.of)
			of, without := names(), slices.DeleteFunc(literals, func(l string) bool {
				return l == "idempotencyKey: null"
			})
			want := ask(of, nil, "", key)
			same(t, test.of+": repeated with null", want, ask(of, nil, "", append(without, key)...))
			same(t, test.of+": repeated with variables", want, ask(of, nulls, all, append(given, key)...))
		}
	}
	for _, d := range ofOurs(schema) {
		for _, f := range d.Fields {
			if d.Kind == ast.InputObject && omitted(schema, f) != "" && !covered[d.Name+"."+f.Name] {
				t.Errorf("%s.%s has a default and is not tested", d.Name, f.Name)
			}
		}
	}
}

// omitted returns the value, in a query, that the description of a member states for its omission, or "".
func omitted(schema *ast.Schema, f *ast.FieldDefinition) string {
	found := omission.FindStringSubmatch(f.Description)
	if found == nil {
		return ""
	}
	value := found[1]
	switch d := schema.Types[f.Type.Name()]; {
	case d.Kind == ast.Enum && d.EnumValues.ForName(value) != nil, d.Name == "Boolean" && value == "false",
		d.Name == "Int" && value == "0":
		return value
	case d.Name == "String" && value == "UTC":
		return strconv.Quote(value)
	}
	return ""
}

var omission = regexp.MustCompile(`Omitted: (\w+)\.`)

// positions are the numbers that differ between two new fields or views.
var positions = regexp.MustCompile(`"position":\d+`)
