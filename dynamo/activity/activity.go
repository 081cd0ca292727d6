// Package activity reads what happened in a project: the changes of its issues and the new comments on them,
// newest first.
//
// The entries of a project are in a partition of the table for each shard, in the order of time. An entry
// refers to an item of the history or to a comment and has no content of its own, so it costs 2 WCU in the
// transaction that writes the item. It cannot be one of the index, whose partition key is the sort key of an
// item: an issue has at most one item in each partition of the index. A page is a range of sort keys, whose
// cost depends neither on the size of the project nor on how far back it is.
//
// The laws are:
//
//	L1 An entry of the history and a comment have an entry of the activity, written in the same transaction,
//	   unless a job made the change. The import of an issue writes neither.
//	L2 An entry of the activity is removed with its comment, and with an issue that is permanently deleted.
//	   What a crash leaves expires with the history, as do the entries of versions whose history was
//	   replaced, because an issue in the trash was imported again.
package activity

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Store has the activity of the projects of one tenant.
type Store struct{ t *store.Tenant }

// Of returns the activity of a tenant's projects.
func Of(t *dynamo.Tenant) *Store { return &Store{t.Inside().Tenant} }

// Query selects a page of the activity of a project.
type Query struct {
	Project *tracker.Project
	// Older and Newer limit the page to entries that are older than one position and newer than the other;
	// empty for no limit.
	Older, Newer string
	// OldestFirst reverses the order, which is newest first.
	OldestFirst bool
	Limit       int
}

// Listed is an entry with its position.
type Listed struct {
	*tracker.Activity
	Position string
}

// Valid reports whether a position is that of an entry of a project, whether it exists or not.
func Valid(p *tracker.Project, position string) bool {
	_, ok := layout.ActivityOf(layout.Keys{Tenant: p.Tenant}, p.ID).Parse(position)
	return ok
}

// end is after all positions.
const end = "~"

// List returns a page of the activity, as far back as the history is kept. more reports whether there are
// others in this direction.
func (s *Store) List(ctx context.Context, q Query) (page []Listed, more bool, err error) {
	at := layout.ActivityOf(s.t.Keys, q.Project.ID)
	first, last := max(layout.TimePosition(s.t.HistoryStart()), q.Newer), cmp.Or(q.Older, end)
	if first > last {
		return nil, false, nil
	}
	parts, mores := make([][]layout.Item, q.Project.ShardCount()), make([]bool, q.Project.ShardCount())
	group, reading := errgroup.WithContext(ctx)
	for shard := range parts {
		group.Go(func() (err error) {
			// Both limits may be among the items.
			found, more, err := s.t.Between(reading, at.Partition(shard), at.SK(first), at.SK(last),
				!q.OldestFirst, q.Limit+2)
			found = slices.DeleteFunc(found, func(m layout.Item) bool {
				position := at.PositionOf(m)
				return position == q.Older || position == q.Newer
			})
			parts[shard], mores[shard] = found, more
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	for _, m := range slices.Concat(parts...) {
		e, err := at.Decode(m)
		if err != nil {
			return nil, false, err
		}
		page = append(page, Listed{e, at.PositionOf(m)})
	}
	slices.SortFunc(page, func(a, b Listed) int {
		if q.OldestFirst {
			a, b = b, a
		}
		return cmp.Compare(b.Position, a.Position)
	})
	if len(page) > q.Limit {
		return page[:q.Limit], true, nil
	}
	return page, slices.Contains(mores, true), nil
}

// Count returns the number of entries. If exact is false, there are more.
func (s *Store) Count(ctx context.Context, p *tracker.Project) (n int, exact bool, err error) {
	at := layout.ActivityOf(s.t.Keys, p.ID)
	first := at.SK(layout.TimePosition(s.t.HistoryStart()))
	counts, all := make([]int, p.ShardCount()), make([]bool, p.ShardCount())
	group, counting := errgroup.WithContext(ctx)
	for shard := range counts {
		group.Go(func() (err error) {
			counts[shard], all[shard], err = s.t.CountBetween(counting, at.Partition(shard), first,
				at.SK(end))
			return err
		})
	}
	err = group.Wait()
	for _, counted := range counts {
		n += counted
	}
	return n, !slices.Contains(all, false), err
}

// Changes returns the changes of entries in their order, nil for those whose history entry does not exist
// anymore, and for those of comments.
func (s *Store) Changes(ctx context.Context, entries []tracker.Activity) ([]*tracker.Changed, error) {
	var keys []layout.Key
	for _, e := range entries {
		for n := range e.Items {
			keys = append(keys, s.t.Keys.History(e.Issue, e.Version, n))
		}
	}
	items, err := s.t.Get(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	out := make([]*tracker.Changed, len(entries))
	for i, e := range entries {
		of := items[:e.Items]
		items = items[e.Items:]
		if out[i], err = s.change(e, of); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// change decodes the items of a history entry. It returns nil unless they are those of e: an issue that was
// deleted and imported again may have other changes with the same versions.
func (s *Store) change(e tracker.Activity, items []layout.Item) (*tracker.Changed, error) {
	if len(items) == 0 || slices.ContainsFunc(items, func(m layout.Item) bool {
		return m == nil || s.t.Expired(m)
	}) {
		return nil, nil
	}
	c := &tracker.Changed{Version: e.Version}
	for _, m := range items {
		if err := layout.DecodeHistory(m, c); err != nil {
			return nil, err
		}
	}
	if !c.At.Equal(e.At) {
		return nil, nil
	}
	return c, nil
}
