package client

import "sync"

const (
	// maxBudget is the number of retries that a process may make in addition to those that it earns. It is
	// enough for a hundred calls in flight when an engine fails over, and is soon earned again.
	maxBudget = 1000
	// earnedByCall is what a successful call adds. With half a retry per success, the budget lasts
	// indefinitely while up to a third of all attempts fail. If more fail, calls fail.
	earnedByCall = 0.5
)

// budget limits the retries of a process, so that they do not multiply the load on an engine that is down: it
// is soon spent, and every call makes only one attempt until calls succeed again. It is safe for concurrent
// use. The zero budget is full.
type budget struct {
	mu    sync.Mutex
	spent float64
}

// spend takes one retry from the budget. It returns false if none is left.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent+1 > maxBudget {
		return false
	}
	b.spent++
	return true
}

// earn records a successful call.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = max(0, b.spent-earnedByCall)
}
