package grid

import (
	"bytes"
	"context"
	"math"
	"slices"
	"time"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
)

// scan yields the keys of a range of one index partition.
type scan struct {
	index Index
	work  *work
	node  *Node
	query columns.KeyQuery // the part that is still to be read
	// value is the common prefix of all sort strings of the range. It is removed from the keys, so that their
	// sort strings are numbers.
	value sortkey.Value
	tail  bool
	// seen reports whether the range is still unread and is known to start with a row.
	seen bool
	// passes is the share of the keys that are expected to pass DynamoDB's filter, 0 if it is not known.
	passes float64
	// tried is how many requests were sent, if DynamoDB filters the keys.
	tried int
	ended bool // set by seek
	last  key
	any   bool
}

// scan returns a scan of a range, with a node below the given node of the page's plan.
func (x *pageSource) scan(l *indexRange, below *Node) *scan {
	return &scan{index: x.source.Index, work: x.work, node: below.child(KindScan, x.rangeLabel(l))}
}

func (s *scan) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	if s.ended || empty(s.query) {
		return keys, true, nil
	}
	s.query.Limit = s.limit(want)
	started := time.Now()
	page, err := s.index.QueryKeys(ctx, s.query)
	if err != nil {
		return keys, false, err
	}
	s.work.queried(&page)
	s.node.queried(&page, time.Since(started))
	if keys == nil {
		keys = make([]key, 0, len(page.Keys))
	}
	for i := range page.Keys {
		keys = append(keys, key{id: page.Keys[i].Issue, ss: page.Keys[i].SS[len(s.value):], tail: s.tail})
	}
	if n := len(keys); len(page.Keys) > 0 {
		s.last, s.any = keys[n-1], true
	}
	if page.Last == nil {
		return keys, true, nil
	}
	// keys that were filtered out have been examined too
	s.last, s.any = key{id: page.LastIssue, ss: page.Last[len(s.value):], tail: s.tail}, true
	resume(&s.query, page.Last)
	return keys, empty(s.query), nil
}

func (s *scan) passed() (key, bool) { return s.last, s.any }

func (s *scan) seek(ss []byte) {
	bound := slices.Concat(s.value, ss)
	if s.query.Descending {
		bound = sortkey.After(bound)
		if s.query.To == nil || bytes.Compare(bound, s.query.To) < 0 {
			s.query.To = bound
		}
	} else if bytes.Compare(bound, s.query.From) > 0 {
		s.query.From = bound
	}
	s.ended = s.ended || empty(s.query)
}

// minFiltered is the minimum number of keys that a request examines if DynamoDB filters them and the share of
// those that pass is not known.
const minFiltered = 200

// limit returns how many keys the next request examines to yield want. Without a filter by DynamoDB, that is
// want. With one, keys may be filtered out after they were read. If most are expected to pass, the first
// request examines few more than want. The next one assumes that one in four passes, and later ones have no
// limit, so that a range without matches costs one request per MB. If seen, the first key most likely still
// exists, and a limit of 1 is enough to read it.
func (s *scan) limit(want int) int {
	seen := s.seen
	s.seen = false
	if len(s.query.With)+len(s.query.Without) == 0 {
		return want
	}
	if seen && want == 1 {
		return 1
	}
	if s.tried == 0 && s.passes < 0.5 {
		s.tried = 1
	}
	s.tried++
	switch s.tried {
	case 1:
		return int(examine(float64(want), s.passes)) + assumedAlive
	case 2:
		return max(minFiltered, 4*want)
	}
	return 0
}

// examine returns how many keys or documents probably contain the given number of rows if each is one with
// the probability yield, with a margin of a fifth, because the yield is an estimate. If nearly all are rows,
// the margin is less: two standard deviations and a fifth of those that are not rows.
func examine(rows, yield float64) float64 {
	n, others := rows/yield, 1-yield
	return min(1.2*n+1, n*(1+0.2*others)+2*math.Sqrt(n*others/yield)+others)
}
