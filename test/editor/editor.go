// Package editor is a client of the API that knows what it has written: an Editor changes and reads the
// issues of its project at random, and compares every response with its own writes. Only tests import this
// package.
package editor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Editor writes and reads the issues of its project, one operation after the other.
type Editor struct {
	T   testing.TB
	Rng *rand.Rand
	// Send sends an operation, if necessary again until it succeeds, and decodes its data. It reports whether
	// it has succeeded. Every change has an idempotency key, so that it is done once.
	Send func(query string, variables map[string]any, into any) bool
	// Project is the key of the project, and its id after SetUp.
	Project string
	// Pages, Counts and Histories are the numbers of responses that were compared.
	Pages, Counts, Histories int

	text, integer, option string // field ids
	states, options       []string
	issues, deleted       []*issue
	keys                  int
}

// issue is the expected state of an issue.
type issue struct {
	id, name, text, description string
	num, version                int
	state, option               int
	integer                     *int64
	updated                     time.Time
}

const selected = ` id num name version updatedAt state { id } description t: value(fieldId: $t) { display } ` +
	`i: value(fieldId: $i) { ... on IntegerValue { integer } } ` +
	`o: value(fieldId: $o) { ... on SelectValue { option { id } } } `

// row is an issue as a response shows it.
type row struct {
	ID, Name     string
	Num, Version int
	UpdatedAt    time.Time
	State        struct{ ID string }
	Description  *string
	T            *struct{ Display string }
	I            *struct{ Integer string }
	O            *struct{ Option struct{ ID string } }
}

// row returns how a response must show an issue.
func (e *Editor) row(i *issue) (r row) {
	r.ID, r.Name, r.Num, r.Version, r.UpdatedAt, r.State.ID = i.id, i.name, i.num, i.version, i.updated,
		e.states[i.state]
	if i.description != "" {
		r.Description = &i.description
	}
	if i.text != "" {
		r.T = &struct{ Display string }{i.text}
	}
	if i.integer != nil {
		r.I = &struct{ Integer string }{strconv.FormatInt(*i.integer, 10)}
	}
	if i.option >= 0 {
		r.O = &struct{ Option struct{ ID string } }{}
		r.O.Option.ID = e.options[i.option]
	}
	return r
}

func (e *Editor) same(what string, got, want any) {
	e.T.Helper()
	g, _ := json.Marshal(got)
	if w, _ := json.Marshal(want); !bytes.Equal(g, w) {
		e.T.Errorf("project %s: %s:\n got %.2000s\nwant %.2000s", e.Project, what, g, w)
	}
}

// with returns the variables that selected needs, and more.
func (e *Editor) with(more map[string]any) map[string]any {
	out := map[string]any{"p": e.Project, "t": e.text, "i": e.integer, "o": e.option}
	maps.Copy(out, more)
	return out
}

func (e *Editor) key() string {
	e.keys++
	return fmt.Sprint(e.Project, "/", e.keys) // keys are per tenant
}

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// SetUp creates the project with a number of issues.
func (e *Editor) SetUp(tenant string, shards, issues int) {
	var project struct {
		CreateProject struct {
			Project struct {
				ID     string
				States []struct{ ID string }
			}
		}
	}
	e.Send(`mutation($t: ID!, $k: String!, $s: Int!) { createProject(input: {tenantId: $t, key: $k, name: $k,
		shards: $s, states: [{name: "A", open: true}, {name: "B", open: true}, {name: "C", open: false}]}) {
		project { id states { id } } } }`, map[string]any{"t": tenant, "k": e.Project, "s": shards}, &project)
	e.Project = project.CreateProject.Project.ID
	for _, state := range project.CreateProject.Project.States {
		e.states = append(e.states, state.ID)
	}
	var field struct {
		CreateCustomField struct {
			Field struct {
				ID      string
				Options []struct{ ID string }
			}
		}
	}
	for kind, id := range map[string]*string{"TEXT": &e.text, "INTEGER": &e.integer, "SELECT": &e.option} {
		in := map[string]any{"projectId": e.Project, "name": kind, "type": kind}
		if kind == "SELECT" {
			in["options"] = []any{map[string]any{"name": "One"}, map[string]any{"name": "Two"},
				map[string]any{"name": "Three"}}
		}
		e.Send(`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id options { id } } } }`,
			map[string]any{"i": in}, &field)
		*id = field.CreateCustomField.Field.ID
		for _, o := range field.CreateCustomField.Field.Options {
			e.options = append(e.options, o.ID)
		}
	}
	for ; issues > 0; issues -= 10 {
		e.create(min(issues, 10))
	}
}

// Step performs one random operation. In all but walks, the index may lag behind the table.
func (e *Editor) Step() {
	switch n := e.Rng.IntN(100); {
	case n < 40:
		e.Walk(3)
	case n < 50:
		e.look()
	case n < 55:
		e.count()
	default:
		e.Change()
	}
}

// Change creates, changes, deletes or restores issues.
func (e *Editor) Change() {
	switch n := e.Rng.IntN(45); {
	case n < 25 && len(e.issues) > 0:
		e.update()
	case n < 35 && len(e.issues) < 150 || len(e.issues) == 0:
		e.create(1 + e.Rng.IntN(4))
	case n < 40 && len(e.issues) > 5:
		e.remove()
	case len(e.deleted) > 0:
		e.restore()
	}
}

