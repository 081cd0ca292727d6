package dynamo

import (
	"context"
	"errors"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// CreateTenant writes a new tenant. Conflict if there is one with this id.
func (db *DB) CreateTenant(ctx context.Context, t tracker.Tenant) error {
	if err := checkID("tenant", string(t.ID)); err != nil {
		return err
	}
	if err := tracker.CheckName("name", t.Name); err != nil {
		return err
	}
	var x client.Transaction
	x.Put(db.table, layout.EncodeTenant(t), client.MustNotExist(taken("a tenant with this id")))
	return db.write(ctx, &x)
}

// Rename gives the tenant another name.
func (t *Tenant) Rename(ctx context.Context, name string) (*tracker.Tenant, error) {
	if err := tracker.CheckName("name", name); err != nil {
		return nil, err
	}
	renamed := tracker.Tenant{ID: t.id, Name: name}
	var x client.Transaction
	x.Put(t.db.table, layout.EncodeTenant(renamed), client.MustExist(tracker.Missing("tenant")))
	return &renamed, t.db.write(ctx, &x)
}

// checkID refuses an id with separators in it, from which the key of something else could be built (I1).
func checkID(what, id string) error {
	if !tracker.ValidID(id) {
		return tracker.Bad("id", "the id of a new %s is 1 to %d characters from a-z and 0-9; got %q", what,
			tracker.MaxID, id)
	}
	return nil
}

func taken(what string) error {
	return &tracker.Error{Code: tracker.Conflict, Message: "there is " + what + " already"}
}

// CreateProject writes a new project with its number counter and the guard of its key. Conflict if the key is
// taken in the tenant.
func (t *Tenant) CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	if err := checkID("project", string(p.ID)); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	load := func(id string) (*tracker.Project, error) {
		d, err := reader(t.scope).readDefinition(ctx, tracker.ProjectID(id))
		if err != nil {
			return nil, err
		}
		return &d.Project, nil
	}
	return applyOnce(ctx, t.scope, load, func() (*tracker.Project, error) {
		return definer(t.scope).createProject(ctx, p)
	})
}

func (t definer) createProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	p.Tenant, p.Version = t.id, 1
	counter := layout.KeyItem(t.keys.Counter(p.ID))
	counter["n"] = layout.N(0)
	var x client.Transaction
	x.Put(t.db.table, t.keys.EncodeProject(&p), client.MustNotExist(taken("a project with this id")))
	x.Put(t.db.table, counter, client.MustNotExist(taken("a project with this id")))
	x.Put(t.db.table, layout.Guard(t.keys.ProjectKeyGuard(p.Key), string(p.ID)),
		client.MustNotExist(keyTaken(p.Key)))
	x.Check(t.db.table, t.keys.TenantItem(), client.MustExist(tracker.Missing("tenant")))
	idempotency(t).addTo(&x, string(p.ID))
	if err := t.db.write(ctx, &x); err != nil {
		return nil, err
	}
	t.db.definitions.forget(t.keys.Project(p.ID))
	return &p, nil
}

func keyTaken(key string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "key",
		Message: "the tenant has a project with the key " + key + " already"}
}

// UpdateProject reads the project, lets change alter it, and writes it, again from the start when somebody
// else was faster. The id cannot be changed.
func (t *Tenant) UpdateProject(ctx context.Context, id tracker.ProjectID,
	change func(*tracker.Project) error) (*tracker.Project, error) {
	var changed tracker.Project
	err := definer(t.scope).redefine(ctx,
		id, func(d *tracker.Definition, x *client.Transaction) (*tracker.Project, error) {
			changed = d.Project
			changed.States = slices.Clone(d.Project.States)
			if err := change(&changed); err != nil {
				return nil, err
			}
			changed.ID, changed.Tenant = id, t.id
			if err := changed.Check(); err != nil {
				return nil, err
			}
			if err := tracker.KeepStates(d.Project.States, changed.States); err != nil {
				return nil, err
			}
			if old := d.Project.Key; changed.Key != old {
				x.Delete(t.db.table, t.keys.ProjectKeyGuard(old), client.Condition{})
				x.Put(t.db.table, layout.Guard(t.keys.ProjectKeyGuard(changed.Key), string(id)),
					client.MustNotExist(keyTaken(changed.Key)))
			}
			return &changed, nil
		})
	return &changed, err
}

// DeleteProject removes a project with everything that it has. It is gone at once, and its key is free; a job
// removes its items.
func (t *Tenant) DeleteProject(ctx context.Context, p tracker.ProjectID) error {
	return definer(t.scope).redefineByJob(ctx,
		p, func(d *tracker.Definition, x *client.Transaction) (*tracker.Job, error) {
			d.Project.Deleted = true
			x.Delete(t.db.table, t.keys.ProjectKeyGuard(d.Project.Key), client.Condition{})
			x.Delete(t.db.table, t.keys.Counter(p), client.Condition{}) // so that there are no new issues
			return &tracker.Job{Kind: tracker.JobDeleteProject, Name: d.Project.Name}, nil
		})
}

// redefine changes a project or its fields in a transaction that also counts the project's version up, so
// that of two changes at the same time one sees the other: that is what keeps the number of fields within its
// limit.
func (t definer) redefine(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *client.Transaction) (*tracker.Project, error)) error {
	return t.redefineByJob(ctx, p, func(d *tracker.Definition, x *client.Transaction) (*tracker.Job, error) {
		project, err := change(d, x)
		if err == nil {
			version := d.Project.Version
			project.Version = version + 1 // as it will be, for who has made it
			d.Project = *project
			d.Project.Version = version
		}
		return nil, err
	})
}

// redefineByJob does the same where a job has to bring the issues up to the change. The job is there if and
// only if the change is made. change may alter the definition's project.
func (t definer) redefineByJob(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *client.Transaction) (*tracker.Job, error)) error {
	for try := 1; ; try++ {
		d, w, err := reader(t).readProject(ctx, p)
		if err != nil {
			return err
		}
		if d.Project.Deleted {
			return tracker.Missing("project")
		}
		var x client.Transaction
		job, err := change(d, &x)
		if err != nil {
			return err
		}
		if job != nil {
			if err := t.addJob(&x, d, w, job); err != nil {
				return err
			}
		}
		err = t.writeProject(ctx, &x, d)
		if job != nil && (err == nil || tracker.CodeOf(err) == tracker.Unavailable) { // then it may be there
			t.db.jobs.kick(scope(t), p)
		}
		if !errors.Is(err, errProjectChanged) {
			return err
		}
		if err := t.db.client.AfterConflict(ctx, try, err); err != nil {
			return err
		}
	}
}

// writeProject writes a project with what changes with it, and counts its version up;
// errProjectChanged when it is another one by now.
func (t definer) writeProject(ctx context.Context, x *client.Transaction, d *tracker.Definition) error {
	project := d.Project
	project.Version++
	x.Put(t.db.table, t.keys.EncodeProject(&project),
		client.MustHaveVersion(d.Project.Version, errProjectChanged))
	err := t.db.write(ctx, x)
	t.db.definitions.forget(t.keys.Project(project.ID))
	return err
}
