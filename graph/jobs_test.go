package graph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// runJobs runs the background jobs of a project.
func (s *server) runJobs(t *testing.T, project string) {
	t.Helper()
	if err := s.jobsUntil(t.Context(), t, project); err != nil {
		t.Fatal(err)
	}
}

// jobsUntil runs the jobs until ctx ends.
func (s *server) jobsUntil(ctx context.Context, t *testing.T, project string) error {
	t.Helper()
	n, err := model.ParseProjectID(project)
	if err != nil {
		t.Fatal(err)
	}
	tenant, err := s.db.Tenant(n.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	return tenant.RunJobs(ctx, n.Project)
}

// soon shortens the time that jobs wait, until no server uses an older definition, to a second.
func soon(s *dynamo.Settings) {
	s.DefinitionTTL, s.WriteTime, s.IndexLag = time.Millisecond, 500*time.Millisecond, time.Millisecond
}

// job is a job as the API returns it.
type job struct {
	Kind, Status, FieldName string
	Progress                float64
	EndedAt                 *string
	ProblemCount            int
	Problems                []struct {
		Issue, Reason string
		Num           int
	}
}

func (s *server) jobs(t *testing.T, project string) []job {
	t.Helper()
	var got struct{ Project struct{ Jobs []job } }
	s.data(t, fmt.Sprintf(`{ project(id: %q) { jobs { kind status fieldName progress endedAt problemCount
		problems { issueId num reason } } } }`, project), nil, &got)
	return got.Project.Jobs
}

// TestRebuilding changes options and types of a field while clients read its grid. Cells and filters are
// correct at every moment, and the grid reports when its order is not.
func TestRebuilding(t *testing.T) { onServers(t, rebuilding) }

func rebuilding(t *testing.T, servers int) {
	s := newServers(t, servers, soon)
	w := newWorld(t, s)
	option := func(n int) string { return w.options[tracker.TypeSelect][n] }
	for n := range 12 {
		w.create(t, fmt.Sprint(n), []any{w.given(tracker.TypeSelect, option(n%3)),
			w.given(tracker.TypeText, fmt.Sprint(n*10))})
	}
	field, text := w.fields[tracker.TypeSelect], w.fields[tracker.TypeText]
	grid := func(where string, by string) (names []string, values []string, rebuilding bool, err []apiError) {
		t.Helper()
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 50, orderBy: [{column: {fieldId:
			%q}}]%s) { rebuilding nodes { name value(fieldId: %q) { display } } } }
			}`, w.project, by, where, by), nil)
		if len(a.Errors) > 0 {
			return nil, nil, false, a.Errors
		}
		got := decode[struct {
			Project struct {
				Issues struct {
					Rebuilding bool
					Nodes      []struct {
						Name  string
						Value *struct{ Display string }
					}
				}
			}
		}](t, a.Data)
		for _, n := range got.Project.Issues.Nodes {
			display := "none"
			if n.Value != nil {
				display = n.Value.Display
			}
			names, values = append(names, n.Name), append(values, display)
		}
		return names, values, got.Project.Issues.Rebuilding, nil
	}
	moved := s.mutate(t,
		`mutation($i: MoveOptionInput!) { moveOption(input: $i) { field { rebuilding options { name } } } }`,
		map[string]any{"id": option(2), "to": toBefore(option(0))})
	same(t, "the field with the moved option",
		`map[field:map[options:[map[name:Three] map[name:One] map[name:Two]] rebuilding:true]]`,
		fmt.Sprint(moved))
	_, values, rebuilding, _ := grid("", field)
	if !rebuilding || len(values) != 12 {
		t.Errorf("rebuilding %t, %d rows", rebuilding, len(values))
	}
	filtered, values, _, _ := grid(fmt.Sprintf(`, where: {fields: [{fieldId: %q, option: {eqId: %q}}]}`,
		field,
		option(2)), field)
	same(t, "rows with the option that has moved", []string{"2", "5", "8", "11"}, filtered)
	same(t, "the values of these rows", []string{"Three", "Three", "Three", "Three"}, values)
	s.runJobs(t, w.project)
	ordered, _, rebuilding, _ := grid("", field)
	same(t, "the new order", []string{"2", "5", "8", "11", "0", "3", "6", "9", "1", "4", "7", "10"}, ordered)
	if jobs := s.jobs(t, w.project); rebuilding || len(jobs) != 1 || jobs[0].Status != "DONE" ||
		jobs[0].Progress != 1 || jobs[0].EndedAt == nil || jobs[0].FieldName != "Field SELECT" {
		t.Errorf("rebuilding %t, jobs %+v", rebuilding, jobs)
	}

	got := s.mutate(t,
		`mutation($i: MergeOptionsInput!) { mergeOptions(input: $i) { field { rebuilding options { name } } } }`,
		map[string]any{"fieldId": field, "fromIds": []string{option(2)}, "into": intoOption(option(1))})
	same(t, "the field", `map[field:map[options:[map[name:One] map[name:Two]] rebuilding:true]]`,
		fmt.Sprint(got))
	filtered, values, rebuilding,
		_ = grid(fmt.Sprintf(`, where: {fields: [{fieldId: %q, option: {eqId: %q}}]}`,
		field, option(1)), field)
	if !rebuilding || len(filtered) != 8 ||
		strings.Join(values, " ") != strings.TrimSpace(strings.Repeat("Two ", 8)) {
		t.Errorf("rebuilding %t, rows %v with %v", rebuilding, filtered, values)
	}
	s.runJobs(t, w.project)
	ordered, values, _, _ = grid("", field)
	same(t, "the order", []string{"0", "3", "6", "9", "1", "2", "4", "5", "7", "8", "10", "11"}, ordered)
	same(t, "the first value", "One", values[0])

	change :=
		`mutation($i: ChangeCustomFieldTypeInput!) { changeCustomFieldType(input: $i) { job { kind status } } }`
	w.update(t, map[string]any{"id": w.create(t, "12", []any{w.given(tracker.TypeText, "many")}).ID,
		"name": "13"})
	s.mutate(t, change, map[string]any{"id": text, "type": "INTEGER"})
	s.refuses(t, []refusal{{name: "a value that could not be converted",
		query: `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
		variables: map[string]any{"i": map[string]any{"projectId": w.project,
			"issue": map[string]any{"name": "x", "values": []any{w.given(tracker.TypeText, "more")}}}},
		code: tracker.BadInput, argument: "input.issue.values[0].value",
		says: []string{"changing the type", "INTEGER", "more"}}})
	s.runJobs(t, w.project)
	if j := s.jobs(t, w.project)[0]; j.Kind != "CHANGE_FIELD_TYPE" || j.Status != "FAILED" ||
		j.ProblemCount != 1 ||
		j.Problems[0].Num != 13 || !strings.Contains(j.Problems[0].Reason, "many") {
		t.Errorf("job %+v", j)
	}
	_, values, _, _ = grid("", text)
	same(t, "the last text", "many", values[12])
	s.mutate(t, change, map[string]any{"id": text, "type": "INTEGER", "unconvertible": "REMOVE"})
	_, values, rebuilding, _ = grid("", text)
	if rebuilding || values[12] != "many" {
		t.Errorf("before the job looked at all issues: rebuilding %t, %v", rebuilding, values)
	}
	s.runJobs(t, w.project)
	ordered, values, rebuilding, _ = grid("", text)
	same(t, "in the order of the integers",
		[]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "13"}, ordered)
	same(t, "their values", []string{"0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100", "110",
		"none"}, values)
	if rebuilding {
		t.Error("the field is still being rebuilt")
	}
	s.refuses(t, []refusal{
		{name: "to the same type", query: change,
			variables: map[string]any{"i": map[string]any{"id": text, "type": "INTEGER"}},
			code:      tracker.BadInput, argument: "input.type", says: []string{"already"}},
		{name: "an unknown field", query: change,
			variables: map[string]any{"i": map[string]any{"id": "x", "type": "INTEGER"}},
			code:      tracker.NotFound},
		{name: "merging none",
			query: `mutation($i: MergeOptionsInput!) { mergeOptions(input: $i) { field { id } } }`,
			variables: map[string]any{"i": map[string]any{"fieldId": field, "fromIds": []string{},
				"into": intoNone}},
			code: tracker.BadInput, argument: "input.fromIds", says: []string{"1 to 500"}},
	})
}

