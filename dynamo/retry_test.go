package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestAttempts counts the attempts of every operation if a fault is permanent, and if it ends after two
// attempts. It checks how the errors are translated; their details are only for the log.
func TestAttempts(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault dynamotest.Interceptor
		most  int
		code  tracker.Code
		words string
	}{
		{"connection fails", lost, mostAttempts, tracker.Unavailable, "did not respond"},
		{"500", says("InternalServerError"), mostAttempts, tracker.Unavailable, "overloaded"},
		{"500 without an API error", status(http.StatusInternalServerError), mostAttempts,
			tracker.Unavailable, ""},
		{"502", status(http.StatusBadGateway), mostAttempts, tracker.Unavailable, ""},
		{"503", says("ServiceUnavailable"), mostAttempts, tracker.Unavailable, "overloaded"},
		{"504", status(http.StatusGatewayTimeout), mostAttempts, tracker.Unavailable, ""},
		{"throttled", says("ProvisionedThroughputExceededException"), mostAttempts, tracker.Unavailable,
			"overloaded"},
		{"throttled otherwise", says("ThrottlingException"), mostAttempts, tracker.Unavailable, "overloaded"},
		{"account throttled", says("RequestLimitExceeded"), mostAttempts, tracker.Unavailable, "overloaded"},
		{"in progress", says("TransactionInProgressException"), mostAttempts, tracker.Unavailable,
			"try again"},
		{"transaction", says("TransactionConflictException"), mostAttempts, tracker.Conflict, ""},
		{"another region's write", says("ReplicatedWriteConflictException"), mostAttempts, tracker.Conflict,
			""},
		{"no table", says("ResourceNotFoundException"), 1, tracker.Unavailable, "unavailable"},
		{"credentials", says("AccessDeniedException"), 1, tracker.Unavailable, "unavailable"},
		{"unknown credentials", says("UnrecognizedClientException"), 1, tracker.Unavailable, "unavailable"},
		{"old credentials", says("ExpiredTokenException"), 1, tracker.Unavailable, "unavailable"},
		{"something new", says("SomethingNewException"), 1, tracker.InternalErr, "refused"},
		{"validation", says("ValidationException"), 1, tracker.InternalErr, "refused"},
		{"other input, same token", says("IdempotentParameterMismatchException"), 1, tracker.InternalErr, ""},
		{"too large", says("ItemCollectionSizeLimitExceededException"), 1, tracker.InternalErr, ""},
		{"404", status(http.StatusNotFound), 1, tracker.Unavailable, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			synctest.Test(t, func(t *testing.T) {
				for name, call := range calls(s.db, s.store, noFields) {
					s.always = test.fault
					err := call(t.Context())
					if n := s.attempts(); n != test.most {
						t.Errorf("%s: %d attempts, want %d", name, n, test.most)
					}
					if wantCode(t, err, test.code, test.words); errors.Unwrap(err) == nil {
						t.Errorf("%s: the error has no cause for the log: %v", name, err)
					}
				}
				s.always = nil
				for range 2 {
					s.script = []dynamotest.Interceptor{test.fault, test.fault}
					err := s.reserve(t.Context())
					if test.most == 1 {
						wantCode(t, err, test.code)
					} else if n := s.attempts(); err != nil || n != 3 {
						t.Errorf("after two faults: %d attempts, %v", n, err)
					}
				}
			})
		})
	}
}

