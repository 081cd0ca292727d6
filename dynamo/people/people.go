// Package people stores the users and the teams of a tenant.
//
// The laws are:
//
//	H1 A user or a team is never deleted, and its id never changes.
//	H2 An e-mail address and a claim belong to at most one user of a tenant each, and a name to at most one
//	   team. Guards ensure it, and a user is found by its claim through a guard.
//	H3 A user is in the record of a team if and only if the team is in the record of the user. Both change
//	   in one transaction, so that a user has at most tracker.MaxTeams teams and a team at most
//	   tracker.MaxMembers members, however many requests change them.
//	H4 Principals with the same claim that make their first requests at the same time become one user.
//	H5 A user or a team keeps its former names, so that histories show what it was called at their times.
package people

import (
	"context"

	"issuegrid/dynamo"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Store has the users and the teams of one tenant.
type Store struct {
	t       *store.Tenant
	keys    layout.People
	renamed func(tracker.UserID) // starts the job
}

// Of returns the users and the teams of a tenant.
func Of(t *dynamo.Tenant) *Store {
	in := t.Inside()
	return &Store{in.Tenant, layout.PeopleOf(in.Keys), in.Renamed}
}

// Users returns users in the order of ids, nil for those that do not exist.
func (s *Store) Users(ctx context.Context, ids []tracker.UserID) ([]*tracker.User, error) {
	return find(ctx, s.t, ids, s.keys.User, s.keys.DecodeUser, false)
}

// Teams returns teams in the order of ids, nil for those that do not exist.
func (s *Store) Teams(ctx context.Context, ids []tracker.TeamID) ([]*tracker.Team, error) {
	return find(ctx, s.t, ids, s.keys.Team, s.keys.DecodeTeam, false)
}

// users is Users with consistent reads, for changes.
func (s *Store) users(ctx context.Context, ids []tracker.UserID) ([]*tracker.User, error) {
	return find(ctx, s.t, ids, s.keys.User, s.keys.DecodeUser, true)
}

// user reads a user consistently, nil if it does not exist, and team a team.
func (s *Store) user(ctx context.Context, id tracker.UserID) (*tracker.User, error) {
	return first(s.users(ctx, []tracker.UserID{id}))
}

func (s *Store) team(ctx context.Context, id tracker.TeamID) (*tracker.Team, error) {
	return first(find(ctx, s.t, []tracker.TeamID{id}, s.keys.Team, s.keys.DecodeTeam, true))
}

func first[V any](all []*V, err error) (*V, error) {
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func find[ID ~string, V any](ctx context.Context, t *store.Tenant, ids []ID, key func(ID) layout.Key,
	decode func(layout.Item) (*V, error), consistent bool) ([]*V, error) {
	keys := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			keys[i] = key(id)
		}
	}
	return store.DecodeAll(ctx, t.DB, keys, store.Reading{Consistent: consistent}, decode)
}

// UserList returns the list of all users: the active ones by name, and then the others.
func (s *Store) UserList() store.List[tracker.UserID] {
	return store.List[tracker.UserID]{DB: s.t.DB, Partition: s.keys.Users(), Parse: s.keys.ParseUser}
}

// TeamList returns the list of all teams, in the same order.
func (s *Store) TeamList() store.List[tracker.TeamID] {
	return store.List[tracker.TeamID]{DB: s.t.DB, Partition: s.keys.Teams(), Parse: s.keys.ParseTeam}
}

// Inactive returns the position in a list from which on users or teams are deactivated.
func Inactive() []byte { return layout.Inactive() }

// ByClaim returns the user with a claim, nil if there is none. known is the user that was found before, or
// empty; if it still has the claim, one call is enough.
func (s *Store) ByClaim(ctx context.Context, claim string, known tracker.UserID) (*tracker.User, error) {
	for range maxLookups {
		keys := []layout.Key{s.keys.ClaimGuard(claim), {}}
		if known != "" {
			keys[1] = s.keys.User(known)
		}
		items, err := s.t.Get(ctx, keys, true)
		if err != nil || items[0] == nil {
			return nil, err
		}
		owner := tracker.UserID(layout.GetS(items[0], "owner"))
		switch {
		case owner != known:
			known = owner
		case items[1] == nil: // the user of the guard is lost
			return nil, nil
		default:
			u, err := s.keys.DecodeUser(items[1])
			if err != nil || u.Claim == claim { // else it was changed between the two reads of the call
				return u, err
			}
		}
	}
	return nil, errChanged
}

// maxLookups is how often a user is looked up by a claim that changes its owner meanwhile.
const maxLookups = 4

// SignIn returns the user of a principal. On the first request of a principal, that is the user without a
// claim that has the principal's e-mail address, to which it adds the claim, or else a new one.
func (s *Store) SignIn(ctx context.Context, p tracker.Principal, known tracker.UserID) (*tracker.User,
	error) {
	if u, err := s.ByClaim(ctx, p.User, known); u != nil || err != nil {
		return u, err
	}
	u := p.NewUser()
	if u.Email != "" {
		switch invited, err := s.byEmail(ctx, u.Email); {
		case err != nil:
			return nil, err
		case invited != nil && invited.Claim == "":
			return s.raced(ctx, p.User)(s.UpdateUser(ctx, invited.ID, nil, func(u *tracker.User) error {
				if u.Claim != "" {
					return taken("claim", "another principal has become this user")
				}
				u.Claim = p.User
				return nil
			}))
		case invited != nil:
			u.Email = ""
		}
	}
	created, err := s.CreateUser(ctx, u)
	if e, ok := conflict(err); ok && e.Path == "email" { // another user has it now
		u.Email = ""
		created, err = s.CreateUser(ctx, u)
	}
	return s.raced(ctx, p.User)(created, err)
}

// raced returns the result of a change, or the user that another request has given the claim meanwhile.
func (s *Store) raced(ctx context.Context, claim string) func(*tracker.User, error) (*tracker.User, error) {
	return func(u *tracker.User, err error) (*tracker.User, error) {
		if _, ok := conflict(err); ok {
			if found, readErr := s.ByClaim(ctx, claim, ""); found != nil || readErr != nil {
				return found, readErr
			}
		}
		return u, err
	}
}

// byEmail returns the user with an e-mail address, nil if there is none.
func (s *Store) byEmail(ctx context.Context, email string) (*tracker.User, error) {
	guard := s.keys.UserGuards(&tracker.User{Email: email})
	items, err := s.t.Get(ctx, guard, true)
	if err != nil || items[0] == nil {
		return nil, err
	}
	return s.user(ctx, tracker.UserID(layout.GetS(items[0], "owner")))
}
