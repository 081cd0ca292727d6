package graph_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph"
	"issuegrid/internal/operation"
	"issuegrid/tracker"
)

// TestObserver checks that the operation describes every GraphQL response, including refusals, and nothing
// else, and knows what it has cost.
func TestObserver(t *testing.T) {
	s := newServer(t)
	for name, test := range map[string]struct {
		body string
		want operation.Response
	}{
		"a query": {`{"query": "query Mine {viewer {userName}}"}`,
			operation.Response{Type: "query", Name: "Mine"}},
		"one of several": {
			`{"query": "query A {__typename} mutation B {__typename}", "operationName": "B"}`,
			operation.Response{Type: "mutation", Name: "B"}},
		"field errors": {
			`{"query": "{a: tenant(id: \"VG5vbmU\") {name} b: tenant(id: \"VG5vbmU\") {name}}"}`,
			operation.Response{Type: "query",
				Codes: []tracker.Code{tracker.NotFound, tracker.NotFound}}},
		"errors of payloads": {
			`{"query": "mutation M {a: createTenant(input: {name: \"\"}) {errors {code}} b: updateTenant(input: {id: \"x\", name: \"x\"}) {errors {code}}}"}`,
			operation.Response{Type: "mutation", Name: "M",
				Codes: []tracker.Code{tracker.BadInput, tracker.NotFound}}},
		"an unknown field": {`{"query": "query Wrong {nothing}"}`,
			operation.Response{Codes: []tracker.Code{tracker.BadInput}}},
		"too expensive": {
			`{"query": "query Dear {tenants(first: 100) {nodes {projects(first: 100) {nodes {id deletedIssues(first: 100) {nodes {issueId}}}}}}}"}`,
			operation.Response{Type: "query", Name: "Dear", Codes: []tracker.Code{tracker.BadInput}}},
		"an unknown operation": {`{"query": "query A {__typename}", "operationName": "C"}`,
			operation.Response{Codes: []tracker.Code{tracker.BadInput}}},
		"a variable": {`{"query": "query V($id: ID!) {tenant(id: $id) {name}}"}`,
			operation.Response{Type: "query", Name: "V", Codes: []tracker.Code{tracker.BadInput}}},
		"a variable of a wrong kind": {
			`{"query": "query V($id: ID!) {tenant(id: $id) {name}}", "variables": {"id": true}}`,
			operation.Response{Type: "query", Name: "V", Codes: []tracker.Code{tracker.BadInput}}},
		"not a GraphQL request": {`{"variables": {}}`, operation.Response{}},
		"not JSON":              {`hunter2`, operation.Response{}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, o := operation.Of(t.Context())
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql",
				strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(graph.CostHeader, "1")
			w := httptest.NewRecorder()
			handler(s.db).ServeHTTP(w, r)
			if diff := cmp.Diff(test.want, o.Response); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, w.Body)
			}
			if cost := o.Cost(); len(cost.Calls) > 0 &&
				!strings.Contains(w.Body.String(), fmt.Sprintf(`"rcu":%v,`, cost.RCU)) {
				t.Errorf("cost %+v of %s", cost, w.Body)
			}
		})
	}
}
