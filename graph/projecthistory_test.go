package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/tracker"
)

// projectChange is an entry of the history of a project.
type projectChange struct {
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

// projectHistory reads a page of the history of a project.
func (s *server) projectHistory(t *testing.T, project, arguments string) connection[projectChange] {
	t.Helper()
	return get[connection[projectChange]](t, s, "project.history",
		fmt.Sprintf(`{ project(id: %q) { history%s { nodes {
		version at by { kind name } omittedParts parts { kind part partId name field: fieldName
		properties { property before after } } } `+flags+` } } }`, project, inBrackets(arguments)), nil)
}

// linesOfProject shows changes, one part in each line.
func linesOfProject(all []projectChange) (out []string) {
	for _, n := range all {
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
	id := editor.mutate(t, mutation("createProject", "project { id }"),
		map[string]any{"tenantId": w.tenant, "key": "HIST", "name": "First", "states": []any{
			map[string]any{"name": "Open", "open": true, "color": "red"}}})
	project := fmt.Sprint(id["project"].(map[string]any)["id"])
	editor.mutate(t, mutation("updateProject", "project { id }"),
		map[string]any{"id": project, "name": "Second"})
	made := editor.mutate(t, mutation("createCustomField", "field { id options { id } }"),
		inputOf("projectId",
			project, "name", "Size", "type", "SELECT", "options", []any{map[string]any{"name": "S"}}))
	field := made["field"].(map[string]any)
	editor.mutate(t, mutation("updateOption", "option { id }"),
		map[string]any{"id": field["options"].([]any)[0].(map[string]any)["id"], "name": "Small"})
	s.mutate(t, mutation("deleteCustomField", "deletedCustomFieldId"),
		map[string]any{"id": field["id"]})
	nodes := s.projectHistory(t, project, "").Nodes
	want := []string{
		"FIELD DELETED Size, TYPE SELECT to -",
		"USER Ada: OPTION UPDATED Small of Size, NAME S to Small",
		"USER Ada: FIELD CREATED Size, NAME - to Size, TYPE - to SELECT, REQUIRED - to false, " +
			"ARCHIVED - to false, POSITION - to 1",
		"USER Ada: OPTION CREATED S of Size, NAME - to S",
		"USER Ada: PROJECT UPDATED Second, NAME First to Second",
		"USER Ada: PROJECT CREATED First, KEY - to HIST, NAME - to First",
		"USER Ada: STATE CREATED Open, NAME - to Open, OPEN - to true, COLOR - to red"}
	same(t, "history", want, linesOfProject(nodes))
	if p := nodes[0].Parts[0]; p.PartID != field["id"] {
		t.Errorf("the field has the id %s in the history, want %s", p.PartID, field["id"])
	}
	if p := nodes[len(nodes)-1].Parts[0]; p.PartID != project || nodes[0].At < nodes[1].At {
		t.Errorf("%+v of %s", p, project)
	}
	same(t, "pages", nodes, walkPages(t, 2, func(paging string) connection[projectChange] {
		return s.projectHistory(t, project, paging)
	}))
	cursor := get[string](t, s, "issue.history.pageInfo.endCursor", fmt.Sprintf(
		`{ issue(id: %q) { history { pageInfo { endCursor } } } }`, w.create(t, "x", nil).ID), nil)
	a := s.ask(t,
		fmt.Sprintf(`{ project(id: %q) { history(first: 101, after: "x", before: %q) { totalCount } } }`,
			project, cursor), nil)
	var paths []string
	for _, e := range a.Errors {
		paths = append(paths, fmt.Sprint(e.Extensions["argument"]))
	}
	same(t, fmt.Sprint("errors ", a.Errors), []string{"first", "after", "before"}, paths)
}
