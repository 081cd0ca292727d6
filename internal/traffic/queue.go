package traffic

import (
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/tracker"
)

// Queue limits how many operations run at a time, and how many wait; it rejects others at once. So an
// admitted operation is delayed by at most the length of the queue. A free slot goes to the waiting tenant
// that has the fewest, in turn if several have equally few, and no tenant gets all slots. So a busy tenant
// delays itself and not others.
type Queue struct {
	slots, waiting, share int

	mu      sync.Mutex
	running int
	queued  int
	tenants map[tracker.TenantID]*line
	turns   []tracker.TenantID // tenants with waiting operations, the next one first
}

// line holds the operations of one tenant.
type line struct {
	running int
	waiting []chan struct{} // each is closed when its turn has come
}

// NewQueue returns a Queue with the given number of slots, at least 1, in which at most waiting operations
// wait, which may be 0. A tenant gets at most three quarters of either.
func NewQueue(slots, waiting int) *Queue { return NewShared(slots, waiting, max(1, slots*3/4)) }

// NewShared returns a Queue like NewQueue, in which a tenant gets at most share slots.
func NewShared(slots, waiting, share int) *Queue {
	return &Queue{slots: slots, waiting: waiting, share: share, tenants: map[tracker.TenantID]*line{}}
}

// Enter waits for a slot; leave returns it. It fails with Unavailable at once if the queue is full, and when
// ctx ends.
func (q *Queue) Enter(ctx context.Context, t tracker.TenantID) (leave func(), err error) {
	turn, err := q.join(t)
	if err != nil {
		return nil, err
	}
	if turn != nil {
		select {
		case <-turn:
		case <-ctx.Done():
			if !q.giveUp(t, turn) { // its turn came at the same moment
				q.leave(t)
			}
			return nil, &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
				Message: "the request was canceled or timed out", Cause: ctx.Err()}
		}
	}
	var once sync.Once
	return func() { once.Do(func() { q.leave(t) }) }, nil
}

// join takes a slot, or joins the queue and returns a channel to wait for.
func (q *Queue) join(t tracker.TenantID) (turn chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[t]
	if l == nil {
		l = &line{}
		q.tenants[t] = l
	}
	if q.running < q.slots && l.running < q.share && len(l.waiting) == 0 {
		q.running++
		l.running++
		return nil, nil
	}
	if q.queued >= q.waiting || len(l.waiting) >= max(1, q.waiting*3/4) {
		q.tidy(t, l)
		return nil, &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
			Message: "the server is overloaded; try again in a moment"}
	}
	turn = make(chan struct{})
	if len(l.waiting) == 0 {
		q.turns = append(q.turns, t)
	}
	l.waiting = append(l.waiting, turn)
	q.queued++
	return turn, nil
}

// leave returns a slot, which goes to the next operation.
func (q *Queue) leave(t tracker.TenantID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[t]
	q.running--
	l.running--
	q.tidy(t, l)
	q.next()
}

// next starts the next waiting operation whose tenant is within its share, if any.
func (q *Queue) next() {
	turn, fewest := -1, q.share
	for n, t := range q.turns {
		if running := q.tenants[t].running; running < fewest {
			turn, fewest = n, running
		}
	}
	if turn < 0 {
		return
	}
	t := q.turns[turn]
	l := q.tenants[t]
	q.turns = slices.Delete(q.turns, turn, turn+1)
	close(l.waiting[0])
	if l.waiting = l.waiting[1:]; len(l.waiting) > 0 {
		q.turns = append(q.turns, t)
	}
	q.queued--
	q.running++
	l.running++
}

// giveUp removes a waiting operation. It returns false if the turn of the operation has already come.
func (q *Queue) giveUp(t tracker.TenantID, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[t]
	i := slices.Index(l.waiting, turn)
	if i < 0 {
		return false
	}
	q.queued--
	if l.waiting = slices.Delete(l.waiting, i, i+1); len(l.waiting) == 0 {
		q.turns = slices.DeleteFunc(q.turns, func(other tracker.TenantID) bool { return other == t })
	}
	q.tidy(t, l)
	return true
}

// tidy drops a tenant without operations.
func (q *Queue) tidy(t tracker.TenantID, l *line) {
	if l.running == 0 && len(l.waiting) == 0 {
		delete(q.tenants, t)
	}
}

// Size returns how many operations may run, and how many may wait.
func (q *Queue) Size() (slots, waiting int) { return q.slots, q.waiting }

// Load returns how many operations run, and how many wait.
func (q *Queue) Load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.queued
}
