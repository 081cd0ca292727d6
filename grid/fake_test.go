package grid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"
	"strings"
	"sync"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

const (
	project = tracker.ProjectID("35e9")
	other   = tracker.ProjectID("7b7e") // another project, which always has rows
)

// store is an in-memory source of a grid: ordered partitions of keys, and documents. It responds to a
// KeyQuery as dynamo documents it and as DynamoDB does: a response ends after Limit keys or 1 MB of keys, and
// then has a Last, even if no keys are left.
type store struct {
	mu         sync.Mutex
	partitions map[partition][]entry
	docs       map[tracker.IssueID]*tracker.Issue
	// megabyte is how many keys one response holds; 0 means no limit.
	megabyte int
	// shards is the number of shards of the project; 0 is 1. tight reports whether each reads only its share
	// of a limit, so that the joined responses have fewer keys than requested.
	shards int
	tight  bool
	// tags contains the tags of the partitions of TAGS fields.
	tags map[string]bool
	// before is called before every request, with the store locked. If it returns an error, the request
	// returns it.
	before func(call) error
	calls  []call
	// loading defers the order of the partitions until loaded is called.
	loading bool
}

type partition struct {
	project tracker.ProjectID
	column  tracker.Column
	member  string
	empties bool
	way     columns.Way
}

// partitionOf returns the partition that a query reads.
func partitionOf(q *columns.KeyQuery) partition {
	if q.Way != (columns.Way{}) {
		return partition{project: q.Project, way: q.Way}
	}
	return partition{project: q.Project, column: q.Column, member: q.Member, empties: q.Empties}
}

type entry struct {
	id  tracker.IssueID
	ss  []byte
	has []tracker.Column
}

// call is a Query, or a Fetch of a number of ids.
type call struct {
	query   *columns.KeyQuery
	fetched int
}

func newStore() *store {
	return &store{partitions: map[partition][]entry{}, docs: map[tracker.IssueID]*tracker.Issue{},
		tags: map[string]bool{}}
}

// Tags returns the tags of the only TAGS field, as dynamo.Tenant.Tags does.
func (s *store) Tags(ctx context.Context, q columns.TagQuery) (tags []string, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tag := range s.tags {
		if tag >= q.From && (q.To == "" || tag <= q.To) {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	if q.Descending {
		slices.Reverse(tags)
	}
	if q.Limit < 1 || q.Field.ID != fTags {
		return nil, false, errLimit
	}
	return tags[:min(len(tags), q.Limit)], len(tags) > q.Limit, ctx.Err()
}

func (s *store) find(p partition, ss []byte) (int, bool) {
	rows := s.partitions[p]
	i := sort.Search(len(rows), func(i int) bool { return bytes.Compare(rows[i].ss, ss) >= 0 })
	return i, i < len(rows) && bytes.Equal(rows[i].ss, ss)
}

func (s *store) isKey(p partition, ss []byte) bool {
	_, found := s.find(p, ss)
	return found
}

func (s *store) put(p partition, e entry) {
	if s.loading {
		s.partitions[p] = append(s.partitions[p], e)
		return
	}
	i, found := s.find(p, e.ss)
	if !found {
		s.partitions[p] = slices.Insert(s.partitions[p], i, e)
	}
	s.partitions[p][i] = e
}

// loaded sorts the partitions after many entries were put.
func (s *store) loaded() {
	s.loading = false
	for p, rows := range s.partitions {
		slices.SortFunc(rows, func(a, b entry) int { return bytes.Compare(a.ss, b.ss) })
		s.partitions[p] = slices.CompactFunc(rows, func(a, b entry) bool { return bytes.Equal(a.ss, b.ss) })
	}
}

func (s *store) remove(p partition, ss []byte) {
	if i, found := s.find(p, ss); found {
		s.partitions[p] = slices.Delete(s.partitions[p], i, i+1)
	}
}

var (
	errEmptySpan = errors.New("ValidationException: the BETWEEN operator requires upper bound to be " +
		"greater than or equal to lower bound")
	errLongKey = errors.New("ValidationException: size of the sort key is over 1024 bytes")
	errLimit   = errors.New("ValidationException: limit must be positive")
	errKey     = errors.New("a bound that is said to be no key is one")
	errWithout = errors.New("a filter on a partition whose keys have no field set")
	errShards  = errors.New("a query of neither one shard nor all")
)

func (s *store) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call{query: &q})
	if s.before != nil {
		if err := s.before(call{query: &q}); err != nil {
			return columns.KeyPage{}, err
		}
	}
	between := q.From != nil && q.To != nil
	all := max(s.shards, 1)
	switch {
	case q.Way != columns.Way{} && (q.Shard > 0 || q.Shards > 1):
		return columns.KeyPage{}, errShards
	case max(q.Shards, 1) != all && (q.Shards > 1 || q.Shard >= all) || all > 1 && q.Shards == 0:
		return columns.KeyPage{}, errShards
	case ctx.Err() != nil:
		return columns.KeyPage{}, ctx.Err()
	case between && bytes.Compare(q.From, q.To) >= 0:
		return columns.KeyPage{}, errEmptySpan
	case len(q.From) > sortkey.MaxBytes || len(q.To) > sortkey.MaxBytes:
		return columns.KeyPage{}, errLongKey
	case q.Limit < 0:
		return columns.KeyPage{}, errLimit
	case len(q.With)+len(q.Without) > 0 && q.Column != tracker.ColumnNum:
		return columns.KeyPage{}, errWithout
	case q.ToIsNoKey && s.isKey(partitionOf(&q), q.To):
		return columns.KeyPage{}, errKey
	}
	var pages []columns.KeyPage
	for _, of := range q.Split() {
		if s.tight && q.Limit > 0 {
			of.Limit = (q.Limit + all - 1) / all
		}
		pages = append(pages, s.ofShard(of))
	}
	return q.Join(pages), nil
}

