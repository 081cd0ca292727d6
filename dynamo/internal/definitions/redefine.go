package definitions

import (
	"context"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/tracker"
)

// Redefinition is a change of a definition that is about to be written.
type Redefinition struct {
	client.Transaction
	parts []tracker.PartChange // for the history of the project
	ofJob bool                 // the job is the result of the change, for store.ApplyOnce
}

// Redefine changes a project or its fields in a transaction that increments the project's version. So
// concurrent changes conflict, which also enforces the limit on the number of fields. change may modify the
// definition's project. If it returns a job, which updates the issues, the job is created in the same
// transaction, and so is the entry of the project's history.
func (s *Store) Redefine(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *Redefinition) (*tracker.Job, error)) error {
	return s.redefineAny(ctx, p, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
		if d.Project.Trash != nil {
			return nil, tracker.Missing("project")
		}
		return change(d, x)
	})
}

// redefineAny is Redefine, also for a project in the trash.
func (s *Store) redefineAny(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *Redefinition) (*tracker.Job, error)) error {
	return s.t.Again(ctx, work.ErrProjectChanged, func() error {
		d, w, err := s.ReadAny(ctx, p)
		if err != nil {
			return err
		}
		if d.Project.Deleted {
			return tracker.Missing("project")
		}
		var x Redefinition
		job, err := change(d, &x)
		if err != nil {
			return err
		}
		if job != nil {
			if err := work.Add(s.t, &x.Transaction, d, w, job); err != nil {
				return err
			}
			if x.ofJob {
				s.t.AddOnce(&x.Transaction, job.ID)
			}
		}
		d.Project.Changes++
		s.Record(&x.Transaction, &d.Project, d.Project.Version+1, x.parts)
		err = s.WriteProject(ctx, &x.Transaction, d)
		// after Unavailable the job may have been created
		if job != nil && (err == nil || tracker.CodeOf(err) == tracker.Unavailable) {
			s.cache.RunJobs(s.t, p)
		}
		return err
	})
}

// WriteProject writes a project together with the writes of x, and increments its version. It returns
// work.ErrProjectChanged if the stored version is another one.
func (s *Store) WriteProject(ctx context.Context, x *client.Transaction, d *tracker.Definition) error {
	project := d.Project
	project.Version++
	x.Put(s.t.Table, s.t.Keys.EncodeProject(&project),
		client.MustHaveVersion(d.Project.Version, work.ErrProjectChanged))
	err := s.t.Write(ctx, x)
	s.forget(project.ID)
	return err
}

// PutField adds to a transaction a field that a job changes, or leaves as it was.
func (s *Store) PutField(x *client.Transaction, p tracker.ProjectID, f *tracker.Field) {
	x.Put(s.t.Table, s.t.Keys.EncodeField(p, f), client.MustExist(work.ErrProjectChanged))
}

// loadJob returns a function that loads a job for store.ApplyOnce, as Definition.Jobs has it.
func (s *Store) loadJob(ctx context.Context, p tracker.ProjectID) func(id string) (*tracker.Job, error) {
	return func(id string) (*tracker.Job, error) {
		d, _, err := s.ReadAny(ctx, p)
		if err != nil {
			return nil, err
		}
		if job := d.Job(id); job != nil {
			return job, nil
		}
		return nil, tracker.Missing("job")
	}
}

// StartedJob returns the job that the handle's change has started, or nil if it has started none. It reads
// consistently.
func (s *Store) StartedJob(ctx context.Context, p tracker.ProjectID) (*tracker.Job, error) {
	job, err := s.loadJob(ctx, p)(s.t.JobID)
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil, nil
	}
	return job, err
}

// CancelJob cancels a job that has changed nothing yet: a change of type whose values are not all checked. It
// returns Conflict for any other job.
func (s *Store) CancelJob(ctx context.Context, p tracker.ProjectID, id string) (*tracker.Job, error) {
	return store.ApplyOnce(ctx, s.t, s.loadJob(ctx, p), func() (job *tracker.Job, err error) {
		err = s.t.Again(ctx, work.ErrProjectChanged, func() error {
			job, err = s.cancelJob(ctx, p, id)
			return err
		})
		if err != nil {
			return nil, err
		}
		return job, nil
	})
}

func (s *Store) cancelJob(ctx context.Context, p tracker.ProjectID, id string) (*tracker.Job, error) {
	d, w, err := s.ReadAny(ctx, p)
	if err != nil {
		return nil, err
	}
	if d.Project.Hidden() {
		return nil, tracker.Missing("project")
	}
	if _, err := w.Job(id); err != nil {
		return nil, err
	}
	next := *w
	next.Jobs = slices.Clone(w.Jobs)
	j, _ := next.Job(id)
	switch {
	case !j.Open():
		return nil, &tracker.Error{Code: tracker.Conflict, Message: "the job has ended already"}
	case j.Status != tracker.JobChecking:
		return nil, &tracker.Error{Code: tracker.Conflict,
			Message: "the job cannot be canceled, because it completes a change that was already made; " +
				"wait until it has ended, and then undo the change"}
	}
	j.Status, j.Ended, j.Options = tracker.JobCanceled, s.t.Time(), nil
	if next.TrashOf == j.ID {
		next.Trash, next.TrashOf = nil, ""
	}
	var x client.Transaction
	if f := d.Field(j.Field); f != nil {
		unchanged := *f
		unchanged.Next, unchanged.Removes = nil, false
		s.PutField(&x, p, &unchanged)
	}
	s.t.AddOnce(&x, j.ID)
	work.Put(s.t, &x, p, w, &next)
	return j, s.WriteProject(ctx, &x, d)
}
