package definitions

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// ProjectList returns the list of the tenant's projects.
func (s *Store) ProjectList() store.List[tracker.ProjectID] {
	return store.List[tracker.ProjectID]{DB: s.t.DB, Partition: s.t.Keys.Projects(),
		Parse: s.t.Keys.ParseProject}
}

// Projects returns projects without their fields, in the order of ids, nil for those that do not exist.
func (s *Store) Projects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error) {
	all := s.projectKeys(ids)
	return store.DecodeAll(ctx, s.t.DB, all, store.Reading{}, func(m layout.Item) (*tracker.Project, error) {
		p, err := s.t.Keys.DecodeProject(m)
		if err != nil || p.Hidden() {
			return nil, err
		}
		return p, nil
	})
}

func (s *Store) projectKeys(ids []tracker.ProjectID) []layout.Key {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = s.t.Keys.ProjectItem(id)
		}
	}
	return all
}

// ProjectByKey returns the id of the project with a key, as stored in the guard of the key. The project may
// be in the trash. It returns NotFound if there is none.
func (s *Store) ProjectByKey(ctx context.Context, key string) (tracker.ProjectID, error) {
	if tracker.CheckProjectKey("", key) != nil { // the key of another item could be built from it (I1)
		return "", tracker.Missing("project")
	}
	found, err := s.t.Get(ctx, []layout.Key{s.t.Keys.ProjectKeyGuard(key)}, true)
	if err != nil {
		return "", err
	}
	if found[0] == nil {
		return "", tracker.Missing("project")
	}
	return tracker.ProjectID(layout.GetS(found[0], "owner")), nil
}

// CreateProject writes a new project with its number counter and the guard of its key. It returns Conflict if
// another project of the tenant has the key.
func (s *Store) CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	if err := store.CheckID("project", string(p.ID)); err != nil {
		return nil, err
	}
	if err := p.Check(nil); err != nil {
		return nil, err
	}
	return store.ApplyOnce(ctx, s.t, s.loadProject(ctx), func() (*tracker.Project, error) {
		return s.createProject(ctx, p)
	})
}

// loadProject returns a function that loads a project for store.ApplyOnce.
func (s *Store) loadProject(ctx context.Context) func(id string) (*tracker.Project, error) {
	return func(id string) (*tracker.Project, error) {
		d, err := s.Read(ctx, tracker.ProjectID(id))
		if err != nil {
			return nil, err
		}
		return &d.Project, nil
	}
}

func (s *Store) createProject(ctx context.Context, p tracker.Project) (*tracker.Project, error) {
	p.Tenant, p.Version, p.Created = s.t.ID, 1, s.t.Time()
	counter := layout.KeyItem(s.t.Keys.Counter(p.ID))
	counter["n"] = layout.N(0)
	var x client.Transaction
	x.Put(s.t.Table, s.t.Keys.EncodeProject(&p), client.MustNotExist(store.Taken("a project with this id")))
	x.Put(s.t.Table, counter, client.MustNotExist(store.Taken("a project with this id")))
	x.Put(s.t.Table, layout.Guard(s.t.Keys.ProjectKeyGuard(p.Key), string(p.ID)),
		client.MustNotExist(keyTaken(p.Key)))
	x.Check(s.t.Table, s.t.Keys.TenantItem(), client.MustBeActive())
	s.Record(&x, &p, p.Version, p.ChangesOf(nil))
	s.t.AddOnce(&x, string(p.ID))
	if err := s.t.Write(ctx, &x); err != nil {
		return nil, s.explainKey(ctx, p.Key, err)
	}
	s.forget(p.ID)
	return &p, nil
}

func keyTaken(key string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "key",
		Message: "the tenant has a project with the key " + key + " already"}
}

// explainKey returns err, or if a project in the trash is in conflict with a project that gets a key, an
// error that says so. An import derives the id of a project from its key.
func (s *Store) explainKey(ctx context.Context, key string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); !ok || e.Code != tracker.Conflict ||
		e.Path != "key" && e.Path != "" {
		return err
	}
	holder, failed := s.t.Get(ctx, []layout.Key{s.t.Keys.ProjectKeyGuard(key)}, true)
	if failed != nil || holder[0] == nil {
		return err
	}
	at := s.t.Keys.ProjectItem(tracker.ProjectID(layout.GetS(holder[0], "owner")))
	found, failed := store.DecodeAll(ctx, s.t.DB, []layout.Key{at}, store.Consistent,
		s.t.Keys.DecodeProject)
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
func (s *Store) UpdateProject(ctx context.Context, id tracker.ProjectID,
	change func(*tracker.Project) error) (*tracker.Project, error) {
	return store.ApplyOnce(ctx, s.t, s.loadProject(ctx), func() (*tracker.Project, error) {
		return s.updateProject(ctx, id, change)
	})
}

func (s *Store) updateProject(ctx context.Context, id tracker.ProjectID,
	change func(*tracker.Project) error) (*tracker.Project, error) {
	var changed tracker.Project
	err := s.Redefine(ctx, id, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
		old := d.Project
		changed = old
		changed.States = slices.Clone(old.States)
		invalid := change(&changed)
		changed.ID, changed.Tenant, changed.Version, changed.Moving = id, s.t.ID, old.Version, old.Moving
		changed.FieldIDs, changed.Changes = old.FieldIDs, old.Changes
		if err := tracker.Join(invalid, changed.Check(&old)); err != nil {
			return nil, err
		}
		job, err := changedStates(&old, &changed)
		if err != nil {
			return nil, err
		}
		if changed.Key != old.Key {
			x.Delete(s.t.Table, s.t.Keys.ProjectKeyGuard(old.Key), client.Condition{})
			x.Put(s.t.Table, layout.Guard(s.t.Keys.ProjectKeyGuard(changed.Key), string(id)),
				client.MustNotExist(keyTaken(changed.Key)))
		}
		s.t.AddOnce(&x.Transaction, string(id))
		x.parts = changed.ChangesOf(&old)
		d.Project = changed
		changed.Version++ // as WriteProject stores it
		changed.Changes++ // likewise
		return job, nil
	})
	return &changed, s.explainKey(ctx, changed.Key, err)
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
	return rebuild(old.Rebuild, &changed.Rebuild, moved, tracker.JobMergeStates, tracker.JobMoveStates), nil
}
