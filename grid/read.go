package grid

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Read reads one page. It returns the errors of the source unchanged. In an order of several columns, it
// reads pages in the order of one (see readColumns).
//
// It works in rounds, usually a single one. A round reads keys, on both sides of the page in parallel if
// needed, fetches their documents in one Fetch, and determines what is still missing. The keys that a round
// reads in addition to those of rows are for the flags; their documents use free slots in the calls that the
// rows need anyway. Example with Size 3 after #1, both flags needed, and #4 a ghost:
//
//	Query  #1 < num, limit 4               #2 #3 #4 #5   in parallel with
//	Query  num <= #1, descending, limit 1  #1
//	Fetch  #2 #3 #4 #5 #1                  rows #2 #3 #5; HasPrevious is true, HasNext is unknown
//	Query  #5 < num, limit 5               #6 #7
//	Fetch  #6 #7                           at least one exists: HasNext is true
//
// With a filter, a document that does not match is treated like one that is gone. If the filter must be
// evaluated on the documents, a round fetches as many as the missing rows are expected to need.
func Read(ctx context.Context, source Source, r Request) (Page, error) {
	if r.Size < 1 || len(r.Order) == 0 {
		return Page{}, tracker.Internal("a page of no rows, or in no order, was asked for", nil)
	}
	if len(r.Order) > 1 {
		return readColumns(ctx, source, &r)
	}
	r.keysOnly = source.keysOnly
	ctx, release := withSets(ctx)
	defer release()
	return newPageReader(newPageQuery(ctx, source, &r)).read(ctx)
}

func (p *pageReader) read(ctx context.Context) (Page, error) {
	for !p.done() {
		if p.query.work.over() && p.stop() {
			break
		}
		if err := p.round(ctx); err != nil {
			return Page{}, err
		}
	}
	return p.page()
}

// pageReader is the state of one page while it is read. Ahead is the direction of paging.
type pageReader struct {
	request   *Request
	query     *pageQuery
	near, far *Position // After and Before, swapped when paging backward

	inside stream // the rows between the cursors
	beyond stream // the rows from the far cursor on
	back   stream // the rows from the near cursor on, against the direction of paging

	rows []Row // in the direction of paging
	// shown has the issues of rows, so that an issue that also has an outdated index entry appears only once
	// (G3).
	shown         map[tracker.IssueID]struct{}
	ahead, behind flag

	// extra is how many documents a round may fetch in addition to those for rows: 1 in the first round, and
	// more in each later one, so that a long run of ghosts does not cost one round per ghost.
	extra int
	later bool // the first round is over

	examined int  // documents of the current region examined for rows under its current plan
	found    int  // those that are rows
	at       key  // the last key used; every row up to it is on the page
	held     bool // a row after the end of the page was read
	stopped  bool
	end      *key // the position where a stopped page ends
}

// maxExtra leaves space for both flags in one call.
const maxExtra = fetchBatch / 2

// flag reports whether there is a row on one side of the page. It is pending until that is known.
type flag struct{ pending, value bool }

func newPageReader(q *pageQuery) *pageReader {
	r := q.request
	near, far, ahead, behind := only(r.After), only(r.Before), r.NeedNext, r.NeedPrevious
	if r.Backward {
		near, far, ahead, behind = far, near, behind, ahead
	}
	p := &pageReader{request: r, query: q, extra: 1, near: near, far: far}
	p.ahead.pending, p.behind.pending = ahead, behind && near != nil
	if q.ways != nil { // it would take one more Query for each way
		p.behind = flag{value: p.behind.pending}
	}
	p.open(near)
	return p
}

// open creates the streams. The one between the cursors begins after start.
func (p *pageReader) open(start *Position) {
	back := p.request.Backward
	p.inside = p.query.stream(interval{start: start, end: p.far, backward: back})
	if p.ahead.pending && p.far != nil {
		p.beyond = p.query.stream(interval{start: p.far, inclusive: true, backward: back})
	}
	if p.behind.pending {
		p.back = p.query.stream(interval{start: p.near, inclusive: true, backward: !back})
	}
}

// complete reports whether the page can get no more rows.
func (p *pageReader) complete() bool { return len(p.rows) == p.request.Size || p.inside.spent() }

