package httpd

import (
	"context"
	"errors"
	"testing"
	"time"

	"issuegrid/tracker"
)

// TestPatience checks that work is tried again after the time that its error names, until it ends otherwise
// or has waited for as long as it may: for the server and for its tenant separately.
func TestPatience(t *testing.T) {
	busy := &tracker.Error{Code: tracker.Unavailable, RetryAfter: 2 * time.Second}
	limited := &tracker.Error{Code: tracker.RateLimited, RetryAfter: 3 * time.Second}
	broken := &tracker.Error{Code: tracker.Unavailable}
	for name, c := range map[string]struct {
		errs   []error // of the calls, of which the last repeats
		calls  int
		waited time.Duration
		want   error
	}{
		"at once":            {[]error{nil}, 1, 0, nil},
		"another error":      {[]error{broken}, 1, 0, broken},
		"busy for a while":   {[]error{busy, busy, nil}, 3, 4 * time.Second, nil},
		"busy for too long":  {[]error{busy}, 3, 4 * time.Second, busy},
		"both":               {[]error{busy, limited, busy, limited, nil}, 5, 10 * time.Second, nil},
		"limited too long":   {[]error{limited}, 4, 9 * time.Second, limited},
		"busy and then else": {[]error{busy, broken}, 2, 2 * time.Second, broken},
	} {
		calls, waited := 0, time.Duration(0)
		wait := func(_ context.Context, d time.Duration) error { waited += d; return nil }
		limits := patience{server: 5 * time.Second, tenant: 9 * time.Second}
		err := limits.call(t.Context(), wait, func() error {
			calls++
			return c.errs[min(calls, len(c.errs))-1]
		})
		if err != c.want || calls != c.calls || waited != c.waited {
			t.Errorf("%s: %d calls, waited %v: %v", name, calls, waited, err)
		}
	}
	gone := errors.New("gone")
	leave := func(context.Context, time.Duration) error { return gone }
	limits := patience{server: time.Minute}
	if err := limits.call(t.Context(), leave, func() error { return busy }); err != gone {
		t.Error(err)
	}
}
