package grid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"golang.org/x/sync/errgroup"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

const (
	// CountQueries is the work budget of a count that reads no documents, in Queries of 1 MB of keys each:
	// about 230,000 issues. A Query that reaches the end of a range does not count.
	CountQueries = 25
	// MaxCountQueries is the maximum number of Queries of a count, for each shard, with those that reach the
	// end of a range.
	MaxCountQueries = 125
	// countAtOnce is how many Queries of a count are sent in parallel.
	countAtOnce = 8
	// segmentKeys is the minimum number of keys that a part of a range is expected to have, if it is counted
	// in parts: about as many as one Query reads.
	segmentKeys = 8000
	// maxParts is the maximum number of parts of a range.
	maxParts = 2 * countAtOnce
)

// Counted is the result of a count.
type Counted struct {
	// N is the number of issues if Exact is set; otherwise there are at least N.
	N     int
	Exact bool
	// Next is where to continue; counts from there add to N. It is nil if Exact is set, and if the count has
	// made no progress, because the operation has too little memory or time left.
	Next *CountPosition
}

// Count counts the issues of a project that match a request's filter, within a budget. Where no document is
// read, ghosts are included. It uses the fields Project, Definition, Where, Budget, Force and CountFrom of
// the request.
//
// Without a filter, it reads the partition of the states, because every issue has a state and those keys are
// the shortest. For a filter that a single index condition answers, it reads the keys of that condition, with
// the same number of Queries. What a first Query leaves of a range is divided into parts that are read in
// parallel, if the range is in the order of the numbers, or of few values. All other filters are read like a
// page, within the budget of a page.
func Count(ctx context.Context, source Source, r Request) (Counted, error) {
	at := CountPosition{pieces: []piece{{}}}
	ranges, ok := r.countRanges()
	if ok {
		at.pieces = make([]piece, len(ranges))
		for i := range at.pieces {
			at.pieces[i].of = i
		}
	}
	if r.CountFrom != nil {
		if at = *r.CountFrom; at.mark != r.countMark(ranges, ok) {
			return Counted{}, tracker.Internal("a count continues that of another filter", nil)
		}
	}
	if !ok {
		ctx, release := withSets(ctx)
		defer release()
		return countRows(ctx, source, r, at)
	}
	return countRanges(ctx, source.Index, &r, ranges, at)
}

// countRanges returns the ranges whose keys are counted, each in one shard, and false if rows must be read.
func (r *Request) countRanges() ([]indexRange, bool) {
	all, ok := r.countable()
	n := r.project().ShardCount()
	if n == 1 {
		return all, ok
	}
	out := make([]indexRange, 0, n*len(all))
	for _, l := range all {
		if l.partitions(r.project()) == 1 {
			out = append(out, l)
			continue
		}
		for l.shard = 1; l.shard <= n; l.shard++ {
			out = append(out, l)
		}
	}
	return out, ok
}

func (r *Request) countable() ([]indexRange, bool) {
	form := filter.Normalize(r.Where)
	switch {
	case form.Never:
		return nil, true
	case form.Always():
		return []indexRange{{column: tracker.ColumnState, kind: sortkey.KindInt}}, true
	case len(form.All) == 1 && r.Force == 0:
		switch form.All[0].(type) {
		case filter.In, filter.Has:
			// The ranges of such a condition have no issue in common, except for one of many participants
			// that was being opened or closed when its server crashed, until it is changed or repaired.
			if c, ok := coverOf(r.Definition, form.All[0]); ok && c.exact {
				return c.ranges, true
			}
		}
	}
	return nil, false
}

