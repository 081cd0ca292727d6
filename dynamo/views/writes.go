package views

import (
	"context"
	"reflect"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// errChanged is returned by a write that requires an outdated version of a view or of the head of a list.
var errChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "too many requests are changing the views of the project; try again"}

// CreateView writes a new view. v needs no version, times or owner. It returns Conflict if its list has a
// view with the name.
func (s *Store) CreateView(ctx context.Context, v tracker.View) (*tracker.View, error) {
	v.Owner, v.Version, v.Created = s.by.User, 1, s.t.Time()
	v.Updated = v.Created
	if err := s.check(&v, nil); err != nil {
		return nil, err
	}
	return s.once(ctx, v.Project, func() (*tracker.View, error) {
		return &v, s.t.Again(ctx, errChanged, func() error {
			w := s.change(v.Project)
			list, err := w.list(ctx, v.Shared)
			if err != nil {
				return err
			}
			if err := v.CheckAmong(list.views); err != nil {
				return err
			}
			w.x.Put(s.t.Table, list.list.Encode(&v), client.MustNotExist(errChanged))
			list.head.N++
			if v.Default {
				list.head.Default = v.ID
			}
			return w.send(ctx, v.ID)
		})
	})
}

// UpdateView changes a view. change modifies it, and is called again after a conflict with another change,
// unless expected is set: then the view must have this version.
func (s *Store) UpdateView(ctx context.Context, ref tracker.ViewRef, expected *int64,
	change func(*tracker.View) error) (*tracker.View, error) {
	return s.once(ctx, ref.Project, func() (changed *tracker.View, err error) {
		err = s.t.Again(ctx, errChanged, func() error {
			changed, err = s.update(ctx, ref, expected, change)
			return err
		})
		return changed, err
	})
}

func (s *Store) update(ctx context.Context, ref tracker.ViewRef, expected *int64,
	change func(*tracker.View) error) (*tracker.View, error) {
	was, err := s.expect(ctx, ref, expected)
	if err != nil {
		return nil, err
	}
	old, v := was.view, *was.view
	invalid := change(&v)
	v.ID, v.Project, v.Owner, v.Version, v.Created, v.Updated = old.ID, old.Project, old.Owner, old.Version,
		old.Created, old.Updated
	if v.Shared != old.Shared {
		v.Owner = s.by.User
	}
	if err := tracker.Join(invalid, s.check(&v, old)); err != nil {
		return nil, err
	}
	w := s.change(ref.Project)
	if reflect.DeepEqual(&v, old) {
		w.x.Check(s.t.Table, was.list.View(ref.View),
			client.MustHaveVersion(old.Version, errChanged))
		return &v, w.send(ctx, ref.View)
	}
	v.Version++
	v.Updated = s.t.Time()
	to := was.list
	if v.Name != old.Name || v.Shared != old.Shared || v.Default != old.Default {
		list, err := w.list(ctx, v.Shared)
		if err != nil {
			return nil, err
		}
		to = list.list
		if err := s.move(ctx, w, list, old, &v); err != nil {
			return nil, err
		}
	}
	unchanged := client.MustHaveVersion(old.Version, errChanged)
	if to != was.list {
		w.x.Delete(s.t.Table, was.list.View(ref.View), unchanged)
		unchanged = client.MustNotExist(errChanged)
	}
	w.x.Put(s.t.Table, to.Encode(&v), unchanged)
	return &v, w.send(ctx, ref.View)
}

// move changes the heads of the lists of a view that has another name, is in another list, or has become the
// default or ceased to be. list is the one that it is in afterwards.
func (s *Store) move(ctx context.Context, w *change, list *set, old, v *tracker.View) error {
	others := slices.DeleteFunc(list.views, func(other *tracker.View) bool { return other.ID == v.ID })
	if v.Name != old.Name || v.Shared != old.Shared {
		if err := v.CheckAmong(others); err != nil {
			return err
		}
	}
	if v.Shared != old.Shared {
		from, err := w.list(ctx, old.Shared)
		if err != nil {
			return err
		}
		from.head.N--
		list.head.N++
		from.dropDefault(v.ID)
	}
	if v.Default {
		list.head.Default = v.ID
	} else {
		list.dropDefault(v.ID)
	}
	return nil
}