// TestCancelledTransactions checks that a canceled transaction is retried only if all its reasons are
// transient.
func TestCancelledTransactions(t *testing.T) {
	const condition = "ConditionalCheckFailed"
	for _, test := range []struct {
		fault dynamotest.Interceptor
		most  int
		code  tracker.Code
		words string
	}{
		{cancelled("None", "TransactionConflict"), mostAttempts, tracker.Conflict, "too many requests"},
		{cancelled("ThrottlingError", "None"), mostAttempts, tracker.Unavailable, "overloaded"},
		{cancelled("ProvisionedThroughputExceeded", "TransactionConflict"), mostAttempts, tracker.Unavailable,
			"overloaded"},
		{cancelled("TransactionConflict", "RequestLimitExceeded"), mostAttempts, tracker.Unavailable,
			"overloaded"},
		{cancelled(condition), 1, tracker.Conflict, "claim"},
		{cancelled(condition, "TransactionConflict"), 1, tracker.Conflict, "claim"},
		{cancelled("ThrottlingError", condition), 1, tracker.Conflict, "name"},
		// the transaction has no third item
		{cancelled("ThrottlingError", "None", condition), 1, tracker.InternalErr, "cancelled"},
		{cancelled("TransactionConflict", "ValidationError"), 1, tracker.InternalErr, "cancelled"},
		{cancelled("ItemCollectionSizeLimitExceeded", "ThrottlingError"), 1, tracker.InternalErr,
			"cancelled"},
		{cancelled("SomethingNew"), 1, tracker.InternalErr, "cancelled"},
		{cancelled("None", "None"), 1, tracker.InternalErr, "cancelled"},
		{cancelled(), 1, tracker.InternalErr, "cancelled"},
	} {
		s := newScripted(t)
		synctest.Test(t, func(t *testing.T) {
			s.always = test.fault
			err := s.create(t.Context())
			body := string(test.fault(nil, nil).Body)
			if n := s.attempts(); n != test.most {
				t.Errorf("%s: %d attempts, want %d", body, n, test.most)
			}
			wantCode(t, err, test.code, test.words)
			if test.most > 1 {
				s.always, s.script = nil, []dynamotest.Interceptor{test.fault, test.fault}
				if err := s.create(t.Context()); err != nil || s.attempts() != 3 {
					t.Errorf("after %s twice: %v", body, err)
				}
			}
		})
	}
}

// TestLostResponsesStayUnknown checks that if the response to a write was lost and the retries end in
// conflicts, the error says that the item may have been written.
func TestLostResponsesStayUnknown(t *testing.T) {
	others := map[string]dynamotest.Interceptor{"transaction": cancelled("TransactionConflict"),
		"item": says("TransactionConflictException")}
	for name, first := range map[string]dynamotest.Interceptor{"lost": lost,
		"500": says("InternalServerError"), "hanging": hanging} {
		for conflict, then := range others {
			t.Run(name+" "+conflict, func(t *testing.T) {
				s := newScripted(t)
				synctest.Test(t, func(t *testing.T) {
					s.script = append([]dynamotest.Interceptor{first},
						slices.Repeat([]dynamotest.Interceptor{then}, mostAttempts-1)...)
					err := s.create(t.Context())
					if n := s.attempts(); n != mostAttempts || len(s.script) > 0 {
						t.Errorf("got %d attempts", n)
					}
					wantCode(t, err, tracker.Unavailable, "may have been written")
				})
			})
		}
	}
}

// TestCancelAfterLostResponse cancels the context of a write whose first response was lost, while the second
// attempt fails with a conflict.
func TestCancelAfterLostResponse(t *testing.T) {
	s := newScripted(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conflict := func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			cancel()
			return cancelled("TransactionConflict")(r, send)
		}
		s.script = []dynamotest.Interceptor{lost, conflict}
		wantCode(t, s.create(ctx), tracker.Unavailable)
		if n := s.attempts(); n != 2 {
			t.Errorf("got %d attempts, want 2", n)
		}
	})
}

// TestTokens checks that all attempts of a transaction have the same client request token, and that no two
// transactions share one.
func TestTokens(t *testing.T) {
	s := newScripted(t)
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]int{}
		for range 3 {
			s.script = []dynamotest.Interceptor{lost, cancelled("TransactionConflict"),
				says("ThrottlingException"), says("InternalServerError")}
			ok(t, s.create(t.Context()))
			for _, body := range s.bodies {
				seen[string(tokenOf(t, body))]++
			}
			s.attempts()
		}
		if got := slices.Collect(maps.Values(seen)); !slices.Equal(got, []int{5, 5, 5}) {
			t.Errorf("want 3 tokens, sent 5 times each, got %v", seen)
		}
	})
}

// TestPauses checks that pauses grow from attempt to attempt and use their full range, and that those after
// throttling are longer.
func TestPauses(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault dynamotest.Interceptor
		base  time.Duration
	}{
		{"failed", says("InternalServerError"), 25 * time.Millisecond},
		{"contended", cancelled("TransactionConflict"), 10 * time.Millisecond},
		{"throttled", says("ThrottlingException"), 50 * time.Millisecond},
		{"throttled transaction", cancelled("ThrottlingError"), 50 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			synctest.Test(t, func(t *testing.T) {
				const times = 100
				shares := make([][]float64, mostAttempts-1)
				for range times {
					s.always = test.fault
					s.create(t.Context())
					for n := range shares {
						most := min(test.base<<n, time.Second)
						shares[n] = append(shares[n], float64(s.sent[n+1].Sub(s.sent[n]))/float64(most))
					}
					s.recover()
				}
				for n, all := range shares {
					// The probability that none of 100 pauses is in the upper or lower fifth is below 1e-9.
					if low, high := slices.Min(all), slices.Max(all); low < 0 || low > 0.2 || high > 1 ||
						high < 0.8 {
						t.Errorf("pause %d is between %.2f and %.2f of its range", n+1, low, high)
					}
				}
			})
		})
	}
}