// countRanges counts the keys of ranges. In each step, it sends a Query for each of the first parts that are
// left.
func countRanges(ctx context.Context, index Index, r *Request, ranges []indexRange,
	at CountPosition) (Counted, error) {
	n, left, sent, most := at.n, CountQueries, 0, MaxCountQueries*r.project().ShardCount()
	var pieces []piece
	for _, p := range at.pieces {
		pieces = append(pieces, r.nonempty(ranges, p)...)
	}
	a := account.From(ctx)
	for len(pieces) > 0 && left > 0 && sent < most && (sent == 0 || !a.ReadingOver()) {
		if err := a.Check(ctx); err != nil {
			return Counted{}, err
		}
		step := pieces[:min(len(pieces), countAtOnce, left, most-sent)]
		pages := make([]columns.KeyPage, len(step))
		group, ctx := errgroup.WithContext(ctx)
		for i, p := range step {
			group.Go(func() (err error) {
				pages[i], err = index.QueryKeys(ctx, p.query(r, ranges))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return Counted{}, err
		}
		sent += len(step)
		var rest []piece
		for i, page := range pages {
			if n += page.Count; page.Last != nil {
				left--
				step[i].from = sortkey.After(page.Last)
				rest = append(rest, r.split(ranges, step[i])...)
			}
		}
		pieces = append(rest, pieces[len(step):]...)
	}
	if len(pieces) == 0 {
		return Counted{N: n, Exact: true}, nil
	}
	next := CountPosition{n: n, pieces: joined(pieces), mark: r.countMark(ranges, true)}
	return Counted{N: n, Next: &next}, nil
}

func (p *piece) query(r *Request, ranges []indexRange) columns.KeyQuery {
	q, _ := ranges[p.of].within(r.project(), bounds{from: p.from, to: p.to})
	q.CountOnly, q.ToIsNoKey = true, p.to != nil && bytes.Equal(q.To, p.to)
	return q
}

// nonempty returns a piece, unless it has no keys.
func (r *Request) nonempty(ranges []indexRange, p piece) []piece {
	if empty(p.query(r, ranges)) {
		return nil
	}
	return []piece{p}
}

// split divides a piece.
func (r *Request) split(ranges []indexRange, p piece) []piece {
	var out []piece
	whole := p.query(r, ranges)
	for _, at := range r.splits(&ranges[p.of]) {
		if bytes.Compare(at, whole.From) > 0 && (whole.To == nil || bytes.Compare(at, whole.To) < 0) {
			out = append(out, piece{p.of, p.from, at})
			p.from = at
		}
	}
	return append(out, r.nonempty(ranges, p)...)
}

// splits returns the positions where a range is divided: those of values, and of numbers among the issues
// with one value.
func (r *Request) splits(l *indexRange) [][]byte {
	if r.Definition == nil {
		return nil
	}
	total := int64(r.total())
	parts := int(min(total/int64(l.partitions(r.project()))/segmentKeys, maxParts))
	value, byNumber := l.prefix()
	values := []sortkey.Value{value}
	if !byNumber {
		all, ok := integers(r.Definition, l)
		if !ok {
			return nil
		}
		values = nil
		for _, i := range all {
			values = append(values, sortkey.Int(i))
		}
	}
	if parts < 2 || len(values) == 0 {
		return nil
	}
	var out [][]byte
	each := int64(max(parts/len(values), 1))
	step := (len(values) + parts - 1) / parts // values in a part
	for i := 0; i < len(values); i += step {
		if i > 0 {
			out = append(out, values[i])
		}
		for k := int64(1); k < each; k++ {
			out = append(out, sortkey.After(sortkey.Join(values[i], k*total/each)))
		}
	}
	return out
}

// joined joins adjacent pieces.
func joined(pieces []piece) []piece {
	out := pieces[:1]
	for _, p := range pieces[1:] {
		last := &out[len(out)-1]
		if last.of == p.of && last.to != nil && bytes.Equal(last.to, p.from) {
			last.to = p.to
			continue
		}
		out = append(out, p)
	}
	return out
}

// ParseCountPosition decodes the position of a count for a request with the same filter. It returns BadInput,
// without a path, for a position of another filter, and of an earlier definition of the project if the
// filter's ranges have changed.
func ParseCountPosition(s string, r Request) (*CountPosition, error) {
	p, ok := parseCountPosition(s)
	if !ok {
		return nil, tracker.Bad("", "not a `totalCountCursor`; leave it out to count from the beginning")
	}
	ranges, byKeys := r.countRanges()
	if !byKeys {
		ok = len(p.pieces) == 1 && p.pieces[0].of == 0
	} else {
		last := p.pieces[len(p.pieces)-1]
		ok = p.pieces[0].of >= 0 && last.of < len(ranges) && len(p.pieces) <= len(ranges)+countAtOnce
	}
	if !ok || p.mark != r.countMark(ranges, byKeys) {
		bad := tracker.Bad("", "the count is of another filter, or the project has changed; leave it "+
			"out to count from the beginning")
		bad.Outdated = true
		return nil, bad
	}
	return p, nil
}

// countMark returns a checksum of what is counted. The sort strings of states and options are their
// positions, so it includes their order.
func (r *Request) countMark(ranges []indexRange, byKeys bool) uint32 {
	if !byKeys {
		return crc32.Checksum(fmt.Append(nil, r.Project, filter.Normalize(r.Where).All), castagnoli)
	}
	what := fmt.Append(nil, r.Project, ranges)
	for i := range ranges {
		c := ranges[i].column
		what = fmt.Append(what, r.Definition.RebuildingColumn(c), columns.Choices(r.Definition, c))
	}
	return crc32.Checksum(what, castagnoli)
}

// countRows counts by reading all rows in the order of their numbers. The count of as many rows as documents
// may be read is exact.
func countRows(ctx context.Context, source Source, r Request, at CountPosition) (Counted, error) {
	mark := r.countMark(nil, false)
	r = Request{Project: r.Project, Definition: r.Definition, Where: r.Where, Budget: r.Budget,
		Sharers: r.Sharers, Force: r.Force, keysOnly: true,
		Order: Order{{Column: tracker.ColumnNum, kind: sortkey.KindInt}}}
	if r.Size = 1; r.Definition != nil {
		r.Size = max(1, int(r.Definition.MaxIssueNum))
	}
	q := newPageQuery(ctx, source, &r)
	q.work.allowKeys()
	n, v := at.n, interval{}
	last := at.pieces[0].from // the last sort string counted; nil before the first
	if len(last) > 0 {
		v.start = &Position{Column: tracker.ColumnNum, HasValue: true, Num: num(last)}
	}
	rows := q.stream(v)
	stopped := func() (Counted, error) {
		if bytes.Equal(last, at.pieces[0].from) {
			return Counted{N: n}, nil // it would stop there again
		}
		return Counted{N: n, Next: &CountPosition{n: n, pieces: []piece{{from: last}}, mark: mark}}, nil
	}
	for !rows.spent() {
		if q.work.over() {
			return stopped()
		}
		if err := rows.fill(ctx, q.work, 1, maxExamined); err != nil {
			return Counted{}, err
		}
		keys := rows.keys
		if _, exact := q.yield(); exact {
			n += len(keys)
			rows.keys = nil
			if k, ok := rows.passed(); ok {
				last = k.ss
			}
			continue
		}
		keys = keys[:min(len(keys), maxExamined)]
		rows.keys = rows.keys[len(keys):]
		ids := make([]tracker.IssueID, len(keys))
		for i := range keys {
			ids[i] = keys[i].id
		}
		docs, err := q.documents(ctx, ids, q.node)
		if errors.Is(err, account.ErrMemory) {
			docs, err = q.first(ctx, ids, q.node)
		}
		decided := 0
		if err == nil {
			decided, err = q.match(ctx, keys[:len(docs)], docs)
		}
		if errors.Is(err, account.ErrMemory) {
			return stopped()
		}
		if err != nil {
			return Counted{}, err
		}
		for _, doc := range docs[:decided] {
			if doc != nil {
				n++
			}
		}
		if decided > 0 {
			last = keys[decided-1].ss
		}
		if decided < len(keys) {
			return stopped()
		}
		if k, ok := rows.passed(); ok && len(rows.keys) == 0 {
			last = k.ss
		}
	}
	return Counted{N: n, Exact: true}, nil
}
