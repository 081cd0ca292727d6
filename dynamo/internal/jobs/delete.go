package jobs

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/tracker"
)

// itemsAStep is the number of items of one partition that a step removes, other than of issues.
const itemsAStep = 200

// removeChunk removes the next items of a table partition with sort keys from first to last, and reports
// whether there were any.
func (s *Store) removeChunk(ctx context.Context, pk, first, last string) (bool, error) {
	found, _, err := s.t.Between(ctx, pk, first, last, false, itemsAStep)
	if err != nil || len(found) == 0 {
		return false, err
	}
	all := make([]layout.Key, len(found))
	for n, m := range found {
		all[n] = layout.KeyOf(m)
	}
	return true, s.t.Delete(ctx, all...)
}

// deleteProject removes the next issues of a project, then the next entries of its activity, then the next
// tags in its lists, and when there are none, all its other items, the project item last.
func (s *Store) deleteProject(ctx context.Context, d *tracker.Definition, w, next *work.State) error {
	p := d.Project.ID
	began := time.Now()
	// In its shard, every issue is in the partitions of the numbers and of the names. An issue only in the
	// second one consists of entries left by a crash.
	var all []string
	for _, c := range []tracker.Column{tracker.ColumnNum, tracker.ColumnName} {
		for shard := range d.Project.ShardCount() {
			all = append(all, s.t.Keys.Column(p, shard, c))
		}
	}
	for _, partition := range append(all, s.t.Keys.TrashOf(p)) {
		list := store.List[tracker.IssueID]{DB: s.t.DB, Partition: partition, Parse: s.t.Keys.ParseIssue}
		found, _, err := list.Page(ctx, store.ListQuery{Limit: w.Chunk()})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		group, deleting := errgroup.WithContext(ctx)
		group.SetLimit(jobParallel)
		for _, i := range found {
			group.Go(func() error { return s.deleteAll(deleting, i.ID) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i := range next.Jobs {
			next.Jobs[i].At = min(next.Jobs[i].At+int64(len(found)), next.Jobs[i].Total)
		}
		return s.saveAndPause(ctx, began, p, w, next)
	}
	for shard := range d.Project.ShardCount() {
		activity := layout.ActivityOf(s.t.Keys, p)
		removed, err := s.removeChunk(ctx, activity.Partition(shard), activity.SK("0"), activity.SK("~"))
		if err != nil {
			return err
		}
		if removed {
			return s.saveAndPause(ctx, began, p, w, next)
		}
	}
	tags := layout.AllTags(s.t.Keys, p)
	if removed, err := s.removeChunk(ctx, s.t.Keys.Project(p), tags, tags+"~"); err != nil {
		return err
	} else if removed {
		return s.saveAndPause(ctx, began, p, w, next)
	}
	var guards []layout.Key
	for _, f := range d.Fields {
		guards = append(guards, s.t.Keys.FieldNameGuard(p, f.Name))
	}
	if err := s.t.Delete(ctx, guards...); err != nil {
		return err
	}
	// The items from which the job is found are removed last, in one transaction.
	last := []layout.Key{s.t.Keys.ProjectItem(p), s.t.Keys.Jobs(p)}
	if err := s.deletePartition(ctx, s.t.Keys.Project(p), last...); err != nil {
		return err
	}
	var x client.Transaction
	for _, k := range last {
		x.Delete(s.t.Table, k, client.Condition{})
	}
	return s.t.Write(ctx, &x)
}

// deleteAll removes all items of an issue, those by which it is found last.
func (s *Store) deleteAll(ctx context.Context, id tracker.IssueID) error {
	last := []layout.Key{s.t.Keys.IssueItem(id), s.t.Keys.Trash(id)}
	if err := s.deletePartition(ctx, s.t.Keys.Issue(id), last...); err != nil {
		return err
	}
	return s.t.Delete(ctx, last...)
}

// deletePartition removes all items of a table partition with some exceptions.
func (s *Store) deletePartition(ctx context.Context, pk string, except ...layout.Key) error {
	var all []layout.Key
	err := s.t.KeysOf(ctx, pk, "", func(k layout.Key) error {
		if !slices.Contains(except, k) {
			all = append(all, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.t.Delete(ctx, all...)
}

// removeTenant removes the projects, users and teams of a deleted tenant, and at last takes its item out of
// the index. The item stays, so that the id is not used again: caches and tokens of the tenant may still have
// it. It reports whether something is left, because another server is removing it. Idempotency keys and
// uploads expire.
//
// No project is added after the deletion, because that requires that the tenant is active. All projects are
// found when the index has those that were added before.
func (s *Store) removeTenant(ctx context.Context) (left bool, _ error) {
	s = s.background()
	item := s.t.Keys.TenantItem()
	for {
		found, err := store.DecodeAll(ctx, s.t.DB, []layout.Key{item}, store.Consistent, layout.DecodeTenant)
		if err != nil || found[0] == nil || found[0].Deleted.IsZero() || found[0].Removed {
			return false, err
		}
		early := found[0].Deleted.Add(s.runner.IndexLag).Sub(s.t.Now())
		none, left, err := s.removeProjects(ctx)
		if err != nil || left {
			return left, err
		}
		people, err := s.removePeople(ctx)
		if err != nil {
			return false, err
		}
		none = none && !people
		if !none { // the index may still list them
			early = max(early, s.runner.IndexLag/5)
		}
		if early > 0 {
			if err := client.Wait(ctx, early); err != nil {
				return false, err
			}
			continue
		}
		removed := *found[0]
		removed.Removed = true
		var x client.Transaction
		x.Put(s.t.Table, layout.EncodeTenant(removed),
			client.Unchanged(layout.EncodeTenant(*found[0]), client.ErrStale, "name", "deleted"))
		x.Delete(s.t.Table, layout.Upload{Keys: s.t.Keys, ID: layout.UploadQueue}.Record(),
			client.Condition{})
		if err := s.t.Write(ctx, &x); !errors.Is(err, client.ErrStale) {
			return false, err
		}
	}
}

// removePeople removes users and teams of a deleted tenant with their guards. It reports whether there were
// any.
func (s *Store) removePeople(ctx context.Context) (any bool, _ error) {
	people := layout.PeopleOf(s.t.Keys)
	guardsOf := func(m layout.Item) ([]layout.Key, error) {
		if _, ok := people.ParseTeam(layout.GetS(m, layout.AttrPK)); ok {
			return []layout.Key{people.TeamGuard(layout.GetS(m, "name"))}, nil
		}
		u, err := people.DecodeUser(m)
		if err != nil {
			return nil, err
		}
		return people.UserGuards(u), nil
	}
	for _, partition := range []string{people.Users(), people.Teams()} {
		list := store.List[string]{DB: s.t.DB, Partition: partition, Parse: func(pk string) (string, bool) {
			return pk, true
		}}
		found, _, err := list.Page(ctx, store.ListQuery{Limit: store.MaxBatch})
		if err != nil {
			return false, err
		}
		keys := make([]layout.Key, len(found))
		var renames []layout.Key
		for i, row := range found {
			keys[i] = layout.Key{PK: row.ID, SK: partition}
			if id, ok := people.ParseUser(row.ID); ok {
				renames = append(renames, people.Rename(id))
			}
		}
		items, err := s.t.Get(ctx, keys, true)
		if err != nil {
			return false, err
		}
		any = any || len(items) > 0
		var guards []layout.Key
		for _, m := range items {
			if m == nil {
				continue
			}
			of, err := guardsOf(m)
			if err != nil {
				return false, err
			}
			guards = append(guards, of...)
		}
		// Guards are found by their owners, which therefore go last.
		for _, some := range [][]layout.Key{guards, renames, keys} {
			if err := s.t.Delete(ctx, some...); err != nil {
				return false, err
			}
		}
	}
	return any, nil
}

// removeProjects removes projects of a deleted tenant. It reports whether there were none, and whether
// another server is removing one.
func (s *Store) removeProjects(ctx context.Context) (none, left bool, _ error) {
	none = true
	for _, partition := range []string{s.t.Keys.Projects(), layout.DeletedProjects(s.t.Keys),
		s.t.Keys.OpenJobs()} {
		list := store.List[tracker.ProjectID]{DB: s.t.DB, Partition: partition, Parse: s.t.Keys.ParseProject}
		found, _, err := list.Page(ctx, store.ListQuery{Limit: maxPurged})
		if err != nil {
			return false, false, err
		}
		for _, p := range found {
			none = false
			if err := s.definitions.DeleteProject(ctx, p.ID, nil); err != nil &&
				tracker.CodeOf(err) != tracker.NotFound {
				return false, false, err
			}
			open, err := s.doJobs(ctx, p.ID)
			if err != nil {
				return false, false, err
			}
			left = left || open
		}
	}
	return none, left, nil
}
