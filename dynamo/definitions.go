package dynamo

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/internal/cache"
	"issuegrid/tracker"
)

// definitions caches the definitions of projects. A change made by this server is visible immediately.
//
// Law: a definition is used for at most the TTL after a time at which it was the current one. From half of
// the TTL on, a request has it checked in the background, so that projects in use never wait. A check reads
// the version of the project, which changes with every change of the definition, and the whole definition
// only if the version differs, or if it is old: what does not change the version, such as the highest issue
// number, is read again after maxAge TTLs.
//
// Tenants share the memory as described in package cache. Definitions that were not read again for maxAge
// TTLs are removed when another one is added, at most once per TTL.
type definitions struct {
	loading    singleflight.Group
	ttl        time.Duration
	renewEvery time.Duration        // Settings.RenewEvery
	cache      *cache.Cache[cached] // by project partition

	mu    sync.Mutex
	swept time.Time
	// changes counts the changes made by this server. A definition whose read overlapped a change is not
	// cached.
	changes int64
	// waiting counts the requests that wait in Renewed, by project partition.
	waiting map[string]int
}

// cached is a definition in the cache.
type cached struct {
	definition *tracker.Definition
	// checked is a time at which the definition was the current one.
	checked time.Time
	// unchanged is when Renewed last read the definition without finding a change.
	unchanged time.Time
}

const (
	// maxDefinitions is the maximum number of cached definitions.
	maxDefinitions = 1024
	// DefaultDefinitionBytes is the default limit on the memory of the cached definitions.
	DefaultDefinitionBytes = 64 << 20
	// maxAge is the maximum age of a cached definition, in TTLs.
	maxAge = 10
)

func newDefinitions(ttl, renewEvery time.Duration, most int64) *definitions {
	return &definitions{ttl: ttl, renewEvery: renewEvery, waiting: map[string]int{},
		cache: cache.New[cached](maxDefinitions, most)}
}

func (d *definitions) forget(partition string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	d.loading.Forget(partition)
	d.cache.Remove(partition)
}

func (d *definitions) changed() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// remember caches a definition of a tenant, unless the number of changes differs from before, its value at
// the start of the read.
func (d *definitions) remember(t tracker.TenantID, partition string, c cached, before int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changes != before {
		return
	}
	d.sweep(c.checked)
	d.cache.Add(string(t), partition, c, c.definition.Bytes())
}

// sweep removes old definitions, at most once per TTL.
func (d *definitions) sweep(now time.Time) {
	if now.Sub(d.swept) < d.ttl {
		return
	}
	d.swept = now
	d.cache.RemoveFunc(func(c cached) bool { return d.old(c.definition, now) })
}

// old reports whether a definition must be read again, whatever its version.
func (d *definitions) old(known *tracker.Definition, now time.Time) bool {
	return now.Sub(known.Read) >= maxAge*d.ttl
}

// definitionTimeout limits the time of a read that several requests may share.
const definitionTimeout = 10 * time.Second

// Definition returns a project with all its fields, from the cache or with one read. It returns NotFound if
// there is no such project.
func (t *Tenant) Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	known := t.db.definitions
	c, ok := known.cache.Get(t.keys.Project(p))
	age := time.Duration(0)
	if ok {
		age = t.db.now().Sub(c.checked)
	}
	if !ok || age >= known.ttl {
		var err error
		if c, err = reader(t.scope).loaded(ctx, p); err != nil {
			return nil, err
		}
	} else if age >= known.ttl/2 {
		reader(t.scope).load(ctx, p)
	}
	return c.definition, holdDefinition(ctx, c.definition)
}

