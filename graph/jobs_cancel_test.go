package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestCancelJob cancels a job that waits, and one that cannot be canceled.
func TestCancelJob(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	w.create(t, "x", []any{w.given(tracker.TypeText, "7"),
		w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][0])})
	const cancel = `mutation($i: CancelJobInput!) { cancelJob(input: $i) { job { id status reason cancelable endedAt } } }`
	const list = `{ project(id: %q) { jobs { id status reason cancelable } } }`
	type view struct {
		ID, Status string
		Reason     *string
		Cancelable bool
	}
	jobs := func() []view {
		t.Helper()
		var got struct{ Project struct{ Jobs []view } }
		s.data(t, fmt.Sprintf(list, w.project), nil, &got)
		return got.Project.Jobs
	}
	started := s.mutate(t, `mutation($i: ChangeCustomFieldTypeInput!) { changeCustomFieldType(input: $i) {
		job { id status reason cancelable } } }`,
		map[string]any{"id": w.fields[tracker.TypeText], "type": "INTEGER"})
	waiting := jobs()[0]
	same(t, "the job in the payload", any(map[string]any{"id": waiting.ID, "status": waiting.Status,
		"reason": deref(waiting.Reason), "cancelable": waiting.Cancelable}), started["job"])
	if waiting.Status != "WAITING" || !waiting.Cancelable ||
		!strings.Contains(deref(waiting.Reason), "no server can write with the old definition") {
		t.Errorf("the job %+v: %s", waiting, deref(waiting.Reason))
	}
	for range 2 {
		got := s.mutate(t, cancel, map[string]any{"id": waiting.ID, "idempotencyKey": "k"})
		if j := got["job"].(map[string]any); j["id"] != waiting.ID || j["status"] != "CANCELED" ||
			j["endedAt"] == nil || j["cancelable"] != false || j["reason"] != nil {
			t.Errorf("canceled: %v", j)
		}
	}
	s.mutate(t, `mutation($i: MergeOptionsInput!) { mergeOptions(input: $i) { field { id } } }`,
		map[string]any{"fieldId": w.fields[tracker.TypeSelect], "fromIds": w.options[tracker.TypeSelect][:1],
			"into": intoNone})
	merging := jobs()[0]
	job := func(id string) map[string]any { return map[string]any{"i": map[string]any{"id": id}} }
	s.refuses(t, []refusal{
		{name: "a job that has ended", query: cancel, variables: job(waiting.ID), code: tracker.Conflict,
			says: []string{"ended"}},
		{name: "a job with a visible change", query: cancel, variables: job(merging.ID),
			code: tracker.Conflict, says: []string{"already made"}},
		{name: "an unknown job", query: cancel, variables: job(w.project), code: tracker.NotFound},
		{name: "a change that cannot succeed",
			query:     `mutation($i: ID!) { changeCustomFieldType(input: {id: $i, type: SELECT}) { job { id } } }`,
			variables: map[string]any{"i": w.fields[tracker.TypeText]}, code: tracker.BadInput,
			argument: "input.options", says: []string{"createOptions"}},
	})
	s.mutate(t, `mutation($i: ChangeCustomFieldTypeInput!) { changeCustomFieldType(input: $i) { job { id } } }`,
		map[string]any{"id": w.fields[tracker.TypeText], "type": "SELECT", "createOptions": true})
	s.runJobs(t, w.project)
	var field struct{ Node fieldView }
	s.data(t, fmt.Sprintf(`{ node(id: %q) { ... on CustomField %s } }`, w.fields[tracker.TypeText], wholeField), nil,
		&field)
	if f := field.Node; f.Type != "SELECT" || len(f.Options) != 1 || f.Options[0].Name != "7" {
		t.Errorf("the field %+v", f)
	}
}
