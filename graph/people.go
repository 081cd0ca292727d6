package graph

import (
	"context"
	"strconv"
	"time"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func parseUserID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseUserID)
}

func parseTeamID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseTeamID)
}

func lookUpUser(ctx context.Context, id string) (*model.User, error) {
	n, err := parseUserID(ctx, id)
	if err != nil {
		return nil, err
	}
	return userByID(ctx, n.Tenant, n.User)
}

func userByID(ctx context.Context, t tracker.TenantID, id tracker.UserID) (*model.User, error) {
	l, err := session(ctx).Reads.Tenant(t)
	if err != nil {
		return nil, err
	}
	u, err := l.People().User(ctx, id)
	if err != nil {
		return nil, err
	}
	return &model.User{User: u, Tenant: t, Loaders: l}, nil
}

func lookUpTeam(ctx context.Context, id string) (*model.Team, error) {
	n, err := parseTeamID(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	t, err := l.People().Team(ctx, n.Team)
	if err != nil {
		return nil, err
	}
	return &model.Team{Team: t, Tenant: n.Tenant, Loaders: l}, nil
}

// accountOf returns the user that the caller is, or nil.
func accountOf(ctx context.Context, v *model.Viewer) (*model.User, error) {
	if v.Principal.UserID == "" {
		return nil, nil
	}
	return userByID(ctx, v.Principal.Tenant, v.Principal.UserID)
}

func listUsers(ctx context.Context, t *model.Tenant, a namedListArgs, active bool) (*model.UserConnection,
	error) {
	r, err := a.listRange(ctx)
	if err != nil {
		return nil, err
	}
	list, err := t.Loaders.People().ListUsers(ctx, r, active)
	if err != nil {
		return nil, err
	}
	c := &model.UserConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.UserEdge](list, func(u *tracker.User) *model.User {
		return &model.User{User: u, Tenant: t.Tenant.ID, Loaders: t.Loaders}
	})
	if rowsSelect(ctx, "User", "teams") {
		var teams []tracker.Participant
		for _, row := range list.Rows {
			for _, id := range row.Value.Teams {
				teams = append(teams, tracker.TeamParticipant(id))
			}
		}
		t.Loaders.People().Prefetch(ctx, teams)
	}
	return c, nil
}

func listTeams(ctx context.Context, t *model.Tenant, a namedListArgs, active bool) (*model.TeamConnection,
	error) {
	r, err := a.listRange(ctx)
	if err != nil {
		return nil, err
	}
	list, err := t.Loaders.People().ListTeams(ctx, r, active)
	if err != nil {
		return nil, err
	}
	c := &model.TeamConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.TeamEdge](list, func(x *tracker.Team) *model.Team {
		return &model.Team{Team: x, Tenant: t.Tenant.ID, Loaders: t.Loaders}
	})
	if rowsSelect(ctx, "Team", "members") {
		var members []tracker.Participant
		for _, row := range list.Rows {
			for _, id := range row.Value.Members {
				members = append(members, tracker.UserParticipant(id))
			}
		}
		t.Loaders.People().Prefetch(ctx, members)
	}
	return c, nil
}

// orEmpty returns the string that a pointer refers to, "" for nil.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func createUser(ctx context.Context, in model.CreateUserInput) (*model.CreateUserPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.TenantID, parseTenantID, in.IdempotencyKey, "createUser", in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	u := tracker.User{Name: tracker.CleanName(in.Name), Email: orEmpty(in.Email),
		Initials: orEmpty(in.Initials), AvatarURL: orEmpty(in.AvatarURL), Claim: orEmpty(in.Claim)}
	var badColor error
	u.Color, badColor = color(in.Color)
	if err := tracker.Join(invalid, tracker.At("input", tracker.Join(u.Check(nil), badColor))); err != nil {
		return nil, err
	}
	created, err := w.CreateUser(ctx, u)
	if err != nil {
		return nil, asInput("tenant", err)
	}
	out, err := writtenUser(ctx, n, created)
	return &model.CreateUserPayload{User: out}, err
}

func writtenUser(ctx context.Context, n model.NodeID, u *tracker.User) (*model.User, error) {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	return &model.User{User: u, Tenant: n.Tenant, Loaders: l}, nil
}

func writtenTeam(ctx context.Context, n model.NodeID, t *tracker.Team) (*model.Team, error) {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	return &model.Team{Team: t, Tenant: n.Tenant, Loaders: l}, nil
}

// mayUpdateUser returns an error if the caller must not make a change of a user.
func mayUpdateUser(ctx context.Context, n model.NodeID, in model.UpdateUserInput) error {
	p := session(ctx).Principal
	self := n.User == p.UserIn(n.Tenant)
	if self && in.Active != nil && !*in.Active {
		return tracker.Bad("input.active",
			"you can't deactivate yourself; ask another administrator to do it")
	}
	if !self {
		return mustBe(ctx, tracker.Admin, "")
	}
	for _, member := range []struct {
		name  string
		given bool
	}{{"email", in.Email != nil}, {"claim", in.Claim != nil}, {"active", in.Active != nil}} {
		if !member.given {
			continue
		}
		if err := mustBe(ctx, tracker.Admin, "input."+member.name); err != nil {
			return err
		}
	}
	return nil
}

