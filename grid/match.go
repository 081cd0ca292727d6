package grid

import (
	"context"
	"errors"
	"slices"

	"issuegrid/account"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// meets reports whether an issue is a row of the region. Where the document does not tell a condition that
// the keys have told, the keys decide. Of a key of the region itself it is asked what the filter says of the
// column: where the index lags behind, the document may be a row of another region by now, or of none;
// without a filter it is shown where its key is.
func (r *reading) meets(s *filter.Subject) (filter.Truth, error) {
	g, check := r.region, r.current().check
	truth, last := filter.Yes, 0
	for i := range g.conditions {
		c := &g.conditions[i]
		is := c.is
		if i == 0 && !check[0] {
			is = c.asked
		}
		if last = i; c.trivial || c.nums != nil || is == nil {
			continue
		}
		t, err := s.Meets(is)
		if err != nil {
			return filter.No, err
		}
		if t == filter.Unknown && !check[i] {
			t = filter.Yes
		}
		if truth = min(truth, t); truth == filter.No {
			break
		}
	}
	if truth != filter.Unknown { // else it is asked again
		for i := range r.tallies[:last+1] {
			r.tallies[i].asked++
		}
		if truth == filter.No {
			r.tallies[last].failed++
		}
	}
	return truth, nil
}

// readingOf is what reads the region of a key.
func (q *query) readingOf(k key) *reading {
	for _, r := range q.readings {
		if r.region.tail == k.tail {
			return r
		}
	}
	return nil
}

// match puts nil in the place of documents that are not rows: the filter is asked again of every document,
// because the index may lag behind. It returns how many documents it has decided, from the first one on: all,
// unless the CPU time for reading is over, and one at least.
func (q *query) match(ctx context.Context, keys []key, docs []*tracker.Issue) (decided int, err error) {
	moved := func(r *reading) bool { p := r.current(); return p != nil && p.check[0] }
	if q.form.Always() && !slices.ContainsFunc(q.readings, moved) {
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
		t, err := q.readingOf(keys[i]).meets(&subjects[i])
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
		if err := q.matchTexts(ctx, keys, docs, subjects, open[:n]); errors.Is(err, account.ErrMemory) &&
			open[0] > 0 {
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
func (q *query) matchTexts(ctx context.Context, keys []key, docs []*tracker.Issue, subjects []filter.Subject,
	open []int) error {
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
		t, err := q.readingOf(keys[i]).meets(&subjects[i])
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
