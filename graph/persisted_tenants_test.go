package graph_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/graph"
	"issuegrid/session"
	"issuegrid/tracker"
)

// TestPersistedQueriesOfTenants: a tenant finds by their hashes what it has sent itself, and nobody else's queries.
func TestPersistedQueriesOfTenants(t *testing.T) {
	s := load(t)
	var asking tracker.Principal // of the request that is under way
	l := graph.DefaultLimits()
	l.PersistedQueries = 10
	web := httptest.NewServer(graph.NewHandler(session.On(s.db, func(context.Context) tracker.Principal { return asking }, 0, nil), graph.Options{Limits: l}))
	t.Cleanup(web.Close)
	s = &server{Server: web, db: s.db, wire: s.wire, settings: s.settings}

	a, b := tracker.Principal{Tenant: "aaa", User: "ann", Role: tracker.Reader}, tracker.Principal{Tenant: "bbb", User: "bob", Role: tracker.Admin}
	alsoA := tracker.Principal{Tenant: "aaa", User: "another", Role: tracker.Editor}
	nobody, operator := tracker.Principal{Role: tracker.Operator}, tracker.Principal{Tenant: "aaa", User: "olga", Role: tracker.Operator}
	text := func(n int) string { return fmt.Sprintf("query Q%d { __typename }", n) }
	send := func(p tracker.Principal, n int) {
		t.Helper()
		asking = p
		isAnswer(t, s.requested(t, map[string]any{"query": text(n), "extensions": hashed(sha(text(n)))}), `{"__typename":"Query"}`, "", "")
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
	for n := range 100 { // which is far more than there are places
		send(a, 100+n)
	}
	knows(b, 1, true)
	knows(operator, 2, true)
	knows(a, 199, true)
	knows(a, 1, false)
}

// TestShareOfPersistedQueries: whatever tenants send, the bounds hold, and no tenant loses a query to others while it has no more than its share.
func TestShareOfPersistedQueries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queries, bytes := rapid.IntRange(1, 12).Draw(t, "queries"), rapid.IntRange(1, 100).Draw(t, "bytes")
		c := graph.NewTenantCache(queries, bytes)
		type kept struct{ tenant, hash string }
		texts := map[kept]string{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			adding := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "tenant")
			hash, text := fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "hash")), strings.Repeat("x", rapid.IntRange(1, 40).Draw(t, "length"))
			_, known := texts[kept{adding, hash}]
			before := texts
			count, length, holders := map[string]int{}, map[string]int{}, map[string]bool{adding: true}
			for k, text := range before {
				count[k.tenant]++
				length[k.tenant] += len(text)
				holders[k.tenant] = true
			}
			c.Add(tracker.TenantID(adding), hash, text)
			if !known && len(text) <= bytes {
				before[kept{adding, hash}] = text
			}
			texts = map[kept]string{}
			all, size := 0, 0
			for k, text := range before {
				got, ok := c.Get(tracker.TenantID(k.tenant), k.hash)
				if ok && got != text {
					t.Fatalf("%v has another text", k)
				}
				if ok {
					texts[k] = text
					all, size = all+1, size+len(text)
					continue
				}
				if k.tenant != adding && count[k.tenant]*len(holders) <= queries && length[k.tenant]*len(holders) <= bytes {
					t.Fatalf("%s has lost %s to %s; it had %d of %d queries and %d of %d bytes, and there were %d tenants", k.tenant, k.hash, adding, count[k.tenant], queries, length[k.tenant], bytes, len(holders))
				}
			}
			if n, b := c.Sizes(); n != all || b != size || n > queries || b > bytes {
				t.Fatalf("%d queries of %d bytes are counted, and there are %d of %d; the limits are %d and %d", n, b, all, size, queries, bytes)
			}
		}
	})
}
