package dynamo

import (
	"context"
	"slices"

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

// checkID refuses an id with separators in it, from which the key of something else could be built (I1).
func checkID(what, id string) error {
	if !tracker.ValidID(id) {
		return tracker.Bad("id", "the id of a new %s is 1 to %d of a-z and 0-9; got %q", what, tracker.MaxID, id)
	}
	return nil
}

func taken(what string) error {
	return &tracker.Error{Code: tracker.Conflict, Message: "there is " + what + " already"}
}

// CreateProject writes a new project with its number counter and the guard of its key. Conflict if the key is taken in the tenant.
func (t *Tenant) CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	if err := checkID("project", string(p.ID)); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if made, ok, err := t.madeBefore(ctx); err != nil {
		return nil, err
	} else if ok {
		d, err := t.readDefinition(ctx, tracker.ProjectID(made))
		if err != nil {
			return nil, err
		}
		return &d.Project, nil
	}
	p.Tenant, p.Version = t.id, 1
	counter := keyItem(t.keys.counter(p.ID))
	counter["n"] = avN(0)
	var x transaction
	x.put(t.db, t.keys.encodeProject(&p), mustNotExist(taken("a project with this id")))
	x.put(t.db, counter, mustNotExist(taken("a project with this id")))
	x.put(t.db, t.guard(p.Key, p.ID), mustNotExist(keyTaken(p.Key)))
	t.mustExist(&x)
	t.onceInto(&x, string(p.ID))
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
			x.delete(t.db, t.keys.projectKeyGuard(old), condition{})
			x.put(t.db, t.guard(changed.Key, id), mustNotExist(keyTaken(changed.Key)))
		}
		return &changed, nil
	})
	return &changed, err
}

// CreateField adds a custom field to a project. Its name must be new there; a position of 0 puts it last.
func (t *Tenant) CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field, error) {
	var created tracker.Field
	if made, ok, err := t.madeBefore(ctx); err != nil {
		return nil, err
	} else if ok {
		d, err := t.readDefinition(ctx, p)
		if err != nil {
			return nil, err
		}
		if f := d.Field(tracker.FieldID(made)); f != nil {
			return f, nil
		}
		return nil, tracker.Missing("field; it was made before, and deleted after it")
	}
	err := t.redefine(ctx, p, func(d *tracker.Definition, x *transaction) (*tracker.Project, error) {
		created = f
		if d.Field(created.ID) != nil {
			return nil, taken("a field with this id")
		}
		if created.Position == 0 {
			created.Position = 1
			if n := len(d.Fields); n > 0 {
				created.Position = d.Fields[n-1].Position + 1
			}
		}
		if err := checkField(d, &created); err != nil {
			return nil, err
		}
		x.put(t.db, t.keys.encodeField(p, &created), mustNotExist(taken("a field with this id")))
		t.onceInto(x, string(created.ID))
		project := d.Project
		return &project, nil
	})
	return &created, err
}

// checkField checks a definition, and the ids from which keys are built.
func checkField(d *tracker.Definition, f *tracker.Field) error {
	if !f.ID.Valid() {
		return tracker.Bad("id", "the id of a field is 1 to %d of a-z and 0-9, and not the name of a built-in column; got %q", tracker.MaxID, f.ID)
	}
	seen := make(map[tracker.OptionID]bool, len(f.Options))
	for _, o := range f.Options {
		if !tracker.ValidID(string(o.ID)) || seen[o.ID] {
			return tracker.Bad("options", "the id of an option is 1 to %d of a-z and 0-9, and its own; got %q", tracker.MaxID, o.ID)
		}
		seen[o.ID] = true
	}
	return d.CheckField(f)
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
		changed.Options = slices.Clone(old.Options)
		if err := change(&changed); err != nil {
			return nil, err
		}
		changed.ID = id
		if changed.Type != old.Type {
			return nil, tracker.Bad("type", "the type of a field cannot be changed")
		}
		if err := tracker.KeepOptions(old.Options, changed.Options); err != nil {
			return nil, err
		}
		if err := checkField(d, &changed); err != nil {
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
