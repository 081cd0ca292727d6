package dynamo_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// calls returns functions that use the operations of the DynamoDB API, by name.
func calls(db *dynamo.DB, store *dynamo.Tenant,
	d *tracker.Definition) map[string]func(context.Context) error {
	issue := tracker.IssueID{Project: project, Issue: "i1"}
	return map[string]func(context.Context) error{
		"BatchGetItem": func(ctx context.Context) error {
			_, err := store.Issues(ctx, []tracker.IssueID{issue})
			return err
		},
		"BatchGetItem of a long text": func(ctx context.Context) error {
			_, errs := store.LongTexts(ctx,
				[]tracker.LongRef{{Issue: issue, Column: "flong",
					Long: tracker.Long{ID: "t1", Bytes: 300, Parts: 1}}})
			return errs[0]
		},
		"Query of the index": func(ctx context.Context) error {
			_, err := store.QueryKeys(ctx, dynamoQuery(project, tracker.ColumnNum, false))
			return err
		},
		"Query of a list": func(ctx context.Context) error {
			_, _, err := store.ProjectList().Page(ctx, dynamo.ListQuery{Limit: 3})
			return err
		},
		"Query of a definition": func(ctx context.Context) error {
			_, err := store.Definition(ctx, project)
			return err
		},
		"Query of an issue to delete": func(ctx context.Context) error {
			return store.DeleteIssue(ctx, issue, nil)
		},
		"TransactWriteItems": func(ctx context.Context) error {
			return db.CreateTenant(ctx, tracker.Tenant{ID: "new", Name: "x"})
		},
		"BatchWriteItem": func(ctx context.Context) error {
			return store.PutIssues(ctx, d, []tracker.Issue{{ID: issue, Num: 1, Name: "x", State: "open"}})
		},
		"UpdateItem of a number": func(ctx context.Context) error {
			_, err := store.ReserveNums(ctx, project, 1)
			return err
		},
		"UpdateItem of a counter": func(ctx context.Context) error {
			return store.RaiseCounter(ctx, project, 5)
		},
		"DescribeTable": func(ctx context.Context) error { return db.Ready(ctx) },
	}
}

// outcome holds the error of each call, by name.
type outcome map[string]error

// try makes all calls in parallel, because one that is throttled takes up to 4 s.
func try(ctx context.Context, t *testing.T, db *dynamo.DB) outcome {
	t.Helper()
	store, err := db.Tenant(acme)
	if err != nil {
		t.Error(err)
		return nil
	}
	out := outcome{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for name, call := range calls(db, store,
		tracker.NewDefinition(tracker.Project{ID: project, States: twoStates}, nil)) {
		all.Go(func() {
			err := call(ctx)
			mu.Lock()
			defer mu.Unlock()
			out[name] = err
		})
	}
	all.Wait()
	return out
}

// want checks the error of every call.
func (o outcome) want(t *testing.T, code tracker.Code, words ...string) {
	t.Helper()
	for name, err := range o {
		t.Run(name, func(t *testing.T) {
			wantCode(t, err, code, words...)
			if errors.Unwrap(err) == nil {
				t.Errorf("the error has no cause for the log: %v", err)
			}
		})
	}
}

func TestTableMissing(t *testing.T) {
	try(t.Context(), t, newDB(t)).want(t, tracker.Unavailable, "table does not exist", "table create")
}

func TestEngineNotReachable(t *testing.T) {
	t.Parallel() // the calls wait between attempts
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String()
	listener.Close()
	try(t.Context(), t, newDB(t, func(s *dynamo.Settings) {
		s.Endpoint = closed
	})).want(t, tracker.Unavailable, "did not respond")
}

func TestInvalidResponse(t *testing.T) {
	db := newDB(t, intercepted(func(*dynamotest.Request, dynamotest.Send) *dynamotest.Response {
		return &dynamotest.Response{Status: http.StatusOK, Body: []byte("<html>internal-detail</html>")}
	}))
	store, err := db.Tenant(acme)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Issues(t.Context(), []tracker.IssueID{{Project: project, Issue: "i1"}})
	if code := tracker.CodeOf(err); code != tracker.Unavailable && code != tracker.InternalErr {
		t.Errorf("code %q, want %q or %q", code, tracker.Unavailable, tracker.InternalErr)
	}
	wantCode(t, err, tracker.CodeOf(err))
}

// intercepted returns an option that passes all requests of a table through an interceptor.
func intercepted(f dynamotest.Interceptor) func(*dynamo.Settings) {
	return func(s *dynamo.Settings) {
		wire := s.Transport
		s.Transport = func(next http.RoundTripper) http.RoundTripper {
			w := wire(next).(*dynamotest.Wire)
			w.Intercept(f)
			return w
		}
	}
}

// TestRefusals checks how DynamoDB's errors are translated. Their details are only for the log.
func TestRefusals(t *testing.T) {
	t.Parallel() // the calls wait between attempts
	tests := []struct {
		code  string
		want  tracker.Code
		words string
	}{
		{"ProvisionedThroughputExceededException", tracker.Unavailable, "overloaded"},
		{"ThrottlingException", tracker.Unavailable, "overloaded"},
		{"RequestLimitExceeded", tracker.Unavailable, "overloaded"},
		{"InternalServerError", tracker.Unavailable, "overloaded"},
		{"ServiceUnavailable", tracker.Unavailable, "overloaded"},
		{"ResourceNotFoundException", tracker.Unavailable, "unavailable"},
		{"AccessDeniedException", tracker.Unavailable, "unavailable"},
		{"UnrecognizedClientException", tracker.Unavailable, "unavailable"},
		{"ExpiredTokenException", tracker.Unavailable, "unavailable"},
		{"TransactionInProgressException", tracker.Unavailable, "try again"},
		{"ValidationException", tracker.InternalErr, "refused"},
		{"SomethingNewException", tracker.InternalErr, "refused"},
	}
	outcomes := make([]outcome, len(tests))
	var all sync.WaitGroup
	for n, test := range tests {
		db := newDB(t, intercepted(dynamotest.Refuse("", test.code)))
		all.Go(func() { outcomes[n] = try(t.Context(), t, db) })
	}
	all.Wait()
	for n, test := range tests {
		t.Run(test.code, func(t *testing.T) { outcomes[n].want(t, test.want, test.words) })
	}
}

// TestSetupErrors checks that setup errors have details for the operator, which clients do not receive.
func TestSetupErrors(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"ResourceNotFoundException": "the table does not exist; `table create` creates it",
		"AccessDeniedException":     "the database refuses the server's credentials"} {
		err := newDB(t, intercepted(dynamotest.Refuse("", code))).Ready(t.Context())
		var setup *dynamo.SetupError
		if wantCode(t, err, tracker.Unavailable, "unavailable"); !errors.As(err, &setup) ||
			setup.Message != want || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestCancelledRequests(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	expired, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for name, ctx := range map[string]context.Context{"cancelled": cancelled, "expired": expired} {
		t.Run(name, func(t *testing.T) {
			try(ctx, t, newDB(t)).want(t, tracker.Unavailable, "canceled or timed out")
		})
	}
	t.Run("while a batch waits for its next attempt", func(t *testing.T) {
		f := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		requests := 0
		f.wire.Intercept(dynamotest.Unprocessed(func(int) int {
			if requests++; requests == 3 {
				cancel()
			}
			return 0
		}))
		defer f.wire.Intercept(nil)
		_, err := f.store.Issues(ctx, []tracker.IssueID{{Project: project, Issue: "i1"}})
		wantCode(t, err, tracker.Unavailable, "canceled")
		if requests > 3 {
			t.Errorf("%d requests, want 3", requests)
		}
	})
	t.Run("while the engine is slow", func(t *testing.T) {
		f := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
			cancel()
			<-r.Context().Done()
		}))
		defer f.wire.Intercept(nil)
		_, err := f.store.QueryKeys(ctx, dynamoQuery(project, tracker.ColumnNum, false))
		wantCode(t, err, tracker.Unavailable, "canceled")
	})
}

