package httpd

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"issuegrid/account"
	"issuegrid/telemetry"
	"issuegrid/tracker"
)

const (
	// writeTime is from the end of a request's headers to the end of its answer. It is long because an answer may take long to make; an answer of GraphQL
	// has a time of its own, by its length, from when it is ready (package graph).
	writeTime = 5 * time.Minute
	// anonymousTime is the same for a request without a token that counts. A file has a time of its own, by its size (package web).
	anonymousTime = 15 * time.Second
	// leastPlaces and readyPlaces are how many anonymous requests may at least be under way, and how many that ask whether the table answers.
	leastPlaces = 32
	readyPlaces = 64
)

// anonymous bounds the requests that need no token, or have not shown one that counts yet.
//
// An anonymous request costs a few milliseconds of CPU time at most, and memory that does not depend on what it asks for. So nothing here reads
// a body, no answer is made for one request alone, and a file is sent whole from where it lies.
//
// An anonymous request holds a place as long as it may wait: for its client to take a file, for the keys that its token is verified with, for the
// table that /readyz asks. These three have places of their own, so that none keeps the others out, and no client has more than a quarter of them. What
// waits for nothing needs no place: /livez, which therefore answers whatever else is full, preflights, and refused hosts.
//
// The place for sign-in is left when the token counts: from then on the request is its tenant's (type Control).
type anonymous struct {
	pages, signIn, ready *places
	trusted              Proxies
	processor            account.Processor // nil for none
}

// newAnonymous lets as many anonymous requests be under way for pages, and as many for sign-in, as the API may have.
func newAnonymous(requests int, trusted Proxies, processor account.Processor) *anonymous {
	most := max(leastPlaces, requests)
	return &anonymous{
		processor: processor,
		pages:     newPlaces("pages", most, netip.Addr.IsLoopback),
		signIn:    newPlaces("sign-in", most, netip.Addr.IsLoopback),
		ready:     newPlaces("readyz", readyPlaces, netip.Addr.IsLoopback),
		trusted:   trusted,
	}
}

// placesFor returns the places that a path needs; nil if it needs none.
func (a *anonymous) placesFor(path string) *places {
	switch path {
	case "/livez":
		return nil
	case "/readyz":
		return a.ready
	case APIPath:
		return a.signIn
	}
	return a.pages
}

type visitKey struct{}

const (
	// anybody stands for all who have no token, in the place of a tenant. No tenant has such an id.
	anybody = tracker.TenantID("-anybody")
	// visitCPU and sentCPU are the CPU time of an anonymous request, and of a byte that it is sent.
	visitCPU = 200 * time.Microsecond
	sentCPU  = 4 * time.Nanosecond
	// longestPace is for how long an anonymous request waits at most.
	longestPace = 5 * time.Second
)

// admit refuses requests for which there is no place. A nil anonymous admits all.
func (a *anonymous) admit(next http.Handler) http.Handler {
	if a == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(anonymousTime))
		places := a.placesFor(r.URL.Path)
		if places == nil {
			next.ServeHTTP(w, r)
			return
		}
		leave, err := places.enter(a.trusted.client(r))
		if e, ok := errors.AsType[*tracker.Error](err); ok {
			if e == errShare {
				telemetry.From(r.Context()).Expected() // it is the client's doing, which must not raise alarms
			}
			refuseForNow(w, e.RetryAfter, e.Message)
			return
		}
		defer leave()
		v := &visit{ResponseWriter: w, leave: leave}
		next.ServeHTTP(v, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
		if !v.identified && places != a.ready { // a load balancer's
			a.pace(r.Context(), v.bytes)
		}
	})
}

// pace counts what an anonymous request has taken, and lets it wait as any tenant does that has used more than its share of the CPU while others are
// active. It does so when the request has been answered, so that one whose token counts never waits for those without.
func (a *anonymous) pace(ctx context.Context, bytes int) {
	if a.processor == nil {
		return
	}
	a.processor.Spent(anybody, visitCPU+time.Duration(bytes)*sentCPU)
	ctx, cancel := context.WithTimeout(ctx, longestPace)
	defer cancel()
	a.processor.Wait(ctx, anybody) // its error is that the client has gone, or has waited long enough
}

// visit is an anonymous request.
type visit struct {
	http.ResponseWriter
	leave      func()
	bytes      int // of the response
	identified bool
}

// Write counts.
func (v *visit) Write(b []byte) (int, error) {
	n, err := v.ResponseWriter.Write(b)
	v.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// identified leaves the anonymous place of a request whose token counts.
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
