package operation_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"issuegrid/internal/account"
	"issuegrid/internal/operation"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const (
	mib  = 1 << 20
	base = mib // of every operation
)

var (
	editor   = tracker.Principal{Role: tracker.Editor, Tenant: "acme"}
	operator = tracker.Principal{Role: tracker.Operator}
)

// TestLife checks laws J1 to J3 for operations that end at any point of their life, in any way, and for parts
// of operations.
func TestLife(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var paid sums
		s := &operation.Server{Queue: traffic.NewQueue(2, 1), Memory: traffic.NewMemory(64 * mib),
			Buckets: &paid, Limits: account.Limits{CPU: time.Minute, Memory: 16 * mib}, Timeout: time.Hour}
		var reads, writes, cpu float64 // that the tenant must have paid
		for range rapid.IntRange(1, 4).Draw(t, "operations") {
			p := rapid.SampledFrom([]tracker.Principal{editor, operator}).Draw(t, "principal")
			pays := p.Confined()
			ctx, o := s.Begin(t.Context(), p)
			spend := func(o *operation.Operation) float64 { // in units
				ms := rapid.IntRange(0, 30).Draw(t, "CPU")
				o.Account.Spend(time.Duration(ms) * time.Millisecond)
				return float64(ms)
			}
			work := func(ctx context.Context, o *operation.Operation, units float64) {
				cost := account.Cost{RCU: float64(rapid.IntRange(0, 9).Draw(t, "RCU")),
					WCU:        float64(rapid.IntRange(0, 9).Draw(t, "WCU")),
					Unreported: account.Capacity{WCU: float64(rapid.IntRange(0, 2).Draw(t, "lost"))}}
				o.Meter.Add(cost)
				if err := o.Account.Hold(ctx, rapid.Int64Range(0, 4*mib).Draw(t, "held")); err != nil {
					t.Fatal(err)
				}
				units += spend(o)
				if pays {
					reads, writes = reads+cost.RCU, writes+cost.All().WCU
					cpu += max(0, units+0.1-10) // 0.1 is what every operation takes
				}
			}
			refused := func(units float64) {
				if pays {
					cpu += units + 0.1
				}
			}
			late := func(o *operation.Operation) {
				o.Meter.Add(account.Cost{RCU: 1, WCU: 2})
				if pays {
					reads, writes = reads+1, writes+2
				}
			}
			e := operation.Estimate{RCU: 50, WCU: 20, Write: rapid.Bool().Draw(t, "write")}
			switch rapid.SampledFrom([]string{"before it enters", "refused", "done", "panics", "late",
				"in parts"}).Draw(t, "end") {
			case "before it enters":
				if n := spend(o); pays {
					cpu += n
				}
			case "refused":
				enter(t, ctx, o)
				refused(spend(o))
			case "done", "panics", "late":
				ctx = enter(t, ctx, o)
				before := spend(o)
				admit(t, ctx, o, e)
				work(ctx, o, before)
				if rapid.Bool().Draw(t, "done") {
					o.Done(rapid.Int64Range(0, mib).Draw(t, "bytes"))
					late(o)
				}
			case "in parts":
				whole := "is not admitted"
				if rapid.Bool().Draw(t, "whole") { // as a request whose parts outlast it
					whole = "is done"
					entered := enter(t, ctx, o)
					admit(t, entered, o, e)
					work(entered, o, 0)
					o.Done(0)
				}
				before := o.Cost().RCU
				for range rapid.IntRange(0, 3).Draw(t, "parts") {
					ctx, part := o.Part(ctx)
					failed := errors.New("failed")
					err := part.Run(ctx, e, mib, func(ctx context.Context) error {
						work(ctx, part, 0)
						return failed
					})
					if !errors.Is(err, failed) {
						t.Fatal(err)
					}
					if running, _ := s.Queue.Load(); running > 0 {
						t.Fatal("a part that has run has a slot")
					}
					before += part.Cost().RCU
					late(part)
					part.Close()
					if n := spend(o); pays {
						cpu += max(0, n-10)
					}
					o.Bill()
				}
				if got := o.Cost().RCU; got != before {
					t.Fatalf("an operation that %s and its parts cost %g RCU, want %g", whole, got, before)
				}
			}
			o.Close()
			o.Close() // does nothing
			if running, waiting := s.Queue.Load(); running+waiting > 0 || s.Memory.State().Used > 0 {
				t.Fatalf("%d slots are taken, %d wait, and %d bytes are held", running, waiting,
					s.Memory.State().Used)
			}
		}
		if math.Abs(paid.rcu-reads-cpu) > 1e-6 || paid.wcu != writes || paid.reserved != 0 {
			t.Fatalf("paid %+v, want %g RCU, %g for CPU time, and %g WCU", paid, reads, cpu, writes)
		}
	})
}

