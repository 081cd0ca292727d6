package dynamo

import (
	"context"
	"errors"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// CreateTenant writes a new tenant. It returns Conflict if the id is in use.
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

// Rename changes the name of the tenant.
func (t *Tenant) Rename(ctx context.Context, name string) (*tracker.Tenant, error) {
	if err := tracker.CheckName("name", name); err != nil {
		return nil, err
	}
	renamed := tracker.Tenant{ID: t.id, Name: name}
	var x client.Transaction
	x.Put(t.db.table, layout.EncodeTenant(renamed), client.MustExist(tracker.Missing("tenant")))
	return &renamed, t.db.write(ctx, &x)
}

// checkID rejects an id that contains separators, from which the key of another item could be built (I1).
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

// CreateProject writes a new project with its number counter and the guard of its key. It returns Conflict if
// another project of the tenant has the key.
func (t *Tenant) CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	if err := checkID("project", string(p.ID)); err != nil {
		return nil, err
	}
	if err := p.Check(nil); err != nil {
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

// UpdateProject reads a project, calls change to modify it, and writes it. It starts over on a conflict with
// another change. The id cannot be changed. If change returns invalid inputs, UpdateProject adds those that
// it finds itself.
func (t *Tenant) UpdateProject(ctx context.Context, id tracker.ProjectID,
	change func(*tracker.Project) error) (*tracker.Project, error) {
	var changed tracker.Project
	err := definer(t.scope).redefine(ctx,
		id, func(d *tracker.Definition, x *client.Transaction) (*tracker.Project, error) {
			changed = d.Project
			changed.States = slices.Clone(d.Project.States)
			invalid := change(&changed)
			changed.ID, changed.Tenant = id, t.id
			if err := tracker.Join(invalid, changed.Check(&d.Project)); err != nil {
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

// DeleteProject deletes a project and all its items. The project is not found and its key is available
// immediately. A job removes the items.
func (t *Tenant) DeleteProject(ctx context.Context, p tracker.ProjectID) error {
	return definer(t.scope).redefineByJob(ctx,
		p, func(d *tracker.Definition, x *client.Transaction) (*tracker.Job, error) {
			d.Project.Deleted = true
			x.Delete(t.db.table, t.keys.ProjectKeyGuard(d.Project.Key), client.Condition{})
			x.Delete(t.db.table, t.keys.Counter(p), client.Condition{}) // so that no issues can be created
			return &tracker.Job{Kind: tracker.JobDeleteProject, Name: d.Project.Name}, nil
		})
}

// redefine changes a project or its fields in a transaction that increments the project's version. So
// concurrent changes conflict, which also enforces the limit on the number of fields.
func (t definer) redefine(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *client.Transaction) (*tracker.Project, error)) error {
	return t.redefineByJob(ctx, p, func(d *tracker.Definition, x *client.Transaction) (*tracker.Job, error) {
		project, err := change(d, x)
		if err == nil {
			version := d.Project.Version
			project.Version = version + 1 // the version that the caller of UpdateProject receives
			d.Project = *project
			d.Project.Version = version
		}
		return nil, err
	})
}

// redefineByJob is redefine for a change that requires a job to update the issues. The job is created in the
// transaction of the change. change may modify the definition's project.
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
		// after Unavailable the job may have been created
		if job != nil && (err == nil || tracker.CodeOf(err) == tracker.Unavailable) {
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

// writeProject writes a project together with the writes of x, and increments its version. It returns
// errProjectChanged if the stored version is another one.
func (t definer) writeProject(ctx context.Context, x *client.Transaction, d *tracker.Definition) error {
	project := d.Project
	project.Version++
	x.Put(t.db.table, t.keys.EncodeProject(&project),
		client.MustHaveVersion(d.Project.Version, errProjectChanged))
	err := t.db.write(ctx, x)
	t.db.definitions.forget(t.keys.Project(project.ID))
	return err
}
