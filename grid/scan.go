package grid

import (
	"bytes"
	"context"
	"slices"
	"time"

	"issuegrid/columns"
	"issuegrid/sortkey"
)

// scan yields the keys of a range of one index partition.
type scan struct {
	index Index
	work  *work
	node  *Node
	query columns.KeyQuery // what is still to be read
	// value is what all sort strings of the range begin with; it is left out of those of the keys, so that
	// they are numbers.
	value sortkey.Value
	tail  bool
	// seen reports whether nothing is read yet of a range at whose very beginning a row was seen.
	seen bool
	// tried reports whether the first request for keys that DynamoDB filters was sent.
	tried bool
	ended bool // by a seek
	last  key
	any   bool
}

// scan reads a range, below a node of the page's plan.
func (x *run) scan(l *indexRange, below *Node) *scan {
	return &scan{index: x.source.Index, work: x.work, node: below.child(KindScan, x.where(l))}
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
	s.work.queried(page.Examined, page.RCU)
	s.node.queried(page.Examined, page.RCU, time.Since(started))
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
	// what was left out has been examined too
	s.last, s.any = key{id: page.LastIssue, ss: page.Last[len(s.value):], tail: s.tail}, true
	if s.query.Descending {
		s.query.To = page.Last
	} else {
		s.query.From = sortkey.After(page.Last)
	}
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

// minFiltered is the least that the first request examines of keys that DynamoDB filters.
const minFiltered = 200

// limit says how many keys the next request examines to bring want. Of those that DynamoDB filters most may
// be left out after they were read: the first request hopes for one in four, the others take what a request
// can hold, so that a range without such keys costs no more requests than its size in MB. A row that was just
// seen is still there, most likely.
func (s *scan) limit(want int) int {
	seen, tried := s.seen, s.tried
	s.seen = false
	switch {
	case len(s.query.With)+len(s.query.Without) == 0:
		return want
	case seen && want == 1:
		return 1
	case !tried:
		s.tried = true
		return max(minFiltered, 4*want)
	}
	return 0
}
