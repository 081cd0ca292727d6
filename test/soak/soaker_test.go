//go:build unix

package soak

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// soaked is the expected state of an issue, derived from the client's own writes.
type soaked struct {
	id, name, text, description string
	num, version                int
	state, option               int
	integer                     *int64
}

// soaker writes and reads the issues of its project.
type soaker struct {
	*soak
	rng                      *rand.Rand
	token, project           string
	text, integer, option    string // field IDs
	states, options          []string
	issues, deleted          []*soaked
	keys                     int
	pages, counts, histories int
}

// must sends an operation until it succeeds. A change is sent under one idempotency key, so that it is done
// once.
func (s *soaker) must(query string, variables map[string]any, into any) bool {
	for !s.t.Failed() {
		if s.ask(s.token, query, variables, into) {
			return true
		}
		s.pass(20 * time.Millisecond)
	}
	return false
}

func (s *soaker) key() string {
	s.keys++
	return fmt.Sprint(s.project, "/", s.keys) // keys are per tenant
}

const soakRow = ` id num name version state { id } description t: value(field: $t) { display } i: value(field: $i) { ... on IntegerValue { integer } } o: value(field: $o) { ... on SelectValue { option { id } } } `

// soakedRow is an issue as a response shows it.
type soakedRow struct {
	ID, Name     string
	Num, Version int
	State        struct{ ID string }
	Description  *string
	T            *struct{ Display string }
	I            *struct{ Integer string }
	O            *struct{ Option struct{ ID string } }
}

// row returns how a response must show an issue.
func (s *soaker) row(i *soaked) (r soakedRow) {
	r.ID, r.Name, r.Num, r.Version, r.State.ID = i.id, i.name, i.num, i.version, s.states[i.state]
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
		r.O.Option.ID = s.options[i.option]
	}
	return r
}

func (s *soaker) same(what string, got, want any) {
	g, _ := json.Marshal(got)
	if w, _ := json.Marshal(want); !bytes.Equal(g, w) {
		s.t.Errorf("project %s: %s:\n got %.2000s\nwant %.2000s", s.project, what, g, w)
	}
}

func (s *soaker) with(more map[string]any) map[string]any {
	out := map[string]any{"p": s.project, "t": s.text, "i": s.integer, "o": s.option}
	for name, v := range more {
		out[name] = v
	}
	return out
}

// soakColumn is a sort column of a grid: whether an issue has a value, and how two values compare.
type soakColumn struct {
	input   map[string]any
	has     func(*soaked) bool
	compare func(a, b *soaked) int
}

func (s *soaker) columns() []soakColumn {
	all := func(*soaked) bool { return true }
	return []soakColumn{
		{map[string]any{"builtin": "NUM"}, all, func(a, b *soaked) int { return 0 }},
		{map[string]any{"builtin": "NAME"}, all, func(a, b *soaked) int {
			return cmp.Compare(a.name, b.name)
		}},
		{map[string]any{"builtin": "STATE"}, all, func(a, b *soaked) int {
			return cmp.Compare(a.state, b.state)
		}},
		{map[string]any{"field": s.text}, func(i *soaked) bool {
			return i.text != ""
		}, func(a, b *soaked) int { return cmp.Compare(a.text, b.text) }},
		{map[string]any{"field": s.integer}, func(i *soaked) bool {
			return i.integer != nil
		}, func(a, b *soaked) int { return cmp.Compare(*a.integer, *b.integer) }},
		{map[string]any{"field": s.option}, func(i *soaked) bool {
			return i.option >= 0
		}, func(a, b *soaked) int { return cmp.Compare(a.option, b.option) }},
	}
}

// filter draws a filter and returns a predicate that reports whether an issue matches it.
func (s *soaker) filter() (where any, meets func(*soaked) bool) {
	least, state := s.rng.Int64N(20)-10, s.rng.IntN(len(s.states))
	atLeast := func(i *soaked) bool { return i.integer != nil && *i.integer >= least }
	in := func(i *soaked) bool { return i.state == state }
	integer := map[string]any{"fields": []any{map[string]any{"field": s.integer,
		"integer": map[string]any{"gte": strconv.FormatInt(least, 10)}}}}
	ofState := map[string]any{"state": map[string]any{"eq": s.states[state]}}
	switch s.rng.IntN(6) {
	case 0:
		return integer, atLeast
	case 1:
		return ofState, in
	case 2:
		return map[string]any{"and": []any{integer, ofState}}, func(i *soaked) bool {
			return atLeast(i) && in(i)
		}
	}
	return nil, func(*soaked) bool { return true }
}

