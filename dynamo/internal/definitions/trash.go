package definitions

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// TrashProject moves a project to the trash, from which RestoreProject can restore it within
// KeepTrash. It is not found until then, and keeps its key. Its open jobs continue.
func (s *Store) TrashProject(ctx context.Context, p tracker.ProjectID,
	confirm func(*tracker.Project) error) (*tracker.Project, error) {
	return store.ApplyOnce(ctx, s.t, s.loadHidden(ctx, p), func() (*tracker.Project, error) {
		var trashed tracker.Project
		err := s.Redefine(ctx, p,
			func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
				if err := confirmed(confirm, &d.Project); err != nil {
					return nil, err
				}
				now := s.t.Time()
				d.Project.Trash = &tracker.ProjectTrash{At: now, By: s.t.By, Purge: now.Add(s.t.KeepTrash)}
				x.Put(s.t.Table, layout.EncodeDeletedProject(s.t.Keys, &d.Project), client.Condition{})
				x.parts = []tracker.PartChange{{Change: tracker.PartDeleted, Part: tracker.PartProject,
					Name: d.Project.Name}}
				s.t.AddOnce(&x.Transaction, string(p))
				trashed = d.Project
				return nil, nil
			})
		return &trashed, err
	})
}

// loadHidden returns a function that loads a deleted project for store.ApplyOnce. A project that does not
// exist has only its id.
func (s *Store) loadHidden(ctx context.Context, p tracker.ProjectID) func(string) (*tracker.Project,
	error) {
	return func(string) (*tracker.Project, error) {
		d, _, err := s.ReadAny(ctx, p)
		if tracker.CodeOf(err) == tracker.NotFound {
			return &tracker.Project{ID: p}, nil
		}
		if err != nil {
			return nil, err
		}
		return &d.Project, nil
	}
}

// RestoreProject restores a project from the trash. It returns NotFound if the project is not there.
func (s *Store) RestoreProject(ctx context.Context, p tracker.ProjectID) (*tracker.Project, error) {
	return store.ApplyOnce(ctx, s.t, s.loadProject(ctx), func() (*tracker.Project, error) {
		var restored tracker.Project
		err := s.redefineAny(ctx, p,
			func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
				if t := d.Project.Trash; t == nil || !t.Purge.After(s.t.Now()) {
					return nil, tracker.Missing("project in the trash")
				}
				d.Project.Trash = nil
				x.Delete(s.t.Table, layout.DeletedProject(s.t.Keys, p), client.Condition{})
				x.parts = []tracker.PartChange{{Change: tracker.PartRestored, Part: tracker.PartProject,
					Name: d.Project.Name}}
				s.t.AddOnce(&x.Transaction, string(p))
				restored = d.Project
				restored.Version++ // as WriteProject stores it
				restored.Changes++ // likewise
				return nil, nil
			})
		return &restored, err
	})
}

// DeleteProject permanently deletes a project, also one in the trash. The project is not found and its key is
// available immediately. A job removes its items. Nothing is deleted if confirm returns an error; it can be
// nil.
func (s *Store) DeleteProject(ctx context.Context, p tracker.ProjectID,
	confirm func(*tracker.Project) error) error {
	_, err := store.ApplyOnce(ctx, s.t, s.loadHidden(ctx, p), func() (*tracker.Project, error) {
		return nil, s.deleteProject(ctx, p, confirm)
	})
	return err
}

func (s *Store) deleteProject(ctx context.Context, p tracker.ProjectID,
	confirm func(*tracker.Project) error) error {
	return s.redefineAny(ctx, p, func(d *tracker.Definition, x *Redefinition) (*tracker.Job, error) {
		if err := confirmed(confirm, &d.Project); err != nil {
			return nil, err
		}
		if d.Project.Trash != nil {
			x.Delete(s.t.Table, layout.DeletedProject(s.t.Keys, p), client.Condition{})
		}
		d.Project.Deleted, d.Project.Trash = true, nil
		x.Delete(s.t.Table, s.t.Keys.ProjectKeyGuard(d.Project.Key), client.Condition{})
		x.Delete(s.t.Table, s.t.Keys.Counter(p), client.Condition{}) // so that no issues can be created
		s.t.AddOnce(&x.Transaction, string(p))
		return &tracker.Job{Kind: tracker.JobDeleteProject, Name: d.Project.Name}, nil
	})
}

// DeletedList returns the list of the tenant's projects in the trash, the last deleted first.
func (s *Store) DeletedList() store.List[tracker.ProjectID] {
	return store.List[tracker.ProjectID]{DB: s.t.DB, Partition: layout.DeletedProjects(s.t.Keys),
		Parse: s.t.Keys.ParseProject,
		End:   func() []byte { return layout.DeletedProjectSort(s.t.Now(), "") }}
}

// DeletedProjects returns projects in the trash, in the order of ids, nil for those that are not there.
func (s *Store) DeletedProjects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project,
	error) {
	return store.DecodeAll(ctx, s.t.DB, s.projectKeys(ids), store.Reading{},
		func(m layout.Item) (*tracker.Project, error) {
			p, err := s.t.Keys.DecodeProject(m)
			if err != nil || p.Trash == nil || !p.Trash.Purge.After(s.t.Now()) {
				return nil, err
			}
			return p, nil
		})
}
