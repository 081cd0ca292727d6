package grid

import (
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/account"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// documents fetches issues, but for those that were fetched for this page already.
func (q *query) documents(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue, error) {
	docs := make([]*tracker.Issue, len(ids))
	missing, places := ids, []int(nil) // all of them, unless some are known
	q.mu.Lock()
	if len(q.known) > 0 {
		missing = nil
		for i, id := range ids {
			doc, known := q.known[id.Issue]
			if docs[i] = doc; !known {
				missing, places = append(missing, id), append(places, i)
			}
		}
	}
	q.mu.Unlock()
	if len(missing) == 0 {
		return docs, nil
	}
	started := time.Now()
	found, err := q.source.Fetch(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(found) != len(missing) {
		return nil, tracker.Internal("fetch did not return one document for each id", nil)
	}
	if d := q.request.Definition; d != nil && d.Rebuilding() {
		current := make([]*tracker.Issue, len(found)) // found is the loader's
		for i, doc := range found {
			current[i] = d.Current(doc)
		}
		found = current
	}
	q.work.fetched(len(missing))
	node.fetched(len(missing), q.documentRCU(found), time.Since(started))
	if places == nil {
		copy(docs, found)
	}
	for n, i := range places {
		docs[i] = found[n]
	}
	if node.keep {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.known == nil {
			q.known = map[string]*tracker.Issue{}
		}
		for n, id := range missing {
			q.known[id.Issue] = found[n]
		}
	}
	return docs, nil
}

// few is how many documents are fetched at a time where memory is short. The largest ten have 4 MB.
const few = 10

// first fetches as many of the first documents as the operation may hold, at least some; the work of the page is over when these are not all.
func (q *query) first(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue, error) {
	var docs []*tracker.Issue
	for len(docs) < len(ids) {
		some, err := q.documents(ctx, ids[len(docs):min(len(docs)+few, len(ids))], node)
		if errors.Is(err, account.ErrMemory) && len(docs) > 0 {
			q.work.end()
			node.note("ended, because the operation holds as much data as it may")
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, some...)
	}
	return docs, nil
}

// meets tells whether an issue is a row of the region. A condition that the keys have told is believed where the document does not tell it. Of a key
// of the region itself it is asked what the filter says of the column: where the index lags behind, the document may be a row of another region by
// now, or of none; without a filter it is shown where its key is.
func (g *region) meets(s *filter.Subject) (filter.Truth, error) {
	truth, last := filter.Yes, 0
	for i := range g.conditions {
		c := &g.conditions[i]
		is := c.is
		if i == 0 && !g.planning.check[0] {
			is = c.asked
		}
		if last = i; c.trivial || c.nums != nil || is == nil {
			continue
		}
		t, err := s.Meets(is)
		if err != nil {
			return filter.No, err
		}
		if t == filter.Unknown && !g.planning.check[i] {
			t = filter.Yes
		}
		if truth = min(truth, t); truth == filter.No {
			break
		}
	}
	if truth != filter.Unknown { // else it is asked again
		for i := range g.tallies[:last+1] {
			g.tallies[i].asked++
		}
		if truth == filter.No {
			g.tallies[last].failed++
		}
	}
	return truth, nil
}

// regionOf is the region of a key.
func (q *query) regionOf(k key) *region {
	for _, g := range q.regions {
		if g.tail == k.tail {
			return g
		}
	}
	return nil
}

// match puts nil in the place of documents that are not rows: the filter is asked again of every document, because the index may lag behind. It returns how
// many documents it has decided, from the first one on: all, unless the CPU time for reading is over, and one at least.
func (q *query) match(ctx context.Context, keys []key, docs []*tracker.Issue) (decided int, err error) {
	if q.form.Always() && !slices.ContainsFunc(q.regions, func(g *region) bool { return g.planning.done && g.planning.check[0] }) {
		return len(docs), nil
	}
	if q.matcher == nil {
		q.matcher = filter.NewMatcher(q.request.Definition, q.form.All...)
	}
	q.matcher.Work = metered(ctx)
	var open []int // documents of which a long text decides
	subjects := make([]filter.Subject, len(docs))
	for i, doc := range docs {
		if doc == nil {
			continue
		}
		if i > 0 && q.work.account.ReadingOver() {
			docs = docs[:i]
			break
		}
		q.work.account.Spend(matchCPU)
		subjects[i] = q.matcher.Subject(doc)
		t, err := q.regionOf(keys[i]).meets(&subjects[i])
		if err != nil {
			return 0, err
		}
		switch t {
		case filter.No:
			docs[i] = nil
		case filter.Unknown:
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		if q.work.account.ReadingOver() && open[0] > 0 {
			return open[0], nil
		}
		n := textsAtATime(docs, open, q.form)
		if err := q.matchTexts(ctx, keys, docs, subjects, open[:n]); errors.Is(err, account.ErrMemory) && open[0] > 0 {
			return open[0], nil
		} else if err != nil {
			return 0, err
		}
		open = open[n:]
	}
	return len(docs), nil
}

// textBytes is how many bytes of long texts are read at a time to be searched; a single text may have more.
const textBytes = 4 << 20

// textsAtATime is how many of the documents to decide next, by the bytes of their texts.
func textsAtATime(docs []*tracker.Issue, open []int, form filter.Form) int {
	bytes := 0
	for n, i := range open {
		for _, r := range filter.LongTexts(docs[i], filter.And(form.All)) {
			bytes += r.Long.Bytes
		}
		if bytes > textBytes && n > 0 {
			return n
		}
	}
	return len(open)
}

// matchTexts decides documents by their long texts, and lets go of the texts of those that are not rows.
func (q *query) matchTexts(ctx context.Context, keys []key, docs []*tracker.Issue, subjects []filter.Subject, open []int) error {
	undecided := make([]*tracker.Issue, len(open))
	for n, i := range open {
		undecided[n] = docs[i]
	}
	texts, err := q.longTexts(ctx, undecided, filter.And(q.form.All))
	if err != nil {
		return err
	}
	for n, i := range open {
		subjects[i].Texts = texts[docs[i].ID.Issue]
		t, err := q.regionOf(keys[i]).meets(&subjects[i])
		if err != nil {
			return err
		}
		subjects[i].Texts = nil
		if t == filter.Yes {
			undecided[n] = nil
			continue
		}
		docs[i] = nil
	}
	if q.source.Forget != nil {
		for _, doc := range undecided {
			if doc != nil {
				q.source.Forget(ctx, filter.LongTexts(doc, filter.And(q.form.All)))
			}
		}
	}
	return nil
}

// What matching takes of the CPU: a document, a byte of a text that is folded, and a byte of what that has become that is searched.
const (
	matchCPU  = 2 * time.Microsecond
	foldCPU   = 12 * time.Nanosecond
	searchCPU = time.Nanosecond
)

// metered counts what matching takes, and ends it when the context has ended or the CPU time of the operation is spent.
func metered(ctx context.Context) func(folded, searched int) error {
	a := account.From(ctx)
	return func(folded, searched int) error {
		a.Spend(time.Duration(folded)*foldCPU + time.Duration(searched)*searchCPU)
		return a.Check(ctx)
	}
}

// textUnit is how many bytes of a long text count as a document of the work budget.
const textUnit = 4 << 10

// longTexts reads the texts outside of documents that a condition may look at, by their issues' ids within the project.
func (q *query) longTexts(ctx context.Context, docs []*tracker.Issue, c filter.Condition) (map[string]map[tracker.Column]string, error) {
	var refs []tracker.LongRef
	for _, doc := range docs {
		if doc != nil {
			refs = append(refs, filter.LongTexts(doc, c)...)
		}
	}
	out := map[string]map[tracker.Column]string{}
	if len(refs) == 0 {
		return out, nil
	}
	if q.source.Texts == nil {
		return nil, tracker.Internal("a filter looks at long texts, and there is no way to read them", nil)
	}
	texts, err := q.source.Texts(ctx, refs)
	if err != nil {
		return nil, err
	}
	units := 0 // of a document, which is what DynamoDB bills as much for
	for _, r := range refs {
		units += 1 + r.Long.Bytes/textUnit
	}
	q.work.fetched(units)
	for i, r := range refs {
		if out[r.Issue.Issue] == nil {
			out[r.Issue.Issue] = map[tracker.Column]string{}
		}
		out[r.Issue.Issue][r.Column] = texts[i]
	}
	return out, nil
}
