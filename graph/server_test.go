package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/session"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestMain discards the log of the server; see logged.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	tier.Parallel()
	dynamotest.Main(m)
}

// handler returns the GraphQL handler of a table.
func handler(db *dynamo.DB) http.Handler { return graph.NewHandler(sessions(db)) }

// sessions returns a function that begins a session on a table for the principal in the context.
func sessions(db *dynamo.DB) func(context.Context) *graph.Session {
	return session.NewFactory(db, session.Anonymous, nil)
}

// server is the API over HTTP, with its table and the wire to the engine.
type server struct {
	*httptest.Server
	db       *dynamo.DB
	wire     *dynamotest.Wire
	settings dynamo.Settings // of the table
}

// newServer starts the API on a new table. Definitions are cached for longer than any test takes, so that
// calls can be counted, and references to what does not exist are looked up again at once, because tests send
// many of them. It makes the test run in parallel with others; see alone.
func newServer(t testing.TB, options ...func(*dynamo.Settings)) *server {
	t.Helper()
	return newServers(t, 1, options...)
}

// onServers runs a test with one server, and with two. Tests that two servers can break use it: changes of
// definitions, which each server caches, and jobs, which any server runs.
func onServers(t *testing.T, test func(t *testing.T, servers int)) {
	t.Run("one server", func(t *testing.T) { test(t, 1) })
	t.Run("two servers", func(t *testing.T) { test(t, 2) })
}

// newServers starts the API on a new table with several servers, which take turns. What one of several has
// changed is seen by the others at once. It makes the test run in parallel with others.
func newServers(t testing.TB, servers int, options ...func(*dynamo.Settings)) *server {
	t.Helper()
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	return start(t, servers, options...)
}

// alone is newServer for tests that read what the whole process does, such as its log or its memory. It runs
// while no other test runs.
func alone(t testing.TB, options ...func(*dynamo.Settings)) *server {
	t.Helper()
	return start(t, 1, options...)
}

// start starts servers on a new table, and leaves it to the caller whether the test runs in parallel.
func start(t testing.TB, servers int, options ...func(*dynamo.Settings)) *server {
	t.Helper()
	s := &server{}
	s.db, s.wire = dynamotest.Open(t, append([]func(*dynamo.Settings){func(s *dynamo.Settings) {
		s.DefinitionTTL, s.RenewEvery = time.Hour, time.Nanosecond
		if servers > 1 {
			s.DefinitionTTL = time.Nanosecond
		}
	}}, append(options, func(given *dynamo.Settings) { s.settings = *given })...)...)
	all := []http.Handler{handler(s.db)}
	for range servers - 1 {
		another, err := dynamo.Open(context.Background(), s.settings)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, handler(another))
	}
	var requests atomic.Int64
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all[int(requests.Add(1))%len(all)].ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// answer is a response as clients decode it.
type answer struct {
	Data       json.RawMessage `json:"data"`
	Errors     []apiError      `json:"errors"`
	Extensions struct {
		Cost *shownCost `json:"cost"`
	} `json:"extensions"`
}

// shownCost is extensions.cost as clients decode it.
type shownCost struct {
	account.Cost
	StoppedPages int
}

// apiError is an error as clients decode it.
type apiError struct {
	Message    string         `json:"message"`
	Path       []any          `json:"path"`
	Extensions map[string]any `json:"extensions"`
}

// String returns the message after the path of the argument, if there is one.
func (e apiError) String() string {
	if argument, ok := e.Extensions["argument"]; ok {
		return fmt.Sprint(argument, ": ", e.Message)
	}
	return e.Message
}

// resultErrors selects the errors in the results of a bulk mutation.
const resultErrors = `results { errors { code message argument } }`

// refusals returns the errors of an answer, including those in the results of a bulk mutation.
func (a answer) refusals() []apiError {
	type inPayload struct{ Code, Message, Argument string }
	var data map[string]*struct {
		Errors  []inPayload
		Results []struct{ Errors []inPayload }
	}
	if err := json.Unmarshal(a.Data, &data); err != nil {
		return a.Errors
	}
	all := slices.Clone(a.Errors)
	for _, payload := range data {
		if payload == nil {
			continue
		}
		in := payload.Errors
		for _, r := range payload.Results {
			in = append(in, r.Errors...)
		}
		for _, e := range in {
			all = append(all, apiError{Message: e.Message,
				Extensions: map[string]any{"code": e.Code, "argument": e.Argument}})
		}
	}
	return all
}

// outcome returns the code of the only error of an answer, and the path of the argument that it is about,
// unless that only names the object that does not exist. It is empty without an error.
func (a answer) outcome() string {
	refusals := a.refusals()
	switch len(refusals) {
	case 0:
		return ""
	case 1:
		e := refusals[0].Extensions
		argument, _ := e["argument"].(string)
		if e["code"] == string(tracker.NotFound) && namesObject.MatchString(argument) {
			argument = ""
		}
		return strings.TrimSpace(fmt.Sprint(e["code"], " ", argument))
	}
	return fmt.Sprint(refusals)
}

// mutation returns the mutation of a name with the input $i.
func mutation(name, selection string) string {
	return fmt.Sprintf(`mutation($i: %s%sInput!) { %s(input: $i) { %s } }`, strings.ToUpper(name[:1]), name[1:],
		name, selection)
}

// askUntilTaken sends a mutation again as long as it fails because too many others competed with it.
func (s *server) askUntilTaken(t testing.TB, query string, variables map[string]any) answer {
	t.Helper()
	for {
		a := s.ask(t, query, variables)
		if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != "CONFLICT" {
			return a
		}
	}
}

// ask sends an operation and requests its cost.
func (s *server) ask(t testing.TB, query string, variables map[string]any) answer {
	t.Helper()
	return decode[answer](t, []byte(s.post(t, query, variables, graph.CostHeader, "1").body))
}

// data sends an operation that must succeed and decodes its data.
func (s *server) data(t testing.TB, query string, variables map[string]any, into any) answer {
	t.Helper()
	a := s.ask(t, query, variables)
	if len(a.Errors) > 0 {
		t.Fatalf("%s: %+v", query, a.Errors)
	}
	if err := json.Unmarshal(a.Data, into); err != nil {
		t.Fatal(err)
	}
	return a
}

// get sends an operation that must succeed, and decodes the part of its data at a path, such as
// project.issues.
func get[T any](t testing.TB, s *server, path, query string, variables map[string]any) T {
	t.Helper()
	var part json.RawMessage
	s.data(t, query, variables, &part)
	for name := range strings.SplitSeq(path, ".") {
		part = decode[map[string]json.RawMessage](t, part)[name]
	}
	return decode[T](t, part)
}

// do makes a mutation with the members of its input, and returns the string at a path of its payload, such as
// createIssue.issue.id.
func do(t testing.TB, s *server, path string, members ...any) string {
	t.Helper()
	names := strings.Split(path, ".")
	selection := strings.Join(names[1:], " { ") + strings.Repeat(" }", len(names)-2)
	return get[string](t, s, path, mutation(names[0], selection), input(nil, members...))
}
