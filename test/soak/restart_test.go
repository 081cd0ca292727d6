//go:build unix

package soak

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
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

// editor repeatedly changes an issue and reads it, and counts failures.
type editor struct {
	t                *testing.T
	client           *http.Client
	url, tenant, key string
	answers          *atomic.Int64
}

// ask sends an operation once. Everything but a response without errors counts as a failure.
func (e *editor) ask(query string, variables map[string]any, into any) bool {
	response, text, err := harness.Exchange(e.t.Context(), e.client, e.url, "", query, variables)
	if response == nil {
		e.t.Errorf("%s: %v", e.key, err)
		return false
	}
	answer := struct{ Data, Errors json.RawMessage }{}
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err == nil && answer.Errors == nil {
		err = json.Unmarshal(answer.Data, into)
	}
	if err != nil || answer.Errors != nil || response.StatusCode != http.StatusOK {
		e.t.Errorf("%s: %s, %v: %.300s", e.key, response.Status, err, text)
		return false
	}
	e.answers.Add(1)
	return true
}

// edit works until stop is closed or an operation fails.
func (e *editor) edit(stop <-chan struct{}) {
	var project struct {
		CreateProject struct{ Project struct{ ID string } }
	}
	if !e.ask(
		`mutation($t: ID!, $k: String!) { createProject(input: {tenant: $t, key: $k, name: $k, states: [{name: "Open", open: true}]}) { project { id } } }`,
		map[string]any{"t": e.tenant, "k": e.key}, &project) {
		return
	}
	in := map[string]any{"p": project.CreateProject.Project.ID}
	var made struct {
		CreateIssue struct{ Issue struct{ ID string } }
	}
	if !e.ask(`mutation($p: ID!) { createIssue(input: {project: $p, issue: {name: "0"}}) { issue { id } } }`,
		in, &made) {
		return
	}
	for n := int64(1); ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		type issue struct {
			Name    string
			Version int64
		}
		var changed struct{ UpdateIssue struct{ Issue issue } }
		want := issue{strconv.FormatInt(n, 10), n + 1}
		if !e.ask(
			`mutation($i: ID!, $n: String!, $v: Int!) { updateIssue(input: {id: $i, name: $n, expectedVersion: $v}) { issue { name version } } }`,
			map[string]any{"i": made.CreateIssue.Issue.ID, "n": want.Name, "v": n}, &changed) {
			return
		}
		var grid struct {
			Project struct{ Issues struct{ Nodes []issue } }
		}
		if !e.ask(`query($p: ID!) { project(id: $p) { issues(first: 10) { nodes { name version } } } }`, in,
			&grid) {
			return
		}
		if got := grid.Project.Issues.Nodes; changed.UpdateIssue.Issue != want || len(got) != 1 ||
			got[0] != want {
			e.t.Errorf("%s: changed to %+v, and the grid shows %+v; want %+v", e.key,
				changed.UpdateIssue.Issue, got, want)
			return
		}
	}
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
	var editors sync.WaitGroup
	var answers atomic.Int64
	stop := make(chan struct{})
	for n := range 6 {
		e := &editor{t: t, client: &http.Client{Transport: &http.Transport{}}, url: b.URL,
			tenant: made.CreateTenant.Tenant.ID, key: fmt.Sprint("E", n), answers: &answers}
		editors.Go(func() {
			defer e.client.CloseIdleConnections()
			e.edit(stop)
		})
	}
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
	close(stop)
	editors.Wait()
	t.Logf("%d restarts, %d requests", restarts, answers.Load())
}
