package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// logged captures the log of a test.
func logged(t *testing.T) *lines {
	before := slog.Default()
	l := &lines{}
	slog.SetDefault(slog.New(slog.NewTextHandler(l, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return l
}

type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var internal = regexp.MustCompile(`^internal error; the server's log has more under the id ([A-Z2-7]{12})$`)

// isInternal checks that an error shows only an ID, and that the log has the details with that ID.
func isInternal(t *testing.T, l *lines, e apiError, cause string) {
	t.Helper()
	id := internal.FindStringSubmatch(e.Message)
	if id == nil || e.Extensions["code"] != string(tracker.InternalErr) || len(e.Extensions) != 1 {
		t.Fatalf("%+v", e)
	}
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, id[1]) {
			if !strings.Contains(line, cause) {
				t.Errorf("the log has for the id %s: %.500s", id[1], line)
			}
			return
		}
	}
	t.Errorf("the log does not have the id %s:\n%.1000s", id[1], l)
}

func TestUnavailable(t *testing.T) {
	projects := sample.Worked()
	bridge := &projects[0]
	projects[0].Issues[1].Description = tracker.Text(strings.Repeat("long ", 100))
	s := alone(t, grouped).load(t, projects...)
	project, issue := projectID(bridge), issueID(bridge, 0)
	grid := fmt.Sprintf(`{ project(id: %q) { name issues { nodes { num } } } }`, project)
	s.data(t, grid, nil, new(any)) // caches the definition

	// The message must not contain the engine's message or address.
	hidden := []string{"internal-detail", "Exception", "api error", "operation error", "127.0.0.1", "http",
		s.settings.Table, "StatusCode", "RequestID", "broken pipe", "credentials", "table create"}
	for _, c := range []struct {
		name, operation, fault, query string
		data                          string
		paths                         []string
	}{
		{"an issue", "BatchGetItem", "AccessDeniedException", fmt.Sprintf(`{ issue(id: %q) { num } }`, issue),
			`{"issue":null}`, []string{"[issue]"}},
		{"a tenant", "BatchGetItem", "AccessDeniedException",
			fmt.Sprintf(`{ tenant(id: %q) { name } }`, encoded("T0807")), `{"tenant":null}`,
			[]string{"[tenant]"}},
		{"the tenants", "Query", "AccessDeniedException", `{ tenants { nodes { name } } }`,
			`{"tenants":null}`,
			[]string{"[tenants]"}},
		{"the keys of a grid", "Query", "ResourceNotFoundException", grid,
			`{"project":{"name":"Forth Rail Bridge","issues":null}}`, []string{"[project issues]"}},
		{"the rows of a grid", "BatchGetItem", "AccessDeniedException", grid,
			`{"project":{"name":"Forth Rail Bridge","issues":null}}`, []string{"[project issues]"}},
		{"the count of a grid", "Query", "AccessDeniedException",
			fmt.Sprintf(`{ project(id: %q) { name issues { totalCount } } }`, project),
			`{"project":{"name":"Forth Rail Bridge","issues":{"totalCount":null}}}`,
			[]string{"[project issues totalCount]"}},
		{"nodes", "BatchGetItem", "AccessDeniedException",
			fmt.Sprintf(`{ nodes(ids: [%q, %q]) { id } }`, project, issue),
			fmt.Sprintf(`{"nodes":[{"id":%q},null]}`, project), []string{"[nodes 1]"}},
		{"one field of many", "BatchGetItem", "AccessDeniedException",
			fmt.Sprintf(`{ project(id: %q) { name } issue(id: %q) { num } }`, project, issue),
			`{"project":{"name":"Forth Rail Bridge"},"issue":null}`, []string{"[issue]"}},
		{"a new tenant", "TransactWriteItems", "AccessDeniedException",
			`mutation { createTenant(input: {name: "x"}) { tenant { id } } }`, `{"createTenant":null}`,
			[]string{"[createTenant]"}},
		{"a new tenant, with the errors of the payload", "TransactWriteItems", "AccessDeniedException",
			`mutation { createTenant(input: {name: "x"}) { tenant { id } errors { code } } }`,
			`{"createTenant":null}`, []string{"[createTenant]"}},
		{"a new issue", "UpdateItem", "AccessDeniedException",
			fmt.Sprintf(`mutation { createIssue(input: {projectId: %q, issue: {name: "x"}}) { issue { id } } }`,
				project), `{"createIssue":null}`, []string{"[createIssue]"}},
		{"throttled", "TransactWriteItems", "ProvisionedThroughputExceededException",
			fmt.Sprintf(`mutation { updateIssue(input: {issue: {id: %q, name: "y"}}) { issue { id } } }`,
				issue),
			`{"updateIssue":null}`, []string{"[updateIssue]"}},
		{"no connection", "BatchGetItem", "", fmt.Sprintf(`{ issue(id: %q) { num } }`, issue),
			`{"issue":null}`, []string{"[issue]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := logged(t)
			fault := dynamotest.Refuse(c.operation, c.fault)
			if c.fault == "" {
				fault = func(*dynamotest.Request,
					func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
					return &dynamotest.Response{Err: errors.New("broken pipe at 127.0.0.1")}
				}
			}
			s.wire.Intercept(fault)
			defer s.wire.Intercept(nil)
			a := s.ask(t, c.query, nil)
			var paths []string
			for _, e := range a.Errors {
				paths = append(paths, fmt.Sprint(e.Path))
				if e.Extensions["code"] != string(tracker.Unavailable) {
					t.Errorf("%+v", e)
				}
				for _, word := range hidden {
					if strings.Contains(e.Message, word) {
						t.Errorf("the message %q contains %q", e.Message, word)
					}
				}
			}
			same(t, "data", c.data, string(a.Data))
			same(t, "paths", c.paths, paths)
			if !strings.Contains(l.String(), "unavailable") {
				t.Errorf("the log does not have the cause: %s", l)
			}
		})
	}
	t.Run("createIssues", func(t *testing.T) {
		s.wire.Intercept(dynamotest.Refuse("TransactWriteItems", "AccessDeniedException"))
		defer s.wire.Intercept(nil)
		a := s.ask(t,
			fmt.Sprintf(`mutation { createIssues(input: {projectId: %q, issues: [{name: "x"}, {name: ""}]}) {
			results { issue { id } errors { code message argument } } } }`, project), nil)
		same(t, "data", `{"createIssues":{"results":[{"issue":null,"errors":[{"code":"UNAVAILABLE",`+
			`"message":"the database is unavailable; try again later","argument":null}]},`+
			`{"issue":null,"errors":[{"code":"BAD_USER_INPUT",`+
			`"message":"an issue's name must not be empty","argument":"input.issues[1].name"}]}]}}`,
			string(a.Data))
	})
	s.data(t, grid, nil, new(any)) // the engine works again
}

// TestOneRowDoesNotSpoilOthers checks that a part of a row that can't be read is null with an error, and that
// the other rows are complete.
func TestOneRowDoesNotSpoilOthers(t *testing.T) {
	projects := sample.Worked()
	bridge := &projects[0]
	long := strings.Repeat("long ", 100)
	for i := range bridge.Issues {
		bridge.Issues[i].Description = tracker.Text(long)
		bridge.Issues[i].Values["47e5"] = tracker.Text(long)
	}
	bridge.Issues[2].State = "unknown"
	s := load(t, projects...)
	id := string(bridge.Issues[1].ID.Issue)
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		a := send(r)
		if r.Operation == "BatchGetItem" {
			a.Body = lose(a.Body, "/issue-"+string(bridge.Project.ID)+"."+id, "/xtext-")
		}
		return a
	})
	for _, list := range []string{"nodes { %s }", "edges { node { %s } }"} {
		cells := fmt.Sprintf(
			`num description value(fieldId: %q) { display } values(fieldIds: [%q, %q]) { display }`,
			fieldID(bridge, "47e5"), fieldID(bridge, "3812"), fieldID(bridge, "47e5"))
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { issues { %s } } }`, projectID(bridge),
			fmt.Sprintf(list, cells)), nil)
		var want []string
		for _, i := range bridge.Issues {
			text, start := fmt.Sprintf(`{"display":%q}`, long), "null"
			if v := i.Values["3812"].Text(); v != "" {
				start = fmt.Sprintf(`{"display":%q}`, v)
			}
			row := fmt.Sprintf(`{"num":%d,"description":%q,"value":%[3]s,"values":[%s,%[3]s]}`, i.Num, long,
				text, start)
			if i.Num == 2 {
				row = fmt.Sprintf(`{"num":2,"description":null,"value":null,"values":[%s,null]}`, start)
			}
			if strings.HasPrefix(list, "edges") {
				row = `{"node":` + row + `}`
			}
			want = append(want, row)
		}
		name, _, _ := strings.Cut(list, " ")
		same(t, "data", fmt.Sprintf(`{"project":{"issues":{%q:[%s]}}}`, name, strings.Join(want, ",")),
			string(a.Data))
		at := "[project issues nodes 1 "
		if name == "edges" {
			at = "[project issues edges 1 node "
		}
		var errs []string
		for _, e := range a.Errors {
			errs = append(errs, fmt.Sprint(e.Path, e.Extensions["code"]))
		}
		slices.Sort(errs)
		same(t, "errors", []string{at + "description]INTERNAL", at + "value display]INTERNAL",
			at + "values 1 display]INTERNAL"}, errs)
	}
	t.Run("an unknown state is shown by its ID", func(t *testing.T) {
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { issues { nodes { state { id name open } } } } }`,
			projectID(bridge)), nil)
		state := func(name string, open bool) string {
			return fmt.Sprintf(`{"state":{"id":%q,"name":%q,"open":%t}}`, stateID(bridge, name), name, open)
		}
		same(t, "data", `{"project":{"issues":{"nodes":[`+state("open", true)+`,`+state("closed", false)+`,`+
			state("unknown", true)+`]}}}`, string(a.Data))
	})
}

