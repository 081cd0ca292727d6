package groups

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// atOnce is how many groups of a definition are looked for in parallel.
const atOnce = 8

// list finds the groups of states, options and Booleans by the definition.
func (f *finder) list(ctx context.Context) error {
	all := f.candidates()
	for !f.full() && len(all) > 0 {
		some := all[:min(len(all), atOnce, f.enough-len(f.groups))]
		all = all[len(some):]
		has := make([]existence, len(some))
		if err := f.exist(ctx, some, has); err != nil {
			return err
		}
		for i := range some {
			if f.add(&some[i], has[i]); has[i] == unknown {
				return nil
			}
		}
		if f.left == 0 && len(all) > 0 && !f.full() {
			f.stopped = At(&some[len(some)-1])
			return nil
		}
	}
	return nil
}

// candidates returns the groups that issues can be in, between the bounds of the page.
func (f *finder) candidates() []Group {
	var all []Group
	for n := range max(columns.Count(f.definition, f.column), len(f.options())) {
		x := f.ranked(n)
		if f.request.Prefix == "" || strings.HasPrefix(fold.String(f.name(&x)), f.request.Prefix) {
			all = append(all, x)
		}
	}
	if f.descending {
		slices.Reverse(all)
	}
	if f.column.Nullable() && f.request.Prefix == "" {
		at := len(all)
		if f.nullsFirst {
			at = 0
		}
		all = slices.Insert(all, at, Group{None: true})
	}
	return f.bounded(all)
}

// name returns the name of the state or option of a group.
func (f *finder) name(x *Group) string {
	if f.column == tracker.ColumnState {
		s, _ := f.definition.Project.State(x.Option)
		return s.Name
	}
	o, _ := f.field.Option(x.Option)
	return o.Name
}

// bounded returns the groups between the bounds of the page.
func (f *finder) bounded(all []Group) []Group {
	return slices.DeleteFunc(all, func(x Group) bool {
		if f.near != nil {
			if c := f.compare(&x, &f.near.group); c < 0 || c == 0 && f.near.row == nil {
				return true
			}
		}
		return f.far != nil && f.compare(&x, &f.far.group) >= 0
	})
}

// compare compares two groups in the direction of paging.
func (f *finder) compare(a, b *Group) int {
	if a.None != b.None {
		if a.None == f.nullsFirst {
			return -1
		}
		return 1
	}
	if f.descending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(f.rank(a.Option), f.rank(b.Option)), cmp.Compare(a.Tag, b.Tag),
		bytes.Compare(a.Low, b.Low))
}

// exist determines which of the groups have issues.
func (f *finder) exist(ctx context.Context, some []Group, has []existence) error {
	if f.request.Empty {
		for i := range has {
			has[i] = exists
		}
		return nil
	}
	each, share := make([]finder, len(some)), max(1, f.left/len(some))
	group, ctx := errgroup.WithContext(ctx)
	for i := range some {
		each[i] = *f
		each[i].left = share
		group.Go(func() (err error) {
			has[i], err = each[i].has(ctx, &some[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	spent := 0
	for i := range each {
		spent += share - each[i].left
	}
	f.left = max(0, f.left-spent)
	return nil
}

// tags finds the groups of a TAGS field by reading the issues with tags. The group of the tag that is the
// prefix is found even if the budget does not suffice for all of them.
func (f *finder) tags(ctx context.Context) error {
	found, err := f.collect(ctx)
	if err != nil {
		return err
	}
	if tag := f.request.Prefix; f.partial && tag != "" && found[tag] == nil {
		x := Group{Tag: tag}
		has, err := f.has(ctx, &x)
		if err != nil {
			return err
		}
		if has == exists {
			found[tag] = &x
		}
	}
	var all []Group
	for _, x := range found {
		x.Counted = !f.partial
		all = append(all, *x)
	}
	none := Group{None: true}
	if f.request.Prefix == "" {
		has, err := f.has(ctx, &none)
		if err != nil {
			return err
		}
		if has == exists {
			all = append(all, none)
		}
		f.partial = f.partial || has == unknown
	}
	slices.SortFunc(all, func(a, b Group) int { return f.compare(&a, &b) })
	f.groups = f.bounded(all)
	return nil
}

// collect returns the groups of the tags of issues, by their folded tags.
func (f *finder) collect(ctx context.Context) (map[string]*Group, error) {
	found := map[string]*Group{}
	q := f.query(filter.In{Column: f.column, Values: filter.Any()})
	var err error
	if q.Order, err = grid.OrderBy(f.definition, tracker.ColumnNum, false, false); err != nil {
		return nil, err
	}
	for {
		q.Budget = max(1, f.left)
		q.Size = min(documentsAtOnce, q.Budget)
		page, err := grid.Read(ctx, f.source, q)
		if errors.Is(err, account.ErrMemory) && q.After != nil {
			f.partial = true
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		f.spend(&page)
		for _, r := range page.Rows {
			for _, tag := range columns.Members(f.field, r.Issue.Values[f.field.ID]) {
				if !strings.HasPrefix(tag, f.request.Prefix) {
					continue
				}
				if found[tag] == nil {
					found[tag] = &Group{Tag: tag, First: r.Issue}
				}
				found[tag].Count++
			}
		}
		if page.Position == nil && len(page.Rows) < q.Size {
			return found, nil
		}
		if f.left == 0 || page.Position != nil {
			f.partial = true
			return found, nil
		}
		if q.After, err = page.Rows[len(page.Rows)-1].Cursor(); err != nil {
			return nil, err
		}
	}
}
