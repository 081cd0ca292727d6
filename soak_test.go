//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

const (
	// soakTenants have soakClients together, each with a project of its own.
	soakTenants, soakClients = 3, 15
	// recovery is how long after an outage of the engine a request may still fail.
	recovery = 10 * time.Second
)

// season is a stretch of a soak: how long there are no faults, how long there are, how long the engine does not answer, and how long there are none
// again, recovery not counted.
type season struct{ calm, storm, outage, after time.Duration }

// seasons are those of a soak of some length: one of a few seconds by default, or of whole minutes, the first and the last with an outage of 30 seconds.
func seasons(t *testing.T) (all []season) {
	text := os.Getenv("ISSUEGRID_SOAK")
	if text == "" {
		return []season{{2 * time.Second, 3 * time.Second, 2 * time.Second, 2 * time.Second}}
	}
	length, err := time.ParseDuration(text)
	minutes := int(length / time.Minute)
	if err != nil || minutes < 1 {
		t.Fatalf("ISSUEGRID_SOAK is %q; it must be a time of whole minutes such as 10m", text)
	}
	for n := range minutes {
		if n == 0 || n == minutes-1 {
			all = append(all, season{5 * time.Second, 10 * time.Second, 30 * time.Second, 5 * time.Second})
		} else {
			all = append(all, season{calm: 5 * time.Second, storm: 40 * time.Second, after: 5 * time.Second})
		}
	}
	return all
}

// soak is a server at full load, with faults on the way to its engine.
type soak struct {
	t       *testing.T
	url     string
	metrics string
	proxy   *dynamotest.Proxy
	client  *http.Client
	// period changes whenever faults begin or end. In even ones every request must succeed.
	period             atomic.Int64
	answered, failures [3]atomic.Int64 // by what the period is
	stop               chan struct{}
}

// The kinds of periods.
const (
	fair = iota
	foul
	dead // the engine does not answer; what is begun then may still succeed when it is back
)

func (s *soak) enter(kind int64) { s.period.Store((s.period.Load()/3+1)*3 + kind) }

// pass waits; the time that a soak lasts is what it is about.
func (s *soak) pass(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.t.Context().Done():
	}
}

// ask sends an operation once, and tells whether it is done. What is wrong is an error that does not say that it may pass, or one at all when nothing has
// been in the way since the request was sent.
func (s *soak) ask(token, query string, variables map[string]any, into any) bool {
	period := s.period.Load()
	response, text, err := harness.Exchange(s.t.Context(), s.client, s.url, token, query, variables)
	if response == nil {
		s.t.Errorf("no answer: %v", err)
		return false
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code tracker.Code }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		s.t.Errorf("%s, %v: %.300s", response.Status, err, text)
		return false
	}
	if len(answer.Errors) == 0 {
		if err := json.Unmarshal(answer.Data, into); err != nil {
			s.t.Errorf("%v: %.300s", err, text)
		}
		s.answered[period%3].Add(1)
		return true
	}
	s.failures[period%3].Add(1)
	for _, e := range answer.Errors {
		if e.Extensions.Code != tracker.Unavailable {
			s.t.Errorf("%s: %.500s", query[:min(len(query), 60)], text)
			break
		}
	}
	if period%3 == fair && s.period.Load() == period {
		s.t.Errorf("with nothing in the way: %s, %.500s", response.Status, text)
	}
	return false
}

// soaked is an issue as a client knows it, from what it has written.
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
	text, integer, option    string // fields
	states, options          []string
	issues, deleted          []*soaked
	keys                     int
	pages, counts, histories int
}

// must sends an operation until it is done. A change is sent under one key, so that it is done once.
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
	return fmt.Sprint(s.project, "/", s.keys) // keys are the tenant's
}

const soakRow = ` id num name version state { id } description t: value(field: $t) { display } i: value(field: $i) { ... on IntegerValue { integer } } o: value(field: $o) { ... on SelectValue { option { id } } } `

// soakedRow is an issue as an answer shows it.
type soakedRow struct {
	ID, Name     string
	Num, Version int
	State        struct{ ID string }
	Description  *string
	T            *struct{ Display string }
	I            *struct{ Integer string }
	O            *struct{ Option struct{ ID string } }
}

// row is how an answer must show an issue.
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