// failing is a table whose writes fail with unexpected errors.
type failing struct {
	graph.Writes
	fail func() error
}

func (f failing) AllTenants(once *tracker.Once) graph.TenantsWrites {
	return failingTenants{f.Writes.AllTenants(once), f.fail}
}

type failingTenants struct {
	graph.TenantsWrites
	fail func() error
}

func (f failingTenants) NewTenant(ctx context.Context, t tracker.Tenant) (*tracker.Tenant, error) {
	if strings.HasPrefix(t.Name, "good") {
		return f.TenantsWrites.NewTenant(ctx, t)
	}
	return nil, f.fail()
}

func failingHandler(s *server, fail func() error) http.Handler {
	return graph.NewHandler(func(ctx context.Context) *graph.Session {
		session := sessions(s.db)(ctx)
		session.Writes = failing{session.Writes, fail}
		return session
	})
}

func TestInternalErrors(t *testing.T) {
	s := alone(t, grouped).load(t, sample.Worked()...)
	const secret = "secret state of the server"
	for name, fail := range map[string]func() error{
		"a panic":         func() error { panic(secret) },
		"a tracker error": func() error { return tracker.Internal(secret, errors.New("cause")) },
		"another error":   func() error { return errors.New(secret) },
		"a wrapped error": func() error { return fmt.Errorf("around: %w", errors.New(secret)) },
		"a wrapped tracker error": func() error {
			return fmt.Errorf("around: %w", tracker.Internal(secret, nil))
		},
		"a panic with an error": func() error { panic(errors.New(secret)) },
		"a panic that the runtime raises": func() error {
			var list []string
			return errors.New(list[len(secret)])
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := logged(t)
			f := s.over(t, failingHandler(s, fail))
			a := f.ask(t,
				`mutation { before: createTenant(input: {name: "good `+name+`"}) { tenant { name } } }`, nil)
			if len(a.Errors) > 0 {
				t.Fatalf("%+v", a.Errors)
			}
			a = f.ask(t, `mutation { createTenant(input: {name: "bad"}) { tenant { name } } }`, nil)
			if len(a.Errors) != 1 {
				t.Fatalf("%+v", a.Errors)
			}
			cause := secret
			if strings.HasSuffix(name, "runtime raises") {
				cause = "index out of range"
			}
			isInternal(t, l, a.Errors[0], cause)
			same(t, "path", []any{"createTenant"}, a.Errors[0].Path)
			if strings.HasPrefix(name, "a panic") && !strings.Contains(l.String(), "errors_test.go") {
				t.Error("the log does not have the stack of the panic")
			}
		})
	}

	t.Run("a panic before the operation begins", func(t *testing.T) {
		l := logged(t)
		h := graph.NewHandler(func(context.Context) *graph.Session { panic(secret) })
		body := serve(h, `{ __typename }`, nil)
		a := decode[answer](t, body)
		if len(a.Errors) != 1 {
			t.Fatalf("%s", body)
		}
		isInternal(t, l, a.Errors[0], secret)
	})

	t.Run("a timeout is not a defect", func(t *testing.T) {
		body := serve(failingHandler(s, func() error {
			return fmt.Errorf(secret+": %w", context.DeadlineExceeded)
		}), `mutation { createTenant(input: {name: "bad"}) { tenant { name } } }`, nil)
		a := decode[answer](t, body)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.Unavailable) ||
			strings.Contains(string(body), "secret") {
			t.Errorf("%s", body)
		}
	})

	t.Run("requests that the engine refuses", func(t *testing.T) {
		l := logged(t)
		s.wire.Intercept(dynamotest.Refuse("Query", "ValidationException"))
		defer s.wire.Intercept(nil)
		a := s.ask(t, `{ a: tenants(first: 1) { nodes { id } } b: tenants { nodes { id } } }`, nil)
		if len(a.Errors) != 2 || a.Errors[0].Message == a.Errors[1].Message { // each has an ID of its own
			t.Fatalf("%+v", a.Errors)
		}
		isInternal(t, l, a.Errors[0], "internal-detail of ValidationException")
	})
}

