package dynamo

import (
	"context"
	"errors"
	"testing"
	"time"

	"issuegrid/account"
	"issuegrid/traffic"
)

// TestCompleting: what completes a change goes on when its caller has gone and its operation has used all
// that it may, holds memory that all share, and gives it back.
func TestCompleting(t *testing.T) {
	m := traffic.NewMemory(100 << 20)
	a := account.New("acme", account.Limits{CPU: time.Millisecond, Memory: 10}, m, nil)
	a.Spend(time.Second)
	gone, leave := context.WithCancel(account.With(t.Context(), a))
	leave()
	ctx, end := completing(gone)
	of := account.From(ctx)
	if err := errors.Join(ctx.Err(), of.Check(ctx), of.Hold(ctx, 1<<20)); err != nil {
		t.Error(err)
	}
	if _, bounded := ctx.Deadline(); !bounded || m.State().Used != 1<<20 {
		t.Errorf("%+v", m.State())
	}
	end()
	if m.State().Used != 0 || ctx.Err() == nil {
		t.Errorf("in the end %+v, %v", m.State(), ctx.Err())
	}
}