func (p *pageReader) done() bool { return p.complete() && !p.ahead.pending && !p.behind.pending }

func (p *pageReader) round(ctx context.Context) error {
	if next := p.examining(); next != nil && (!p.complete() || p.ahead.pending) {
		if err := p.prepare(ctx, next); err != nil {
			return err
		}
	}
	need := 0
	if !p.complete() {
		need = p.documentsFor(p.request.Size - len(p.rows))
	}
	if err := p.readKeys(ctx, need); err != nil {
		return err
	}
	chosen := p.pick(need)
	docs, c, err := p.documents(ctx, chosen)
	if err != nil {
		return err
	}
	p.takeRows(docs[:c.rows+c.ahead])
	p.ahead.take(&p.beyond, docs[c.rows+c.ahead:][:c.beyond])
	p.behind.take(&p.back, docs[c.rows+c.ahead+c.beyond:])
	p.settle(c, c == chosen)
	p.extra, p.later = min(max(assumedAlive, 2*p.extra), maxExtra), true
	return nil
}

// maxExamined is the maximum number of documents examined in one round.
const maxExamined = 1000

// documentsFor returns how many documents to examine to find the given number of rows: the same number if the
// keys already decide the filter, else as many as are expected to contain that many rows, with a margin, but
// not more than it takes to know that another plan may be better.
func (p *pageReader) documentsFor(rows int) int {
	yield, exact := p.query.yield()
	if exact {
		return rows
	}
	most := maxExamined
	if p.examined >= minExamined {
		yield = min((float64(p.found)+0.5)/float64(p.examined), 1)
		if r := p.examining(); r != nil && p.disappoints(r) && p.examined < r.enough() {
			most = r.enough() - p.examined
		}
	}
	n := int(min(examine(float64(rows), max(yield, 0.001)), float64(most)))
	return min(max(min(n, p.query.work.left()/keysPerDocument), rows), maxExamined)
}

// readKeys reads the keys of need rows and, for each pending flag, at least one more on its side.
func (p *pageReader) readKeys(ctx context.Context, need int) error {
	enough, ahead, slots := need, 0, free(need)
	if p.ahead.pending {
		enough++
	}
	if p.ahead.pending || p.later {
		ahead = p.lookahead(slots)
		slots--
	}
	readAhead := func(ctx context.Context) error {
		if err := p.inside.fill(ctx, p.query.work, enough, need+ahead); err != nil {
			return err
		}
		if p.ahead.pending && p.inside.ended() && len(p.inside.keys) <= need {
			return p.beyond.fill(ctx, p.query.work, 1, ahead)
		}
		return nil
	}
	if !p.behind.pending || !p.back.lacks(1) {
		return readAhead(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return readAhead(ctx) })
	group.Go(func() error { return p.back.fill(ctx, p.query.work, 1, p.lookahead(slots)) })
	return group.Wait()
}

// lookahead returns how many keys to read for a flag when the calls of Fetch have the given number of free
// slots. In the first round without free slots it is assumedAlive.
func (p *pageReader) lookahead(slots int) int {
	if !p.later && slots <= 0 {
		return assumedAlive
	}
	return p.extra
}

// free returns the number of documents that can be fetched in addition to n without another call.
func free(n int) int {
	if n == 0 {
		return fetchBatch
	}
	return (fetchBatch - n%fetchBatch) % fetchBatch
}

// choice is how many keys of each stream a round examines: those for rows and those ahead of them, both
// between the cursors, and those of the streams outside the cursors.
type choice struct{ rows, ahead, beyond, back int }

func (p *pageReader) pick(need int) choice {
	c := choice{rows: min(need, len(p.inside.keys))}
	slots := free(c.rows)
	if p.ahead.pending || p.later && need > 0 {
		c.ahead = min(p.extra, slots, len(p.inside.keys)-c.rows)
		slots -= c.ahead
	}
	if p.ahead.pending { // keys beyond the far cursor are read only if none are left before it
		c.beyond = min(p.extra, slots, len(p.beyond.keys))
		slots -= c.beyond
	}
	if p.behind.pending {
		c.back = min(p.extra, slots, len(p.back.keys))
	}
	return c
}

