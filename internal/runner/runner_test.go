package runner_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/internal/runner"
	"issuegrid/tracker"
)

const retry = 5 * time.Second

// none is a search that finds nothing.
func none(context.Context) error { return nil }

// TestOneGoroutineForEachKey checks that a key is worked on by one goroutine at a time, that others are
// worked on meanwhile, and that the work is called once more if the key was kicked while it found nothing
// left.
func TestOneGoroutineForEachKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := runner.New[string](retry)
		stopped := r.Run(ctx, none, func(err error) { t.Error(err) })
		var mu sync.Mutex
		calls, working := map[string]int{}, map[string]bool{}
		next := make(chan struct{})
		work := func(key string) runner.Work {
			return func(context.Context) (bool, time.Duration, error) {
				mu.Lock()
				if working[key] {
					t.Errorf("two goroutines work on %s", key)
				}
				working[key] = true
				mu.Unlock()
				<-next
				mu.Lock()
				working[key] = false
				calls[key]++
				mu.Unlock()
				return false, 0, nil
			}
		}
		r.Kick("a", work("a"))
		r.Kick("b", work("b"))
		synctest.Wait()
		if !working["a"] || !working["b"] {
			t.Fatalf("only %v of two keys are worked on", working)
		}
		for range 3 {
			r.Kick("a", work("a"))
		}
		for range 3 {
			next <- struct{}{}
			synctest.Wait()
		}
		if calls["a"] != 2 || calls["b"] != 1 {
			t.Errorf("got %v calls, want 2 for the key that was kicked meanwhile, and 1", calls)
		}
		r.Kick("a", work("a"))
		next <- struct{}{}
		synctest.Wait()
		if calls["a"] != 3 {
			t.Error("a key cannot be kicked again after its work has ended")
		}
		cancel()
		stopped()
	})
}

// TestRunAgain checks that work that was stopped is done when the process runs work again.
func TestRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner.New[string](retry)
		calls := 0
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			stopped := r.Run(ctx, none, func(err error) { t.Error(err) })
			r.Kick("a", func(context.Context) (bool, time.Duration, error) {
				calls++
				<-ctx.Done()
				return true, 0, nil
			})
			synctest.Wait()
			cancel()
			stopped()
		}
		if calls != 2 {
			t.Errorf("the work was called %d times in two runs", calls)
		}
	})
}

// TestWorkGoesOn checks when work is called again: at once if something is left, after the time that it
// returns, or after a failure, which is reported unless the process stops.
func TestWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := runner.New[string](retry)
		began := time.Now()
		var at, failures []time.Duration
		stopped := r.Run(ctx, none, func(error) { failures = append(failures, time.Since(began)) })
		r.Kick("a", func(context.Context) (bool, time.Duration, error) {
			switch at = append(at, time.Since(began)); len(at) {
			case 1:
				return true, 0, nil
			case 2:
				return true, time.Second, nil
			case 3:
				return false, 0, errors.New("the database does not respond")
			case 4:
				return true, time.Minute, nil
			}
			<-ctx.Done()
			return false, 0, ctx.Err()
		})
		time.Sleep(time.Hour)
		cancel()
		stopped()
		want := []time.Duration{0, 0, time.Second, time.Second + retry, time.Second + retry + time.Minute}
		if !slices.Equal(at, want) {
			t.Errorf("called at %v, want %v", at, want)
		}
		if want := []time.Duration{time.Second}; !slices.Equal(failures, want) {
			t.Errorf("failures are reported at %v, want %v", failures, want)
		}
	})
}

// TestSearch checks that Run searches at once and every hour, and again soon if that fails.
func TestSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := runner.New[string](retry)
		began, failures := time.Now(), 0
		var at []time.Duration
		stopped := r.Run(ctx, func(context.Context) error {
			if at = append(at, time.Since(began)); len(at) == 2 {
				return errors.New("the database does not respond")
			}
			return nil
		}, func(error) { failures++ })
		time.Sleep(2*time.Hour + time.Minute)
		cancel()
		stopped()
		if want := []time.Duration{0, time.Hour, time.Hour + retry, 2*time.Hour + retry}; failures != 1 ||
			!slices.Equal(at, want) {
			t.Errorf("searches at %v, %d failures; want %v, 1", at, failures, want)
		}
	})
}

// TestNotRunning checks that nothing is done before Run is called, and after its context has ended.
func TestNotRunning(t *testing.T) {
	r := runner.New[string](retry)
	work := func(context.Context) (bool, time.Duration, error) {
		t.Error("works")
		return false, 0, nil
	}
	r.Kick("a", work)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := r.Run(ctx, none, func(err error) { t.Error(err) })
	r.Kick("a", work)
	stopped()
}

// TestTenantsTakeTurns checks that a tenant gets all places, but not before others that wait.
func TestTenantsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner.New[string](retry)
		var entered []string
		var leaves []func()
		enter := func(tenant tracker.TenantID) {
			go func() {
				leave, err := r.Enter(t.Context(), tenant)
				if err != nil {
					t.Error(err)
				}
				entered = append(entered, string(tenant))
				leaves = append(leaves, leave)
			}()
			synctest.Wait()
		}
		for range 4 {
			enter("a")
		}
		enter("b")
		for range 4 {
			leave := leaves[0]
			leaves = leaves[1:]
			leave()
			synctest.Wait()
		}
		if want := []string{"a", "a", "b", "a", "a"}; !slices.Equal(entered, want) {
			t.Errorf("places went to %v, want %v", entered, want)
		}
		for _, leave := range leaves {
			leave()
		}
	})
}

func TestLease(t *testing.T) {
	now := time.Now()
	l := runner.Take("a", now)
	for _, c := range []struct {
		owner string
		after time.Duration
		want  time.Duration
	}{
		{"a", 0, 0}, {"b", 0, runner.LeaseTime}, {"b", runner.LeaseTime - 1, 1}, {"b", runner.LeaseTime, 0},
		{"b", time.Hour, 0}, {"", 0, runner.LeaseTime}, {"", runner.LeaseTime, 0},
	} {
		if got := l.Held(c.owner, now.Add(c.after)); got != c.want {
			t.Errorf("after %v, the lease is held against %s for %v, want %v", c.after, c.owner, got, c.want)
		}
	}
	if got := (runner.Lease{}).Held("b", now); got != 0 {
		t.Errorf("a lease that nobody has is held for %v", got)
	}
}
