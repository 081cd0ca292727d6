package graph_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// fewer is the factor by which tier one makes fewer attacks.
var fewer = tier.Cases(100, 1)

const (
	// cpuLimit is the maximum cost of a request of at most 256 KiB, accepted or refused. It is CPU time of
	// all threads of this process, not elapsed time, on a machine whose slowness is 1.
	cpuLimit = 50 * time.Millisecond
	// answerLimit is the maximum size in bytes of the response to an attack.
	answerLimit = 2 << 20
	// measurements is the number of times that a request beyond the limit is measured again, because other
	// processes disturb a measurement.
	measurements = 10
)

// made sends an attack to a handler.
func made(a guardtest.Attack, h http.Handler) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(a.Body))
	if a.URL != "" {
		r = httptest.NewRequest(http.MethodGet, a.URL, nil)
	}
	r.Header.Set("Content-Type", jsonType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// cost sends an attack and returns the CPU time that it took, which is not measured in tier one.
func cost(t testing.TB, a guardtest.Attack, h http.Handler) (*httptest.ResponseRecorder, time.Duration) {
	var w *httptest.ResponseRecorder
	measure := func(int) time.Duration {
		before := cpu(t)
		w = made(a, h)
		return cpu(t) - before
	}
	took := measure(0)
	if !tier.Verifying() {
		return w, 0
	}
	return w, settled(t, took, cpuLimit, measure)
}

// settled returns a CPU time that was just measured. If it is beyond the limit, but not far beyond, it is
// measured again up to `measurements` times, and the smallest one counts.
func settled(t testing.TB, took, limit time.Duration, again func(n int) time.Duration) time.Duration {
	if took > limit {
		took = usual(t, took)
	}
	for n := 1; n <= measurements && took > limit && took < 4*limit; n++ {
		runtime.GC() // so that the request does not pay for earlier garbage
		took = min(took, usual(t, again(n)))
	}
	return took
}

// harmless returns an error if the response to an attack on an empty table has a defect, is long, or is that
// of a server that has too much to do.
func harmless(w *httptest.ResponseRecorder) error {
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		return err
	}
	if err := defect(w.Code, a, w.Body.Len()); err != nil {
		return err
	}
	if w.Body.Len() > answerLimit || w.Code > http.StatusRequestEntityTooLarge {
		return fmt.Errorf("status %d, %d bytes", w.Code, w.Body.Len())
	}
	for _, e := range a.Errors {
		switch tracker.Code(fmt.Sprint(e.Extensions["code"])) {
		case tracker.BadInput, tracker.NotFound, tracker.Conflict, tracker.Forbidden, notPersisted:
		default:
			return fmt.Errorf("code %v: %s", e.Extensions["code"], e.Message)
		}
	}
	return nil
}