// documents fetches the documents of the chosen keys, in the order of the streams, and applies the filter.
// The returned choice covers the documents that were fetched and decided. They are fewer than requested if
// the operation's memory limit is reached or its time for reading is over; the page then ends with them.
func (p *pageReader) documents(ctx context.Context, c choice) ([]*tracker.Issue, choice, error) {
	n := c.rows + c.ahead + c.beyond + c.back
	if n == 0 {
		return nil, c, nil
	}
	if err := p.query.work.account.Check(ctx); err != nil {
		return nil, c, err
	}
	ids := make([]tracker.IssueID, 0, n)
	all := make([]key, 0, n)
	for _, keys := range [...][]key{p.inside.keys[:c.rows+c.ahead], p.beyond.keys[:c.beyond],
		p.back.keys[:c.back]} {
		for i := range keys {
			ids = append(ids, keys[i].id)
		}
		all = append(all, keys...)
	}
	if stubs, ok := p.query.stubs(ids); ok {
		return stubs, c, nil
	}
	docs, err := p.query.documents(ctx, ids, p.query.fetchNode())
	if errors.Is(err, account.ErrMemory) {
		docs, err = p.query.first(ctx, ids, p.query.fetchNode())
		if errors.Is(err, account.ErrMemory) && p.at.ss != nil {
			p.query.work.exhaust() // the page has progressed in an earlier round
			return nil, c.first(0), nil
		}
	}
	if err != nil {
		return nil, c, err
	}
	decided, err := p.query.match(ctx, all[:len(docs)], docs)
	if errors.Is(err, account.ErrMemory) && p.at.ss != nil {
		decided, err = 0, nil
	}
	if decided < len(docs) {
		p.query.work.exhaust()
	}
	return docs[:decided], c.first(decided), err
}

// first returns the part of the choice that covers its first n documents.
func (c choice) first(n int) (out choice) {
	take := func(from int) int {
		took := min(from, n)
		n -= took
		return took
	}
	return choice{rows: take(c.rows), ahead: take(c.ahead), beyond: take(c.beyond), back: take(c.back)}
}

// takeRows consumes the first keys between the cursors: as rows until the page is full, then to determine
// whether there is a row ahead.
func (p *pageReader) takeRows(docs []*tracker.Issue) {
	if p.rows == nil {
		p.rows = make([]Row, 0, min(len(docs), p.request.Size))
		p.shown = make(map[tracker.IssueID]struct{}, len(docs))
	}
	for i, doc := range docs {
		k := p.inside.keys[i]
		if p.at.ss != nil && p.at.tail != k.tail {
			p.examined, p.found = 0, 0
		}
		if p.examined++; doc != nil {
			p.found++
		}
		switch _, again := p.shown[k.id]; {
		case doc == nil:
		case len(p.rows) == p.request.Size:
			// The next page shows this row, even if this page has its issue already.
			p.ahead.resolve(true)
			p.held = true
		case !again || p.request.keysOnly: // the caller decides which of several keys of an issue it takes
			p.shown[k.id] = struct{}{}
			p.rows = append(p.rows, Row{Issue: doc, order: p.request.column(), key: k})
		}
		if !p.held {
			p.at = k
		}
	}
	p.inside.keys = p.inside.keys[len(docs):]
}

// take consumes the first keys of a stream outside the cursors.
func (f *flag) take(s *stream, docs []*tracker.Issue) {
	for _, doc := range docs {
		if doc != nil {
			f.resolve(true)
		}
	}
	s.keys = s.keys[len(docs):]
}

func (f *flag) resolve(value bool) {
	if f.pending {
		f.pending, f.value = false, value
	}
}

// settle resolves the flags that no document of the round resolved: to false at the end of the keys, and to
// true where no slot was free to examine a document but enough keys are left (assumedAlive). whole reports
// whether the documents of all chosen keys were examined, and not fewer because of a limit.
func (p *pageReader) settle(c choice, whole bool) {
	if !p.complete() {
		return
	}
	_, exact := p.query.yield()
	ahead, assume := len(p.inside.keys), whole && exact && !p.later && len(p.rows) == c.rows
	if p.inside.spent() {
		ahead = len(p.beyond.keys)
	}
	switch {
	case p.inside.spent() && p.beyond.spent():
		p.ahead.resolve(false)
	case assume && c.ahead+c.beyond == 0 && ahead >= assumedAlive:
		p.ahead.resolve(true)
	}
	switch {
	case p.back.spent():
		p.behind.resolve(false)
	case assume && c.back == 0 && len(p.back.keys) >= assumedAlive:
		p.behind.resolve(true)
	}
}

