package graph

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"issuegrid/tracker"
)

// tenantCache keeps the texts of persisted queries, those of each tenant for itself. Its bounds hold for all tenants together.
//
// Law: while n tenants keep queries, none loses one for the sake of another as long as it has at most 1/n of the places and 1/n of the bytes. When
// there are more queries or bytes than there is room for, some tenant has more than 1/n of them, so the one that has most loses what it has not used
// for the longest time.
type tenantCache struct {
	queries, bytes int // the bounds

	mu            sync.Mutex
	tenants       map[tracker.TenantID]*keptQueries
	count, length int // of all tenants
}

// keptQueries are those of one tenant. It has at least one.
type keptQueries struct {
	byHash *simplelru.LRU[string, string]
	length int // of the texts, in bytes
}

func newTenantCache(queries, bytes int) *tenantCache {
	return &tenantCache{queries: queries, bytes: bytes, tenants: map[tracker.TenantID]*keptQueries{}}
}

// get returns the text with a hash, if the tenant has sent it.
func (c *tenantCache) get(t tracker.TenantID, hash string) (text string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.tenants[t]; k != nil {
		return k.byHash.Get(hash)
	}
	return "", false
}

// add keeps a text for a tenant, unless it alone has more bytes than there may be.
func (c *tenantCache) add(t tracker.TenantID, hash, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.tenants[t]
	if len(text) > c.bytes || k != nil && k.byHash.Contains(hash) {
		return
	}
	if k == nil {
		k = &keptQueries{}
		k.byHash, _ = simplelru.NewLRU[string, string](c.queries+1, nil) // which fails for no places only, and evicts nothing by itself
		c.tenants[t] = k
	}
	k.byHash.Add(hash, text)
	k.length += len(text)
	c.count, c.length = c.count+1, c.length+len(text)
	for c.count > c.queries {
		c.evict(t, func(k *keptQueries) int { return k.byHash.Len() })
	}
	for c.length > c.bytes {
		c.evict(t, func(k *keptQueries) int { return k.length })
	}
}

// evict removes a query of the tenant that has most. Of several, it is the one that needs the room, if it is among them.
func (c *tenantCache) evict(adding tracker.TenantID, size func(*keptQueries) int) {
	most := adding
	for t, k := range c.tenants {
		if c.tenants[most] == nil || size(k) > size(c.tenants[most]) {
			most = t
		}
	}
	k := c.tenants[most]
	_, text, _ := k.byHash.RemoveOldest()
	k.length -= len(text)
	c.count, c.length = c.count-1, c.length-len(text)
	if k.byHash.Len() == 0 {
		delete(c.tenants, most)
	}
}
