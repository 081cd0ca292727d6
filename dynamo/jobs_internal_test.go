package dynamo

import (
	"context"
	"testing"

	"issuegrid/dynamo/internal/layout"
)

// TestKickedMeanwhile checks that the runner looks again for jobs if one begins just after it found none.
func TestKickedMeanwhile(t *testing.T) {
	r := &jobRunner{ctx: t.Context(), running: map[layout.Key]bool{}, failed: func(err error) {
		t.Error(err)
	}}
	tenant := scope{id: "t", keys: layout.Keys{Tenant: "t"}}
	key := tenant.keys.Jobs("p")
	r.running[key] = false // a goroutine is running the jobs of the project
	r.kick(tenant, "p")
	if r.ended(key) {
		t.Error("the runner ends and leaves the new job until the project is next used")
	}
	if !r.ended(key) || len(r.running) > 0 {
		t.Errorf("the runner never stops looking for jobs: %v", r.running)
	}
	over, end := context.WithCancel(t.Context())
	end()
	r.ctx = over
	r.kick(tenant, "p")
	if len(r.running) > 0 {
		t.Error("a job was started after the context was canceled")
	}
}
