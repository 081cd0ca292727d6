package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/tracker"
)

// TestVersionsOfDefinitions checks that each change of a project or a field has the next version, and that a
// change that is based on another version is refused as a whole, with the current one.
func TestVersionsOfDefinitions(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	field := w.fields[tracker.TypeSelect]
	type versions struct {
		Name, Key string
		Version   int
		Field     struct {
			Name    string
			Version int
		}
	}
	read := func() versions {
		t.Helper()
		return get[versions](t, s, "project",
			fmt.Sprintf(`{ project(id: %q) { name key version field(id: %q) {
			name version } } }`, w.project, field), nil)
	}
	before := read()
	want := before
	for n, change := range []struct {
		path    string
		ofField bool
		members []any
	}{
		{"updateProject.project.name", false, []any{"id", w.project, "name", "Renamed"}},
		{"createCustomField.field.id", false, []any{"projectId", w.project, "name", "Other", "type", "TEXT"}},
		{"updateCustomField.field.name", true, []any{"id", field, "name", "Changed"}},
		{"createOption.field.id", true, []any{"fieldId", field, "name", "New"}},
		{"updateOption.field.id", true, []any{"id", w.options[tracker.TypeSelect][0], "name", "Eins"}},
		{"moveOption.field.id", true, []any{"id", w.options[tracker.TypeSelect][0], "to", toEnd}},
		{"updateState.state.id", false, []any{"id", w.states[0], "name", "Neu"}},
	} {
		do(t, s, change.path, change.members...)
		want.Version++
		if change.ofField {
			want.Field.Version++
		}
		got := read()
		same(t, fmt.Sprint(n, " ", change.path), []int{want.Version, want.Field.Version},
			[]int{got.Version, got.Field.Version})
	}

	now := read()
	for mutation, of := range map[string]struct {
		members []any
		version int
	}{
		"updateProject":         {[]any{"id", w.project, "name", "Lost", "key", "LOST"}, now.Version},
		"deleteProject":         {[]any{"id", w.project}, now.Version},
		"updateCustomField":     {[]any{"id", field, "name", "Lost", "required", true}, now.Field.Version},
		"deleteCustomField":     {[]any{"id", field}, now.Field.Version},
		"changeCustomFieldType": {[]any{"id", field, "type", "TEXT"}, now.Field.Version},
	} {
		for _, expected := range []int{of.version - 1, of.version + 1, 0, -1} {
			in := input(nil, append(of.members, "expectedVersion", expected)...)
			got := get[[]struct {
				Code, Argument string
				Conflict       struct{ CurrentVersion int }
			}](t, s, mutation+".errors", fmt.Sprintf(
				"mutation($i: %s) { %s(input: $i) { errors { code argument conflict { currentVersion } } } }",
				schemaFile(t).Mutation.Fields.ForName(mutation).Arguments[0].Type, mutation), in)
			same(t, fmt.Sprint(mutation, " expecting ", expected),
				fmt.Sprintf("[{CONFLICT input.expectedVersion {%d}}]", of.version), fmt.Sprint(got))
		}
	}
	same(t, "after the refused changes", now, read())
	same(t, "the version in the payload", now.Version+1, get[int](t, s, "updateProject.project.version",
		mutation("updateProject", "project { version }"),
		input(nil, "id", w.project, "name", "Last", "expectedVersion", now.Version)))
	do(t, s, "updateCustomField.field.id", "id", field, "name", "Last", "expectedVersion", now.Field.Version)
	if got := read(); got.Name != "Last" || got.Field.Name != "Last" ||
		got.Field.Version != now.Field.Version+1 {
		t.Errorf("after changes of the current versions: %+v", got)
	}

	current := read().Field.Version
	last := read().Version
	s.runJobs(t, w.project)
	same(t, "the version of the project after its jobs", last, read().Version)
	do(t, s, "changeCustomFieldType.job.id", "id", field, "type", "TEXT", "expectedVersion", current)
	s.runJobs(t, w.project)
	same(t, "the version after a change of the type", current+1, read().Field.Version)
	last = read().Version
	for _, expected := range []int{last - 1, last + 1} { // also with the confirmation
		a := s.ask(t, mutation("deleteProject", "deletedProjectId"), input(nil, "id", w.project,
			"permanently", true, "confirm", read().Key, "expectedVersion", expected))
		same(t, "a permanent deletion", "CONFLICT input.expectedVersion", a.outcome())
	}
	do(t, s, "deleteCustomField.deletedCustomFieldId", "id", field, "expectedVersion", current+1)
	do(t, s, "deleteProject.deletedProjectId", "id", w.project, "expectedVersion", last+1)
}