// TestClientThatGoesAway checks that a disconnected client is not logged as a defect of the server.
func TestClientThatGoesAway(t *testing.T) {
	projects := sample.Worked()
	s := alone(t, grouped).load(t, projects...)
	for _, c := range []struct{ name, query string }{
		{"before it begins", `{ tenants { nodes { name } } }`},
		{"from a query",
			fmt.Sprintf(
				`{ project(id: %q) { issues { nodes { num description } totalCount } } tenants { nodes { name } } }`,
				projectID(&projects[0]))},
		{"from a look-up", fmt.Sprintf(`{ issue(id: %q) { num } }`, issueID(&projects[0], 0))},
		{"from a change", fmt.Sprintf(
			`mutation { updateIssue(input: {issue: {id: %q, name: "x"}}) { issue { num } } }`,
			issueID(&projects[0], 0))},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := logged(t)
			ctx, leave := context.WithCancel(t.Context())
			if c.name == "before it begins" {
				leave()
			}
			s.wire.Intercept(func(r *dynamotest.Request,
				send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
				leave()
				return send(r)
			})
			defer s.wire.Intercept(nil)
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql",
				strings.NewReader(guardtest.Query(c.query, nil).Body))
			r.Header.Set("Content-Type", jsonType)
			w := httptest.NewRecorder()
			handler(s.db).ServeHTTP(w, r)
			if strings.Contains(l.String(), "internal error") || w.Code != http.StatusOK {
				t.Errorf("status %d; the log:\n%s", w.Code, l)
			}
		})
	}
	s.data(t, `{ tenants { nodes { name } } }`, nil, new(any)) // later requests work
}