func updateUser(ctx context.Context, in model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.ID, parseUserID, in.IdempotencyKey, "updateUser", in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	if err := mayUpdateUser(ctx, n, in); err != nil {
		return nil, err
	}
	given := tracker.User{Name: "any"}
	badColor := setUser(&given, in)
	err := tracker.Join(invalid, tracker.At("input", tracker.Join(given.Check(nil), badColor)))
	if err != nil {
		return nil, err
	}
	changed, err := w.UpdateUser(ctx, n.User, int64Of(in.ExpectedVersion), func(u *tracker.User) error {
		return setUser(u, in)
	})
	if err != nil {
		return nil, asInput("user", err)
	}
	out, err := writtenUser(ctx, n, changed)
	return &model.UpdateUserPayload{User: out}, err
}

// setUser sets the given members of a user. It reports an invalid color, which tracker.User.Check does not.
func setUser(u *tracker.User, in model.UpdateUserInput) error {
	if in.Name != nil {
		u.Name = tracker.CleanName(*in.Name)
	}
	set(&u.Email, in.Email)
	set(&u.Initials, in.Initials)
	set(&u.AvatarURL, in.AvatarURL)
	set(&u.Claim, in.Claim)
	setActive(&u.Deactivated, in.Active)
	return setColor(&u.Color, in.Color)
}

// setActive sets when a user or a team was deactivated.
func setActive(deactivated *time.Time, active *bool) {
	switch {
	case active == nil:
	case *active:
		*deactivated = time.Time{}
	default:
		*deactivated = time.Unix(0, 0) // replaced by the time of the table
	}
}

func createTeam(ctx context.Context, in model.CreateTeamInput) (*model.CreateTeamPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.TenantID, parseTenantID, in.IdempotencyKey, "createTeam", in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	t := tracker.Team{Name: tracker.CleanName(in.Name), Description: orEmpty(in.Description)}
	if err := tracker.Join(invalid, tracker.At("input", t.Check(nil))); err != nil {
		return nil, err
	}
	created, err := w.CreateTeam(ctx, t)
	if err != nil {
		return nil, asInput("tenant", err)
	}
	out, err := writtenTeam(ctx, n, created)
	return &model.CreateTeamPayload{Team: out}, err
}

func updateTeam(ctx context.Context, in model.UpdateTeamInput) (*model.UpdateTeamPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.ID, parseTeamID, in.IdempotencyKey, "updateTeam", in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	given := tracker.Team{Name: "any"}
	setTeam(&given, in)
	if err := tracker.Join(invalid, tracker.At("input", given.Check(nil))); err != nil {
		return nil, err
	}
	changed, err := w.UpdateTeam(ctx, n.Team, int64Of(in.ExpectedVersion), func(t *tracker.Team) error {
		setTeam(t, in)
		return nil
	})
	if err != nil {
		return nil, asInput("team", err)
	}
	out, err := writtenTeam(ctx, n, changed)
	return &model.UpdateTeamPayload{Team: out}, err
}

// setTeam sets the given members of a team.
func setTeam(t *tracker.Team, in model.UpdateTeamInput) {
	if in.Name != nil {
		t.Name = tracker.CleanName(*in.Name)
	}
	set(&t.Description, in.Description)
	setActive(&t.Deactivated, in.Active)
}

// changeMembers adds users to a team, or removes them.
func changeMembers(ctx context.Context, team string, users []string, key *string, mutation string, in any,
	add bool) (*model.Team, error) {
	n, w, invalid := keyedWriterOf(ctx, team, parseTeamID, key, mutation, in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	wrong := []error{invalid}
	if count := len(users); count > tracker.MaxMemberChange {
		users = nil
		wrong = append(wrong, tracker.Bad("input.userIds", "%d users; the limit is %d", count,
			tracker.MaxMemberChange))
	}
	ids := make([]tracker.UserID, len(users))
	for i, id := range users {
		user, err := parseUserID(ctx, id)
		if err != nil || user.Tenant != n.Tenant {
			wrong = append(wrong, tracker.Bad("input.userIds["+strconv.Itoa(i)+"]",
				"the tenant has no such user"))
			continue
		}
		ids[i] = user.User
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	changed, err := w.ChangeMembers(ctx, n.Team, ids, add)
	if err != nil {
		return nil, asInput("team", err)
	}
	return writtenTeam(ctx, n, changed)
}

func addTeamMembers(ctx context.Context, in model.AddTeamMembersInput) (*model.AddTeamMembersPayload, error) {
	t, err := changeMembers(ctx, in.TeamID, in.UserIds, in.IdempotencyKey, "addTeamMembers", in, true)
	if err != nil {
		return nil, err
	}
	return &model.AddTeamMembersPayload{Team: t}, nil
}

func removeTeamMembers(ctx context.Context, in model.RemoveTeamMembersInput) (
	*model.RemoveTeamMembersPayload, error) {
	t, err := changeMembers(ctx, in.TeamID, in.UserIds, in.IdempotencyKey, "removeTeamMembers", in, false)
	if err != nil {
		return nil, err
	}
	return &model.RemoveTeamMembersPayload{Team: t}, nil
}
