package dynamo

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// CreateTenant writes a new tenant. It returns Conflict if the id is in use, or another tenant has a name
// that people do not tell apart from this one.
func (db *DB) CreateTenant(ctx context.Context, t tracker.Tenant) error {
	if err := checkID("tenant", string(t.ID)); err != nil {
		return err
	}
	if err := tracker.CheckName("name", t.Name); err != nil {
		return err
	}
	var x client.Transaction
	x.Put(db.table, layout.EncodeTenant(t), client.MustNotExist(&tracker.Error{Code: tracker.Conflict,
		Path: "claim", Message: "another tenant has the claim " + strconv.Quote(string(t.ID))}))
	x.Put(db.table, layout.Guard(layout.TenantNameGuard(t.Name), string(t.ID)),
		client.MustNotExist(tenantNameTaken(t.Name)))
	return db.write(ctx, &x)
}

func tenantNameTaken(name string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "name", Message: "another tenant has the name " +
		strconv.Quote(name) + ", or one that differs only in case, accents or spaces"}
}

// RenameTenant changes the name of a tenant. It returns Conflict if another tenant has a name that people do
// not tell apart from the new one.
func (db *DB) RenameTenant(ctx context.Context, id tracker.TenantID, name string) (*tracker.Tenant, error) {
	if err := tracker.CheckName("name", name); err != nil {
		return nil, err
	}
	renamed := tracker.Tenant{ID: id, Name: name}
	err := db.changeTenant(ctx, id, func(old *tracker.Tenant, unchanged client.Condition) (client.Transaction,
		error) {
		var x client.Transaction
		x.Put(db.table, layout.EncodeTenant(renamed), unchanged)
		err := moveNameGuard(ctx, db, &x, id, old.Name, name)
		return x, err
	})
	return &renamed, err
}

// DeleteTenant deletes a tenant. It is not found and its name is available immediately. A job removes its
// items. confirm is called with the tenant, and nothing is deleted if it returns an error.
func (db *DB) DeleteTenant(ctx context.Context, id tracker.TenantID,
	confirm func(*tracker.Tenant) error) error {
	err := db.changeTenant(ctx, id, func(old *tracker.Tenant, unchanged client.Condition) (client.Transaction,
		error) {
		var x client.Transaction
		if err := confirm(old); err != nil {
			return x, err
		}
		deleted := *old
		deleted.Deleted = db.time()
		x.Put(db.table, layout.EncodeTenant(deleted), unchanged)
		guards, err := db.batchGet(ctx, []layout.Key{layout.TenantNameGuard(old.Name)}, true)
		if err != nil {
			return x, err
		}
		releaseName(db, &x, guards[0], id)
		return x, nil
	})
	if err != nil {
		return err
	}
	t, err := db.Tenant(id)
	if err == nil {
		kickRemoval(t.scope)
	}
	return err
}

// changeTenant makes a transaction that changes a tenant, on condition that its item is unchanged. If it was
// changed meanwhile, it makes another one.
func (db *DB) changeTenant(ctx context.Context, id tracker.TenantID, change func(old *tracker.Tenant,
	unchanged client.Condition) (client.Transaction, error)) error {
	t, err := db.Tenant(id)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		old, err := t.Get(ctx)
		if err != nil {
			return err
		}
		unchanged := client.Unchanged(layout.EncodeTenant(*old), errTenantChanged, "name", "deleted")
		x, err := change(old, unchanged)
		if err != nil {
			return err
		}
		if err = db.write(ctx, &x); !errors.Is(err, errTenantChanged) {
			return err
		}
		if err := db.client.AfterConflict(ctx, try, err); err != nil {
			return err
		}
	}
}

var errTenantChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "another request is changing the tenant; try again"}

