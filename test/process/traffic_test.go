//go:build unix

package process

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestRateLimit lets tenants use up their capacity, one by queries and one by mutations: further requests are
// refused. Queries of the second tenant, and the operator, are not affected.
func TestRateLimit(t *testing.T) {
	tier.Verify(t, "requests must take less than a second each")
	t.Parallel()
	_, url, _, i := signedInServer(t, "--tenant-rcu", "1", "--tenant-wcu", "1")
	operator := i.Token("operator", "")
	harness.As(t, url, operator,
		`mutation { createTenant(input: {name: "rival", claim: "rival"}) { tenant { id } } }`)
	for tenant, query := range map[string]string{
		"acme":  `{ viewer { tenant { projects { nodes { id } } } readCapacity { limit remaining } } }`,
		"rival": `mutation { createProject(input: {tenantId: "VHJpdmFs", key: "T%d", name: "x"}) { project { id } } }`,
	} {
		for n := 0; ; n++ {
			status, header, answer := harness.As(t, url, i.Token("admin", tenant),
				strings.Replace(query, "%d", strconv.Itoa(n), 1))
			if header.Get("RateLimit-Limit") != "10" {
				t.Fatalf("%s, request %d: %v, %s", tenant, n, header, answer)
			}
			if status == http.StatusTooManyRequests {
				if after, err := strconv.Atoi(header.Get("Retry-After")); err != nil || after < 1 ||
					!strings.Contains(answer, string(tracker.RateLimited)) ||
					header.Get("RateLimit-Remaining") != "0" {
					t.Errorf("%s: %v, %s", tenant, header, answer)
				}
				break
			}
			if n > 30 || strings.Contains(answer, "errors") {
				t.Fatalf("%s, request %d: %s", tenant, n, answer)
			}
		}
	}
	for _, token := range []string{i.Token("reader", "rival"), operator} {
		if status, _, answer := harness.As(t, url, token, `{ viewer { tenant { name } } }`); status !=
			http.StatusOK || strings.Contains(answer, "errors") {
			t.Errorf("status %d, %s", status, answer)
		}
	}
}

// TestRequests checks that a request beyond the limit of concurrent requests is refused before its body is
// read, and that one is accepted when another has ended.
func TestRequests(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, harness.ServeArgs(t.TempDir(), "--no-sample", "--requests", "4"))
	address := p.Serving()
	var slow []harness.SlowRequest
	for range 3 { // a tenant's share
		slow = append(slow, harness.BeginSlow(t, address))
	}
	status, header, answer := harness.As(t, address, "", `{ tenants { nodes { name } } }`)
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") != "1" ||
		!strings.Contains(answer, string(tracker.Unavailable)) {
		t.Errorf("next to 3 others: status %d, %v, %s", status, header, answer)
	}
	fmt.Fprint(slow[0], harness.SlowQuery)
	if r, text := slow[0].Answer(t); r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", r.Status, text)
	}
	harness.Eventually(t, "a slot is free again", func() bool {
		status, _, _ := harness.As(t, address, "", `{ tenants { nodes { name } } }`)
		return status == http.StatusOK
	})
}

// TestTimeout checks that an operation ends when its time is over or its client has disconnected, and that
// its DynamoDB calls end with it.
func TestTimeout(t *testing.T) {
	tier.Verify(t, "it asserts what ends within a timeout of a second")
	t.Parallel()
	engine := harness.StartEngine(t)
	target, err := url.Parse(engine.URL())
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	begun, ended := make(chan struct{}, 100), make(chan struct{}, 100)
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") {
			io.Copy(io.Discard, r.Body) // otherwise the server does not notice the end of the connection
			begun <- struct{}{}
			<-r.Context().Done()
			ended <- struct{}{}
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(hanging.Close)
	at := []string{"--endpoint", hanging.URL, "--table", "issuegrid"}
	harness.Start(t, append([]string{"table", "create"}, at...)).Wants(0)
	p := harness.Start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--timeout", "1s"}, at...))
	address := p.Serving()
	query := `{ tenant(id: "VGFjbWU") { name } }`
	if _, _, answer := harness.As(t, address, "", query); !strings.Contains(answer,
		string(tracker.Unavailable)) {
		t.Errorf("after the timeout: %s", answer)
	}
	for len(begun) > 0 {
		<-begun
		<-ended
	}
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		address+"/graphql?query="+url.QueryEscape(query), nil)
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
		t.Error("the client got a response")
	}
	<-ended
	p.Has(&p.Stderr, "status=499")
	for l := range strings.Lines(p.Stderr.String()) {
		if strings.Contains(l, "status=499") &&
			(!strings.Contains(l, "level=INFO") || strings.Contains(l, "codes")) {
			t.Errorf("a disconnected client was logged as a failure: %s", l)
		}
	}
}
