package dynamo

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"issuegrid/tracker"
)

// sizes remembers how large the documents of tenants are, so that operations can wait for the memory of a
// page before it is read.
type sizes struct {
	mu  sync.Mutex
	all *simplelru.LRU[tracker.TenantID, float64] // bytes
}

const (
	// usualDocument is taken for the size of a document of a tenant of which nothing is known.
	usualDocument = 4 << 10
	// mostSizes is of how many tenants the sizes are remembered.
	mostSizes = 10_000
	// readUnit is how many bytes a read capacity unit reads, eventually consistent.
	readUnit = 8 << 10
)

func newSizes() *sizes {
	all, err := simplelru.NewLRU[tracker.TenantID, float64](mostSizes, nil)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return &sizes{all: all}
}

// of is the size that is expected of a document.
func (s *sizes) of(t tracker.TenantID) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes, ok := s.all.Get(t); ok {
		return bytes
	}
	return usualDocument
}

// learn notes what documents were billed for. Larger ones count at once, smaller ones by and by.
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
