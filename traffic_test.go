//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/account"
	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/tracker"
)

// TestRateLimit lets a tenant consume what it may, tells it how it stands, and refuses it then; another tenant, and the operator, go on.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, append(serveArgs(t.TempDir(), "--no-sample", "--tenant-rcu", "1", "--tenant-wcu", "1"), i.flags()...))
	url := p.serving()
	operator := i.token("operator", "")
	for _, claim := range []string{"acme", "rival"} {
		if _, _, answer := as(t, url, operator, `mutation { createTenant(input: {name: "T", claim: "`+claim+`"}) { tenant { id } } }`); strings.Contains(answer, "errors") {
			t.Fatal(answer)
		}
	}
	admin := i.token("admin", "acme")
	left := 10
	for n := 0; ; n++ {
		status, header, answer := as(t, url, admin, `{ viewer { tenant { projects { nodes { id } } } readCapacity { limit remaining } } }`)
		if status == http.StatusTooManyRequests {
			if after, err := strconv.Atoi(header.Get("Retry-After")); err != nil || after < 1 || !strings.Contains(answer, string(tracker.RateLimited)) || header.Get("RateLimit-Remaining") != "0" {
				t.Errorf("%v, %s", header, answer)
			}
			break
		}
		remaining, err := strconv.Atoi(header.Get("RateLimit-Remaining"))
		if err != nil || remaining > left || header.Get("RateLimit-Limit") != "10" || !strings.Contains(answer, `"limit":10`) {
			t.Fatalf("request %d: %v, %s", n, header, answer)
		}
		left = remaining
	}
	for n := 0; ; n++ { // a mutation that writes what is left
		status, header, answer := as(t, url, i.token("admin", "rival"), `mutation { updateTenant(input: {id: "VHJpdmFs", name: "T`+strconv.Itoa(n)+`"}) { tenant { id } } }`)
		if status == http.StatusTooManyRequests {
			if header.Get("RateLimit-Remaining") != "0" || header.Get("RateLimit-Limit") != "10" || header.Get("Retry-After") == "" || !strings.Contains(answer, "write capacity") {
				t.Errorf("a refused mutation: %v, %s", header, answer)
			}
			break
		}
		if n > 20 || strings.Contains(answer, "errors") {
			t.Fatalf("%d mutations, %s", n, answer)
		}
	}
	for _, token := range []string{i.token("reader", "rival"), operator} {
		if status, _, answer := as(t, url, token, `{ viewer { tenant { name } } }`); status != http.StatusOK || strings.Contains(answer, "errors") {
			t.Errorf("status %d, %s", status, answer)
		}
	}
}

// TestCharges takes what an operation has cost, also what the engine has not reported, and what comes behind its end, from its tenant and from no operator.
func TestCharges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := (&trafficFlags{TenantRCU: 10, TenantWCU: 10, Concurrency: 1}).control()
		header := http.Header{}
		ctx := context.WithValue(t.Context(), headerKey{}, header)
		editor := tracker.Principal{Role: tracker.Editor, Tenant: "acme"}
		for _, p := range []tracker.Principal{{Role: tracker.Operator}, editor} {
			done, err := c.Admit(ctx, p, graph.Estimate{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			done(dynamo.Cost{RCU: 20, WCU: 30, Unreported: dynamo.Capacity{RCU: 5, WCU: 10}})
			c.Late(p, dynamo.Cost{RCU: 1, Unreported: dynamo.Capacity{WCU: 70}})
		}
		if reads, writes := c.Capacity(editor); reads.Remaining != 74 || writes.Remaining != 0 || writes.Reset != 11*time.Second {
			t.Errorf("reads %+v, writes %+v", reads, writes)
		}
		if left := header.Get("RateLimit-Remaining"); left != "60" {
			t.Errorf("the answer says that %s are left, which it was sent before", left)
		}
		if _, err := c.Admit(ctx, editor, graph.Estimate{Write: true}); tracker.CodeOf(err) != tracker.RateLimited {
			t.Error(err)
		}
	})
}