// change draws new values for an issue and returns them in the form of a mutation input.
func (e *Editor) change(i *issue) map[string]any {
	i.name, i.state, i.option, i.integer, i.text = fmt.Sprint("name ", e.Rng.IntN(1000)),
		e.Rng.IntN(len(e.states)), e.Rng.IntN(len(e.options)+1)-1, nil, ""
	if e.Rng.IntN(4) > 0 {
		i.integer = new(e.Rng.Int64N(20) - 10)
	}
	if n := e.Rng.IntN(6); n > 0 {
		i.text = strings.Repeat(string(rune('a'+e.Rng.IntN(5))), []int{1, 3, 3, 20, 400}[n-1])
	}
	i.description = ""
	if e.Rng.IntN(3) == 0 {
		i.description = strings.Repeat(fmt.Sprint(e.Rng.IntN(100), " "), 1+e.Rng.IntN(300))
	}
	values := []any{map[string]any{"fieldId": e.text, "value": map[string]any{"text": i.text}}}
	add := func(field string, given bool, value func() map[string]any) {
		switch {
		case given:
			values = append(values, map[string]any{"fieldId": field, "value": value()})
		case i.id != "":
			values = append(values, map[string]any{"fieldId": field, "clear": true})
		}
	}
	add(e.integer, i.integer != nil, func() map[string]any {
		return map[string]any{"integer": strconv.FormatInt(*i.integer, 10)}
	})
	add(e.option, i.option >= 0, func() map[string]any {
		return map[string]any{"optionId": e.options[i.option]}
	})
	return map[string]any{"name": i.name, "stateId": e.states[i.state], "description": i.description,
		"values": values}
}

func (e *Editor) create(n int) {
	var made []*issue
	var in []any
	key := e.key()
	for range n {
		i := &issue{version: 1}
		in, made = append(in, e.change(i)), append(made, i)
	}
	for again := true; again; {
		var got struct {
			CreateIssues struct {
				Results []struct {
					Issue  *row
					Errors []struct{ Code, Message string }
				}
			}
		}
		if !e.Send(`mutation($p: ID!, $in: [IssueCreateInput!]!, $k: String!, $t: ID!, $i: ID!, $o: ID!) {
			createIssues(input: {projectId: $p, issues: $in, idempotencyKey: $k}) { results { issue {`+selected+
			`} errors { code message } } } }`, e.with(map[string]any{"in": in, "k": key}), &got) {
			return
		}
		again = false
		for n, r := range got.CreateIssues.Results {
			switch {
			case len(r.Errors) > 0 && r.Errors[0].Code == "UNAVAILABLE":
				again = true
			case len(r.Errors) > 0:
				e.T.Errorf("createIssues: %+v", r.Errors)
				return
			default:
				made[n].id, made[n].num, made[n].updated = r.Issue.ID, r.Issue.Num, r.Issue.UpdatedAt
				e.same("a new issue", r.Issue, e.row(made[n]))
			}
		}
	}
	e.issues = append(e.issues, made...)
}

// mutate sends a mutation of an issue, and takes the version and the time of the change from the response.
func (e *Editor) mutate(name, input string, i *issue, in map[string]any) {
	in["idempotencyKey"] = e.key()
	var got struct{ M struct{ Issue row } }
	if e.Send(`mutation($in: `+input+`!, $t: ID!, $i: ID!, $o: ID!) { m: `+name+`(input: $in) { issue {`+selected+
		`} } }`, e.with(map[string]any{"in": in, "p": nil}), &got) {
		if i.updated = got.M.Issue.UpdatedAt; name == "restoreIssue" {
			i.version = got.M.Issue.Version
		}
		e.same("the response to "+name, got.M.Issue, e.row(i))
	}
}

func (e *Editor) update() {
	i := pick(e.Rng, e.issues)
	in := e.change(i)
	in["id"], in["expectedVersion"] = i.id, i.version
	i.version++
	e.mutate("updateIssue", "UpdateIssueInput", i, map[string]any{"issue": in})
}

func (e *Editor) remove() {
	n := e.Rng.IntN(len(e.issues))
	i := e.issues[n]
	var got struct {
		DeleteIssue struct{ DeletedIssueID string }
	}
	if e.Send(`mutation($in: DeleteIssueInput!) { deleteIssue(input: $in) { deletedIssueId } }`,
		map[string]any{"in": map[string]any{"idempotencyKey": e.key(),
			"issue": map[string]any{"id": i.id, "expectedVersion": i.version}}}, &got) {
		e.same("a deleted issue", got.DeleteIssue.DeletedIssueID, i.id)
		e.issues, e.deleted = slices.Delete(e.issues, n, n+1), append(e.deleted, i)
	}
}

func (e *Editor) restore() {
	n := e.Rng.IntN(len(e.deleted))
	i := e.deleted[n]
	e.deleted, e.issues = slices.Delete(e.deleted, n, n+1), append(e.issues, i)
	e.mutate("restoreIssue", "RestoreIssueInput", i, map[string]any{"id": i.id})
}

func (e *Editor) look() {
	i := pick(e.Rng, e.issues)
	var got struct {
		Issue struct {
			row
			History struct{ Nodes []struct{ Version int } }
		}
	}
	if e.Send(`query($id: ID!, $t: ID!, $i: ID!, $o: ID!) { issue(id: $id) {`+selected+
		`history(first: 1) { nodes { version } } } }`, e.with(map[string]any{"id": i.id}), &got) {
		e.same("an issue", got.Issue.row, e.row(i))
		e.same("its last change", got.Issue.History.Nodes, []struct{ Version int }{{i.version}})
		e.Histories++
	}
}
