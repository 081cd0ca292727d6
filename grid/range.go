package grid

import (
	"bytes"

	"issuegrid/sortkey"
)

// A grid consists of up to two regions, each of which is ordered by the sort strings of one index partition:
//
//	rows with a value     partition of the column            sort string: value, number (in the order of numbers: number)
//	rows without, "tail"  partition of the project's issues  sort string: number; keys of rows with a value are filtered out
//
// Positions are bounds of sort strings: since those are unique in their partition, the first one behind ss is ss+"\x00". So with
// cursors at rows 3 and 7, both with a value v, "after 3, before 7" is v#3+"\x00" <= SS < v#7, and then the tail is not in
// it; "after 3" alone is v#3+"\x00" <= SS, and then the whole tail.

// interval is a part of a grid in a direction of reading: the rows from start on, up to and without end. Nil is no bound.
type interval struct {
	start *Cursor
	// inclusive tells that a row at start belongs to it.
	inclusive bool
	end       *Cursor
	// backward tells that the rows are read against the grid's order; start is then behind end.
	backward bool
}

// stream reads an interval of the grid.
func (q *query) stream(v interval) stream {
	o := &q.request.Order
	c := &chain{}
	n := len(q.regions)
	for i := range q.regions {
		g := q.regions[i]
		if v.backward {
			g = q.regions[n-1-i]
		}
		b := bounds{descending: o.Descending != v.backward}
		// A bound in the other region takes all of this one or nothing.
		if v.start != nil {
			if v.start.HasValue != g.tail {
				b.seen = v.inclusive
				b.begin(o.sortString(v.start), v.inclusive)
			} else if o.earlier(g.tail, v.backward) {
				continue
			}
		}
		if v.end != nil {
			if v.end.HasValue != g.tail {
				b.stop(o.sortString(v.end))
			} else if !o.earlier(g.tail, v.backward) {
				continue
			}
		}
		if b.from == nil || b.to == nil || bytes.Compare(b.from, b.to) < 0 {
			c.left = append(c.left, &deferred{region: g, bounds: b})
		}
	}
	return stream{from: c, ended: len(c.left) == 0}
}

// earlier tells whether a region, the tail or the other one, is the first in a direction of reading.
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