// ofShard returns the response to a query of one shard. An id is in a random shard.
func (s *store) ofShard(q columns.KeyQuery) columns.KeyPage {
	between, p := q.From != nil && q.To != nil, partitionOf(&q)
	rows := s.partitions[p]
	from, _ := s.find(p, q.From)
	to, bound := len(rows), false
	if q.To != nil {
		// BETWEEN includes the upper bound; the Tenant drops it after reading.
		if to, bound = s.find(p, q.To); bound && between {
			to++
		}
	}
	rows = rows[from:max(from, to)]
	most := len(rows) + 1
	if q.Limit > 0 {
		most = q.Limit
	}
	if s.megabyte > 0 {
		most = min(most, s.megabyte)
	}
	if between && q.Descending {
		most++ // for the bound; otherwise a response could stop there
	}
	span := make([]entry, 0, min(most, len(rows)))
	for n := 0; n < len(rows) && len(span) < most; n++ {
		e := rows[n]
		if q.Descending {
			e = rows[len(rows)-1-n]
		}
		if s.shards <= 1 || p.way != (columns.Way{}) ||
			int(crc32.ChecksumIEEE([]byte(e.id.Issue)))%s.shards == q.Shard {
			span = append(span, e)
		}
	}
	page := columns.KeyPage{Examined: len(span), Queries: 1}
	if len(span) >= most {
		page.Last, page.LastIssue = span[most-1].ss, span[most-1].id
	}
	page.Keys = make([]columns.IndexKey, 0, len(span))
	for _, e := range span {
		if between && bytes.Equal(e.ss, q.To) || !e.passes(q) {
			continue
		}
		page.Count++
		page.Keys = append(page.Keys, columns.IndexKey{Issue: e.id, SS: e.ss})
	}
	if q.Limit > 0 && page.Count > q.Limit {
		page.Keys, page.Count = page.Keys[:q.Limit], q.Limit
		page.Last, page.LastIssue = page.Keys[q.Limit-1].SS, page.Keys[q.Limit-1].Issue
	}
	if q.CountOnly {
		page.Keys = nil
	}
	return page
}

// passes reports whether an entry passes DynamoDB's filter.
func (e *entry) passes(q columns.KeyQuery) bool {
	for _, f := range q.With {
		if !slices.Contains(e.has, f) {
			return false
		}
	}
	return !slices.ContainsFunc(q.Without, func(c tracker.Column) bool { return slices.Contains(e.has, c) })
}

func (s *store) fetch(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call{fetched: len(ids)})
	if s.before != nil {
		if err := s.before(call{fetched: len(ids)}); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	docs := make([]*tracker.Issue, len(ids))
	for i, id := range ids {
		docs[i] = s.docs[id]
	}
	return docs, nil
}

func (s *store) source() grid.Source { return grid.Source{Index: s, Fetch: s.fetch} }

// transcript returns the calls since the last transcript. Parallel queries are sorted.
func (s *store) transcript() []string {
	var lines, queries []string
	for _, c := range s.calls {
		if c.query != nil {
			queries = append(queries, queryLine(*c.query))
			continue
		}
		slices.Sort(queries)
		lines = append(append(lines, queries...), fmt.Sprintf("fetch %d", c.fetched))
		queries = nil
	}
	s.calls = nil
	slices.Sort(queries)
	return append(lines, queries...)
}

// spent returns the numbers of Queries and of documents since calls was reset.
func (s *store) spent() (queries, documents int) {
	for _, c := range s.calls {
		if documents += c.fetched; c.query != nil {
			queries++
		}
	}
	return queries, documents
}

func queryLine(q columns.KeyQuery) string {
	var b strings.Builder
	b.WriteString(string(q.Column))
	for _, f := range q.Without {
		b.WriteString(" without " + string(f))
	}
	if q.Empties {
		b.WriteString(" empties")
	}
	if q.From != nil {
		b.WriteString(" from")
	}
	if q.To != nil {
		b.WriteString(" to")
	}
	if q.Descending {
		b.WriteString(" descending")
	}
	if q.Limit > 0 {
		fmt.Fprintf(&b, " limit %d", q.Limit)
	}
	return b.String()
}

// fixed returns the same keys for every query and the same documents for every fetch, at no cost.
type fixed struct {
	keys columns.KeyPage
	docs []*tracker.Issue
}

func newFixed(s *store, size int) fixed {
	f := fixed{docs: make([]*tracker.Issue, size)}
	f.keys, _ = s.QueryKeys(context.Background(),
		columns.KeyQuery{Project: project, Column: byField.id, Limit: size + 5})
	for i := range f.docs {
		f.docs[i] = s.docs[f.keys.Keys[i].Issue]
	}
	return f
}

func (f fixed) QueryKeys(context.Context, columns.KeyQuery) (columns.KeyPage, error) {
	return f.keys, nil
}

func (f fixed) fetch(context.Context, []tracker.IssueID) ([]*tracker.Issue, error) {
	return f.docs, nil
}
