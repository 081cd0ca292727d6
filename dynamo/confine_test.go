package dynamo_test

import (
	"context"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// TestConfine uses a tenant's handle with a context that is confined to another tenant: no operation sends a
// request.
func TestConfine(t *testing.T) {
	f := setup(t)
	i := f.issue(fullValues())
	ctx := dynamo.Confine(t.Context(), rival)
	long := tracker.Text(string(make([]byte, 1000)))
	f.wire.Reset()
	for name, use := range map[string]func(context.Context) error{
		"Query": func(ctx context.Context) error {
			_, err := f.store.QueryKeys(ctx,
				columns.KeyQuery{Project: project, Column: tracker.ColumnNum, Limit: 1})
			return err
		},
		"Query of a partition": func(ctx context.Context) error {
			_, err := f.another().Definition(ctx, "p9")
			return err
		},
		"BatchGetItem": func(ctx context.Context) error {
			_, err := f.store.Issues(ctx, []tracker.IssueID{i.ID})
			return err
		},
		"UpdateItem": func(ctx context.Context) error {
			_, err := f.store.ReserveNums(ctx, project, 1)
			return err
		},
		"TransactWriteItems": func(ctx context.Context) error {
			_, err := f.store.CreateIssue(ctx, f.d, tracker.Issue{Num: 77, Name: "x", State: "open"})
			return err
		},
		"BatchWriteItem": func(ctx context.Context) error {
			return f.grouping(false).PutIssues(ctx, f.d,
				[]tracker.Issue{{ID: tracker.IssueID{Project: project, Issue: "put"}, Num: 78, Name: "x",
					State: "open", Description: long}})
		},
		"the list of tenants": func(ctx context.Context) error {
			_, _, err := f.db.TenantList().Page(ctx, dynamo.ListQuery{Limit: 1})
			return err
		},
		"a scan": func(ctx context.Context) error {
			_, err := check.Run(ctx, f.db, check.Options{}, nil)
			return err
		},
	} {
		if err := use(ctx); tracker.CodeOf(err) != tracker.InternalErr {
			t.Errorf("%s: %v", name, err)
		}
	}
	if calls := f.wire.Calls(); len(calls) > 1 || len(calls) == 1 && calls["DescribeTable"] == 0 {
		t.Errorf("calls %v, want none but DescribeTable", calls)
	}
	other, err := f.db.Tenant(rival)
	f.must(err)
	if _, err := other.Definition(ctx, "p9"); tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("handle of the tenant of the context: %v", err)
	}
}