// TestPace gives jobs half of what their tenant may consume, beside it.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			flags trafficFlags
			wait  time.Duration
		}{{trafficFlags{TenantRCU: 20, TenantWCU: 10}, 3 * time.Second}, {trafficFlags{TenantRCU: 20}, time.Second}} {
			var d dynamo.Settings
			c.flags.pace(&d)
			begun := time.Now()
			d.Spent("acme", dynamo.Cost{RCU: 100, WCU: 40, Unreported: dynamo.Capacity{WCU: 20}})
			d.Spent("rival", dynamo.Cost{RCU: 99, WCU: 49})
			for _, tenant := range []tracker.TenantID{"rival", "acme"} {
				if err := d.Pace(t.Context(), tenant); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took != map[tracker.TenantID]time.Duration{"acme": c.wait}[tenant] {
					t.Errorf("%+v: %s waited for %s", c.flags, tenant, took)
				}
			}
		}
	})
}

func TestTrafficFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--tenant-rcu", "=-1"}, {"--tenant-wcu", "=0.5"}, {"--tenant-rcu", "=NaN"}, {"--concurrency", "=-1"}, {"--requests", "=-1"}} {
		p := start(t, []string{"serve", args[0] + args[1]})
		p.wants(exitUsage)
		p.sentence(args[0], "out of range")
	}
}

// TestRequests refuses what would be under way besides too many others, before its body is read, and lets it in when one of them has ended.
func TestRequests(t *testing.T) {
	t.Parallel()
	p := start(t, serveArgs(t.TempDir(), "--no-sample", "--requests", "4"))
	address := p.serving()
	var slow []slowRequest
	for range 3 { // a tenant's share
		slow = append(slow, beginSlow(t, address))
	}
	status, header, answer := as(t, address, "", `{ tenants { nodes { name } } }`)
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") != "1" || !strings.Contains(answer, string(tracker.Unavailable)) {
		t.Errorf("beside 3 others: status %d, %v, %s", status, header, answer)
	}
	fmt.Fprint(slow[0], slowQuery)
	if r, text := slow[0].answer(t); r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", r.Status, text)
	}
	eventually(t, "there is a place again", func() bool {
		status, _, _ := as(t, address, "", `{ tenants { nodes { name } } }`)
		return status == http.StatusOK
	})
}

// TestResponsesAreHeld: a request whose response is ready leaves its place, and holds the memory of the response, and no more, until it is sent.
func TestResponsesAreHeld(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	c := (&trafficFlags{Concurrency: 2, Memory: 32 * mib, AllMemory: 64 * mib}).control()
	want := func(when string, running int, bytes int64) {
		t.Helper()
		if got, _ := c.queue.Load(); got != running || c.memory.State().Used != bytes {
			t.Errorf("%s: %d places and %d bytes are taken, want %d and %d", when, got, c.memory.State().Used, running, bytes)
		}
	}
	var sent []chan struct{}
	ready, over := make(chan struct{}), make(chan struct{})
	api := c.accounted(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taken := sent[len(sent)-1]
		place, err := c.Enter(r.Context())
		if err != nil {
			t.Error(err)
		}
		defer place.Leave()
		want("at work", 1, int64(len(sent)-1)*6*mib+baseMemory)
		done, err := c.Admit(r.Context(), tracker.Principal{Role: tracker.Operator}, graph.Estimate{RCU: 128})
		if err == nil {
			err = account.From(r.Context()).Hold(r.Context(), 10*mib)
		}
		if err != nil {
			t.Error(err)
		}
		want("with what it has read", 1, int64(len(sent)-1)*6*mib+10*mib)
		done(dynamo.Cost{})
		place.Answered(5 * mib)
		ready <- struct{}{}
		<-taken
	}))
	for range 2 { // two slow clients, one after the other
		sent = append(sent, make(chan struct{}))
		go func() {
			api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/graphql", nil))
			over <- struct{}{}
		}()
		<-ready
		want("while it is sent", 0, int64(len(sent))*6*mib)
	}
	close(sent[1])
	<-over
	want("with one left", 0, 6*mib)
	close(sent[0])
	<-over
	want("in the end", 0, 0)
}

