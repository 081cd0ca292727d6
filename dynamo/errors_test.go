package dynamo_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
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

// noFields is the definition of a project without fields.
var noFields = tracker.NewDefinition(tracker.Project{ID: project, States: twoStates}, nil)

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
	db := newDB(t)
	store, err := db.Tenant(acme)
	ok(t, err)
	for name, ctx := range map[string]context.Context{"cancelled": cancelled, "expired": expired} {
		for call, do := range calls(db, store, noFields) {
			t.Run(name+" "+call, func(t *testing.T) {
				wantCode(t, do(ctx), tracker.Unavailable, "canceled or timed out")
			})
		}
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
