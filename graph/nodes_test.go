package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph/model"
	"issuegrid/sample"
	"issuegrid/tracker"
)

func TestNodes(t *testing.T) {
	projects := sample.Worked()
	s := load(t, projects...)
	bridge, news := &projects[0], &projects[1]
	tenant, project, field, issue := encoded("T"+string(bridge.Tenant.ID)), projectID(bridge),
		fieldID(bridge, "3812"), issueID(bridge, 0)

	t.Run("node finds every kind by its ID", func(t *testing.T) {
		for id, kind := range map[string]string{tenant: "Tenant", project: "Project", field: "CustomField",
			issue: "Issue"} {
			var got struct {
				Node struct {
					ID       string
					Typename string `json:"__typename"`
				}
			}
			s.data(t, fmt.Sprintf(`{ node(id: %q) { __typename id } }`, id), nil, &got)
			if got.Node.ID != id || got.Node.Typename != kind {
				t.Errorf("%s is %+v", id, got.Node)
			}
		}
	})

	// IDs of missing things: of nothing, of a kind that can't be requested, and combined from parts of
	// several owners.
	gone := map[string]string{
		"not an ID": "x", "an empty ID": "", "a missing tenant": encoded("Tnobody"),
		"a missing project": model.ProjectNodeID(bridge.Tenant.ID, "nothing"),
		"a missing field":   fieldID(bridge, "nothing"),
		"a missing issue": model.IssueNodeID(bridge.Tenant.ID,
			tracker.IssueID{Project: bridge.Project.ID, Issue: "nothing"}),
		"another tenant's project": model.ProjectNodeID(news.Tenant.ID, bridge.Project.ID),
		"another tenant's field":   model.FieldNodeID(news.Tenant.ID, bridge.Project.ID, "3812"),
		"another project's field":  model.FieldNodeID(bridge.Tenant.ID, news.Project.ID, "3812"),
		"another tenant's issue":   model.IssueNodeID(news.Tenant.ID, bridge.Issues[0].ID),
		"another project's issue": model.IssueNodeID(bridge.Tenant.ID,
			tracker.IssueID{Project: news.Project.ID, Issue: bridge.Issues[0].ID.Issue}),
		"an issue of another project and tenant": model.IssueNodeID(news.Tenant.ID,
			tracker.IssueID{Project: news.Project.ID, Issue: bridge.Issues[0].ID.Issue}),
		"a built-in column": encoded("F0807/35e9/state"),
		"very long":         strings.Repeat("A", 100_000),
	}
	of := map[string][]string{ // IDs of existing things
		"tenant": {tenant}, "project": {project}, "customField": {field}, "issue": {issue},
	}
	t.Run("missing things", func(t *testing.T) {
		queries := map[string]string{
			"tenant":  `query($id: ID!) { it: tenant(id: $id) { id } }`,
			"project": `query($id: ID!) { it: project(id: $id) { id } }`,
			"issue":   `query($id: ID!) { it: issue(id: $id) { id } }`,
			"node":    `query($id: ID!) { it: node(id: $id) { id } }`,
			"customField": fmt.Sprintf(`query($id: ID!) { project(id: %q) { it: field(id: $id) { id } } }`,
				project),
			"value": fmt.Sprintf(
				`query($id: ID!) { issue(id: %q) { it: value(field: $id) { display } } }`, issue),
		}
		for name, query := range queries {
			bad := map[string]string{}
			for what, id := range gone {
				bad[what] = id
			}
			if name != "node" {
				for kind, ids := range of {
					if kind != name && (name != "value" || kind != "customField") {
						bad["the id of a "+kind] = ids[0]
					}
				}
			}
			for what, id := range bad {
				t.Run(name+" "+what, func(t *testing.T) {
					a := s.ask(t, query, map[string]any{"id": id})
					if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.NotFound) ||
						!strings.HasPrefix(a.Errors[0].Message, "no such ") {
						t.Fatalf("%+v", a.Errors)
					}
					if path := a.Errors[0].Path; path[len(path)-1] != "it" {
						t.Errorf("path %v", path)
					}
					if !strings.Contains(string(a.Data), `"it":null`) {
						t.Errorf("data %s", a.Data)
					}
				})
			}
		}
	})

	t.Run("nodes keeps the order and returns an error for each missing one", func(t *testing.T) {
		ids := []string{issue, gone["no id"], field, gone["another tenant's issue"], tenant, project, issue,
			gone["another project's field"]}
		a := s.ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, map[string]any{"ids": ids})
		got := decode[struct{ Nodes []*struct{ ID string } }](t, a.Data)
		var found []string
		for _, n := range got.Nodes {
			if n == nil {
				found = append(found, "")
			} else {
				found = append(found, n.ID)
			}
		}
		if diff := cmp.Diff([]string{issue, "", field, "", tenant, project, issue, ""}, found); diff != "" {
			t.Errorf("nodes (-want +got):\n%s", diff)
		}
		var errs []string
		for _, e := range a.Errors {
			errs = append(errs, fmt.Sprint(e.Path, e.Extensions["code"]))
		}
		slices.Sort(errs)
		if diff := cmp.Diff([]string{"[nodes 1]NOT_FOUND", "[nodes 3]NOT_FOUND", "[nodes 7]NOT_FOUND"},
			errs); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
	})

	t.Run("values keeps the order and returns an error for each missing one", func(t *testing.T) {
		query :=
			`query($p: ID!, $f: [ID!]) { project(id: $p) { issues(first: 2) { nodes { num values(fields: $f) { display } } } } }`
		a := s.ask(t, query, map[string]any{"p": project, "f": []string{fieldID(bridge, "882a"), "x", field}})
		want :=
			`{"project":{"issues":{"nodes":[{"num":1,"values":[{"display":"2023-06-01"},null,{"display":"2023-05-01"}]},{"num":2,"values":[{"display":"2023-06-02"},null,{"display":"2023-05-02"}]}]}}}`
		if diff := cmp.Diff(want, string(a.Data)); diff != "" {
			t.Errorf("data (-want +got):\n%s", diff)
		}
		var errs []string
		for _, e := range a.Errors {
			errs = append(errs, fmt.Sprint(e.Path, e.Extensions["code"]))
		}
		slices.Sort(errs)
		if diff := cmp.Diff([]string{"[project issues nodes 0 values 1]NOT_FOUND",
			"[project issues nodes 1 values 1]NOT_FOUND"}, errs); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
	})

	t.Run("a missing number", func(t *testing.T) {
		for _, num := range []string{"4", "0", "-1", "2147483647", "-2147483648"} {
			s.refuses(t, []refusal{{name: num,
				query: fmt.Sprintf(`{ project(id: %q) { issue(num: %s) { id } } }`, project, num),
				code:  tracker.NotFound}})
		}
	})
}

