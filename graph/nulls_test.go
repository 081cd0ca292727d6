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

// TestNullArgumentIsOmission sends null for each argument with a default: it is the default. Except where it
// says otherwise, another value has another result.
func TestNullArgumentIsOmission(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	ada, bob := w.addUser(t, s, "name", "Ada").ID, w.addUser(t, s, "name", "Bob").ID
	core, old := w.addTeam(t, s, "name", "Core").ID, w.addTeam(t, s, "name", "Old").ID
	do(t, s, "addTeamMembers.team.id", "teamId", core, "userIds", []string{ada})
	do(t, s, "updateUser.user.id", "id", bob, "active", false)
	do(t, s, "updateTeam.team.id", "id", old, "active", false)
	do(t, s, "updateCustomField.field.id", "id", w.fields[tracker.TypeText], "archived", true)
	many := []string{core, ada}
	for n := range 10 {
		many = append(many, w.addUser(t, s, "name", fmt.Sprint("User ", n)).ID)
	}
	var issues []string
	for n, state := range []string{w.states[0], w.states[1], w.states[0], w.states[0]} {
		people := many
		switch n {
		case 2:
			people = []string{core}
		case 3:
			people = []string{ada}
		}
		issues = append(issues, w.createOf(t, map[string]any{"name": fmt.Sprint(n), "stateId": state,
			"assigneeIds": people, "watcherIds": many[1:]}).ID)
	}
	var comments []string
	for n := range 2 {
		comments = append(comments, wrote(t, s, "createComment", "issueId", issues[0], "body",
			fmt.Sprint(n)).ID)
		wrote(t, s, "createComment", "issueId", issues[0], "replyToId", comments[0], "body",
			fmt.Sprint("reply ", n))
	}
	view := w.save(t, s, inputOf("name", "a view", "shared", true)).ID
	in := strings.NewReplacer("PROJECT", w.project, "ISSUE", issues[0], "COMMENT", comments[0], "VIEW", view,
		"ADA", ada, "CORE", core, "TENANT", w.tenant, "SELECT", w.fields[tracker.TypeSelect])
	const tenant, project = `{ tenant(id: "TENANT") { %s } }`, `{ project(id: "PROJECT") { %s } }`
	const node = `{ node(id: "%s") { ... on %s { %s } } }`
	grid := `(ARGS, where: {updatedAt: {relative: {lte: {base: START_OF_DAY, offset: 2, unit: DAY}}}}) { nodes { name } relativeTo }`
	groups := `(ARGS, by: [{column: {fieldId: "SELECT"}}]) { nodes { name totalCount } }`
	templates := map[string]string{
		"Query.nodes":         `{ nodes(ids: ["ISSUE"], ARGS) { id } }`,
		"Query.issue":         `{ issue(id: "ISSUE", ARGS) { id } }`,
		"Query.issueByKey":    `{ issueByKey(key: "WORLD-1", ARGS) { id } }`,
		"Tenant.users":        fmt.Sprintf(tenant, `users(ARGS) { nodes { name } }`),
		"Tenant.teams":        fmt.Sprintf(tenant, `teams(ARGS) { nodes { name } }`),
		"Project.fields":      fmt.Sprintf(project, `fields(ARGS) { name }`),
		"Project.issueByNum":  fmt.Sprintf(project, `issue: issueByNum(num: 1, ARGS) { id }`),
		"Project.issues":      fmt.Sprintf(project, `issues`+grid),
		"Project.groups":      fmt.Sprintf(project, `groups`+groups),
		"View.issues":         fmt.Sprintf(node, "VIEW", "View", `issues`+grid),
		"View.groups":         fmt.Sprintf(node, "VIEW", "View", `groups`+groups),
		"Issue.comments":      fmt.Sprintf(node, "ISSUE", "Issue", `comments(ARGS) { nodes { body } }`),
		"Issue.assignees":     fmt.Sprintf(node, "ISSUE", "Issue", `assignees(ARGS) { __typename }`),
		"Issue.watchers":      fmt.Sprintf(node, "ISSUE", "Issue", `watchers(ARGS) { __typename }`),
		"Comment.replies":     fmt.Sprintf(node, "COMMENT", "Comment", `replies(ARGS) { nodes { body } }`),
		"ReactionCount.users": fmt.Sprintf(node, "COMMENT", "Comment", `reactions { users(ARGS) { id } }`),
		"User.issues":         fmt.Sprintf(node, "ADA", "User", `issues(ARGS) { nodes { name } }`),
		"Team.issues":         fmt.Sprintf(node, "CORE", "Team", `issues(ARGS) { nodes { name } }`),
		"Viewer.issues":       `{ viewer { issues(ARGS) { nodes { name } } } }`,
	}
	caller := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "ada", Role: tracker.Editor,
		UserID: userID(t, ada)})
	do(t, caller, "addReaction.comment.id", "commentId", comments[0], "reaction", "EYES")
	other := map[string]any{"Int": 0, "CommentOrder": "NEWEST_FIRST", "IssueStatusFilter": "CLOSED",
		"ParticipantRole": []string{"AUTHOR"}, "ParticipationOrder": map[string]any{"column": "NUM"}}
	tested := 0
	for _, d := range ofOurs(schemaFile(t)) {
		for _, f := range d.Fields {
			for _, a := range f.Arguments {
				if a.DefaultValue == nil {
					continue
				}
				name := d.Name + "." + f.Name
				template, ok := templates[name]
				if !ok {
					t.Errorf("%s(%s) is not tested", name, a.Name)
					continue
				}
				ask := func(argument string, variables map[string]any) string {
					t.Helper()
					query := strings.ReplaceAll(in.Replace(template), "ARGS", argument)
					if strings.Contains(argument, "$v") {
						query = fmt.Sprintf("query($v: %s) %s", a.Type, query)
					}
					got := caller.ask(t, query, variables)
					if len(got.Errors) > 0 {
						t.Fatalf("%s with %v: %+v", query, variables, got.Errors)
					}
					return relativeTo.ReplaceAllString(string(got.Data), "")
				}
				with := ""
				if a.Name == "own" {
					with = ", teams: true" // one of them must be true
				}
				given, want := a.Name+": $v"+with, ask(a.Name+": "+a.DefaultValue.String()+with, nil)
				at := name + "(" + a.Name + ")"
				same(t, at+" is null", want, ask(given, map[string]any{"v": nil}))
				same(t, at+" is not given", want, ask(given, nil))
				same(t, at+" is null in the query", want, ask(a.Name+": null"+with, nil))
				tested++
				value, known := other[a.Type.Name()]
				switch {
				case a.Type.Name() == "Boolean":
					value = a.DefaultValue.Raw == "false"
				case a.DefaultValue.Raw == "NEWEST_FIRST":
					value = "OLDEST_FIRST"
				case !known && a.Type.Name() != "TimeZone":
					t.Errorf("%s has no other value", at)
				}
				// Consistent reads have the same result, and the time zone has tests of its own.
				if a.Name != "consistent" && a.Type.Name() != "TimeZone" &&
					want == ask(given, map[string]any{"v": value}) {
					t.Errorf("%s: %v changes nothing: %s", at, value, want)
				}
			}
		}
	}
	if tested < 30 {
		t.Errorf("only %d arguments", tested)
	}
}

var relativeTo = regexp.MustCompile(`"relativeTo":"[^"]*"`)
