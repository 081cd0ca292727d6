package definitions

import (
	"context"
	"sync"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Basis is the definition that a change of issues was checked with.
//
// Law: a change is checked with a definition that was the current one at a time since its request began. It
// is sent to the engine at most WriteTime (dynamo.Settings) after a time at which the definition was the
// current one, so that jobs need to wait only a short time until no change with an older definition can
// follow. A change that takes longer, because of retries or long texts, reads the version of the project
// again before each attempt. If the definition has changed, it returns ErrDefinitionChanged.
//
// The version is read at most once for a request and each half of the WriteTime. It is 1 RCU. To check it in
// the transaction would cost 2 WCU for each change, and concurrent changes of a project would conflict.
type Basis struct {
	store      *Store
	Definition *tracker.Definition
	since      time.Time // when the request began

	mu sync.Mutex
	at time.Time // when the definition was known to be the current one
}

// ChangeTime limits the time of a change of issues.
const ChangeTime = 30 * time.Second

// BasedOn returns a context for a change that was checked with d, with the timeout ChangeTime. The basis is
// nil if d does not come from the table.
func (s *Store) BasedOn(ctx context.Context, d *tracker.Definition) (context.Context, *Basis,
	context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, ChangeTime)
	if d.Read.IsZero() {
		return ctx, nil, cancel
	}
	b := &Basis{store: s, Definition: d, at: s.known(d), since: s.t.Began}
	if b.since.IsZero() {
		b.since = s.t.Now()
	}
	return client.BeforeWrites(ctx, b.check), b, cancel
}

// Known returns when the definition was known to be the current one.
func (b *Basis) Known() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// required returns the time since which the definition must have been the current one.
func (b *Basis) required() time.Time {
	if recently := b.store.t.Now().Add(-b.store.t.WriteTime / 2); recently.After(b.since) {
		return recently
	}
	return b.since
}

// Stale reports whether the version must be read. It is false for a nil basis.
func (b *Basis) Stale() bool { return b != nil && b.Known().Before(b.required()) }

// found records the version that the project had at a time, 0 if it did not exist.
func (b *Basis) found(version int64, at time.Time) error {
	if version != b.Definition.Project.Version {
		return tracker.ErrDefinitionChanged
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = at
	return nil
}

// Read records the item of the project that was read at a time, nil if there is none.
func (b *Basis) Read(m layout.Item, at time.Time) error {
	p, version := b.Definition.Project.ID, layout.GetN(m, "version")
	b.store.cache.confirm(b.store.t.ID, b.store.t.Keys.Project(p), version, at)
	return b.found(version, at)
}

// Renew reads the version of the project if the basis is stale.
func (b *Basis) Renew(ctx context.Context) error {
	if !b.Stale() {
		return nil
	}
	if p := &b.Definition.Project; p.Hidden() { // as a job reads it
		d, _, err := b.store.ReadAny(ctx, p.ID)
		if tracker.CodeOf(err) == tracker.NotFound {
			return tracker.ErrDefinitionChanged
		}
		if err != nil {
			return err
		}
		return b.found(d.Project.Version, d.Read)
	}
	c, err := b.store.currentSince(ctx, b.Definition.Project.ID, b.required())
	if tracker.CodeOf(err) == tracker.NotFound {
		return tracker.ErrDefinitionChanged // the project was deleted
	}
	if err != nil {
		return err
	}
	return b.found(c.definition.Project.Version, c.checked)
}

// maxRenewals is the maximum number of times that a change reads the version before one attempt.
const maxRenewals = 3

// check returns nil if a change may be sent now.
func (b *Basis) check(ctx context.Context) error {
	for range maxRenewals {
		if b.store.t.Now().Sub(b.Known()) < b.store.t.WriteTime {
			return nil
		}
		if err := b.Renew(ctx); err != nil {
			return err
		}
	}
	return client.Unavailable("the database responds too slowly to change issues; try again", nil)
}
