package traffic

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/tracker"
)

// Memory is a number of bytes that all operations share. They are taken before the memory that they stand for
// is used and given back exactly, so that the sum is known at every time; it falls as soon as work ends,
// unlike the size of the heap.
//
// A tenant has at most half of the bytes, so that one that asks for much waits for itself. Operations that
// hold bytes already are served first: the sooner they end, the sooner there is room. Others get at most
// three quarters of the bytes, of all and of a tenant's half, so that those that were admitted can go on.
// Among equals the tenant that holds the least comes first, and then the operation that came first. An
// operation for which there is no room yet is not overtaken by smaller ones of tenants that hold more.
type Memory struct {
	size, share int64

	mu      sync.Mutex
	used    int64
	peak    int64
	tenants map[tracker.TenantID]int64 // the bytes that each holds, if any
	waiting []*claim                   // in the order in which they came
	queued  int64                      // bytes of waiting
}

// claim is an operation that waits for bytes.
type claim struct {
	tenant  tracker.TenantID
	bytes   int64
	growing bool
	granted chan struct{} // closed when the bytes are the operation's
}

const (
	// growingPatience is how long an operation that holds bytes waits for more. It is short, because the
	// bytes that it holds are of no use meanwhile, and because operations may wait for each other.
	growingPatience = time.Second
	// startingPatience is how long an operation waits that holds nothing yet.
	startingPatience = 5 * time.Second
)

// NewMemory shares size bytes.
func NewMemory(size int64) *Memory {
	return &Memory{size: size, share: max(1, size/2), tenants: map[tracker.TenantID]int64{}}
}

// Acquire takes bytes for a tenant, waiting for others to give some back if need be. It fails with
// UNAVAILABLE when there can be no room in time: at once where more is waited for than there is in all, and
// when the wait was too long.
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

// giveUp ends a wait, unless the bytes came at the same moment.
func (m *Memory) giveUp(ctx context.Context, c *claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.waiting, c)
	if i < 0 {
		return nil
	}
	m.remove(i)
	m.serve() // it may have been the one that others could not overtake
	return noRoom(ctx.Err())
}

func noRoom(cause error) error {
	return &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second, Cause: cause,
		Message: "the server has no memory left for the operation; try again in a moment, or ask for less " +
			"at once"}
}

// Release gives bytes back.
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
		panic("traffic: more memory was given back than was taken")
	}
	m.serve()
}

// of is how much of a number of bytes a claim can have.
func (c *claim) of(bytes int64) int64 {
	if c.growing {
		return bytes
	}
	return bytes / 4 * 3
}

// fits reports whether there is room for a claim.
func (m *Memory) fits(c *claim) bool {
	return m.used+c.bytes <= c.of(m.size) && m.withinShare(c)
}

// withinShare reports whether a claim waits for others than its own tenant, if it waits.
func (m *Memory) withinShare(c *claim) bool {
	return m.tenants[c.tenant]+c.bytes <= c.of(m.share)
}

// before reports whether a claim that waits is served before another.
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

// serve grants what fits, in the order of the claims.
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

// Share returns the most bytes that one tenant can have.
func (m *Memory) Share() int64 { return m.share }

// MemoryState is how a Memory stands, in bytes.
type MemoryState struct {
	// Size is all there is, Used what operations hold, and Peak the most that they ever held.
	Size, Used, Peak int64
	// Waiting is the number of operations that wait.
	Waiting int
}

// State returns how the memory stands.
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
