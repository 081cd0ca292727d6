package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

const (
	moveState   = `mutation($i: MoveStateInput!) { moveState(input: $i) { project { rebuilding states { name } } } }`
	mergeStates = `mutation($i: MergeStatesInput!) { mergeStates(input: $i) { project { rebuilding states { name } } } }`
)

// statesOf returns the states of the project.
func (w *world) statesOf(t *testing.T) []stateView {
	t.Helper()
	var got struct{ Project projectView }
	w.data(t, fmt.Sprintf(`{ project(id: %q) { states { id name open color } } }`, w.project), nil, &got)
	return got.Project.States
}

// addStates adds open states and returns the ids of all states.
func (w *world) addStates(t *testing.T, names ...string) []string {
	t.Helper()
	for _, name := range names {
		w.mutate(t, addState, map[string]any{"projectId": w.project, "name": name, "open": true})
	}
	var ids []string
	for _, s := range w.statesOf(t) {
		ids = append(ids, s.ID)
	}
	return ids
}

// TestEditStates adds, changes, moves and merges states one at a time. What an edit does not name stays.
func TestEditStates(t *testing.T) { onServers(t, editStates) }

func editStates(t *testing.T, servers int) {
	s := newServers(t, servers, soon)
	w := newWorld(t, s)
	want := w.statesOf(t)
	var added struct {
		CreateState struct {
			State   stateView
			Project projectView
		}
	}
	const add = `mutation($i: CreateStateInput!) { createState(input: $i) { state { id name open color } project {
		states { id name open color } } } }`
	for range 2 { // the second time with the same key
		s.data(t, add, input(nil, "projectId", w.project, "name", " In QE Test ", "open", true, "color",
			"gold",
			"idempotencyKey", "add"), &added)
	}
	want = append(want, stateView{added.CreateState.State.ID, "In QE Test", true, new("gold")})
	same(t, "the added state", want[2], added.CreateState.State)
	same(t, "the states with the added one", want, added.CreateState.Project.States)
	var updated struct{ UpdateState struct{ State stateView } }
	const update = `mutation($i: UpdateStateInput!) { updateState(input: $i) { state { id name open color } project { id } } }`
	for _, change := range []struct {
		given map[string]any
		want  stateView
	}{
		{map[string]any{"name": "Closed"}, stateView{want[1].ID, "Closed", false, nil}},
		{map[string]any{"color": "teal"}, stateView{want[1].ID, "Closed", false, new("teal")}},
		{map[string]any{"open": true}, stateView{want[1].ID, "Closed", true, new("teal")}},
		{map[string]any{}, stateView{want[1].ID, "Closed", true, new("teal")}},
		{map[string]any{"name": "DONE", "open": false, "color": ""},
			stateView{want[1].ID, "DONE", false, nil}},
	} {
		s.data(t, update, input(change.given, "id", want[1].ID), &updated)
		want[1] = change.want
		same(t, fmt.Sprint("the state after ", change.given), want[1], updated.UpdateState.State)
		same(t, fmt.Sprint("all states after ", change.given), want, w.statesOf(t))
	}
	// A state that was opened or closed changes the index entries of participants; the other changes need no
	// job.
	if jobs := s.jobs(t, w.project); len(jobs) != 2 || jobs[0].Kind != "MOVE_STATES" ||
		jobs[1].Kind != "MOVE_STATES" {
		t.Errorf("jobs after a state was opened and closed: %+v", jobs)
	}
	for range 2 {
		s.mutate(t, moveState, map[string]any{"id": want[2].ID, "to": toBefore(want[1].ID),
			"idempotencyKey": "move"})
	}
	s.mutate(t, moveState, map[string]any{"id": want[0].ID, "to": toEnd})
	want = []stateView{want[2], want[1], want[0]}
	same(t, "the moved states", want, w.statesOf(t))
	var created struct{ CreateIssue struct{ Issue issue } }
	create := func() issue {
		s.data(t, `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue `+wholeIssue+` } }`,
			input(nil, "projectId", w.project, "issue", map[string]any{"name": "x"}, "idempotencyKey",
				"create"), &created)
		return created.CreateIssue.Issue
	}
	issue := create()
	same(t, "the state of a new issue", want[0].Name, issue.State.Name)
	for range 2 {
		s.mutate(t, mergeStates, map[string]any{"projectId": w.project, "fromIds": []string{want[0].ID},
			"intoId": want[2].ID, "idempotencyKey": "merge"})
	}
	same(t, "the states that are left", want[1:], w.statesOf(t))
	same(t, "the state of the issue", want[2].Name, w.read(t, issue.ID).State.Name)
	same(t, "its state when it is created again with the same key", want[2].Name, create().State.Name)
	var kinds []string
	for _, j := range s.jobs(t, w.project) {
		kinds = append(kinds, j.Kind)
		if j.FieldName != "" || j.Status != "WAITING" {
			t.Errorf("job %+v", j)
		}
	}
	same(t, "the jobs", []string{"MERGE_STATES", "MOVE_STATES", "MOVE_STATES", "MOVE_STATES", "MOVE_STATES"},
		kinds)
	s.runJobs(t, w.project)
}