// Renewed returns a definition that was the current one at since or later. It is for requests that may have
// failed because their definition, which was read before, is outdated. A request waits if the definition was
// read for such requests in vain less than Settings.RenewEvery ago. If maxWaiting requests wait for the same
// definition, others get the known one at once, so that a client that refers to what does not exist, again
// and again, does not keep other clients waiting.
func (t *Tenant) Renewed(ctx context.Context, p tracker.ProjectID, since time.Time) (*tracker.Definition,
	error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	known := t.db.definitions
	partition := t.keys.Project(p)
	before, ok := known.cache.Get(partition)
	if ok {
		if wait := before.unchanged.Add(known.renewEvery).Sub(t.db.now()); wait > 0 &&
			before.checked.Before(since) {
			if !known.enter(partition) {
				return before.definition, holdDefinition(ctx, before.definition)
			}
			err := client.Wait(ctx, wait)
			if known.leave(partition); err != nil {
				return nil, err
			}
			before, ok = known.cache.Get(partition)
		}
	}
	c, err := reader(t.scope).currentSince(ctx, p, since)
	if err != nil {
		return nil, err
	}
	if ok && c != before && c.definition.Project.Version == before.definition.Project.Version {
		known.foundUnchanged(t.id, partition, c)
	}
	return c.definition, holdDefinition(ctx, c.definition)
}

// Current returns the current definition, read consistently. It is for work that depends on the definition
// for long, such as an import.
func (t *Tenant) Current(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	c, err := reader(t.scope).currentSince(ctx, p, t.db.now())
	if err != nil {
		return nil, err
	}
	return c.definition, holdDefinition(ctx, c.definition)
}

// currentSince returns a definition that was the current one at since or later.
func (t reader) currentSince(ctx context.Context, p tracker.ProjectID, since time.Time) (cached, error) {
	if c, ok := t.db.definitions.cache.Get(t.keys.Project(p)); ok && !c.checked.Before(since) {
		return c, nil
	}
	c, err := t.loaded(ctx, p)
	if err == nil && c.checked.Before(since) { // of a read that had begun before
		c, err = t.loaded(ctx, p)
	}
	return c, err
}

// maxWaiting is the maximum number of requests that wait for the definition of one project.
const maxWaiting = 8

// enter reports whether another request may wait for a definition. If so, leave must be called.
func (d *definitions) enter(partition string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[partition] == maxWaiting {
		return false
	}
	d.waiting[partition]++
	return true
}

func (d *definitions) leave(partition string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[partition]--; d.waiting[partition] == 0 {
		delete(d.waiting, partition)
	}
}

// foundUnchanged records that Renewed has found no change. c is what it has read.
func (d *definitions) foundUnchanged(t tracker.TenantID, partition string, c cached) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now, ok := d.cache.Get(partition); ok && now == c {
		c.unchanged = c.checked
		d.cache.Add(string(t), partition, c, c.definition.Bytes())
	}
}

// confirm records that a project had a version at a time.
func (d *definitions) confirm(t tracker.TenantID, partition string, version int64, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch c, ok := d.cache.Get(partition); {
	case !ok || c.checked.After(at):
	case c.definition.Project.Version != version:
		d.cache.Remove(partition)
	default:
		c.checked = at
		d.cache.Add(string(t), partition, c, c.definition.Bytes())
	}
}

// loaded waits for load.
func (t reader) loaded(ctx context.Context, p tracker.ProjectID) (cached, error) {
	select {
	case <-ctx.Done():
		return cached{}, client.Translate(ctx.Err())
	case r := <-t.load(ctx, p):
		if r.Err != nil {
			return cached{}, r.Err
		}
		return r.Val.(cached), nil
	}
}

