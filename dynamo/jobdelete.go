package dynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// activityChunk is the number of entries of the activity that a step of a deletion removes.
const activityChunk = 200

// deleteProject removes the next issues of a project, then the next entries of its activity, and when there
// are none, all its other items, the project item last.
func (t jobs) deleteProject(ctx context.Context, d *tracker.Definition, w, next *work) error {
	p := d.Project.ID
	began := time.Now()
	// In its shard, every issue is in the partitions of the numbers and of the names. An issue only in the
	// second one consists of entries left by a crash.
	var all []string
	for _, c := range []tracker.Column{tracker.ColumnNum, tracker.ColumnName} {
		for shard := range d.Project.ShardCount() {
			all = append(all, t.keys.Column(p, shard, c))
		}
	}
	for _, partition := range append(all, t.keys.TrashOf(p)) {
		list := List[tracker.IssueID]{db: t.db, partition: partition, parse: t.keys.ParseIssue}
		found, _, err := list.Page(ctx, ListQuery{Limit: w.chunk()})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		group, deleting := errgroup.WithContext(ctx)
		group.SetLimit(jobParallel)
		for _, i := range found {
			group.Go(func() error { return t.deleteAll(deleting, i.ID) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i := range next.jobs {
			next.jobs[i].At = min(next.jobs[i].At+int64(len(found)), next.jobs[i].Total)
		}
		return t.saveAndPause(ctx, began, p, w, next)
	}
	for shard := range d.Project.ShardCount() {
		activity := layout.ActivityOf(t.keys, p)
		found, _, err := Inside{t.db}.Between(ctx, activity.Partition(shard), activity.SK("0"),
			activity.SK("~"), false, activityChunk)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		all := make([]layout.Key, len(found))
		for n, m := range found {
			all[n] = layout.KeyOf(m)
		}
		if err := t.db.batchWrite(ctx, deletes(all)); err != nil {
			return err
		}
		return t.saveAndPause(ctx, began, p, w, next)
	}
	var guards []layout.Key
	for _, f := range d.Fields {
		guards = append(guards, t.keys.FieldNameGuard(p, f.Name))
	}
	if err := t.db.batchWrite(ctx, deletes(guards)); err != nil {
		return err
	}
	// The items from which the job is found are removed last, in one transaction.
	last := []layout.Key{t.keys.ProjectItem(p), t.keys.Jobs(p)}
	if err := t.deletePartition(ctx, t.keys.Project(p), last...); err != nil {
		return err
	}
	var x client.Transaction
	for _, k := range last {
		x.Delete(t.db.table, k, client.Condition{})
	}
	return t.db.write(ctx, &x)
}

// deleteAll removes all items of an issue, those by which it is found last.
func (t jobs) deleteAll(ctx context.Context, id tracker.IssueID) error {
	last := []layout.Key{t.keys.IssueItem(id), t.keys.Trash(id)}
	if err := t.deletePartition(ctx, t.keys.Issue(id), last...); err != nil {
		return err
	}
	return t.db.batchWrite(ctx, deletes(last))
}

// deletePartition removes all items of a table partition with some exceptions.
func (t jobs) deletePartition(ctx context.Context, pk string, except ...layout.Key) error {
	var all []layout.Key
	err := t.db.partition(ctx, pk, layout.AttrPK+","+layout.AttrSK, func(m layout.Item) error {
		if k := layout.KeyOf(m); !slices.Contains(except, k) {
			all = append(all, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.db.batchWrite(ctx, deletes(all))
}

// removeTenant removes the projects, users and teams of a deleted tenant, and at last its item. It reports
// whether something is left, because another server is removing it. Idempotency keys and uploads expire.
//
// No project is added after the deletion, because that requires that the tenant is active. All projects are
// found when the index has those that were added before.
func (t jobs) removeTenant(ctx context.Context) (left bool, _ error) {
	t = t.ofJobs()
	item := t.keys.TenantItem()
	for {
		found, err := decodeAll(ctx, t.db, []layout.Key{item}, reading{consistent: true}, layout.DecodeTenant)
		if err != nil || found[0] == nil || found[0].Deleted.IsZero() {
			return false, err
		}
		early := found[0].Deleted.Add(t.db.indexLag).Sub(t.db.now())
		none, left, err := t.removeProjects(ctx)
		if err != nil || left {
			return left, err
		}
		people, err := t.removePeople(ctx)
		if err != nil {
			return false, err
		}
		none = none && !people
		if !none { // the index may still list them
			early = max(early, t.db.indexLag/5)
		}
		if early > 0 {
			if err := client.Wait(ctx, early); err != nil {
				return false, err
			}
			continue
		}
		// A tenant with the same id may have been created if another server was faster.
		var x client.Transaction
		x.Delete(t.db.table, item,
			client.Unchanged(layout.EncodeTenant(*found[0]), client.ErrStale, "name", "deleted"))
		x.Delete(t.db.table, layout.Upload{Keys: t.keys, ID: layout.UploadQueue}.Record(), client.Condition{})
		if err := t.db.write(ctx, &x); !errors.Is(err, client.ErrStale) {
			return false, err
		}
	}
}

// removePeople removes users and teams of a deleted tenant with their guards. It reports whether there were
// any.
func (t jobs) removePeople(ctx context.Context) (any bool, _ error) {
	people := layout.PeopleOf(t.keys)
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
		list := List[string]{db: t.db, partition: partition, parse: func(pk string) (string, bool) {
			return pk, true
		}}
		found, _, err := list.Page(ctx, ListQuery{Limit: MaxBatch})
		if err != nil {
			return false, err
		}
		keys := make([]layout.Key, len(found))
		for i, row := range found {
			keys[i] = layout.Key{PK: row.ID, SK: partition}
		}
		items, err := t.db.batchGet(ctx, keys, true)
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
		for _, some := range [][]layout.Key{guards, keys} {
			if err := t.db.batchWrite(ctx, deletes(some)); err != nil {
				return false, err
			}
		}
	}
	return any, nil
}

// removeProjects removes projects of a deleted tenant. It reports whether there were none, and whether
// another server is removing one.
func (t jobs) removeProjects(ctx context.Context) (none, left bool, _ error) {
	none = true
	for _, partition := range []string{t.keys.Projects(), layout.DeletedProjects(t.keys), t.keys.OpenJobs()} {
		list := List[tracker.ProjectID]{db: t.db, partition: partition, parse: t.keys.ParseProject}
		found, _, err := list.Page(ctx, ListQuery{Limit: maxPurged})
		if err != nil {
			return false, false, err
		}
		for _, p := range found {
			none = false
			if err := definer(t).deleteProject(ctx, p.ID, nil); err != nil &&
				tracker.CodeOf(err) != tracker.NotFound {
				return false, false, err
			}
			open, err := t.doJobs(ctx, p.ID)
			if err != nil {
				return false, false, err
			}
			left = left || open
		}
	}
	return none, left, nil
}
