package loaders

import (
	"bytes"
	"context"
	"slices"

	"issuegrid/dynamo"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Range selects a page of a list ordered by name.
type Range struct {
	// From and To are the bounds of the list: From <= position < To; nil means unbounded.
	From, To []byte
	// After and Before are exclusive bounds of the page; nil means unbounded.
	After, Before []byte
	// Size is the maximum number of rows. Backward takes them from the end of the range.
	Size     int
	Backward bool
}

// Listed is a row of a list.
type Listed[V any] struct {
	Value    *V
	Position []byte
}

// List is a page of a list.
type List[V any] struct {
	Rows                 []Listed[V]
	HasNext, HasPrevious bool
	// Count returns the number of rows of the list, or a number that it has at least.
	Count func(context.Context) (n int, exact bool, err error)
}

// Tenants returns a page of all tenants, by name.
func (s *Set) Tenants(ctx context.Context, r Range) (List[tracker.Tenant], error) {
	return list(ctx, r, s.db.TenantList(), func(ctx context.Context,
		ids []tracker.TenantID) ([]*tracker.Tenant, error) {
		return s.db.Tenants(ctx, ids)
	})
}

// ListProjects returns a page of the tenant's projects, by name.
func (t *Tenant) ListProjects(ctx context.Context, r Range) (List[tracker.Project], error) {
	return list(ctx, r, t.store.ProjectList(), t.Projects)
}

// ListDeletedProjects returns a page of the tenant's projects in the trash, most recently deleted first.
func (t *Tenant) ListDeletedProjects(ctx context.Context, r Range) (List[tracker.Project], error) {
	return list(ctx, r, t.store.DeletedList(), t.store.DeletedProjects)
}

// HistoryQuery selects entries of the history of an issue or a project, like [dynamo.HistoryQuery].
type HistoryQuery dynamo.HistoryQuery

// History returns changes of an issue, newest first unless q says otherwise, and whether there are more.
func (t *Tenant) History(ctx context.Context, id tracker.IssueID, q HistoryQuery) ([]tracker.Changed, bool,
	error) {
	return t.store.History(ctx, id, dynamo.HistoryQuery(q))
}

// ProjectHistory returns changes of a project's definition, newest first unless q says otherwise, and whether
// there are more.
func (t *Tenant) ProjectHistory(ctx context.Context, p tracker.ProjectID, q HistoryQuery) (
	[]tracker.ProjectChange, bool, error) {
	return t.store.ProjectHistory(ctx, p, dynamo.HistoryQuery(q))
}

// CountProjectHistory returns the number of changes in a project's history, or a number that it has at least.
func (t *Tenant) CountProjectHistory(ctx context.Context, p tracker.ProjectID) (n int, exact bool,
	err error) {
	return t.store.CountProjectHistory(ctx, p)
}

// ListTrash returns a page of a project's trash, most recently deleted first.
func (t *Tenant) ListTrash(ctx context.Context, p tracker.ProjectID, r Range) (List[tracker.Trashed], error) {
	return list(ctx, r, t.store.TrashList(p),
		func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Trashed, error) {
			return t.store.Trash(ctx, ids, false)
		})
}

// Trashed returns issues in the trash, in the order of ids, nil for those that are not there. It reads
// consistently.
func (t *Tenant) Trashed(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Trashed, error) {
	return t.store.Trash(ctx, ids, true)
}

// list reads a page in rounds: keys from the index, then their items. It skips keys without an item and reads
// more keys to fill the page. It reads one row more than the page to learn whether there is a next page.
func list[ID, V any](ctx context.Context, r Range, keys dynamo.List[ID],
	load func(context.Context, []ID) ([]*V, error)) (List[V], error) {
	q := dynamo.ListQuery{From: r.From, To: r.To, Descending: r.Backward}
	if r.After != nil && bytes.Compare(r.After, r.From) >= 0 {
		q.From = sortkey.After(r.After)
	}
	if r.Before != nil && (r.To == nil || bytes.Compare(r.Before, r.To) < 0) {
		q.To = r.Before
	}
	out := List[V]{Count: func(ctx context.Context) (int, bool, error) {
		return keys.Count(ctx, r.From, r.To)
	}}
	more := false
	for keysLeft := true; keysLeft && !more; {
		q.Limit = r.Size + 1 - len(out.Rows)
		page, rest, err := keys.Page(ctx, q)
		if err != nil {
			return List[V]{}, err
		}
		ids := make([]ID, len(page))
		for i := range page {
			ids[i] = page[i].ID
		}
		values, err := load(ctx, ids)
		if err != nil {
			return List[V]{}, err
		}
		for i, v := range values {
			if v != nil && len(out.Rows) == r.Size {
				more = true
			} else if v != nil {
				out.Rows = append(out.Rows, Listed[V]{Value: v, Position: page[i].Position})
			}
		}
		if keysLeft = rest; keysLeft && len(page) > 0 {
			if last := page[len(page)-1].Position; r.Backward {
				q.To = last
			} else {
				q.From = sortkey.After(last)
			}
		}
	}
	out.finish(r, more)
	return out, nil
}

// finish puts rows that were read in the direction of paging into the order of the list, and sets the flags.
// more reports whether there are more in that direction; against it, a cursor implies that there is a row.
func (l *List[V]) finish(r Range, more bool) {
	if r.Backward {
		slices.Reverse(l.Rows)
		l.HasPrevious, l.HasNext = more, r.Before != nil
	} else {
		l.HasPrevious, l.HasNext = r.After != nil, more
	}
}
