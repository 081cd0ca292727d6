// Package cache keeps values in memory for several owners, the tenants, which share the room. It knows
// nothing of what the values are.
//
// The law: while n owners have entries in a Cache, none loses an entry that was used in the last Idle to
// another as long as it has at most 1/n of the entries and 1/n of the bytes that there may be. When room is
// needed, the entry that was used least recently goes if it is idle. Otherwise the owner that has most loses
// what it has used least recently: there are more entries or bytes than there may be, so it has more than 1/n
// of them.
package cache

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Idle is how long after its last use an entry counts as idle.
const Idle = 10 * time.Minute

// Cache keeps values by their keys. It is bounded by the number of its entries and by their bytes. It is safe
// for concurrent use.
//
// An entry belongs to the owner that first added it, and can be used by all that know its key: what others
// must not find needs a key that they can't have.
type Cache[V any] struct {
	maxEntries int
	maxBytes   int64

	mu     sync.Mutex
	all    *simplelru.LRU[string, *entry[V]]
	owners map[string]*owned[V]
	bytes  int64
}

// owned are the entries of one owner, of which there is at least one.
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

// New makes a cache of at most so many entries and bytes, both at least 1.
func New[V any](entries int, bytes int64) *Cache[V] {
	c := &Cache[V]{maxEntries: max(1, entries), maxBytes: max(1, bytes), owners: map[string]*owned[V]{}}
	c.all = c.newLRU()
	return c
}

// newLRU makes a list that has room for all entries and one more, and so evicts nothing by itself.
func (c *Cache[V]) newLRU() *simplelru.LRU[string, *entry[V]] {
	lru, err := simplelru.NewLRU[string, *entry[V]](c.maxEntries+1, nil)
	if err != nil {
		panic(err) // of a size below 1
	}
	return lru
}

// Get returns the value of a key. That is a use of its entry.
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

// Add keeps a value that takes so many bytes, in the place of the one that has its key. A value that is
// larger than the whole cache is not kept, and neither is the one that had its key. Any other may be evicted
// at once, when its owner has more than others.
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

// evict removes entries, as the law says, while there are too many. size is how much an owner has.
func (c *Cache[V]) evict(now time.Time, tooMany func() bool, size func(*owned[V]) int64) {
	for tooMany() {
		key, e, _ := c.all.GetOldest()
		if now.Sub(e.used) >= Idle {
			c.remove(key)
			continue
		}
		// on a tie, the owner of the least recently used entry goes first
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

// Remove removes an entry, if there is one with the key.
func (c *Cache[V]) Remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
}

// RemoveFunc removes the entries for whose values remove returns true.
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
