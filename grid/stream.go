package grid

import (
	"bytes"
	"context"

	"issuegrid/internal/sortkey"
)

// A grid consists of up to two regions, each ordered by the sort strings of one index partition:
//
//	rows with a value     partition of the column, by value and number (in the order of numbers: by number)
//	rows without, "tail"  partition of the project's issues, by number; keys of rows with a value are
//	                      filtered out
//
// Positions are bounds of sort strings. Those are unique in their partition, so the first one after ss is
// ss+"\x00". For example, with cursors at rows 3 and 7, both with the value v, "after 3, before 7" is
// v#3+"\x00" <= SS < v#7, without the tail; "after 3" alone is v#3+"\x00" <= SS, followed by the whole tail.

// interval is a part of a grid with a direction of reading: the rows from start on, up to but excluding end.
// Nil means no bound.
type interval struct {
	start *Position
	// inclusive reports whether a row at start is included.
	inclusive bool
	end       *Position
	// backward reports whether the rows are read against the grid's order. start is then after end.
	backward bool
}

// span is the part of an interval in one region. The region is planned when it is reached.
type span struct {
	reading *plannedRegion
	bounds  bounds
	opened  iterator
}

func (s *span) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	if s.opened == nil {
		e, err := s.reading.prepare(ctx)
		if err != nil {
			return keys, false, err
		}
		s.opened = e.open(s.bounds)
	}
	return s.opened.next(ctx, want, keys)
}

// stream yields the keys of an interval, one region after the other. It buffers the keys that have been read
// and are not used yet.
type stream struct {
	left []*span
	keys []key
	last key // the last position examined
	any  bool
}

// ended reports whether all keys of the index have been read.
func (s *stream) ended() bool { return len(s.left) == 0 }

// lacks reports whether fewer than enough keys are buffered and the index has more.
func (s *stream) lacks(enough int) bool { return !s.ended() && len(s.keys) < enough }

// spent reports whether no keys are left, neither buffered nor in the index.
func (s *stream) spent() bool { return s.ended() && len(s.keys) == 0 }

// reading returns the region that is read next, or nil at the end.
func (s *stream) reading() *plannedRegion {
	if s.ended() {
		return nil
	}
	return s.left[0].reading
}

// passed returns the last position examined: every key up to it has been read. It returns false before the
// first one.
func (s *stream) passed() (key, bool) { return s.last, s.any }

// fill reads until at least enough keys are buffered, no keys are left, or the work budget is spent. It makes
// at least one request if keys are lacking, so that every page progresses. Each round requests as many keys
// as are missing to want, which is at least enough.
func (s *stream) fill(ctx context.Context, w *work, enough, want int) error {
	for s.lacks(enough) {
		if err := w.account.Check(ctx); err != nil {
			return err
		}
		var end bool
		var err error
		first := s.left[0]
		if s.keys, end, err = first.next(ctx, want-len(s.keys), s.keys); err != nil {
			return err
		}
		if k, ok := first.opened.passed(); ok {
			s.last, s.any = k, true
		}
		if end {
			s.left = s.left[1:]
		}
		if w.over() {
			break
		}
	}
	return nil
}

// stream returns the stream of an interval of the grid.
func (q *pageQuery) stream(v interval) stream {
	o := q.request.column()
	s := stream{}
	if q.ways != nil {
		b := bounds{descending: o.Descending != v.backward, seen: v.inclusive}
		b.within(o, v)
		if !b.empty() {
			s.left = []*span{{opened: q.ways.open(q.pageSource, b)}}
		}
		return s
	}
	n := len(q.regions)
	for i := range q.regions {
		r := q.regions[i]
		if v.backward {
			r = q.regions[n-1-i]
		}
		tail := r.region.tail
		b := bounds{descending: o.Descending != v.backward}
		// A bound in the other region includes all of this one, or nothing.
		if v.start != nil {
			if v.start.HasValue != tail {
				b.seen = v.inclusive
				b.begin(o.sortString(v.start), v.inclusive)
			} else if o.earlier(tail, v.backward) {
				continue
			}
		}
		if v.end != nil {
			if v.end.HasValue != tail {
				b.stop(o.sortString(v.end))
			} else if !o.earlier(tail, v.backward) {
				continue
			}
		}
		if !b.empty() {
			s.left = append(s.left, &span{reading: r, bounds: b})
		}
	}
	return s
}

// earlier reports whether the tail, or else the region of rows with a value, comes first in the direction of
// reading.
func (o *OrderColumn) earlier(tail, backward bool) bool { return tail == (o.NullsFirst != backward) }

// sortString returns the sort string of a row at the cursor.
func (o *OrderColumn) sortString(c *Position) []byte {
	if o.byNum() || !c.HasValue {
		return sortkey.Num(c.Num)
	}
	return sortkey.Join(c.Value, c.Num)
}

// empty reports whether no position is within the bounds.
func (b *bounds) empty() bool {
	return b.from != nil && b.to != nil && bytes.Compare(b.from, b.to) >= 0
}

// within sets the bounds of an interval of a grid with one region.
func (b *bounds) within(o *OrderColumn, v interval) {
	if v.start != nil {
		b.begin(o.sortString(v.start), v.inclusive)
	}
	if v.end != nil {
		b.stop(o.sortString(v.end))
	}
}

// begin sets the bound where reading starts.
func (b *bounds) begin(ss []byte, inclusive bool) {
	if b.descending == inclusive {
		ss = sortkey.After(ss)
	}
	b.edge(ss, b.descending)
}

// stop sets the bound where reading ends, exclusively.
func (b *bounds) stop(ss []byte) {
	if b.descending {
		ss = sortkey.After(ss)
	}
	b.edge(ss, !b.descending)
}

func (b *bounds) edge(ss []byte, upper bool) {
	if upper {
		b.to = ss
	} else {
		b.from = ss
	}
}
