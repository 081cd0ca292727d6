//go:build realdata

package e2e

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/columns"
	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/sample"
	"issuegrid/tracker"
)

// attempts counts requests and failed connections.
type attempts struct {
	next         http.RoundTripper
	sent, failed atomic.Int64
}

func (a *attempts) RoundTrip(r *http.Request) (*http.Response, error) {
	a.sent.Add(1)
	response, err := a.next.RoundTrip(r)
	if err != nil {
		a.failed.Add(1)
	}
	return response, err
}

// TestRealDataPages reads 4,800 pages with more clients than the machine has cores. It verifies that there
// are exactly two requests per page, that is, no page pays for a failed attempt. It logs the slowest page
// without a limit, because other work on the machine decides how slow that is.
func TestRealDataPages(t *testing.T) {
	const pages, clients, size = 4_800, 16, 25
	wire := &attempts{}
	db, _ := dynamotest.Open(t, func(s *dynamo.Settings) {
		s.GroupWrites = true
		s.Transport = func(next http.RoundTripper) http.RoundTripper {
			wire.next = next
			return wire
		}
	})
	p := sample.Generated()
	must(t, sample.Load(t.Context(), db, []sample.Project{p}, func(int, int) {}))
	tenant, err := db.Tenant(p.Tenant.ID)
	must(t, err)
	before := wire.sent.Load()
	var slowest atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range pages / clients {
				start := time.Now()
				if err := onePage(t, tenant, p.Project.ID, size); err != nil {
					t.Error(err)
					return
				}
				took := int64(time.Since(start))
				for was := slowest.Load(); took > was &&
					!slowest.CompareAndSwap(was, took); was = slowest.Load() {
				}
			}
		})
	}
	wg.Wait()
	sent := wire.sent.Load() - before
	t.Logf("%d pages of %d rows by %d clients: the slowest took %v; %d requests, %d failed", pages, size,
		clients, time.Duration(slowest.Load()), sent, wire.failed.Load())
	if sent != 2*pages {
		t.Errorf("%d requests were sent, want %d", sent, 2*pages)
	}
}

func onePage(t *testing.T, tenant *dynamo.Tenant, p tracker.ProjectID, size int) error {
	keys, err := tenant.QueryKeys(t.Context(),
		columns.KeyQuery{Project: p, Column: tracker.ColumnName, Limit: size})
	if err != nil {
		return err
	}
	ids := make([]tracker.IssueID, len(keys.Keys))
	for i, k := range keys.Keys {
		ids[i] = k.Issue
	}
	issues, err := tenant.Issues(t.Context(), ids)
	if err == nil && (len(issues) != size || issues[size-1] == nil) {
		t.Errorf("%d issues", len(issues))
	}
	return err
}