// TestErrorCodes checks that the schema has all codes of errors, and no others.
func TestErrorCodes(t *testing.T) {
	codes := []tracker.Code{tracker.BadInput, tracker.NotFound, tracker.Conflict, tracker.Unauthenticated,
		tracker.Forbidden, tracker.RateLimited, tracker.Unavailable, tracker.InternalErr}
	for _, c := range codes {
		if !model.ErrorCode(c).IsValid() {
			t.Errorf("ErrorCode has no value %s", c)
		}
	}
	if len(model.AllErrorCode) != len(codes) {
		t.Errorf("ErrorCode is %v, want %v", model.AllErrorCode, codes)
	}
}

// TestSelectedErrors checks that errors of a mutation are in its payload if `errors` is selected in any way,
// and otherwise in the response.
func TestSelectedErrors(t *testing.T) {
	s := newServer(t)
	const inPayload = `{"createTenant":{"%s":[{"code":"BAD_USER_INPUT"}]}}`
	for _, test := range []struct{ selection, want string }{
		{"errors { code }", fmt.Sprintf(inPayload, "errors")},
		{"wrong: errors { code }", fmt.Sprintf(inPayload, "wrong")},
		{"errors @include(if: $on) { code }", fmt.Sprintf(inPayload, "errors")},
		{"errors @skip(if: $off) { code }", fmt.Sprintf(inPayload, "errors")},
		{"... @include(if: $on) { errors { code } }", fmt.Sprintf(inPayload, "errors")},
		{"... F", fmt.Sprintf(inPayload, "errors")},
		{"errors @include(if: $off) { code } tenant { id }", ""},
		{"... @skip(if: $on) { errors { code } } tenant { id }", ""},
		{"... F @skip(if: $on) tenant { id }", ""},
		{"tenant { id }", ""},
	} {
		query := `mutation($on: Boolean!, $off: Boolean!) { createTenant(input: {name: ""}) { ` + test.selection +
			` __typename @include(if: $off) __typename @skip(if: $on) } }`
		if strings.Contains(query, "... F") {
			query += " fragment F on CreateTenantPayload { errors { code } }"
		}
		a := s.ask(t, query, map[string]any{"on": true, "off": false})
		if test.want != "" {
			same(t, test.selection, test.want, string(a.Data))
			same(t, test.selection+": errors", 0, len(a.Errors))
			continue
		}
		same(t, test.selection, `{"createTenant":null}`, string(a.Data))
		same(t, test.selection+": errors", "BAD_USER_INPUT input.name", a.outcome())
	}
}
