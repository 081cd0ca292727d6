package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// historyView is what an issue and its history say.
type historyView struct {
	UpdatedAt string
	UpdatedBy *string
	Version   int
	History   struct {
		Nodes []struct {
			Version int
			Kind    string
			At      string
			By      struct{ Kind, Name string }
			Columns []struct {
				Name          string
				Before, After *string
			}
		}
	}
}

// lines returns the changes, the newest first, without their times.
func (h *historyView) lines() (out []string) {
	for _, c := range h.History.Nodes {
		for _, column := range c.Columns {
			text := func(s *string) string {
				if s == nil {
					return "nothing"
				}
				return *s
			}
			out = append(out, fmt.Sprintf("%d %s by %s %s: %s: %s to %s", c.Version, c.Kind, c.By.Kind,
				c.By.Name, column.Name, text(column.Before), text(column.After)))
		}
	}
	return out
}

// readHistory returns the history of an issue. The times of its newest version are equal.
func readHistory(t *testing.T, s *server, id string) *historyView {
	t.Helper()
	h := get[historyView](t, s, "node",
		`query($id: ID!) { node(id: $id) { ... on Issue { updatedAt updatedBy: updatedByName version
		history(first: 50) { nodes { version kind at by { kind name } columns { name before after } } } } } }`,
		map[string]any{"id": id})
	for i, c := range h.History.Nodes {
		if c.Version != h.Version-i {
			t.Errorf("change %d is of version %d of %d", i, c.Version, h.Version)
		}
	}
	if newest := h.History.Nodes[0]; len(newest.Columns) > 0 && newest.At != h.UpdatedAt {
		t.Errorf("updated at %s, and the newest change at %s", h.UpdatedAt, newest.At)
	}
	return &h
}

// TestHistoriesKeepNames renames a user and a team between the changes of an issue. The history has their
// names at the times of the changes, as far back as former names are kept, and a conflict their present ones.
func TestHistoriesKeepNames(t *testing.T) {
	all := newServer(t)
	w := newWorld(t, all)
	s := all.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "bob", Role: tracker.Admin})
	user := do(t, s, "createUser.user.id", "tenantId", w.tenant, "name", "Ada 0")
	team := do(t, s, "createTeam.team.id", "tenantId", w.tenant, "name", "Core 0")
	id := do(t, s, "createIssue.issue.id", "projectId", w.project, "issue", map[string]any{"name": "An issue",
		"assigneeIds": []any{user, team}})
	var want []string
	for n := range 12 {
		if n > 0 {
			do(t, s, "updateUser.user.id", "id", user, "name", fmt.Sprint("Ada ", n))
			do(t, s, "updateTeam.team.id", "id", team, "name", fmt.Sprint("Core ", n))
		}
		name := fmt.Sprintf("Ada %d, Core %d", max(n, 2), max(n, 1)) // earlier ones are not kept
		what, line := "removeIds", name+" to nothing"
		if n%2 == 0 {
			what, line = "addIds", "nothing to "+name
		}
		s.mutate(t, updateOne, map[string]any{"id": id, "watchers": map[string]any{what: []any{user, team}}})
		want = append(want, fmt.Sprintf("%d UPDATED by USER bob: watchers: %s", n+2, line))
	}
	slices.Reverse(want)
	do(t, s, "updateUser.user.id", "id", user, "name", "Ada now")
	var bulk struct {
		UpdateIssues struct {
			Results []struct{ Errors []struct{ Conflict conflict } }
		}
	}
	s.data(t,
		`mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { results { errors { `+selectConflict+
			` } } } }`, map[string]any{"i": map[string]any{"issues": []any{map[string]any{"id": id,
			"expectedVersion": 1, "assignees": map[string]any{"removeIds": []any{user}}}}}}, &bulk)
	same(t, "the conflict", []string{"assignees: Ada now, Cor to Ada now, Cor"},
		bulk.UpdateIssues.Results[0].Errors[0].Conflict.lines())
	same(t, "the history", append(want, "1 CREATED by USER bob: assignees: nothing to Ada 2, Core 1",
		"1 CREATED by USER bob: name: nothing to An issue", "1 CREATED by USER bob: state: nothing to New"),
		readHistory(t, s, id).lines())
}