// stop ends the page at the current position. It returns false if that is where the page began, because the
// next page would not progress.
func (p *pageReader) stop() bool {
	end := p.at
	if len(p.inside.keys) == 0 && !p.held {
		if k, ok := p.inside.passed(); ok {
			end = k
		}
	}
	if p.complete() && (!p.ahead.pending || end.ss == nil) { // nothing is left between the cursors
		p.stopped = true
		p.ahead.resolve(true)
		p.behind.resolve(true)
		return true
	}
	if end.ss == nil {
		return false
	}
	p.stopped, p.end = true, &end
	p.ahead.resolve(true)
	p.behind.resolve(true)
	return true
}

func (p *pageReader) page() (Page, error) {
	work := p.query.work
	out := Page{Rows: p.rows, Stopped: p.stopped, Work: work.total, size: p.request.Size,
		Spent: max(work.documents(), work.total.Queries)}
	if p.request.Backward {
		slices.Reverse(p.rows)
		out.HasNext, out.HasPrevious = p.behind.value, p.ahead.value
	} else {
		out.HasNext, out.HasPrevious = p.ahead.value, p.behind.value
	}
	if p.end != nil {
		c, err := p.request.column().position(*p.end)
		if err != nil {
			return Page{}, err
		}
		out.Position = Cursor{c}
	}
	if p.request.Explain {
		out.Plan = p.query.explained()
		for _, r := range p.query.regions {
			out.Rejected = append(out.Rejected, r.rejected...)
		}
	}
	return out, nil
}

// examining returns the region of the next key, which was read in an earlier round if it is buffered, or nil.
func (p *pageReader) examining() *plannedRegion {
	if len(p.inside.keys) == 0 || p.query.ways != nil {
		return p.inside.reading()
	}
	i := slices.IndexFunc(p.query.regions, func(r *plannedRegion) bool {
		return r.region.tail == p.inside.keys[0].tail
	})
	return p.query.regions[i]
}

// prepare plans the region that is examined next, and plans it again if its estimates were wrong. The page
// then continues from its current position (G2).
func (p *pageReader) prepare(ctx context.Context, next *plannedRegion) error {
	if _, err := next.prepare(ctx); err != nil || !p.misjudged(next) || p.nearEnd(next) {
		return err
	}
	changed, err := next.revise(ctx, p.examined)
	if err != nil || !changed {
		return err
	}
	next.execution.node.note("chosen when fewer documents than expected were rows")
	at, err := p.request.column().position(p.at)
	if err != nil {
		return err
	}
	p.open(&at)
	p.examined, p.found = 0, 0
	return nil
}

// nearEnd reports whether all keys of a region are read, and those that are left are examined in this round.
func (p *pageReader) nearEnd(r *plannedRegion) bool {
	if p.inside.reading() == r {
		return false
	}
	left := 0
	for i := range p.inside.keys {
		if p.inside.keys[i].tail == r.region.tail {
			left++
		}
	}
	return left <= p.documentsFor(p.request.Size-len(p.rows)) && left <= maxNearEnd
}

// maxNearEnd is the maximum number of documents that are examined rather than to plan again.
const maxNearEnd = fetchBatch

// misjudged reports whether the documents show that another plan for a region may be better.
func (p *pageReader) misjudged(r *plannedRegion) bool {
	return p.disappoints(r) && p.examined >= r.enough()
}

// disappoints reports whether the share of documents that are rows is far below the estimate. Values may be
// unevenly distributed, correlated with each other, or correlated with the position of the page.
func (p *pageReader) disappoints(r *plannedRegion) bool {
	plan := r.current()
	if p.request.Force > 0 || p.complete() || plan == nil || plan.exact || plan.method == Sort ||
		p.at.ss == nil || p.at.tail != r.region.tail {
		return false
	}
	return float64(p.found+1)/float64(p.examined) < plan.cost.yield/maxErrorFactor
}
