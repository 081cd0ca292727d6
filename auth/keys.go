package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"issuegrid/tracker"
)

// keys are the keys of a JWK set, for keyfunc. The set is read again at intervals, and when a token names a key that is not known. A reading that
// fails, or that gives no key that can be used, changes nothing: the keys of the last good one stay.
//
// The HTTP client of jwkset (v0.11.3) is not used. It reads for an unknown key under the context of the request that asks, so that a client who hangs up
// uses up the limit and nothing is read; it reads answers of any length; and it takes the public half of keys that are published with their private one.
type keys struct {
	*jwkset.MemoryJWKSet // of the last good reading (A4: its lock is never held while one goes on)

	read    source
	tell    func(error) // nil for nobody
	timeout time.Duration
	reading sync.Mutex // one at a time, so that an older answer never replaces a newer one

	now     func() time.Time
	unknown *rate.Limiter // of readings because of unknown key ids
	flight  singleflight.Group
}

// newKeys reads the set for the first time, which must succeed: without keys every token would be refused. Until ctx ends it is read again.
func newKeys(ctx context.Context, s Settings) (*keys, error) {
	read, err := sourceOf(s.JWKS)
	if err != nil {
		return nil, err
	}
	k := &keys{
		MemoryJWKSet: jwkset.NewMemoryStorage(), read: read, tell: s.Read, timeout: s.Timeout, now: s.Now,
		unknown: rate.NewLimiter(rate.Every(s.RefreshUnknown), 1),
	}
	if err := k.refresh(ctx); err != nil {
		return nil, &tracker.Error{Code: tracker.Unavailable, Path: "JWKS", Message: fmt.Sprintf("the JWK set of %s can't be used: %s", s.JWKS, err)}
	}
	go k.keepFresh(ctx, s.Refresh)
	return k, nil
}

// keepFresh reads the set at intervals until ctx ends.
func (k *keys) keepFresh(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			k.tryRefresh(ctx)
		}
	}
}

// tryRefresh reads the set, and logs why it could not.
func (k *keys) tryRefresh(ctx context.Context) {
	if err := k.refresh(ctx); err != nil && ctx.Err() == nil {
		slog.Warn("the JWK set can't be read again; the keys that it had last are used", "error", err)
	}
}

// refresh reads the set, and tells whether it could, unless it was ended.
func (k *keys) refresh(ctx context.Context) error {
	k.reading.Lock()
	defer k.reading.Unlock()
	err := k.replace(ctx)
	if k.tell != nil && ctx.Err() == nil {
		k.tell(err)
	}
	return err
}

// replace reads the set, and puts its keys in the place of the last ones.
func (k *keys) replace(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, k.timeout, fmt.Errorf("there was no answer within %s", k.timeout))
	defer cancel()
	raw, err := k.read(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return err
	}
	found, others, err := parseJWKS(raw)
	if err != nil {
		return err
	}
	for _, i := range others {
		if i.secret {
			slog.Warn("the JWK set publishes what should be secret; the key is ignored", "key", i.String())
		}
	}
	return k.KeyReplaceAll(ctx, found)
}

// KeyRead returns the key with an id; of several the first. One that is not known may have come after the last reading, so the set is read again, at
// most once in a while; who asks meanwhile waits for that reading. It goes on when the client goes away, because it has used up the limit.
func (k *keys) KeyRead(ctx context.Context, id string) (jwkset.JWK, error) {
	if key, err := k.MemoryJWKSet.KeyRead(ctx, id); err == nil {
		return key, nil
	}
	done := k.flight.DoChan("", func() (any, error) {
		if k.unknown.AllowN(k.now(), 1) {
			k.tryRefresh(context.WithoutCancel(ctx))
		}
		return nil, nil
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
	return k.MemoryJWKSet.KeyRead(ctx, id)
}

// only returns the key of a set that has one.
func (k *keys) only(ctx context.Context) (jwkset.JWK, bool) {
	all, err := k.KeyReadAll(ctx)
	if err != nil || len(all) != 1 {
		return jwkset.JWK{}, false
	}
	return all[0], true
}
