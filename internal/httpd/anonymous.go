package httpd

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"issuegrid/internal/account"
	"issuegrid/internal/refusal"
	"issuegrid/internal/telemetry"
	"issuegrid/tracker"
)

const (
	// writeTime is the time from the end of a request's headers to the end of its response. It is long
	// because making a response may take long. GraphQL responses have a deadline of their own, by length,
	// from when they are ready (package graph).
	writeTime = 5 * time.Minute
	// anonymousTime is the same for a request without a valid token. Files have a deadline of their own, by
	// size (package web).
	anonymousTime = 15 * time.Second
	// leastSlots is the least number of slots for anonymous requests; readySlots is the number of slots for
	// /readyz.
	leastSlots = 32
	readySlots = 64
)

// anonymous limits requests that need no token, or whose token is not verified yet.
//
// An anonymous request costs at most a few milliseconds of CPU time, and memory that does not depend on the
// request. So no handler here reads a body or builds a response for one request, and files are sent from
// memory as they are.
//
// An anonymous request holds a slot while it may wait: for its client to read a file, for the keys that
// verify its token, or for the table that /readyz checks. Each of the three has its own slots, so that none
// blocks the others, and no client gets more than a quarter of them. Requests that never wait need no slot:
// /livez, which therefore always responds, preflight requests, and rejected hosts.
//
// A request leaves its sign-in slot when its token is verified; from then on it counts for its tenant (type
// Control).
type anonymous struct {
	pages, signIn, ready *slots
	trusted              Proxies
	processor            account.Processor // nil for no limit of CPU time
}

// newAnonymous returns limits with as many slots for pages, and as many for sign-in, as the API has for
// requests.
func newAnonymous(requests int, trusted Proxies, processor account.Processor) *anonymous {
	most := max(leastSlots, requests)
	return &anonymous{
		processor: processor,
		pages:     newSlots("pages", most, netip.Addr.IsLoopback),
		signIn:    newSlots("sign-in", most, netip.Addr.IsLoopback),
		ready:     newSlots("readyz", readySlots, netip.Addr.IsLoopback),
		trusted:   trusted,
	}
}

// slotsFor returns the slots that a path needs, or nil if it needs none.
func (a *anonymous) slotsFor(path string) *slots {
	switch {
	case path == "/livez":
		return nil
	case path == "/readyz":
		return a.ready
	case path == APIPath, path == ExportPath, isImport(path):
		return a.signIn
	}
	return a.pages
}

type visitKey struct{}

const (
	// anonymousTenant stands for all clients without a token where a tenant is required. No tenant has such
	// an id.
	anonymousTenant = tracker.TenantID("-anybody")
	// visitCPU and sentCPU are the CPU time of an anonymous request, and of each byte sent to it.
	visitCPU = 2 * account.RequestCPU
	sentCPU  = account.ByteCPU / 3 // files are compressed already
	// longestPace is the longest time that an anonymous request waits.
	longestPace = 5 * time.Second
)

// admit rejects requests for which no slot is free. A nil anonymous admits all.
func (a *anonymous) admit(next http.Handler) http.Handler {
	if a == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(anonymousTime))
		slots := a.slotsFor(r.URL.Path)
		if slots == nil {
			next.ServeHTTP(w, r)
			return
		}
		leave, err := slots.enter(a.trusted.client(r))
		if e, ok := errors.AsType[*tracker.Error](err); ok {
			if e == errShare {
				telemetry.From(r.Context()).SetExpected() // caused by the client, so no reason for an alert
			}
			refusal.WriteError(w, e)
			return
		}
		defer leave()
		v := &visit{ResponseWriter: w, leave: leave}
		next.ServeHTTP(v, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
		if !v.identified && slots != a.ready { // /readyz is for load balancers
			a.pace(r.Context(), v.bytes)
		}
	})
}

// pace counts the CPU time of an anonymous request, and makes it wait like a tenant that has used more than
// its share while others are active. It is called after the response, so that a request with a valid token
// never waits for those without.
func (a *anonymous) pace(ctx context.Context, bytes int) {
	if a.processor == nil {
		return
	}
	a.processor.Spent(anonymousTenant, visitCPU+time.Duration(bytes)*sentCPU)
	ctx, cancel := context.WithTimeout(ctx, longestPace)
	defer cancel()
	// any error means that the client has gone or has waited long enough
	a.processor.Wait(ctx, anonymousTenant)
}

// visit is an anonymous request.
type visit struct {
	http.ResponseWriter
	leave      func()
	bytes      int // of the response
	identified bool
}

// Write counts the bytes of the response.
func (v *visit) Write(b []byte) (int, error) {
	n, err := v.ResponseWriter.Write(b)
	v.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// identified releases the anonymous slot of a request whose token is valid.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v, ok := r.Context().Value(visitKey{}).(*visit); ok {
			v.identified = true
			v.leave()
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		}
		next.ServeHTTP(w, r)
	})
}