// change draws new values for an issue, and returns them as inputs are written.
func (s *soaker) change(i *soaked) map[string]any {
	i.name, i.state, i.option, i.integer, i.text = fmt.Sprint("name ", s.rng.IntN(1000)), s.rng.IntN(len(s.states)), s.rng.IntN(len(s.options)+1)-1, nil, ""
	if s.rng.IntN(4) > 0 {
		i.integer = new(int64)
		*i.integer = s.rng.Int64N(20) - 10
	}
	if n := s.rng.IntN(6); n > 0 {
		i.text = strings.Repeat(string(rune('a'+s.rng.IntN(5))), []int{1, 3, 3, 20, 400}[n-1])
	}
	i.description = ""
	if s.rng.IntN(3) == 0 {
		i.description = strings.Repeat(fmt.Sprint(s.rng.IntN(100), " "), 1+s.rng.IntN(300))
	}
	value := func(field, member string, v any, none bool) map[string]any {
		if none {
			return map[string]any{"field": field, "value": nil}
		}
		return map[string]any{"field": field, "value": map[string]any{member: v}}
	}
	in := map[string]any{"name": i.name, "state": s.states[i.state], "description": i.description,
		"values": []any{value(s.text, "text", i.text, i.text == ""), nil, nil}}
	all := in["values"].([]any)
	all[1] = value(s.integer, "integer", "", true)
	if i.integer != nil {
		all[1] = value(s.integer, "integer", strconv.FormatInt(*i.integer, 10), false)
	}
	all[2] = value(s.option, "option", "", true)
	if i.option >= 0 {
		all[2] = value(s.option, "option", s.options[i.option], false)
	}
	return in
}

func (s *soaker) create(n int) {
	var made []*soaked
	var in []any
	key := s.key()
	for range n {
		i := &soaked{version: 1}
		in, made = append(in, s.change(i)), append(made, i)
	}
	var got struct {
		CreateIssues struct {
			Results []struct {
				Issue *soakedRow
				Error *struct{ Code, Message string }
			}
		}
	}
	for again := true; again; {
		if !s.must(`mutation($p: ID!, $in: [NewIssueInput!]!, $k: String!, $t: ID!, $i: ID!, $o: ID!) { createIssues(input: {project: $p, issues: $in, idempotencyKey: $k}) { results { issue {`+soakRow+`} error { code message } } } }`,
			s.with(map[string]any{"in": in, "k": key}), &got) {
			return
		}
		again = false
		for n, r := range got.CreateIssues.Results {
			switch {
			case r.Error != nil && r.Error.Code == string(tracker.Unavailable):
				again = true
			case r.Error != nil:
				s.t.Errorf("createIssues: %+v", *r.Error)
				return
			default:
				made[n].id, made[n].num = r.Issue.ID, r.Issue.Num
				s.same("a new issue", r.Issue, s.row(made[n]))
			}
		}
	}
	s.issues = append(s.issues, made...)
}

func (s *soaker) update() {
	i := s.issues[s.rng.IntN(len(s.issues))]
	in := s.change(i)
	in["id"], in["expectedVersion"], in["idempotencyKey"] = i.id, i.version, s.key()
	i.version++
	var got struct{ UpdateIssue struct{ Issue soakedRow } }
	if s.must(`mutation($in: UpdateIssueInput!, $t: ID!, $i: ID!, $o: ID!) { updateIssue(input: $in) { issue {`+soakRow+`} } }`, s.with(map[string]any{"in": in, "p": nil}), &got) {
		s.same("a changed issue", got.UpdateIssue.Issue, s.row(i))
	}
}

func (s *soaker) remove() {
	n := s.rng.IntN(len(s.issues))
	i := s.issues[n]
	var got struct {
		DeleteIssue struct{ DeletedIssueID string }
	}
	if s.must(`mutation($in: DeleteIssueInput!) { deleteIssue(input: $in) { deletedIssueId } }`, map[string]any{"in": map[string]any{"id": i.id, "expectedVersion": i.version, "idempotencyKey": s.key()}}, &got) {
		s.same("a deleted issue", got.DeleteIssue.DeletedIssueID, i.id)
		s.issues, s.deleted = slices.Delete(s.issues, n, n+1), append(s.deleted, i)
	}
}

func (s *soaker) restore() {
	n := s.rng.IntN(len(s.deleted))
	i := s.deleted[n]
	var got struct{ RestoreIssue struct{ Issue soakedRow } }
	if s.must(`mutation($in: RestoreIssueInput!, $t: ID!, $i: ID!, $o: ID!) { restoreIssue(input: $in) { issue {`+soakRow+`} } }`,
		s.with(map[string]any{"in": map[string]any{"id": i.id, "idempotencyKey": s.key()}}), &got) {
		i.version = got.RestoreIssue.Issue.Version
		s.same("a restored issue", got.RestoreIssue.Issue, s.row(i))
		s.deleted, s.issues = slices.Delete(s.deleted, n, n+1), append(s.issues, i)
	}
}

// column is what a grid is sorted by: whether an issue has a value, and how two that have compare.
type soakColumn struct {
	input   map[string]any
	has     func(*soaked) bool
	compare func(a, b *soaked) int
}

