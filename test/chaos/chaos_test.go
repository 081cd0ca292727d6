//go:build unix

package chaos_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/cli"
	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

const (
	// clients is the number of clients that change issues concurrently.
	clients = 8
	// stepsPerStorm is the number of their steps before the faults change.
	stepsPerStorm = 40
	// writesPerDeath is the average number of writes that reach the engine between two deaths.
	writesPerDeath = 60
	// later is how far the clock is advanced for the final checks, so that nothing counts as being under way.
	later = 2 * time.Hour
)

func TestMain(m *testing.M) {
	os.Exit(harness.MainOr(m, func() int { return cli.Main("") }))
}

// number returns the number in an environment variable, or otherwise if the variable is not set.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q", name, text)
	}
	return n
}

// TestChaos runs many clients against a server that is killed repeatedly, on an engine that is killed
// repeatedly, with faults injected between the two. In the end it verifies:
//
//   - A change that was reported as done is done: it is in the history of its issue, and the document is
//     the result of the history.
//   - A change that was reported as refused is not done. A change without a response is done completely or
//     not at all.
//   - A change that was sent under one key is done once, however often it was sent. All this holds for
//     comments, too.
//   - The lists of users and teams have the issues that are assigned to them, each once.
//   - The activity of a project has the changes and comments of its issues, each once.
//   - Every state that was shown existed at some time: no state is a mix of two versions.
//   - Damage to the index can be repaired from the documents, and is, by a check or by the next write.
func TestChaos(t *testing.T) {
	tier.Verify(t, "the interleaving of its clients and kills depends on the machine")
	seed := uint64(number(t, "ISSUEGRID_CHAOS_SEED", int(rand.Uint32())+1))
	steps := number(t, "ISSUEGRID_CHAOS_MUTATIONS", 400)
	t.Logf("ISSUEGRID_CHAOS_SEED=%d ISSUEGRID_CHAOS_MUTATIONS=%d", seed, steps)
	r := newRig(t, seed, func(*dynamotest.Proxy) {})
	w := newWorld(t, newAPI(r.url), r.store)

	begun := time.Now()
	r.rage(writesPerDeath)
	var all sync.WaitGroup
	var done atomic.Int64
	storms := rand.New(rand.NewPCG(seed, 2))
	var mu sync.Mutex // guards storms
	for n := range clients {
		c := &client{world: w, n: n, rng: rand.New(rand.NewPCG(seed, uint64(100+n))),
			seen: map[*known]int64{}, gone: map[*known]bool{}}
		all.Go(func() {
			for at := done.Add(1); at <= int64(steps) && !t.Failed(); at = done.Add(1) {
				if at%stepsPerStorm == 0 {
					mu.Lock()
					r.proxy.SetFaults(storm(storms))
					mu.Unlock()
				}
				c.step()
			}
		})
	}
	all.Wait()
	r.calm()
	t.Logf("%s: %d changes, %d readings; %v; %v", time.Since(begun).Round(time.Millisecond), len(w.changes),
		len(w.reads), r, w.done)
	if t.Failed() {
		return
	}

	db := r.end(later)
	w.finishJobs(t.Context(), db)
	report := checkTable(t, db, false)
	for _, k := range report.Kinds {
		t.Logf("found before the repair: %d of %q", k.Found, k.Kind)
		if !k.Repairable {
			t.Errorf("%q can't be repaired: %v", k.Kind, k.Examples)
		}
	}
	checkTable(t, db, true)
	sound(t, db, "after the repair")
	r.startServer()
	begun = time.Now()
	w.verify()
	t.Logf("%s to verify", time.Since(begun).Round(time.Millisecond))
	sound(t, r.end(later), "in the end")
}

// sound fails the test if a check finds a problem.
func sound(t *testing.T, db *dynamo.DB, when string) {
	t.Helper()
	for _, k := range checkTable(t, db, false).Kinds {
		t.Errorf("found %s: %d of %q: %v", when, k.Found, k.Kind, k.Examples)
	}
}

func checkTable(t *testing.T, db *dynamo.DB, repair bool) *check.Report {
	t.Helper()
	report, err := check.Run(t.Context(), db, check.Options{Repair: repair}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.InProgress > 0 {
		t.Errorf("%d issues were not checked", report.InProgress)
	}
	return report
}

// finishJobs completes the remaining jobs of definition changes.
func (w *world) finishJobs(ctx context.Context, db *dynamo.DB) {
	w.t.Helper()
	w.db = db
	for _, p := range w.projects {
		tenant, id := w.stored(p)
		if err := tenant.RunJobs(ctx, id); err != nil {
			w.t.Fatal(err)
		}
	}
}
