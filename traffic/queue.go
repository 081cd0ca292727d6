package traffic

import (
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/tracker"
)

// Queue lets a number of operations run at a time, and some more wait; others are refused at once, so that
// those which are taken on are not slowed down by more than the queue is long. A place goes to the tenant
// that has the fewest of those which wait, they take turns where that are several, and none has all places:
// one that asks for much waits behind itself, and not before others.
type Queue struct {
	places, waiting, share int

	mu      sync.Mutex
	running int
	queued  int
	tenants map[tracker.TenantID]*line
	turns   []tracker.TenantID // those that wait, whose turn is next first
}

// line is what a tenant has in the queue.
type line struct {
	running int
	waiting []chan struct{} // closed when its turn has come
}

// NewQueue lets places operations run, at least 1, and waiting others wait, which may be 0. A tenant has at
// most three quarters of either.
func NewQueue(places, waiting int) *Queue {
	return &Queue{places: places, waiting: waiting, share: max(1, places*3/4),
		tenants: map[tracker.TenantID]*line{}}
}

// Enter waits for a place, which leave gives back. It refuses with Unavailable at once when the queue is
// full, and when ctx ends.
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
				Message: "the request was cancelled or ran out of time", Cause: ctx.Err()}
		}
	}
	var once sync.Once
	return func() { once.Do(func() { q.leave(t) }) }, nil
}

// join takes a place, or a turn to wait for.
func (q *Queue) join(t tracker.TenantID) (turn chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[t]
	if l == nil {
		l = &line{}
		q.tenants[t] = l
	}
	if q.running < q.places && l.running < q.share && len(l.waiting) == 0 {
		q.running++
		l.running++
		return nil, nil
	}
	if q.queued >= q.waiting || len(l.waiting) >= max(1, q.waiting*3/4) {
		q.tidy(t, l)
		return nil, &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
			Message: "the server has more to do than it can take on; try again in a moment"}
	}
	turn = make(chan struct{})
	if len(l.waiting) == 0 {
		q.turns = append(q.turns, t)
	}
	l.waiting = append(l.waiting, turn)
	q.queued++
	return turn, nil
}

// leave gives a place to whose turn it is.
func (q *Queue) leave(t tracker.TenantID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[t]
	q.running--
	l.running--
	q.tidy(t, l)
	q.next()
}

// next lets in whose turn it is.
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

// giveUp ends a wait; false if the turn has come.
func (q *Queue) giveUp(t tracker.TenantID, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[t]
	for i, w := range l.waiting {
		if w != turn {
			continue
		}
		l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
		q.queued--
		if len(l.waiting) == 0 {
			for n, other := range q.turns {
				if other == t {
					q.turns = append(q.turns[:n], q.turns[n+1:]...)
					break
				}
			}
		}
		q.tidy(t, l)
		return true
	}
	return false
}

// tidy forgets a tenant that has nothing in the queue.
func (q *Queue) tidy(t tracker.TenantID, l *line) {
	if l.running == 0 && len(l.waiting) == 0 {
		delete(q.tenants, t)
	}
}

// Size is how many operations may run, and how many may wait.
func (q *Queue) Size() (places, waiting int) { return q.places, q.waiting }

// Load is how many operations run, and how many wait.
func (q *Queue) Load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.queued
}
