package graph_test

import (
	"fmt"
	"hash/crc32"
	"sync/atomic"
	"testing"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// world is a project with a field of every type, created through the API.
type world struct {
	*server
	tenant, project string
	fields          map[tracker.FieldType]string // IDs of the fields by type
	options         map[tracker.FieldType][]string
	states          []string
}

// worlds counts the worlds, whose tenants have different names.
var worlds atomic.Int64

// newWorld creates a world in a new tenant.
func newWorld(t testing.TB, s *server) *world {
	t.Helper()
	tenant := do(t, s, "createTenant.tenant.id", "name", fmt.Sprint("World ", worlds.Add(1)))
	return s.worldOf(t, tenant, "WORLD")
}

// shardsIn returns the number of shards that projects have in a test: 1, 2 or 7.
func shardsIn(t testing.TB) int {
	return []int{1, 2, 7}[crc32.ChecksumIEEE([]byte(t.Name()))%3]
}

// worldOf creates a world in a tenant.
func (s *server) worldOf(t testing.TB, tenant, key string) *world {
	t.Helper()
	w := &world{server: s, tenant: tenant, fields: map[tracker.FieldType]string{},
		options: map[tracker.FieldType][]string{}}
	project := get[struct {
		ID     string
		States []struct{ ID string }
	}](t, s, "createProject.project", mutation("createProject", "project { id states { id } }"), input(nil,
		"tenantId", tenant, "key", key, "name", "World", "shards", shardsIn(t), "states",
		[]any{inputOf("name", "New", "open", true), inputOf("name", "Done", "open", false)}))
	w.project = project.ID
	for _, state := range project.States {
		w.states = append(w.states, state.ID)
	}
	for _, kind := range tracker.FieldTypes {
		w.addField(t, kind, "Field "+string(kind), false)
	}
	return w
}

// addField adds a field and makes it the field of its type.
func (w *world) addField(t testing.TB, kind tracker.FieldType, name string, required bool) {
	t.Helper()
	input := map[string]any{"projectId": w.project, "name": name, "type": kind, "required": required}
	if kind.HasOptions() {
		input["options"] = []any{map[string]any{"name": "One", "color": "#111111"},
			map[string]any{"name": "Two"}, map[string]any{"name": "Three"}}
	}
	created := get[struct {
		ID      string
		Options []struct{ ID string }
	}](t, w.server, "createCustomField.field", mutation("createCustomField", "field { id options { id } }"),
		map[string]any{"i": input})
	w.fields[kind], w.options[kind] = created.ID, nil
	for _, o := range created.Options {
		w.options[kind] = append(w.options[kind], o.ID)
	}
}

// given returns a value of the field of a type as an input.
func (w *world) given(kind tracker.FieldType, value any) map[string]any {
	member := members[kind]
	switch kind {
	case tracker.TypeSelect:
		member = "optionId"
	case tracker.TypeMultiSelect:
		member = "optionIds"
	}
	return map[string]any{"fieldId": w.fields[kind], "value": map[string]any{member: value}}
}

// members maps a type to its member of CustomFieldFilter, and of ValueInput.
var members = map[tracker.FieldType]string{
	tracker.TypeText: "text", tracker.TypeLongText: "text", tracker.TypeInteger: "integer",
	tracker.TypeNumber: "number", tracker.TypeDate: "date",
	tracker.TypeDateTime: "dateTime", tracker.TypeBoolean: "boolean", tracker.TypeSelect: "option",
	tracker.TypeMultiSelect: "options",
	tracker.TypeTags:        "tags", tracker.TypeUser: "user",
}

// full returns a value of each type.
func (w *world) full() map[tracker.FieldType]any {
	select1, multi := w.options[tracker.TypeSelect], w.options[tracker.TypeMultiSelect]
	return map[tracker.FieldType]any{
		tracker.TypeText: "a text", tracker.TypeLongText: "a long text", tracker.TypeInteger: "-42",
		tracker.TypeNumber: 2.5, tracker.TypeDate: "2024-02-29",
		tracker.TypeDateTime: "2024-02-29T12:00:00.5Z", tracker.TypeBoolean: false,
		tracker.TypeSelect: select1[1], tracker.TypeMultiSelect: []string{multi[2], multi[0]},
		tracker.TypeTags: []string{"b", "A"}, tracker.TypeUser: "Zoë",
	}
}

// inputs returns values as inputs, in the order of the types.
func (w *world) inputs(values map[tracker.FieldType]any) []any {
	out := []any{}
	for _, kind := range tracker.FieldTypes {
		if v, ok := values[kind]; ok {
			out = append(out, w.given(kind, v))
		}
	}
	return out
}

// issue is an issue with everything that clients can read.
type issue struct {
	ID, Name, CreatedAt, UpdatedAt string
	Num, Version                   int
	Description                    *string
	State                          struct{ ID, Name string }
	Project                        struct{ ID string }
	Values                         []value
}

type value struct {
	Typename string `json:"__typename"`
	Field    struct{ ID, Name string }
	Display  string
	Text     *string
	Bytes    *int
	Integer  *string
	Number   *float64
	Date     *string
	DateTime *string
	Boolean  *bool
	Option   *struct{ ID, Name string }
	Options  []struct{ ID, Name string }
	Tags     []string
	User     *string
}

const wholeIssue = guardtest.WholeIssue

// create creates an issue from values as inputs.
func (w *world) create(t testing.TB, name string, values []any) issue {
	t.Helper()
	return w.createOf(t, map[string]any{"name": name, "values": values})
}

func (w *world) createOf(t testing.TB, input map[string]any) issue {
	t.Helper()
	return get[issue](t, w.server, "createIssue.issue", mutation("createIssue", "issue "+wholeIssue),
		map[string]any{"i": inputOf("projectId", w.project, "issue", input)})
}

// update changes an issue.
func (w *world) update(t testing.TB, input map[string]any) issue {
	t.Helper()
	return get[issue](t, w.server, "updateIssue.issue", updateMutation, map[string]any{"i": input})
}

const updateMutation = `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue ` + wholeIssue +
	` } }`

// read reads an issue in all possible ways and checks that the results are equal.
func (w *world) read(t testing.TB, id string) issue {
	t.Helper()
	var got struct {
		Issue, Node issue
		Nodes       []issue
	}
	w.data(t, fmt.Sprintf(`query($id: ID!) { issue(id: $id) %[1]s node(id: $id) { ... on Issue %[1]s }
		nodes(ids: [$id]) { ... on Issue %[1]s } }`, wholeIssue), map[string]any{"id": id}, &got)
	same(t, "issue and node", got.Issue, got.Node)
	same(t, "issue and nodes", got.Issue, got.Nodes[0])
	grid := get[struct {
		Issue  issue
		Issues struct{ Nodes []issue }
	}](t, w.server, "project", fmt.Sprintf(`{ project(id: %q) { issue: issueByNum(num: %d) %[3]s issues(first: 500) {
		nodes %[3]s } } }`, w.project, got.Issue.Num, wholeIssue), nil)
	same(t, "issue and project.issue", got.Issue, grid.Issue)
	for _, row := range grid.Issues.Nodes {
		if row.Num == got.Issue.Num {
			same(t, "issue and the row of the grid", got.Issue, row)
			return got.Issue
		}
	}
	t.Errorf("#%d is not in the grid", got.Issue.Num)
	return got.Issue
}

// toEnd is the target of a move to the end of a list.
var toEnd = map[string]any{"end": true}

// toBefore is the target of a move before another state or option.
func toBefore(id string) map[string]any { return map[string]any{"beforeId": id} }

// intoNone is the target of a merge of options that removes their values.
var intoNone = map[string]any{"none": true}

// intoOption is the target of a merge of options into another one.
func intoOption(id string) map[string]any { return map[string]any{"optionId": id} }
