package jobs

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/issues"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/columns"
	"issuegrid/internal/runner"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// A job that renames a user finds the values in the index, by the names that the user had, in two passes over
// all projects: soon after the change, and when no request that has read the former name can write it any
// more. The second one also finds issues that were deleted or restored during the first.

// renameChunk is the number of issues after which a job that renames a user renews its lease.
const renameChunk = 50

// Rename starts the job of a user that was renamed.
func (r *Runner) Rename(t *store.Tenant, id tracker.UserID) {
	r.kick(layout.PeopleOf(t.Keys).Rename(id), func(ctx context.Context) (bool, error) {
		return r.Of(t).doRename(ctx, id)
	})
}

// RenameUser runs the job of a user that was renamed until it ends, or another server is running it.
func (s *Store) RenameUser(ctx context.Context, id tracker.UserID) error {
	_, err := s.doRename(ctx, id)
	return err
}

// findRenames starts the jobs of the users of the tenant that were renamed.
func (r *Runner) findRenames(ctx context.Context, t *store.Tenant) error {
	people := layout.PeopleOf(t.Keys)
	found, _, err := store.List[tracker.UserID]{DB: t.DB, Partition: people.Renames(),
		Parse: people.ParseUser}.Page(ctx, store.ListQuery{Limit: 1000})
	for _, row := range found {
		r.Rename(t, row.ID)
	}
	return err
}

// doRename is RenameUser, and reports whether another server has the job.
func (s *Store) doRename(ctx context.Context, id tracker.UserID) (left bool, err error) {
	s = s.background()
	job, err := work.ReadRename(ctx, s.t, id)
	if err != nil || job == nil {
		return false, err
	}
	if job.Lease.Held("", s.t.Now()) > 0 {
		return true, nil
	}
	if job.Lease.Owner, err = s.t.NewID(); err != nil {
		return false, err
	}
	err = s.rename(ctx, job)
	if errors.Is(err, client.ErrStale) {
		return true, nil // another server has it, or it starts over
	}
	if err != nil {
		released, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		job.Lease = runner.Lease{}
		_ = job.Save(released, s.t)
	}
	return false, err
}

func (s *Store) rename(ctx context.Context, job *work.Rename) error {
	if job.Since.IsZero() {
		job.Since = s.t.Time()
	}
	if err := job.Save(ctx, s.t); err != nil {
		return err
	}
	for _, after := range []time.Duration{s.settleTime(), s.runner.ReadTime}[min(job.Pass, 2):] {
		if err := s.renamePass(ctx, job, job.Since.Add(after+s.runner.IndexLag)); err != nil {
			return err
		}
		job.Pass, job.At = job.Pass+1, ""
		if err := job.Save(ctx, s.t); err != nil {
			return err
		}
	}
	return job.End(ctx, s.t)
}

// renamePass gives the name of a user to the values that refer to it in all projects, from a time on.
func (s *Store) renamePass(ctx context.Context, job *work.Rename, begin time.Time) error {
	for wait := begin.Sub(s.t.Now()); wait > 0; wait = begin.Sub(s.t.Now()) {
		if err := s.runner.Settle(ctx, min(wait, runner.LeaseTime/3)); err != nil {
			return err
		}
		if err := job.Save(ctx, s.t); err != nil {
			return err
		}
	}
	people := layout.PeopleOf(s.t.Keys)
	found, err := store.DecodeAll(ctx, s.t.DB, []layout.Key{people.User(job.User)}, store.Consistent,
		people.DecodeUser)
	if err != nil {
		return err
	}
	projects, err := s.everyProject(ctx)
	if err != nil {
		return err
	}
	for _, p := range projects {
		if found[0] == nil || p <= job.At {
			continue
		}
		// The other projects must not wait for a damaged one, which check reports.
		if err := s.renameIn(ctx, p, found[0], job); err != nil && !issues.OfItem(err) {
			return err
		}
		job.At = p
		if err := job.Save(ctx, s.t); err != nil {
			return err
		}
	}
	return nil
}