// TestConverting reads a grid during a conversion.
func TestConverting(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	for n := range 3 {
		w.create(t, fmt.Sprint(n), []any{w.given(tracker.TypeText, fmt.Sprint(30-n))})
	}
	text := w.fields[tracker.TypeText]
	by := []any{inputOf("column", inputOf("fieldId", text))}
	v := w.save(t, s, inputOf("name", "V", "orderBy", by, "groupBy", by,
		"summaries", []any{inputOf("column", inputOf("fieldId", text), "part", "DISTINCT")}))
	s.mutate(t,
		`mutation($i: ChangeCustomFieldTypeInput!) { changeCustomFieldType(input: $i) { job { id } } }`,
		map[string]any{"id": text, "type": "INTEGER"})
	s.halfway(t, w.project)
	if jobs := s.jobs(t, w.project); jobs[0].Status != "WAITING" {
		t.Fatalf("jobs %+v", jobs)
	}
	var cells struct {
		Project struct {
			Issues struct {
				Nodes []struct{ Value struct{ Integer string } }
			}
		}
	}
	s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(where: {fields: [{fieldId: %q, integer: {gte:
		"29"}}]}) { nodes { value(fieldId: %[2]q) { ... on IntegerValue { integer } } } } }
		}`, w.project, text), nil, &cells)
	same(t, "cells", "{{{[{{30}} {{29}}]}}}", fmt.Sprint(cells))
	a := s.ask(t,
		fmt.Sprintf(`{ project(id: %q) { issues(orderBy: [{column: {fieldId: %q}}]) { nodes { num } } } }`,
			w.project, text), nil)
	if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAVAILABLE" ||
		!strings.Contains(a.Errors[0].Message, "converting") {
		t.Errorf("sorting by a field that is being converted: %+v", a.Errors)
	}
	same(t, "a view by the field", v, w.readView(t, s, v.ID))
	a = s.ask(t,
		fmt.Sprintf(`{ node(id: %q) { ... on View { issues { nodes { num } } groups { totalCount } } }
		project(id: %q) { issues(first: 0) { summary(column: {fieldId: %q}) { distinct filled } } } }`, v.ID,
			w.project, text), nil)
	slices.SortFunc(a.Errors, func(x, y apiError) int { return strings.Compare(x.String(), y.String()) })
	says := []string{"summarize by another", "groupBy[0].column.fieldId", "orderBy[0].column.fieldId"}
	for i, says := range says {
		if len(a.Errors) != 3 || a.Errors[i].Extensions["code"] != "UNAVAILABLE" ||
			!strings.Contains(a.Errors[i].String(), says) {
			t.Errorf("%+v; want three errors, one with %q", a.Errors, says)
		}
	}
	s.runJobs(t, w.project)
	if jobs := s.jobs(t, w.project); jobs[0].Status != "DONE" {
		t.Errorf("jobs %+v", jobs)
	}
	same(t, "the view afterwards", v, w.readView(t, s, v.ID))
	same(t, "its issues", []int{3, 2, 1}, w.shown(t, s, v.ID, ""))
}

// TestLifeOfAField archives a field, deletes another one, and then deletes the project.
func TestLifeOfAField(t *testing.T) { onServers(t, lifeOfAField) }

func lifeOfAField(t *testing.T, servers int) {
	s := newServers(t, servers, soon)
	w := newWorld(t, s)
	i := w.create(t, "x", []any{w.given(tracker.TypeText, "kept"), w.given(tracker.TypeUser, "Ada")})
	text, user := w.fields[tracker.TypeText], w.fields[tracker.TypeUser]
	fields := func(argument string) (n int, has bool) {
		var got struct {
			Project struct {
				Fields []struct {
					ID       string
					Archived bool
				}
			}
		}
		s.data(t, fmt.Sprintf(`{ project(id: %q) { fields%s { id archived } } }`, w.project, argument), nil,
			&got)
		for _, f := range got.Project.Fields {
			has = has || f.ID == text && f.Archived
		}
		return len(got.Project.Fields), has
	}
	update := `mutation($i: UpdateCustomFieldInput!) { updateCustomField(input: $i) { field { archived } } }`
	s.mutate(t, update, map[string]any{"id": text, "archived": true})
	if n, has := fields(""); n != 10 || has {
		t.Errorf("%d fields, the archived one among them: %t", n, has)
	}
	if n, has := fields("(includeArchived: true)"); n != 11 || !has {
		t.Errorf("%d fields with archived ones, that one among them: %t", n, has)
	}
	s.refuses(t, []refusal{{name: "a value", query: updateOne,
		variables: map[string]any{"i": map[string]any{"id": i.ID,
			"values": []any{w.given(tracker.TypeText, "new")}}}, code: tracker.BadInput,
		argument: "input.issue.values[0].value", says: []string{"archived"}}})
	s.mutate(t, update, map[string]any{"id": text, "archived": false})
	w.update(t, map[string]any{"id": i.ID, "values": []any{w.given(tracker.TypeText, "new")}})

	got := s.mutate(t,
		`mutation($i: DeleteCustomFieldInput!) { deleteCustomField(input: $i) { deletedCustomFieldId project { fields { id } } } }`,
		map[string]any{"id": user})
	if got["deletedCustomFieldId"] != user || len(got["project"].(map[string]any)["fields"].([]any)) != 10 {
		t.Errorf("deleted: %v", got)
	}
	s.runJobs(t, w.project)
	var history struct {
		Issue struct {
			History struct {
				Nodes []struct {
					By      *actor
					Columns []struct {
						Name          string
						Field         *struct{ ID string }
						Before, After *string
					}
				}
			}
		}
	}
	s.data(t, fmt.Sprintf(`{ issue(id: %q) { history(first: 1) { nodes { by { kind name } columns { name
		field { id } before after } } } } }`, i.ID), nil, &history)
	n := history.Issue.History.Nodes[0]
	if *n.By != (actor{Kind: "JOB"}) || len(n.Columns) != 1 ||
		n.Columns[0].Name != "Field USER" ||
		n.Columns[0].Field != nil || *n.Columns[0].Before != "Ada" || n.Columns[0].After != nil {
		t.Errorf("history %+v", n)
	}
	var project struct{ Project struct{ Key string } }
	s.data(t, `query($p: ID!) { project(id: $p) { key } }`, map[string]any{"p": w.project}, &project)
	gone := s.mutate(t,
		`mutation($i: DeleteProjectInput!) { deleteProject(input: $i) { deletedProjectId tenant { projects { nodes { id } } } } }`,
		map[string]any{"id": w.project, "permanently": true, "confirm": project.Project.Key})
	same(t, "projects that are left", `map[deletedProjectId:`+w.project+
		` tenant:map[projects:map[nodes:[]]]]`, fmt.Sprint(gone))
	for _, query := range []string{`{ project(id: %q) { id } }`, `{ node(id: %q) { id } }`} {
		s.refuses(t, []refusal{{name: query, query: fmt.Sprintf(query, w.project), code: tracker.NotFound}})
	}
	s.refuses(t, []refusal{{name: "its issue", query: fmt.Sprintf(`{ issue(id: %q) { id } }`, i.ID),
		code: tracker.NotFound}, {name: "its field", query: fmt.Sprintf(`{ node(id: %q) { id } }`, text),
		code: tracker.NotFound}})
	s.runJobs(t, w.project)
}

// halfway runs the jobs of a project until a conversion has written the new type of its field.
func (s *server) halfway(t *testing.T, project string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		a := send(r)
		if strings.Contains(string(r.Body), `"from"`) { // the field has its new type
			stop()
		}
		return a
	})
	defer s.wire.Intercept(nil)
	if err := s.jobsUntil(ctx, t, project); tracker.CodeOf(err) != tracker.Unavailable {
		t.Fatalf("halfway: %v", err)
	}
}

// TestJobsOfMutations checks that each mutation that starts a job returns it, also when it is repeated, that
// the job can be read by its id, and that a mutation that needs no job returns none.
func TestJobsOfMutations(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	w.create(t, "one", w.inputs(w.full()))
	options := w.options[tracker.TypeSelect]
	third := do(t, s, "createState.state.id", "projectId", w.project, "name", "Third", "open", true)
	type started struct{ ID, Kind, Status, FieldName string }
	seen := map[string]bool{}
	for n, test := range []struct {
		mutation, kind, field string
		members               []any
	}{
		{"moveState", "MOVE_STATES", "", []any{"id", w.states[0], "to", toEnd}},
		{"moveState", "", "", []any{"id", w.states[0], "to", toEnd}},
		{"updateState", "", "", []any{"id", w.states[1], "name", "Finished"}},
		{"updateState", "MOVE_STATES", "", []any{"id", w.states[1], "open", true}},
		{"mergeStates", "MERGE_STATES", "", []any{"projectId", w.project, "fromIds", []string{third},
			"intoId", w.states[0]}},
		{"moveOption", "MOVE_OPTIONS", "Field SELECT", []any{"id", options[0], "to", toEnd}},
		{"moveOption", "", "", []any{"id", options[0], "to", toEnd}},
		{"mergeOptions", "MERGE_OPTIONS", "Field SELECT", []any{"fieldId", w.fields[tracker.TypeSelect],
			"fromIds", []string{options[0]}, "into", intoOption(options[1])}},
		{"linkUserNames", "LINK_USER_NAMES", "Field USER", []any{"fieldId", w.fields[tracker.TypeUser],
			"links", []any{inputOf("name", "x", "userId", w.addUser(t, s, "name", "X").ID)}}},
		{"changeCustomFieldType", "CHANGE_FIELD_TYPE", "Field TEXT", []any{"id", w.fields[tracker.TypeText],
			"type", "LONG_TEXT"}},
		{"deleteCustomField", "DELETE_FIELD", "Field TAGS", []any{"id", w.fields[tracker.TypeTags]}},
	} {
		for _, keyed := range []bool{false, true} {
			if !keyed && test.kind != "" {
				continue // a second one would need no job
			}
			if keyed {
				test.members = append(test.members, "idempotencyKey", fmt.Sprint("key ", n))
			}
			name := fmt.Sprint(test.mutation, test.members)
			query := mutation(test.mutation, "job { id kind status fieldName }")
			var before *started
			for range 2 {
				got := get[*started](t, s, test.mutation+".job", query, input(nil, test.members...))
				if (got == nil) != (test.kind == "") {
					t.Fatalf("%s: the job is %+v", name, got)
				}
				if got == nil {
					continue
				}
				same(t, name, []string{test.kind, test.field}, []string{got.Kind, got.FieldName})
				if before != nil {
					same(t, name+" again", before, got)
				} else if seen[got.ID] {
					t.Errorf("%s: the job of another mutation", name)
				}
				before, seen[got.ID] = got, true
				read := fmt.Sprintf("{ job(id: %q) { id kind status fieldName } }", got.ID)
				same(t, name+" by its id", got, get[*started](t, s, "job", read, nil))
				read = fmt.Sprintf("{ node(id: %q) { ... on Job { id kind status fieldName } } }", got.ID)
				same(t, name+" as a node", got, get[*started](t, s, "node", read, nil))
			}
			s.runJobs(t, w.project)
			if before != nil { // the job has ended
				again := get[*started](t, s, test.mutation+".job", query, input(nil, test.members...))
				same(t, name+" after it", started{before.ID, test.kind, "DONE", test.field}, *again)
			}
		}
	}
	same(t, "the jobs", len(seen), len(s.jobs(t, w.project)))
	// The same without a key.
	got := get[*started](t, s, "moveOption.job", mutation("moveOption", "job { id kind }"), input(nil, "id",
		options[1], "to", toEnd))
	if got == nil || got.Kind != "MOVE_OPTIONS" || seen[got.ID] {
		t.Errorf("without a key: %+v", got)
	}
	for _, id := range []string{"x", w.project, model.JobID("t", "p", "j")} {
		same(t, "job "+id, "NOT_FOUND", s.ask(t, fmt.Sprintf("{ job(id: %q) { id } }", id), nil).outcome())
	}
}
