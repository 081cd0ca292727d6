package guard_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/guard"
)

// deadline records the deadline for the body of a request.
type deadline struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadline) SetReadDeadline(at time.Time) error { d.at = at; return nil }

// TestTimeForBodies checks that the time to send a body depends on its length, and not on the longest one
// that is allowed.
func TestTimeForBodies(t *testing.T) {
	l := guard.DefaultLimits()
	for _, test := range []struct {
		length int64
		want   time.Duration
	}{{0, 15 * time.Second}, {1000, 15 * time.Second}, {1 << 20, (15 + 32) * time.Second},
		{-1, (15 + 96) * time.Second}, {1 << 40, (15 + 96) * time.Second}} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(""))
		r.ContentLength = test.length
		d := &deadline{ResponseRecorder: httptest.NewRecorder()}
		before := time.Now()
		l.Receive(d, r)
		if after := time.Now(); d.at.Before(before.Add(test.want)) || d.at.After(after.Add(test.want)) {
			t.Errorf("%d bytes: %v, want %v", test.length, d.at.Sub(before), test.want)
		}
	}
}
