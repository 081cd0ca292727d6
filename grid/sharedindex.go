package grid

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// SharedIndex is an Index that keeps the keys that it has read of another one. The grids of one operation
// often read the same keys: the groups of a filtered grid with their counts and sums, the parts of an order
// by several columns, a page and its total. It keeps all keys, so it must not outlive the operation.
//
// A query whose first key was read before, in the same direction, is answered with what was read in one go
// from there on, which takes no call, and then with what is read of the rest. A query for a first key that
// another query is reading waits for it, and fails if that fails. Counts, and queries that DynamoDB filters,
// are passed on. Keys from memory are counted in the account of the operation, like those of a call.
type SharedIndex struct {
	index Index

	mu      sync.Mutex
	read    map[partition][]*stretch
	reading map[partition]map[string]*flight // by the position
}

// flight is a query that is being sent.
type flight struct {
	done chan struct{}
	err  error // for those that wait; nil if each must try by itself
}

const (
	// keptKeyMemory is the memory of a key that is answered from memory.
	keptKeyMemory = 150
	// setOfKeys is the number of keys from which on an answer is assumed to become a set, which a grid keeps.
	setOfKeys = 1000
)

type setsKey struct{}

// withSets returns a context for one read of a grid, and a function that releases the memory of the answers
// that became sets of it.
func withSets(ctx context.Context) (_ context.Context, release func()) {
	held := &atomic.Int64{}
	return context.WithValue(ctx, setsKey{}, held), func() { account.From(ctx).Release(held.Load()) }
}

// NewSharedIndex returns an Index that shares the keys of index among its users.
func NewSharedIndex(index Index) *SharedIndex {
	return &SharedIndex{index: index, read: map[partition][]*stretch{},
		reading: map[partition]map[string]*flight{}}
}

// partition is what a query reads, without its bounds and its limit.
type partition struct {
	project       tracker.ProjectID
	shard, shards int
	column        tracker.Column
	gen           int64
	member        string
	empties       bool
	descending    bool
	way           columns.Way
}

func partitionOf(q *columns.KeyQuery) partition {
	return partition{project: q.Project, shard: q.Shard, shards: q.Shards, column: q.Column, gen: q.Gen,
		member: q.Member, empties: q.Empties, descending: q.Descending, way: q.Way}
}

// stretch is keys that were read in one go, none between them left out.
type stretch struct {
	// from and stop are where it begins and ends, like start and end of a query.
	from, stop []byte
	keys       []columns.IndexKey
	// last and lastIssue are like those of KeyPage; last is nil if it ends at the end of a query.
	last      []byte
	lastIssue tracker.IssueID
}

// QueryKeys answers a query by what was read, and reads the rest.
func (x *SharedIndex) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	if q.CountOnly || len(q.With)+len(q.Without) > 0 {
		return x.index.QueryKeys(ctx, q)
	}
	at, position := partitionOf(&q), string(start(&q))
	for {
		x.mu.Lock()
		page, ok := x.known(at, &q)
		other := x.reading[at][position]
		var own *flight
		if !ok && other == nil {
			own = &flight{done: make(chan struct{})}
			if x.reading[at] == nil {
				x.reading[at] = map[string]*flight{}
			}
			x.reading[at][position] = own
		}
		x.mu.Unlock()
		switch {
		case ok:
			return x.rest(ctx, q, page)
		case own != nil:
			return x.send(ctx, at, position, own, q)
		}
		select {
		case <-other.done:
			if other.err != nil {
				return columns.KeyPage{}, other.err
			}
		case <-ctx.Done():
			return columns.KeyPage{}, ctx.Err()
		}
	}
}

// rest reads what is missing of the answer to a query.
func (x *SharedIndex) rest(ctx context.Context, q columns.KeyQuery, page columns.KeyPage) (columns.KeyPage,
	error) {
	a := account.From(ctx)
	// a key that is answered from memory takes a part of one that is read
	a.Spend(time.Duration(len(page.Keys)) * account.ValueCPU / 5)
	if n := len(page.Keys); n >= setOfKeys {
		if err := a.Hold(ctx, int64(n)*keptKeyMemory); err != nil {
			return columns.KeyPage{}, err
		}
		if s, ok := ctx.Value(setsKey{}).(*atomic.Int64); ok {
			s.Add(int64(n) * keptKeyMemory)
		}
	}
	page.Keys = slices.Clone(page.Keys) // so that it does not keep all keys that were read
	if page.Last == nil || q.Limit > 0 && len(page.Keys) >= q.Limit {
		return page, nil
	}
	resume(&q, page.Last)
	if q.Limit > 0 {
		q.Limit -= len(page.Keys)
	}
	if empty(q) {
		page.Last = nil
		return page, nil
	}
	rest, err := x.QueryKeys(ctx, q)
	if err != nil {
		return columns.KeyPage{}, err
	}
	rest.Keys, rest.Count = append(page.Keys, rest.Keys...), page.Count+rest.Count
	return rest, nil
}

