package graph_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/internal/account"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// littleCost and littleCalls are the maximum capacity units and calls of an operation that counts as refused:
// definitions are read before an operation can be refused. DynamoDB Local bills nothing for items that do not
// exist.
const (
	littleCost  = 10
	littleCalls = 20
)

// mostUncounted is the maximum ratio of the CPU time of an operation, less the limit of a refusal, to the
// counted CPU time. It ensures that no expensive work goes uncounted.
const mostUncounted = 3

// budgetLimit is the maximum cost of an accepted operation: its budget and the cost of a refusal.
const budgetLimit = 21 * cpuLimit

// outcome is the result of an attack.
type outcome struct {
	attack         guardtest.Attack // nothing once it was refused, because all bodies together are 4 GB
	family, manner string
	size, length   int    // of the request and the response
	shown          string // the beginning of the response
	cpu, counted   time.Duration
	units          float64 // capacity units read and written
	executed       bool    // there is data, if only nulls
	nothing        bool    // nothing was executed
	refused        bool    // has errors or nothing was executed, and almost nothing was read
	wrong          error
}

// limit returns the maximum CPU time. If fields were executed and each was refused, what is counted comes on
// top, up to half the limit: the tenant pays for it.
func (o *outcome) limit() time.Duration {
	switch {
	case o.refused && o.executed:
		return cpuLimit + min(o.counted, cpuLimit/2)
	case o.refused:
		return cpuLimit
	}
	return min(budgetLimit, cpuLimit+mostUncounted*o.counted)
}

func (o *outcome) String() string {
	class := "answered"
	if o.refused {
		class = "refused"
	}
	return fmt.Sprintf("%v of %v, %v counted, %s, %.0f units: %s, %s, %d bytes, answer %d: %s", o.cpu,
		o.limit(), o.counted, class, o.units, o.family, o.manner, o.size, o.length, o.shown)
}

// againstData sends attacks to a handler.
type againstData struct {
	http.Handler
	all    []*outcome
	failed map[string]int // by family
	steps  int            // number of values sent, or skipped in tier one
}

// attackWith sends a request with a context and an account with the default limits, and requests its cost. It
// also returns the CPU time that was counted.
func (d *againstData) attackWith(ctx context.Context, a guardtest.Attack) (*httptest.ResponseRecorder,
	time.Duration) {
	counted := account.New("attacker", account.Limits{CPU: account.DefaultCPU, Memory: account.DefaultMemory},
		nil, nil)
	defer counted.Close()
	ctx = account.With(ctx, counted)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(a.Body))
	if a.URL != "" {
		r = httptest.NewRequestWithContext(ctx, http.MethodGet, a.URL, nil)
	}
	r.Header.Set("Content-Type", jsonType)
	r.Header.Set(graph.CostHeader, "1")
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w, counted.CPU()
}

// make runs an attack and records its outcome.
func (d *againstData) make(t testing.TB, family, manner string, a guardtest.Attack) *outcome {
	t.Helper()
	return d.record(t, family, manner, d.measure(t, a))
}

// record stores an outcome. An attack that exceeds its limit is repeated with leading blanks, because a valid
// query is not parsed again.
func (d *againstData) record(t testing.TB, family, manner string, o *outcome) *outcome {
	t.Helper()
	a := o.attack
	o.family, o.manner = family, manner
	if o.wrong == nil && tier.Verifying() {
		o.cpu = settled(t, o.cpu, o.limit(), func(n int) time.Duration {
			return d.measure(t, guardtest.Attack{Body: strings.Replace(a.Body, `"query":"`,
				`"query":"`+strings.Repeat(" ", n), 1), URL: a.URL}).cpu
		})
	}
	if o.wrong == nil && o.cpu > o.limit() {
		o.wrong = fmt.Errorf("the limit is %v", o.limit())
	}
	if o.wrong != nil {
		d.failed[family]++
		t.Errorf("%v: %v\n%.300s", o.wrong, o, a.Body+a.URL)
	}
	if o.refused {
		o.attack = guardtest.Attack{}
	}
	d.all = append(d.all, o)
	return o
}

func (d *againstData) measure(t testing.TB, a guardtest.Attack) *outcome {
	before := cpu(t)
	w, counted := d.attackWith(t.Context(), a)
	took := cpu(t) - before
	if !tier.Verifying() {
		took = counted
	}
	o := &outcome{attack: a, counted: counted, cpu: took, size: len(a.Body) + len(a.URL),
		length: w.Body.Len(), shown: string(w.Body.Bytes()[:min(160, w.Body.Len())])}
	var got answer
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		o.wrong = err
		return o
	}
	written, calls := 0.0, 0
	if c := got.Extensions.Cost; c != nil {
		o.units, written = c.RCU+c.WCU, c.WCU
		for _, n := range c.Calls {
			calls += n
		}
	}
	o.executed = len(got.Data) > 0 && string(got.Data) != "null"
	o.nothing = len(got.Errors) > 0 && nothingIn(got.Data) ||
		strings.HasPrefix(a.Body, `{"query":"mutation`) && written == 0
	o.refused = o.units <= littleCost && calls <= littleCalls && (len(got.Errors) > 0 || o.nothing)
	o.wrong = defect(w.Code, got, o.length)
	return o
}

// nothingIn reports whether data contains only nulls.
func nothingIn(data json.RawMessage) bool {
	var of map[string]json.RawMessage
	switch {
	case len(data) == 0 || string(data) == "null":
		return true
	case len(data) > 10_000 || json.Unmarshal(data, &of) != nil:
		return false
	}
	for _, v := range of {
		if !nothingIn(v) {
			return false
		}
	}
	return true
}

// defect returns an error if a response is malformed. A response must have data, or errors with codes, none
// of which is INTERNAL.
func defect(status int, a answer, bytes int) error {
	switch status {
	case http.StatusOK, http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusServiceUnavailable:
	default:
		return fmt.Errorf("status %d", status)
	}
	switch {
	case a.Data == nil && len(a.Errors) == 0, len(a.Errors) > 20:
		return fmt.Errorf("%d bytes of data, %d errors", len(a.Data), len(a.Errors))
	case bytes > guard.DefaultLimits().Answer+guard.DefaultLimits().Answer/8:
		return fmt.Errorf("%d bytes", bytes)
	}
	for _, e := range a.Errors {
		if code, _ := e.Extensions["code"].(string); code == "" || code == string(tracker.InternalErr) {
			return fmt.Errorf("code %q: %s", code, e.Message)
		}
		if len(e.Message) > 600 {
			return fmt.Errorf("a message of %d bytes", len(e.Message))
		}
	}
	return nil
}

// worst are all outcomes, those that are closest to their limit first.
func (d *againstData) worst() []*outcome {
	share := func(o *outcome) float64 { return float64(o.cpu) / float64(o.limit()) }
	return slices.SortedFunc(slices.Values(d.all), func(a, b *outcome) int {
		return cmp.Compare(share(b), share(a))
	})
}