// TestMemoryOfRequests: a request for which there is no memory gives its place back and is refused, and what it had reserved of its tenant's capacity is free
// again.
func TestMemoryOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := (&trafficFlags{TenantRCU: 10, Concurrency: 4, Memory: 8 << 20, AllMemory: 16 << 20}).control()
		if err := errors.Join(c.memory.Acquire(t.Context(), "other", 8<<20, true), c.memory.Acquire(t.Context(), "another", 3<<20, true)); err != nil {
			t.Fatal(err)
		}
		p := tracker.Principal{Role: tracker.Reader, Tenant: "acme"}
		a := account.New("acme", c.limits, c.memory, c.processor)
		defer a.Close()
		ctx := account.With(t.Context(), a)
		place, err := c.Enter(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Admit(ctx, p, graph.Estimate{RCU: 1000}); tracker.CodeOf(err) != tracker.Unavailable {
			t.Errorf("%v", err)
		}
		if reads, _ := c.Capacity(p); reads.Remaining != 100 {
			t.Errorf("%+v is left of what a refused operation has not read", reads)
		}
		place.Leave()
		if err := c.memory.Acquire(t.Context(), "third", 1<<20, true); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Enter(account.With(t.Context(), account.New("acme", c.limits, c.memory, c.processor))); tracker.CodeOf(err) != tracker.Unavailable {
			t.Errorf("%v", err)
		}
		if running, waiting := c.queue.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d run and %d wait", running, waiting)
		}
	})
}

// TestComputed: CPU time beyond what is free costs read capacity units, and what is free costs nothing.
func TestComputed(t *testing.T) {
	t.Parallel()
	c := (&trafficFlags{TenantRCU: 100, TenantWCU: 1, Concurrency: 1}).control()
	p := tracker.Principal{Role: tracker.Reader, Tenant: "acme"}
	left := func(cpu time.Duration) float64 {
		t.Helper()
		a := account.New("acme", c.limits, c.memory, nil)
		done, err := c.Admit(account.With(t.Context(), a), p, graph.Estimate{})
		if err != nil {
			t.Fatal(err)
		}
		a.Spend(cpu)
		before, _ := c.Capacity(p)
		done(dynamo.Cost{})
		after, _ := c.Capacity(p)
		return math.Round(before.Remaining - after.Remaining)
	}
	if free, more := left(freeCPU), left(freeCPU+300*time.Millisecond); free != 0 || more != 300 {
		t.Errorf("10 ms cost %g RCU, 310 ms %g", free, more)
	}
}

// TestTimeout ends an operation whose time is over, and one whose client has gone, and with it what is under way in DynamoDB.
func TestTimeout(t *testing.T) {
	t.Parallel()
	engine := startEngine(t)
	target, err := url.Parse(engine.URL())
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	begun, ended := make(chan struct{}, 100), make(chan struct{}, 100)
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") {
			io.Copy(io.Discard, r.Body) // else the end of the connection is not noticed
			begun <- struct{}{}
			<-r.Context().Done()
			ended <- struct{}{}
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(hanging.Close)
	at := []string{"--endpoint", hanging.URL, "--table", "issuegrid"}
	start(t, append([]string{"table", "create"}, at...)).wants(0)
	p := start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--timeout", "1s"}, at...))
	address := p.serving()
	query := `{ tenant(id: "VGFjbWU") { name } }`
	if _, _, answer := as(t, address, "", query); !strings.Contains(answer, string(tracker.Unavailable)) {
		t.Errorf("after its time: %s", answer)
	}
	for len(begun) > 0 {
		<-begun
		<-ended
	}
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/graphql?query="+url.QueryEscape(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(request)
		gone <- err
	}()
	<-begun
	leave()
	if err := <-gone; err == nil {
		t.Error("the client has an answer")
	}
	<-ended
	p.has(&p.stderr, "status=499")
	for l := range strings.Lines(p.stderr.String()) {
		if strings.Contains(l, "status=499") && (!strings.Contains(l, "level=INFO") || strings.Contains(l, "codes")) {
			t.Errorf("a client that has gone is no failure: %s", l)
		}
	}
}

// TestNoPages leaves the pages out.
func TestNoPages(t *testing.T) {
	t.Parallel()
	p := start(t, serveArgs(t.TempDir(), "--no-sample", "--no-playground", "--no-grid"))
	address := p.serving()
	if strings.Contains(p.stdout.String(), "Playground") || strings.Contains(p.stdout.String(), "Grid") {
		t.Errorf("stdout %s", &p.stdout)
	}
	for _, path := range []string{"/", "/playground"} {
		response, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
}