// TestDeadlines checks that no request is sent after the deadline, and that a call returns at once if its
// next pause would end after the deadline.
func TestDeadlines(t *testing.T) {
	for name, fault := range map[string]dynamotest.Interceptor{"failed": lost,
		"throttled": says("ThrottlingException"),
		"contended": cancelled("TransactionConflict"), "unprocessed": dynamotest.Unprocessed(func(int) int {
			return 0
		})} {
		for _, left := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond,
			500 * time.Millisecond} {
			t.Run(fmt.Sprint(name, " ", left), func(t *testing.T) {
				s := newScripted(t)
				synctest.Test(t, func(t *testing.T) {
					gaveUp := 0
					for range 20 {
						s.always = fault
						deadline := time.Now().Add(left)
						ctx, cancel := context.WithDeadline(t.Context(), deadline)
						var err error
						if name == "unprocessed" {
							_, err = s.store.Issues(ctx, []tracker.IssueID{{Project: project, Issue: "i1"}})
						} else {
							err = s.create(ctx)
						}
						last := s.sent[len(s.sent)-1]
						if !last.Before(deadline) || !time.Now().Equal(last) {
							t.Fatalf("the last attempt was %v before the deadline; the call returned %v "+
								"after it",
								deadline.Sub(last), time.Since(last))
						}
						if s.attempts() < mostAttempts {
							gaveUp++
							wantCode(t, err, tracker.Unavailable, "timed out")
						}
						cancel()
						s.recover()
					}
					if gaveUp == 0 {
						t.Error("no call ended because of the deadline")
					}
				})
			})
		}
	}
	t.Run("cancelled in a pause", func(t *testing.T) {
		s := newScripted(t)
		synctest.Test(t, func(t *testing.T) {
			s.always = says("ThrottlingException")
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Nanosecond, cancel)
			wantCode(t, s.create(ctx), tracker.Unavailable, "canceled")
			if n := s.attempts(); n != 1 {
				t.Errorf("got %d attempts, want 1", n)
			}
		})
	})
}

// TestHangingConnections checks that an attempt without a response ends early enough for another attempt.
func TestHangingConnections(t *testing.T) {
	hundred := make([]tracker.IssueID, 100)
	for n := range hundred {
		hundred[n] = tracker.IssueID{Project: project, Issue: fmt.Sprintf("i%d", n)}
	}
	for _, test := range []struct {
		name     string
		deadline time.Duration // 0 for none
		batch    bool
		takes    time.Duration // until the first attempt times out
	}{
		{"an item", 0, false, 5 * time.Second},
		{"an item, a minute left", time.Minute, false, 5 * time.Second},
		{"an item, four seconds left", 4 * time.Second, false, 2 * time.Second},
		{"an item, one and a half left", 1500 * time.Millisecond, false, time.Second},
		{"a hundred", 0, true, 10 * time.Second},
		{"a hundred, four seconds left", 4 * time.Second, true, 2 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			synctest.Test(t, func(t *testing.T) {
				s.script = []dynamotest.Interceptor{hanging}
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				var err error
				if test.batch {
					_, err = s.store.Issues(ctx, hundred)
				} else {
					err = s.reserve(ctx)
				}
				if err != nil || len(s.sent) != 2 {
					t.Fatalf("%d attempts, %v", len(s.sent), err)
				}
				if took := s.sent[1].Sub(s.sent[0]); took < test.takes ||
					took >= test.takes+25*time.Millisecond {
					t.Errorf("the second attempt came after %v, want %v and a pause", took, test.takes)
				}
			})
		})
	}
	t.Run("in every attempt", func(t *testing.T) {
		s := newScripted(t)
		synctest.Test(t, func(t *testing.T) {
			s.always = hanging
			deadline := time.Now().Add(10 * time.Second)
			ctx, cancel := context.WithDeadline(t.Context(), deadline)
			defer cancel()
			wantCode(t, s.reserve(ctx), tracker.Unavailable)
			// The attempts end after 5, 7.5, 8.75 and 9.75 s plus pauses. If there is time left, a fifth one
			// ends at the deadline.
			if n := s.attempts(); n < 4 || n > 5 || time.Now().After(deadline) {
				t.Errorf("%d attempts, %v after the deadline", n, time.Since(deadline))
			}
		})
	})
}
