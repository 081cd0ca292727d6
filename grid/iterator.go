package grid

import (
	"context"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// key is the key of a row, with its position in the grid's order.
type key struct {
	id tracker.IssueID
	// ss is the sort string: of the value and the number or, in the tail, of the number alone.
	ss []byte
	// tail tells that the row has no value in the column of the order.
	tail bool
}

// iterator yields the keys of rows in the grid's order (G1), in one direction, from a position on. Whatever reads an index
// to find rows is one; since all emit the same order, each can go on from any other's last key.
type iterator interface {
	// next sends one request and appends the keys that it brings, which may be none. want, at least 1, is how many the reader
	// can use; an iterator that pays for each key brings no more. end tells that no keys are left; next must not be called again.
	next(ctx context.Context, want int, keys []key) (_ []key, end bool, err error)
}

// stream is an iterator with the keys that it has brought and that are not used yet.
type stream struct {
	from  iterator
	keys  []key
	ended bool // from is at its end
}

// lacks tells whether the stream must be read to give enough keys.
func (s *stream) lacks(enough int) bool { return !s.ended && len(s.keys) < enough }

// spent tells that there are no keys left, neither here nor in the index.
func (s *stream) spent() bool { return s.ended && len(s.keys) == 0 }

// fill reads until there are enough keys or no more. Each request asks for as many as make it want, which is at least enough.
func (s *stream) fill(ctx context.Context, enough, want int) error {
	for s.lacks(enough) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if s.keys, s.ended, err = s.from.next(ctx, want-len(s.keys), s.keys); err != nil {
			return err
		}
	}
	return nil
}

// chain yields the keys of its scans, one scan behind the other. A scan is not read before the one ahead of it is at its end.
type chain []scan

func (c *chain) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	keys, end, err := (*c)[0].next(ctx, want, keys)
	if end {
		*c = (*c)[1:]
	}
	return keys, len(*c) == 0, err
}

// scan yields the keys of a range of one index partition.
type scan struct {
	index Index
	query dynamo.KeyQuery // what is still to be read
	tail  bool
	// seen tells that nothing is read yet of a range at whose very beginning a row was seen.
	seen bool
	// tried tells that the first request for rows of the tail was sent.
	tried bool
}

func (s *scan) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	s.query.Limit = s.limit(want)
	page, err := s.index.QueryKeys(ctx, s.query)
	if err != nil {
		return keys, false, err
	}
	if keys == nil {
		keys = make([]key, 0, len(page.Keys))
	}
	for i := range page.Keys {
		keys = append(keys, key{id: page.Keys[i].Issue, ss: page.Keys[i].SS, tail: s.tail})
	}
	if page.Last == nil {
		return keys, true, nil
	}
	if s.query.Descending {
		s.query.To = page.Last
	} else {
		s.query.From = behind(page.Last)
	}
	return keys, empty(s.query), nil
}

// minTailKeys is the least that the first request to the tail examines.
const minTailKeys = 200

// limit says how many keys the next request examines to bring want. In the tail most may be those of rows that have a value, which
// DynamoDB leaves out after it has read them: the first request hopes for one in four, the others take what a request can hold, so
// that a tail without rows costs no more requests than its size in MB. A row that was just seen is still there, most likely.
func (s *scan) limit(want int) int {
	seen, tried := s.seen, s.tried
	s.seen = false
	switch {
	case !s.tail:
		return want
	case seen && want == 1:
		return 1
	case !tried:
		s.tried = true
		return max(minTailKeys, 4*want)
	}
	return 0
}
