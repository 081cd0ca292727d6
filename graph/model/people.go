package model

import (
	"bytes"
	"context"
	"slices"
	"time"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// User is a user of a tenant.
type User struct {
	User    *tracker.User
	Tenant  tracker.TenantID
	Loaders Reads
}

// IsNode implements Node.
func (*User) IsNode() {}

// ID returns the opaque id.
func (u *User) ID() string { return UserNodeID(u.Tenant, u.User.ID) }

// Name returns the user's name.
func (u *User) Name() string { return u.User.Name }

// Email returns the user's e-mail address, or nil.
func (u *User) Email() *string { return nonEmpty(u.User.Email) }

// Initials returns the user's initials.
func (u *User) Initials() string { return u.User.ShownInitials() }

// Color returns the user's color.
func (u *User) Color() string { return u.User.ShownColor() }

// AvatarURL returns the address of the user's picture, or nil.
func (u *User) AvatarURL() *string { return nonEmpty(u.User.AvatarURL) }

// Claim returns what identifies the user in tokens, or nil.
func (u *User) Claim() *string { return nonEmpty(u.User.Claim) }

// Active reports whether the user can make requests.
func (u *User) Active() bool { return u.User.Active() }

// DeactivatedAt returns when the user was deactivated, or nil.
func (u *User) DeactivatedAt() *DateTime { return timeOrNil(u.User.Deactivated) }

// Version returns the user's version.
func (u *User) Version() int32 { return int32(u.User.Version) }

// CreatedAt returns when the user was created.
func (u *User) CreatedAt() DateTime { return DateTime(tracker.FormatDateTime(u.User.Created)) }

// UpdatedAt returns when the user was last changed.
func (u *User) UpdatedAt() DateTime { return DateTime(tracker.FormatDateTime(u.User.Updated)) }

// Teams returns the teams of the user, by name.
func (u *User) Teams(ctx context.Context) ([]*Team, error) {
	all, err := u.Loaders.People().Teams(ctx, u.User.Teams)
	if err != nil {
		return nil, err
	}
	out := make([]*Team, 0, len(all))
	for _, t := range byName(all, func(t *tracker.Team) (string, string) { return t.Name, string(t.ID) }) {
		out = append(out, &Team{t, u.Tenant, u.Loaders})
	}
	return out, nil
}

// Team is a team of a tenant.
type Team struct {
	Team    *tracker.Team
	Tenant  tracker.TenantID
	Loaders Reads
}

// IsNode implements Node.
func (*Team) IsNode() {}

// ID returns the opaque id.
func (t *Team) ID() string { return TeamNodeID(t.Tenant, t.Team.ID) }

// Name returns the team's name.
func (t *Team) Name() string { return t.Team.Name }

// Description returns the team's description, or nil.
func (t *Team) Description() *string { return nonEmpty(t.Team.Description) }

// MemberCount returns the number of members.
func (t *Team) MemberCount() int32 { return int32(len(t.Team.Members)) }

// Active reports whether the team is active.
func (t *Team) Active() bool { return t.Team.Active() }

// DeactivatedAt returns when the team was deactivated, or nil.
func (t *Team) DeactivatedAt() *DateTime { return timeOrNil(t.Team.Deactivated) }

// Version returns the team's version.
func (t *Team) Version() int32 { return int32(t.Team.Version) }

// CreatedAt returns when the team was created.
func (t *Team) CreatedAt() DateTime { return DateTime(tracker.FormatDateTime(t.Team.Created)) }

// UpdatedAt returns when the team was last changed.
func (t *Team) UpdatedAt() DateTime { return DateTime(tracker.FormatDateTime(t.Team.Updated)) }

// Members returns the members of the team, by name.
func (t *Team) Members(ctx context.Context) ([]*User, error) {
	all, err := t.Loaders.People().Users(ctx, t.Team.Members)
	if err != nil {
		return nil, err
	}
	out := make([]*User, 0, len(all))
	for _, u := range byName(all, func(u *tracker.User) (string, string) { return u.Name, string(u.ID) }) {
		out = append(out, &User{u, t.Tenant, t.Loaders})
	}
	return out, nil
}

// byName returns the values that are not nil in the order of lists by name.
func byName[V any](all []*V, of func(*V) (name, id string)) []*V {
	type placed struct {
		value    *V
		position []byte
	}
	var rows []placed
	for _, v := range all {
		if v != nil {
			rows = append(rows, placed{v, sortkey.Name(of(v))})
		}
	}
	slices.SortFunc(rows, func(a, b placed) int { return bytes.Compare(a.position, b.position) })
	out := make([]*V, len(rows))
	for i, r := range rows {
		out[i] = r.value
	}
	return out
}

func timeOrNil(t time.Time) *DateTime {
	if t.IsZero() {
		return nil
	}
	at := DateTime(tracker.FormatDateTime(t))
	return &at
}

// UserConnection is a page of users.
type UserConnection struct {
	Edges    []*UserEdge
	Nodes    []*User
	PageInfo *PageInfo
	Counted
}

// TeamConnection is a page of teams.
type TeamConnection struct {
	Edges    []*TeamEdge
	Nodes    []*Team
	PageInfo *PageInfo
	Counted
}
