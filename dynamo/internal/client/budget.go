package client

import "sync"

const (
	// maxBudget is how many retries a process may make beyond those that it earns: all that a hundred calls may make which are under way when an engine
	// fails over, and soon made up for.
	maxBudget = 1000
	// earnedByCall is what a call that succeeds adds. So up to a third of all attempts may fail for any time: then there is half a retry for each success.
	// When more do, calls are lost.
	earnedByCall = 0.5
)

// budget bounds the retries of a process, so that they do not multiply the load on an engine that is down: then the budget is gone soon, and every call
// makes one attempt, until some are answered again. It is safe for concurrent use; the zero budget is full.
type budget struct {
	mu    sync.Mutex
	spent float64
}

// spend takes one retry out of the budget; false if there is none.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent+1 > maxBudget {
		return false
	}
	b.spent++
	return true
}

// earn counts a call that succeeds.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = max(0, b.spent-earnedByCall)
}
