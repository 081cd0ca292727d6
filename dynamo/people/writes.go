package people

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/tracker"
)

// errChanged is returned by a write that requires an outdated version of a user or a team.
var errChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "too many requests are changing the user or the team; try again"}

// taken is the error of a guard that another user or team has.
func taken(path, message string) error {
	return &tracker.Error{Code: tracker.Conflict, Path: path, Message: message}
}

func conflict(err error) (*tracker.Error, bool) {
	e, ok := errors.AsType[*tracker.Error](err)
	return e, ok && e.Code == tracker.Conflict
}

// guarded adds the change of the guards from before to after.
func (s *Store) guarded(x *client.Transaction, id string, before, after []layout.Key,
	taken func(layout.Key) error) {
	for _, at := range before {
		if !slices.Contains(after, at) {
			x.Delete(s.t.Table, at, client.Condition{})
		}
	}
	for _, at := range after {
		if !slices.Contains(before, at) {
			x.Put(s.t.Table, layout.Guard(at, id), client.MustNotExist(taken(at)))
		}
	}
}

// guardsOfUser adds the change of a user's guards.
func (s *Store) guardsOfUser(x *client.Transaction, before, after *tracker.User) {
	var old []layout.Key
	if before != nil {
		old = s.keys.UserGuards(before)
	}
	s.guarded(x, string(after.ID), old, s.keys.UserGuards(after), func(at layout.Key) error {
		if after.Claim != "" && at == s.keys.ClaimGuard(after.Claim) {
			return taken("claim", "another user has this claim")
		}
		return taken("email", "another user has this e-mail address")
	})
}

// CreateUser writes a new user. u needs no id, version or times. It returns Conflict, with the path of the
// member, if another user has the e-mail address or the claim.
func (s *Store) CreateUser(ctx context.Context, u tracker.User) (*tracker.User, error) {
	if err := u.Check(nil); err != nil {
		return nil, err
	}
	id, err := s.t.NewID()
	if err != nil {
		return nil, err
	}
	u.ID, u.Teams, u.Version, u.Created = tracker.UserID(id), nil, 1, s.t.Time()
	u.Updated = u.Created
	return store.ApplyOnce(ctx, s.t, s.loadUser(ctx), func() (*tracker.User, error) {
		var x client.Transaction
		x.Put(s.t.Table, s.keys.EncodeUser(&u), client.MustNotExist(errChanged))
		s.guardsOfUser(&x, nil, &u)
		return &u, s.send(ctx, &x, id)
	})
}

// send makes a change of the user or the team with an id.
func (s *Store) send(ctx context.Context, x *client.Transaction, id string) error {
	x.Check(s.t.Table, s.t.Keys.TenantItem(), client.MustBeActive())
	s.t.AddOnce(x, id)
	return s.t.Write(ctx, x)
}

func (s *Store) loadUser(ctx context.Context) func(string) (*tracker.User, error) {
	return func(id string) (*tracker.User, error) { return kept(s.user(ctx, tracker.UserID(id))) }
}

func (s *Store) loadTeam(ctx context.Context) func(string) (*tracker.Team, error) {
	return func(id string) (*tracker.Team, error) { return kept(s.team(ctx, tracker.TeamID(id))) }
}

// kept returns what an earlier change has written.
func kept[V any](v *V, err error) (*V, error) {
	if err == nil && v == nil {
		err = tracker.Internal("a user or a team was lost after a change", nil)
	}
	return v, err
}

// UpdateUser changes a user. change modifies it, and is called again after a conflict with another change,
// unless expected is set: then the user must have this version.
func (s *Store) UpdateUser(ctx context.Context, id tracker.UserID, expected *int64,
	change func(*tracker.User) error) (*tracker.User, error) {
	return store.ApplyOnce(ctx, s.t, s.loadUser(ctx), func() (changed *tracker.User, err error) {
		err = s.t.Again(ctx, errChanged, func() error {
			changed, err = s.updateUser(ctx, id, expected, change)
			return err
		})
		return changed, err
	})
}

