package definitions

import (
	"context"
	"slices"
	"strconv"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// CreateField adds a custom field to a project. Its name must be unique in the project. A position of 0 puts
// it last, and a field without an id gets one.
func (s *Store) CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field,
	error) {
	load := func(id string) (*tracker.Field, error) {
		d, err := s.Read(ctx, p)
		if err != nil {
			return nil, err
		}
		if f := d.Field(tracker.FieldID(id)); f != nil {
			return f, nil
		}
		return nil, tracker.Missing("field; it was created earlier, and has been deleted since")
	}
	return store.ApplyOnce(ctx, s.t, load, func() (*tracker.Field, error) {
		return s.createField(ctx, p, f)
	})
}

func (s *Store) createField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field,
	error) {
	var created tracker.Field
	err := s.Redefine(ctx, p, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
		created = f
		exists := error(store.Taken("a field with this id"))
		if created.ID == "" {
			created.ID, exists = d.NewFieldID(), work.ErrProjectChanged // another server gives the same id
		}
		if d.Field(created.ID) != nil {
			return nil, store.Taken("a field with this id")
		}
		if d.Deleting(created.ID) {
			return nil, &tracker.Error{Code: tracker.Conflict,
				Message: "a job is removing the values of a field with this id; wait until it has ended"}
		}
		if created.Position == 0 {
			created.Position = 1
			if n := len(d.Fields); n > 0 {
				created.Position = d.Fields[n-1].Position + 1
			}
		}
		if err := checkNewField(ctx, d, &created); err != nil {
			return nil, err
		}
		if d.MaxIssueNum > 0 || d.HasOpenJobs() { // the entries of older issues would be missing
			created.Empties = tracker.EmptiesFiltered
		}
		x.Put(s.t.Table, s.t.Keys.EncodeField(p, &created), client.MustNotExist(exists))
		x.Put(s.t.Table, layout.Guard(s.t.Keys.FieldNameGuard(p, created.Name), string(created.ID)),
			client.MustNotExist(nameTaken(created.Name)))
		s.t.AddOnce(&x.Transaction, string(created.ID))
		x.parts = created.ChangesOf(nil)
		return nil, nil
	})
	return &created, err
}

// checkNewField calls layout.CheckField and charges the operation for the CPU time of folding the names of
// all fields and options.
func checkNewField(ctx context.Context, d *tracker.Definition, f *tracker.Field) error {
	spent := account.NameCPU(f.Name)
	for _, o := range f.Options {
		spent += account.NameCPU(o.Name)
	}
	for _, other := range d.Fields {
		spent += account.NameCPU(other.Name)
	}
	a := account.From(ctx)
	a.Spend(spent)
	if err := a.Check(ctx); err != nil {
		return client.Translate(err)
	}
	return layout.CheckField(d, f)
}

func nameTaken(name string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "name",
		Message: "the project has a field named " + strconv.Quote(name) + " already"}
}

// UpdateField reads a field, calls change to modify it, and writes it. It starts over on a conflict with
// another change. The id, the type and the properties that only jobs change are read-only. Options can be
// added, changed, moved and merged, by the methods of tracker.Field. If issues must be updated, a job does
// so; readers see the change immediately. If change returns invalid inputs, UpdateField adds those that it
// finds itself.
func (s *Store) UpdateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
	change func(*tracker.Field) error) (*tracker.Field, error) {
	load := func(string) (*tracker.Field, error) {
		d, err := s.Read(ctx, p)
		if err != nil {
			return nil, err
		}
		return existing(d, id)
	}
	return store.ApplyOnce(ctx, s.t, load, func() (*tracker.Field, error) {
		return s.updateField(ctx, p, id, change)
	})
}

