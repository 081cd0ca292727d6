package dynamo_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/account"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// TestMemoryBeforeReading checks that an operation sends no request if there is not enough memory for its
// page, estimated from the sizes of the tenant's documents.
func TestMemoryBeforeReading(t *testing.T) {
	f := setup(t, longTTL)
	large := map[tracker.FieldID]tracker.Value{}
	for n := range 40 {
		id := tracker.FieldID(fmt.Sprint("large", n))
		_, err := f.store.CreateField(t.Context(), project,
			tracker.Field{ID: id, Name: string(id), Type: tracker.TypeLongText})
		ok(t, err)
		large[id] = tracker.Text(strings.Repeat("x", tracker.MaxInlineText))
	}
	d := f.known()
	var ids []tracker.IssueID
	for range 5 {
		i, err := f.store.CreateIssue(t.Context(), d,
			tracker.Issue{Name: "Large", State: d.Project.States[0].ID, Values: large})
		f.must(err)
		ids = append(ids, i.ID)
	}
	const each = 12 << 10 // read units of 10 KB, rounded up
	m := traffic.NewMemory(1 << 20)
	read := func(memory account.Memory) (calls int, err error) {
		a := account.New(acme, account.Limits{}, memory, nil)
		defer a.Close()
		f.wire.Reset()
		_, err = f.store.Issues(account.With(t.Context(), a), ids)
		return f.wire.Calls()["BatchGetItem"], err
	}
	if calls, err := read(m); calls != 1 || err != nil || m.State().Used != 0 {
		t.Fatalf("%d calls, %v, %+v", calls, err, m.State())
	}
	if calls, err := read(&refusing{least: 5 * each * 5}); calls != 0 ||
		tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("without memory: %d calls, %v", calls, err)
	}
	if calls, err := read(&refusing{least: 5*each*5 + 1}); calls != 1 || err != nil {
		t.Errorf("with memory: %d calls, %v", calls, err)
	}
}

// refusing is a memory budget that refuses claims of least bytes or more and grants all others.
type refusing struct{ least int64 }

func (r *refusing) Acquire(_ context.Context, _ tracker.TenantID, bytes int64, _ bool) error {
	if bytes >= r.least {
		return &tracker.Error{Code: tracker.Unavailable, Message: "no memory left"}
	}
	return nil
}

func (*refusing) Release(tracker.TenantID, int64) {}