// sums are buckets that add up what a tenant pays. reserved counts the reservations that are not settled.
type sums struct {
	rcu, wcu float64
	reserved int
}

func (*sums) Left(tracker.TenantID, bool) error { return nil }

func (s *sums) Admit(t tracker.TenantID, _ traffic.Rates, _ bool) (func(rcu, wcu float64), error) {
	s.reserved++
	return func(rcu, wcu float64) {
		s.reserved--
		s.Charge(t, rcu, wcu)
	}, nil
}

func (s *sums) Charge(t tracker.TenantID, rcu, wcu float64) {
	if t != editor.Tenant {
		panic("another tenant has paid")
	}
	s.rcu, s.wcu = s.rcu+rcu, s.wcu+wcu
}

func (*sums) Read(tracker.TenantID) (reads, writes traffic.State) { return reads, writes }

func enter(t rapid.TB, ctx context.Context, o *operation.Operation) context.Context {
	t.Helper()
	ctx, err := o.Enter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func admit(t rapid.TB, ctx context.Context, o *operation.Operation, e operation.Estimate) {
	t.Helper()
	if err := o.Admit(ctx, e); err != nil {
		t.Fatal(err)
	}
}

// TestShow checks what the client of an operation sees of its tenant's capacity: the kind of which less is
// left if the operation writes, as it is at the end of the operation.
func TestShow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &operation.Server{Buckets: traffic.NewBuckets(traffic.Rates{RCU: 10, WCU: 10}, nil)}
		shown := []float64{}
		run := func(write bool, cost account.Cost) error {
			ctx, o := s.Begin(t.Context(), editor)
			defer o.Close()
			o.Show = func(left traffic.State) { shown = append(shown, left.Remaining) }
			return o.Run(ctx, operation.Estimate{Write: write}, 0, func(context.Context) error {
				o.Meter.Add(cost)
				return nil
			})
		}
		lost := account.Cost{RCU: 20, WCU: 30, Unreported: account.Capacity{RCU: 5, WCU: 10}}
		if err := errors.Join(run(true, lost), run(false, account.Cost{WCU: 70})); err != nil {
			t.Error(err)
		}
		if err := run(true, account.Cost{}); tracker.CodeOf(err) != tracker.RateLimited {
			t.Error(err)
		}
		if got := fmt.Sprint(shown); got != "[60 75 0]" {
			t.Errorf("the client saw %s", got)
		}
	})
}

// TestResponsesAreHeld checks that an operation whose response is ready returns its slot, and then holds only
// the memory of the response until it is closed.
func TestResponsesAreHeld(t *testing.T) {
	t.Parallel()
	s := &operation.Server{Queue: traffic.NewQueue(2, 1), Memory: traffic.NewMemory(64 * mib),
		Limits: account.Limits{Memory: 32 * mib}}
	want := func(when string, running int, bytes int64) {
		t.Helper()
		if got, _ := s.Queue.Load(); got != running || s.Memory.State().Used != bytes {
			t.Errorf("%s: %d slots and %d bytes are in use, want %d and %d", when, got, s.Memory.State().Used,
				running, bytes)
		}
	}
	var sent [2]*operation.Operation
	for n := range sent { // to two slow clients, one after the other
		ctx, o := s.Begin(t.Context(), operator)
		ctx = enter(t, ctx, o)
		want("at work", 1, int64(n)*6*mib+base)
		admit(t, ctx, o, operation.Estimate{RCU: 128})
		if err := o.Account.Hold(ctx, 10*mib); err != nil {
			t.Error(err)
		}
		want("with what it has read", 1, int64(n)*6*mib+10*mib)
		o.Done(5 * mib)
		want("while it is sent", 0, int64(n+1)*6*mib)
		sent[n] = o
	}
	sent[1].Close()
	want("with one response left", 0, 6*mib)
	sent[0].Close()
	want("in the end", 0, 0)
}

