package graph_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

const (
	notPersisted  = "PERSISTED_QUERY_NOT_FOUND"
	notPersisting = "PERSISTED_QUERY_NOT_SUPPORTED"
)

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// hashed returns the extensions of a persisted query.
func hashed(hash string) map[string]any {
	return map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}
}

// requested sends a request with the given members by POST.
func (s *server) requested(t *testing.T, members map[string]any) answer {
	t.Helper()
	a := s.send(t, http.MethodPost, "", guardtest.Request(members).Body, "Content-Type", jsonType)
	if a.status != http.StatusOK {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	return decode[answer](t, []byte(a.body))
}

// isAnswer checks that a response has data, or one error with a code and a string in its message.
func isAnswer(t *testing.T, a answer, data, code, says string) {
	t.Helper()
	if code == "" {
		if string(a.Data) != data || len(a.Errors) > 0 {
			t.Errorf("%s %+v, want %s", a.Data, a.Errors, data)
		}
		return
	}
	if len(a.Errors) != 1 || a.Data != nil || a.Errors[0].Extensions["code"] != code ||
		!strings.Contains(a.Errors[0].Message, says) {
		t.Errorf("%.200s %+v, want %s %q", a.Data, a.Errors, code, says)
	}
}

func TestPersistedQueries(t *testing.T) {
	s := load(t)
	const (
		text = "query A { __typename } query B($id: ID!) { node(id: $id) { id } }"
		data = `{"__typename":"Query"}`
	)
	unknown := func(t *testing.T, a answer) {
		t.Helper()
		isAnswer(t, a, "", notPersisted, "PersistedQueryNotFound")
	}
	ask := func(query, hash string) map[string]any {
		return map[string]any{"query": query, "operationName": "A", "extensions": hashed(hash)}
	}
	t.Run("by POST", func(t *testing.T) {
		s := s.serving(t, guard.Options{})
		unknown(t, s.requested(t, ask("", sha(text))))
		unknown(t, s.requested(t, map[string]any{"operationName": "A", "extensions": hashed(sha(text))}))
		isAnswer(t, s.requested(t, ask(text, sha(text))), data, "", "")
		isAnswer(t, s.requested(t, ask("", sha(text))), data, "", "")
		isAnswer(t, s.requested(t, ask(text, sha(text))), data, "", "")
		unknown(t, s.requested(t, ask("", sha(text)+"0")))
	})
	t.Run("by GET", func(t *testing.T) {
		s := s.serving(t, guard.Options{})
		get := func(query string) answer {
			extensions, _ := json.Marshal(hashed(sha(text)))
			v := url.Values{"operationName": {"A"}, "extensions": {string(extensions)}}
			if query != "" {
				v.Set("query", query)
			}
			return decode[answer](t, []byte(s.send(t, http.MethodGet, "?"+v.Encode(), "").body))
		}
		unknown(t, get(""))
		isAnswer(t, get(text), data, "", "")
		isAnswer(t, get(""), data, "", "")
		isAnswer(t, s.requested(t, ask("", sha(text))), data, "", "")
	})
	t.Run("the status", func(t *testing.T) {
		for accept, status := range map[string]int{jsonType: http.StatusOK,
			responseType: http.StatusBadRequest} {
			if a := s.send(t, http.MethodPost, "", guardtest.Request(ask("", sha(text))).Body, "Content-Type",
				jsonType, "Accept", accept); a.status != status {
				t.Errorf("%s: %d", accept, a.status)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		bad := string(tracker.BadInput)
		isAnswer(t, s.requested(t, ask(text, sha("{ __typename }"))), "", bad,
			"sha256Hash is not the SHA-256")
		isAnswer(t, s.requested(t, ask(text, strings.ToUpper(sha(text)))), "", bad,
			"sha256Hash is not the SHA-256")
		for says, extension := range map[string]any{"version must be 1": map[string]any{"version": 2,
			"sha256Hash": sha(text)}, "sha256Hash must be": map[string]any{
			"version": 1}, "persistedQuery.version": "hunter2", "version": []any{}} {
			for _, query := range []string{text, ""} {
				isAnswer(t, s.requested(t, map[string]any{"query": query, "operationName": "A",
					"extensions": map[string]any{"persistedQuery": extension}}), "", bad, says)
			}
		}
		isAnswer(t, s.requested(t, map[string]any{"query": "{ __typename }",
			"extensions": map[string]any{"persistedQuery": nil}}), data, "", "")
	})
	t.Run("only accepted queries are kept", func(t *testing.T) {
		s := s.serving(t, guard.Options{})
		for _, query := range []string{"{ nothing }", "{ __typename", "{ ...F } fragment F on Query { ...F }",
			"{" + strings.Repeat(" __typename", 20_000) + "}",
			`{ __type(name: "Issue") { ` + guardtest.Times(480, " a~: fields { name description args { name } }") +
				" } }"} {
			if a := s.requested(t, map[string]any{"query": query, "extensions": hashed(sha(query))}); len(
				a.Errors) == 0 {
				t.Fatalf("not refused: %.100s", query)
			}
			unknown(t, s.requested(t, map[string]any{"extensions": hashed(sha(query))}))
		}
	})
	t.Run("as many as fit", func(t *testing.T) {
		l := guard.DefaultLimits()
		l.PersistedQueries, l.PersistedBytes = 3, 100
		s := s.serving(t, guard.Options{Limits: l})
		known := func(queries ...string) (n int) {
			for _, q := range queries {
				if a := s.requested(t, map[string]any{"extensions": hashed(sha(q))}); len(a.Errors) == 0 {
					n++
				}
			}
			return n
		}
		send := func(queries ...string) {
			for _, q := range queries {
				a := s.requested(t, map[string]any{"query": q, "extensions": hashed(sha(q))})
				if len(a.Errors) > 0 {
					t.Fatal(a.Errors)
				}
			}
		}
		short := []string{"{ a: __typename }", "{ b: __typename }", "{ c: __typename }", "{ d: __typename }"}
		send(short...)
		if known(short[0]) != 0 || known(short[1:]...) != 3 {
			t.Error("the cache does not have the last 3 queries")
		}
		long := "{ __typename }" + strings.Repeat(" ", 60)
		send(long)
		if known(long, short[3]) != 2 || known(short[1], short[2]) != 0 {
			t.Error("the cache does not have exactly the last queries that fit into 100 bytes")
		}
		send(long + strings.Repeat(" ", 30))
		if known(long, short[3]) != 2 || known(long+strings.Repeat(" ", 30)) != 0 {
			t.Error("a query that is too large for the cache is kept or has displaced another")
		}
	})
	t.Run("none", func(t *testing.T) {
		l := guard.DefaultLimits()
		l.PersistedQueries = 0
		s := s.serving(t, guard.Options{Limits: l})
		for _, query := range []string{text, ""} {
			isAnswer(t, s.requested(t, ask(query, sha(text))), "", notPersisting,
				"PersistedQueryNotSupported")
		}
		isAnswer(t, s.requested(t, map[string]any{"query": "{ __typename }"}), data, "", "")
	})
}

const (
	listedQuery    = "query Kind { __typename }"
	listedMutation = `mutation Make { createTenant(input: {name: ""}) { tenant { id } } }`
)

func TestAllowedOperations(t *testing.T) {
	s := load(t)
	apollo := fmt.Sprintf(
		`{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "k", "name": "Kind", "type": "query", "body": %q}, {"id": "m", "name": "Make", "type": "mutation", "body": %q}]}`,
		listedQuery, listedMutation)
	relay := fmt.Sprintf(`{"k": %q, "m": %q}`, listedQuery, listedMutation)
	for name, manifest := range map[string]string{"Apollo": apollo, "Relay": relay} {
		t.Run(name, func(t *testing.T) {
			m, err := guard.ParseManifest([]byte(manifest), graph.Schema(), guard.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			s := s.serving(t, guard.Options{Allowed: m})
			for _, c := range []struct {
				name string
				ask  map[string]any
				runs bool
			}{
				{"by its id", map[string]any{"extensions": hashed("k")}, true},
				{"by its text", map[string]any{"query": listedQuery}, true},
				{"by both", map[string]any{"query": listedQuery, "extensions": hashed("k")}, true},
				{"by its id and name", map[string]any{"operationName": "Kind", "extensions": hashed("k")},
					true},
				{"another text", map[string]any{"query": "query Kind { __typename __typename }"}, false},
				{"another text with the id", map[string]any{"query": "{ __typename }",
					"extensions": hashed("k")}, false},
				{"the text of another id", map[string]any{"query": listedQuery, "extensions": hashed("m")},
					false},
				{"another id", map[string]any{"extensions": hashed("z")}, false},
				{"the hash of its text", map[string]any{"extensions": hashed(sha(listedQuery))}, false},
				{"a text with its hash", map[string]any{"query": "{ __typename }",
					"extensions": hashed(sha("{ __typename }"))}, false},
				{"introspection", map[string]any{"query": introspection}, false},
				{"a blank more", map[string]any{"query": listedQuery + " "}, false},
			} {
				a := s.requested(t, c.ask)
				if c.runs {
					isAnswer(t, a, `{"__typename":"Query"}`, "", "")
				} else {
					isAnswer(t, a, "", string(tracker.Forbidden), "only the operations of its list")
				}
			}
			if a := s.requested(t, map[string]any{"extensions": hashed("m")}); len(a.Errors) != 1 ||
				a.Errors[0].Extensions["argument"] != "input.name" {
				t.Errorf("the mutation was not run: %+v", a.Errors)
			}
			get := url.Values{"extensions": {`{"persistedQuery": {"version": 1, "sha256Hash": "m"}}`}}
			isRefusal(t, s.send(t, http.MethodGet, "?"+get.Encode(), ""), http.StatusMethodNotAllowed, "POST")
		})
	}
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v, want none", calls)
	}
}

// TestPersistedQueriesOfTenants checks that a tenant finds by its hash only a query that the tenant itself
// has sent.
func TestPersistedQueriesOfTenants(t *testing.T) {
	s := load(t)
	var asking tracker.Principal // of the current request
	l := guard.DefaultLimits()
	l.PersistedQueries = 10
	s = s.over(t, graph.NewHandler(
		session.NewFactory(s.db, func(context.Context) tracker.Principal { return asking }, nil),
		graph.Options{Options: guard.Options{Limits: l}}))
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
