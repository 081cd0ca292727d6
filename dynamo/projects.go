package dynamo

import (
	"context"

	"issuegrid/tracker"
)

// CreateTenant writes a new tenant. Conflict if there is one with this id.
func (db *DB) CreateTenant(ctx context.Context, t tracker.Tenant) error {
	if err := tracker.CheckName("name", t.Name); err != nil {
		return err
	}
	var x transaction
	x.put(db, encodeTenant(t), mustNotExist(taken("a tenant with this id")))
	return db.write(ctx, &x)
}

// Rename gives the tenant another name.
func (t *Tenant) Rename(ctx context.Context, name string) (*tracker.Tenant, error) {
	if err := tracker.CheckName("name", name); err != nil {
		return nil, err
	}
	renamed := tracker.Tenant{ID: t.id, Name: name}
	var x transaction
	x.put(t.db, encodeTenant(renamed), mustExist(tracker.Missing("tenant")))
	return &renamed, t.db.write(ctx, &x)
}

func taken(what string) error {
	return &tracker.Error{Code: tracker.Conflict, Message: "there is " + what + " already"}
}

// CreateProject writes a new project with its number counter and the guard of its key. Conflict if the key is taken in the tenant.
func (t *Tenant) CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	p.Tenant, p.Version = t.id, 1
	counter := keyItem(t.keys.counter(p.ID))
	counter["n"] = avN(0)
	var x transaction
	x.put(t.db, t.keys.encodeProject(&p), mustNotExist(taken("a project with this id")))
	x.put(t.db, counter, mustNotExist(taken("a project with this id")))
	x.put(t.db, t.guard(p.Key, p.ID), mustNotExist(keyTaken(p.Key)))
	t.mustExist(&x)
	if err := t.db.write(ctx, &x); err != nil {
		return nil, err
	}
	t.db.definitions.forget(t.keys.project(p.ID))
	return &p, nil
}

func (t *Tenant) guard(projectKey string, owner tracker.ProjectID) item {
	m := keyItem(t.keys.projectKeyGuard(projectKey))
	m["owner"] = avS(string(owner))
	return m
}

func keyTaken(key string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "key", Message: "the tenant has a project with the key " + key + " already"}
}

// UpdateProject reads the project, lets change alter it, and writes it, again from the start when somebody else was faster.
// The id cannot be changed.
func (t *Tenant) UpdateProject(ctx context.Context, id tracker.ProjectID, change func(*tracker.Project) error) (*tracker.Project, error) {
	var changed tracker.Project
	err := t.redefine(ctx, id, func(d *tracker.Definition, x *transaction) (*tracker.Project, error) {
		changed = d.Project
		if err := change(&changed); err != nil {
			return nil, err
		}
		if err := changed.Check(); err != nil {
			return nil, err
		}
		if err := tracker.KeepStates(d.Project.States, changed.States); err != nil {
			return nil, err
		}
		if old := d.Project.Key; changed.Key != old {
			x.delete(t.db, t.keys.projectKeyGuard(old), condition{})
			x.put(t.db, t.guard(changed.Key, id), mustNotExist(keyTaken(changed.Key)))
		}
		return &changed, nil
	})
	return &changed, err
}

// CreateField adds a custom field to a project. Its name must be new there; a position of 0 puts it last.
func (t *Tenant) CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field, error) {
	err := t.redefine(ctx, p, func(d *tracker.Definition, x *transaction) (*tracker.Project, error) {
		if d.Field(f.ID) != nil {
			return nil, taken("a field with this id")
		}
		if f.Position == 0 {
			f.Position = 1
			if n := len(d.Fields); n > 0 {
				f.Position = d.Fields[n-1].Position + 1
			}
		}
		if err := d.CheckField(&f); err != nil {
			return nil, err
		}
		x.put(t.db, t.keys.encodeField(p, &f), mustNotExist(taken("a field with this id")))
		project := d.Project
		return &project, nil
	})
	return &f, err
}

// UpdateField reads a field, lets change alter it, and writes it, again from the start when somebody else was faster. The id
// and the type cannot be changed, and options can be renamed and added at the end only, because the index holds their places.
func (t *Tenant) UpdateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, change func(*tracker.Field) error) (*tracker.Field, error) {
	var changed tracker.Field
	err := t.redefine(ctx, p, func(d *tracker.Definition, x *transaction) (*tracker.Project, error) {
		old := d.Field(id)
		if old == nil {
			return nil, tracker.Missing("field")
		}
		changed = *old
		changed.Options = append([]tracker.Option(nil), old.Options...)
		if err := change(&changed); err != nil {
			return nil, err
		}
		if changed.Type != old.Type {
			return nil, tracker.Bad("type", "the type of a field cannot be changed")
		}
		if err := tracker.KeepOptions(old.Options, changed.Options); err != nil {
			return nil, err
		}
		if err := d.CheckField(&changed); err != nil {
			return nil, err
		}
		x.put(t.db, t.keys.encodeField(p, &changed), mustExist(tracker.Missing("field")))
		project := d.Project
		return &project, nil
	})
	return &changed, err
}

// redefine changes a project or its fields in a transaction that also counts the project's version up, so that of two changes at the
// same time one sees the other: that is what keeps field names unique and their number within its limit.
func (t *Tenant) redefine(ctx context.Context, p tracker.ProjectID, change func(*tracker.Definition, *transaction) (*tracker.Project, error)) error {
	for try := 1; ; try++ {
		d, err := t.readDefinition(ctx, p)
		if err != nil {
			return err
		}
		var x transaction
		project, err := change(d, &x)
		if err != nil {
			return err
		}
		project.Version = d.Project.Version + 1
		raced := &tracker.Error{Code: tracker.Conflict, Message: "somebody else is changing the project; try again"}
		x.put(t.db, t.keys.encodeProject(project), mustHaveVersion(d.Project.Version, raced))
		err = t.db.write(ctx, &x)
		t.db.definitions.forget(t.keys.project(p))
		if err != error(raced) || try > maxRetries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}
