package definitions

import (
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/cache"
	"issuegrid/tracker"
)

// Cache caches the definitions of projects. A change made by this server is visible immediately.
//
// Law: a definition is used for at most the TTL after a time at which it was the current one. From half of
// the TTL on, a request has it checked in the background, so that projects in use never wait. A check reads
// the version of the project, which changes with every change of the definition, and the whole definition
// only if the version differs, or if it is old: what does not change the version, such as the highest issue
// number, is read again after maxAge TTLs.
//
// Tenants share the memory as described in package cache. Definitions that were not read again for maxAge
// TTLs are removed when another one is added, at most once per TTL.
type Cache struct {
	// RunJobs runs the jobs of a project in the background, if this process runs jobs.
	RunJobs func(*store.Tenant, tracker.ProjectID)

	loading    singleflight.Group
	ttl        time.Duration
	renewEvery time.Duration        // as in dynamo.Settings
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
	// maxAge is the maximum age of a cached definition, in TTLs.
	maxAge = 10
)

// NewCache returns a cache of at most a number of bytes. The times are described in dynamo.Settings.
func NewCache(ttl, renewEvery time.Duration, bytes int64) *Cache {
	return &Cache{ttl: ttl, renewEvery: renewEvery, waiting: map[string]int{},
		cache: cache.New[cached](maxDefinitions, bytes)}
}

func (d *Cache) forget(partition string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	d.loading.Forget(partition)
	d.cache.Remove(partition)
}

func (d *Cache) changed() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// remember caches a definition of a tenant, unless the number of changes differs from before, its value at
// the start of the read.
func (d *Cache) remember(t tracker.TenantID, partition string, c cached, before int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changes != before {
		return
	}
	d.sweep(c.checked)
	d.cache.Add(string(t), partition, c, c.definition.Bytes())
}

// sweep removes old definitions, at most once per TTL.
func (d *Cache) sweep(now time.Time) {
	if now.Sub(d.swept) < d.ttl {
		return
	}
	d.swept = now
	d.cache.RemoveFunc(func(c cached) bool { return d.old(c.definition, now) })
}

// old reports whether a definition must be read again, whatever its version.
func (d *Cache) old(known *tracker.Definition, now time.Time) bool {
	return now.Sub(known.Read) >= maxAge*d.ttl
}

// maxWaiting is the maximum number of requests that wait for the definition of one project.
const maxWaiting = 8

// enter reports whether another request may wait for a definition. If so, leave must be called.
func (d *Cache) enter(partition string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[partition] == maxWaiting {
		return false
	}
	d.waiting[partition]++
	return true
}

func (d *Cache) leave(partition string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[partition]--; d.waiting[partition] == 0 {
		delete(d.waiting, partition)
	}
}

// foundUnchanged records that Renewed has found no change. c is what it has read.
func (d *Cache) foundUnchanged(t tracker.TenantID, partition string, c cached) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now, ok := d.cache.Get(partition); ok && now == c {
		c.unchanged = c.checked
		d.cache.Add(string(t), partition, c, c.definition.Bytes())
	}
}

// confirm records that a project had a version at a time.
func (d *Cache) confirm(t tracker.TenantID, partition string, version int64, at time.Time) {
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