// walk reads a grid in a random order from either end, page by page, and checks every page.
func (s *soaker) walk() {
	c := pick(s.rng, s.columns())
	where, meets := s.filter()
	descending, first := s.rng.IntN(2) == 0, s.rng.IntN(2) == 0
	var want []*soaked
	for _, i := range s.issues {
		if meets(i) {
			want = append(want, i)
		}
	}
	slices.SortFunc(want, func(a, b *soaked) int {
		if c.has(a) != c.has(b) {
			if c.has(a) == first {
				return 1
			}
			return -1
		}
		d := 0
		if c.has(a) {
			d = c.compare(a, b)
		}
		if d = cmp.Or(d, cmp.Compare(a.num, b.num)); descending {
			return -d
		}
		return d
	})
	order := map[string]any{"column": c.input,
		"direction": map[bool]string{true: "DESC", false: "ASC"}[descending],
		"nulls":     map[bool]string{true: "FIRST", false: "LAST"}[first]}
	backward, size := s.rng.IntN(2) == 0, 1+s.rng.IntN(60)
	if backward {
		slices.Reverse(want)
	}
	var cursor any
	for pages := 0; pages < 3; pages++ {
		in := s.with(map[string]any{"by": []any{order}, "where": where})
		if backward {
			in["last"], in["before"] = size, cursor
		} else {
			in["first"], in["after"] = size, cursor
		}
		var got struct {
			Project struct {
				Issues struct {
					Nodes    []soakedRow
					PageInfo struct {
						HasNextPage, HasPreviousPage bool
						StartCursor, EndCursor       *string
					}
				}
			}
		}
		if !s.must(
			`query($p: ID!, $t: ID!, $i: ID!, $o: ID!, $by: [IssueOrder!], $where: IssueFilter, $first: Int, $after: String, $last: Int, $before: String) {
			project(id: $p) { issues(first: $first, after: $after, last: $last, before: $before, orderBy: $by, where: $where) {
				nodes {`+soakRow+`} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, in,
			&got) {
			return
		}
		page, info := got.Project.Issues.Nodes, got.Project.Issues.PageInfo
		more, next := info.HasNextPage, info.EndCursor
		if backward {
			slices.Reverse(page)
			more, next = info.HasPreviousPage, info.StartCursor
		}
		var rows []soakedRow
		for _, i := range want[:min(size, len(want))] {
			rows = append(rows, s.row(i))
		}
		want = want[len(rows):]
		if len(page) > 0 || len(rows) > 0 {
			s.same(fmt.Sprintf("page %d of %v, backwards %t, where %v", pages, order, backward, where), page,
				rows)
		}
		s.same("whether there is more", more, len(want) > 0)
		if s.pages++; !more || s.t.Failed() {
			return
		}
		cursor = *next
	}
}

func (s *soaker) count() {
	where, meets := s.filter()
	want := 0
	for _, i := range s.issues {
		if meets(i) {
			want++
		}
	}
	var got struct {
		Project struct{ Issues struct{ TotalCount int } }
	}
	if s.must(
		`query($p: ID!, $where: IssueFilter) { project(id: $p) { issues(first: 1, where: $where) { totalCount } } }`,
		map[string]any{"p": s.project, "where": where}, &got) {
		s.same(fmt.Sprint("the count of ", where), got.Project.Issues.TotalCount, want)
		s.counts++
	}
}

func (s *soaker) look() {
	i := pick(s.rng, s.issues)
	var got struct {
		Issue struct {
			soakedRow
			History struct{ Nodes []struct{ Version int } }
		}
	}
	if s.must(`query($id: ID!, $t: ID!, $i: ID!, $o: ID!) { issue(id: $id) {`+soakRow+
		`history(first: 1) { nodes { version } } } }`, s.with(map[string]any{"id": i.id}), &got) {
		s.same("an issue", got.Issue.soakedRow, s.row(i))
		s.same("its last change", got.Issue.History.Nodes, []struct{ Version int }{{i.version}})
		s.histories++
	}
}

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// setUp creates the project.
func (s *soaker) setUp(tenant string) {
	var project struct {
		CreateProject struct {
			Project struct {
				ID     string
				States []struct{ ID string }
			}
		}
	}
	s.must(
		`mutation($t: ID!, $k: String!) { createProject(input: {tenant: $t, key: $k, name: $k, shards: 2, states: [{name: "A", open: true}, {name: "B", open: true}, {name: "C", open: false}]}) { project { id states { id } } } }`,
		map[string]any{"t": tenant, "k": s.project}, &project)
	s.project = project.CreateProject.Project.ID
	for _, state := range project.CreateProject.Project.States {
		s.states = append(s.states, state.ID)
	}
	var field struct {
		CreateCustomField struct {
			Field struct {
				ID      string
				Options []struct{ ID string }
			}
		}
	}
	for _, f := range []struct {
		id      *string
		kind    string
		options []any
	}{{&s.text, "TEXT", nil}, {&s.integer, "INTEGER", nil},
		{&s.option, "SELECT", []any{map[string]any{"name": "One"}, map[string]any{"name": "Two"},
			map[string]any{"name": "Three"}}}} {
		in := map[string]any{"project": s.project, "name": f.kind, "type": f.kind}
		if f.options != nil {
			in["options"] = f.options
		}
		s.must(
			`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id options { id } } } }`,
			map[string]any{"i": in}, &field)
		*f.id = field.CreateCustomField.Field.ID
	}
	for _, o := range field.CreateCustomField.Field.Options {
		s.options = append(s.options, o.ID)
	}
	for range 4 {
		s.create(10)
	}
}

// run performs operations one after the other.
func (s *soaker) run() {
	for !s.t.Failed() {
		select {
		case <-s.stop:
			return
		default:
		}
		switch n := s.rng.IntN(100); {
		case n < 40:
			s.walk()
		case n < 50:
			s.look()
		case n < 55:
			s.count()
		case n < 80 && len(s.issues) > 0:
			s.update()
		case n < 90 && len(s.issues) < 150:
			s.create(1 + s.rng.IntN(4))
		case n < 95 && len(s.issues) > 20:
			s.remove()
		case len(s.deleted) > 0:
			s.restore()
		}
	}
}
