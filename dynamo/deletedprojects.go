package dynamo

import (
	"context"
	"errors"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// TrashProject moves a project to the trash, from which RestoreProject can restore it within
// Settings.KeepTrash. It is not found until then, and keeps its key. Its open jobs continue.
func (r ProjectRecords) TrashProject(ctx context.Context, p tracker.ProjectID) (*tracker.Project, error) {
	return applyOnce(ctx, r.scope, r.loadHidden(ctx, p), func() (*tracker.Project, error) {
		var trashed tracker.Project
		err := definer(r.scope).redefine(ctx, p,
			func(d *tracker.Definition, x *redefinition) (*tracker.Job, error) {
				now := r.db.time()
				d.Project.Trash = &tracker.ProjectTrash{At: now, By: r.by, Purge: now.Add(r.db.keepTrash)}
				x.Put(r.db.table, layout.EncodeDeletedProject(r.keys, &d.Project), client.Condition{})
				x.parts = []tracker.PartChange{{Change: tracker.PartDeleted, Part: tracker.PartProject,
					Name: d.Project.Name}}
				idempotency(r.scope).addTo(&x.Transaction, string(p))
				trashed = d.Project
				return nil, nil
			})
		return &trashed, err
	})
}

// loadHidden returns a function that loads a deleted project for applyOnce. A project that does not exist has
// only its id.
func (r ProjectRecords) loadHidden(ctx context.Context, p tracker.ProjectID) func(string) (*tracker.Project,
	error) {
	return func(string) (*tracker.Project, error) {
		d, _, err := reader(r.scope).readProject(ctx, p)
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
func (r ProjectRecords) RestoreProject(ctx context.Context, p tracker.ProjectID) (*tracker.Project, error) {
	return applyOnce(ctx, r.scope, reader(r.scope).loadProject(ctx), func() (*tracker.Project, error) {
		var restored tracker.Project
		err := definer(r.scope).redefineAny(ctx, p,
			func(d *tracker.Definition, x *redefinition) (*tracker.Job, error) {
				if t := d.Project.Trash; t == nil || !t.Purge.After(r.db.now()) {
					return nil, tracker.Missing("project in the trash")
				}
				d.Project.Trash = nil
				x.Delete(r.db.table, layout.DeletedProject(r.keys, p), client.Condition{})
				x.parts = []tracker.PartChange{{Change: tracker.PartRestored, Part: tracker.PartProject,
					Name: d.Project.Name}}
				idempotency(r.scope).addTo(&x.Transaction, string(p))
				restored = d.Project
				restored.Version++ // as writeProject stores it
				return nil, nil
			})
		return &restored, err
	})
}

// DeleteProject permanently deletes a project, also one in the trash. The project is not found and its key is
// available immediately. A job removes its items. If confirm is not nil, it is called with the project, and
// nothing is deleted if it returns an error.
func (t *Tenant) DeleteProject(ctx context.Context, p tracker.ProjectID,
	confirm func(*tracker.Project) error) error {
	_, err := applyOnce(ctx, t.scope, t.Records().loadHidden(ctx, p), func() (*tracker.Project, error) {
		return nil, definer(t.scope).deleteProject(ctx, p, confirm)
	})
	return err
}

func (t definer) deleteProject(ctx context.Context, p tracker.ProjectID,
	confirm func(*tracker.Project) error) error {
	return t.redefineAny(ctx, p, func(d *tracker.Definition, x *redefinition) (*tracker.Job, error) {
		if confirm != nil {
			if err := confirm(&d.Project); err != nil {
				return nil, err
			}
		}
		if d.Project.Trash != nil {
			x.Delete(t.db.table, layout.DeletedProject(t.keys, p), client.Condition{})
		}
		d.Project.Deleted, d.Project.Trash = true, nil
		x.Delete(t.db.table, t.keys.ProjectKeyGuard(d.Project.Key), client.Condition{})
		x.Delete(t.db.table, t.keys.Counter(p), client.Condition{}) // so that no issues can be created
		idempotency(t).addTo(&x.Transaction, string(p))
		return &tracker.Job{Kind: tracker.JobDeleteProject, Name: d.Project.Name}, nil
	})
}

// DeletedList returns the list of the tenant's projects in the trash, the last deleted first.
func (r ProjectRecords) DeletedList() List[tracker.ProjectID] {
	return List[tracker.ProjectID]{db: r.db, partition: layout.DeletedProjects(r.keys),
		parse: r.keys.ParseProject,
		end:   func() []byte { return layout.DeletedProjectSort(r.db.now(), "") }}
}

// DeletedProjects returns projects in the trash, in the order of ids, nil for those that are not there.
func (r ProjectRecords) DeletedProjects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project,
	error) {
	return decodeAll(ctx, r.db, reader(r.scope).projectKeys(ids), reading{},
		func(m layout.Item) (*tracker.Project, error) {
			p, err := r.keys.DecodeProject(m)
			if err != nil || p.Trash == nil || !p.Trash.Purge.After(r.db.now()) {
				return nil, err
			}
			return p, nil
		})
}

// purge deletes the projects of the tenant that have been in the trash for Settings.KeepTrash.
func (r ProjectRecords) purge(ctx context.Context) error {
	due, _, err := r.DeletedList().Page(ctx, ListQuery{From: layout.DeletedProjectSort(r.db.now(), ""),
		Limit: maxPurged})
	if err != nil {
		return err
	}
	var failed []error
	for _, found := range due {
		err := definer(r.scope).deleteProject(ctx, found.ID, func(p *tracker.Project) error {
			if p.Trash == nil || p.Trash.Purge.After(r.db.now()) {
				return tracker.Missing("project in the trash") // restored, or deleted once more
			}
			return nil
		})
		if err != nil && tracker.CodeOf(err) != tracker.NotFound {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// maxPurged is the maximum number of projects of a tenant that a search for jobs deletes.
const maxPurged = 100
