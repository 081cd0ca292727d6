//go:build unix

package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// world is the state that all clients share: the projects, the known issues in them, and the changes that
// were sent.
type world struct {
	*api
	t        testing.TB
	db       *dynamo.DB // creates fields as an import does
	stateIDs map[*project][]string
	projects []*project
	people   []person
	stamp    atomic.Int64

	mu       sync.Mutex
	issues   map[*project][]*known
	births   map[int]*known // the issues that were shown, by the stamps that created them
	changes  []*change
	comments []*comment
	reads    []reading
	done     map[string]int // counts of outcomes by description
}

// known is an issue that at least one client has seen.
type known struct {
	project *project
	id      string
	// version is a version that the issue has or had.
	version atomic.Int64
	// How often clients have requested these operations, counted before the request is sent.
	deletes, purges, restores atomic.Int64
}

// change is a mutation, which may be sent several times.
type change struct {
	kind     string
	stamp    int // the first stamp; further new issues have the following ones
	groups   []int
	key      string
	expected int64
	parts    []*part
}

// part is the part of a change that concerns one issue.
type part struct {
	issue *known // for a new issue, nil until it is created
	sends []outcome
}

// outcome is the response that a client received for a part when it sent the change once.
type outcome struct {
	failed  *failure // nil if the part was done
	version int64    // version of the issue, if the part was done and the response has it
	// together reports that the change was sent twice at the same time.
	together bool
}

// done reports whether any response confirmed the part.
func (p *part) done() bool {
	for _, o := range p.sends {
		if o.failed == nil {
			return true
		}
	}
	return false
}

// refused reports whether every response said that nothing was done.
func (p *part) refused() bool {
	for _, o := range p.sends {
		if o.failed == nil || o.failed.unknown() {
			return false
		}
	}
	return true
}

// reading is a state of an issue that a client saw.
type reading struct {
	issue   *known
	version int64
	stamps  []int
	how     string
}

// must sends an operation that must succeed.
func (w *world) must(query string, input map[string]any, into any) {
	w.t.Helper()
	if f := w.ask(query, map[string]any{"i": input}, into); f != nil {
		w.t.Fatalf("%s: %v", query, f)
	}
}

func emptyWorld(t testing.TB, a *api, db *dynamo.DB) *world {
	return &world{api: a, t: t, db: db, issues: map[*project][]*known{}, births: map[int]*known{},
		done: map[string]int{}, stateIDs: map[*project][]string{}}
}

func (w *world) addTenant(name string) (id string) {
	w.t.Helper()
	var made struct {
		CreateTenant struct{ Tenant struct{ ID string } }
	}
	w.must(`mutation($i: CreateTenantInput!) { createTenant(input: $i) { tenant { id } } }`,
		map[string]any{"name": name}, &made)
	return made.CreateTenant.Tenant.ID
}

// newWorld creates the projects: one with a field of each type, one with the maximum number of fields, and
// one whose definition changes. Half of the fields have index entries of their empty values.
func newWorld(t testing.TB, a *api, db *dynamo.DB) *world {
	t.Helper()
	w := emptyWorld(t, a, db)
	id := w.addTenant("Chaos")
	w.addPeople(id)
	w.addProject(id, "NARROW", 1, 1, len(tracker.FieldTypes))
	w.addProject(id, "WIDE", 1, tracker.MaxFields-2)
	w.addProject(id, "FICKLE", 1, 3).fickle = true
	for _, kind := range []tracker.FieldType{tracker.TypeSelect, tracker.TypeText} {
		if f := w.addFickle(w.projects[2], kind, 0); f != nil {
			t.Fatal(f)
		}
	}
	return w
}

// addPeople creates the users and teams that can be assignees.
func (w *world) addPeople(tenant string) {
	w.t.Helper()
	var made struct {
		Made struct{ Made struct{ ID string } }
	}
	for n := range 6 {
		kind, name := "User", fmt.Sprint("Person ", n)
		if n >= 4 {
			kind = "Team"
		}
		w.must(fmt.Sprintf(`mutation($i: Create%sInput!) { made: create%[1]s(input: $i) { made: %s { id } } }`, kind,
			strings.ToLower(kind)), map[string]any{"tenantId": tenant, "name": name}, &made)
		w.people = append(w.people, person{made.Made.Made.ID, name})
	}
}

