package dynamo_test

import (
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// TestTurns checks that tenants take turns to send calls: while one has many calls in progress and waiting,
// the next call is that of another tenant, however late it comes.
func TestTurns(t *testing.T) {
	t.Parallel()
	const atOnce, busy = 2, 6
	queue := traffic.NewShared(atOnce, math.MaxInt32, atOnce)
	db, wire := dynamotest.Open(t, func(s *dynamo.Settings) { s.Turn = queue.Enter })
	ids := []tracker.TenantID{"busy", "quiet"}
	tenants := map[tracker.TenantID]*dynamo.Tenant{}
	for _, id := range ids {
		if err := db.CreateTenant(t.Context(), tracker.Tenant{ID: id, Name: string(id)}); err != nil {
			t.Fatal(err)
		}
		tenant, err := db.Tenant(id)
		if err != nil {
			t.Fatal(err)
		}
		tenants[id] = tenant
	}
	sent, release := make(chan tracker.TenantID, busy+1), make(chan struct{})
	wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		for _, id := range ids {
			if strings.Contains(string(r.Body), string(id)) {
				sent <- id
			}
		}
		<-release
	}))
	var calls sync.WaitGroup
	get := func(id tracker.TenantID) {
		calls.Go(func() {
			if _, err := tenants[id].Get(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor := func(running, waiting int) {
		for {
			if r, w := queue.Load(); r == running && w == waiting {
				return
			}
			runtime.Gosched()
		}
	}
	for range busy {
		get("busy")
	}
	waitFor(atOnce, busy-atOnce)
	get("quiet")
	waitFor(atOnce, busy-atOnce+1)
	var order []tracker.TenantID
	for range atOnce {
		order = append(order, <-sent)
	}
	for range busy + 1 - atOnce {
		release <- struct{}{}
		order = append(order, <-sent)
	}
	close(release)
	calls.Wait()
	if order[atOnce] != "quiet" {
		t.Errorf("the calls were sent in the order %v; the third must be the quiet tenant's", order)
	}
	if running, waiting := queue.Load(); running+waiting != 0 {
		t.Errorf("%d calls have their turn and %d wait after the end", running, waiting)
	}
}
