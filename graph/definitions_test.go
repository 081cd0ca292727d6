package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

type stateView struct {
	ID, Name string
	Open     bool
	Color    *string
}

type projectView struct {
	ID, Key, Name string
	States        []stateView
	Tenant        struct{ ID, Name string }
	Fields        []fieldView
}

type fieldView struct {
	ID, Name, Description, Type string
	Required, Sortable          bool
	Operators                   []string
	Position                    int
	Options                     []optionView
	Project                     struct{ ID string }
}

type optionView struct {
	ID, Name string
	Color    *string
}

const (
	wholeField   = `{ id name description type required sortable operators position options { id name color } project { id } }`
	wholeProject = `{ id key name states { id name open color } tenant { id name } fields ` + wholeField +
		` }`
)

func TestTenants(t *testing.T) {
	s := load(t)
	type tenant struct{ ID, Name string }
	var made struct{ CreateTenant struct{ Tenant tenant } }
	s.data(t,
		`mutation { createTenant(input: {name: "Äcme \"1\""}) { tenant { id name projects { nodes { id } } } } }`,
		nil, &made)
	id := made.CreateTenant.Tenant.ID
	read := func() (out tenant) {
		var got struct {
			Tenant, Node tenant
			Tenants      struct{ Nodes []tenant }
		}
		s.data(t, fmt.Sprintf(`{ tenant(id: %[1]q) { id name } node(id: %[1]q) { ... on Tenant { id name
			} } tenants { nodes { id name } } }`, id), nil, &got)
		same(t, "tenant and node", got.Tenant, got.Node)
		same(t, "tenants", []tenant{got.Tenant}, got.Tenants.Nodes)
		return got.Tenant
	}
	same(t, "the created tenant", tenant{id, `Äcme "1"`}, read())
	var changed struct{ UpdateTenant struct{ Tenant tenant } }
	s.data(t, fmt.Sprintf(`mutation { updateTenant(input: {id: %q, name: "Other"}) { tenant { id name } } }`,
		id), nil, &changed)
	same(t, "the payload", tenant{id, "Other"}, changed.UpdateTenant.Tenant)
	same(t, "the changed tenant", tenant{id, "Other"}, read())
}

