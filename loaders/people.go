package loaders

import (
	"bytes"
	"context"
	"slices"

	"issuegrid/dynamo/people"
	"issuegrid/tracker"
)

// People reads the users and the teams of a tenant.
type People struct{ *Tenant }

// People returns the users and the teams of the tenant.
func (t *Tenant) People() People { return People{t} }

func (t People) stored() *people.Store { return people.Of(t.store) }

// User returns a user. The error is NotFound if there is none.
func (t People) User(ctx context.Context, id tracker.UserID) (*tracker.User, error) {
	return t.users.one(ctx, id)()
}

// Team returns a team. The error is NotFound if there is none.
func (t People) Team(ctx context.Context, id tracker.TeamID) (*tracker.Team, error) {
	return t.teams.one(ctx, id)()
}

// Users returns users in the order of ids, and nil for missing ones.
func (t People) Users(ctx context.Context, ids []tracker.UserID) ([]*tracker.User, error) {
	return loadAll(ctx, t.users, ids)
}

// Teams returns teams in the order of ids, and nil for missing ones.
func (t People) Teams(ctx context.Context, ids []tracker.TeamID) ([]*tracker.Team, error) {
	return loadAll(ctx, t.teams, ids)
}

// ListUsers returns a page of the tenant's active users, or of the others, by name.
func (t People) ListUsers(ctx context.Context, r Range, active bool) (List[tracker.User], error) {
	return list(ctx, part(r, active), t.stored().UserList(), t.Users)
}

// ListTeams returns a page of the tenant's active teams, or of the others, by name.
func (t People) ListTeams(ctx context.Context, r Range, active bool) (List[tracker.Team], error) {
	return list(ctx, part(r, active), t.stored().TeamList(), t.Teams)
}

// part returns a range of names as one of the active users or teams, or of the others. Cursors are positions
// in the whole list.
func part(r Range, active bool) Range {
	inactive := people.Inactive()
	if active {
		if r.To == nil || bytes.Compare(r.To, inactive) > 0 {
			r.To = inactive
		}
		return r
	}
	if r.From = slices.Concat(inactive, r.From); r.To != nil {
		r.To = slices.Concat(inactive, r.To)
	}
	return r
}

// Participants returns the users and the teams that participants are: for each of them, at its index, either
// the user or the team, or neither if it is missing.
func (t People) Participants(ctx context.Context, all []tracker.Participant) ([]*tracker.User,
	[]*tracker.Team, error) {
	t.Prefetch(ctx, all)
	users, teams := make([]*tracker.User, len(all)), make([]*tracker.Team, len(all))
	var wrong error
	for i, p := range all {
		var err error
		if id, ok := p.User(); ok {
			users[i], err = t.users.one(ctx, id)()
		} else if id, ok := p.Team(); ok {
			teams[i], err = t.teams.one(ctx, id)()
		}
		if wrong == nil && tracker.CodeOf(err) != tracker.NotFound {
			wrong = err
		}
	}
	return users, teams, wrong
}

// Prefetch starts to read the users and the teams that participants are, in parallel, and does not wait for
// them.
func (t People) Prefetch(ctx context.Context, all []tracker.Participant) {
	var users []tracker.UserID
	var teams []tracker.TeamID
	for _, p := range all {
		if id, ok := p.User(); ok {
			users = append(users, id)
		} else if id, ok := p.Team(); ok {
			teams = append(teams, id)
		}
	}
	if len(users) > 0 {
		t.users.many(ctx, users)
	}
	if len(teams) > 0 {
		t.teams.many(ctx, teams)
	}
}