// load reads a definition, or checks the cached one, and caches the result, a cached. The read is shared, so
// that it must continue if one caller disconnects.
func (t reader) load(ctx context.Context, p tracker.ProjectID) <-chan singleflight.Result {
	known := t.db.definitions
	partition := t.keys.Project(p)
	return known.loading.DoChan(partition, func() (any, error) {
		a := account.From(ctx).Detached() // may outlast the operation that started it
		defer func(first *account.Account) {
			first.Spend(a.CPU())
			a.Close()
		}(account.From(ctx))
		ctx, cancel := context.WithTimeout(account.With(context.WithoutCancel(ctx), a), definitionTimeout)
		defer cancel()
		before := known.changed()
		c := cached{checked: t.db.now()}
		if was, ok := known.cache.Get(partition); ok {
			c.unchanged = was.unchanged
			if d := was.definition; !known.old(d, c.checked) && !d.HasOpenJobs() {
				version, err := t.version(ctx, p)
				if err != nil {
					return nil, err
				}
				if version == d.Project.Version {
					c.definition = d
				}
			}
		}
		if c.definition == nil {
			var err error
			c.definition, err = t.readDefinition(ctx, p)
			if tracker.CodeOf(err) == tracker.NotFound {
				known.cache.Remove(partition)
			}
			if err != nil {
				return nil, err
			}
		}
		known.remember(t.id, partition, c, before)
		return c, nil
	})
}

// version returns the version of a project, 0 if there is none. It reads 1 RCU.
func (t reader) version(ctx context.Context, p tracker.ProjectID) (int64, error) {
	found, err := t.db.get(ctx, []layout.Key{t.keys.ProjectItem(p)},
		reading{consistent: true, attributes: versionAttributes})
	if err != nil || found[0] == nil {
		return 0, err
	}
	return layout.GetN(found[0], "version"), nil
}

// versionAttributes are the key attributes and the version of an item.
var versionAttributes = []string{layout.AttrPK, layout.AttrSK, "version"}

// holdDefinition adds a definition to the memory held by the operation: it stays in memory while the
// operation uses it, cached or not.
func holdDefinition(ctx context.Context, d *tracker.Definition) error {
	return account.From(ctx).HoldOnce(ctx, d, d.Bytes())
}

// readDefinition reads the partition of a project without its history: the project, its fields, its counter,
// its jobs. It returns NotFound if there is no such project, or if clients do not see it.
func (t reader) readDefinition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	d, w, err := t.readProject(ctx, p)
	if err != nil {
		return nil, err
	}
	if w != nil && w.idle(t.db.now()) {
		kickJobs(scope(t), p) // its server has stopped
	}
	if d.Project.Hidden() {
		return nil, tracker.Missing("project")
	}
	return d, nil
}

// readProject is readDefinition, but also returns a project that clients do not see, and the work of its
// jobs, which is nil if it never had a job.
func (t reader) readProject(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, *work, error) {
	if !tracker.ValidID(string(p)) {
		return nil, nil, tracker.Missing("project")
	}
	var (
		project *tracker.Project
		fields  []*tracker.Field
		highest int64
		added   lastAdded
		w       *work
	)
	read := t.db.now()
	projectKey, counterKey, jobsKey, fieldPrefix := t.keys.ProjectItem(p), t.keys.Counter(p), t.keys.Jobs(p),
		t.keys.Field(p, "").SK
	end := layout.HistoryOf(t.keys, p).Start()
	err := t.db.queryBefore(ctx, t.keys.Project(p), end, func(m layout.Item) (err error) {
		switch sk := layout.GetS(m, layout.AttrSK); {
		case sk == projectKey.SK:
			project, err = t.keys.DecodeProject(m)
		case sk == counterKey.SK:
			highest = layout.GetN(m, "n")
			added = lastAdded{reserved: time.Unix(layout.GetN(m, "reserved"), 0),
				otherwise: time.Unix(layout.GetN(m, "added"), 0)}
		case sk == jobsKey.SK:
			w = decodeWork(p, m)
		case strings.HasPrefix(sk, fieldPrefix):
			fields = append(fields, layout.DecodeField(m))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if project == nil {
		return nil, nil, tracker.Missing("project")
	}
	slices.SortFunc(fields, func(a, b *tracker.Field) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	d := tracker.NewDefinition(*project, fields)
	d.MaxIssueNum, d.Read = highest, read
	if w != nil {
		d.Jobs, w.added = w.shown(), added
	}
	return d, w, nil
}
