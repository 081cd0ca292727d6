package grid

import (
	"bytes"
	"context"

	"golang.org/x/sync/errgroup"
)

// iterator yields the keys of rows in one order and direction, starting at a position. All iterators yield
// the grid's order (G1), so any of them can continue where another stopped.
type iterator interface {
	// next performs one round of parallel requests, and appends the keys that it reads, possibly none. want,
	// at least 1, is how many keys the reader can use; an iterator that pays per key returns no more. end
	// reports whether no keys are left; next must not be called again then.
	next(ctx context.Context, want int, keys []key) (_ []key, end bool, err error)
	// passed returns the last position examined: every key up to it has been yielded. It returns false before
	// the first one.
	passed() (key, bool)
}

// seeker is an iterator that can skip keys.
type seeker interface {
	iterator
	// seek moves to the first key at or after the sort string in the direction of reading. It sends no
	// request.
	seek(ss []byte)
}

// chain yields the keys of its iterators in sequence. An iterator is read only when the one before it has
// ended.
type chain struct {
	left []iterator
	last key
	any  bool
}

func (c *chain) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	keys, end, err := c.left[0].next(ctx, want, keys)
	if k, ok := c.left[0].passed(); ok {
		c.last, c.any = k, true
	}
	if end {
		c.left = c.left[1:]
	}
	return keys, len(c.left) == 0, err
}

func (c *chain) passed() (key, bool) { return c.last, c.any }

// lane is one of several seekers that are read together, with the keys that it has read and not yet used.
type lane struct {
	from    seeker
	keys    []key
	ended   bool
	chunk   int   // number of keys to request next
	started bool  // a request has been made
	span    int64 // range of numbers covered by the last request
	skipped bool  // more than that was skipped after it
	dropped key   // the last key used or skipped
	any     bool
}

func (l *lane) spent() bool { return l.ended && len(l.keys) == 0 }

// drop consumes the first n keys.
func (l *lane) drop(n int) {
	if n > 0 {
		l.dropped, l.any = l.keys[n-1], true
		l.keys = l.keys[n:]
	}
}

// skip drops the keys before a position.
func (l *lane) skip(ss []byte, descending bool) {
	n := 0
	for n < len(l.keys) && before(l.keys[n].ss, ss, descending) {
		n++
	}
	l.drop(n)
	if len(l.keys) > 0 || l.ended {
		return
	}
	if l.any {
		gap := num(ss) - num(l.dropped.ss)
		l.skipped = max(gap, -gap) > l.span
	}
	l.from.seek(ss)
}

// before reports whether a sort string comes before another in a direction.
func before(a, b []byte, descending bool) bool {
	if descending {
		a, b = b, a
	}
	return bytes.Compare(a, b) < 0
}

// fillLanes reads all lanes that have no keys left, in parallel.
func fillLanes(ctx context.Context, lanes []*lane) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range lanes {
		if len(l.keys) == 0 && !l.ended {
			group.Go(func() (err error) {
				l.keys, l.ended, err = l.from.next(ctx, l.chunk, nil)
				if n := len(l.keys); n > 0 {
					l.span, l.skipped = num(l.keys[n-1].ss)-num(l.keys[0].ss), false
					l.span = max(l.span, -l.span)
				}
				return err
			})
		}
	}
	return group.Wait()
}

// furthest returns the last of the lanes' dropped keys, and false if there is none.
func furthest(lanes []*lane, descending bool) (k key, any bool) {
	for _, l := range lanes {
		if l.any && (!any || before(k.ss, l.dropped.ss, descending)) {
			k, any = l.dropped, true
		}
	}
	return k, any
}

// merge yields the union of its lanes, which are in the same order.
type merge struct {
	lanes      []*lane
	descending bool
}

func (m *merge) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	for _, l := range m.lanes {
		l.chunk = want
	}
	if err := fillLanes(ctx, m.lanes); err != nil {
		return keys, false, err
	}
	for {
		var first *lane
		for _, l := range m.lanes {
			if l.spent() {
				continue
			}
			if len(l.keys) == 0 {
				return keys, false, nil // its next key may be the first
			}
			if first == nil || before(l.keys[0].ss, first.keys[0].ss, m.descending) {
				first = l
			}
		}
		if first == nil {
			return keys, true, nil
		}
		k := first.keys[0]
		keys = append(keys, k)
		for _, l := range m.lanes {
			if len(l.keys) > 0 && bytes.Equal(l.keys[0].ss, k.ss) {
				l.drop(1)
			}
		}
	}
}

func (m *merge) passed() (key, bool) { return furthest(m.lanes, m.descending) }

func (m *merge) seek(ss []byte) {
	for _, l := range m.lanes {
		l.skip(ss, m.descending)
	}
}

// zigzag yields the intersection of its lanes. The lane that is furthest ahead determines where the others
// continue: earlier keys are skipped, and not read if they have not been read yet. Example, ascending:
//
//	lane 1   3  4  9 | 22 ...     lane 2   8  9  15 | 30 ...
//	heads 3 and 8: lane 1 continues at 8, its head is 9; lane 2 continues at 9; both have 9: yield it
//	lane 1 has no keys left, and lane 2 is at 15: lane 1 seeks 15, and reads from there
//
// A lane first requests the number of keys it is expected to need, and doubles it with each request, unless
// it has just skipped more than one request reads.
type zigzag struct {
	lanes      []*lane
	descending bool
}

const (
	// firstChunk is the minimum number of keys a lane of a zigzag requests. Fewer save hardly anything,
	// because DynamoDB bills in units of 4 KB.
	firstChunk = 100
	// maxChunk is about as many keys as one response can hold.
	maxChunk = 12_800
)

func (z *zigzag) next(ctx context.Context, _ int, keys []key) ([]key, bool, error) {
	for _, l := range z.lanes {
		if len(l.keys) > 0 || l.ended {
			continue
		}
		if l.started && !l.skipped {
			l.chunk = min(2*l.chunk, maxChunk)
		}
		l.started = true
	}
	if err := fillLanes(ctx, z.lanes); err != nil {
		return keys, false, err
	}
	for {
		var target []byte
		for _, l := range z.lanes {
			if l.spent() {
				return keys, true, nil
			}
			if len(l.keys) == 0 {
				return keys, false, nil
			}
			if target == nil || before(target, l.keys[0].ss, z.descending) {
				target = l.keys[0].ss
			}
		}
		all := true
		for _, l := range z.lanes {
			l.skip(target, z.descending)
			all = all && len(l.keys) > 0 && bytes.Equal(l.keys[0].ss, target)
		}
		if all {
			keys = append(keys, z.lanes[0].keys[0])
			for _, l := range z.lanes {
				l.drop(1)
			}
		}
	}
}

func (z *zigzag) passed() (key, bool) { return furthest(z.lanes, z.descending) }