func (s *soaker) columns() []soakColumn {
	all := func(*soaked) bool { return true }
	return []soakColumn{
		{map[string]any{"builtin": "NUM"}, all, func(a, b *soaked) int { return 0 }},
		{map[string]any{"builtin": "NAME"}, all, func(a, b *soaked) int { return cmp.Compare(a.name, b.name) }},
		{map[string]any{"builtin": "STATE"}, all, func(a, b *soaked) int { return cmp.Compare(a.state, b.state) }},
		{map[string]any{"field": s.text}, func(i *soaked) bool { return i.text != "" }, func(a, b *soaked) int { return cmp.Compare(a.text, b.text) }},
		{map[string]any{"field": s.integer}, func(i *soaked) bool { return i.integer != nil }, func(a, b *soaked) int { return cmp.Compare(*a.integer, *b.integer) }},
		{map[string]any{"field": s.option}, func(i *soaked) bool { return i.option >= 0 }, func(a, b *soaked) int { return cmp.Compare(a.option, b.option) }},
	}
}

// filter draws a filter, and tells which issues meet it.
func (s *soaker) filter() (where any, meets func(*soaked) bool) {
	least, state := s.rng.Int64N(20)-10, s.rng.IntN(len(s.states))
	atLeast := func(i *soaked) bool { return i.integer != nil && *i.integer >= least }
	in := func(i *soaked) bool { return i.state == state }
	integer := map[string]any{"fields": []any{map[string]any{"field": s.integer, "integer": map[string]any{"gte": strconv.FormatInt(least, 10)}}}}
	ofState := map[string]any{"state": map[string]any{"eq": s.states[state]}}
	switch s.rng.IntN(6) {
	case 0:
		return integer, atLeast
	case 1:
		return ofState, in
	case 2:
		return map[string]any{"and": []any{integer, ofState}}, func(i *soaked) bool { return atLeast(i) && in(i) }
	}
	return nil, func(*soaked) bool { return true }
}

