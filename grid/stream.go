package grid

import (
	"bytes"
	"context"

	"issuegrid/sortkey"
)

// A grid consists of up to two regions, each of which is ordered by the sort strings of one index partition:
//
//	rows with a value     partition of the column, by value and number (in the order of numbers: by number)
//	rows without, "tail"  partition of the project's issues, by number; keys of rows with a value are
//	                      filtered out
//
// Positions are bounds of sort strings: since those are unique in their partition, the first one after ss is
// ss+"\x00". So with cursors at rows 3 and 7, both with a value v, "after 3, before 7" is v#3+"\x00" <= SS <
// v#7, and then the tail is not in it; "after 3" alone is v#3+"\x00" <= SS, and then the whole tail.

// interval is a part of a grid in a direction of reading: the rows from start on, up to and without end. Nil
// is no bound.
type interval struct {
	start *Cursor
	// inclusive reports whether a row at start belongs to it.
	inclusive bool
	end       *Cursor
	// backward reports whether the rows are read against the grid's order; start is then after end.
	backward bool
}

// span is what an interval has of a region. The region is planned when it is reached.
type span struct {
	reading *reading
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

// stream yields the keys of an interval, one region after the other, and has those that it has brought and
// that are not used yet.
type stream struct {
	left []*span
	keys []key
	last key // the last position that was examined
	any  bool
}

// ended reports whether all keys of the index were brought.
func (s *stream) ended() bool { return len(s.left) == 0 }

// lacks reports whether the stream must be read to give enough keys.
func (s *stream) lacks(enough int) bool { return !s.ended() && len(s.keys) < enough }

// spent reports whether there are no keys left, neither here nor in the index.
func (s *stream) spent() bool { return s.ended() && len(s.keys) == 0 }

// reading is what is read next; nil at the end.
func (s *stream) reading() *reading {
	if s.ended() {
		return nil
	}
	return s.left[0].reading
}

// passed is the last position that was examined: every key up to it has been brought. False before the first.
func (s *stream) passed() (key, bool) { return s.last, s.any }

// fill reads until there are enough keys, or no more, or the work budget is spent; once at least, because a
// page must get on. Each round asks for as many as make it want, which is at least enough.
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

// stream reads an interval of the grid.
func (q *query) stream(v interval) stream {
	o := &q.request.Order
	s := stream{}
	n := len(q.readings)
	for i := range q.readings {
		r := q.readings[i]
		if v.backward {
			r = q.readings[n-1-i]
		}
		tail := r.region.tail
		b := bounds{descending: o.Descending != v.backward}
		// A bound in the other region takes all of this one or nothing.
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
		if b.from == nil || b.to == nil || bytes.Compare(b.from, b.to) < 0 {
			s.left = append(s.left, &span{reading: r, bounds: b})
		}
	}
	return s
}

// earlier reports whether a region, the tail or the other one, is the first in a direction of reading.
func (o *Order) earlier(tail, backward bool) bool { return tail == (o.NullsFirst != backward) }

// sortString is the sort string of a row at the cursor.
func (o *Order) sortString(c *Cursor) []byte {
	if o.byNum() || !c.HasValue {
		return sortkey.Num(c.Num)
	}
	return sortkey.Join(c.Value, c.Num)
}

// begin bounds the range where reading begins.
func (b *bounds) begin(ss []byte, inclusive bool) {
	if b.descending == inclusive {
		ss = sortkey.After(ss)
	}
	b.edge(ss, b.descending)
}

// stop bounds the range where reading ends, exclusively.
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
