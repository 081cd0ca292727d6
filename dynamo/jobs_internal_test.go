package dynamo

import (
	"context"
	"testing"

	"issuegrid/dynamo/internal/layout"
)

// TestKickedMeanwhile: a job that begins when the runner has just found that there are no more is looked for,
// too.
func TestKickedMeanwhile(t *testing.T) {
	r := &jobRunner{ctx: t.Context(), running: map[layout.Key]bool{}, failed: func(err error) {
		t.Error(err)
	}}
	tenant := scope{id: "t", keys: layout.Keys{Tenant: "t"}}
	key := tenant.keys.Jobs("p")
	r.running[key] = false // as of one that is at it
	r.kick(tenant, "p")
	if r.ended(key) {
		t.Error("it ends, and the job waits for who uses its project next")
	}
	if !r.ended(key) || len(r.running) > 0 {
		t.Errorf("it looks for jobs for ever: %v", r.running)
	}
	over, end := context.WithCancel(t.Context())
	end()
	r.ctx = over
	r.kick(tenant, "p")
	if len(r.running) > 0 {
		t.Error("a job begins while the server stops")
	}
}
