package dynamo

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// deleteProject removes the next issues of a project, and when there are none, all its other items, the
// project item last.
func (t jobs) deleteProject(ctx context.Context, d *tracker.Definition, w, next *work) error {
	p := d.Project.ID
	began := time.Now()
	// Every issue is in the first two partitions. An issue only in the second one consists of entries left by
	// a crash.
	for _, partition := range []string{t.keys.Project(p), t.keys.Column(p, tracker.ColumnName),
		t.keys.TrashOf(p)} {
		list := List[tracker.IssueID]{db: t.db, partition: partition, parse: t.keys.ParseIssue}
		found, _, err := list.Page(ctx, ListQuery{Limit: jobChunk})
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
	var all []layout.Key
	for _, f := range d.Fields {
		all = append(all, t.keys.FieldNameGuard(p, f.Name))
	}
	if err := t.db.batchWrite(ctx, deletes(all)); err != nil {
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
