package model

import (
	"context"
	"strings"
	"time"

	"issuegrid/tracker"
)

// IsParticipant implements Participant.
func (*User) IsParticipant() {}

// IsParticipant implements Participant.
func (*Team) IsParticipant() {}

// ParticipantsOf returns users and teams in the order of all, and nil for missing ones.
func ParticipantsOf(ctx context.Context, t tracker.TenantID, l Reads, all []tracker.Participant) (
	[]Participant, error) {
	users, teams, err := l.People().Participants(ctx, all)
	if err != nil {
		return nil, err
	}
	out := make([]Participant, len(all))
	for i := range all {
		switch {
		case users[i] != nil:
			out[i] = &User{users[i], t, l}
		case teams[i] != nil:
			out[i] = &Team{teams[i], t, l}
		}
	}
	return out, nil
}

// defaultFew is the default number of users and teams in a cell, or of users that have a reaction.
const defaultFew = 10

// Assignees returns the first users and teams that the issue is assigned to.
func (i *Issue) Assignees(ctx context.Context, first *int32) ([]Participant, error) {
	return i.participants(ctx, i.Issue.Assignees, first)
}

// Watchers returns the first users and teams that watch the issue.
func (i *Issue) Watchers(ctx context.Context, first *int32) ([]Participant, error) {
	return i.participants(ctx, i.Issue.Watchers, first)
}

func (i *Issue) participants(ctx context.Context, all []tracker.Participant, first *int32) ([]Participant,
	error) {
	n := Or(first, defaultFew)
	if n < 0 || n > tracker.MaxParticipants {
		return nil, tracker.Bad("first", "%d is out of range: 0 to %d can be returned", n,
			tracker.MaxParticipants)
	}
	found, err := ParticipantsOf(ctx, i.Definition.Project.Tenant, i.Loaders, all[:min(int(n), len(all))])
	if err != nil {
		return nil, err
	}
	out := make([]Participant, 0, len(found))
	for _, p := range found {
		if p != nil {
			out = append(out, p)
		}
	}
	return out, nil
}

// AssigneeCount returns the number of users and teams that the issue is assigned to.
func (i *Issue) AssigneeCount() int32 { return int32(len(i.Issue.Assignees)) }

// WatcherCount returns the number of users and teams that watch the issue.
func (i *Issue) WatcherCount() int32 { return int32(len(i.Issue.Watchers)) }

// Author returns the user that created the issue, or nil.
func (i *Issue) Author(ctx context.Context) (*User, error) {
	return i.user(ctx, i.Issue.Author)
}

// LastEditor returns the user that last changed the issue, or nil.
func (i *Issue) LastEditor(ctx context.Context) (*User, error) {
	return i.user(ctx, i.Issue.Editor)
}

// names returns the names that participants had at a time. The names of missing ones are left out.
func (i *Issue) names(ctx context.Context, all []tracker.Participant, at time.Time) (string, error) {
	found, err := ParticipantsOf(ctx, i.Definition.Project.Tenant, i.Loaders, all)
	var names []string
	for _, p := range found {
		switch p := p.(type) {
		case *User:
			names = append(names, p.User.Former.At(at, p.User.Name))
		case *Team:
			names = append(names, p.Team.Former.At(at, p.Team.Name))
		}
	}
	return strings.Join(names, ", "), err
}

// ParticipationConnection is a page of issues of several projects.
type ParticipationConnection struct {
	Edges      []*ParticipationEdge
	Nodes      []*Issue
	PageInfo   *PageInfo
	Incomplete bool
	Counted
}

// Participation is a way in which a participant takes part in an issue.
type Participation struct {
	Of      tracker.Participant
	role    tracker.ParticipantRole
	tenant  tracker.TenantID
	loaders Reads
}

// NewParticipation returns the view of a way of a participant of a tenant.
func NewParticipation(t tracker.TenantID, l Reads, p tracker.Participant,
	r tracker.ParticipantRole) *Participation {
	return &Participation{p, r, t, l}
}

// Role returns the role.
func (p *Participation) Role() ParticipantRole {
	return ParticipantRole(strings.ToUpper(string(p.role)))
}

// Participant returns the user or the team.
func (p *Participation) Participant(ctx context.Context) (Participant, error) {
	found, err := ParticipantsOf(ctx, p.tenant, p.loaders, []tracker.Participant{p.Of})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}