func (s *Store) updateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
	change func(*tracker.Field) error) (*tracker.Field, error) {
	var changed tracker.Field
	err := s.Redefine(ctx, p, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
		old, err := existing(d, id)
		if err != nil {
			return nil, err
		}
		changed = *old
		changed.Options = slices.Clone(old.Options)
		invalid := change(&changed)
		changed.ID, changed.Moving, changed.From, changed.Gen = id, old.Moving, old.From, old.Gen
		changed.Next, changed.Removes = old.Next, old.Removes
		changed.Changes = old.Changes + 1
		if changed.Type != old.Type {
			return nil, tracker.Bad("type",
				"the type of a field cannot be changed here; use changeCustomFieldType")
		}
		if err := tracker.Join(invalid, checkNewField(ctx, d, &changed)); err != nil {
			return nil, err
		}
		if changed.Required && !old.Required {
			if err := notConverting(old); err != nil {
				return nil, err
			}
		}
		job, err := changedOptions(old, &changed)
		if err == nil && len(changed.Links) > len(old.Links) {
			job, err = &tracker.Job{Kind: tracker.JobLinkNames}, notConverting(old)
		}
		if err != nil {
			return nil, err
		}
		if tracker.NameKey(changed.Name) != tracker.NameKey(old.Name) {
			x.Delete(s.t.Table, s.t.Keys.FieldNameGuard(p, old.Name), client.Condition{})
			x.Put(s.t.Table, layout.Guard(s.t.Keys.FieldNameGuard(p, changed.Name), string(changed.ID)),
				client.MustNotExist(nameTaken(changed.Name)))
		}
		x.Put(s.t.Table, s.t.Keys.EncodeField(p, &changed), client.MustExist(tracker.Missing("field")))
		s.t.AddOnce(&x.Transaction, string(id))
		x.parts = changed.ChangesOf(old)
		return forField(job, &changed), nil
	})
	return &changed, err
}

// changedOptions returns the job that updates issues to the changed options of a field, or nil if none is
// needed.
func changedOptions(old, changed *tracker.Field) (*tracker.Job, error) {
	moved, err := tracker.KeepOptions(old, changed)
	if err != nil {
		return nil, err
	}
	for i, o := range changed.Options {
		if _, merged := old.Merged[o.ID]; merged {
			return nil, beingReplaced("options["+strconv.Itoa(i)+"]", "an option", o.ID)
		}
	}
	moved = moved && old.Type == tracker.TypeSelect // the index does not order a MULTI_SELECT
	job := rebuild(old.Rebuild, &changed.Rebuild, moved, tracker.JobMergeOptions, tracker.JobMoveOptions)
	if job == nil {
		return nil, nil
	}
	return job, notConverting(old)
}

// rebuild returns the job of the kind merge or move that updates issues to changed choices, or nil if none is
// needed.
func rebuild(old tracker.Rebuild, changed *tracker.Rebuild, moved bool,
	merge, move tracker.JobKind) *tracker.Job {
	changed.Moving, changed.Merges = old.Moving || moved, old.Merges
	switch {
	case len(changed.Merged) > len(old.Merged):
		changed.Merges++
		return &tracker.Job{Kind: merge}
	case moved:
		return &tracker.Job{Kind: move}
	}
	return nil
}

// beingReplaced returns the error about a new option or state with the id of one that a job is replacing. An
// import derives ids from names.
func beingReplaced(path, what string, id tracker.OptionID) error {
	return &tracker.Error{Code: tracker.Conflict, Path: path, Message: "a job is replacing " + what +
		" with the id " + strconv.Quote(string(id)) + "; wait until it has ended"}
}

func existing(d *tracker.Definition, id tracker.FieldID) (*tracker.Field, error) {
	if f := d.Field(id); f != nil {
		return f, nil
	}
	return nil, tracker.Missing("field")
}

func notConverting(f *tracker.Field) error {
	if f.From != nil || f.Next != nil {
		return &tracker.Error{Code: tracker.Conflict,
			Message: "a job is changing the type of the field; wait until it has ended"}
	}
	return nil
}

// forField sets the field of a job, if there is one.
func forField(job *tracker.Job, f *tracker.Field) *tracker.Job {
	if job != nil {
		job.Field, job.Name = f.ID, f.Name
	}
	return job
}

// maxJobNames is the maximum number of bytes of the names of the options of a deleted field that a job has.
const maxJobNames = 8 << 10

