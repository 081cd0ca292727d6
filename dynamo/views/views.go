// Package views stores the saved views of projects. It knows nothing of filters, which are texts for it.
//
// The views of a project are in its partition, in lists: the shared ones, and the private ones of each user.
// A Store reads and writes the shared views and the private ones of one principal; it cannot build the key of
// any other. The laws are:
//
//	V1 Private views of others do not exist: whether a view with an id belongs to another user or to nobody,
//	   the same keys are read and the result is the same.
//	V2 A list has at most tracker.MaxViews views, whose names people can tell apart. Its head has their
//	   number, and every change of names, of members or of the default increments the head's version.
//	V3 The default of a project is one of its shared views.
//
// The purge of a project removes its partition, and with it the views. The trash keeps them.
package views

import (
	"context"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Store has the views of one tenant that a principal sees.
type Store struct {
	t  *store.Tenant
	by tracker.Principal
}

// Of returns the views of a tenant that a principal sees.
func Of(t *dynamo.Tenant, by tracker.Principal) *Store {
	return &Store{t.Inside().Tenant, by}
}

// lists returns the lists of a project that the principal sees.
func (s *Store) lists(p tracker.ProjectID) (shared, own layout.Views) {
	return layout.SharedViews(s.t.Keys, p), layout.PrivateViews(s.t.Keys, p, s.by)
}

// Get returns views in the order of refs, nil for those that do not exist.
func (s *Store) Get(ctx context.Context, refs []tracker.ViewRef) ([]*tracker.View, error) {
	found, err := s.find(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := make([]*tracker.View, len(found))
	for i, f := range found {
		out[i] = f.view
	}
	return out, nil
}

// found is a view with its list, and the head of the shared views of its project.
type found struct {
	view *tracker.View // nil if it does not exist
	list layout.Views
	head layout.ViewsHead
}

// find reads views consistently. It reads three keys for each, because an id does not say whether the view is
// shared: so it remains the same when that changes, and shows nothing of the owner.
func (s *Store) find(ctx context.Context, refs []tracker.ViewRef) ([]found, error) {
	keys := make([]layout.Key, 3*len(refs))
	for i, ref := range refs {
		if tracker.ValidID(string(ref.Project)) && tracker.ValidID(string(ref.View)) {
			shared, own := s.lists(ref.Project)
			keys[3*i], keys[3*i+1], keys[3*i+2] = shared.View(ref.View), own.View(ref.View), shared.Head()
		}
	}
	items, err := s.t.Get(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	out := make([]found, len(refs))
	for i, ref := range refs {
		f := &out[i]
		f.head = layout.DecodeHead(items[3*i+2])
		shared, own := s.lists(ref.Project)
		switch {
		case items[3*i] != nil:
			f.list = shared
			f.view, err = s.decode(shared, items[3*i], f.head)
		case items[3*i+1] != nil:
			f.list = own
			f.view, err = s.decode(own, items[3*i+1], f.head)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decode decodes a view, or returns nil if it is a private one of another user, whose name has the same hash.
func (s *Store) decode(list layout.Views, m layout.Item, head layout.ViewsHead) (*tracker.View, error) {
	v, err := list.Decode(m)
	if err != nil || !v.Shared && v.Owner != s.by.User {
		return nil, err
	}
	v.Default = v.Shared && v.ID == head.Default
	return v, nil
}

// set has all views of a list and its head, as one Query reads them.
type set struct {
	list  layout.Views
	head  layout.ViewsHead
	views []*tracker.View
}

func (s *Store) read(ctx context.Context, list layout.Views) (*set, error) {
	out := &set{list: list}
	at := list.Head()
	err := s.t.Prefix(ctx, at.PK, at.SK, func(m layout.Item) error {
		if layout.KeyOf(m) == at { // the first one
			out.head = layout.DecodeHead(m)
			return nil
		}
		v, err := s.decode(list, m, out.head)
		if v != nil {
			out.views = append(out.views, v)
		}
		return err
	})
	return out, err
}

// List returns the shared views of a project and the private ones of the principal, in no particular order.
// It makes two Queries.
func (s *Store) List(ctx context.Context, p tracker.ProjectID) ([]*tracker.View, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	shared, own := s.lists(p)
	var sets [2]*set
	group, reading := errgroup.WithContext(ctx)
	for i, list := range []layout.Views{shared, own} {
		group.Go(func() (err error) {
			sets[i], err = s.read(reading, list)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return append(sets[0].views, sets[1].views...), nil
}

// Default returns the default view of a project. It returns NotFound if the project has none.
func (s *Store) Default(ctx context.Context, p tracker.ProjectID) (*tracker.View, error) {
	missing := tracker.Missing("default view")
	if !tracker.ValidID(string(p)) {
		return nil, missing
	}
	shared, _ := s.lists(p)
	heads, err := s.t.Get(ctx, []layout.Key{shared.Head()}, true)
	if err != nil {
		return nil, err
	}
	id := layout.DecodeHead(heads[0]).Default
	if id == "" {
		return nil, missing
	}
	all, err := s.Get(ctx, []tracker.ViewRef{{Project: p, View: id}})
	if err != nil {
		return nil, err
	}
	if all[0] == nil || !all[0].Default { // changed meanwhile
		return nil, missing
	}
	return all[0], nil
}

// Own returns the private views of the principal in a project, in no particular order.
func (s *Store) Own(ctx context.Context, p tracker.ProjectID) ([]*tracker.View, error) {
	_, own := s.lists(p)
	found, err := s.read(ctx, own)
	if err != nil {
		return nil, err
	}
	return found.views, nil
}

// OwnProjects returns the list of the projects in which the principal has private views, ordered by id. Their
// positions are their ids. It may include projects in the trash.
func (s *Store) OwnProjects() store.List[tracker.ProjectID] {
	_, own := s.lists("")
	return store.List[tracker.ProjectID]{DB: s.t.DB, Partition: own.Head().SK, Parse: s.t.Keys.ParseProject}
}

// CountOwn returns the number of private views of the principal in projects.
func (s *Store) CountOwn(ctx context.Context, projects []tracker.ProjectID) (n int, err error) {
	keys := make([]layout.Key, len(projects))
	for i, p := range projects {
		_, own := s.lists(p)
		keys[i] = own.Head()
	}
	heads, err := s.t.Get(ctx, keys, true)
	for _, head := range heads {
		n += layout.DecodeHead(head).N
	}
	return n, err
}