func (s *Store) updateUser(ctx context.Context, id tracker.UserID, expected *int64,
	change func(*tracker.User) error) (*tracker.User, error) {
	old, err := s.user(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case old == nil:
		return nil, tracker.Missing("user")
	case expected != nil && *expected != old.Version:
		return nil, tracker.OtherVersion("user", old.Version)
	}
	u := *old
	invalid := change(&u)
	u.ID, u.Teams, u.Version, u.Created, u.Updated = old.ID, old.Teams, old.Version, old.Created, old.Updated
	u.Former = old.Former.Rename(old.Name, u.Name, s.t.Time())
	u.Deactivated = s.since(old.Deactivated, u.Deactivated)
	if err := tracker.Join(invalid, u.Check(old)); err != nil {
		return nil, err
	}
	var x client.Transaction
	if reflect.DeepEqual(&u, old) {
		x.Check(s.t.Table, s.keys.User(id), client.MustHaveVersion(old.Version, errChanged))
		return old, s.send(ctx, &x, string(id))
	}
	s.putUser(&x, &u)
	s.guardsOfUser(&x, old, &u)
	if u.Name == old.Name {
		return &u, s.send(ctx, &x, string(id))
	}
	if err := work.PutRename(s.t, &x, id); err != nil {
		return nil, err
	}
	defer s.renamed(id) // also after an error: the change may have been made
	return &u, s.send(ctx, &x, string(id))
}

// since returns the time of a deactivation: the one before if there was one.
func (s *Store) since(before, after time.Time) time.Time {
	switch {
	case after.IsZero():
		return time.Time{}
	case !before.IsZero():
		return before
	}
	return s.t.Time()
}

// putUser adds the next version of a user, which was read with the version that it has.
func (s *Store) putUser(x *client.Transaction, u *tracker.User) {
	unchanged := client.MustHaveVersion(u.Version, errChanged)
	u.Version++
	u.Updated = s.t.Time()
	x.Put(s.t.Table, s.keys.EncodeUser(u), unchanged)
}

// putTeam is putUser for a team.
func (s *Store) putTeam(x *client.Transaction, t *tracker.Team) {
	unchanged := client.MustHaveVersion(t.Version, errChanged)
	t.Version++
	t.Updated = s.t.Time()
	x.Put(s.t.Table, s.keys.EncodeTeam(t), unchanged)
}

func nameTaken(layout.Key) error {
	return taken("name", "the tenant has a team with this name, or with one that people do not tell apart")
}

// CreateTeam writes a new team without members. t needs no id, version or times. It returns Conflict if
// another team has the name.
func (s *Store) CreateTeam(ctx context.Context, t tracker.Team) (*tracker.Team, error) {
	if err := t.Check(nil); err != nil {
		return nil, err
	}
	id, err := s.t.NewID()
	if err != nil {
		return nil, err
	}
	t.ID, t.Members, t.Version, t.Created = tracker.TeamID(id), nil, 1, s.t.Time()
	t.Updated = t.Created
	return store.ApplyOnce(ctx, s.t, s.loadTeam(ctx), func() (*tracker.Team, error) {
		var x client.Transaction
		x.Put(s.t.Table, s.keys.EncodeTeam(&t), client.MustNotExist(errChanged))
		s.guarded(&x, id, nil, []layout.Key{s.keys.TeamGuard(t.Name)}, nameTaken)
		return &t, s.send(ctx, &x, id)
	})
}

// UpdateTeam is UpdateUser for a team.
func (s *Store) UpdateTeam(ctx context.Context, id tracker.TeamID, expected *int64,
	change func(*tracker.Team) error) (*tracker.Team, error) {
	return s.changeTeam(ctx, id, expected, func(x *client.Transaction, t *tracker.Team) error {
		old := *t
		invalid := change(t)
		t.ID, t.Members, t.Version, t.Created, t.Updated = old.ID, old.Members, old.Version, old.Created,
			old.Updated
		t.Former = old.Former.Rename(old.Name, t.Name, s.t.Time())
		t.Deactivated = s.since(old.Deactivated, t.Deactivated)
		if err := tracker.Join(invalid, t.Check(&old)); err != nil {
			return err
		}
		s.guarded(x, string(id), []layout.Key{s.keys.TeamGuard(old.Name)},
			[]layout.Key{s.keys.TeamGuard(t.Name)}, nameTaken)
		return nil
	})
}

