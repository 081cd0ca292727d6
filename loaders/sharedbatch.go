package loaders

import (
	"context"
	"sync"
	"time"

	"issuegrid/tracker"
)

// gridWait is how long the keys of a grid wait for those of another grid in the same request. A response
// waits for its slowest grid anyway, so this adds nothing to its time. The limit is for a grid that has to
// read very many keys.
const gridWait = time.Second

// sharedBatch combines the issue keys of all grids of a request in batches. A grid enters when it starts and
// joins when it has its keys. The last grid to join sends the keys of all. A single grid never waits.
type sharedBatch struct {
	send func(issues, heads []tracker.IssueID) // loads keys and flushes their batches

	mu      sync.Mutex
	pending int               // grids that have entered but not joined
	issues  []tracker.IssueID // keys of the waiting grids
	heads   []tracker.IssueID // keys of the waiting grids that need only built-in columns
	sent    chan struct{}     // closed when the keys are sent
}

func (b *sharedBatch) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending++
	if b.sent == nil {
		b.sent = make(chan struct{})
	}
}

// join adds the keys of a grid that has entered; they may be empty. The returned channel is closed when the
// keys are sent.
func (b *sharedBatch) join(issues, heads []tracker.IssueID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending--
	b.issues, b.heads = append(b.issues, issues...), append(b.heads, heads...)
	sent := b.sent
	if b.pending == 0 {
		b.send(b.issues, b.heads)
		close(sent)
		b.issues, b.heads, b.sent = nil, nil, nil
	}
	return sent
}

// Grid loads the issues of one grid.
type Grid struct {
	tenant *Tenant
	joined bool
}

// Grid registers a grid of this request. The caller must call Done when the grid ends.
func (t *Tenant) Grid() *Grid {
	t.grids.enter()
	return &Grid{tenant: t}
}

// Done reports that the grid needs no more issues. Further calls have no effect.
func (g *Grid) Done() {
	if !g.joined {
		g.joined = true
		g.tenant.grids.join(nil, nil)
	}
}

// Issues returns issues in the order of ids, and nil for missing ones. The first call shares its batches with
// the other grids of the request and waits for them at most gridWait.
func (g *Grid) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	g.share(ctx, ids, nil)
	return loadAll(ctx, g.tenant.issues, ids) // keys already sent are in the loader
}

// Heads returns issues with only their built-in columns, like Issues.
func (g *Grid) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	g.share(ctx, nil, ids)
	return loadAll(ctx, g.tenant.heads, ids)
}

// share adds the keys of the grid's first call to the shared batch and waits for it.
func (g *Grid) share(ctx context.Context, issues, heads []tracker.IssueID) {
	if g.joined {
		return
	}
	g.joined = true
	timer := time.NewTimer(gridWait)
	defer timer.Stop()
	select {
	case <-g.tenant.grids.join(issues, heads):
	case <-timer.C:
	case <-ctx.Done():
	}
}
