package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

func TestNodes(t *testing.T) {
	projects := sample.Worked()
	s := load(t, projects...)
	bridge, news := &projects[0], &projects[1]
	tenant, project, field, issue := encoded("T"+string(bridge.Tenant.ID)), projectID(bridge),
		fieldID(bridge, "3812"), issueID(bridge, 0)

	t.Run("node finds every kind by its ID", func(t *testing.T) {
		w := newWorld(t, s)
		for id, kind := range map[string]string{tenant: "Tenant", project: "Project", field: "CustomField",
			issue: "Issue", w.states[0]: "State", w.options[tracker.TypeSelect][0]: "Option"} {
			same(t, kind, fmt.Sprintf(`{"node":{"__typename":%q,"id":%q}}`, kind, id),
				string(s.ask(t, fmt.Sprintf(`{ node(id: %q) { __typename id } }`, id), nil).Data))
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
		"a missing state":          model.StateID(bridge.Tenant.ID, bridge.Project.ID, "nothing"),
		"a missing option":         model.OptionID(bridge.Tenant.ID, bridge.Project.ID, "3812", "nothing"),
		"a missing job":            model.JobID(bridge.Tenant.ID, bridge.Project.ID, "nothing"),
		"another tenant's state":   model.StateID(news.Tenant.ID, bridge.Project.ID, "open"),
		"another project's issue": model.IssueNodeID(bridge.Tenant.ID,
			tracker.IssueID{Project: news.Project.ID, Issue: bridge.Issues[0].ID.Issue}),
		"an issue of another project and tenant": model.IssueNodeID(news.Tenant.ID,
			tracker.IssueID{Project: news.Project.ID, Issue: bridge.Issues[0].ID.Issue}),
		"a built-in column": encoded("F0807/35e9/state"),
		"very long":         strings.Repeat("A", 100_000),
	}
	of := map[string]string{ // IDs of existing things
		"tenantId": tenant, "projectId": project, "customField": field, "issue": issue,
	}
	t.Run("missing things", func(t *testing.T) {
		queries := map[string]string{
			"tenantId":  `query($id: ID!) { it: tenant(id: $id) { id } }`,
			"projectId": `query($id: ID!) { it: project(id: $id) { id } }`,
			"issue":     `query($id: ID!) { it: issue(id: $id) { id } }`,
			"node":      `query($id: ID!) { it: node(id: $id) { id } }`,
			"customField": fmt.Sprintf(`query($id: ID!) { project(id: %q) { it: field(id: $id) { id } } }`,
				project),
			"value": fmt.Sprintf(
				`query($id: ID!) { issue(id: %q) { it: value(fieldId: $id) { display } } }`, issue),
		}
		for name, query := range queries {
			bad := maps.Clone(gone)
			for kind, id := range of {
				if kind != name && name != "node" && (name != "value" || kind != "customField") {
					bad["the id of a "+kind] = id
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
					argument := "id"
					if name == "value" {
						argument = "fieldId"
					}
					same(t, "the argument", argument, fmt.Sprint(a.Errors[0].Extensions["argument"]))
					if !strings.Contains(string(a.Data), `"it":null`) {
						t.Errorf("data %s", a.Data)
					}
				})
			}
		}
	})

	t.Run("lists keep the order and have an error for each missing one", func(t *testing.T) {
		for _, c := range []struct {
			query string
			ids   []string
			data  string
			paths []string
		}{
			{`query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, []string{issue, "x", field,
				gone["another tenant's issue"], tenant, project, issue, gone["another project's field"]},
				fmt.Sprintf(`{"nodes":[{"id":%q},null,{"id":%q},null,{"id":%q},{"id":%q},{"id":%[1]q},null]}`,
					issue, field, tenant, project), []string{"[nodes 1] ids[1]", "[nodes 3] ids[3]",
					"[nodes 7] ids[7]"}},
			{fmt.Sprintf(`query($ids: [ID!]) { project(id: %q) { issues(first: 2) { nodes { num values(fieldIds: $ids) {
				display } } } } }`, project), []string{fieldID(bridge, "882a"), "x", field},
				`{"project":{"issues":{"nodes":[` +
					`{"num":1,"values":[{"display":"2023-06-01"},null,{"display":"2023-05-01"}]},` +
					`{"num":2,"values":[{"display":"2023-06-02"},null,{"display":"2023-05-02"}]}]}}}`,
				[]string{"[project issues nodes 0 values 1] fieldIds[1]",
					"[project issues nodes 1 values 1] fieldIds[1]"}},
		} {
			a := s.ask(t, c.query, map[string]any{"ids": c.ids})
			same(t, c.query, c.data, string(a.Data))
			var paths []string
			for _, e := range a.Errors {
				paths = append(paths, fmt.Sprint(e.Path, " ", e.Extensions["argument"]))
				if e.Extensions["code"] != string(tracker.NotFound) {
					t.Errorf("%+v", e)
				}
			}
			slices.Sort(paths)
			same(t, "errors of "+c.query, c.paths, paths)
		}
	})

	t.Run("a missing number", func(t *testing.T) {
		for _, num := range []string{"4", "0", "-1", "2147483647", "-2147483648"} {
			s.refuses(t, []refusal{{name: num,
				query: fmt.Sprintf(`{ project(id: %q) { issue: issueByNum(num: %s) { id } } }`, project, num),
				code:  tracker.NotFound, argument: "num"}})
		}
	})
}

// TestForeignIDs sends mutations IDs that are combined from the parts of several owners. The response is that
// for a missing thing, and nothing is written. TestIsolation sends the IDs of another tenant everywhere, and
// TestForeignOptionsAreRefused those of states and options.
func TestForeignIDs(t *testing.T) {
	s := load(t)
	mine := newWorld(t, s)
	theirs, sibling := newWorld(t, s), mine.worldOf(t, mine.tenant, "SIBLING")
	theirIssue := theirs.create(t, "theirs", theirs.inputs(theirs.full()))
	siblingIssue := sibling.create(t, "the sibling's", sibling.inputs(sibling.full()))
	parts := func(id string) model.NodeID {
		n, ok := model.ParseNodeID(id)
		if !ok {
			t.Fatalf("%s is not an ID", id)
		}
		return n
	}
	// The ids of fields are numbered within their projects: these have one that mine has not.
	for _, w := range []*world{theirs, sibling} {
		w.addField(t, tracker.TypeText, "further", false)
	}
	me, them, beside := parts(mine.project), parts(theirs.project), parts(sibling.project)
	theirText, siblingText := theirs.fields[tracker.TypeText], sibling.fields[tracker.TypeText]
	issue := func(tenant tracker.TenantID, project tracker.ProjectID, of issue) string {
		return model.IssueNodeID(tenant, tracker.IssueID{Project: project, Issue: parts(of.ID).Issue.Issue})
	}
	theirFieldInMine := model.FieldNodeID(me.Tenant, me.Project, parts(theirText).Field)
	everything := func() (out []string) {
		for _, w := range []*world{mine, theirs, sibling} {
			out = append(out, s.post(t, fmt.Sprintf(`{ tenant(id: %q) { name } project(id: %q) { key name
				states { name } fields { name options { name } } issues { nodes %s } } }`, w.tenant, w.project,
				wholeIssue), nil).body)
		}
		return out
	}
	before := everything()

	type input = map[string]any
	type change struct {
		mutation string
		of       func(id string) input
	}
	named := func(id string) input { return input{"id": id, "name": "x"} }
	var refusals []refusal
	for _, c := range []struct {
		ids     map[string]string
		changes []change
	}{
		{map[string]string{"no tenant": encoded("Tnobody"), "a project": mine.project, "nonsense": "x"},
			[]change{{updateTenant, named}, {createProject, func(id string) input {
				return input{"tenantId": id, "key": "X", "name": "x"}
			}}}},
		{map[string]string{"mine in another tenant": model.ProjectNodeID(them.Tenant, me.Project),
			"theirs by my tenant": model.ProjectNodeID(me.Tenant, them.Project),
			"none":                model.ProjectNodeID(me.Tenant, "nothing"), "a tenant": mine.tenant,
			"an issue": siblingIssue.ID},
			[]change{{updateProject, named}, {createField, func(id string) input {
				return input{"projectId": id, "name": "x", "type": "TEXT"}
			}}, {createIssue, func(id string) input {
				return input{"projectId": id, "issue": input{"name": "x"}}
			}}, {createMany, func(id string) input {
				return input{"projectId": id, "issues": []any{input{"name": "x"}}}
			}}}},
		{map[string]string{"theirs by my tenant": model.FieldNodeID(me.Tenant, them.Project,
			parts(theirText).Field), "another tenant's in my project": theirFieldInMine,
			"the sibling's in my project": model.FieldNodeID(me.Tenant, me.Project, parts(siblingText).Field),
			"a project":                   mine.project}, []change{{updateField, named}}},
		{map[string]string{"theirs by my tenant": issue(me.Tenant, them.Project, theirIssue),
			"another tenant's in my project": issue(me.Tenant, me.Project, theirIssue),
			"the sibling's in my project":    issue(me.Tenant, me.Project, siblingIssue),
			"theirs in the sibling":          issue(me.Tenant, beside.Project, theirIssue),
			"mine in another tenant":         issue(them.Tenant, beside.Project, siblingIssue),
			"a project":                      mine.project},
			[]change{{updateMutation, named}, {updateMutation, func(id string) input {
				return input{"id": id, "values": []any{}}
			}}, {deleteOne, func(id string) input { return input{"id": id} }}}},
	} {
		for what, id := range c.ids {
			for _, change := range c.changes {
				given, argument := change.of(id), ""
				for member, is := range given {
					if is == id && member != "name" {
						argument = "input." + member
						if change.mutation == updateMutation || change.mutation == deleteOne {
							argument = "input.issue.id"
						}
					}
				}
				refusals = append(refusals, refusal{name: what + " " + change.mutation,
					query: change.mutation, variables: input{"i": given}, code: tracker.NotFound,
					argument: argument, says: []string{"no such "}})
			}
		}
	}
	// A field must belong to the given project. The message must not reveal whose it is.
	var messages []string
	for what, id := range map[string]string{"their field": theirText, "the sibling's field": siblingText,
		"another tenant's field in my project": theirFieldInMine,
		"a missing field":                      fieldID(&sample.Worked()[0], "3812"),
		"a project":                            mine.project} {
		create := refusal{name: "a value of " + what, query: createIssue, code: tracker.BadInput,
			argument: "input.issue.values[0].fieldId", variables: input{"i": input{"projectId": mine.project,
				"issue": input{"name": "x",
					"values": []any{input{"fieldId": id, "value": input{"text": "x"}}}}}}}
		refusals = append(refusals, create)
		messages = append(messages, s.ask(t, create.query, create.variables).Errors[0].Message)
	}
	if slices.Sort(messages); len(slices.Compact(messages)) != 1 {
		t.Errorf("the messages reveal the owner of a fieldId: %q", messages)
	}
	s.refuses(t, refusals)
	same(t, "what is stored", before, everything())
}

// TestPurgeTimes checks that deletions of issues say when the issues are deleted permanently.
func TestPurgeTimes(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	var ids []string
	for n := range 4 {
		ids = append(ids, w.create(t, fmt.Sprint(n), nil).ID)
	}
	of := func(id string) any { return inputOf("id", id) }
	deleted := get[map[string]any](t, s, "deleteIssue", mutation("deleteIssue", "deletedIssueId purgeAt"),
		map[string]any{"i": inputOf("issue", of(ids[0]))})
	same(t, "deleteIssue", any(ids[0]), deleted["deletedIssueId"])
	type result struct {
		IssueID string
		PurgeAt *string
		Errors  []struct{ Code string }
	}
	bulk := mutation("deleteIssues", "results { issueId purgeAt errors { code } }")
	results := get[[]result](t, s, "deleteIssues.results", bulk, input(nil, "issues", []any{of(ids[1]),
		of(ids[0]), of(ids[2])}))
	trash := map[string]string{}
	for _, d := range get[connection[struct{ IssueID, PurgeAt string }]](t, s, "project.deletedIssues",
		fmt.Sprintf("{ project(id: %q) { deletedIssues { nodes { issueId purgeAt } } } }", w.project),
		nil).Nodes {
		trash[d.IssueID] = d.PurgeAt
	}
	same(t, "the deleted issues", 3, len(trash))
	same(t, "purgeAt of deleteIssue", any(trash[ids[0]]), deleted["purgeAt"])
	for _, n := range []int{0, 2} {
		if r := results[n]; len(r.Errors) > 0 || r.PurgeAt == nil || *r.PurgeAt != trash[r.IssueID] {
			t.Errorf("%+v, want %v", r, trash)
		}
	}
	if r := results[1]; len(r.Errors) != 1 || r.PurgeAt != nil { // it was deleted before
		t.Errorf("%+v", r)
	}
	for _, id := range []string{ids[2], ids[3]} {
		same(t, "a permanent deletion", map[string]any{"purgeAt": nil}, get[map[string]any](t, s,
			"deleteIssue", mutation("deleteIssue", "purgeAt"), map[string]any{"i": inputOf("issue", of(id),
				"permanently", true)}))
	}
}
