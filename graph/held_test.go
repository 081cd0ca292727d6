package graph_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

// held returns a handler of requests whose accounts share a memory.
func held(t *testing.T, memory account.Memory, limits account.Limits) (http.Handler, *[]*account.Account) {
	s := newServer(t)
	api := graph.NewHandler(session.NewFactory(s.db, session.Anonymous, nil))
	var all []*account.Account
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := account.New("", limits, memory, nil)
		defer a.Close()
		all = append(all, a)
		api.ServeHTTP(w, r.WithContext(account.With(r.Context(), a)))
	}), &all
}

// scarce is a memory with the given number of bytes left. It refuses instead of waiting.
type scarce struct{ left int64 }

func (s *scarce) Acquire(_ context.Context, _ tracker.TenantID, bytes int64, _ bool) error {
	if bytes > s.left {
		return &tracker.Error{Code: tracker.Unavailable, RetryAfter: 1e9, Message: "no memory left"}
	}
	s.left -= bytes
	return nil
}

func (s *scarce) Release(_ tracker.TenantID, bytes int64) { s.left += bytes }

// TestNoMemoryForRequests checks that a request is refused if there is no memory for its body or its query.
// The response has status 503, code UNAVAILABLE and a Retry-After header, for every media type that the
// client accepts, and the request releases its memory. A small request needs none.
func TestNoMemoryForRequests(t *testing.T) {
	body := fmt.Sprintf(`{"query": "{ __typename }", "variables": {"x": %q}}`, strings.Repeat("x", 100<<10))
	query := fmt.Sprintf(`{"query": "{ __typename } #%s"}`, strings.Repeat("x", 60<<10))
	small := `{"query": "{ __typename }"}`
	for _, c := range []struct {
		name, body string
		left       int64
		status     int
	}{
		{"a body", body, 300 << 10, http.StatusServiceUnavailable},
		{"a body, with memory", body, 4 << 20, http.StatusOK},
		{"a query", query, 900 << 10, http.StatusServiceUnavailable},
		{"a query, with memory", query, 8 << 20, http.StatusOK},
		{"a small request", small, 256 << 10, http.StatusOK},
	} {
		for _, media := range []string{"application/json", "application/graphql-response+json"} {
			t.Run(c.name+" "+media, func(t *testing.T) {
				m := &scarce{c.left}
				api, _ := held(t, m, account.Limits{})
				r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", media)
				w := httptest.NewRecorder()
				api.ServeHTTP(w, r)
				text, _ := io.ReadAll(w.Body)
				refused := strings.Contains(string(text), `"code":"UNAVAILABLE"`) &&
					w.Header().Get("Retry-After") == "1"
				if w.Code != c.status || refused != (c.status != http.StatusOK) {
					t.Errorf("status %d, %v, %s", w.Code, w.Header(), text)
				}
				if m.left != c.left {
					t.Errorf("%d bytes are left of %d", m.left, c.left)
				}
			})
		}
	}
}