// changeTeam makes a change of a team. change modifies the team, and adds other writes to the transaction.
func (s *Store) changeTeam(ctx context.Context, id tracker.TeamID, expected *int64,
	change func(*client.Transaction, *tracker.Team) error) (*tracker.Team, error) {
	return store.ApplyOnce(ctx, s.t, s.loadTeam(ctx), func() (changed *tracker.Team, _ error) {
		return changed, s.t.Again(ctx, errChanged, func() error {
			old, err := s.team(ctx, id)
			switch {
			case err != nil:
				return err
			case old == nil:
				return tracker.Missing("team")
			case expected != nil && *expected != old.Version:
				return tracker.OtherVersion("team", old.Version)
			}
			t := *old
			changed = &t
			var x client.Transaction
			if err := change(&x, &t); err != nil {
				return err
			}
			if reflect.DeepEqual(&t, old) {
				x.Check(s.t.Table, s.keys.Team(id),
					client.MustHaveVersion(old.Version, errChanged))
			} else {
				s.putTeam(&x, &t)
			}
			return s.send(ctx, &x, string(id))
		})
	})
}

// ChangeMembers adds users to a team, at most tracker.MaxMemberChange, or removes them. Those that are
// members already, or are not, stay so. A deactivated user cannot be added. Errors about a user have its
// place in users as their path.
func (s *Store) ChangeMembers(ctx context.Context, id tracker.TeamID, users []tracker.UserID, add bool) (
	*tracker.Team, error) {
	if n := len(users); n > tracker.MaxMemberChange {
		return nil, tracker.Bad("userIds", "%d users; the limit is %d", n, tracker.MaxMemberChange)
	}
	return s.changeTeam(ctx, id, nil, func(x *client.Transaction, t *tracker.Team) error {
		found, err := s.users(ctx, users)
		if err != nil {
			return err
		}
		t.Members = slices.Clone(t.Members)
		var wrong []error
		for i, u := range found {
			path := "userIds[" + strconv.Itoa(i) + "]"
			if u == nil {
				wrong = append(wrong, tracker.Bad(path, "the tenant has no such user"))
				continue
			}
			if slices.Contains(t.Members, u.ID) == add {
				continue
			}
			if !add {
				t.Members = slices.DeleteFunc(t.Members, func(m tracker.UserID) bool { return m == u.ID })
				u.Teams = slices.DeleteFunc(u.Teams, func(of tracker.TeamID) bool { return of == id })
			} else if err := mayJoin(t, u); err != nil {
				wrong = append(wrong, tracker.At(path, err))
				continue
			} else {
				t.Members, u.Teams = append(t.Members, u.ID), append(u.Teams, id)
			}
			s.putUser(x, u)
		}
		if n := len(t.Members); n > tracker.MaxMembers {
			wrong = append(wrong, tracker.Bad("userIds", "the team would have %d members; the limit is %d", n,
				tracker.MaxMembers))
		}
		return tracker.Join(wrong...)
	})
}

// mayJoin returns an error if a user cannot be added to a team.
func mayJoin(t *tracker.Team, u *tracker.User) error {
	switch {
	case !t.Active():
		return tracker.Bad("", "the team is deactivated; activate it first")
	case !u.Active():
		return tracker.Bad("", "%q is deactivated, and can't be added to a team", u.Name)
	case len(u.Teams) >= tracker.MaxTeams:
		return tracker.Bad("", "%q is in %d teams already, which is the limit", u.Name, len(u.Teams))
	}
	return nil
}
