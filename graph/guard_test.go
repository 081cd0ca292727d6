package graph_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// fewer is the factor by which tier one makes fewer attacks.
var fewer = tier.Cases(50, 1)

var (
	// attacksMade is the number of attacks that TestAttacks runs.
	attacksMade = 10_000
	// cpuLimit is the maximum cost of a request of at most 256 KiB, accepted or refused. It is CPU time of
	// all threads of this process, not elapsed time, on a machine whose slowness is 1.
	cpuLimit = 50 * time.Millisecond
)

const (
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
	if !tier.Verifying() {
		return made(a, h), 0
	}
	var w *httptest.ResponseRecorder
	least := time.Duration(0)
	for n := range 1 + measurements {
		if n > 0 {
			runtime.GC() // so that the request does not pay for earlier garbage
		}
		before := cpu(t)
		w = made(a, h)
		took := cpu(t) - before
		if took > cpuLimit {
			took = usual(t, took)
		}
		if n == 0 || took < least {
			least = took
		}
		if least <= cpuLimit {
			break
		}
	}
	return w, least
}

// harmless returns an error unless the response to an attack is short and has data or errors with codes.
func harmless(w *httptest.ResponseRecorder) error {
	switch w.Code {
	case http.StatusOK, http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge:
	default:
		return fmt.Errorf("status %d", w.Code)
	}
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		return err
	}
	if a.Data == nil && len(a.Errors) == 0 || len(a.Errors) > 20 || w.Body.Len() > answerLimit {
		return fmt.Errorf("%d bytes, %d errors", w.Body.Len(), len(a.Errors))
	}
	for _, e := range a.Errors {
		code, _ := e.Extensions["code"].(string)
		switch tracker.Code(code) {
		case tracker.BadInput, tracker.NotFound, tracker.Conflict, tracker.Forbidden, notPersisted:
		default:
			return fmt.Errorf("code %q: %s", code, e.Message)
		}
		if len(e.Message) > 600 {
			return fmt.Errorf("a message of %d bytes", len(e.Message))
		}
	}
	return nil
}

// measured is the cost of an attack.
type measured struct {
	family string
	seed   uint64
	bytes  int // size of the request
	answer int
	cpu    time.Duration
	shown  string // the beginning of the response
}

func TestAttacks(t *testing.T) {
	if len(guardtest.Families) < 30 {
		t.Fatalf("%d families", len(guardtest.Families))
	}
	db, _ := dynamotest.Open(t)
	h := handler(db)
	names := slices.Sorted(maps.Keys(guardtest.Families))
	var all []measured
	largest := 0
	for i := range attacksMade / fewer {
		family, seed := names[i%len(names)], uint64(i/len(names))
		a := guardtest.New(family, seed)
		w, cost := cost(t, a, h)
		if err := harmless(w); err != nil {
			t.Errorf("%s, seed %d: %v\n%.300s\n%.300s", family, seed, err, a.Body, w.Body)
		}
		largest = max(largest, w.Body.Len())
		all = append(all, measured{family, seed, len(a.Body) + len(a.URL), w.Body.Len(), cost,
			fmt.Sprintf("%.160s", w.Body)})
	}
	slices.SortFunc(all, func(a, b measured) int { return int(b.cpu - a.cpu) })
	for i, m := range all {
		if i < 10 {
			t.Logf("%v: %s, seed %d, %d bytes, response %d: %s", m.cpu, m.family, m.seed, m.bytes, m.answer,
				m.shown)
		}
		if m.cpu > cpuLimit {
			t.Errorf("%s, seed %d, costs %v", m.family, m.seed, m.cpu)
		}
	}
	t.Logf("the longest response has %d bytes", largest)
}
