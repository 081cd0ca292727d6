package graph_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/guard/guardtest"
)

// cancelAfter is the CPU time after which the client cancels its request.
const cancelAfter = 5 * time.Millisecond

// cancelled repeats the most expensive accepted attack of each family and cancels it while it is executed.
// The work after that must cost no more than a refusal.
func (d *againstData) cancelled(t *testing.T) {
	made := map[string]bool{}
	for _, o := range d.worst() {
		if made[o.family] || o.refused || o.cpu < 2*cancelAfter ||
			strings.HasPrefix(o.attack.Body, `{"query":"mutation`) {
			continue
		}
		if made[o.family] = true; len(made) > 60 {
			return
		}
		measure := func(int) time.Duration { return d.afterCancel(t, o.attack) }
		if least := settled(t, measure(0), cpuLimit, measure); least > cpuLimit {
			t.Errorf("%v of CPU time after the client disconnected: %v", least, o)
		}
	}
}

// afterCancel runs an attack whose client disconnects and returns the CPU time that is used after that.
func (d *againstData) afterCancel(t *testing.T, a guardtest.Attack) time.Duration {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before, done := cpu(t), make(chan struct{})
	go func() {
		defer close(done)
		d.attackWith(ctx, a)
	}()
	look := time.NewTicker(time.Millisecond / 2)
	defer look.Stop()
	for {
		select {
		case <-done:
			return 0 // the request ended before
		case <-look.C:
			if cpu(t)-before < cancelAfter {
				continue
			}
		}
		gone := cpu(t)
		cancel()
		<-done
		return cpu(t) - gone
	}
}