// TestHistoriesKeepWords changes an issue, and then everything that its values are called: the names of
// fields, options and states, which are also merged and deleted, and the types of fields. The history still
// has the former words, those of the changes by jobs too, which say who started the job. The times of a
// version are equal wherever they appear.
func TestHistoriesKeepWords(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	as := func(user string) *server {
		return s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: user, Role: tracker.Admin})
	}
	ada, bob := as("ada"), as("bob")
	option, multi := w.options[tracker.TypeSelect], w.options[tracker.TypeMultiSelect]
	id := do(t, ada, "createIssue.issue.id", "projectId", w.project, "issue",
		map[string]any{"name": "An issue",
			"values": []any{w.given(tracker.TypeSelect, option[0]), w.given(tracker.TypeText, option[0]),
				w.given(tracker.TypeMultiSelect, []string{multi[0], multi[2]})}})
	read := func() *historyView { return readHistory(t, s, id) }
	bob.mutate(t, updateOne, map[string]any{"id": id, "stateId": w.states[1], "values": []any{
		w.given(tracker.TypeSelect, option[1]),
		w.given(tracker.TypeMultiSelect, []string{multi[1], multi[2]})}})
	want := read().lines()
	same(t, "the history", []string{
		"2 UPDATED by USER bob: Field MULTI_SELECT: One, Three to Two, Three",
		"2 UPDATED by USER bob: Field SELECT: One to Two",
		"2 UPDATED by USER bob: state: New to Done",
		"1 CREATED by USER ada: Field MULTI_SELECT: nothing to One, Three",
		"1 CREATED by USER ada: Field SELECT: nothing to One",
		"1 CREATED by USER ada: Field TEXT: nothing to " + option[0],
		"1 CREATED by USER ada: name: nothing to An issue",
		"1 CREATED by USER ada: state: nothing to New"}, ordered(want))

	state := do(t, ada, "createState.state.id", "projectId", w.project, "name", "Ready", "open", true)
	change := func(admin *server, name string, line []string, members ...any) {
		t.Helper()
		admin.mutate(t, mutation(name, "__typename"), inputOf(members...))
		s.runJobs(t, w.project)
		want = append(slices.Clone(line), want...)
		h := read()
		same(t, "after "+name, want, h.lines())
		if by := h.History.Nodes[0].By.Name; *h.UpdatedBy != by {
			t.Errorf("after %s: updated by %s, and the newest change is by %s", name, *h.UpdatedBy, by)
		}
	}
	change(ada, "updateOption", nil, "id", option[1], "name", "Zwei")
	change(ada, "updateState", nil, "id", w.states[1], "name", "Erledigt")
	change(ada, "updateCustomField", nil, "id", w.fields[tracker.TypeMultiSelect], "name", "Several")
	change(bob, "mergeStates", []string{"3 UPDATED by JOB bob: state: Erledigt to Ready"},
		"projectId", w.project, "fromIds", []string{w.states[1]}, "intoId", state)
	change(ada, "mergeOptions", []string{"4 UPDATED by JOB ada: Field SELECT: Zwei to Three"},
		"fieldId", w.fields[tracker.TypeSelect], "fromIds", option[:2], "into", intoOption(option[2]))
	change(bob, "changeCustomFieldType", []string{"5 UPDATED by JOB bob: Field SELECT: Three to Three"},
		"id", w.fields[tracker.TypeSelect], "type", "TEXT")
	change(ada, "deleteCustomField", []string{"6 UPDATED by JOB ada: Several: Two, Three to nothing"},
		"id", w.fields[tracker.TypeMultiSelect])
	change(bob, "deleteCustomField", []string{"7 UPDATED by JOB bob: Field SELECT: Three to nothing"},
		"id", w.fields[tracker.TypeSelect])
}

