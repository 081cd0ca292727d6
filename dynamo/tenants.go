package dynamo

import (
	"bytes"
	"context"
	"strconv"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/runner"
	"issuegrid/tracker"
)

// CreateTenant writes a new tenant. It returns Conflict if a tenant has the id or had it before it was
// deleted, or another tenant has a name that people do not tell apart from this one.
func (db *DB) CreateTenant(ctx context.Context, t tracker.Tenant) error {
	_, err := db.NewTenant(ctx, t)
	return err
}

// NewTenant is CreateTenant, and returns the tenant.
func (db *DB) NewTenant(ctx context.Context, t tracker.Tenant) (*tracker.Tenant, error) {
	if err := store.CheckID("tenant", string(t.ID)); err != nil {
		return nil, err
	}
	if err := tracker.CheckName("name", t.Name); err != nil {
		return nil, err
	}
	return store.ApplyOnce(ctx, db.operators(), db.loadTenant(ctx), func() (*tracker.Tenant, error) {
		return &t, db.createTenant(ctx, t)
	})
}

// loadTenant returns a function that loads a tenant for store.ApplyOnce.
func (db *DB) loadTenant(ctx context.Context) func(id string) (*tracker.Tenant, error) {
	return func(id string) (*tracker.Tenant, error) {
		t, err := db.Tenant(tracker.TenantID(id))
		if err != nil {
			return nil, err
		}
		return t.Get(ctx)
	}
}

// Once returns a handle for one creation, change or deletion of a tenant. It is like Tenant.Once.
func (db *DB) Once(o tracker.Once) *DB {
	with := *db
	with.once = &o
	return &with
}

// operators returns the handle for the items that are not those of a tenant.
func (db *DB) operators() *store.Tenant { return &store.Tenant{DB: db.store, Once: db.once} }

func (db *DB) createTenant(ctx context.Context, t tracker.Tenant) error {
	var x client.Transaction
	x.Put(db.store.Table, layout.EncodeTenant(t), client.MustNotExist(&tracker.Error{Code: tracker.Conflict,
		Path: "claim", Message: "another tenant has or had the claim " + strconv.Quote(string(t.ID)) +
			"; the claim of a deleted tenant is not used again"}))
	x.Put(db.store.Table, layout.Guard(layout.TenantNameGuard(t.Name), string(t.ID)),
		client.MustNotExist(tenantNameTaken(t.Name)))
	db.operators().AddOnce(&x, string(t.ID))
	return db.store.Write(ctx, &x)
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
	return store.ApplyOnce(ctx, db.operators(), db.loadTenant(ctx), func() (*tracker.Tenant, error) {
		return db.renameTenant(ctx, id, name)
	})
}

func (db *DB) renameTenant(ctx context.Context, id tracker.TenantID, name string) (*tracker.Tenant, error) {
	renamed := tracker.Tenant{ID: id, Name: name}
	err := db.changeTenant(ctx, id, func(old *tracker.Tenant, unchanged client.Condition) (client.Transaction,
		error) {
		var x client.Transaction
		x.Put(db.store.Table, layout.EncodeTenant(renamed), unchanged)
		db.operators().AddOnce(&x, string(id))
		err := moveNameGuard(ctx, db, &x, id, old.Name, name)
		return x, err
	})
	return &renamed, err
}

// DeleteTenant deletes a tenant. It is not found and its name is available immediately. A job removes its
// items. confirm is called with the tenant, and nothing is deleted if it returns an error.
func (db *DB) DeleteTenant(ctx context.Context, id tracker.TenantID,
	confirm func(*tracker.Tenant) error) error {
	return store.DoOnce(ctx, db.operators(), func() error { return db.deleteTenant(ctx, id, confirm) })
}

