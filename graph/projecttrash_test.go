package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

const (
	trashProject = `mutation($i: DeleteProjectInput!) { deleteProject(input: $i) { deletedProjectId purgeAt
		tenant { id projects { nodes { id } } } } }`
	untrashProject = `mutation($i: RestoreProjectInput!) { restoreProject(input: $i) { project { id key name } } }`
	deletedOnes    = `query($t: ID!) { tenant(id: $t) { projects { totalCount } deletedProjects { totalCount nodes {
		projectId key name deletedAt deletedBy { kind name } purgeAt } } } }`
)

// TestProjectTrash moves a project to the trash, restores it, and deletes it permanently.
func TestProjectTrash(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	kept := s.worldOf(t, w.tenant, "KEPT")
	i := w.create(t, "an issue", nil)
	const key, name = "WORLD", "World"
	admin := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "Ada", Role: tracker.Admin})
	type deleted struct {
		ProjectID, Key, Name, DeletedAt, PurgeAt string
		DeletedBy                                *actor
	}
	list := func() (projects int, all []deleted) {
		t.Helper()
		got := get[struct {
			Projects        struct{ TotalCount int }
			DeletedProjects connection[deleted]
		}](t, s, "tenant", deletedOnes, map[string]any{"t": w.tenant})
		deleted := got.DeletedProjects
		same(t, "the count of deleted projects", len(deleted.Nodes), deleted.TotalCount)
		return got.Projects.TotalCount, deleted.Nodes
	}
	input := map[string]any{"id": w.project, "idempotencyKey": "once"}
	got := admin.mutate(t, trashProject, input)
	if fmt.Sprint(admin.mutate(t, trashProject, input)) != fmt.Sprint(got) {
		t.Errorf("repeated, it is not %v", got)
	}
	n, all := list()
	if n != 1 || len(all) != 1 || all[0].ProjectID != w.project || all[0].Key != key ||
		all[0].Name != name || *all[0].DeletedBy != (actor{"USER", "Ada"}) ||
		all[0].PurgeAt != got["purgeAt"] || all[0].DeletedAt >= all[0].PurgeAt ||
		got["deletedProjectId"] != w.project {
		t.Errorf("%d projects; %+v, after %v", n, all, got)
	}
	missing := func(name, query string, input map[string]any) refusal {
		return refusal{name: name, query: query, variables: map[string]any{"i": input}, code: "NOT_FOUND",
			says: []string{"no such"}}
	}
	look := func(name, query string) refusal {
		return refusal{name: name, query: query, code: "NOT_FOUND", says: []string{"no such"}}
	}
	s.refuses(t, []refusal{
		look("by its id", fmt.Sprintf(`{ project(id: %q) { id } }`, w.project)),
		look("by its key", fmt.Sprintf(`{ tenant(id: %q) { project: projectByKey(key: %q) { id } } }`, w.tenant, key)),
		look("as a node", fmt.Sprintf(`{ node(id: %q) { id } }`, w.project)),
		look("its issue", fmt.Sprintf(`{ issue(id: %q) { id } }`, i.ID)),
		look("its field", fmt.Sprintf(`{ node(id: %q) { id } }`, w.fields[tracker.TypeText])),
		missing("a new issue", `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			map[string]any{"projectId": w.project, "issue": map[string]any{"name": "x"}}),
		missing("an update", `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }`,
			map[string]any{"id": i.ID, "name": "x"}),
		missing("a deletion", deleteOne, map[string]any{"id": i.ID}),
		missing("a permanent deletion", deleteOne, map[string]any{"id": i.ID, "permanently": true}),
		missing("a renamed project",
			`mutation($i: UpdateProjectInput!) { updateProject(input: $i) { project { id } } }`,
			map[string]any{"id": w.project, "name": "x"}),
		missing("the trash, again", trashProject, map[string]any{"id": w.project}),
		missing("restoring what is not in the trash", untrashProject, map[string]any{"id": kept.project}),
		{name: "a project with its key",
			query:     `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }`,
			variables: map[string]any{"i": map[string]any{"tenantId": w.tenant, "key": key, "name": "x"}},
			code:      "CONFLICT", argument: "input.key",
			says: []string{"in the trash", name}},
		{name: "another key, in the trash", query: trashProject,
			variables: map[string]any{"i": map[string]any{"id": w.project, "permanently": true,
				"confirm": "KEPT"}},
			code: "BAD_USER_INPUT", argument: "input.confirm", says: []string{key}},
		{name: "another key", query: trashProject,
			variables: map[string]any{"i": map[string]any{"id": kept.project, "permanently": true,
				"confirm": "kept"}},
			code: "BAD_USER_INPUT", argument: "input.confirm", says: []string{"KEPT"}},
		{name: "an empty key", query: trashProject,
			variables: map[string]any{"i": map[string]any{"id": kept.project, "permanently": true,
				"confirm": ""}},
			code: "BAD_USER_INPUT", argument: "input.confirm", says: []string{"KEPT"}},
	})
	got = admin.mutate(t, untrashProject, map[string]any{"id": w.project})
	if text := fmt.Sprint(got); !strings.Contains(text, "key:"+key) || !strings.Contains(text, w.project) {
		t.Errorf("restored %s", text)
	}
	if n, all := list(); n != 2 || len(all) != 0 {
		t.Errorf("%d projects, deleted %+v", n, all)
	}
	w.update(t, map[string]any{"id": i.ID, "name": "changed"})
	s.mutate(t, trashProject, map[string]any{"id": w.project})
	got = s.mutate(t, trashProject, map[string]any{"id": w.project, "permanently": true, "confirm": key})
	if n, all := list(); n != 1 || len(all) != 0 || got["purgeAt"] != nil {
		t.Errorf("%d projects, deleted %+v, after %v", n, all, got)
	}
	s.worldOf(t, w.tenant, key) // its key is free
	s.refuses(t, []refusal{
		missing("restoring a project that is deleted", untrashProject, map[string]any{"id": w.project})})
}