// send sends a query and keeps its page.
func (x *SharedIndex) send(ctx context.Context, at partition, position string, own *flight,
	q columns.KeyQuery) (page columns.KeyPage, err error) {
	returned := false
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		switch {
		case err != nil && ctx.Err() == nil && !errors.Is(err, account.ErrMemory):
			own.err = err
		case err == nil && returned: // otherwise the call has panicked
			x.keep(at, &q, &page)
		}
		delete(x.reading[at], position)
		close(own.done)
	}()
	page, err = x.index.QueryKeys(ctx, q)
	returned = true
	return page, err
}

// start returns where the keys of a query begin, and end where they end.
func start(q *columns.KeyQuery) []byte {
	if q.Descending {
		return q.To
	}
	return q.From
}

func end(q *columns.KeyQuery) []byte {
	if q.Descending {
		return q.From
	}
	return q.To
}

// keep adds a page to the stretch that ends where the page begins, or as one of its own.
func (x *SharedIndex) keep(at partition, q *columns.KeyQuery, page *columns.KeyPage) {
	last, stop := page.Last, end(q)
	if last != nil && !q.Descending && q.To != nil && bytes.Compare(last, q.To) >= 0 {
		last = nil // it was read, but is not among the keys
	}
	if last != nil {
		next := *q
		resume(&next, last)
		stop = start(&next)
	}
	for _, s := range x.read[at] {
		if s.last != nil && bytes.Equal(s.stop, start(q)) {
			s.keys = append(s.keys, page.Keys...)
			s.stop, s.last, s.lastIssue = stop, last, page.LastIssue
			return
		}
	}
	x.read[at] = append(x.read[at], &stretch{from: start(q), stop: stop, keys: slices.Clip(page.Keys),
		last: last, lastIssue: page.LastIssue})
}

// known returns the answer to a query, if its first key was read.
func (x *SharedIndex) known(at partition, q *columns.KeyQuery) (columns.KeyPage, bool) {
	for _, s := range x.read[at] {
		if page, ok := s.answer(q); ok {
			return page, true
		}
	}
	return columns.KeyPage{}, false
}

// answer returns the keys of the stretch that a query selects, if it has the first of them.
func (s *stretch) answer(q *columns.KeyQuery) (columns.KeyPage, bool) {
	covered, whole := s.covers(q)
	if !covered {
		return columns.KeyPage{}, false
	}
	// before reports whether a key is before the position, in the direction of the query.
	before := func(key, position []byte) bool { return bytes.Compare(key, position) < 0 }
	if q.Descending {
		before = func(key, position []byte) bool { return bytes.Compare(key, position) >= 0 }
	}
	keys := s.keys
	if from := start(q); from != nil {
		keys = keys[sort.Search(len(keys), func(i int) bool { return !before(keys[i].SS, from) }):]
	}
	if to := end(q); to != nil {
		keys = keys[:sort.Search(len(keys), func(i int) bool { return !before(keys[i].SS, to) })]
	}
	page := columns.KeyPage{Keys: slices.Clip(keys), Count: len(keys)}
	switch {
	case q.Limit > 0 && len(keys) > q.Limit:
		page.Keys, page.Count = keys[:q.Limit:q.Limit], q.Limit
		page.Last, page.LastIssue = keys[q.Limit-1].SS, keys[q.Limit-1].Issue
	case whole:
	case s.last != nil:
		page.Last, page.LastIssue = s.last, s.lastIssue
	case len(keys) == 0:
		return page, false // there is no position to continue from
	default:
		page.Last, page.LastIssue = keys[len(keys)-1].SS, keys[len(keys)-1].Issue
	}
	return page, true
}

// covers reports whether the stretch has the first key that a query selects, and whether it has all of them.
func (s *stretch) covers(q *columns.KeyQuery) (first, whole bool) {
	from, to := start(q), end(q)
	// ahead is the order of two positions, of which nil is none.
	ahead := bytes.Compare
	if q.Descending {
		ahead = func(a, b []byte) int { return bytes.Compare(b, a) }
	}
	if s.from != nil && (from == nil || ahead(from, s.from) < 0) {
		return false, false
	}
	if s.stop == nil {
		return true, true
	}
	first = from == nil || ahead(from, s.stop) < 0
	return first, first && to != nil && ahead(to, s.stop) <= 0
}
