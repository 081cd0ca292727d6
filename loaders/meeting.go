package loaders

import (
	"context"
	"sync"
	"time"

	"issuegrid/tracker"
)

// patience is how long the keys of one grid wait for those of another of the same request, to share batches with them. It is no part of
// the time of an answer, which needs the slower grid anyway; it bounds what waits behind one that has to read very many keys.
const patience = time.Second

// meeting lets the grids of one request put their issue keys into the same batches. Each enters when it begins, and meets the others
// when it has its keys; the last one to come sends the keys of all. A grid alone waits for nobody.
type meeting struct {
	send func(issues, heads []tracker.IssueID) // puts keys into the loaders and sends their batches off

	mu      sync.Mutex
	pending int               // grids that have entered and have no keys yet
	issues  []tracker.IssueID // of the grids that wait
	heads   []tracker.IssueID // likewise, of which only the built-in columns are needed
	sent    chan struct{}     // closed when keys were sent
}

func (m *meeting) enter() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending++
	if m.sent == nil {
		m.sent = make(chan struct{})
	}
}

// come ends a grid's part in the meeting with its keys, none if it turns out to need none. The channel is closed when they were sent.
func (m *meeting) come(issues, heads []tracker.IssueID) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending--
	m.issues, m.heads = append(m.issues, issues...), append(m.heads, heads...)
	sent := m.sent
	if m.pending == 0 {
		m.send(m.issues, m.heads)
		close(sent)
		m.issues, m.heads, m.sent = nil, nil, nil
	}
	return sent
}

// Grid is one grid's way to the issue loader.
type Grid struct {
	tenant *Tenant
	came   bool
}

// Grid announces a grid of this request. It must be ended by Done.
func (t *Tenant) Grid() *Grid {
	t.grids.enter()
	return &Grid{tenant: t}
}

// Done tells that the grid needs no more issues.
func (g *Grid) Done() {
	if !g.came {
		g.came = true
		g.tenant.grids.come(nil, nil)
	}
}

// Issues returns issues in the order of ids, nil where there is none. The first call shares its batches with the other grids of the
// request, and waits for them no longer than patience.
func (g *Grid) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	g.meet(ctx, ids, nil)
	return all(ctx, g.tenant.issues, ids) // what was sent is in the loader already
}

// Heads returns the built-in columns of issues likewise.
func (g *Grid) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	g.meet(ctx, nil, ids)
	return all(ctx, g.tenant.heads, ids)
}

// meet puts the keys of the first call together with those of other grids.
func (g *Grid) meet(ctx context.Context, issues, heads []tracker.IssueID) {
	if g.came {
		return
	}
	g.came = true
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-g.tenant.grids.come(issues, heads):
	case <-timer.C:
	case <-ctx.Done():
	}
}