// addProject creates a project whose groups have the given numbers of fields, in addition to the birth group
// and the built-in columns.
func (w *world) addProject(tenant, key string, groups ...int) *project {
	w.t.Helper()
	var made struct {
		CreateProject struct {
			Project struct {
				ID     string
				States []struct{ ID, Name string }
			}
		}
	}
	shards := map[string]int{"NARROW": 7, "FICKLE": 2}[key]
	w.must(
		`mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id states { id name } } } }`,
		map[string]any{"tenantId": tenant, "key": key, "name": key, "shards": max(shards, 1),
			"states": []any{map[string]any{"name": "New", "open": true},
				map[string]any{"name": "Doing", "open": true},
				map[string]any{"name": "Done", "open": false}}}, &made)
	p := &project{id: made.CreateProject.Project.ID, key: key, groups: []group{nil},
		columns: map[string]*column{}, people: w.people}
	for _, s := range made.CreateProject.Project.States {
		p.states = append(p.states, s.Name)
		w.stateIDs[p] = append(w.stateIDs[p], s.ID)
	}
	p.birth = w.addColumn(p, tracker.TypeInteger)
	for _, n := range groups {
		g := group{w.addColumn(p, tracker.TypeInteger)}
		for len(g) < n {
			g = append(g, w.addColumn(p, tracker.FieldTypes[len(p.columns)%len(tracker.FieldTypes)]))
		}
		p.groups = append(p.groups, g)
	}
	w.projects = append(w.projects, p)
	t, id := w.stored(p)
	if err := t.CompleteEmpties(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
	d, err := t.Current(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	indexed := 0
	for _, f := range d.Fields {
		if d.IndexesEmpties(f.ID.Column()) {
			indexed++
		}
	}
	if indexed < len(d.Fields)/3 {
		w.t.Fatalf("only %d of %d fields of %s have entries of their empty values", indexed, len(d.Fields),
			key)
	}
	return p
}

// stored returns the project as the package dynamo names it.
func (w *world) stored(p *project) (*dynamo.Tenant, tracker.ProjectID) {
	w.t.Helper()
	n, err := model.ParseProjectID(p.id)
	if err != nil {
		w.t.Fatal(err)
	}
	t, err := w.db.Tenant(n.Tenant)
	if err != nil {
		w.t.Fatal(err)
	}
	return t, n.Project
}

// addColumn adds a field. Each second one has index entries of its empty values, if its type can.
func (w *world) addColumn(p *project, kind tracker.FieldType) *column {
	w.t.Helper()
	c := &column{n: len(p.columns), kind: kind}
	name := fmt.Sprint("Field ", c.n)
	var f *field
	var failed *failure
	if c.n%2 == 1 && kind.Indexed() {
		f = w.addIndexed(p, name, kind)
	} else if f, failed = w.addField(p, name, kind); failed != nil {
		w.t.Fatal(failed)
	}
	for _, o := range f.Options {
		c.options = append(c.options, o.ID)
	}
	c.id = f.ID
	p.columns[c.id] = c
	return c
}

// addIndexed adds a field with index entries of its empty values, as an import does.
func (w *world) addIndexed(p *project, name string, kind tracker.FieldType) *field {
	w.t.Helper()
	f := tracker.Field{Name: name, Type: kind, Empties: tracker.EmptiesBuilding}
	if kind.HasOptions() {
		for _, o := range optionNames {
			f.Options = append(f.Options, tracker.Option{ID: tracker.OptionID(strings.ToLower(o)), Name: o})
		}
	}
	t, id := w.stored(p)
	made, err := t.CreateField(w.t.Context(), id, f)
	if err != nil {
		w.t.Fatal(err)
	}
	out := &field{ID: model.FieldNodeID(t.ID(), id, made.ID), Name: name, Type: kind}
	for _, o := range made.Options {
		option := model.OptionID(t.ID(), id, made.ID, o.ID)
		out.Options = append(out.Options, struct{ ID, Name string }{option, o.Name})
	}
	return out
}

// optionNames are the names of the options of fields.
var optionNames = []string{"One", "Two", "Three", "Four"}

// field is the definition of a field.
type field struct {
	ID, Name string
	Type     tracker.FieldType
	Options  []struct{ ID, Name string }
}

func (w *world) addField(p *project, name string, kind tracker.FieldType) (*field, *failure) {
	in := map[string]any{"projectId": p.id, "name": name, "type": kind}
	if kind.HasOptions() {
		var options []any
		for _, o := range optionNames {
			options = append(options, map[string]any{"name": o})
		}
		in["options"] = options
	}
	var made struct {
		CreateCustomField struct{ Field *field }
	}
	failed := w.ask(
		`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id name type options { id name } } } }`,
		map[string]any{"i": in}, &made)
	return made.CreateCustomField.Field, failed
}

// ficklePrefix is the name prefix of fields whose definitions change. They are in no group.
const ficklePrefix = "Fickle "

func (w *world) addFickle(p *project, kind tracker.FieldType, n int) *failure {
	_, failed := w.addField(p, fmt.Sprint(ficklePrefix, n, kind), kind)
	return failed
}

// nextStamp reserves n stamps and returns the first.
func (w *world) nextStamp(n int) int { return int(w.stamp.Add(int64(n))) - n + 1 }

// note counts an outcome.
func (w *world) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[what]++
}

// learn returns the known issue with the ID and adds it if necessary.
func (w *world) learn(p *project, id string) *known {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.issues[p] {
		if k.id == id {
			return k
		}
	}
	k := &known{project: p, id: id}
	w.issues[p] = append(w.issues[p], k)
	return k
}

// bears records the stamp that created an issue.
func (w *world) bears(k *known, stamp string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n, err := strconv.Atoi(stamp); err == nil {
		w.births[n] = k
	}
}

// bornBy returns the issue that a stamp created, or nil if no client has seen it.
func (w *world) bornBy(stamp int) *known {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.births[stamp]
}

// some draws up to n distinct issues of a project. Most are recent, so that clients conflict.
func (w *world) some(rng *rand.Rand, p *project, n int) []*known {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.issues[p]
	near := 6
	if rng.IntN(10) == 0 {
		near = len(all)
	}
	var out []*known
	for _, i := range rng.Perm(min(near, len(all))) {
		if k := all[len(all)-1-i]; len(out) < n && (k.purges.Load() == 0 || rng.IntN(10) == 0) {
			out = append(out, k)
		}
	}
	return out
}

// sent records a change that is sent.
func (w *world) sent(c *change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, c)
}