// DeleteView deletes a view, unless allow returns an error.
func (s *Store) DeleteView(ctx context.Context, ref tracker.ViewRef, expected *int64,
	allow func(*tracker.View) error) error {
	return store.DoOnce(ctx, s.t, func() error {
		return s.t.Again(ctx, errChanged, func() error {
			was, err := s.expect(ctx, ref, expected)
			if err != nil {
				return err
			}
			if err := allow(was.view); err != nil {
				return err
			}
			w := s.change(ref.Project)
			list, err := w.list(ctx, was.view.Shared)
			if err != nil {
				return err
			}
			w.x.Delete(s.t.Table, was.list.View(ref.View),
				client.MustHaveVersion(was.view.Version, errChanged))
			list.head.N--
			list.dropDefault(ref.View)
			return w.send(ctx, ref.View)
		})
	})
}

// expect returns a view, which must have the expected version if there is one.
func (s *Store) expect(ctx context.Context, ref tracker.ViewRef, expected *int64) (*found, error) {
	all, err := s.find(ctx, []tracker.ViewRef{ref})
	if err != nil {
		return nil, err
	}
	was := &all[0]
	switch {
	case was.view == nil:
		return nil, tracker.Missing("view")
	case expected != nil && *expected != was.view.Version:
		return nil, tracker.OtherVersion("view", was.view.Version)
	}
	return was, nil
}

// check checks a view without the other views.
func (s *Store) check(v, old *tracker.View) error {
	if !tracker.ValidID(string(v.ID)) || !tracker.ValidID(string(v.Project)) {
		return tracker.Missing("project")
	}
	return v.Check(old)
}

// once makes a change of a view, or loads the view if the change was already made.
func (s *Store) once(ctx context.Context, p tracker.ProjectID, make func() (*tracker.View, error)) (
	*tracker.View, error) {
	return store.ApplyOnce(ctx, s.t, func(id string) (*tracker.View, error) {
		all, err := s.Get(ctx, []tracker.ViewRef{{Project: p, View: tracker.ViewID(id)}})
		if err == nil && all[0] == nil {
			err = tracker.Missing("view; the change was applied earlier, and the view has been deleted since")
		}
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}, make)
}

// change is a transaction that changes views of a project, and the lists whose heads it changes.
type change struct {
	s     *Store
	p     tracker.ProjectID
	x     client.Transaction
	lists []*set
}

func (s *Store) change(p tracker.ProjectID) *change { return &change{s: s, p: p} }

// list reads a list whose head changes.
func (c *change) list(ctx context.Context, shared bool) (*set, error) {
	list, own := c.s.lists(c.p)
	if !shared {
		list = own
	}
	found, err := c.s.read(ctx, list)
	if err == nil {
		c.lists = append(c.lists, found)
	}
	return found, err
}

// dropDefault records that a view is not the default.
func (l *set) dropDefault(id tracker.ViewID) {
	if l.head.Default == id {
		l.head.Default = ""
	}
}

// send makes the change, which has changed the view with an id.
func (c *change) send(ctx context.Context, id tracker.ViewID) error {
	table := c.s.t.Table
	for _, l := range c.lists {
		unchanged := client.MustHaveVersion(l.head.Version, errChanged)
		if l.head.Version == 0 {
			unchanged = client.MustNotExist(errChanged)
		}
		l.head.Version++
		c.x.Put(table, l.list.EncodeHead(l.head), unchanged)
	}
	c.s.t.CheckProject(&c.x, c.p)
	c.s.t.AddOnce(&c.x, string(id))
	return c.s.t.Write(ctx, &c.x)
}
