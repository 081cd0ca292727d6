package groups

import (
	"context"
	"errors"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// documentsAtOnce is how many documents are read at a time, and lowMemoryBatch how many if memory is low.
const (
	documentsAtOnce = 100
	lowMemoryBatch  = 10
)

// verify appends those of the found groups that have issues to the page, until it is full. Their keys may
// belong to issues that are gone or that have another value by now. Groups without issues are not looked for
// if those are requested, too.
func (f *finder) verify(ctx context.Context, found []Group) error {
	if f.request.CountOnly || f.request.Empty && f.listed() {
		f.groups = append(f.groups, found...)
		return nil
	}
	most := documentsAtOnce
	for len(found) > 0 && !f.full() {
		some := found[:f.batch(found, min(most, max(1, f.left)))]
		docs, err := f.documents(ctx, some)
		if errors.Is(err, account.ErrMemory) {
			switch n := len(f.groups); {
			case most > lowMemoryBatch:
				most = lowMemoryBatch
				continue
			case n > 0:
				f.stopped = At(&f.groups[n-1])
				return nil
			}
			x := some[0]
			x.First = nil
			f.add(&x, unknown)
			return nil
		}
		if err != nil {
			return err
		}
		for i := range some {
			x := some[i]
			x.First = docs[i]
			has, err := f.has(ctx, &x)
			if err != nil {
				return err
			}
			if f.add(&x, has); has == unknown {
				return nil
			}
		}
		if found = found[len(some):]; f.left == 0 && len(found) > 0 {
			f.stopped = At(&some[len(some)-1])
			return nil
		}
	}
	return nil
}

// batch returns how many of the first found groups are verified next: as many as the page lacks, with at most
// so many documents to be read.
func (f *finder) batch(found []Group, documents int) int {
	n := 0
	for n < min(len(found), f.enough-len(f.groups)) {
		if found[n].First.Num == 0 {
			if documents == 0 {
				break
			}
			documents--
		}
		n++
	}
	return n
}

// documents returns the first issues of groups, and nil for those that are gone.
func (f *finder) documents(ctx context.Context, some []Group) ([]*tracker.Issue, error) {
	out := make([]*tracker.Issue, len(some))
	var ids []tracker.IssueID
	var at []int
	for i := range some {
		if out[i] = some[i].First; out[i].Num == 0 { // it has only an id
			ids, at = append(ids, out[i].ID), append(at, i)
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	docs, err := f.source.Fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	f.left = max(0, f.left-len(ids))
	for n, i := range at {
		out[i] = f.definition.Current(docs[n])
	}
	return out, nil
}

// existence says whether a group has issues.
type existence uint8

const (
	empty existence = iota
	exists
	unknown // because the budget is spent
)

// add appends a group to the page if it has issues. If that is not known, the page ends before the group. If
// the group is the first, it is on the page, so that pages progress.
func (f *finder) add(x *Group, has existence) {
	switch n := len(f.groups); {
	case has == empty:
		return
	case has == unknown && n > 0:
		f.stopped = At(&f.groups[n-1])
		return
	case has == unknown:
		f.stopped = At(x)
	}
	f.groups = append(f.groups, *x)
}

// has reports whether a group has issues. If First is not one, it becomes one.
func (f *finder) has(ctx context.Context, x *Group) (existence, error) {
	where := filter.Both(f.request.Where, f.Condition(x))
	if x.First != nil {
		m := filter.NewMatcher(f.definition, where)
		s := m.Subject(x.First)
		truth, err := s.Meets(where)
		if err != nil || truth != filter.No {
			return exists, err
		}
	}
	x.Counted, x.Count = false, 0
	q := f.query(f.Condition(x))
	var err error
	if q.Order, err = grid.OrderBy(f.definition, tracker.ColumnNum, false, false); err != nil {
		return unknown, err
	}
	q.Size = 1
	page, err := grid.Read(ctx, f.source, q)
	if errors.Is(err, account.ErrMemory) {
		return unknown, nil
	}
	if err != nil {
		return unknown, err
	}
	f.spend(&page)
	switch {
	case len(page.Rows) > 0:
		x.First = page.Rows[0].Issue
		return exists, nil
	case page.Position != nil:
		return unknown, nil
	}
	return empty, nil
}

// Fill sets First of a group of a text, user or tag, if an issue that matches the filter is in the group.
func (g *Grouping) Fill(ctx context.Context, source grid.Source, r Request, x *Group) error {
	if x.None || x.Option != "" || g.letters || g.kind != sortkey.KindText {
		return nil
	}
	f := g.finder(source, &r, false)
	f.left = grid.Budget(r.Budget)
	_, err := f.has(ctx, x)
	return err
}