// everyProject returns the projects of the tenant, also those in the trash, in the order of their ids. One
// that is restored meanwhile is in the second list of those that are not in the trash.
func (s *Store) everyProject(ctx context.Context) (all []tracker.ProjectID, _ error) {
	for _, list := range []store.List[tracker.ProjectID]{s.definitions.ProjectList(),
		s.definitions.DeletedList(), s.definitions.ProjectList()} {
		if err := list.Each(ctx, 1000, func(page []store.Listed[tracker.ProjectID]) error {
			for _, row := range page {
				all = append(all, row.ID)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// renameIn gives the name of a user to the values that refer to it in one project.
func (s *Store) renameIn(ctx context.Context, p tracker.ProjectID, u *tracker.User, job *work.Rename) error {
	for {
		d, _, err := s.definitions.ReadAny(ctx, p)
		if tracker.CodeOf(err) == tracker.NotFound || err == nil && d.Project.Deleted {
			return nil
		}
		if err != nil {
			return err
		}
		err = s.renameWith(ctx, d, u, job)
		if !errors.Is(err, tracker.ErrDefinitionChanged) {
			return err
		}
		if err := client.Wait(ctx, s.t.WriteTime); err != nil {
			return err
		}
	}
}

func (s *Store) renameWith(ctx context.Context, d *tracker.Definition, u *tracker.User,
	job *work.Rename) error {
	any := false
	for _, f := range d.Fields {
		if f.Type != tracker.TypeUser {
			continue
		}
		any = true
		for _, q := range formerNames(d, f, u) {
			if err := s.renameRange(ctx, d, u, q, job); err != nil {
				return err
			}
		}
	}
	if !any {
		return nil
	}
	return s.renameTrash(ctx, d, u, job)
}

// formerNames returns the ranges of a field's index entries with the names that a user had, and possibly
// others. If not all of the names are known, they are one range of all values.
func formerNames(d *tracker.Definition, f *tracker.Field, u *tracker.User) (all []columns.KeyQuery) {
	q := columns.KeyQuery{Project: d.Project.ID, Shards: d.Project.Shards, Column: f.ID.Column(), Gen: f.Gen,
		Limit: renameChunk}
	names, known := u.Names()
	if !known {
		return []columns.KeyQuery{q}
	}
	var sorted []sortkey.Value
	for _, name := range names[:len(names)-1] {
		sorted = append(sorted, sortkey.Text(name))
	}
	slices.SortFunc(sorted, func(a, b sortkey.Value) int { return bytes.Compare(a, b) })
	sorted = slices.CompactFunc(sorted, func(a, b sortkey.Value) bool { return bytes.Equal(a, b) })
	for _, name := range sorted {
		q.From, q.To = name, sortkey.Join(name, tracker.MaxNum+1)
		all = append(all, q)
	}
	return all
}

// renameRange renames a user in the issues of a range of the index.
func (s *Store) renameRange(ctx context.Context, d *tracker.Definition, u *tracker.User, q columns.KeyQuery,
	job *work.Rename) error {
	for {
		page, err := s.issues.QueryKeys(ctx, q)
		if err != nil {
			return err
		}
		all := make([]tracker.IssueID, len(page.Keys))
		for i, k := range page.Keys {
			all[i] = k.Issue
		}
		if err := s.renameStep(ctx, job, func(ctx context.Context) error {
			return s.issues.Rename(ctx, d, u, all)
		}); err != nil || page.Last == nil {
			return err
		}
		q.From = sortkey.After(page.Last)
	}
}

// renameTrash renames a user in the issues in the trash.
func (s *Store) renameTrash(ctx context.Context, d *tracker.Definition, u *tracker.User,
	job *work.Rename) error {
	list := s.issues.TrashList(d.Project.ID)
	return list.Each(ctx, renameChunk, func(page []store.Listed[tracker.IssueID]) error {
		keys := make([]layout.Key, len(page))
		for i, row := range page {
			keys[i] = s.t.Keys.Trash(row.ID)
		}
		items, err := s.t.Get(ctx, keys, true)
		if err != nil {
			return err
		}
		return s.renameStep(ctx, job, func(ctx context.Context) error {
			return s.issues.RenameTrashed(ctx, d, u, items)
		})
	})
}

// renameStep does a part of a job in its turn, and renews the lease.
func (s *Store) renameStep(ctx context.Context, job *work.Rename, do func(context.Context) error) error {
	if err := s.t.Pace(ctx); err != nil {
		return err
	}
	leave, err := s.runner.queue.Enter(ctx, s.t.ID)
	if err != nil {
		return err
	}
	defer leave()
	// Another server may have taken over meanwhile, or the user was renamed once more.
	if err := job.Save(ctx, s.t); err != nil {
		return err
	}
	return do(ctx)
}