// walk reads a grid in some order from one end on, page for page, and compares every one.
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
	order := map[string]any{"column": c.input, "direction": map[bool]string{true: "DESC", false: "ASC"}[descending], "nulls": map[bool]string{true: "FIRST", false: "LAST"}[first]}
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
		if !s.must(`query($p: ID!, $t: ID!, $i: ID!, $o: ID!, $by: [IssueOrder!], $where: IssueFilter, $first: Int, $after: String, $last: Int, $before: String) {
			project(id: $p) { issues(first: $first, after: $after, last: $last, before: $before, orderBy: $by, where: $where) {
				nodes {`+soakRow+`} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, in, &got) {
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
			s.same(fmt.Sprintf("page %d of %v, backwards %t, where %v", pages, order, backward, where), page, rows)
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
	if s.must(`query($p: ID!, $where: IssueFilter) { project(id: $p) { issues(first: 1, where: $where) { totalCount } } }`, map[string]any{"p": s.project, "where": where}, &got) {
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
	if s.must(`query($id: ID!, $t: ID!, $i: ID!, $o: ID!) { issue(id: $id) {`+soakRow+`history(first: 1) { nodes { version } } } }`, s.with(map[string]any{"id": i.id}), &got) {
		s.same("an issue", got.Issue.soakedRow, s.row(i))
		s.same("its last change", got.Issue.History.Nodes, []struct{ Version int }{{i.version}})
		s.histories++
	}
}

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// setUp makes the project.
func (s *soaker) setUp(tenant string) {
	var project struct {
		CreateProject struct {
			Project struct {
				ID     string
				States []struct{ ID string }
			}
		}
	}
	s.must(`mutation($t: ID!, $k: String!) { createProject(input: {tenant: $t, key: $k, name: $k, states: [{name: "A", open: true}, {name: "B", open: true}, {name: "C", open: false}]}) { project { id states { id } } } }`,
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
	}{{&s.text, "TEXT", nil}, {&s.integer, "INTEGER", nil}, {&s.option, "SELECT", []any{map[string]any{"name": "One"}, map[string]any{"name": "Two"}, map[string]any{"name": "Three"}}}} {
		in := map[string]any{"project": s.project, "name": f.kind, "type": f.kind}
		if f.options != nil {
			in["options"] = f.options
		}
		s.must(`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id options { id } } } }`, map[string]any{"i": in}, &field)
		*f.id = field.CreateCustomField.Field.ID
	}
	for _, o := range field.CreateCustomField.Field.Options {
		s.options = append(s.options, o.ID)
	}
	for range 4 {
		s.create(10)
	}
}

// run does one thing after the other.
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

// weather draws faults of every kind.
func weather(rng *rand.Rand) dynamotest.Faults {
	some := func() float64 { return 0.04 * rng.Float64() }
	return dynamotest.Faults{Latency: time.Duration(1+rng.IntN(10)) * time.Millisecond, DropBefore: some(), DropAfter: some(), ErrorBefore: some(), ErrorAfter: some(),
		Throttle: some(), Conflict: 3 * some(), Partial: 5 * some()}
}

// heap looks every now and then what lives on the server's heap, until done is closed, and returns the median.
func (s *soak) heap(done <-chan struct{}) float64 {
	var all []float64
	for {
		series := scrape(s.t, s.metrics)
		all = append(all, series["go_gc_heap_live_bytes"])
		select {
		case <-done:
			slices.Sort(all)
			return all[len(all)/2]
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// during runs something and returns what lived on the heap meanwhile.
func (s *soak) during(f func()) float64 {
	done, heap := make(chan struct{}), make(chan float64, 1)
	go func() { heap <- s.heap(done) }()
	f()
	close(done)
	return <-heap
}

// TestSoak keeps a server at full load, with faults of all kinds on the way to its engine, and an outage. Every answer is compared with what the client has
// written: none is wrong, and every request succeeds that is begun when nothing is in the way, from 10 seconds after an outage on. In the end no
// goroutine is left, and no more lives on the heap than in the beginning. ISSUEGRID_SOAK=10m makes it longer.
func TestSoak(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	engine := harness.StartEngine(t)
	proxy := dynamotest.NewProxy(t, engine.URL(), seed)
	harness.Start(t, []string{"table", "create", "--endpoint", proxy.URL()}).Wants(0)
	i := harness.NewIssuer(t)
	p := harness.Start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--endpoint", proxy.URL(), "--metrics-addr", "127.0.0.1:0", "--tenant-rcu", "0", "--tenant-wcu", "0", "--log-format", "text", "--log-level", "error"},
		i.Flags()...), watched)
	s := &soak{t: t, url: p.Serving(), metrics: p.Noted("Metrics on "), proxy: proxy, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: soakClients}}, stop: make(chan struct{})}
	var clients []*soaker
	for n := range soakTenants {
		claim := fmt.Sprint("tenant", n)
		var made struct {
			CreateTenant struct{ Tenant struct{ ID string } }
		}
		if !s.ask(i.Token("operator", ""), `mutation($c: String!) { createTenant(input: {name: $c, claim: $c}) { tenant { id } } }`, map[string]any{"c": claim}, &made) {
			t.FailNow()
		}
		for c := range soakClients / soakTenants {
			client := &soaker{soak: s, rng: rand.New(rand.NewPCG(seed, uint64(1+len(clients)))), token: i.Token("admin", claim), project: fmt.Sprint("P", c)}
			client.setUp(made.CreateTenant.Tenant.ID)
			clients = append(clients, client)
		}
	}
	if t.Failed() {
		return
	}
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(c.run)
	}
	var before, after float64
	for n, season := range seasons(t) {
		s.enter(fair)
		calm := s.during(func() { s.pass(season.calm) })
		if n == 0 {
			before = calm
		}
		s.enter(foul)
		for passed := time.Duration(0); passed < season.storm; passed += time.Second {
			proxy.SetFaults(weather(rng))
			s.pass(time.Second)
		}
		proxy.SetFaults(dynamotest.Faults{})
		if season.outage > 0 {
			proxy.Down()
			s.enter(dead)
			s.pass(season.outage)
			s.enter(foul)
			proxy.Up()
		}
		s.pass(recovery)
		s.enter(fair)
		after = s.during(func() { s.pass(season.after) })
		if t.Failed() {
			break
		}
	}
	close(s.stop)
	all.Wait()
	pages, counts, histories := 0, 0, 0
	for _, c := range clients {
		pages, counts, histories = pages+c.pages, counts+c.counts, histories+c.histories
	}
	t.Logf("answered %d fair, %d foul, %d dead; failed %d, %d, %d; pages %d, counts %d, histories %d; faults %v; live heap %.1f MB, then %.1f MB", s.answered[fair].Load(), s.answered[foul].Load(),
		s.answered[dead].Load(), s.failures[fair].Load(), s.failures[foul].Load(), s.failures[dead].Load(), pages, counts, histories, proxy.Injected(), before/1e6, after/1e6)
	for _, fault := range []dynamotest.Fault{dynamotest.Latency, dynamotest.DropBefore, dynamotest.DropAfter, dynamotest.ErrorBefore, dynamotest.ErrorAfter, dynamotest.Throttle, dynamotest.Conflict, dynamotest.Partial} {
		if proxy.Injected()[fault] == 0 {
			t.Errorf("no request has met the fault %q", fault)
		}
	}
	if s.failures[foul].Load()+s.failures[dead].Load() == 0 || pages == 0 || counts == 0 || histories == 0 {
		t.Error("something did not happen at all")
	}
	if after > 1.3*before+4e6 {
		t.Errorf("%.1f MB live on the heap in the end, and %.1f MB did in the beginning", after/1e6, before/1e6)
	}
	s.client.CloseIdleConnections()
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
}
