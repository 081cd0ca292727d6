package traffic

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/tracker"
)

// Memory is a budget of bytes that all operations share. An operation acquires bytes before it uses the
// memory that they stand for, and releases exactly as many, so that the sum is always known; unlike the size
// of the heap, it falls as soon as work ends.
//
// A tenant holds at most half of the bytes, so that a busy tenant waits for its own operations. Operations
// that hold bytes already are served first, because they end and release them sooner. The others get at most
// three quarters of the budget and of their tenant's half, which leaves room for admitted operations to
// continue. Within each group the tenant that holds the least comes first, and then the earliest operation.
// Smaller operations of tenants that hold more do not overtake an operation that waits for room.
type Memory struct {
	size, share int64

	mu      sync.Mutex
	used    int64
	peak    int64
	tenants map[tracker.TenantID]int64 // bytes held by each tenant; only those above 0
	waiting []*claim                   // in order of arrival
	queued  int64                      // total bytes of waiting
}

// claim is an operation that waits for bytes.
type claim struct {
	tenant  tracker.TenantID
	bytes   int64
	growing bool
	granted chan struct{} // closed when the bytes are granted
}

const (
	// growingPatience is how long an operation that holds bytes waits for more. It is short because its bytes
	// are idle meanwhile, and because operations may wait for each other.
	growingPatience = time.Second
	// startingPatience is how long an operation that holds nothing waits.
	startingPatience = 5 * time.Second
)

// NewMemory returns a Memory of size bytes.
func NewMemory(size int64) *Memory {
	return &Memory{size: size, share: max(1, size/2), tenants: map[tracker.TenantID]int64{}}
}

// Acquire takes bytes for a tenant, and waits for others to release some if necessary. growing says that the
// operation holds bytes already. It fails with UNAVAILABLE: at once if the bytes exceed the tenant's share or
// the bytes waited for would exceed the budget, otherwise after the longest wait or when ctx ends.
func (m *Memory) Acquire(ctx context.Context, t tracker.TenantID, bytes int64, growing bool) error {
	m.mu.Lock()
	c := &claim{tenant: t, bytes: bytes, growing: growing}
	if bytes > c.of(m.share) {
		m.mu.Unlock()
		return noRoom(nil)
	}
	if m.fits(c) && !slices.ContainsFunc(m.waiting, func(w *claim) bool { return m.before(w, c) }) {
		m.grant(c)
		m.mu.Unlock()
		return nil
	}
	if !growing && m.queued+bytes > m.size {
		m.mu.Unlock()
		return noRoom(nil)
	}
	c.granted = make(chan struct{})
	m.waiting = append(m.waiting, c)
	m.queued += bytes
	m.mu.Unlock()

	patience := startingPatience
	if growing {
		patience = growingPatience
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
	case <-timer.C:
	}
	return m.giveUp(ctx, c)
}

// giveUp ends a wait, unless the bytes were granted at the same moment.
func (m *Memory) giveUp(ctx context.Context, c *claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.waiting, c)
	if i < 0 {
		return nil
	}
	m.remove(i)
	m.serve() // the claim may have blocked others
	return noRoom(ctx.Err())
}

func noRoom(cause error) error {
	return &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second, Cause: cause,
		Message: "the server has no memory available for the operation; try again later, or request less " +
			"at once"}
}

// Release returns bytes of a tenant.
func (m *Memory) Release(t tracker.TenantID, bytes int64) {
	if bytes == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= bytes
	if m.tenants[t] -= bytes; m.tenants[t] == 0 {
		delete(m.tenants, t)
	}
	if m.used < 0 || m.tenants[t] < 0 {
		panic("traffic: more memory was released than acquired")
	}
	m.serve()
}

// of returns how much of a number of bytes a claim may use.
func (c *claim) of(bytes int64) int64 {
	if c.growing {
		return bytes
	}
	return bytes / 4 * 3
}

// fits reports whether a claim can be granted now.
func (m *Memory) fits(c *claim) bool {
	return m.used+c.bytes <= c.of(m.size) && m.withinShare(c)
}

// withinShare reports whether a claim is within its tenant's share. A claim that is not waits for its own
// tenant.
func (m *Memory) withinShare(c *claim) bool {
	return m.tenants[c.tenant]+c.bytes <= c.of(m.share)
}

// before reports whether a waiting claim is served before another.
func (m *Memory) before(w, c *claim) bool {
	return m.withinShare(w) && m.compare(w, c) <= 0
}

func (m *Memory) compare(a, b *claim) int {
	if a.growing != b.growing {
		if a.growing {
			return -1
		}
		return 1
	}
	return cmp.Compare(m.tenants[a.tenant], m.tenants[b.tenant])
}

func (m *Memory) grant(c *claim) {
	m.used += c.bytes
	m.peak = max(m.peak, m.used)
	m.tenants[c.tenant] += c.bytes
}

// serve grants waiting claims in their order while they fit.
func (m *Memory) serve() {
	for {
		next := -1
		for i, c := range m.waiting {
			if !m.withinShare(c) {
				continue // it waits for its own tenant
			}
			if next < 0 || m.compare(c, m.waiting[next]) < 0 {
				next = i
			}
		}
		if next < 0 || !m.fits(m.waiting[next]) {
			return
		}
		c := m.waiting[next]
		m.remove(next)
		m.grant(c)
		close(c.granted)
	}
}

func (m *Memory) remove(i int) {
	m.queued -= m.waiting[i].bytes
	m.waiting = slices.Delete(m.waiting, i, i+1)
}

// Share returns the most bytes that one tenant can hold.
func (m *Memory) Share() int64 { return m.share }

// MemoryState is the state of a Memory, in bytes.
type MemoryState struct {
	// Size is the budget, Used is what operations hold, and Peak is the most that they have held.
	Size, Used, Peak int64
	// Waiting is the number of operations that wait.
	Waiting int
}

// State returns the state of the memory.
func (m *Memory) State() MemoryState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MemoryState{Size: m.size, Used: m.used, Peak: m.peak, Waiting: len(m.waiting)}
}

// Held returns the bytes that a tenant holds.
func (m *Memory) Held(t tracker.TenantID) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tenants[t]
}
