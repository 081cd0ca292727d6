package dynamotest

import (
	"context"
	"slices"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Issues returns all issues of a project in the order of their numbers. Clean-ups may call it.
func Issues(t testing.TB, of *dynamo.Tenant, p *tracker.Project) (out []*tracker.Issue) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for q := (columns.KeyQuery{Project: p.ID, Shards: p.Shards, Column: tracker.ColumnNum}); ; {
		page, err := of.QueryKeys(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]tracker.IssueID, len(page.Keys))
		for i, k := range page.Keys {
			ids[i] = k.Issue
		}
		found, err := of.Issues(ctx, ids)
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.Index(found, nil); i >= 0 {
			t.Fatalf("the index has the issue %v, which is not there", ids[i])
		}
		if out = append(out, found...); page.Last == nil {
			return out
		}
		q.From = sortkey.After(page.Last)
	}
}

// Text returns a text of an issue, wherever it is stored.
func Text(t testing.TB, of *dynamo.Tenant, i *tracker.Issue, c tracker.Column, v tracker.Value) string {
	t.Helper()
	if v.Kind != tracker.KindLong {
		return v.Text()
	}
	texts, errs := of.LongTexts(context.WithoutCancel(t.Context()),
		[]tracker.LongRef{{Issue: i.ID, Column: c, Long: v.Long()}})
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	return texts[0]
}
