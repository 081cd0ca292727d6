//go:build unix

package soak

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/editor"
	"issuegrid/test/harness"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

const (
	// soakTenants is the number of tenants, each with its own project. soakClients is their total number of
	// clients.
	soakTenants, soakClients = 3, 15
	// recovery is how long requests may still fail after an outage of the engine.
	recovery = 10 * time.Second
)

// season is a part of a soak: the durations of a calm period, of faults, of an outage of the engine, and of
// the calm period that follows the recovery.
type season struct{ calm, storm, outage, after time.Duration }

// seasons returns the seasons of a soak: one of a few seconds by default, or several of whole minutes, of
// which the first and the last have an outage of 30 seconds.
func seasons(t *testing.T) (all []season) {
	text := os.Getenv("ISSUEGRID_SOAK")
	if text == "" {
		return []season{{2 * time.Second, 3 * time.Second, 2 * time.Second, 2 * time.Second}}
	}
	length, err := time.ParseDuration(text)
	minutes := int(length / time.Minute)
	if err != nil || minutes < 1 {
		t.Fatalf("ISSUEGRID_SOAK is %q; it must be a time of whole minutes such as 10m", text)
	}
	for n := range minutes {
		if n == 0 || n == minutes-1 {
			all = append(all, season{5 * time.Second, 10 * time.Second, 30 * time.Second, 5 * time.Second})
		} else {
			all = append(all, season{calm: 5 * time.Second, storm: 40 * time.Second, after: 5 * time.Second})
		}
	}
	return all
}

// soak is a server at full load, with a fault-injecting proxy between it and its engine.
type soak struct {
	t       *testing.T
	url     string
	metrics string
	proxy   *dynamotest.Proxy
	client  *http.Client
	// period is incremented whenever faults begin or end. In even periods every request must succeed.
	period             atomic.Int64
	answered, failures [3]atomic.Int64 // by kind of period
	stop               chan struct{}
}

// The kinds of periods.
const (
	fair = iota
	foul
	dead // the engine does not respond; a request that begins then may still succeed when the engine is back
)

func (s *soak) enter(kind int64) { s.period.Store((s.period.Load()/3+1)*3 + kind) }

// pass sleeps. The duration of a soak is real time.
func (s *soak) pass(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.t.Context().Done():
	}
}

// ask sends an operation once and reports whether it succeeded. It fails the test on an error that is not
// marked as temporary, and on any error if no fault was active since the request was sent.
func (s *soak) ask(token, query string, variables map[string]any, into any) bool {
	period := s.period.Load()
	response, text, err := harness.Exchange(s.t.Context(), s.client, s.url, token, query, variables)
	if response == nil {
		s.t.Errorf("no response: %v", err)
		return false
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code tracker.Code }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		s.t.Errorf("%s, %v: %.300s", response.Status, err, text)
		return false
	}
	if len(answer.Errors) == 0 {
		if err := json.Unmarshal(answer.Data, into); err != nil {
			s.t.Errorf("%v: %.300s", err, text)
		}
		s.answered[period%3].Add(1)
		return true
	}
	s.failures[period%3].Add(1)
	for _, e := range answer.Errors {
		if e.Extensions.Code != tracker.Unavailable {
			s.t.Errorf("%s: %.500s", query[:min(len(query), 60)], text)
			break
		}
	}
	if period%3 == fair && s.period.Load() == period {
		s.t.Errorf("with nothing in the way: %s, %.500s", response.Status, text)
	}
	return false
}

// editor returns a client that sends its operations until they succeed.
func (s *soak) editor(rng *rand.Rand, token, project string) *editor.Editor {
	return &editor.Editor{T: s.t, Rng: rng, Project: project,
		Send: func(query string, variables map[string]any, into any) bool {
			for !s.t.Failed() {
				if s.ask(token, query, variables, into) {
					return true
				}
				s.pass(20 * time.Millisecond)
			}
			return false
		}}
}

// run lets a client work until the soak stops.
func (s *soak) run(e *editor.Editor) {
	for !s.t.Failed() {
		select {
		case <-s.stop:
			return
		default:
			e.Step()
		}
	}
}

// weather draws faults of every kind.
func weather(rng *rand.Rand) dynamotest.Faults {
	some := func() float64 { return 0.04 * rng.Float64() }
	return dynamotest.Faults{Latency: time.Duration(1+rng.IntN(10)) * time.Millisecond, DropBefore: some(),
		DropAfter: some(), ErrorBefore: some(), ErrorAfter: some(),
		Throttle: some(), Conflict: 3 * some(), Partial: 5 * some()}
}

// missing returns the kinds of faults that no request has had.
func (s *soak) missing() []dynamotest.Fault {
	injected := s.proxy.Injected()
	return slices.DeleteFunc([]dynamotest.Fault{dynamotest.Latency, dynamotest.DropBefore,
		dynamotest.DropAfter, dynamotest.ErrorBefore, dynamotest.ErrorAfter, dynamotest.Throttle,
		dynamotest.Conflict, dynamotest.Partial},
		func(f dynamotest.Fault) bool { return injected[f] > 0 })
}

