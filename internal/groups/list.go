package groups

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// atOnce is how many candidates are looked for in parallel.
const atOnce = 8

// candidates are groups that may have issues, in the direction of paging.
type candidates struct {
	all []Group
	// more returns those that follow, and whether there are others; nil if none follow.
	more func(context.Context) ([]Group, bool, error)
	// cost is the part of the budget that a candidate without issues costs in addition.
	cost int
}

// take returns the next candidates, at most n. It leaves all empty only if there are no others.
func (c *candidates) take(ctx context.Context, n int) ([]Group, error) {
	for len(c.all) <= n && c.more != nil {
		some, more, err := c.more(ctx)
		if err != nil {
			return nil, err
		}
		if c.all = append(c.all, some...); !more {
			c.more = nil
		}
	}
	n = min(n, len(c.all))
	some := c.all[:n:n]
	c.all = c.all[n:]
	return some, nil
}

// list finds those of the candidates that have issues.
func (f *finder) list(ctx context.Context, c *candidates) error {
	size := min(atOnce, f.enough)
	for !f.full() {
		some, err := c.take(ctx, size)
		if n := len(f.groups); errors.Is(err, account.ErrMemory) && n > 0 {
			f.stopped = At(&f.groups[n-1])
			return nil
		}
		if err != nil || len(some) == 0 {
			return err
		}
		has := make([]existence, len(some))
		if err := f.exist(ctx, some, has); err != nil {
			return err
		}
		var found []Group
		for i := 0; i < len(some) && has[i] != unknown; i++ {
			if has[i] == exists {
				found = append(found, some[i])
			} else {
				f.left = max(0, f.left-c.cost)
			}
		}
		if err := f.verify(ctx, found); err != nil || f.stopped != nil || f.full() {
			return err
		}
		switch n := slices.Index(has, unknown); {
		case n >= 0 && (len(f.groups) > 0 || f.left == 0 || len(some) == 1):
			f.add(&some[n], unknown)
			return nil
		case n >= 0: // nothing was found: look for this one with all that is left
			c.all, size = append(some[n:len(some):len(some)], c.all...), 1
			continue
		case f.left == 0 && len(c.all) > 0:
			f.stopped = At(&some[len(some)-1])
			return nil
		}
		if size = min(atOnce, f.enough-len(f.groups)); len(found) == 0 {
			size = atOnce // of many candidates, few have issues
		}
	}
	return nil
}

// defined returns the groups of the definition between the bounds of the page: those of states, options and
// Booleans.
func (f *finder) defined() []Group {
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

// exist determines which of the groups have issues, by keys where they decide that.
func (f *finder) exist(ctx context.Context, some []Group, has []existence) error {
	if f.request.Empty && f.listed() {
		for i := range has {
			has[i] = exists
		}
		return nil
	}
	each, share := make([]finder, len(some)), max(1, f.left/len(some))
	group, ctx := errgroup.WithContext(ctx)
	for i := range some {
		each[i] = *f
		each[i].left, each[i].source = share, f.source.KeysOnly()
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
