package graph_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"issuegrid/graph"
	"issuegrid/tracker"
)

// TestObserver checks that the observer receives every GraphQL response once, including refusals, and nothing
// else.
func TestObserver(t *testing.T) {
	s := newServer(t)
	for name, test := range map[string]struct {
		body string
		want []graph.Response
	}{
		"a query": {`{"query": "query Mine {viewer {user}}"}`,
			[]graph.Response{{Operation: "query", Name: "Mine"}}},
		"one of several": {
			`{"query": "query A {__typename} mutation B {__typename}", "operationName": "B"}`,
			[]graph.Response{{Operation: "mutation", Name: "B"}}},
		"field errors": {
			`{"query": "{a: tenant(id: \"VG5vbmU\") {name} b: tenant(id: \"VG5vbmU\") {name}}"}`,
			[]graph.Response{{Operation: "query",
				Codes: []tracker.Code{tracker.NotFound, tracker.NotFound}}}},
		"an unknown field": {`{"query": "query Wrong {nothing}"}`,
			[]graph.Response{{Codes: []tracker.Code{tracker.BadInput}}}},
		"too expensive": {
			`{"query": "query Dear {tenants(first: 100) {nodes {projects(first: 100) {nodes {id trash(first: 100) {nodes {issueId}}}}}}}"}`,
			[]graph.Response{{Operation: "query", Name: "Dear", Codes: []tracker.Code{tracker.BadInput}}}},
		"an unknown operation": {`{"query": "query A {__typename}", "operationName": "C"}`,
			[]graph.Response{{Codes: []tracker.Code{tracker.BadInput}}}},
		"a variable": {`{"query": "query V($id: ID!) {tenant(id: $id) {name}}"}`,
			[]graph.Response{{Operation: "query", Name: "V", Codes: []tracker.Code{tracker.BadInput}}}},
		"a variable of a wrong kind": {
			`{"query": "query V($id: ID!) {tenant(id: $id) {name}}", "variables": {"id": true}}`,
			[]graph.Response{{Operation: "query", Name: "V", Codes: []tracker.Code{tracker.BadInput}}}},
		"not a GraphQL request": {`{"variables": {}}`, nil},
		"not JSON":              {`hunter2`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []graph.Response
			ctx := graph.WithObserver(t.Context(), func(a graph.Response) { got = append(got, a) })
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql",
				strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(graph.CostHeader, "1")
			w := httptest.NewRecorder()
			handler(s.db).ServeHTTP(w, r)
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(graph.Response{}, "Cost")); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, w.Body)
			}
			if len(got) == 1 && len(got[0].Cost.Calls) > 0 &&
				!strings.Contains(w.Body.String(), fmt.Sprintf(`"rcu":%v,`, got[0].Cost.RCU)) {
				t.Errorf("cost %+v of %s", got[0].Cost, w.Body)
			}
		})
	}
}
