// Package cache keeps values in memory for several owners, the tenants, which share its capacity. It does not
// depend on what the values are.
//
// The law: while n owners have entries in a Cache, an owner with at most 1/n of the maximum entries and 1/n
// of the maximum bytes does not lose an entry used within the last Idle to another owner. If the Cache is
// full, the entry that was used least recently is evicted if it is idle. Otherwise the owner with the most
// loses its own least recently used entry; since a limit is exceeded, that owner has more than 1/n of it.
package cache

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Idle is how long an entry must have been unused to count as idle.
const Idle = 10 * time.Minute

// Cache maps keys to values. The number of its entries and their bytes are limited. It is safe for concurrent
// use.
//
// An entry belongs to the owner that first added it. Every caller that knows its key can use it, so a value
// that others must not find needs a key that they cannot have.
type Cache[V any] struct {
	maxEntries int
	maxBytes   int64

	mu     sync.Mutex
	all    *simplelru.LRU[string, *entry[V]]
	owners map[string]*owned[V]
	bytes  int64
}

// owned holds the entries of one owner, at least one.
type owned[V any] struct {
	lru   *simplelru.LRU[string, *entry[V]]
	bytes int64
}

type entry[V any] struct {
	owner string
	value V
	bytes int64
	used  time.Time
}

// New returns a cache with the given maximum number of entries and bytes, both at least 1.
func New[V any](entries int, bytes int64) *Cache[V] {
	c := &Cache[V]{maxEntries: max(1, entries), maxBytes: max(1, bytes), owners: map[string]*owned[V]{}}
	c.all = c.newLRU()
	return c
}

// newLRU returns a list with room for all entries and one more, so that the list itself evicts nothing.
func (c *Cache[V]) newLRU() *simplelru.LRU[string, *entry[V]] {
	lru, err := simplelru.NewLRU[string, *entry[V]](c.maxEntries+1, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return lru
}

// Get returns the value of a key, and marks its entry as used.
func (c *Cache[V]) Get(key string) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.all.Get(key)
	if !ok {
		return value, false
	}
	c.use(key, e)
	return e.value, true
}

func (c *Cache[V]) use(key string, e *entry[V]) {
	e.used = time.Now()
	c.all.Get(key)
	c.owners[e.owner].lru.Get(key)
}

// Add stores a value of the given size in bytes, and replaces the value of the same key. A value larger than
// the whole cache is not stored; the old value of its key is removed nevertheless. Any other value may be
// evicted at once if its owner has more than the others.
func (c *Cache[V]) Add(owner, key string, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.maxBytes {
		c.remove(key)
		return
	}
	e, known := c.all.Peek(key)
	if !known {
		e = &entry[V]{owner: owner}
		if c.owners[owner] == nil {
			c.owners[owner] = &owned[V]{lru: c.newLRU()}
		}
		c.all.Add(key, e)
		c.owners[owner].lru.Add(key, e)
	}
	c.owners[e.owner].bytes += bytes - e.bytes
	c.bytes += bytes - e.bytes
	e.value, e.bytes = value, bytes
	c.use(key, e)
	c.evict(e.used, func() bool {
		return c.all.Len() > c.maxEntries
	}, func(o *owned[V]) int64 { return int64(o.lru.Len()) })
	c.evict(e.used, func() bool { return c.bytes > c.maxBytes }, func(o *owned[V]) int64 { return o.bytes })
}

// evict removes entries in the order of the law while tooMany returns true. size returns how much an owner
// has.
func (c *Cache[V]) evict(now time.Time, tooMany func() bool, size func(*owned[V]) int64) {
	for tooMany() {
		key, e, _ := c.all.GetOldest()
		if now.Sub(e.used) >= Idle {
			c.remove(key)
			continue
		}
		// On a tie, the owner of the least recently used entry comes first.
		most, second := c.owners[e.owner], int64(0)
		for _, o := range c.owners {
			switch {
			case o == most:
			case size(o) > size(most):
				most, second = o, size(most)
			default:
				second = max(second, size(o))
			}
		}
		for first := true; first || size(most) > second && tooMany(); first = false {
			key, _, _ = most.lru.GetOldest()
			c.remove(key)
		}
	}
}

// Remove removes the entry of a key, if any.
func (c *Cache[V]) Remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
}

// RemoveFunc removes all entries for whose values remove returns true.
func (c *Cache[V]) RemoveFunc(remove func(V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range c.all.Keys() {
		if e, _ := c.all.Peek(key); remove(e.value) {
			c.remove(key)
		}
	}
}

func (c *Cache[V]) remove(key string) {
	e, ok := c.all.Peek(key)
	if !ok {
		return
	}
	c.all.Remove(key)
	o := c.owners[e.owner]
	o.lru.Remove(key)
	o.bytes -= e.bytes
	c.bytes -= e.bytes
	if o.lru.Len() == 0 {
		delete(c.owners, e.owner)
	}
}
