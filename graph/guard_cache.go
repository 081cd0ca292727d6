package graph

import (
	"context"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// boundedCache keeps what was used last, bounded by how many there are and by the bytes of their texts.
type boundedCache[V any] struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[string, V]
	bytes func(key string, value V) int
	held  int
	most  int
}

// newCache makes a cache of at least one entry; bytes tells how much of most an entry takes.
func newCache[V any](entries, most int, bytes func(key string, value V) int) *boundedCache[V] {
	c := &boundedCache[V]{bytes: bytes, most: most}
	lru, err := simplelru.NewLRU(entries, func(key string, value V) { c.held -= bytes(key, value) })
	if err != nil {
		panic(err) // no entries, which is a defect of the caller
	}
	c.lru = lru
	return c
}

// Get looks an entry up.
func (c *boundedCache[V]) Get(_ context.Context, key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lru.Get(key)
}

// Add keeps an entry, unless it alone is beyond the bound.
func (c *boundedCache[V]) Add(_ context.Context, key string, value V) {
	size := c.bytes(key, value)
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > c.most || c.lru.Contains(key) {
		return
	}
	c.lru.Add(key, value)
	for c.held += size; c.held > c.most; {
		c.lru.RemoveOldest()
	}
}
