package loaders

import (
	"context"
	"slices"

	"issuegrid/dynamo"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Range selects a page of a list ordered by name.
type Range struct {
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
}

// Tenants returns a page of all tenants, by name.
func (s *Set) Tenants(ctx context.Context, r Range) (List[tracker.Tenant], error) {
	return list(ctx, r, s.db.ListTenants, func(ctx context.Context,
		ids []tracker.TenantID) ([]*tracker.Tenant, error) {
		return s.db.Tenants(ctx, ids)
	})
}

// ListProjects returns a page of the tenant's projects, by name.
func (t *Tenant) ListProjects(ctx context.Context, r Range) (List[tracker.Project], error) {
	return list(ctx, r, t.store.ListProjects, t.Projects)
}

// HistoryQuery selects entries of an issue's history, like [dynamo.HistoryQuery].
type HistoryQuery dynamo.HistoryQuery

// History returns changes of an issue, newest first unless q says otherwise, and whether there are more.
func (t *Tenant) History(ctx context.Context, id tracker.IssueID, q HistoryQuery) ([]tracker.Changed, bool,
	error) {
	return t.store.History(ctx, id, dynamo.HistoryQuery(q))
}

// ListTrash returns a page of a project's trash, most recently deleted first.
func (t *Tenant) ListTrash(ctx context.Context, p tracker.ProjectID, r Range) (List[tracker.Trashed], error) {
	return list(ctx, r, func(ctx context.Context, q dynamo.ListQuery) ([]dynamo.Listed[tracker.IssueID], bool,
		error) {
		return t.store.ListTrash(ctx, p, q)
	}, t.store.Trash)
}

// list reads a page in rounds: keys from the index, then their items. It skips keys without an item and reads
// more keys to fill the page. It reads one row more than the page to learn whether there is a next page.
func list[ID, V any](ctx context.Context, r Range,
	keys func(context.Context, dynamo.ListQuery) ([]dynamo.Listed[ID], bool, error),
	load func(context.Context, []ID) ([]*V, error)) (List[V], error) {
	q := dynamo.ListQuery{To: r.Before, Descending: r.Backward}
	if r.After != nil {
		q.From = sortkey.After(r.After)
	}
	var out List[V]
	more := false
	for keysLeft := true; keysLeft && !more; {
		q.Limit = r.Size + 1 - len(out.Rows)
		page, rest, err := keys(ctx, q)
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
	// Against the direction of paging, a cursor implies that there is a row.
	if r.Backward {
		slices.Reverse(out.Rows)
		out.HasPrevious, out.HasNext = more, r.Before != nil
	} else {
		out.HasPrevious, out.HasNext = r.After != nil, more
	}
	return out, nil
}
