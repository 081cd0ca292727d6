package grid

import (
	"bytes"

	"issuegrid/dynamo"
	"issuegrid/sortkey"
	"issuegrid/tracker"
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
func (r *Request) stream(index Index, v interval) stream {
	scans := make(chain, 0, 2)
	tailFirst := r.Order.NullsFirst != v.backward
	for _, tail := range [...]bool{tailFirst, !tailFirst} {
		if tail && !r.Order.hasTail() {
			continue
		}
		s := scan{index: index, tail: tail, query: r.partition(tail)}
		s.query.Descending = r.Order.Descending != v.backward
		if v.start != nil {
			if inTail := !v.start.HasValue; inTail == tail {
				s.seen = v.inclusive
				s.begin(r.Order.sortString(v.start), v.inclusive)
			} else if tail == tailFirst {
				continue // the interval begins in the other region, which is read later
			}
		}
		if v.end != nil {
			if inTail := !v.end.HasValue; inTail == tail {
				s.stop(r.Order.sortString(v.end))
			} else if tail != tailFirst {
				continue // it ends in the other region, which was read before
			}
		}
		if !empty(s.query) {
			scans = append(scans, s)
		}
	}
	return stream{from: &scans, ended: len(scans) == 0}
}

func (r *Request) partition(tail bool) dynamo.KeyQuery {
	if tail {
		return dynamo.KeyQuery{Project: r.Project, Column: tracker.ColumnNum, Without: r.Order.Column.Field()}
	}
	return dynamo.KeyQuery{Project: r.Project, Column: r.Order.Column}
}

// sortString is the sort string of a row at the cursor.
func (o *Order) sortString(c *Cursor) []byte {
	if o.byNum() || !c.HasValue {
		return sortkey.Num(c.Num)
	}
	return sortkey.Join(c.Value, c.Num)
}

// begin bounds the range where reading begins.
func (s *scan) begin(ss []byte, inclusive bool) {
	if s.query.Descending == inclusive {
		ss = behind(ss)
	}
	s.edge(ss, s.query.Descending)
}

// stop bounds the range where reading ends, exclusively.
func (s *scan) stop(ss []byte) {
	if s.query.Descending {
		ss = behind(ss)
	}
	s.edge(ss, !s.query.Descending)
}

func (s *scan) edge(ss []byte, upper bool) {
	if upper {
		s.query.To = ss
	} else {
		s.query.From = ss
	}
}

// behind is the first of all byte strings behind ss. It does not share memory with ss.
func behind(ss []byte) []byte {
	next := make([]byte, len(ss)+1)
	copy(next, ss)
	return next
}

// empty tells that no sort string is within the bounds of q. DynamoDB refuses a lower bound above the upper one.
func empty(q dynamo.KeyQuery) bool {
	return q.From != nil && q.To != nil && bytes.Compare(q.From, q.To) >= 0
}
