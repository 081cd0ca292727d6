//go:build unix

package soak

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

// balancer is a load balancer. It sends each request once, in rotation to the servers that were ready when
// last checked.
type balancer struct {
	*httptest.Server
	mu    sync.Mutex
	ready []string
	next  int
	looks sync.WaitGroup
}

const (
	// lookEvery is the interval of the readiness checks. drainDelay is how long a stopping server waits for
	// them; it is much longer because the machine may be busy.
	lookEvery  = 10 * time.Millisecond
	drainDelay = time.Second
)

func newBalancer(t *testing.T) *balancer {
	b := &balancer{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			if to, err := url.Parse(b.pick()); err == nil {
				r.SetURL(to)
			}
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
	b.Server = httptest.NewServer(forward)
	t.Cleanup(func() {
		b.Close()
		b.looks.Wait()
	})
	return b
}

func (b *balancer) pick() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return ""
	}
	b.next++
	return b.ready[b.next%len(b.ready)]
}

// serves reports whether a server receives requests.
func (b *balancer) serves(server string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.ready, server)
}

// add checks the readiness of a server until it exits.
func (b *balancer) add(p *harness.Process) {
	server, client := p.URL(), &http.Client{Transport: &http.Transport{}}
	b.looks.Go(func() {
		defer client.CloseIdleConnections()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			r, err := client.Get(server + "/readyz")
			ready := err == nil && r.StatusCode == http.StatusOK
			if err == nil {
				r.Body.Close()
			}
			b.mu.Lock()
			if at := slices.Index(b.ready, server); ready && at < 0 {
				b.ready = append(b.ready, server)
			} else if !ready && at >= 0 {
				b.ready = slices.Delete(b.ready, at, at+1)
			}
			b.mu.Unlock()
			select {
			case <-tick.C:
			case <-p.Ended:
				return
			}
		}
	})
}

// TestRollingRestarts restarts two servers of a load balancer in turn while clients change and read issues.
// It verifies that no request fails and none is sent twice. ISSUEGRID_RESTARTS sets the number of restarts.
func TestRollingRestarts(t *testing.T) {
	tier.Verify(t, "a load balancer must notice a restart in time")
	t.Parallel()
	restarts := 6
	if text := os.Getenv("ISSUEGRID_RESTARTS"); text != "" {
		var err error
		if restarts, err = strconv.Atoi(text); err != nil || restarts < 1 {
			t.Fatalf("ISSUEGRID_RESTARTS is %q", text)
		}
	}
	engine := harness.StartEngine(t)
	harness.Start(t, []string{"table", "create", "--endpoint", engine.URL()}).Wants(0)
	b := newBalancer(t)
	begin := func() *harness.Process {
		p := harness.Start(t, []string{"serve", "--addr", "127.0.0.1:0", "--endpoint", engine.URL(),
			"--drain-delay", drainDelay.String()})
		b.add(p)
		p.Serving()
		harness.Eventually(t, "the balancer sends requests to the server", func() bool {
			return b.serves(p.URL())
		})
		return p
	}
	servers := []*harness.Process{begin(), begin()}
	made := harness.Ask[struct {
		CreateTenant struct{ Tenant struct{ ID string } }
	}](t, b.URL, `mutation {createTenant(input: {name: "Ever"}) {tenant {id}}}`)
	s := &soak{t: t, url: b.URL, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 6}},
		stop: make(chan struct{})} // in a fair period: every request must succeed
	var editors sync.WaitGroup
	for n := range 6 {
		e := s.editor(rand.New(rand.NewPCG(uint64(n), 0)), "", fmt.Sprint("E", n))
		editors.Go(func() {
			e.SetUp(made.CreateTenant.Tenant.ID, 1, 10)
			s.run(e)
		})
	}
	answers := &s.answered[fair]
	for n := range restarts {
		before := answers.Load()
		harness.Eventually(t, "clients are at work", func() bool {
			return answers.Load() > before+50 || t.Failed()
		})
		servers[n%2].Signal(syscall.SIGTERM)
		servers[n%2].Wants(0)
		servers[n%2] = begin()
		if t.Failed() {
			break
		}
	}
	close(s.stop)
	editors.Wait()
	s.client.CloseIdleConnections()
	t.Logf("%d restarts, %d requests", restarts, answers.Load())
}