// TestNoMemory checks that an operation without memory is refused, and returns its slot and its reservation
// of the tenant's capacity.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var buckets sums
		s := &operation.Server{Queue: traffic.NewQueue(4, 2), Memory: traffic.NewMemory(16 * mib),
			Buckets: &buckets, Limits: account.Limits{Memory: 8 * mib}}
		if err := errors.Join(s.Memory.Acquire(t.Context(), "other", 8*mib, true),
			s.Memory.Acquire(t.Context(), "another", 3*mib, true)); err != nil {
			t.Fatal(err)
		}
		ctx, o := s.Begin(t.Context(), editor)
		ctx = enter(t, ctx, o)
		if err := o.Admit(ctx, operation.Estimate{RCU: 1000}); tracker.CodeOf(err) != tracker.Unavailable {
			t.Error(err)
		}
		if buckets.reserved > 0 {
			t.Error("a refused operation has a reservation")
		}
		o.Close()
		if err := s.Memory.Acquire(t.Context(), "third", mib, true); err != nil {
			t.Fatal(err)
		}
		ctx, o = s.Begin(t.Context(), editor)
		if _, err := o.Enter(ctx); tracker.CodeOf(err) != tracker.Unavailable {
			t.Error(err)
		}
		o.Close()
		if running, waiting := s.Queue.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d operations run and %d wait", running, waiting)
		}
	})
}

// TestWithoutCapacity checks that operations of a tenant that has spent its capacity on refused ones are
// refused before work is done for them, which costs nothing, and that others are not.
func TestWithoutCapacity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		buckets := traffic.NewBuckets(traffic.Rates{RCU: 10, WCU: 10}, nil)
		s := &operation.Server{Queue: traffic.NewQueue(1, 1), Buckets: buckets}
		refuse := func(p tracker.Principal) error {
			ctx, o := s.Begin(t.Context(), p)
			defer o.Close()
			o.Account.Spend(time.Millisecond) // while it is received
			if _, err := o.Enter(ctx); err != nil {
				return err
			}
			o.Account.Spend(3*time.Millisecond - 100*time.Microsecond) // and is refused for what it says
			return nil
		}
		for n := range 25 { // a hundred units in the bucket
			if reads, _ := buckets.Read(editor.Tenant); reads.Remaining != float64(100-4*n) {
				t.Fatalf("%g units are left after %d operations", reads.Remaining, n)
			}
			if err := refuse(editor); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			err := refuse(editor)
			if tracker.CodeOf(err) != tracker.RateLimited || tracker.RetryAfter(err) != time.Second {
				t.Errorf("without capacity: %v", err)
			}
		}
		_, o := s.Begin(t.Context(), editor)
		o.Account.Spend(time.Second) // before it enters, such as for a body that is no JSON
		o.Close()
		for _, other := range []tracker.Principal{{Role: tracker.Reader, Tenant: "rival"}, operator} {
			if err := refuse(other); err != nil {
				t.Errorf("%+v: %v", other, err)
			}
		}
		time.Sleep(time.Second)
		if reads, _ := buckets.Read(editor.Tenant); reads.Remaining != 10 {
			t.Errorf("%g units are left a second later", reads.Remaining)
		}
		if running, waiting := s.Queue.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d operations run and %d wait", running, waiting)
		}
	})
}

// TestTimeout checks that an operation ends after its timeout, which begins when it enters.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &operation.Server{Timeout: time.Second}
		ctx, o := s.Begin(t.Context(), editor)
		defer o.Close()
		time.Sleep(2 * time.Second) // while it is received
		err := o.Run(ctx, operation.Estimate{}, 0, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		ctx, o = s.Begin(t.Context(), editor)
		ctx = enter(t, ctx, o)
		o.Close()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Error("the context of an operation has outlasted it")
		}
	})
}

// TestOf checks that work outside of a server is not limited, and that its cost and that of its parts are
// known.
func TestOf(t *testing.T) {
	t.Parallel()
	ctx, o := operation.Of(t.Context())
	if same, again := operation.Of(ctx); again != o || same != ctx {
		t.Error("another operation began in the context of one")
	}
	for n := range 3 {
		ctx, part := o.Part(ctx)
		if err := part.Run(ctx, operation.Estimate{RCU: math.MaxFloat64}, 0, func(context.Context) error {
			part.Meter.Add(account.Cost{Calls: map[string]int{"Query": 1}, RCU: 0.5, Items: n})
			return nil
		}); err != nil {
			t.Error(err)
		}
		part.Close()
	}
	if cost := o.Cost(); cost.Calls["Query"] != 3 || cost.RCU != 1.5 || cost.Items != 3 {
		t.Errorf("%+v", cost)
	}
	if reads, writes := o.Capacity(); reads.Limit > 0 || writes.Limit > 0 {
		t.Errorf("%+v, %+v", reads, writes)
	}
}
