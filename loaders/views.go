package loaders

import (
	"bytes"
	"context"
	"slices"

	"issuegrid/dynamo"
	"issuegrid/dynamo/views"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// View returns a view that the caller sees. The error is NotFound if there is none.
func (t *Tenant) View(ctx context.Context, ref tracker.ViewRef) (*tracker.View, error) {
	return t.views.one(ctx, ref)()
}

// PrefetchViews starts to read views in as few batches as possible, for calls of View that run in parallel.
func (t *Tenant) PrefetchViews(ctx context.Context, refs []tracker.ViewRef) { t.views.many(ctx, refs) }

// DefaultView returns the default view of a project. The error is NotFound if there is none.
func (t *Tenant) DefaultView(ctx context.Context, p tracker.ProjectID) (*tracker.View, error) {
	return t.viewStore().Default(ctx, p)
}

func (t *Tenant) viewStore() *views.Store { return views.Of(t.store, t.set.Caller) }

// ListViews returns a page of the views of a project that the caller sees, by name.
func (t *Tenant) ListViews(ctx context.Context, p tracker.ProjectID, r Range) (List[tracker.View], error) {
	all, err := t.viewStore().List(ctx, p)
	if err != nil {
		return List[tracker.View]{}, err
	}
	page := newPage(r)
	page.add(listed(nil, all))
	out := page.list()
	out.Count = func(context.Context) (int, bool, error) { return len(all), true, nil }
	return out, nil
}

// ListOwnViews returns a page of the caller's private views in all projects: by the id of the project, and by
// name within each.
func (t *Tenant) ListOwnViews(ctx context.Context, r Range) (List[tracker.View], error) {
	projects := t.viewStore().OwnProjects()
	page := newPage(r)
	q := dynamo.ListQuery{Descending: r.Backward, Limit: r.Size + 1}
	if r.After != nil {
		q.From = projectOf(r.After)
	}
	if r.Before != nil {
		q.To = sortkey.After(projectOf(r.Before))
	}
	for more := true; more && !page.more; {
		var found []dynamo.Listed[tracker.ProjectID]
		var err error
		if found, more, err = projects.Page(ctx, q); err != nil {
			return List[tracker.View]{}, err
		}
		for _, p := range found {
			if r.Backward {
				q.To = p.Position
			} else {
				q.From = sortkey.After(p.Position)
			}
			own, err := t.ownViews(ctx, p.ID)
			if err != nil {
				return List[tracker.View]{}, err
			}
			if page.add(listed(p.Position, own)); page.more {
				break
			}
		}
	}
	out := page.list()
	out.Count = t.countOwnViews
	return out, nil
}

// ownViews returns the caller's private views in a project, none if it is in the trash.
func (t *Tenant) ownViews(ctx context.Context, p tracker.ProjectID) ([]*tracker.View, error) {
	if _, err := t.Definition(ctx, p); err != nil {
		if tracker.CodeOf(err) == tracker.NotFound {
			err = nil
		}
		return nil, err
	}
	return t.viewStore().Own(ctx, p)
}

// maxCountedProjects is the maximum number of projects whose views are counted.
const maxCountedProjects = 100

// countOwnViews counts the caller's private views. If exact is false, there are more projects than it counts.
func (t *Tenant) countOwnViews(ctx context.Context) (n int, exact bool, err error) {
	found, more, err := t.viewStore().OwnProjects().Page(ctx, dynamo.ListQuery{Limit: maxCountedProjects})
	if err != nil {
		return 0, false, err
	}
	var visible []tracker.ProjectID
	for _, p := range found {
		switch _, err := t.Definition(ctx, p.ID); {
		case err == nil:
			visible = append(visible, p.ID)
		case tracker.CodeOf(err) != tracker.NotFound:
			return 0, false, err
		}
	}
	n, err = t.viewStore().CountOwn(ctx, visible)
	return n, !more, err
}

// endOfProject follows the id of a project in the position of a view.
const endOfProject = 0

// projectOf returns the position of the project in the position of a view; nil if that is from another list,
// and no project has such a position.
func projectOf(position []byte) []byte {
	project, _, _ := bytes.Cut(position, []byte{endOfProject})
	if len(project) == 0 {
		return nil // DynamoDB has no empty keys
	}
	return project
}

// listed returns views in the order of their positions, which begin with that of their project if it is not
// nil.
func listed(project []byte, all []*tracker.View) []Listed[tracker.View] {
	rows := make([]Listed[tracker.View], len(all))
	for i, v := range all {
		position := sortkey.Name(v.Name, string(v.ID))
		if project != nil {
			position = slices.Concat(project, []byte{endOfProject}, position)
		}
		rows[i] = Listed[tracker.View]{Value: v, Position: position}
	}
	slices.SortFunc(rows, func(a, b Listed[tracker.View]) int {
		return bytes.Compare(a.Position, b.Position)
	})
	return rows
}

// page collects the rows of a page from parts of a list in memory.
type page[V any] struct {
	r    Range
	rows []Listed[V]
	more bool // rows in the direction of paging
}

func newPage(r Range) *page[tracker.View] { return &page[tracker.View]{r: r} }

// add adds the rows of the next part of the list, in the direction of paging. They are in the order of the
// list.
func (p *page[V]) add(rows []Listed[V]) {
	if p.r.Backward {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
	for _, row := range rows {
		if p.r.After != nil && bytes.Compare(row.Position, p.r.After) <= 0 ||
			p.r.Before != nil && bytes.Compare(row.Position, p.r.Before) >= 0 {
			continue
		}
		if len(p.rows) == p.r.Size {
			p.more = true
			return
		}
		p.rows = append(p.rows, row)
	}
}

// list returns the page, without Count.
func (p *page[V]) list() List[V] {
	out := List[V]{Rows: p.rows}
	out.finish(p.r, p.more)
	return out
}