func (db *DB) deleteTenant(ctx context.Context, id tracker.TenantID,
	confirm func(*tracker.Tenant) error) error {
	err := db.changeTenant(ctx, id, func(old *tracker.Tenant, unchanged client.Condition) (client.Transaction,
		error) {
		var x client.Transaction
		if err := confirm(old); err != nil {
			return x, err
		}
		deleted := *old
		deleted.Deleted = db.store.Time()
		x.Put(db.store.Table, layout.EncodeTenant(deleted), unchanged)
		db.operators().AddOnce(&x, string(id))
		guards, err := db.store.Get(ctx, []layout.Key{layout.TenantNameGuard(old.Name)}, true)
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
		db.jobs.Remove(t.inside.Tenant)
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
	return db.store.Again(ctx, errTenantChanged, func() error {
		old, err := t.Get(ctx)
		if err != nil {
			return err
		}
		unchanged := client.Unchanged(layout.EncodeTenant(*old), errTenantChanged, "name", "deleted")
		x, err := change(old, unchanged)
		if err != nil {
			return err
		}
		return db.store.Write(ctx, &x)
	})
}

var errTenantChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "another request is changing the tenant; try again"}

// moveNameGuard adds to a transaction that the tenant has the guard of its new name instead of that of the
// old one. The tenant may lack the latter.
func moveNameGuard(ctx context.Context, db *DB, x *client.Transaction, id tracker.TenantID, old,
	new string) error {
	from, to := layout.TenantNameGuard(old), layout.TenantNameGuard(new)
	guards, err := db.store.Get(ctx, []layout.Key{to, from}, true)
	if err != nil {
		return err
	}
	if guards[0] == nil {
		x.Put(db.store.Table, layout.Guard(to, string(id)), client.MustNotExist(tenantNameTaken(new)))
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
		x.Delete(db.store.Table, layout.KeyOf(guard), client.Unchanged(guard, errTenantChanged, "owner"))
	}
}

// TenantList returns the list of all tenants. At its end, it also has those that were deleted, until all of
// their items are removed; Tenants returns nil for them.
func (db *DB) TenantList() List[tracker.TenantID] {
	return List[tracker.TenantID]{DB: db.store, Partition: layout.TenantsPartition, Parse: layout.ParseTenant,
		End: layout.DeletedTenants}
}

// EachTenant calls each with the ids of all tenants, also of deleted ones, until it returns an error.
func (db *DB) EachTenant(ctx context.Context, each func(id tracker.TenantID, deleted bool) error) error {
	return db.TenantList().Each(ctx, 100, func(page []store.Listed[tracker.TenantID]) error {
		for _, found := range page {
			if err := each(found.ID, bytes.HasPrefix(found.Position, layout.DeletedTenants())); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tenants returns tenants in the order of ids, nil for those that do not exist.
func (db *DB) Tenants(ctx context.Context, ids []tracker.TenantID) ([]*tracker.Tenant, error) {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = layout.Keys{Tenant: id}.TenantItem()
		}
	}
	return store.DecodeAll(ctx, db.store, all, store.Reading{}, layout.DecodeActiveTenant)
}

// Get returns the tenant. It returns NotFound if it does not exist.
func (t *Tenant) Get(ctx context.Context) (*tracker.Tenant, error) {
	found, err := store.DecodeAll(ctx, t.inside.DB, []layout.Key{t.inside.Keys.TenantItem()},
		store.Consistent, layout.DecodeActiveTenant)
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, tracker.Missing("tenant")
	}
	return found[0], nil
}

// RunJobs runs jobs in this process until ctx is canceled: jobs started by changes in this process, abandoned
// jobs of projects that are read, and those found by a regular search. A job that fails is passed to failed
// and retried. The returned function waits until all jobs have stopped.
func (db *DB) RunJobs(ctx context.Context, failed func(error)) (ended func()) {
	return db.jobs.Run(ctx, func(ctx context.Context) error { return db.findJobs(ctx, failed) }, failed)
}

// ErrJobsNotFound reports that the search for open jobs failed. Jobs that are already running continue.
var ErrJobsNotFound = runner.ErrSearch

// findJobs searches all tenants for open jobs, and for projects that must be removed from the trash.
func (db *DB) findJobs(ctx context.Context, failed func(error)) error {
	return db.EachTenant(ctx, func(id tracker.TenantID, deleted bool) error {
		t, err := db.Tenant(id)
		if err != nil {
			return err
		}
		return db.jobs.Find(ctx, t.inside.Tenant, deleted, failed)
	})
}
