package graph_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// pathsOf returns the sorted paths of errors, which must all be about inputs.
func pathsOf(t *testing.T, errs []apiError) (out []string) {
	t.Helper()
	for _, e := range errs {
		path, _ := e.Extensions["argument"].(string)
		if e.Extensions["code"] != string(tracker.BadInput) || path == "" ||
			strings.HasPrefix(e.Message, path) {
			t.Errorf("%+v", e)
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// TestEveryWrongKindIsReported puts a value of the wrong kind, and then null, into all members of each input
// object of the schema at once. Each must have its own error, except that null says nothing about a member
// that is optional.
func TestEveryWrongKindIsReported(t *testing.T) {
	schema := schemaFile(t)
	projects := sample.Worked()
	s := load(t, projects...)
	all := routes(schema, projectID(&projects[0]))
	objects := 0
	for _, d := range ofOurs(schema) {
		if d.Kind != ast.InputObject {
			continue
		}
		objects++
		way, ok := all[d.Name]
		if !ok {
			t.Errorf("no argument leads to %s", d.Name)
			continue
		}
		wrong, nulls := map[string]any{}, map[string]any{}
		var wantWrong, wantNulls []string
		for _, f := range d.Fields {
			path := way.path + "." + f.Name
			wrong[f.Name] = true
			if f.Type.Name() == "Boolean" {
				wrong[f.Name] = "x"
			}
			wantWrong = append(wantWrong, path)
			nulls[f.Name] = nil
			if f.Type.NonNull {
				wantNulls = append(wantNulls, path)
			}
		}
		for _, test := range []struct {
			given map[string]any
			want  []string
		}{{wrong, wantWrong}, {nulls, wantNulls}} {
			if len(test.want) == 0 { // what all-optional inputs say is tested by TestNullIsOmission
				continue
			}
			slices.Sort(test.want)
			a := s.ask(t, way.query, map[string]any{"v": test.given})
			same(t, fmt.Sprintf("%s with %v", way.query, test.given), test.want, pathsOf(t, a.Errors))
		}
	}
	if objects < 45 {
		t.Errorf("only %d input objects", objects)
	}
}

// checkPayload checks the errors of an invalid mutation, whose answer without errors of the payload is given:
// they are in the order in which the schema declares the members of the input, and if `errors` of the payload
// is selected they are the same there, and all other members are empty.
func checkPayload(t *testing.T, s *server, schema *ast.Schema, mutation string, in map[string]any, a answer) {
	t.Helper()
	field := schema.Mutation.Fields.ForName(mutation)
	input := field.Arguments.ForName("input").Type
	order := declared(schema, input, "input", in)
	at := func(e apiError) int { return slices.Index(order, fmt.Sprint(e.Extensions["argument"])) }
	if !slices.IsSortedFunc(a.Errors, func(a, b apiError) int { return at(a) - at(b) }) {
		t.Errorf("%s: the errors are not in the order of the input: %+v", mutation, a.Errors)
	}
	selection := "errors { code message argument }"
	for _, member := range schema.Types[field.Type.Name()].Fields {
		switch {
		case member.Name == "errors":
		case schema.Types[member.Type.Name()].IsCompositeType():
			selection += " " + member.Name + " { __typename }"
		default:
			selection += " " + member.Name
		}
	}
	var got struct {
		Errors []apiError
		Data   map[string]map[string]json.RawMessage
	}
	body := s.post(t, fmt.Sprintf("mutation($i: %s) { %s(input: $i) { ...P } } fragment P on %s { %s }",
		input,
		mutation, field.Type.Name(), selection), map[string]any{"i": in}).body
	if got = decode[struct {
		Errors []apiError
		Data   map[string]map[string]json.RawMessage
	}](t, []byte(body)); len(a.Errors) == 0 {
		return // the errors of single issues are in their results
	}
	var want []map[string]any
	for _, e := range a.Errors {
		want = append(want, map[string]any{"code": e.Extensions["code"], "message": e.Message,
			"argument": e.Extensions["argument"]})
	}
	payload := got.Data[mutation]
	same(t, mutation+": errors of the payload", want, decode[[]map[string]any](t, payload["errors"]))
	for member, is := range payload {
		if is := string(is); member != "errors" && is != "null" && is != "[]" {
			t.Errorf("%s: %s of the payload is %s", mutation, member, is)
		}
	}
	if len(got.Errors) > 0 {
		t.Errorf("%s: the response also has the errors %+v", mutation, got.Errors)
	}
}

// declared returns the paths of an input and all its members, in the order in which the schema declares them.
func declared(schema *ast.Schema, typ *ast.Type, path string, v any) []string {
	out := []string{path}
	if list := reflect.ValueOf(v); typ.Elem != nil && list.Kind() == reflect.Slice {
		for i := range list.Len() {
			out = append(out, declared(schema, typ.Elem, fmt.Sprintf("%s[%d]", path, i),
				list.Index(i).Interface())...)
		}
	}
	if members, ok := v.(map[string]any); ok {
		for _, f := range schema.Types[typ.Name()].Fields {
			out = append(out, declared(schema, f.Type, path+"."+f.Name, members[f.Name])...)
		}
	}
	return out
}

// TestEveryInvalidValueIsReported gives each input object several values of the right kinds that the rules of
// the product forbid. Each must have its own error.
func TestEveryInvalidValueIsReported(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	one := w.create(t, "one", nil)
	long := strings.Repeat("x", 2001)
	type object = map[string]any
	fieldOf := func(kind tracker.FieldType) string { return w.fields[kind] }
	options := w.options[tracker.TypeSelect]
	badValues := []any{w.given(tracker.TypeSelect, "x"), w.given(tracker.TypeTags, []string{"a", "", "A"}),
		w.given(tracker.TypeMultiSelect, []string{"x", "y"}), w.given(tracker.TypeText, "fine"),
		object{"fieldId": "x", "value": object{"text": "x"}}, w.given(tracker.TypeNumber, 1.5),
		object{"fieldId": fieldOf(tracker.TypeDate), "value": object{"user": "x"}}}
	badPaths := func(prefix string, more ...string) []string {
		out := append(more, "name", "stateId", "values[0].value.optionId", "values[1].value.tags[1]",
			"values[2].value.optionIds[0]", "values[2].value.optionIds[1]", "values[4].fieldId",
			"values[6].value.user")
		for i := range out {
			out[i] = prefix + out[i]
		}
		return out
	}
	user, team := w.addUser(t, s, "name", "Ada").ID, w.addTeam(t, s, "name", "Core").ID
	badIssue := object{"name": " ", "stateId": "x", "values": badValues, "assigneeIds": []any{user, "x"},
		"watcherIds": slices.Repeat([]any{team}, tracker.MaxParticipants+1)}
	newPaths := func(prefix string) []string { return badPaths(prefix, "assigneeIds[1]", "watcherIds") }
	badChange := func(id string) object {
		return object{"id": id, "name": "\u200b", "stateId": "x", "values": badValues,
			"assignees": object{"addIds": []any{"x"}, "removeIds": []any{user, w.project}},
			"watchers":  object{"removeIds": slices.Repeat([]any{team}, tracker.MaxParticipants+1)}}
	}
	changePaths := func(prefix string) []string {
		return badPaths(prefix, "assignees.addIds[0]", "assignees.removeIds[1]", "watchers.removeIds")
	}
	view := w.save(t, s, object{"name": "a view"}).ID
	comment := wrote(t, s, "createComment", "issueId", one.ID, "body", "a comment").ID
	with := func(input object, more ...any) object {
		out := maps.Clone(input)
		maps.Copy(out, inputOf(more...))
		return out
	}
	invalidUser := object{"name": " ", "email": "x", "initials": "abcd", "color": "!", "avatarUrl": "x",
		"claim": "\u200b", "idempotencyKey": ""}
	badUser := []string{"input.name", "input.email", "input.initials", "input.color", "input.avatarUrl",
		"input.claim", "input.idempotencyKey"}
	invalidView := object{"name": "\u200b", "idempotencyKey": "",
		"columns": []any{object{"column": object{"builtin": "NAME"}, "width": 19},
			object{"column": object{"fieldId": "x"}}, object{"column": object{"builtin": "NAME"}}},
		"filter":    object{"state": object{"eq": "x"}, "name": object{"eq": ""}},
		"groupBy":   []any{object{"column": object{"builtin": "STATE"}, "width": 1}},
		"summaries": []any{object{"column": object{"builtin": "NAME"}, "part": "SUM"}},
		"orderBy":   []any{object{"column": object{"fieldId": "x"}}}}
	badView := []string{"input.columns[0].width", "input.columns[1].column.fieldId",
		"input.columns[2].column",
		"input.filter.name.eq", "input.filter.state.eq", "input.name", "input.orderBy[0].column.fieldId",
		"input.groupBy[0].width", "input.summaries[0].column", "input.idempotencyKey"}
	schema := schemaFile(t)
	covered := map[string]bool{}
	for _, test := range []struct {
		mutation string
		input    object
		covers   string
		want     []string
	}{
		{"createTenant", object{"name": "", "claim": "NO"}, "CreateTenantInput", []string{"input.claim",
			"input.name"}},
		{"createProject", object{"tenantId": w.tenant, "key": "no key", "name": "\x00", "idempotencyKey": "",
			"states": []any{object{"name": "", "open": false}, object{"name": "X", "open": false},
				object{"name": "x ", "open": false, "color": "?"}}},
			"CreateProjectInput StateInput", []string{"input.idempotencyKey", "input.key", "input.name",
				"input.states",
				"input.states[0].name", "input.states[2].color", "input.states[2].name"}},
		{"updateProject", object{"id": w.project, "key": "no key", "name": ""}, "UpdateProjectInput",
			[]string{"input.key", "input.name"}},
		{"createState", object{"projectId": w.project, "name": " ", "open": true, "color": "?",
			"idempotencyKey": ""}, "CreateStateInput",
			[]string{"input.color", "input.idempotencyKey", "input.name"}},
		{"updateState", object{"id": w.states[0], "name": "\u200b", "open": false, "color": "?",
			"idempotencyKey": ""}, "UpdateStateInput",
			[]string{"input.color", "input.idempotencyKey", "input.name", "input.open"}},
		{"moveState", object{"id": w.states[0], "to": toBefore("x"), "idempotencyKey": ""},
			"MoveStateInput MoveTargetInput", []string{"input.idempotencyKey", "input.to.beforeId"}},
		{"mergeStates", object{"projectId": w.project, "fromIds": []string{"x", w.states[0], "y"},
			"intoId":         "z",
			"idempotencyKey": ""}, "MergeStatesInput",
			[]string{"input.fromIds[0]", "input.fromIds[2]", "input.idempotencyKey", "input.intoId"}},
		{"createCustomField", object{"projectId": w.project, "name": "", "type": "SELECT",
			"description":    long,
			"position":       0,
			"idempotencyKey": strings.Repeat("x", 256), "options": []any{object{"name": "", "color": "?"},
				object{"name": "A"}, object{"name": "a", "color": "#12"}}},
			"CreateCustomFieldInput OptionInput", []string{"input.description", "input.idempotencyKey",
				"input.name",
				"input.options[0].color", "input.options[0].name", "input.options[2].color",
				"input.options[2].name",
				"input.position"}},
		{"updateCustomField", object{"id": fieldOf(tracker.TypeSelect), "name": "", "description": long,
			"position": -1, "newOptions": []any{object{"name": "", "color": "?"}, object{"name": "New"},
				object{"name": "\x00"}, object{"name": "fine", "color": "no color!"}}},
			"UpdateCustomFieldInput", []string{"input.newOptions[0].color", "input.newOptions[0].name",
				"input.newOptions[2].name", "input.newOptions[3].color", "input.description", "input.name",
				"input.position"}},
		{"createOption", object{"fieldId": fieldOf(tracker.TypeSelect), "name": " ", "color": "?",
			"idempotencyKey": ""}, "CreateOptionInput",
			[]string{"input.color", "input.idempotencyKey", "input.name"}},
		{"createOption", object{"fieldId": fieldOf(tracker.TypeText), "name": "", "color": "?"},
			"CreateOptionInput",
			[]string{"input.color", "input.fieldId", "input.name"}},
		{"updateOption", object{"id": options[0], "name": "\u200b", "color": "?", "idempotencyKey": ""},
			"UpdateOptionInput", []string{"input.color", "input.idempotencyKey", "input.name"}},
		{"moveOption", object{"id": options[0], "to": toBefore("x"), "idempotencyKey": ""}, "MoveOptionInput",
			[]string{"input.idempotencyKey", "input.to.beforeId"}},
		{"mergeOptions", object{"fieldId": fieldOf(tracker.TypeSelect),
			"fromIds": []string{"x", options[0], "y"}, "into": intoOption("z"), "idempotencyKey": ""},
			"MergeOptionsInput MergeOptionsTargetInput",
			[]string{"input.fromIds[0]", "input.fromIds[2]", "input.idempotencyKey", "input.into.optionId"}},
		{"linkUserNames", object{"fieldId": fieldOf(tracker.TypeText), "links": []any{object{"name": "",
			"userId": "x"}}, "idempotencyKey": ""}, "LinkUserNamesInput UserNameLinkInput",
			[]string{"input.fieldId", "input.idempotencyKey", "input.links[0].name",
				"input.links[0].userId"}},
		{"changeCustomFieldType", object{"id": fieldOf(tracker.TypeText), "type": "SELECT",
			"options": []any{object{"name": "", "color": "?"}}}, "ChangeCustomFieldTypeInput",
			[]string{"input.options[0].color", "input.options[0].name"}},
		{"deleteProject", object{"id": w.project, "permanently": true, "confirm": "x", "idempotencyKey": ""},
			"DeleteProjectInput", []string{"input.confirm", "input.idempotencyKey"}},
		{"deleteTenant", object{"id": w.tenant, "confirm": "x"}, "DeleteTenantInput",
			[]string{"input.confirm"}},
		{"createIssue", object{"projectId": w.project, "issue": badIssue, "idempotencyKey": ""},
			"CreateIssueInput IssueCreateInput CustomValueInput " +
				"ValueInput", append(newPaths("input.issue."), "input.idempotencyKey")},
		{"createIssues", object{"projectId": w.project, "issues": []any{object{"name": "fine"}, badIssue},
			"idempotencyKey": ""}, "", append(newPaths("input.issues[1]."), "input.idempotencyKey")},
		{"createIssues", object{"projectId": w.project, "issues": []any{}, "idempotencyKey": ""}, "",
			[]string{"input.issues", "input.idempotencyKey"}},
		{"createIssues", object{"projectId": w.project, "issues": []any{badIssue, badIssue}},
			"CreateIssuesInput",
			append(newPaths("input.issues[0]."), newPaths("input.issues[1].")...)},
		{"updateIssue", object{"issue": badChange(one.ID), "idempotencyKey": ""},
			"UpdateIssueInput ParticipantsChangeInput",
			append(changePaths("input.issue."), "input.idempotencyKey")},
		{"updateIssues", object{"issues": []any{badChange(one.ID), object{"id": w.create(t, "two", nil).ID}},
			"idempotencyKey": ""}, "", append(changePaths("input.issues[0]."), "input.idempotencyKey")},
		{"deleteIssue", object{"issue": object{"id": one.ID}, "idempotencyKey": ""}, "",
			[]string{"input.idempotencyKey"}},
		{"deleteIssues", object{"issues": []any{object{"id": one.ID}, object{"id": one.ID}},
			"idempotencyKey": ""}, "", []string{"input.idempotencyKey", "input.issues[1].id"}},
		{"restoreIssue", object{"id": one.ID, "idempotencyKey": ""}, "", []string{"input.idempotencyKey"}},
		{"updateIssue", object{"id": one.ID, "values": []any{
			object{"fieldId": fieldOf(tracker.TypeTags), "addTags": []string{"", "a", "A"},
				"removeTags": []string{"\x00"}},
			object{"fieldId": fieldOf(tracker.TypeMultiSelect), "clear": true, "addOptionIds": []string{"x"},
				"removeOptionIds": []string{"y", "z"}},
			object{"fieldId": fieldOf(tracker.TypeText), "addTags": []string{"x"},
				"addOptionIds": []string{"x"}},
			object{"fieldId": fieldOf(tracker.TypeNumber)},
			object{"fieldId": fieldOf(tracker.TypeInteger), "value": object{"integer": "1"}, "clear": true}}},
			"CustomValueChangeInput", []string{"input.issue.values[0].addTags[0]",
				"input.issue.values[0].addTags[2]",
				"input.issue.values[0].removeTags[0]",
				"input.issue.values[1]", "input.issue.values[1].addOptionIds[0]",
				"input.issue.values[1].removeOptionIds[0]",
				"input.issue.values[1].removeOptionIds[1]", "input.issue.values[2].addOptionIds",
				"input.issue.values[2].addTags",
				"input.issue.values[3].value", "input.issue.values[4].clear"}},
		{"updateIssues", object{"issues": []any{badChange(one.ID)}}, "UpdateIssuesInput IssueUpdateInput",
			changePaths("input.issues[0].")},
		{"createView", with(invalidView, "projectId", w.project, "isDefault", true),
			"CreateViewInput ViewColumnInput ViewSummaryInput", append(badView, "input.isDefault")},
		{"updateView", with(invalidView, "id", view), "UpdateViewInput", badView},
		{"createUser", with(invalidUser, "tenantId", w.tenant), "CreateUserInput", badUser},
		{"updateUser", with(invalidUser, "id", user), "UpdateUserInput", badUser},
		{"createTeam", object{"tenantId": w.tenant, "name": "", "description": long, "idempotencyKey": ""},
			"CreateTeamInput", []string{"input.name", "input.description", "input.idempotencyKey"}},
		{"updateTeam", object{"id": team, "name": "\u200b", "description": long, "idempotencyKey": ""},
			"UpdateTeamInput", []string{"input.name", "input.description", "input.idempotencyKey"}},
		{"addTeamMembers", object{"teamId": team, "userIds": []any{"x", user, team}, "idempotencyKey": ""},
			"AddTeamMembersInput", []string{"input.userIds[0]", "input.userIds[2]", "input.idempotencyKey"}},
		{"removeTeamMembers", object{"teamId": team, "userIds": []any{"x"}, "idempotencyKey": ""},
			"RemoveTeamMembersInput", []string{"input.userIds[0]", "input.idempotencyKey"}},
		{"createComment", object{"issueId": one.ID, "replyToId": "x", "body": " ", "language": "no language",
			"rating": 6, "mentionIds": []any{"x", user, team}, "idempotencyKey": ""}, "CreateCommentInput",
			[]string{"input.body", "input.idempotencyKey", "input.language", "input.mentionIds[0]",
				"input.mentionIds[2]", "input.rating", "input.replyToId"}},
		{"updateComment", object{"id": comment, "body": "", "language": "no language", "rating": 0,
			"mentionIds": slices.Repeat([]any{user}, tracker.MaxMentions+1), "idempotencyKey": ""},
			"UpdateCommentInput", []string{"input.body", "input.idempotencyKey", "input.language",
				"input.mentionIds", "input.rating"}},
		{"deleteComment", object{"id": comment, "idempotencyKey": ""}, "DeleteCommentInput",
			[]string{"input.idempotencyKey"}},
		{"addReaction", object{"commentId": comment, "reaction": "EYES", "idempotencyKey": ""},
			"AddReactionInput", []string{"input.idempotencyKey"}},
		{"removeReaction", object{"commentId": comment, "reaction": "EYES", "idempotencyKey": ""},
			"RemoveReactionInput", []string{"input.idempotencyKey"}},
		{"deleteView", object{"id": view, "idempotencyKey": ""}, "DeleteViewInput",
			[]string{"input.idempotencyKey"}},
		{"deleteIssues", object{"issues": []any{object{"id": one.ID}, object{"id": one.ID},
			object{"id": one.ID}}},
			"DeleteIssuesInput IssueDeleteInput", []string{"input.issues[1].id", "input.issues[2].id"}},
	} {
		t.Run(test.mutation, func(t *testing.T) {
			for _, name := range strings.Fields(test.covers) {
				covered[name] = true
			}
			selection := "__typename"
			if strings.HasSuffix(test.mutation, "Issues") {
				selection = resultErrors
			}
			s.wire.Reset()
			a := s.ask(t, fmt.Sprintf("mutation($i: %s%sInput!) { %s(input: $i) { %s } }",
				strings.ToUpper(test.mutation[:1]), test.mutation[1:], test.mutation, selection),
				map[string]any{"i": test.input})
			slices.Sort(test.want)
			same(t, test.mutation, test.want, pathsOf(t, a.refusals()))
			checkPayload(t, s, schema, test.mutation, test.input, a)
			if calls := s.wire.Calls(); calls["TransactWriteItems"] > 0 {
				t.Errorf("invalid inputs were written: %v", calls)
			}
		})
	}
	// Filters and ranges have tests of their own (TestFilterErrors, TestGroupsRefused). The ids of the others
	// have an error of their own, NOT_FOUND, and Booleans and enums are never invalid.
	others := regexp.MustCompile(`Filter|Range$|^(IssueOrder|IssueColumn|RelativeTime|IssueGroupBy|` +
		`ParticipationOrder|DeleteCustomFieldInput|RestoreProjectInput|DeleteIssueInput|RestoreIssueInput|` +
		`UpdateTenantInput|CancelJobInput)$`)
	for _, d := range ofOurs(schema) {
		if d.Kind == ast.InputObject && !covered[d.Name] && !others.MatchString(d.Name) {
			t.Errorf("%s is not tested: add a mutation with only invalid members, or, if none can be, others",
				d.Name)
		}
	}
	t.Run("a grid", func(t *testing.T) {
		where := fmt.Sprintf(`{name: {eq: "", contains: ""}, state: {eq: "x", in: ["y", "z"]},
			and: [{description: {}}, {or: [{num: {}}]}],
			not: {createdAt: {}, name: {between: {from: "", to: ""}}}, fields: [{fieldId: "x", isNull: true},
			{fieldId: %q, tags: {hasAny: ["", "a"], hasNone: [""]}}, {fieldId: %q}, {fieldId: %q,
				text: {eq: "x"}}]}`, fieldOf(tracker.TypeTags), fieldOf(tracker.TypeText),
			fieldOf(tracker.TypeNumber))
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { key
			issues(first: -1, after: "x", before: "y", where: %s) { totalCount } } }`, w.project, where), nil)
		same(t, "where", []string{"after", "before", "first", "where.and[0].description",
			"where.and[1].or[0].num", "where.fields[0].fieldId", "where.fields[1].tags.hasAny[0]",
			"where.fields[1].tags.hasNone[0]", "where.fields[2]", "where.fields[3].text",
			"where.name.contains", "where.name.eq", "where.not.createdAt", "where.not.name.between.from",
			"where.not.name.between.to", "where.state.eq", "where.state.in[0]", "where.state.in[1]"},
			pathsOf(t, a.Errors))
		same(t, "data", `{"project":{"key":"WORLD","issues":null}}`, string(a.Data))
	})
	t.Run("lists", func(t *testing.T) {
		a := s.ask(t, `{ tenants(first: 101, after: "x", before: "y") { nodes { id } } }`, nil)
		same(t, "tenants", []string{"after", "before", "first"}, pathsOf(t, a.Errors))
		a = s.ask(t,
			fmt.Sprintf(`{ node(id: %q) { ... on User { issues(first: 101, after: "x", before: "y", own: true,
			roles: [], where: {name: {eq: ""}, num: {}}, timeZone: "x") { nodes { id } } } } }`, user), nil)
		same(t, "issues of a user", []string{"after", "before", "first", "roles", "timeZone", "where.name.eq",
			"where.num"}, pathsOf(t, a.Errors))
		a = s.ask(t, fmt.Sprintf(`{ issue(id: %q) { num
			history(last: -1, after: "x", before: "y") { nodes { version } } } }`, one.ID), nil)
		same(t, "history", []string{"after", "before", "last"}, pathsOf(t, a.Errors))
		same(t, "data", fmt.Sprintf(`{"issue":{"num":%d,"history":null}}`, one.Num), string(a.Data))
	})
}