// TestStateEditsThatAreRefused sends edits that are not possible. None changes anything.
func TestStateEditsThatAreRefused(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	sibling := s.worldOf(t, w.tenant, "OTHER")
	before := w.statesOf(t)
	s.mutate(t, addState, map[string]any{"projectId": sibling.project, "name": "x", "open": true,
		"idempotencyKey": "k"})
	n, err := model.ParseState(w.states[0])
	if err != nil {
		t.Fatal(err)
	}
	add := input(nil, "projectId", w.project, "name", "x", "open", true)["i"].(map[string]any)
	update := input(nil, "id", w.states[0])["i"].(map[string]any)
	merge := input(nil, "projectId", w.project, "fromIds", w.states[:1], "intoId",
		w.states[1])["i"].(map[string]any)
	s.refuses(t, []refusal{
		{name: "a name that is taken", query: addState, variables: input(add, "name", "nEW"),
			code: tracker.Conflict, argument: "input.name", says: []string{"New"}},
		{name: "no such project", query: addState,
			variables: input(add, "projectId", w.fields[tracker.TypeText]), code: tracker.NotFound,
			says: []string{"project"}},
		{name: "a key that was used for another change", query: addState,
			variables: input(add, "idempotencyKey", "k"), code: tracker.BadInput,
			argument: "input.idempotencyKey", says: []string{"another change"}},
		{name: "the name of another state", query: updateState, variables: input(update, "name", "dONE "),
			code: tracker.Conflict, argument: "input.name", says: []string{"Done"}},
		{name: "the last open state is closed", query: updateState, variables: input(update, "open", false),
			code: tracker.BadInput, argument: "input.open", says: []string{"at least one open state"}},
		{name: "no such state", query: updateState, variables: input(update, "id", w.project, "name", "x"),
			code: tracker.NotFound, says: []string{"state"}},
		{name: "a state that was never there", query: updateState, variables: input(update, "name", "x", "id",
			model.StateID(n.Tenant, n.Project, "nothing")), code: tracker.NotFound, says: []string{"state"}},
		{name: "moved before a state of another project", query: moveState,
			variables: input(update, "to", toBefore(sibling.states[1])), code: tracker.BadInput,
			argument: "input.to.beforeId", says: []string{sibling.states[1]}},
		{name: "moved before itself", query: moveState, variables: input(update, "to", toBefore(w.states[0])),
			code: tracker.BadInput, argument: "input.to.beforeId", says: []string{"itself"}},
		{name: "moved nowhere", query: moveState,
			variables: input(update, "to", map[string]any{"end": false}), code: tracker.BadInput,
			argument: "input.to", says: []string{"`beforeId`", "`end: true`"}},
		{name: "merging none", query: mergeStates, variables: input(merge, "fromIds", []string{}),
			code: tracker.BadInput, argument: "input.fromIds", says: []string{"1 to 50"}},
		{name: "merged into itself", query: mergeStates, variables: input(merge, "intoId", w.states[0]),
			code: tracker.BadInput, argument: "input.fromIds[0]", says: []string{"itself"}},
		{name: "the last open state is removed", query: mergeStates, variables: input(merge),
			code: tracker.BadInput, argument: "input.fromIds", says: []string{"at least one open state"}},
		{name: "merging in no project", query: mergeStates, variables: input(merge, "projectId", w.tenant),
			code: tracker.NotFound, argument: "input.projectId",
			says: []string{"project"}},
	})
	same(t, "the states", before, w.statesOf(t))
}