// namesOf returns options with the names of the choices that values of a field may have, for the histories
// that a job writes: the first ones.
func namesOf(f *tracker.Field) []tracker.Option {
	all := slices.Clone(f.Options)
	if f.From != nil {
		all = append(all, f.From.Options...)
	}
	for id, name := range f.Former {
		all = append(all, tracker.Option{ID: id, Name: name})
	}
	var out []tracker.Option
	bytes := 0
	for _, o := range all {
		const attributes = 40
		if bytes += attributes + len(o.ID) + len(o.Name); bytes > maxJobNames {
			break
		}
		out = append(out, tracker.Option{ID: o.ID, Name: o.Name})
	}
	return out
}

// DeleteField deletes a field immediately. A job removes its values, which remain in the histories of the
// issues. Nothing is deleted if confirm returns an error; it can be nil.
func (s *Store) DeleteField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
	confirm func(*tracker.Field) error) error {
	return store.DoOnce(ctx, s.t, func() error { return s.deleteField(ctx, p, id, confirm) })
}

// confirmed calls confirm with what is about to be deleted. confirm may be nil.
func confirmed[T any](confirm func(*T) error, what *T) error {
	if confirm == nil {
		return nil
	}
	return confirm(what)
}

func (s *Store) deleteField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
	confirm func(*tracker.Field) error) error {
	return s.Redefine(ctx, p, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
		f, err := existing(d, id)
		if err != nil {
			return nil, err
		}
		if err := confirmed(confirm, f); err != nil {
			return nil, err
		}
		x.Delete(s.t.Table, s.t.Keys.Field(p, id), client.MustExist(tracker.Missing("field")))
		x.Delete(s.t.Table, s.t.Keys.FieldNameGuard(p, f.Name), client.Condition{})
		s.t.AddOnce(&x.Transaction, string(id))
		x.parts = f.Deletion()
		return forField(&tracker.Job{Kind: tracker.JobDeleteField, Options: namesOf(f)}, f), nil
	})
}

// ChangeFieldType starts a job that checks all values of a field, and then changes its type and converts the
// values. If a value cannot be converted, the job fails and changes nothing, unless remove is set: then it
// removes these values. Nothing is changed if confirm returns an error; it can be nil. It returns the job as
// Definition.Jobs has it.
func (s *Store) ChangeFieldType(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
	to tracker.Form, remove bool, confirm func(*tracker.Field) error) (*tracker.Job, error) {
	return store.ApplyOnce(ctx, s.t, s.loadJob(ctx, p), func() (*tracker.Job, error) {
		return s.changeFieldType(ctx, p, id, to, remove, confirm)
	})
}

func (s *Store) changeFieldType(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
	to tracker.Form, remove bool, confirm func(*tracker.Field) error) (*tracker.Job, error) {
	var job *tracker.Job
	err := s.Redefine(ctx,
		p, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
			f, err := existing(d, id)
			if err != nil {
				return nil, err
			}
			if err := confirmed(confirm, f); err != nil {
				return nil, err
			}
			for i := range d.Jobs {
				if j := &d.Jobs[i]; j.Open() && j.Field == id && j.Kind != tracker.JobIndexEmpties {
					return nil, &tracker.Error{Code: tracker.Conflict,
						Message: "a job of the field is running; wait until it has ended"}
				}
			}
			if to.Type == f.Type {
				return nil, tracker.Bad("type", "the field already has the type %s", f.Type)
			}
			changed := f.As(to)
			if remove && f.Required {
				return nil, tracker.Bad("unconvertible",
					"the field %q is required, so its values can't be removed", f.Name)
			}
			if err := f.CheckForm(to, remove); err != nil {
				return nil, err
			}
			if err := checkNewField(ctx, d, &changed); err != nil {
				return nil, err
			}
			next := *f
			next.Next, next.Removes = &to, remove
			x.Put(s.t.Table, s.t.Keys.EncodeField(p, &next), client.MustExist(tracker.Missing("field")))
			x.ofJob = true
			job = forField(&tracker.Job{Kind: tracker.JobChangeType, Status: tracker.JobChecking}, f)
			return job, nil
		})
	return job, err
}