// heap regularly measures the live heap of the server until done is closed, and returns the median.
func (s *soak) heap(done <-chan struct{}) float64 {
	var all []float64
	for {
		series := harness.Scrape(s.t, s.metrics)
		all = append(all, series["go_gc_heap_live_bytes"])
		select {
		case <-done:
			slices.Sort(all)
			return all[len(all)/2]
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// during runs f and returns the size of the live heap meanwhile.
func (s *soak) during(f func()) float64 {
	done, heap := make(chan struct{}), make(chan float64, 1)
	go func() { heap <- s.heap(done) }()
	f()
	close(done)
	return <-heap
}

// TestSoak keeps a server at full load, with faults of all kinds between it and its engine, and an outage. It
// compares every response with what the client has written. No response may be wrong, and every request must
// succeed that begins while no fault is active, from 10 seconds after an outage. In the end no goroutine may
// be left, and the live heap must not have grown. ISSUEGRID_SOAK=10m makes the test longer.
func TestSoak(t *testing.T) {
	tier.Verify(t, "it lasts a minute and asserts what happens in time after an outage")
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	engine := harness.StartEngine(t)
	proxy := dynamotest.NewProxy(t, engine.URL(), seed)
	harness.Start(t, []string{"table", "create", "--endpoint", proxy.URL()}).Wants(0)
	i := harness.NewIssuer(t)
	p := harness.Start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--endpoint", proxy.URL(),
		"--metrics-addr", "127.0.0.1:0", "--tenant-rcu", "0", "--tenant-wcu", "0", "--log-format", "text",
		"--log-level", "error"},
		i.Flags()...), harness.Own)
	s := &soak{t: t, url: p.Serving(), metrics: p.Noted("Metrics on "), proxy: proxy,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: soakClients}},
		stop:   make(chan struct{})}
	var clients []*editor.Editor
	for n := range soakTenants {
		claim := fmt.Sprint("tenant", n)
		var made struct {
			CreateTenant struct{ Tenant struct{ ID string } }
		}
		if !s.ask(i.Token("operator", ""),
			`mutation($c: String!) { createTenant(input: {name: $c, claim: $c}) { tenant { id } } }`,
			map[string]any{"c": claim}, &made) {
			t.FailNow()
		}
		for c := range soakClients / soakTenants {
			client := s.editor(rand.New(rand.NewPCG(seed, uint64(1+len(clients)))), i.Token("admin", claim),
				fmt.Sprint("P", c))
			client.SetUp(made.CreateTenant.Tenant.ID, 2, 40)
			clients = append(clients, client)
		}
	}
	if t.Failed() {
		return
	}
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { s.run(c) })
	}
	var before, after float64
	for n, season := range seasons(t) {
		s.enter(fair)
		calm := s.during(func() { s.pass(season.calm) })
		if n == 0 {
			before = calm
		}
		s.enter(foul)
		// A slow server receives so few requests that a kind of fault may take longer to occur.
		for passed := time.Duration(0); passed < season.storm ||
			passed < season.storm+time.Minute && len(s.missing()) > 0; passed += time.Second {
			proxy.SetFaults(weather(rng))
			s.pass(time.Second)
		}
		proxy.SetFaults(dynamotest.Faults{})
		if season.outage > 0 {
			proxy.Down()
			s.enter(dead)
			s.pass(season.outage)
			s.enter(foul)
			proxy.Up()
		}
		s.pass(recovery)
		s.enter(fair)
		after = s.during(func() { s.pass(season.after) })
		if t.Failed() {
			break
		}
	}
	close(s.stop)
	all.Wait()
	pages, counts, histories := 0, 0, 0
	for _, c := range clients {
		pages, counts, histories = pages+c.Pages, counts+c.Counts, histories+c.Histories
	}
	t.Logf("answered %d fair, %d foul, %d dead; failed %d, %d, %d; pages %d, counts %d, histories %d; "+
		"faults %v; live heap %.1f MB, then %.1f MB", s.answered[fair].Load(), s.answered[foul].Load(),
		s.answered[dead].Load(), s.failures[fair].Load(), s.failures[foul].Load(), s.failures[dead].Load(),
		pages, counts, histories, proxy.Injected(), before/1e6, after/1e6)
	if missing := s.missing(); len(missing) > 0 {
		t.Errorf("no request had the faults %q", missing)
	}
	if s.failures[foul].Load()+s.failures[dead].Load() == 0 || pages == 0 || counts == 0 || histories == 0 {
		t.Error("an operation or kind of period did not occur")
	}
	if after > 1.3*before+4e6 {
		t.Errorf("%.1f MB live on the heap in the end, %.1f MB in the beginning", after/1e6,
			before/1e6)
	}
	s.client.CloseIdleConnections()
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
}
