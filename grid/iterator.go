package grid

import (
	"bytes"
	"context"

	"golang.org/x/sync/errgroup"
)

// iterator yields the keys of rows in one order and direction, from a position on. Whatever reads an index to
// find rows is one; since all emit the grid's order (G1), each can go on from where any other has stopped.
type iterator interface {
	// next reads for one round of requests side by side, and appends the keys that it brings, which may be
	// none. want, at least 1, is how many the reader can use; an iterator that pays for each key brings no
	// more. end reports whether no keys are left; next must not be called again.
	next(ctx context.Context, want int, keys []key) (_ []key, end bool, err error)
	// passed is the last position that was examined: every key up to it has been yielded. False before the
	// first.
	passed() (key, bool)
}

// seeker is an iterator that can leave out what lies before a position.
type seeker interface {
	iterator
	// seek moves to the first key at the sort string, or after it in the direction of reading. It sends
	// nothing.
	seek(ss []byte)
}

// chain yields the keys of its iterators, one after the other. None is read before the one ahead of it is at
// its end.
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

// lane is one of several seekers that are read together, with what it has brought.
type lane struct {
	from    seeker
	keys    []key
	ended   bool
	chunk   int   // how many keys the next request asks for
	asked   bool  // there was a request
	span    int64 // of the numbers that the last request brought
	leapt   bool  // more than that was left out after them
	dropped key   // the last key that was used or left out
	any     bool
}

func (l *lane) spent() bool { return l.ended && len(l.keys) == 0 }

// drop uses up the first n keys.
func (l *lane) drop(n int) {
	if n > 0 {
		l.dropped, l.any = l.keys[n-1], true
		l.keys = l.keys[n:]
	}
}

// skip leaves out the keys before a position.
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
		l.leapt = max(gap, -gap) > l.span
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

// fillLanes reads all lanes that are out of keys, side by side.
func fillLanes(ctx context.Context, lanes []*lane) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range lanes {
		if len(l.keys) == 0 && !l.ended {
			group.Go(func() (err error) {
				l.keys, l.ended, err = l.from.next(ctx, l.chunk, nil)
				if n := len(l.keys); n > 0 {
					l.span, l.leapt = num(l.keys[n-1].ss)-num(l.keys[0].ss), false
					l.span = max(l.span, -l.span)
				}
				return err
			})
		}
	}
	return group.Wait()
}

// furthest is the last of the lanes' dropped keys.
func furthest(lanes []*lane, descending bool) (k key, any bool) {
	for _, l := range lanes {
		if l.any && (!any || before(k.ss, l.dropped.ss, descending)) {
			k, any = l.dropped, true
		}
	}
	return k, any
}

// merge yields the keys of all its lanes, which are in the same order, each once.
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
				return keys, false, nil // what it would bring may come first
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

// zigzag yields the keys that all its lanes have. The lane that is furthest ahead says where the others go
// on: what lies before is left out, and not read where it has not been read yet. Example, ascending:
//
//	lane 1   3  4  9 | 22 ...     lane 2   8  9  15 | 30 ...
//	heads 3 and 8: lane 1 goes on at 8, its head is 9; lane 2 goes on at 9: both have 9, which is yielded
//	lane 1 is out of keys, and lane 2 is at 15: lane 1 seeks 15, and reads from there
//
// A lane begins with what it is expected to need and asks for twice as much each time, unless it has just
// leapt over more than a request brings.
type zigzag struct {
	lanes      []*lane
	descending bool
}

const (
	// firstChunk is the least that a lane of a zigzag asks for: less costs hardly less, because DynamoDB
	// counts by 4 KB.
	firstChunk = 100
	// maxChunk is about what one answer can hold.
	maxChunk = 12_800
)

func (z *zigzag) next(ctx context.Context, _ int, keys []key) ([]key, bool, error) {
	for _, l := range z.lanes {
		if len(l.keys) > 0 || l.ended {
			continue
		}
		if l.asked && !l.leapt {
			l.chunk = min(2*l.chunk, maxChunk)
		}
		l.asked = true
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
