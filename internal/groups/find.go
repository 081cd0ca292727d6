package groups

import (
	"context"
	"errors"
	"slices"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Request describes one page of groups.
type Request struct {
	// Request has the filter, the budget of the page, and the flags that it needs. Of its other fields,
	// Project, Definition, Planned and Force are used.
	grid.Request
	// Size is the maximum number of groups, at least 1.
	Size int
	// Backward selects the last Size groups instead of the first. The groups are still in their order.
	Backward bool
	// After and Before bound the groups, exclusively.
	After, Before *Position
	// Empty selects also the states, options and Booleans that no issue has.
	Empty bool
	// Prefix selects only groups of texts, users, tags and options that begin with it, folded.
	Prefix string
	// Tags lists tags, as loaders.Tenant.Tags does. Only groups of TAGS fields need it.
	Tags func(context.Context, columns.TagQuery) (tags []string, more bool, err error)
	// CountOnly selects groups to be counted: no documents are read that only show whether a group found by
	// its keys has issues, so groups of issues that are gone may be included until their keys are removed.
	CountOnly bool
}

// Page is the response to a Request.
type Page struct {
	Groups []Group
	// HasNext reports whether there is a group after those of the page, up to Before, and HasPrevious whether
	// there is one before them; backward, the other way round. They are true if that is not known. The flag
	// against the direction of paging is false if the request does not need it.
	HasNext, HasPrevious bool
	// Stopped is where the page ended because its budget was spent; nil if it did not.
	Stopped *Position
}

// finder is the state of one page while it is read.
type finder struct {
	*Grouping
	source  grid.Source
	request *Request

	// In the direction of paging:
	near, far              *Position
	descending, nullsFirst bool

	enough  int // groups
	left    int // of the budget, in documents
	groups  []Group
	stopped *Position // where the budget ended the page, or nil
}

// Find reads one page of groups. It returns the errors of the source unchanged.
func (g *Grouping) Find(ctx context.Context, source grid.Source, r Request) (Page, error) {
	if r.Size < 1 {
		return Page{}, tracker.Internal("a page of no groups was asked for", nil)
	}
	f := g.finder(source, &r, r.Backward)
	f.left = grid.Budget(r.Budget)
	if err := f.find(ctx, r.Size+1); err != nil {
		return Page{}, err
	}
	out := Page{Groups: f.groups, HasNext: f.stopped != nil, Stopped: f.stopped}
	if len(f.groups) > r.Size {
		out.Groups, out.HasNext, out.Stopped = f.groups[:r.Size], true, nil
	}
	if needed := r.NeedPrevious && !r.Backward || r.NeedNext && r.Backward; needed && f.near != nil {
		var err error
		if out.HasPrevious, err = f.behind(ctx); err != nil {
			return Page{}, err
		}
	}
	if r.Backward {
		slices.Reverse(out.Groups)
		out.HasNext, out.HasPrevious = out.HasPrevious, out.HasNext
	}
	return out, nil
}

func (g *Grouping) finder(source grid.Source, r *Request, backward bool) *finder {
	f := &finder{Grouping: g, source: source, request: r, near: r.After, far: r.Before,
		descending: g.descending, nullsFirst: g.nullsFirst}
	if backward {
		f.near, f.far = f.far, f.near
		f.descending, f.nullsFirst = !f.descending, !f.nullsFirst
	}
	return f
}

// behind reports whether there is a group at the beginning of the page or before it.
func (f *finder) behind(ctx context.Context) (bool, error) {
	if f.near.row == nil {
		x := f.near.group
		x.First = nil // which may have left it
		if f.request.Empty && f.listed() {
			return true, nil
		}
		if has, err := f.has(ctx, &x); has != empty || err != nil {
			return true, err
		}
	}
	back := f.finder(f.source, f.request, !f.request.Backward)
	back.near, back.far, back.left = &Position{group: f.near.group}, nil, f.left
	err := back.find(ctx, 1)
	if errors.Is(err, account.ErrMemory) {
		return true, nil // not known
	}
	return len(back.groups) > 0 || back.stopped != nil, err
}

// find reads up to enough groups.
func (f *finder) find(ctx context.Context, enough int) error {
	f.enough = enough
	switch {
	case f.set && f.field.Type == tracker.TypeTags:
		return f.tags(ctx)
	case f.set, f.listed() && (f.request.Empty || f.request.Prefix != "" || f.order.Rebuilding()):
		return f.list(ctx, &candidates{all: f.defined()})
	}
	return f.skip(ctx)
}

func (f *finder) full() bool { return len(f.groups) >= f.enough }

// within returns the values of the groups of the page: those between its bounds that begin with the prefix.
func (f *finder) within() filter.Values {
	out := filter.Any()
	out.None = f.column.Nullable()
	if f.near != nil && f.near.row == nil {
		out = out.And(beyond(&f.near.group, f.descending, f.nullsFirst))
	} else if f.near != nil { // the group of the row has not been shown
		out = out.And(beyond(&f.near.group, !f.descending, !f.nullsFirst).Not())
	}
	if f.far != nil {
		out = out.And(beyond(&f.far.group, !f.descending, !f.nullsFirst))
	}
	if f.request.Prefix != "" {
		out = out.And(filter.StartsWith(f.request.Prefix))
	}
	return out
}

// The numbers of rows of a window. Windows grow while they show several groups.
const (
	smallWindow = 25
	largeWindow = 200
)

// skip finds groups by windows of rows in the order of the column. Each begins after the last group of the
// one before: not only by the condition, because rows that only that excludes are no progress if the budget
// ends among them.
func (f *finder) skip(ctx context.Context) error {
	order, err := grid.OrderBy(f.definition, f.column, f.descending, f.nullsFirst)
	if err != nil {
		return err
	}
	values, size := f.within(), smallWindow
	if f.request.CountOnly {
		size = largeWindow
	}
	var after grid.Cursor
	within := false // the window begins within a group
	if f.near != nil {
		if after, err = f.near.after(&order[0]); err != nil {
			return err
		}
		within = f.near.row != nil
	}
	var found []Group // not verified yet
	for more := true; more && f.stopped == nil && !f.full(); {
		if len(values.Ranges) == 0 && !values.None {
			break
		}
		q := f.query(filter.In{Column: f.column, Values: values})
		q.Order, q.After, q.Size = order, after, size
		page, err := grid.Read(ctx, f.source.KeysOnly(), q)
		if errors.Is(err, account.ErrMemory) && len(found) > 0 {
			f.stopped = At(&found[len(found)-1])
			return f.verify(ctx, found)
		}
		if err != nil {
			return err
		}
		f.spend(&page)
		more = len(page.Rows) == size || page.Position != nil
		shown, err := f.window(page.Rows, !more, within)
		if err != nil {
			return err
		}
		found = append(found, shown...)
		switch {
		case len(shown) > 0:
			last := &shown[len(shown)-1]
			values = values.And(beyond(last, f.descending, f.nullsFirst))
			if after, err = At(last).after(&order[0]); err != nil {
				return err
			}
			within = false
			if more && (f.left == 0 || page.Position != nil) {
				f.stopped = At(last)
			}
		case page.Position != nil:
			x, err := f.at(page.Position[0])
			if err != nil {
				return err
			}
			f.stopped = &Position{group: x, row: page.Position}
		case more: // all keys of the window are outdated
			c, err := page.Rows[len(page.Rows)-1].Cursor()
			if err != nil {
				return err
			}
			after, within = c, true
		}
		if more && f.stopped == nil && len(f.groups)+len(found) < f.enough {
			if size = min(2*q.Size, largeWindow); len(shown) <= 2 && !f.request.CountOnly {
				size = smallWindow
			}
			continue
		}
		if err := f.verify(ctx, found); err != nil {
			return err
		}
		found = nil
	}
	return f.verify(ctx, found)
}

// query returns the request for rows that match the filter and a condition.
func (f *finder) query(c filter.Condition) grid.Request {
	r := &f.request.Request
	return grid.Request{Project: r.Project, Definition: r.Definition, Where: filter.Both(r.Where, c),
		Budget: max(1, f.left), Planned: r.Planned, Force: r.Force}
}

func (f *finder) spend(p *grid.Page) {
	f.left = max(0, f.left-p.Spent)
}

// window returns the groups of rows. The number of issues is known of all that the window shows completely:
// not of the last, unless the window is complete, nor of the first, if it begins within that.
func (f *finder) window(rows []grid.Row, complete, within bool) ([]Group, error) {
	var out []Group
	m := filter.NewMatcher(f.definition)
	for i := range rows {
		at, err := rows[i].Position()
		if err != nil {
			return nil, err
		}
		x, err := f.at(at)
		if err != nil {
			return nil, err
		}
		if i := rows[i].Issue; i.Num != 0 { // else the document was not read
			s := m.Subject(i)
			if truth, err := s.Meets(f.Condition(&x)); truth == filter.No || err != nil {
				if err != nil {
					return nil, err
				}
				continue // the key is outdated, and the issue is found by another one
			}
		}
		if n := len(out); n > 0 && out[n-1].None == x.None && string(out[n-1].Low) == string(x.Low) {
			out[n-1].Count++
			continue
		}
		x.First, x.Count = rows[i].Issue, 1
		out = append(out, x)
	}
	for i := range out {
		out[i].Counted = (complete || i < len(out)-1) && (i > 0 || !within)
	}
	return out, nil
}
