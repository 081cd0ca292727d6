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

// keys holds the keys of a JWK set, for keyfunc. The set is read again at intervals, and when a token names
// an unknown key. A read that fails, or finds no usable key, changes nothing: the keys of the last successful
// read stay.
//
// The HTTP client of jwkset (v0.11.3) is not used for three reasons. It reads the set for an unknown key with
// the context of the request, so a client that disconnects uses up the rate limit without a result. It reads
// responses of any length. And it uses the public part of published private keys.
type keys struct {
	*jwkset.MemoryJWKSet // of the last successful read (A4: a read in progress does not hold its lock)

	read    source
	onRead  func(error) // may be nil
	timeout time.Duration
	reading sync.Mutex // one read at a time, so that an older set never replaces a newer one

	now     func() time.Time
	unknown *rate.Limiter // limits reads because of unknown key ids
	flight  singleflight.Group
}

// newKeys reads the set for the first time. That must succeed, because every token would be rejected without
// keys. Until ctx ends, the set is read again at intervals.
func newKeys(ctx context.Context, s Settings) (*keys, error) {
	read, err := sourceOf(s.JWKS)
	if err != nil {
		return nil, err
	}
	k := &keys{
		MemoryJWKSet: jwkset.NewMemoryStorage(), read: read, onRead: s.Read, timeout: s.Timeout, now: s.Now,
		unknown: rate.NewLimiter(rate.Every(s.RefreshUnknown), 1),
	}
	if err := k.refresh(ctx); err != nil {
		return nil, &tracker.Error{Code: tracker.Unavailable, Path: "JWKS",
			Message: fmt.Sprintf("the JWK set of %s can't be used: %s", s.JWKS, err)}
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

// tryRefresh reads the set, and logs an error.
func (k *keys) tryRefresh(ctx context.Context) {
	if err := k.refresh(ctx); err != nil && ctx.Err() == nil {
		slog.Warn("the JWK set can't be read; its last known keys stay in use", "error", err)
	}
}

// refresh reads the set, and reports the result to onRead unless ctx has ended.
func (k *keys) refresh(ctx context.Context) error {
	k.reading.Lock()
	defer k.reading.Unlock()
	err := k.replace(ctx)
	if k.onRead != nil && ctx.Err() == nil {
		k.onRead(err)
	}
	return err
}

// replace reads the set, and replaces the keys.
func (k *keys) replace(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, k.timeout,
		fmt.Errorf("there was no response within %s", k.timeout))
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
			slog.Warn("the JWK set publishes a secret key; the key is ignored", "key", i.String())
		}
	}
	return k.KeyReplaceAll(ctx, found)
}

// KeyRead returns the first key with an id. An unknown key may have been added after the last read, so the
// set is read again, at a limited rate; concurrent calls wait for the same read. The read continues if the
// client disconnects, because it has used up the rate limit.
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

// only returns the key of a set that has exactly one.
func (k *keys) only(ctx context.Context) (jwkset.JWK, bool) {
	all, err := k.KeyReadAll(ctx)
	if err != nil || len(all) != 1 {
		return jwkset.JWK{}, false
	}
	return all[0], true
}