// moveNameGuard adds to a transaction that the tenant has the guard of its new name instead of that of the
// old one. The tenant may lack the latter.
func moveNameGuard(ctx context.Context, db *DB, x *client.Transaction, id tracker.TenantID, old,
	new string) error {
	from, to := layout.TenantNameGuard(old), layout.TenantNameGuard(new)
	guards, err := db.batchGet(ctx, []layout.Key{to, from}, true)
	if err != nil {
		return err
	}
	if guards[0] == nil {
		x.Put(db.table, layout.Guard(to, string(id)), client.MustNotExist(tenantNameTaken(new)))
	} else if layout.GetS(guards[0], "owner") != string(id) {
		return tenantNameTaken(new)
	}
	if from != to {
		releaseName(db, x, guards[1], id)
	}
	return nil
}

// releaseName adds to a transaction that a guard is removed. It does nothing if the guard is nil, or is that
// of another tenant.
func releaseName(db *DB, x *client.Transaction, guard layout.Item, id tracker.TenantID) {
	if layout.GetS(guard, "owner") == string(id) {
		x.Delete(db.table, layout.KeyOf(guard), client.Unchanged(guard, errTenantChanged, "owner"))
	}
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
	return applyOnce(ctx, t.scope, reader(t.scope).loadProject(ctx), func() (*tracker.Project, error) {
		return definer(t.scope).createProject(ctx, p)
	})
}

// loadProject returns a function that loads a project for applyOnce.
func (t reader) loadProject(ctx context.Context) func(id string) (*tracker.Project, error) {
	return func(id string) (*tracker.Project, error) {
		d, err := t.readDefinition(ctx, tracker.ProjectID(id))
		if err != nil {
			return nil, err
		}
		return &d.Project, nil
	}
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
	x.Check(t.db.table, t.keys.TenantItem(), client.MustBeActive())
	t.record(&x, &p, p.Version, p.ChangesOf(nil))
	idempotency(t).addTo(&x, string(p.ID))
	if err := t.db.write(ctx, &x); err != nil {
		return nil, t.explainKey(ctx, p.Key, err)
	}
	t.db.definitions.forget(t.keys.Project(p.ID))
	return &p, nil
}

func keyTaken(key string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "key",
		Message: "the tenant has a project with the key " + key + " already"}
}

// explainKey returns err, or if a project in the trash is in conflict with a project that gets a key, an
// error that says so. An import derives the id of a project from its key.
func (t definer) explainKey(ctx context.Context, key string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); !ok || e.Code != tracker.Conflict ||
		e.Path != "key" && e.Path != "" {
		return err
	}
	holder, failed := t.db.batchGet(ctx, []layout.Key{t.keys.ProjectKeyGuard(key)}, true)
	if failed != nil || holder[0] == nil {
		return err
	}
	at := t.keys.ProjectItem(tracker.ProjectID(layout.GetS(holder[0], "owner")))
	found, failed := decodeAll(ctx, t.db, []layout.Key{at}, reading{consistent: true}, t.keys.DecodeProject)
	if failed != nil || found[0] == nil || found[0].Trash == nil {
		return err
	}
	return &tracker.Error{Code: tracker.Conflict, Path: "key", Message: "the project " +
		strconv.Quote(found[0].Name) + " in the trash has the key " + key +
		"; restore it, or delete it permanently"}
}

// UpdateProject reads a project, calls change to modify it, and writes it. It starts over on a conflict with
// another change. The id cannot be changed. States can be added, changed, moved and merged, by the methods of
// tracker.Project. If issues must be updated, a job does so; readers see the change immediately. If change
// returns invalid inputs, UpdateProject adds those that it finds itself.
func (t *Tenant) UpdateProject(ctx context.Context, id tracker.ProjectID,
	change func(*tracker.Project) error) (*tracker.Project, error) {
	return applyOnce(ctx, t.scope, reader(t.scope).loadProject(ctx), func() (*tracker.Project, error) {
		return definer(t.scope).updateProject(ctx, id, change)
	})
}