// ordered returns lines of the same version in the order of their columns.
func ordered(lines []string) []string {
	return slices.SortedStableFunc(slices.Values(lines), func(a, b string) int {
		if a[0] != b[0] {
			return strings.Compare(b[:1], a[:1])
		}
		return strings.Compare(a, b)
	})
}

// TestWhoseJob checks whose change that of a job is: the one of the person who started it, whoever triggers
// it, and nobody's if several people have started the jobs. A job that changes no value does not change who
// updated the issue, and when.
func TestWhoseJob(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	as := func(user string) *server {
		return s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: user, Role: tracker.Admin})
	}
	ada, bob, eve := as("ada"), as("bob"), as("eve")
	option, multi := w.options[tracker.TypeSelect], w.options[tracker.TypeMultiSelect]
	id := do(t, bob, "createIssue.issue.id", "projectId", w.project, "issue",
		map[string]any{"name": "An issue",
			"values": []any{w.given(tracker.TypeText, "abc"), w.given(tracker.TypeSelect, option[0]),
				w.given(tracker.TypeMultiSelect, []string{multi[0], multi[2]})}})
	change := func(admin *server, name string, members ...any) {
		t.Helper()
		admin.mutate(t, mutation(name, "__typename"), inputOf(members...))
	}
	created := readHistory(t, s, id)
	expect := func(what, updatedBy, by string, lines ...string) {
		t.Helper()
		h := readHistory(t, s, id)
		newest := h.History.Nodes[0]
		if *h.UpdatedBy != updatedBy || newest.By.Kind != "JOB" || newest.By.Name != by {
			t.Errorf("%s: updated by %q, and the newest change is by %+v", what, *h.UpdatedBy, newest.By)
		}
		h.History.Nodes = h.History.Nodes[:1]
		same(t, what, lines, h.lines())
	}

	change(ada, "changeCustomFieldType", "id", w.fields[tracker.TypeText], "type", "LONG_TEXT")
	s.runJobs(t, w.project)
	expect("no value changes", "bob", "ada")
	if at := readHistory(t, s, id).UpdatedAt; at != created.UpdatedAt {
		t.Errorf("updated at %s instead of %s", at, created.UpdatedAt)
	}

	const merge = "mergeOptions"
	change(ada, merge, "fieldId", w.fields[tracker.TypeSelect], "fromIds", option[:1], "into",
		intoOption(option[1]))
	change(eve, merge, "fieldId", w.fields[tracker.TypeSelect], "fromIds", option[2:], "into",
		intoOption(option[1]))
	s.runJobs(t, w.project)
	expect("two jobs", "bob", "", "3 UPDATED by JOB : Field SELECT: One to Two")

	change(ada, merge, "fieldId", w.fields[tracker.TypeMultiSelect], "fromIds", multi[:1], "into",
		intoOption(multi[1]))
	eve.mutate(t, updateOne, map[string]any{"id": id, "name": "An issue"}) // is the first that needs the job
	expect("a change of nothing", "ada", "ada",
		"4 UPDATED by JOB ada: Field MULTI_SELECT: One, Three to Two, Three")
	s.runJobs(t, w.project)

	change(ada, merge, "fieldId", w.fields[tracker.TypeMultiSelect], "fromIds", multi[1:2], "into",
		intoOption(multi[2]))
	change(ada, "deleteCustomField", "id", w.fields[tracker.TypeMultiSelect])
	s.runJobs(t, w.project)
	expect("merged and deleted", "ada", "ada",
		"5 UPDATED by JOB ada: Field MULTI_SELECT: Two, Three to nothing")
	for _, e := range get[[]struct{ By struct{ Name string } }](t, s, "project.activity.nodes",
		fmt.Sprintf(`{ project(id: %q) { activity(first: 10) { nodes { by { name } } } } }`, w.project),
		nil) {
		if e.By.Name != "bob" {
			t.Errorf("the activity has a change by %s", e.By.Name)
		}
	}
}
