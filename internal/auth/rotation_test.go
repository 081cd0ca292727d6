package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/internal/auth"
)

// TestRotation adds a new key, and later removes the old one. Each time, the first token with an unknown key
// causes a read.
func TestRotation(t *testing.T) {
	t.Parallel()
	var c clock
	first, second, third := rsaKey(2048), edKey(), edKey()
	p := newPublisher(t, jwks(jwk(first.public, "1", nil)))
	v := p.verifier(t, &c)
	checkAccepted(t, v, first.issue(change{"kid": "1"}, nil), ann)
	checkAccepted(t, v, first.issue(nil, nil), ann)

	p.publish(jwks(jwk(first.public, "1", nil), jwk(second.public, "2", nil)))
	checkAccepted(t, v, second.issue(change{"kid": "2"}, nil), ann)
	checkAccepted(t, v, first.issue(change{"kid": "1"}, nil), ann)
	checkRejected(t, v, first.issue(nil, nil), msgNoKeyID)
	p.checkRequests(t, 2)

	p.publish(jwks(jwk(second.public, "2", nil), jwk(third.public, "3", nil)))
	checkRejected(t, v, third.issue(change{"kid": "3"}, nil), msgUnknownKey) // rate limit
	p.checkRequests(t, 2)
	c.advance(time.Minute)
	checkAccepted(t, v, third.issue(change{"kid": "3"}, nil), ann)
	checkAccepted(t, v, second.issue(change{"kid": "2"}, nil), ann)
	p.checkRequests(t, 3)
	checkRejected(t, v, first.issue(change{"kid": "1"}, nil), msgUnknownKey)

	// Another key under the same id.
	p.publish(jwks(jwk(first.public, "3", nil)))
	c.advance(time.Minute)
	checkRejected(t, v, first.issue(change{"kid": "1"}, nil), msgUnknownKey)
	checkAccepted(t, v, first.issue(change{"kid": "3"}, nil), ann)
	checkRejected(t, v, third.issue(change{"kid": "3"}, nil), msgSignature)
	p.checkRequests(t, 4)
}

// TestUnknownKeyIDs checks that made-up key ids, however many arrive in parallel, cause at most one read a
// minute.
func TestUnknownKeyIDs(t *testing.T) {
	t.Parallel()
	var c clock
	p := newPublisher(t, issuerSet())
	v := p.verifier(t, &c)
	attacker := edKey()
	flood := func() {
		var all sync.WaitGroup
		for worker := range 8 {
			all.Go(func() {
				for i := range 50 {
					checkRejected(t, v, attacker.issue(
						change{"kid": fmt.Sprintf("%s-%d-%d", canary, worker, i)},
						nil), msgUnknownKey)
				}
			})
		}
		all.Wait()
	}
	p.checkRequests(t, 1)
	flood()
	p.checkRequests(t, 2)
	c.advance(59 * time.Second)
	flood()
	p.checkRequests(t, 2)
	c.advance(time.Second)
	flood()
	p.checkRequests(t, 3)
	// A failed read counts, too.
	p.fails(http.StatusServiceUnavailable)
	c.advance(time.Minute)
	flood()
	p.checkRequests(t, 4)
	checkAccepted(t, v, issuerKeys()["rsa"].issue(change{"kid": "rsa"}, nil), ann)
	p.checkRequests(t, 4)
}

// TestKnownKeysDoNotWait checks that tokens with known keys do not wait while the JWK set is read (A4), and
// that those with a new key wait for the same read.
func TestKnownKeysDoNotWait(t *testing.T) {
	t.Parallel()
	var c clock
	fresh := edKey()
	p := newPublisher(t, issuerSet())
	v := p.verifier(t, &c)
	release := p.blocked(t, jwks(jwk(fresh.public, "fresh", nil)))
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() { checkAccepted(t, v, fresh.issue(change{"kid": "fresh"}, nil), ann) })
	}
	<-p.begun
	for id, k := range issuerKeys() {
		checkAccepted(t, v, k.issue(change{"kid": id}, nil), ann)
	}
	release()
	waiting.Wait()
	p.checkRequests(t, 2)
}

// TestClientGoesAway checks that a read continues when its client disconnects. It has used up the rate limit,
// and an attacker could repeat this every minute.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	var c clock
	fresh := edKey()
	p := newPublisher(t, issuerSet())
	v := p.verifier(t, &c)
	release := p.blocked(t, jwks(jwk(fresh.public, "fresh", nil)))
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := v.Verify(ctx, fresh.issue(change{"kid": "fresh"}, nil))
		gone <- err
	}()
	<-p.begun
	hangUp()
	checkRefusal(t, <-gone, msgUnknownKey)
	release()
	checkAccepted(t, v, fresh.issue(change{"kid": "fresh"}, nil), ann)
	p.checkRequests(t, 2)
}

// TestRefresh checks that the set is read at intervals, with the fake clock of synctest. A goroutine that
// outlives ctx would fail it.
func TestRefresh(t *testing.T) {
	t.Parallel()
	before, after := edKey(), edKey()
	s := settings()
	s.JWKS = file(t, jwks(jwk(before.public, "k", nil)))
	publish := func(set []byte) {
		if err := os.WriteFile(s.JWKS, set, 0o600); err != nil {
			t.Error(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		v, err := auth.New(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		publish([]byte("{"))
		pass(15 * time.Minute)
		checkAccepted(t, v, before.issue(nil, nil), ann)
		publish(jwks(jwk(after.public, "k", nil)))
		pass(15*time.Minute - 1)
		checkAccepted(t, v, before.issue(nil, nil), ann)
		pass(1)
		checkRejected(t, v, before.issue(nil, nil), msgSignature)
		checkAccepted(t, v, after.issue(nil, nil), ann)
	})
}