// stateGrid is a page of a grid with the states of its issues.
type stateGrid struct {
	Rebuilding bool
	TotalCount *int
	Names      []string
	States     []string
}

// grid returns the first page of the grid in the order of the states.
func (w *world) grid(t *testing.T, where string) (out stateGrid) {
	t.Helper()
	var got struct {
		Project struct {
			Issues struct {
				Rebuilding bool
				TotalCount *int
				Nodes      []struct {
					Name  string
					State struct{ Name string }
				}
			}
		}
	}
	w.data(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 50, orderBy: [{column: {builtin: STATE}}]%s) {
		rebuilding totalCount nodes { name state { name } } } } }`, w.project, where), nil, &got)
	out.Rebuilding, out.TotalCount = got.Project.Issues.Rebuilding, got.Project.Issues.TotalCount
	for _, n := range got.Project.Issues.Nodes {
		out.Names, out.States = append(out.Names, n.Name), append(out.States, n.State.Name)
	}
	return out
}

// TestRebuildingStates moves and merges states while clients read grids. Every page shows each issue once,
// with its current state; filters are correct at every moment; and the grid reports when its order is not.
func TestRebuildingStates(t *testing.T) { onServers(t, rebuildingStates) }

func rebuildingStates(t *testing.T, servers int) {
	s := newServers(t, servers, soon)
	w := newWorld(t, s)
	states := w.addStates(t, "Review", "Blocked") // after New and Done
	names := []string{"New", "Done", "Review", "Blocked"}
	for n := range 12 {
		w.createOf(t, map[string]any{"name": fmt.Sprint(n), "stateId": states[n%4]})
	}
	trashed := w.createOf(t, map[string]any{"name": "deleted", "stateId": states[3]})
	s.mutate(t, `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
		map[string]any{"id": trashed.ID})
	everyIssue := func(when string, g stateGrid, of func(n int) string) {
		t.Helper()
		seen := map[string]string{}
		for i, name := range g.Names {
			seen[name] = g.States[i]
		}
		for n := range 12 {
			if got := seen[fmt.Sprint(n)]; got != of(n) {
				t.Errorf("%s: issue %d has the state %q, want %q", when, n, got, of(n))
			}
		}
		if len(g.Names) != 12 || len(seen) != 12 {
			t.Errorf("%s: rows %v", when, g.Names)
		}
	}
	filter := func(state string) string { return fmt.Sprintf(`, where: {state: {eqId: %q}}`, state) }
	ordered := func(order ...int) (out []string) {
		for _, rank := range order {
			for n := rank; n < 12; n += 4 {
				out = append(out, fmt.Sprint(n))
			}
		}
		return out
	}
	same(t, "the order before", ordered(0, 1, 2, 3), w.grid(t, "").Names)

	got := s.mutate(t, moveState, map[string]any{"id": states[3], "to": toBefore(states[1])})
	same(t, "the project", "map[project:map[rebuilding:true states:[map[name:New] map[name:Blocked] "+
		"map[name:Done] map[name:Review]]]]", fmt.Sprint(got))
	during := w.grid(t, "")
	everyIssue("while states move", during, func(n int) string { return names[n%4] })
	if !during.Rebuilding {
		t.Error("the grid does not report that its order is being rebuilt")
	}
	for rank, state := range states {
		g := w.grid(t, filter(state))
		same(t, "rows in the state "+names[rank], ordered(rank), g.Names)
		same(t, "their number", 3, *g.TotalCount)
	}
	same(t, "rows that are not in a state", 9, *w.grid(t, fmt.Sprintf(`, where: {state: {neqId: %q}}`,
		states[0])).TotalCount)
	s.runJobs(t, w.project)
	after := w.grid(t, "")
	same(t, "the order after", ordered(0, 3, 1, 2), after.Names)
	if jobs := s.jobs(t, w.project); after.Rebuilding || len(jobs) != 1 || jobs[0].Status != "DONE" ||
		jobs[0].Kind != "MOVE_STATES" || jobs[0].Progress != 1 || jobs[0].EndedAt == nil {
		t.Errorf("rebuilding %t, jobs %+v", after.Rebuilding, jobs)
	}

	s.mutate(t, mergeStates, map[string]any{"projectId": w.project, "fromIds": []string{states[3], states[2]},
		"intoId": states[1]})
	merged := func(n int) string {
		if n%4 == 0 {
			return "New"
		}
		return "Done"
	}
	during = w.grid(t, "")
	everyIssue("while states are merged", during, merged)
	if !during.Rebuilding {
		t.Error("the grid does not report that its order is being rebuilt")
	}
	same(t, "rows in the state that is left", 9, *w.grid(t, filter(states[1])).TotalCount)
	s.refuses(t, []refusal{
		{name: "a filter by a removed state", query: fmt.Sprintf(
			`{ project(id: %q) { issues(where: {state: {eqId: %q}}) { totalCount } } }`, w.project,
			states[3]),
			code: tracker.BadInput, argument: "where.state.eqId", says: []string{states[3]}},
		{name: "an issue in a removed state",
			query: `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			variables: input(nil, "projectId", w.project, "issue", map[string]any{"name": "x",
				"stateId": states[2]}), code: tracker.BadInput, argument: "input.issue.stateId"},
	})
	s.runJobs(t, w.project)
	after = w.grid(t, "")
	same(t, "the order after merging", slices.Concat(ordered(0),
		[]string{"1", "2", "3", "5", "6", "7", "9", "10", "11"}), after.Names)
	everyIssue("after merging", after, merged)
	if after.Rebuilding {
		t.Error("the grid is still being rebuilt")
	}
	restored := s.mutate(t,
		`mutation($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue { state { name }
		history { nodes { kind by { kind } columns { name before after } } } } } }`, map[string]any{"id": trashed.ID})
	if text := fmt.Sprint(restored); !strings.Contains(text, "state:map[name:Done]") ||
		!strings.Contains(text, "by:map[kind:JOB] columns:[map[after:Done before:") {
		t.Errorf("the restored issue: %v", restored)
	}
}

// TestFieldsExample runs the example of docs/fields.md.
func TestFieldsExample(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	examples, _ := examplesOf(t, "fields.md")
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	var added struct{ CreateState struct{ State stateView } }
	s.data(t, strings.Replace(examples[0], "PROJECT", w.project, 1), nil, &added)
	var moved struct {
		MoveState struct {
			Project struct {
				Rebuilding bool
				States     []stateView
			}
		}
	}
	s.data(t, strings.NewReplacer("STATE", added.CreateState.State.ID, "CLOSED", w.states[1]).
		Replace(examples[1]), nil, &moved)
	if p := moved.MoveState.Project; !p.Rebuilding || len(p.States) != 3 ||
		p.States[1].Name != "In QE Test" || deref(p.States[1].Color) != "#bf8700" {
		t.Errorf("%+v", p)
	}
}

// TestConcurrentEdits adds states and options on two servers at the same time. None is lost.
func TestConcurrentEdits(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	all := []*server{s, s.cold(t)}
	const n = 5
	done := make(chan answer)
	for i := range n {
		for _, mutation := range []string{
			fmt.Sprintf(`mutation { createState(input: {projectId: %q, name: "State %d", open: true}) {
				state { id } } }`, w.project, i),
			fmt.Sprintf(`mutation { createOption(input: {fieldId: %q, name: "Option %d"}) { option { id } } }`,
				w.fields[tracker.TypeSelect], i),
		} {
			go func() { done <- all[i%2].askUntilTaken(t, mutation, nil) }()
		}
	}
	for range 2 * n {
		if a := <-done; len(a.Errors) > 0 {
			t.Errorf("%+v", a.Errors)
		}
	}
	fresh := *w
	fresh.server = s.cold(t)
	var states, options []string
	for _, state := range fresh.statesOf(t) {
		states = append(states, state.Name)
	}
	for _, o := range fresh.optionsOf(t, w.fields[tracker.TypeSelect]) {
		options = append(options, o.Name)
	}
	slices.Sort(states)
	slices.Sort(options)
	same(t, "states", []string{"Done", "New", "State 0", "State 1", "State 2", "State 3", "State 4"}, states)
	same(t, "options", []string{"One", "Option 0", "Option 1", "Option 2", "Option 3", "Option 4", "Three",
		"Two"}, options)
}
