package graph_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

// TestParsedQueriesOfTenants checks that a parsed query stays in the cache of its tenant, regardless of the
// number of queries that another tenant sends.
func TestParsedQueriesOfTenants(t *testing.T) {
	s := load(t)
	var asking tracker.Principal
	handler := graph.NewHandler(session.NewFactory(s.db, func(context.Context) tracker.Principal {
		return asking
	}, nil))
	spent := func(p tracker.Principal, query string) time.Duration {
		t.Helper()
		asking = p
		a := account.New(p.Tenant, account.Limits{}, nil, nil)
		defer a.Close()
		r := httptest.NewRequestWithContext(account.With(t.Context(), a), http.MethodPost, "/graphql",
			strings.NewReader(fmt.Sprintf(`{"query": %q}`, query)))
		r.Header.Set("Content-Type", jsonType)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Body.String(); got != `{"data":{"__typename":"Query"}}` {
			t.Fatalf("the response is %s", got)
		}
		return a.CPU()
	}
	quiet, noisy := tracker.Principal{Tenant: "aaa", User: "ann", Role: tracker.Reader},
		tracker.Principal{Tenant: "bbb", User: "bob", Role: tracker.Reader}
	query := "{ __typename } # " + strings.Repeat("x", 2000)
	parsed, known := spent(quiet, query), spent(quiet, query)
	if known >= parsed {
		t.Fatalf("parsing and running takes %s, and running takes %s", parsed, known)
	}
	for n := range 900 { // exceed the cache in bytes
		spent(noisy, fmt.Sprintf("{ __typename } # %d %s", n, strings.Repeat("x", 1000)))
	}
	if now := spent(quiet, query); now != known {
		t.Errorf("the query takes %s after the queries of another tenant, %s before", now, known)
	}
	if now := spent(noisy, query); now != known {
		t.Errorf("the same query takes %s for another tenant, want %s", now, known)
	}
}
