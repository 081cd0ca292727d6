package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// projectHistory is a page of the history of a project.
type projectHistory struct {
	Project struct {
		History struct {
			Nodes []struct {
				Version int
				At      string
				By      *actor
				Parts   []struct {
					Kind, Part, PartID, Name string
					Field                    *string
					Properties               []struct {
						Property      string
						Before, After *string
					}
				}
				OmittedParts int
			}
			PageInfo struct {
				HasNextPage, HasPreviousPage bool
				StartCursor, EndCursor       *string
			}
		}
	}
}

const selectProjectHistory = `query($p: ID!, $first: Int, $after: String, $last: Int, $before: String) {
	project(id: $p) { history(first: $first, after: $after, last: $last, before: $before) {
		nodes { version at by { kind name } omittedParts parts { kind part partId name field
			properties { property before after } } }
		pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

// lines shows the changes, one part in each line.
func (h *projectHistory) lines() (out []string) {
	for _, n := range h.Project.History.Nodes {
		by := ""
		if n.By != nil {
			by = n.By.Kind + " " + n.By.Name + ": "
		}
		for _, p := range n.Parts {
			line := by + p.Part + " " + p.Kind + " " + p.Name
			if p.Field != nil {
				line += " of " + *p.Field
			}
			for _, c := range p.Properties {
				line += fmt.Sprintf(", %s %s to %s", c.Property, shown(c.Before), shown(c.After))
			}
			out = append(out, line)
		}
	}
	return out
}

func shown(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// TestProjectHistory changes the definition of a project, and reads its history in pages.
func TestProjectHistory(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	editor := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "Ada", Role: tracker.Admin})
	id := editor.mutate(t, `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }`,
		map[string]any{"tenant": w.tenant, "key": "HIST", "name": "First", "states": []any{
			map[string]any{"name": "Open", "open": true, "color": "red"}}})
	project := fmt.Sprint(id["project"].(map[string]any)["id"])
	editor.mutate(t, `mutation($i: UpdateProjectInput!) { updateProject(input: $i) { project { id } } }`,
		map[string]any{"id": project, "name": "Second"})
	made := editor.mutate(t, `mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) {
		field { id options { id } } } }`, map[string]any{"project": project, "name": "Size", "type": "SELECT",
		"options": []any{map[string]any{"name": "S"}}})
	field := made["field"].(map[string]any)
	editor.mutate(t, `mutation($i: UpdateOptionInput!) { updateOption(input: $i) { option { id } } }`,
		map[string]any{"id": field["options"].([]any)[0].(map[string]any)["id"], "name": "Small"})
	s.mutate(t, `mutation($i: DeleteCustomFieldInput!) { deleteCustomField(input: $i) { deletedFieldId } }`,
		map[string]any{"id": field["id"]})
	var all projectHistory
	s.data(t, selectProjectHistory, map[string]any{"p": project}, &all)
	want := []string{
		"FIELD DELETED Size, TYPE SELECT to -",
		"USER Ada: OPTION UPDATED Small of Size, NAME S to Small",
		"USER Ada: FIELD CREATED Size, NAME - to Size, TYPE - to SELECT, REQUIRED - to false, " +
			"ARCHIVED - to false, POSITION - to 1",
		"USER Ada: OPTION CREATED S of Size, NAME - to S",
		"USER Ada: PROJECT UPDATED Second, NAME First to Second",
		"USER Ada: PROJECT CREATED First, KEY - to HIST, NAME - to First",
		"USER Ada: STATE CREATED Open, NAME - to Open, OPEN - to true, COLOR - to red"}
	same(t, "history", want, all.lines())
	nodes := all.Project.History.Nodes
	if p := nodes[0].Parts[0]; p.PartID != field["id"] {
		t.Errorf("the field has the id %s in the history, want %s", p.PartID, field["id"])
	}
	if p := nodes[len(nodes)-1].Parts[0]; p.PartID != project || nodes[0].At < nodes[1].At {
		t.Errorf("%+v of %s", p, project)
	}
	for _, back := range []bool{false, true} {
		size, from, cursor := "first", "after", "endCursor"
		if back {
			size, from, cursor = "last", "before", "startCursor"
		}
		var got []string
		variables := map[string]any{"p": project, size: 2}
		for more := true; more; {
			var page projectHistory
			s.data(t, selectProjectHistory, variables, &page)
			h := page.Project.History
			if back {
				got, more, variables[from] = append(page.lines(), got...), h.PageInfo.HasPreviousPage,
					h.PageInfo.StartCursor
			} else {
				got, more, variables[from] = append(got, page.lines()...), h.PageInfo.HasNextPage,
					h.PageInfo.EndCursor
			}
		}
		same(t, "pages by "+cursor, want, got)
	}
	i := w.create(t, "x", nil)
	var issue struct {
		Issue struct {
			History struct{ PageInfo struct{ EndCursor string } }
		}
	}
	s.data(t, `query($i: ID!) { issue(id: $i) { history { pageInfo { endCursor } } } }`,
		map[string]any{"i": i.ID}, &issue)
	a := s.ask(t, selectProjectHistory, map[string]any{"p": project, "first": 101, "after": "x",
		"before": issue.Issue.History.PageInfo.EndCursor})
	var paths []string
	for _, e := range a.Errors {
		paths = append(paths, fmt.Sprint(e.Extensions["argument"]))
	}
	if got := strings.Join(paths, " "); got != "first after before" {
		t.Errorf("errors about %q: %+v", got, a.Errors)
	}
}
