package grid

import (
	"context"
	"errors"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// matches reports whether an issue is a row of the region. A condition that the keys decide and the document
// alone cannot decide is taken as true. For the region's own condition, only the filter's condition on the
// column is evaluated: if the index lags, the document may belong to another region by now, or to none.
// Without a filter, an issue is shown at the position of its key.
func (r *plannedRegion) matches(s *filter.Subject) (filter.Truth, error) {
	g, check := r.region, r.current().check
	truth, last := filter.Yes, 0
	for i := range g.conditions {
		c := &g.conditions[i]
		expr := c.expr
		if i == 0 && !check[0] {
			expr = c.columnFilter
		}
		if last = i; c.trivial || c.nums != nil || expr == nil {
			continue
		}
		t, err := s.Meets(expr)
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
	if truth != filter.Unknown { // else it is evaluated again, with long texts
		for i := range r.tallies[:last+1] {
			r.tallies[i].checked++
		}
		if truth == filter.No {
			r.tallies[last].failed++
		}
	}
	return truth, nil
}

// regionOf returns the region that a key belongs to.
func (q *pageQuery) regionOf(k key) *plannedRegion {
	for _, r := range q.regions {
		if r.region.tail == k.tail {
			return r
		}
	}
	return nil
}

// match replaces documents that are not rows by nil. It evaluates the filter on every document, because the
// index may lag. It decides the documents in order and returns how many it has decided: all, or if the time
// for reading is over, fewer but at least one.
func (q *pageQuery) match(ctx context.Context, keys []key, docs []*tracker.Issue) (decided int, err error) {
	if q.ways != nil {
		return len(docs), q.ways.Match(ctx, docs)
	}
	checksOwn := func(r *plannedRegion) bool { p := r.current(); return p != nil && p.check[0] }
	if q.form.Always() && !slices.ContainsFunc(q.regions, checksOwn) {
		return len(docs), nil
	}
	if q.matcher == nil {
		q.matcher = filter.NewMatcher(q.request.Definition, q.form.All...)
	}
	q.matcher.Work = Metered(ctx)
	var pending []int // documents that need their long texts to be decided
	subjects := make([]filter.Subject, len(docs))
	for i, doc := range docs {
		if doc == nil {
			continue
		}
		if i > 0 && q.work.account.ReadingOver() {
			docs = docs[:i]
			break
		}
		q.work.account.Spend(documentCPU)
		subjects[i] = q.matcher.Subject(doc)
		t, err := q.regionOf(keys[i]).matches(&subjects[i])
		if err != nil {
			return 0, err
		}
		switch t {
		case filter.No:
			docs[i] = nil
		case filter.Unknown:
			pending = append(pending, i)
		}
	}
	for len(pending) > 0 {
		if q.work.account.ReadingOver() && pending[0] > 0 {
			return pending[0], nil
		}
		n := textBatchSize(docs, pending, q.form)
		if err := q.matchTexts(ctx, keys, docs, subjects, pending[:n]); errors.Is(err, account.ErrMemory) &&
			pending[0] > 0 {
			return pending[0], nil
		} else if err != nil {
			return 0, err
		}
		pending = pending[n:]
	}
	return len(docs), nil
}

// textBatchBytes is how many bytes of long texts are read and searched at a time. A single text may be
// longer.
const textBatchBytes = 4 << 20

// textBatchSize returns how many of the pending documents to decide next, by the size of their texts.
func textBatchSize(docs []*tracker.Issue, pending []int, form filter.Form) int {
	bytes := 0
	for n, i := range pending {
		for _, r := range filter.LongTexts(docs[i], filter.And(form.All)) {
			bytes += r.Long.Bytes
		}
		if bytes > textBatchBytes && n > 0 {
			return n
		}
	}
	return len(pending)
}

// matchTexts decides documents by their long texts, and releases the texts of those that are not rows.
func (q *pageQuery) matchTexts(ctx context.Context, keys []key, docs []*tracker.Issue,
	subjects []filter.Subject, pending []int) error {
	undecided := make([]*tracker.Issue, len(pending))
	for n, i := range pending {
		undecided[n] = docs[i]
	}
	texts, err := q.longTexts(ctx, undecided, filter.And(q.form.All))
	if err != nil {
		return err
	}
	for n, i := range pending {
		subjects[i].Texts = texts[docs[i].ID.Issue]
		t, err := q.regionOf(keys[i]).matches(&subjects[i])
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
	if q.source.ReleaseTexts != nil {
		for _, doc := range undecided {
			if doc != nil {
				q.source.ReleaseTexts(ctx, filter.LongTexts(doc, filter.And(q.form.All)))
			}
		}
	}
	return nil
}
