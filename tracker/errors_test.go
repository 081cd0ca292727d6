package tracker_test

import (
	"errors"
	"testing"
	"time"

	"issuegrid/tracker"
)

func TestRetryAfter(t *testing.T) {
	soon, later := &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second},
		&tracker.Error{Code: tracker.RateLimited, RetryAfter: time.Minute}
	for _, c := range []struct {
		name string
		err  error
		want time.Duration
	}{
		{"none", nil, 0},
		{"another error", errors.New("x"), 0},
		{"an error without a delay", tracker.Missing("issue"), 0},
		{"an error with a delay", soon, time.Second},
		{"several errors", tracker.Errors{soon, later, tracker.Missing("issue")}, time.Minute},
		{"several errors without a delay", tracker.Errors{tracker.Missing("issue"), tracker.Missing("field")},
			0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tracker.RetryAfter(c.err); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
