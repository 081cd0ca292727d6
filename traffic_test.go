//go:build unix

package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

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
	for _, token := range []string{i.token("reader", "rival"), operator} {
		if status, _, answer := as(t, url, token, `{ viewer { tenant { name } } }`); status != http.StatusOK || strings.Contains(answer, "errors") {
			t.Errorf("status %d, %s", status, answer)
		}
	}
}

func TestTrafficFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--tenant-rcu", "=-1"}, {"--tenant-wcu", "=0.5"}, {"--tenant-rcu", "=NaN"}, {"--concurrency", "=-1"}} {
		p := start(t, []string{"serve", args[0] + args[1]})
		p.wants(exitUsage)
		p.sentence(args[0], "out of range")
	}
}
