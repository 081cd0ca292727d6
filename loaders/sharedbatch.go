package loaders

import (
	"context"
	"sync"
	"time"

	"issuegrid/tracker"
)

// patience is how long the keys of one grid wait for those of another of the same request. It adds nothing to
// the time of a response, which needs the slower grid anyway; it bounds the wait for one that has to read
// very many keys.
const patience = time.Second

// sharedBatch lets the grids of one request put their issue keys into the same batches. Each grid enters when
// it begins and joins when it has its keys; the last one to join sends the keys of all. A single grid never
// waits.
type sharedBatch struct {
	send func(issues, heads []tracker.IssueID) // puts keys into the loaders and sends their batches off

	mu      sync.Mutex
	pending int               // grids that have entered and have no keys yet
	issues  []tracker.IssueID // of the grids that wait
	heads   []tracker.IssueID // likewise, of which only the built-in columns are needed
	sent    chan struct{}     // closed when keys were sent
}

func (b *sharedBatch) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending++
	if b.sent == nil {
		b.sent = make(chan struct{})
	}
}

// join adds the keys of a grid that has entered, none if it turns out to need none. The channel is closed
// when they are sent.
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

// Grid registers a grid of this request. Done must be called when it ends.
func (t *Tenant) Grid() *Grid {
	t.grids.enter()
	return &Grid{tenant: t}
}

// Done must be called when the grid needs no more issues.
func (g *Grid) Done() {
	if !g.joined {
		g.joined = true
		g.tenant.grids.join(nil, nil)
	}
}

// Issues returns issues in the order of ids, nil where there is none. The first call shares its batches with
// the other grids of the request, and waits for them no longer than patience.
func (g *Grid) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	g.share(ctx, ids, nil)
	return all(ctx, g.tenant.issues, ids) // what was sent is in the loader already
}

// Heads returns the built-in columns of issues likewise.
func (g *Grid) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	g.share(ctx, nil, ids)
	return all(ctx, g.tenant.heads, ids)
}

// share puts the keys of the first call into one batch with those of other grids.
func (g *Grid) share(ctx context.Context, issues, heads []tracker.IssueID) {
	if g.joined {
		return
	}
	g.joined = true
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-g.tenant.grids.join(issues, heads):
	case <-timer.C:
	case <-ctx.Done():
	}
}