// TestForeignIDs sends mutations the IDs of other owners. The response is that for a missing thing, and
// nothing is written.
func TestForeignIDs(t *testing.T) {
	s := load(t)
	mine := newWorld(t, s)
	theirs, sibling := newWorld(t, s), mine.worldOf(t, mine.tenant, "SIBLING")
	theirIssue, siblingIssue := theirs.create(t, "theirs", theirs.inputs(theirs.full())),
		sibling.create(t, "the sibling's", sibling.inputs(sibling.full()))
	parts := func(id string) model.NodeID {
		n, ok := model.ParseNodeID(id)
		if !ok {
			t.Fatalf("%s is not an ID", id)
		}
		return n
	}
	me, them, beside := parts(mine.project), parts(theirs.project), parts(sibling.project)
	// The ids of fields are numbered within their projects: these have one that mine has not.
	further := func(w *world) string {
		var got struct {
			CreateCustomField struct{ Field struct{ ID string } }
		}
		s.data(t, `mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }`,
			map[string]any{"i": map[string]any{"project": w.project, "name": "further", "type": "TEXT"}},
			&got)
		return got.CreateCustomField.Field.ID
	}
	theirText, siblingText := further(theirs), further(sibling)
	theirField, siblingField := parts(theirText).Field, parts(siblingText).Field
	theirIssueID, siblingIssueID := parts(theirIssue.ID).Issue, parts(siblingIssue.ID).Issue
	everything := func() (out []string) {
		for _, w := range []*world{mine, theirs, sibling} {
			a := s.post(t,
				fmt.Sprintf(
					`{ tenant(id: %q) { name } project(id: %q) { key name states { name } fields { name options { name } } issues { nodes %s } } }`,
					w.tenant, w.project, wholeIssue),
				nil)
			out = append(out, a.body)
		}
		return out
	}
	before := everything()

	var refusals []refusal
	notFound := func(name, mutation string, input map[string]any) {
		refusals = append(refusals, refusal{name: name, query: mutation,
			variables: map[string]any{"i": input}, code: tracker.NotFound, says: []string{"no such "}})
	}
	for what, id := range map[string]string{"no tenant": encoded("Tnobody"), "a project": mine.project,
		"nonsense": "x"} {
		notFound("updateTenant "+what,
			`mutation($i: UpdateTenantInput!) { updateTenant(input: $i) { tenant { id } } }`,
			map[string]any{"id": id, "name": "x"})
		notFound("createProject "+what,
			`mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }`,
			map[string]any{"tenant": id, "key": "X", "name": "x"})
	}
	for what, id := range map[string]string{"mine in another tenant": model.ProjectNodeID(them.Tenant,
		me.Project), "theirs by my tenant": model.ProjectNodeID(me.Tenant, them.Project),
		"none": model.ProjectNodeID(me.Tenant, "nothing"), "a tenant": mine.tenant,
		"an issue": siblingIssue.ID} {
		notFound("updateProject "+what,
			`mutation($i: UpdateProjectInput!) { updateProject(input: $i) { project { id } } }`,
			map[string]any{"id": id, "name": "x"})
		notFound("createCustomField "+what,
			`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }`,
			map[string]any{"project": id, "name": "x", "type": "TEXT"})
		notFound("createIssue "+what,
			`mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			map[string]any{"project": id, "issue": map[string]any{"name": "x"}})
		notFound("createIssues "+what,
			`mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { error { code } } } }`,
			map[string]any{"project": id, "issues": []any{map[string]any{"name": "x"}}})
	}
	for what, id := range map[string]string{"theirs by my tenant": model.FieldNodeID(me.Tenant, them.Project,
		theirField), "another tenant's in my project": model.FieldNodeID(me.Tenant, me.Project, theirField),
		"the sibling's in my project": model.FieldNodeID(me.Tenant, me.Project, siblingField),
		"a project":                   mine.project} {
		notFound("updateCustomField "+what,
			`mutation($i: UpdateCustomFieldInput!) { updateCustomField(input: $i) { field { id } } }`,
			map[string]any{"id": id, "name": "x"})
	}
	for what, id := range map[string]string{"theirs by my tenant": model.IssueNodeID(me.Tenant, theirIssueID),
		"another tenant's in my project": model.IssueNodeID(me.Tenant,
			tracker.IssueID{Project: me.Project, Issue: theirIssueID.Issue}),
		"the sibling's in my project": model.IssueNodeID(me.Tenant,
			tracker.IssueID{Project: me.Project,
				Issue: siblingIssueID.Issue}), "theirs in the sibling": model.
			IssueNodeID(me.Tenant, tracker.IssueID{Project: beside.Project, Issue: theirIssueID.Issue}),
		"mine in another tenant": model.IssueNodeID(them.Tenant, siblingIssueID), "a project": mine.project} {
		notFound("updateIssue "+what, updateMutation, map[string]any{"id": id, "name": "x"})
		notFound("updateIssue with values "+what, updateMutation, map[string]any{"id": id, "values": []any{}})
		notFound("deleteIssue "+what,
			`mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
			map[string]any{"id": id})
	}
	// A field, a state or an option must belong to the given project. The message must not reveal whose it
	// is.
	var messages []string
	for what, id := range map[string]string{"their field": theirText,
		"the sibling's field":                  siblingText,
		"another tenant's field in my project": model.FieldNodeID(me.Tenant, me.Project, theirField),
		"a missing field":                      fieldID(&sample.Worked()[0], "3812"),
		"a project":                            mine.project} {
		input := []any{map[string]any{"field": id, "value": map[string]any{"text": "x"}}}
		create := refusal{name: "a value of " + what,
			query: `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			variables: map[string]any{"i": map[string]any{"project": mine.project,
				"issue": map[string]any{"name": "x",
					"values": input}}}, code: tracker.BadInput, argument: "input.issue.values[0].field"}
		refusals = append(refusals, create)
		messages = append(messages, s.ask(t, create.query, create.variables).Errors[0].Message)
	}
	if slices.Sort(messages); len(slices.Compact(messages)) != 1 {
		t.Errorf("the messages reveal the owner of a field: %q", messages)
	}
	for what, state := range map[string]string{"their state": theirs.states[0],
		"the sibling's state": sibling.states[0]} {
		refusals = append(refusals, refusal{name: what,
			query: `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			variables: map[string]any{"i": map[string]any{"project": mine.project,
				"issue": map[string]any{"name": "x",
					"state": state}}}, code: tracker.BadInput, argument: "input.issue.state"})
	}
	for what, option := range map[string]string{"their option": theirs.options[tracker.TypeSelect][0],
		"the sibling's option": sibling.options[tracker.TypeSelect][0]} {
		refusals = append(refusals, refusal{name: what,
			query: `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			variables: map[string]any{"i": map[string]any{"project": mine.project,
				"issue": map[string]any{"name": "x",
							"values": []any{mine.given(tracker.TypeSelect, option)}}}}, code: tracker.
				BadInput, argument: "input.issue.values[0].value.option"})
	}
	s.refuses(t, refusals)
	if diff := cmp.Diff(before, everything()); diff != "" {
		t.Errorf("something was written (-before +after):\n%s", diff)
	}
}
