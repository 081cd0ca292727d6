package store

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"issuegrid/tracker"
)

// sizes keeps the average document size of each tenant, so that an operation can reserve the memory of a page
// before reading it.
type sizes struct {
	mu  sync.Mutex
	all *simplelru.LRU[tracker.TenantID, float64] // in bytes
}

const (
	// defaultDocumentBytes is the size in bytes assumed for the documents of an unknown tenant.
	defaultDocumentBytes = 4 << 10
	// maxSizes is the maximum number of tenants whose sizes are kept.
	maxSizes = 10_000
	// readUnit is the number of bytes read by a read capacity unit with eventual consistency.
	readUnit = 8 << 10
)

func newSizes() *sizes {
	all, err := simplelru.NewLRU[tracker.TenantID, float64](maxSizes, nil)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &sizes{all: all}
}

// of returns the expected size of a document in bytes.
func (s *sizes) of(t tracker.TenantID) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes, ok := s.all.Get(t); ok {
		return bytes
	}
	return defaultDocumentBytes
}

// learn updates the size from the capacity consumed by documents. It adopts a larger size immediately and a
// smaller one gradually.
func (s *sizes) learn(t tracker.TenantID, documents int, rcu float64, consistent bool) {
	if documents == 0 {
		return
	}
	if consistent {
		rcu /= 2
	}
	bytes := rcu * readUnit / float64(documents)
	s.mu.Lock()
	defer s.mu.Unlock()
	before, _ := s.all.Get(t)
	s.all.Add(t, max(bytes, 0.8*before+0.2*bytes))
}
