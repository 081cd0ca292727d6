package graph_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/session"
	"issuegrid/tracker"
)

// TestPersistedQueriesOfTenants checks that a tenant finds by its hash only a query that the tenant itself
// has sent.
func TestPersistedQueriesOfTenants(t *testing.T) {
	s := load(t)
	var asking tracker.Principal // of the current request
	l := guard.DefaultLimits()
	l.PersistedQueries = 10
	web := httptest.NewServer(graph.NewHandler(
		session.NewFactory(s.db, func(context.Context) tracker.Principal {
			return asking
		}, nil, nil), graph.Options{Options: guard.Options{Limits: l}}))
	t.Cleanup(web.Close)
	s = &server{Server: web, db: s.db, wire: s.wire, settings: s.settings}

	a, b := tracker.Principal{Tenant: "aaa", User: "ann", Role: tracker.Reader},
		tracker.Principal{Tenant: "bbb", User: "bob", Role: tracker.Admin}
	alsoA := tracker.Principal{Tenant: "aaa", User: "another", Role: tracker.Editor}
	nobody, operator := tracker.Principal{Role: tracker.Operator},
		tracker.Principal{Tenant: "aaa", User: "olga", Role: tracker.Operator}
	text := func(n int) string { return fmt.Sprintf("query Q%d { __typename }", n) }
	send := func(p tracker.Principal, n int) {
		t.Helper()
		asking = p
		isAnswer(t, s.requested(t, map[string]any{"query": text(n), "extensions": hashed(sha(text(n)))}),
			`{"__typename":"Query"}`, "", "")
	}
	knows := func(p tracker.Principal, n int, want bool) {
		t.Helper()
		asking = p
		answer := s.requested(t, map[string]any{"extensions": hashed(sha(text(n)))})
		if want {
			isAnswer(t, answer, `{"__typename":"Query"}`, "", "")
		} else {
			isAnswer(t, answer, "", notPersisted, "PersistedQueryNotFound")
		}
	}
	send(a, 1)
	knows(a, 1, true)
	knows(alsoA, 1, true)
	for _, other := range []tracker.Principal{b, nobody, operator} {
		knows(other, 1, false)
	}
	send(operator, 2)
	knows(nobody, 2, true)
	knows(a, 2, false)
	send(b, 1)
	for n := range 100 { // far more than the cache holds
		send(a, 100+n)
	}
	knows(b, 1, true)
	knows(operator, 2, true)
	knows(a, 199, true)
	knows(a, 1, false)
}
