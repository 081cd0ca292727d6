package dynamo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// TestHeads checks that Heads returns issues without their values, in the order of the ids, nil for a missing
// one. DynamoDB sends no values, and consumes as many capacity units as for whole documents.
func TestHeads(t *testing.T) {
	f := setup(t, longTTL)
	f.create(f.store, f.d, tracker.Issue{Name: "First", State: "open", Description: tracker.Text("Short"),
		Values: fullValues()})
	f.create(f.store, f.d, tracker.Issue{Name: "Second", State: "open"})
	page := f.keys(columns.KeyQuery{Project: project,
		Shards: f.d.Project.Shards, Column: tracker.ColumnNum})
	ids := []tracker.IssueID{{Project: project, Issue: "none"}, page.Keys[1].Issue, page.Keys[0].Issue,
		page.Keys[1].Issue}
	bytes := 0
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		response := send(r)
		bytes += len(response.Body)
		return response
	})
	read := func(call func(*dynamo.Tenant) ([]*tracker.Issue, error)) (found []*tracker.Issue, size int,
		rcu float64) {
		m := account.NewMeter()
		metered, err := f.db.Metered(m).Tenant(acme)
		f.must(err)
		bytes = 0
		found, err = call(metered)
		f.must(err)
		if c := m.Cost(); c.Calls["BatchGetItem"] != 1 || len(c.Calls) != 1 {
			t.Errorf("calls %v, want one BatchGetItem", c.Calls)
		}
		return found, bytes, m.Cost().RCU
	}
	whole, wholeBytes, wholeRCU := read(func(s *dynamo.Tenant) ([]*tracker.Issue, error) {
		return s.Issues(t.Context(), ids)
	})
	heads, headBytes, headRCU := read(func(s *dynamo.Tenant) ([]*tracker.Issue, error) {
		return s.Heads(t.Context(), ids)
	})
	for _, i := range whole {
		if i != nil {
			i.Partial, i.Values, i.Gens = true, map[tracker.FieldID]tracker.Value{}, nil
		}
	}
	if diff := cmp.Diff(whole, heads, cmp.AllowUnexported(tracker.Value{})); diff != "" || heads[0] != nil ||
		heads[1] == nil {
		t.Errorf("(-issues without values +heads):\n%s", diff)
	}
	if headRCU != wholeRCU || headBytes*3 > wholeBytes*2 {
		t.Errorf("heads took %g RCUs and %d bytes, whole documents %g RCUs and %d bytes", headRCU, headBytes,
			wholeRCU,
			wholeBytes)
	}
}
