package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/account"
	"issuegrid/internal/traffic"
)

// TestCompleting checks that the context that completes a change stays valid after the caller's context is
// canceled and its account has used up its limits, and that memory held with it is shared memory and is
// released at the end.
func TestCompleting(t *testing.T) {
	m := traffic.NewMemory(100 << 20)
	a := account.New("acme", account.Limits{CPU: time.Millisecond, Memory: 10}, m, nil)
	a.Spend(time.Second)
	canceled, cancel := context.WithCancel(account.With(t.Context(), a))
	cancel()
	ctx, end := store.Completing(canceled)
	of := account.From(ctx)
	if err := errors.Join(ctx.Err(), of.Check(ctx), of.Hold(ctx, 1<<20)); err != nil {
		t.Error(err)
	}
	if _, bounded := ctx.Deadline(); !bounded || m.State().Used != 1<<20 {
		t.Errorf("deadline: %t; memory %+v, want 1 MiB used", bounded, m.State())
	}
	end()
	if m.State().Used != 0 || ctx.Err() == nil {
		t.Errorf("after the end: memory %+v, context error %v", m.State(), ctx.Err())
	}
}