func TestProjects(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	read := func(t *testing.T, id string) projectView {
		t.Helper()
		var got struct {
			Project, Node projectView
			Tenant        struct{ Projects struct{ Nodes []projectView } }
		}
		s.data(t, fmt.Sprintf(`{ project(id: %[1]q) %[3]s node(id: %[1]q) { ... on Project %[3]s }
			tenant(id: %[2]q) { projects { nodes %[3]s } } }`, id, w.tenant, wholeProject), nil, &got)
		same(t, "project and node", got.Project, got.Node)
		if !slices.ContainsFunc(got.Tenant.Projects.Nodes, func(p projectView) bool { return p.ID == id }) {
			t.Errorf("the project is not in the list of its tenant")
		}
		for _, p := range got.Tenant.Projects.Nodes {
			if p.ID == id {
				same(t, "project and the tenant's", got.Project, p)
			}
		}
		return got.Project
	}
	create := func(t *testing.T, key string, states any) projectView {
		t.Helper()
		var got struct{ CreateProject struct{ Project projectView } }
		s.data(t, `mutation($i: CreateProjectInput!) { createProject(input: $i) { project `+wholeProject+
			` } }`,
			map[string]any{"i": map[string]any{"tenantId": w.tenant, "key": key, "name": "Project " + key,
				"states": states}}, &got)
		same(t, "the payload and the object read", got.CreateProject.Project,
			read(t, got.CreateProject.Project.ID))
		return got.CreateProject.Project
	}
	const updateProject = `mutation($i: UpdateProjectInput!) { updateProject(input: $i) { project ` +
		wholeProject + ` } }`
	update := func(t *testing.T, input map[string]any) projectView {
		t.Helper()
		var got struct{ UpdateProject struct{ Project projectView } }
		s.data(t, updateProject, map[string]any{"i": input}, &got)
		same(t, "the payload and the object read", got.UpdateProject.Project,
			read(t, got.UpdateProject.Project.ID))
		return got.UpdateProject.Project
	}

	t.Run("given states and default states", func(t *testing.T) {
		p := create(t, "A_1", nil)
		n, err := model.ParseProjectID(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "states", []stateView{
			{ID: model.StateID(n.Tenant, n.Project, "open"), Name: "open", Open: true},
			{ID: model.StateID(n.Tenant, n.Project, "closed"), Name: "closed"}}, p.States)
		if p.Key != "A_1" || p.Name != "Project A_1" || p.Tenant.ID != w.tenant ||
			!strings.HasPrefix(p.Tenant.Name, "World ") || len(p.Fields) != 0 {
			t.Errorf("%+v", p)
		}
		p = create(t, "B", []any{map[string]any{"name": "To do", "open": true, "color": "#1f883d"},
			map[string]any{"name": "Done", "open": false}})
		if p.States[0].Name != "To do" || !p.States[0].Open || deref(p.States[0].Color) != "#1f883d" ||
			p.States[1].Name != "Done" ||
			p.States[1].Open || p.States[0].ID == p.States[1].ID {
			t.Errorf("states: %+v", p.States)
		}
	})

	t.Run("update", func(t *testing.T) {
		p := create(t, "C", []any{map[string]any{"name": "To do", "open": true},
			map[string]any{"name": "Done", "open": false}})
		want := p
		want.Name = "Renamed"
		same(t, "another name", want, update(t, map[string]any{"id": p.ID, "name": "Renamed"}))
		want.Key = "CC"
		same(t, "another key", want, update(t, map[string]any{"id": p.ID, "key": "CC"}))
		create(t, "C", nil) // the key is available again
		changed := update(t, map[string]any{"id": p.ID, "name": want.Name})
		same(t, "a change without effect", want, changed)

		s.refuses(t, []refusal{
			{name: "a key that is taken", query: updateProject,
				variables: map[string]any{"i": map[string]any{"id": p.ID, "key": "C"}},
				code:      tracker.Conflict, argument: "input.key", says: []string{"C"}},
		})
		same(t, "nothing was written", changed, read(t, p.ID))
		s.refuses(t, []refusal{
			{name: "a new project with a key that is taken",
				query: `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }`,
				variables: map[string]any{"i": map[string]any{"tenantId": w.tenant, "key": "CC",
					"name": "x"}},
				code: tracker.Conflict, argument: "input.key", says: []string{"CC"}},
		})
		other := newWorld(t, s)
		other.worldOf(t, other.tenant, "CC") // keys are per tenant
	})

	t.Run("fields of all types", func(t *testing.T) {
		p := read(t, w.project)
		if len(p.Fields) != len(tracker.FieldTypes) {
			t.Fatalf("%d fields", len(p.Fields))
		}
		for i, f := range p.Fields {
			kind := tracker.FieldTypes[i]
			want := fieldView{ID: w.fields[kind], Name: "Field " + string(kind), Type: string(kind),
				Sortable: kind.Sortable(), Operators: operatorsOf(kind), Position: i + 1,
				Options: []optionView{}}
			want.Project.ID = w.project
			if kind.HasOptions() {
				color := "#111111"
				ids := w.options[kind]
				want.Options = []optionView{{ids[0], "One", &color}, {ids[1], "Two", nil},
					{ids[2], "Three", nil}}
			}
			same(t, string(kind), want, f)
			var got struct {
				Project struct{ Field fieldView }
				Node    fieldView
			}
			s.data(t, fmt.Sprintf(`{ project(id: %q) { field(id: %q) %[3]s } node(id: %[2]q) { ... on
				CustomField %[3]s } }`, w.project, f.ID, wholeField), nil, &got)
			same(t, "project.field", f, got.Project.Field)
			same(t, "node", f, got.Node)
		}
	})

	t.Run("update of a field", func(t *testing.T) {
		const updateField = `mutation($i: UpdateCustomFieldInput!) { updateCustomField(input: $i) { field ` +
			wholeField + ` } }`
		update := func(t *testing.T, input map[string]any) fieldView {
			t.Helper()
			var got struct{ UpdateCustomField struct{ Field fieldView } }
			s.data(t, updateField, map[string]any{"i": input}, &got)
			var node struct{ Node fieldView }
			s.data(t, fmt.Sprintf(`{ node(id: %q) { ... on CustomField %s } }`, input["id"], wholeField), nil,
				&node)
			same(t, "the payload and the object read", got.UpdateCustomField.Field, node.Node)
			return got.UpdateCustomField.Field
		}
		id := w.fields[tracker.TypeSelect]
		want := update(t, map[string]any{"id": id})
		want.Name, want.Description, want.Required, want.Position = "Choice", "What it is", true, 1
		same(t, "everything but the options", want,
			update(t, map[string]any{"id": id, "name": "Choice", "description": "What it is",
				"required": true, "position": 1}))
		want.Description, want.Required = "", false
		same(t, "back", want, update(t, map[string]any{"id": id, "description": "", "required": false}))
		i := w.create(t, "chosen", w.inputs(
			map[tracker.FieldType]any{tracker.TypeSelect: w.options[tracker.TypeSelect][2]}))
		changed := update(t, map[string]any{"id": id, "newOptions": []any{
			map[string]any{"name": "Four", "color": "rebeccapurple"}, map[string]any{"name": "Five"}}})
		same(t, "the other options", want.Options, changed.Options[:3])
		if len(changed.Options) != 5 || changed.Options[3].Name != "Four" ||
			deref(changed.Options[3].Color) != "rebeccapurple" || changed.Options[4].Name != "Five" {
			t.Errorf("options: %+v", changed.Options)
		}
		if got := w.read(t, i.ID); got.Values[0].Display != "Three" {
			t.Errorf("the value is %q", got.Values[0].Display)
		}
		var names []string
		for _, f := range read(t, w.project).Fields[:3] {
			names = append(names, f.Name)
		}
		if !slices.Contains(names[:2], "Choice") {
			t.Errorf("the field with the position 1 is not among the first: %v", names)
		}

		with := func(pairs ...any) map[string]any { return input(map[string]any{"id": id}, pairs...) }
		option := func(pairs ...any) []any { return []any{inputOf(pairs...)} }
		s.refuses(t, []refusal{
			{name: "the same name twice", query: updateField,
				variables: with("newOptions", append(option("name", "Six"), option("name", "sIX ")...)),
				code:      tracker.BadInput, argument: "input.newOptions[1].name", says: []string{"Six"}},
			{name: "the name of another option", query: updateField,
				variables: with("newOptions", option("name", "fOUR")),
				code:      tracker.Conflict, argument: "input.newOptions[0].name", says: []string{"Four"}},
			{name: "options of a text", query: updateField,
				variables: with("id", w.fields[tracker.TypeText], "newOptions", option("name", "x")),
				code:      tracker.BadInput, argument: "input.newOptions", says: []string{"TEXT"}},
			{name: "a name that is taken", query: updateField, variables: with("name", "fIELD tEXT"),
				code: tracker.Conflict, argument: "input.name"},
			{name: "no name", query: updateField, variables: with("name", " "),
				code: tracker.BadInput, argument: "input.name"},
			{name: "an invalid color", query: updateField,
				variables: with("newOptions", option("name", "x", "color", "red; background: url(x)")),
				code:      tracker.BadInput, argument: "input.newOptions[0].color"},
			{name: "position 0", query: updateField, variables: with("position", 0),
				code: tracker.BadInput, argument: "input.position"},
		})
		const createField = `mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }`
		field := func(pairs ...any) map[string]any {
			return input(inputOf("projectId", w.project, "name", "new", "type", "TEXT"), pairs...)
		}
		s.refuses(t, []refusal{
			{name: "options of a new text", query: createField,
				variables: field("options", option("name", "x")),
				code:      tracker.BadInput, argument: "input.options"},
			{name: "a new field with a name that is taken", query: createField,
				variables: field("name", "choice"), code: tracker.Conflict, argument: "input.name",
				says: []string{"Choice"}},
			{name: "a new field of an unknown type", query: createField, variables: field("type", "MONEY"),
				code: tracker.BadInput, argument: "input.type", says: []string{"MONEY"}},
			{name: "a new field at position -1", query: createField, variables: field("position", -1),
				code: tracker.BadInput, argument: "input.position"},
			{name: "a new field with an invalid color", query: createField,
				variables: field("type", "SELECT",
					"options", option("name", "x", "color", strings.Repeat("#", 1000))),
				code: tracker.BadInput, argument: "input.options[0].color"},
		})
	})

	t.Run("a required field", func(t *testing.T) {
		r := w.worldOf(t, w.tenant, "REQ")
		i := r.create(t, "older than the rule", nil)
		for _, kind := range tracker.FieldTypes {
			r.addField(t, kind, "Required "+string(kind), true)
		}
		full := r.full()
		const create = `mutation($p: ID!, $i: IssueCreateInput!) { createIssue(input: {projectId: $p, issue: $i}) { issue { id } } }`
		var refusals []refusal
		for n, kind := range tracker.FieldTypes {
			all := r.inputs(full)
			refusals = append(refusals, refusal{name: string(kind) + " missing", query: create,
				variables: map[string]any{"p": r.project,
					"i": map[string]any{"name": "x", "values": slices.Delete(all, n, n+1)}},
				code: tracker.BadInput, argument: "input.issue.values",
				says: []string{"Required " + string(kind), "required"}})
		}
		s.refuses(t, refusals)
		whole := r.create(t, "whole", r.inputs(full))
		s.refuses(t, []refusal{
			{name: "removed by an update", query: updateMutation,
				variables: map[string]any{"i": map[string]any{"id": whole.ID,
					"values": []any{map[string]any{"fieldId": r.fields[tracker.TypeDate], "clear": true}}}},
				code: tracker.BadInput, argument: "input.issue.values[0].clear", says: []string{"required"}},
			{name: "emptied by an update", query: updateMutation,
				variables: map[string]any{"i": map[string]any{"id": whole.ID,
					"values": []any{r.given(tracker.TypeText, "")}}},
				code: tracker.BadInput, argument: "input.issue.values[0].value.text",
				says: []string{"required"}},
		})
		if got := r.update(t, map[string]any{"id": i.ID, "name": "still without"}); len(got.Values) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// operatorsOf returns the operators of a type of fields.
func operatorsOf(kind tracker.FieldType) (out []string) {
	for _, o := range model.ValueTypes[kind].Operators {
		out = append(out, string(o))
	}
	return out
}