func (t definer) updateProject(ctx context.Context, id tracker.ProjectID,
	change func(*tracker.Project) error) (*tracker.Project, error) {
	var changed tracker.Project
	err := t.redefine(ctx, id, func(d *tracker.Definition, x *redefinition) (*tracker.Job, error) {
		old := d.Project
		changed = old
		changed.States = slices.Clone(old.States)
		invalid := change(&changed)
		changed.ID, changed.Tenant, changed.Version, changed.Moving = id, t.id, old.Version, old.Moving
		changed.FieldIDs = old.FieldIDs
		if err := tracker.Join(invalid, changed.Check(&old)); err != nil {
			return nil, err
		}
		job, err := changedStates(&old, &changed)
		if err != nil {
			return nil, err
		}
		if changed.Key != old.Key {
			x.Delete(t.db.table, t.keys.ProjectKeyGuard(old.Key), client.Condition{})
			x.Put(t.db.table, layout.Guard(t.keys.ProjectKeyGuard(changed.Key), string(id)),
				client.MustNotExist(keyTaken(changed.Key)))
		}
		idempotency(t).addTo(&x.Transaction, string(id))
		x.parts = changed.ChangesOf(&old)
		d.Project = changed
		changed.Version++ // as writeProject stores it
		return job, nil
	})
	return &changed, t.explainKey(ctx, changed.Key, err)
}

// changedStates is like changedOptions, for the states of a project.
func changedStates(old, changed *tracker.Project) (*tracker.Job, error) {
	moved, err := tracker.KeepStates(old, changed)
	if err != nil {
		return nil, err
	}
	for i, s := range changed.States {
		if _, merged := old.Merged[s.ID]; merged {
			return nil, beingReplaced("states["+strconv.Itoa(i)+"]", "a state", s.ID)
		}
	}
	changed.Moving = old.Moving || moved
	switch {
	case len(changed.Merged) > len(old.Merged):
		return &tracker.Job{Kind: tracker.JobMergeStates}, nil
	case moved:
		return &tracker.Job{Kind: tracker.JobMoveStates}, nil
	}
	return nil, nil
}

// redefinition is a change of a definition that is about to be written.
type redefinition struct {
	client.Transaction
	parts []tracker.PartChange // for the history of the project
}

// record adds an entry to the history of a project, for the version that a change creates. Each version has
// at most one, which no other writer can have written.
func (t definer) record(x *client.Transaction, p *tracker.Project, version int64,
	parts []tracker.PartChange) {
	if len(parts) == 0 {
		return
	}
	c := &tracker.ProjectChange{Version: version, At: t.db.time(), By: t.by}
	c.SetParts(parts)
	m := layout.HistoryOf(t.keys, p.ID).Encode(c)
	m[layout.AttrExpires] = t.db.expiry(t.db.keepHistory)
	x.Put(t.db.table, m, client.Condition{})
}

// redefine changes a project or its fields in a transaction that increments the project's version. So
// concurrent changes conflict, which also enforces the limit on the number of fields. change may modify the
// definition's project. If it returns a job, which updates the issues, the job is created in the same
// transaction, and so is the entry of the project's history.
func (t definer) redefine(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *redefinition) (*tracker.Job, error)) error {
	return t.redefineAny(ctx, p, func(d *tracker.Definition, x *redefinition) (*tracker.Job, error) {
		if d.Project.Trash != nil {
			return nil, tracker.Missing("project")
		}
		return change(d, x)
	})
}

// redefineAny is redefine, also for a project in the trash.
func (t definer) redefineAny(ctx context.Context, p tracker.ProjectID,
	change func(*tracker.Definition, *redefinition) (*tracker.Job, error)) error {
	for try := 1; ; try++ {
		d, w, err := reader(t).readProject(ctx, p)
		if err != nil {
			return err
		}
		if d.Project.Deleted {
			return tracker.Missing("project")
		}
		var x redefinition
		job, err := change(d, &x)
		if err != nil {
			return err
		}
		if job != nil {
			if err := t.addJob(&x.Transaction, d, w, job); err != nil {
				return err
			}
		}
		t.record(&x.Transaction, &d.Project, d.Project.Version+1, x.parts)
		err = t.writeProject(ctx, &x.Transaction, d)
		// after Unavailable the job may have been created
		if job != nil && (err == nil || tracker.CodeOf(err) == tracker.Unavailable) {
			kickJobs(scope(t), p)
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
