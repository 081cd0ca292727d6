package grid

import (
	"context"
	"time"
)

// Decision is how a part of a grid, its rows with a value in the column of the order or its tail of those without, is read.
type Decision struct {
	// Start is when planning began, and Duration what it took, with the keys that were counted and collected for it.
	Start    time.Time
	Duration time.Duration
	// Access is the method: walk, walk members, intersect, list or sort.
	Access string
	// Ways is how many there were to choose from.
	Ways int
	// Tail tells that it is about the rows without a value, and Revised that the decision replaces one that has turned out wrong.
	Tail, Revised bool
}

// tell begins to look at how the region is planned, and returns what ends that by telling the request's observer.
func (g *region) tell(ctx context.Context) func() {
	planned := g.query.request.Planned
	if planned == nil {
		return func() {}
	}
	start, p := time.Now(), &g.planning
	return func() {
		if p.done {
			planned(ctx, Decision{Start: start, Duration: time.Since(start), Access: p.access.method.String(), Ways: len(g.accesses()), Tail: g.tail, Revised: p.revised})
		}
	}
}
