package grid

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"issuegrid/account"
	"issuegrid/tracker"
)

// Read reads one page. Errors of the source come out as they are, and end the page.
//
// It works in rounds, mostly one: read keys, on both sides of the page at once if need be; fetch their
// documents, all in one Fetch; see what is still missing. Keys of a round beyond those of rows are there for
// the flags, and take places that are free in the calls that the rows need anyway. Example, Size 3 after #1,
// both flags wanted, #4 a ghost:
//
//	Query  #1 < num, limit 4   #2 #3 #4 #5      side by side with
//	Query  num <= #1 descending, limit 1   #1
//	Fetch  #2 #3 #4 #5 #1      rows #2 #3 #5; a row is before them; whether one is after them is open
//	Query  #5 < num, limit 5   #6 #7
//	Fetch  #6 #7               one is
//
// With a filter, a document that does not meet it is like one that is gone, and where only the documents can
// tell, a round fetches as many as the rows that are missing are expected to need.
func Read(ctx context.Context, source Source, r Request) (Page, error) {
	if r.Size < 1 {
		return Page{}, tracker.Internal("a page of no rows was asked for", nil)
	}
	p := newReader(ctx, source, &r)
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

// reader is one page in the making. Ahead is the direction of paging.
type reader struct {
	request   *Request
	query     *query
	near, far *Cursor // the cursors, in the direction of paging

	inside stream // the rows between the cursors
	beyond stream // from the far cursor on
	back   stream // from the near cursor on, against the direction of paging

	rows []Row // in the direction of paging
	// the issues of rows: an entry that is about to go may be read besides the new one (G3)
	shown         map[string]struct{}
	ahead, behind flag

	// extra is how many documents a round may fetch beyond those that rows need: 1, and once ghosts were met
	// more and more, so that a long run of them costs no round each.
	extra int
	later bool // it is not the first round

	looked  int  // documents of the region that is read, by its present plan, that were looked at for rows
	found   int  // those that are rows
	at      key  // the last of them that was used: up to it, every row is on the page
	held    bool // a row after it was seen, and is not on the page
	stopped bool
	end     *key // where work has stopped
}

// maxExtra leaves room for both flags in one call.
const maxExtra = fetchBatch / 2

// flag is the answer to whether there is a row on one side of the page.
type flag struct{ open, yes bool }

func newReader(ctx context.Context, source Source, r *Request) *reader {
	q := newQuery(ctx, source, r)
	near, far, ahead, behind := r.After, r.Before, r.NeedNext, r.NeedPrevious
	if r.Backward {
		near, far, ahead, behind = far, near, behind, ahead
	}
	p := &reader{request: r, query: q, extra: 1, near: near, far: far}
	p.ahead.open, p.behind.open = ahead, behind && near != nil
	p.open(near)
	return p
}

// open makes the streams, of which that between the cursors begins after a position.
func (p *reader) open(start *Cursor) {
	back := p.request.Backward
	p.inside = p.query.stream(interval{start: start, end: p.far, backward: back})
	if p.ahead.open && p.far != nil {
		p.beyond = p.query.stream(interval{start: p.far, inclusive: true, backward: back})
	}
	if p.behind.open {
		p.back = p.query.stream(interval{start: p.near, inclusive: true, backward: !back})
	}
}

// complete reports whether the page gets no more rows.
func (p *reader) complete() bool { return len(p.rows) == p.request.Size || p.inside.spent() }

func (p *reader) done() bool { return p.complete() && !p.ahead.open && !p.behind.open }

func (p *reader) round(ctx context.Context) error {
	if next := p.inside.reading(); next != nil && (!p.complete() || p.ahead.open) {
		if err := p.plan(ctx, next); err != nil {
			return err
		}
	}
	need := 0
	if !p.complete() {
		need = p.look(p.request.Size - len(p.rows))
	}
	if err := p.readKeys(ctx, need); err != nil {
		return err
	}
	c := p.pick(need)
	docs, c, err := p.documents(ctx, c)
	if err != nil {
		return err
	}
	p.takeRows(docs[:c.rows+c.ahead])
	p.ahead.take(&p.beyond, docs[c.rows+c.ahead:][:c.beyond])
	p.behind.take(&p.back, docs[c.rows+c.ahead+c.beyond:])
	p.settle(c)
	p.extra, p.later = min(max(assumedAlive, 2*p.extra), maxExtra), true
	return nil
}

// maxLook is the most documents of one round.
const maxLook = 1000

// look is how many documents to look at for so many rows: as many, where the keys have told the filter
// already, and else as many as are expected to have that many rows among them, and some more.
func (p *reader) look(rows int) int {
	yield, exact := p.query.yield()
	if exact {
		return rows
	}
	if p.looked >= minLooked {
		yield = (float64(p.found) + 0.5) / float64(p.looked)
	}
	n := int(min(1.2*float64(rows)/max(yield, 0.001)+1, maxLook))
	return max(min(n, p.query.work.left()/keysPerDocument), rows)
}

// readKeys reads what the round needs: the keys of need rows and, for an open flag, at least one more on its
// side.
func (p *reader) readKeys(ctx context.Context, need int) error {
	enough, ahead, places := need, 0, free(need)
	if p.ahead.open {
		enough++
	}
	if p.ahead.open || p.later {
		ahead = p.lookahead(places)
		places--
	}
	readAhead := func(ctx context.Context) error {
		if err := p.inside.fill(ctx, p.query.work, enough, need+ahead); err != nil {
			return err
		}
		if p.ahead.open && p.inside.ended() && len(p.inside.keys) <= need {
			return p.beyond.fill(ctx, p.query.work, 1, ahead)
		}
		return nil
	}
	if !p.behind.open || !p.back.lacks(1) {
		return readAhead(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return readAhead(ctx) })
	group.Go(func() error { return p.back.fill(ctx, p.query.work, 1, p.lookahead(places)) })
	return group.Wait()
}

// lookahead is how many keys to read for a flag when Fetch has so many places left: where the first round has
// none, assumedAlive.
func (p *reader) lookahead(places int) int {
	if !p.later && places <= 0 {
		return assumedAlive
	}
	return p.extra
}

// free is the number of documents that can be fetched besides n without one more call.
func free(n int) int {
	if n == 0 {
		return fetchBatch
	}
	return (fetchBatch - n%fetchBatch) % fetchBatch
}

// choice is how many keys a round looks at: those of rows and what lies ahead of them, both between the
// cursors, and those of the streams outside.
type choice struct{ rows, ahead, beyond, back int }

func (p *reader) pick(need int) choice {
	c := choice{rows: min(need, len(p.inside.keys))}
	places := free(c.rows)
	if p.ahead.open || p.later && need > 0 {
		c.ahead = min(p.extra, places, len(p.inside.keys)-c.rows)
		places -= c.ahead
	}
	if p.ahead.open { // keys beyond were read only if none are left before them
		c.beyond = min(p.extra, places, len(p.beyond.keys))
		places -= c.beyond
	}
	if p.behind.open {
		c.back = min(p.extra, places, len(p.back.keys))
	}
	return c
}

// documents fetches what was chosen, in the order of the streams. It returns the choice of those that were
// fetched and decided, which are fewer where the operation may not hold more, or has no CPU time left to
// read: the page then ends with them.
func (p *reader) documents(ctx context.Context, c choice) ([]*tracker.Issue, choice, error) {
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
	docs, err := p.query.documents(ctx, ids, p.query.fetchNode())
	if errors.Is(err, account.ErrMemory) {
		docs, err = p.query.first(ctx, ids, p.query.fetchNode())
		if errors.Is(err, account.ErrMemory) && p.at.ss != nil {
			p.query.work.end() // the page has got on, if not in this round
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
		p.query.work.end()
	}
	return docs[:decided], c.first(decided), err
}

// first is the part of a choice that has its first n documents.
func (c choice) first(n int) (out choice) {
	take := func(from int) int {
		took := min(from, n)
		n -= took
		return took
	}
	return choice{rows: take(c.rows), ahead: take(c.ahead), beyond: take(c.beyond), back: take(c.back)}
}

// takeRows uses up the first keys between the cursors: as rows while the page lacks some, and then to see
// whether one is ahead.
func (p *reader) takeRows(docs []*tracker.Issue) {
	if p.rows == nil {
		p.rows = make([]Row, 0, min(len(docs), p.request.Size))
		p.shown = make(map[string]struct{}, len(docs))
	}
	for i, doc := range docs {
		k := p.inside.keys[i]
		if p.at.ss != nil && p.at.tail != k.tail {
			p.looked, p.found = 0, 0
		}
		if p.looked++; doc != nil {
			p.found++
		}
		switch _, again := p.shown[k.id.Issue]; {
		case doc == nil:
		case len(p.rows) == p.request.Size:
			// A page that goes on from here shows it, even if it is one of this page's issues.
			p.ahead.answer(true)
			p.held = true
		case !again:
			p.shown[k.id.Issue] = struct{}{}
			p.rows = append(p.rows, Row{Issue: doc, order: &p.request.Order, place: k})
		}
		if !p.held {
			p.at = k
		}
	}
	p.inside.keys = p.inside.keys[len(docs):]
}

// take uses up the first keys of a stream outside of the page.
func (f *flag) take(s *stream, docs []*tracker.Issue) {
	for _, doc := range docs {
		if doc != nil {
			f.answer(true)
		}
	}
	s.keys = s.keys[len(docs):]
}

func (f *flag) answer(yes bool) {
	if f.open {
		f.open, f.yes = false, yes
	}
}

// settle closes the flags that the round could not answer by a document: with no where the keys are at an
// end, and with yes where there was no place to look at one and enough are left (assumedAlive).
func (p *reader) settle(c choice) {
	if !p.complete() {
		return
	}
	_, exact := p.query.yield()
	ahead, assume := len(p.inside.keys), exact && !p.later && len(p.rows) == c.rows
	if p.inside.spent() {
		ahead = len(p.beyond.keys)
	}
	switch {
	case p.inside.spent() && p.beyond.spent():
		p.ahead.answer(false)
	case assume && c.ahead+c.beyond == 0 && ahead >= assumedAlive:
		p.ahead.answer(true)
	}
	switch {
	case p.back.spent():
		p.behind.answer(false)
	case assume && c.back == 0 && len(p.back.keys) >= assumedAlive:
		p.behind.answer(true)
	}
}

// stop ends the page where it is; false if that is where it began, so that the next page would be no further.
func (p *reader) stop() bool {
	end := p.at
	if len(p.inside.keys) == 0 && !p.held {
		if k, ok := p.inside.passed(); ok {
			end = k
		}
	}
	if p.complete() && (!p.ahead.open || end.ss == nil) { // nothing is left between the cursors
		p.stopped = true
		p.ahead.answer(true)
		p.behind.answer(true)
		return true
	}
	if end.ss == nil {
		return false
	}
	p.stopped, p.end = true, &end
	p.ahead.answer(true)
	p.behind.answer(true)
	return true
}

func (p *reader) page() (Page, error) {
	out := Page{Rows: p.rows, Stopped: p.stopped, Work: p.query.work.total}
	if p.request.Backward {
		slices.Reverse(p.rows)
		out.HasNext, out.HasPrevious = p.behind.yes, p.ahead.yes
	} else {
		out.HasNext, out.HasPrevious = p.ahead.yes, p.behind.yes
	}
	if p.end != nil {
		c, err := p.request.Order.cursor(*p.end)
		if err != nil {
			return Page{}, err
		}
		out.Position = &c
	}
	if p.request.Explain {
		out.Plan = p.query.explained()
		for _, r := range p.query.readings {
			out.Rejected = append(out.Rejected, r.rejected...)
		}
	}
	return out, nil
}
