package dynamo_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestBudget checks the retry budget while DynamoDB fails for a long time: once the budget is used up, calls
// make one attempt each, and calls that succeed refill it.
func TestBudget(t *testing.T) {
	s := newScripted(t)
	synctest.Test(t, func(t *testing.T) {
		down := func() int {
			s.always = says("InternalServerError")
			wantCode(t, s.reserve(t.Context()), tracker.Unavailable)
			return s.attempts()
		}
		const calls, budget = 1000, 1000
		sent := 0
		for n := range calls {
			want := 1
			if n < budget/(mostAttempts-1) {
				want = mostAttempts
			}
			attempts := down()
			if sent += attempts; attempts != want {
				t.Fatalf("call %d made %d attempts, want %d", n+1, attempts, want)
			}
		}
		if sent != calls+budget {
			t.Errorf("%d attempts for %d calls, want %d more", sent, calls, budget)
		}
		s.always = cancelled("TransactionConflict")
		if s.create(t.Context()); s.attempts() != mostAttempts {
			t.Error("retries after a conflict count against the budget")
		}
		s.always = nil
		for range 23 {
			ok(t, s.reserve(t.Context()))
		}
		s.attempts()
		if got := []int{down(), down(), down()}; !slices.Equal(got, []int{mostAttempts, 1 + 3, 1}) {
			t.Errorf("after 23 successful calls, the next three make %v attempts, want 11 retries in all",
				got)
		}
	})
}

// TestBudgetLastsForOneInFive checks that the budget never runs out while a fifth of all attempts fail.
func TestBudgetLastsForOneInFive(t *testing.T) {
	s := newScripted(t)
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		s.always = func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			if rng.Float64() < 0.2 {
				return lost(r, send)
			}
			return fine(r, send)
		}
		const calls = 5000
		for n := range calls {
			if err := s.reserve(t.Context()); err != nil {
				t.Fatalf("call %d: %v", n+1, err)
			}
		}
		if n := s.attempts(); n < calls*6/5 || n > calls*4/3 {
			t.Errorf("%d attempts for %d calls, want about 1.25 per call", n, calls)
		}
	})
}
