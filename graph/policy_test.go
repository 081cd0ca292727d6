package graph_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// recorder records the authorization of the requests on a wire. The table is called issuegrid there, as in
// the documentation.
type recorder struct {
	mu       sync.Mutex
	table    string
	accesses []access
	requests int
	unknown  []error
}

func (r *recorder) intercept(request *dynamotest.Request,
	send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	all, err := accesses(request.Operation, request.Body)
	r.mu.Lock()
	r.requests++
	if err != nil {
		r.unknown = append(r.unknown, err)
	}
	for _, a := range all {
		a.resource = strings.Replace(a.resource, ":table/"+r.table, ":table/issuegrid", 1)
		r.accesses = append(r.accesses, a)
	}
	r.mu.Unlock()
	return send(request)
}

// take returns what was recorded since its last call.
func (r *recorder) take(t *testing.T) (all []access, requests int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.unknown {
		t.Error(err)
	}
	all, requests = r.accesses, r.requests
	r.accesses, r.requests, r.unknown = nil, 0, nil
	return all, requests
}

// rights returns the actions that accesses need, with the suffix " on index/grid" for those on the index.
func rights(t *testing.T, all []access) []string {
	t.Helper()
	set := map[string]bool{}
	for _, a := range all {
		_, on, ok := strings.Cut(a.resource, ":table/issuegrid")
		if !ok {
			t.Errorf("%s on %s", a.action, a.resource)
		}
		if on != "" {
			on = " on " + on[1:]
		}
		set[a.action+on] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// workOf does the work of a tenant's users: they set up a project, and read, sort, filter, change, delete and
// restore its issues. Then it uses every field of the schema with the IDs of the tenant's own things, those
// that delete them last.
func workOf(t *testing.T, me *server, tenant string) (project string) {
	t.Helper()
	w := me.worldOf(t, tenant, "OWN")
	var ids []string
	for n := range 5 {
		ids = append(ids, w.createOf(t,
			map[string]any{"name": fmt.Sprint(n), "description": strings.Repeat("long ", 200*n),
				"values": w.inputs(w.full())}).ID)
	}
	w.create(t, "without values", nil)
	me.mutate(t, createMany, map[string]any{"projectId": w.project,
		"issues": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}})
	me.mutate(t, updateOne, map[string]any{"id": ids[0], "name": "new",
		"values": []any{w.given(tracker.TypeTags, []string{"x"})}, "idempotencyKey": "once-and-no-more"})
	me.mutate(t, updateMany, map[string]any{"issues": changes(ids[1:3],
		map[string]any{"stateId": w.states[1], "description": ""})})
	me.mutate(t, deleteOne, map[string]any{"id": ids[3]})
	me.mutate(t, restoreOne, map[string]any{"id": ids[3]})
	me.mutate(t, deleteMany, map[string]any{"issues": changes(ids[3:4], nil)})
	me.mutate(t, deleteOne, map[string]any{"id": ids[3], "permanently": true})
	me.mutate(t, deleteOne, map[string]any{"id": ids[4]})
	me.mutate(t, trashProject, map[string]any{"id": w.project})
	me.mutate(t, untrashProject, map[string]any{"id": w.project})

	options := w.options[tracker.TypeSelect]
	filters := map[tracker.FieldType]any{
		tracker.TypeText:     map[string]any{"eq": "a text"},
		tracker.TypeLongText: map[string]any{"contains": "long"},
		tracker.TypeInteger:  map[string]any{"lt": "0"},
		tracker.TypeNumber:   map[string]any{"gte": 1}, tracker.TypeDate: map[string]any{"gt": "2024-01-01"},
		tracker.TypeDateTime:    map[string]any{"lt": "2025-01-01T00:00:00Z"},
		tracker.TypeBoolean:     map[string]any{"eq": false},
		tracker.TypeSelect:      map[string]any{"inIds": options[:2]},
		tracker.TypeMultiSelect: map[string]any{"hasAnyIds": w.options[tracker.TypeMultiSelect][:1]},
		tracker.TypeTags:        map[string]any{"hasAll": []string{"a"}},
		tracker.TypeUser:        map[string]any{"eq": "Zoë"},
	}
	wheres := []map[string]any{nil, {"state": map[string]any{"eqId": w.states[0]}},
		{"name": map[string]any{"contains": "e"}}, {"num": map[string]any{"gt": 2}}}
	columns := []map[string]any{{"builtin": "NUM"}, {"builtin": "NAME"}, {"builtin": "STATE"},
		{"builtin": "CREATED_AT"}, {"builtin": "UPDATED_AT"}}
	for _, kind := range tracker.FieldTypes {
		field := map[string]any{"fieldId": w.fields[kind]}
		if kind.Sortable() {
			columns = append(columns, field)
		}
		wheres = append(wheres, map[string]any{
			"fields": []any{map[string]any{"fieldId": w.fields[kind], members[kind]: filters[kind]}}},
			map[string]any{"fields": []any{map[string]any{"fieldId": w.fields[kind], "isNull": true}}})
	}
	for n, column := range columns {
		for m, where := range wheres {
			if (m+n)%3 > 0 { // all orders and filters, in two thirds of their pairs
				continue
			}
			given := map[string]any{"id": w.project, "where": where, "first": 1,
				"by": []any{map[string]any{"column": column,
					"direction": []string{"ASC", "DESC"}[n/3%2], "nulls": []string{"LAST", "FIRST"}[n%2]}}}
			var page filteredPage
			me.data(t, filteredQuery, given, &page)
			given["after"] = page.Project.Issues.PageInfo.EndCursor
			me.data(t, filteredQuery, given, &page)
		}
	}

	a := &asker{schema: schemaFile(t),
		own: map[string]string{"tenant": w.tenant, "project": w.project, "field": w.fields[tracker.TypeText],
			"issue": ids[0],
			"state": w.states[0], "option": options[0], "deleted": ids[4]}}
	places := a.places()
	for _, d := range ofOurs(a.schema) {
		for _, f := range d.Fields {
			if len(f.Arguments) == 0 && (d.Name == "Query" || d.Name == "Tenant" || d.Name == "Project" ||
				d.Name == "Issue") {
				places = append(places, place{of: d, field: f})
			}
		}
	}
	later := func(p place) int { // mutations come last, and those that delete after the others
		if p.of.Name != "Mutation" {
			return 0
		}
		return 1 + strings.Count(p.field.Name, "delete")
	}
	slices.SortStableFunc(places, func(a, b place) int { return later(a) - later(b) })
	for _, p := range places {
		for _, id := range a.own {
			query := a.plainly(t, p)
			if len(p.path) > 0 {
				query = a.request(t, p, id)
			}
			if answer := me.ask(t, query, nil); answer.Data == nil && answer.Errors == nil {
				t.Errorf("%s has no answer", query)
			}
		}
	}
	me.mutate(t, trashProject, map[string]any{"id": w.project, "permanently": true,
		"confirm": "OWN"}) // trashed
	return w.project
}

// tenantPolicy returns the policy of the documentation.
func tenantPolicy(t *testing.T) policy {
	t.Helper()
	text, err := os.ReadFile("../deploy/tenant-policy.json")
	page, pageErr := os.ReadFile("../docs/dynamodb.md")
	if err := errors.Join(err, pageErr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```json\n"+string(text)+"```") {
		t.Error("docs/dynamodb.md does not show an exact copy of deploy/tenant-policy.json")
	}
	p, err := parsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTenantPolicy evaluates the policy for every request of a tenant's session. Each is allowed; it is
// denied with a key of another tenant, on another table, or as another action. The policy allows nothing that
// no session needs.
func TestTenantPolicy(t *testing.T) {
	p := tenantPolicy(t)
	s := newServer(t)
	id, admin := ownTenant(t, s)
	r := &recorder{table: s.db.Table()}
	s.wire.Intercept(r.intercept)
	workOf(t, admin, id)
	all, requests := r.take(t)

	tenant := string(tenantID(t, id))
	wants := func(why string, want bool, a access, tag string) {
		t.Helper()
		if ok, err := p.allows(a, map[string]string{"tenant": tag}); err != nil || ok != want {
			t.Errorf("%s: %s on %s of %q as %s: %t, %v, want %t", why, a.action, a.resource, a.leading, tag,
				ok, err, want)
		}
	}
	looked := map[string]access{}
	for _, a := range all {
		looked[fmt.Sprint(a)] = a
	}
	for _, a := range looked {
		wants("a request of the session", true, a, tenant)
		for _, other := range []string{"rival", tenant + "0", tenant[:len(tenant)-1], ""} {
			wants("as another tenant", false, a, other)
			for i := range a.leading {
				foreign := a
				foreign.leading = slices.Clone(a.leading)
				foreign.leading[i] = other + strings.TrimPrefix(a.leading[i], tenant)
				wants("with a key of another tenant", false, foreign, tenant)
			}
		}
		without := a
		without.leading = nil
		wants("without a key", false, without, tenant)
		elsewhere := a
		elsewhere.resource = strings.Replace(a.resource, "table/issuegrid", "table/issuegrid2", 1)
		wants("on another table", false, elsewhere, tenant)
		for _, action := range []string{"Scan", "PartiQLSelect", "GetRecords", "DeleteTable",
			"ExportTableToPointInTime"} {
			other := a
			other.action = "dynamodb:" + action
			wants("another action", false, other, tenant)
		}
	}
	const table = "arn:aws:dynamodb:eu-central-1:111122223333:table/issuegrid"
	wants("all tenants", false, access{"dynamodb:Query", table + "/index/grid", []string{"tenants"}}, tenant)
	for _, action := range []string{"Scan", "DescribeTable", "GetItem"} {
		wants("what no session does", false, access{"dynamodb:" + action, table, nil}, tenant)
		wants("what no session does", false, access{"dynamodb:" + action, table, []string{tenant + "/x"}},
			tenant)
	}
	var granted []access
	for _, statement := range p.Statement {
		for _, action := range statement.Action {
			granted = append(granted, access{action: action, resource: statement.Resource[0]})
		}
	}
	same(t, "what the policy grants and what sessions need", rights(t, granted), rights(t, all))
	if requests < 500 {
		t.Errorf("only %d requests", requests)
	}
	t.Logf("%d requests, authorised as %d, %d of them different", requests, len(all), len(looked))
}