// TestBrokenConnections checks that a request is sent again after its connection breaks.
func TestBrokenConnections(t *testing.T) {
	f := setup(t)
	i := f.issue(fullValues())
	for _, operation := range []string{"Query", "BatchGetItem"} {
		t.Run(operation, func(t *testing.T) {
			var mu sync.Mutex
			broken := 0
			f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
				mu.Lock()
				defer mu.Unlock()
				if broken++; broken <= 2 {
					return &dynamotest.Response{Err: errors.New("internal-detail: connection reset")}
				}
				return send(r)
			})
			defer f.wire.Intercept(nil)
			f.wire.Reset()
			if operation == "Query" {
				page, err := f.store.QueryKeys(t.Context(), dynamoQuery(project, tracker.ColumnNum, false))
				if err != nil || len(page.Keys) != 1 {
					t.Errorf("%d keys, %v", len(page.Keys), err)
				}
			} else if f.read(i.ID).Num != i.Num {
				t.Error("read another issue")
			}
			if n := f.wire.Calls()[operation]; n != 3 {
				t.Errorf("%d attempts, want 3", n)
			}
		})
	}
	t.Run("a write is made once", func(t *testing.T) {
		// The write is made, and its response is lost. The next attempt must not make the change again.
		broken := false
		f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			response := send(r)
			if r.Operation == "TransactWriteItems" && !broken {
				broken = true
				return &dynamotest.Response{Err: errors.New("internal-detail: connection reset")}
			}
			return response
		})
		defer f.wire.Intercept(nil)
		changed, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(77)))
		if err != nil || changed.Version != 2 {
			t.Fatalf("version %d, %v", changed.Version, err)
		}
		f.wire.Intercept(nil)
		values := fullValues()
		values["fint"] = tracker.Int(77)
		verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", values))
	})
}

// TestOpenSaysWhatIsMissing opens a table without any AWS configuration, and checks that the error names the
// missing setting.
func TestOpenSaysWhatIsMissing(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_DEFAULT_PROFILE",
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "none"))
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	_, err := dynamo.Open(t.Context(), dynamo.Settings{Table: "x", Region: "eu-central-1"})
	wantCode(t, err, tracker.Unavailable, "no AWS credentials", "AWS_PROFILE")
	t.Setenv("AWS_ACCESS_KEY_ID", "made-up")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "made-up")
	_, err = dynamo.Open(t.Context(), dynamo.Settings{Table: "x"})
	wantCode(t, err, tracker.BadInput, "--region", "AWS_REGION")
	for _, settings := range []dynamo.Settings{{Region: "eu-central-1"}, {Endpoint: "http://127.0.0.1:1"},
		{Endpoint: "http://127.0.0.1:1", Embedded: true}} {
		if _, err := dynamo.Open(t.Context(), settings); err != nil {
			t.Errorf("%+v: %v", settings, err)
		}
	}
}
