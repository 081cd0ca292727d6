package rows

import (
	"bytes"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// participants encodes each user and each team of the page once; rows copy the JSON.
func (c *compiler) participants(f graphql.CollectedField, role tracker.ParticipantRole) cellWriter {
	first, ok := FirstParticipants(f, c.op)
	if !ok {
		return nil
	}
	one := c.participant(f, role, first)
	if one == nil {
		return nil
	}
	return func(b []byte, r row) ([]byte, error) {
		b = append(b, '[')
		all := r.issue.Issue.Participants(role)
		for _, p := range all[:min(first, len(all))] {
			json := one(p)
			switch {
			case json != nil:
				b = append(append(b, json...), ',')
			case c.people[p] != nil:
				return nil, errNotCompiled
			}
		}
		return append(bytes.TrimSuffix(b, []byte{','}), ']'), nil
	}
}

// user returns the writer of the user that has a role, or null.
func (c *compiler) user(f graphql.CollectedField, role tracker.ParticipantRole) cellWriter {
	one := c.participant(f, role, 1)
	if one == nil {
		return nil
	}
	return func(b []byte, r row) ([]byte, error) {
		all := r.issue.Issue.Participants(role)
		if len(all) == 0 {
			return append(b, "null"...), nil
		}
		json := one(all[0])
		if json == nil {
			return nil, errNotCompiled
		}
		return append(b, json...), nil
	}
}

// participant returns a function that returns the JSON of a participant in a role, of which rows show at most
// first; nil for one that is missing. It returns nil if the selection is not compiled.
func (c *compiler) participant(f graphql.CollectedField, role tracker.ParticipantRole,
	first int) func(tracker.Participant) []byte {
	if c.person(f, &model.User{User: &tracker.User{}}) == nil ||
		c.person(f, &model.Team{Team: &tracker.Team{}}) == nil {
		return nil
	}
	if c.roles == nil {
		c.roles = map[tracker.ParticipantRole]int{}
	}
	c.roles[role] = max(c.roles[role], first)
	known := map[tracker.Participant][]byte{}
	return func(p tracker.Participant) []byte {
		json, ok := known[p]
		if !ok {
			json = c.person(f, c.people[p])
			known[p] = json
		}
		return json
	}
}

// readPeople reads the users and the teams that the rows show, together. It reports false if that failed.
func (c *compiler) readPeople(list List) bool {
	c.people = map[tracker.Participant]model.Participant{}
	if len(c.roles) == 0 {
		return true
	}
	issues := make([]*model.Issue, list.len())
	for i := range issues {
		issues[i] = list.issue(i)
	}
	all := Participants(issues, c.roles)
	found, err := model.ParticipantsOf(c.ctx, c.definition.Project.Tenant, issues[0].Loaders, all)
	for i := range found {
		c.people[all[i]] = found[i]
	}
	return err == nil
}

// participantTypes are the abstract types of users and teams.
var participantTypes = []string{"Node", "Participant"}

// person encodes a user or a team. It returns nil for a missing one, and if the selection is not compiled.
func (c *compiler) person(f graphql.CollectedField, p model.Participant) []byte {
	switch p := p.(type) {
	case *model.User:
		return c.shared(f, "User", participantTypes, func(f graphql.CollectedField) []byte {
			return userMember(f.Name, p)
		})
	case *model.Team:
		return c.shared(f, "Team", participantTypes, func(f graphql.CollectedField) []byte {
			return teamMember(f.Name, p)
		})
	}
	return nil
}

func userMember(name string, u *model.User) []byte {
	switch name {
	case "id":
		return appendString(nil, u.ID())
	case "name":
		return appendString(nil, u.Name())
	case "email":
		return appendNullable(nil, u.Email())
	case "initials":
		return appendString(nil, u.Initials())
	case "color":
		return appendString(nil, u.Color())
	case "avatarUrl":
		return appendNullable(nil, u.AvatarURL())
	case "claim":
		return appendNullable(nil, u.Claim())
	}
	return recordMember(name, u)
}

func teamMember(name string, t *model.Team) []byte {
	switch name {
	case "id":
		return appendString(nil, t.ID())
	case "name":
		return appendString(nil, t.Name())
	case "description":
		return appendNullable(nil, t.Description())
	case "memberCount":
		return strconv.AppendInt(nil, int64(t.MemberCount()), 10)
	}
	return recordMember(name, t)
}

// recordMember encodes a member that users and teams have.
func recordMember(name string, of interface {
	Active() bool
	DeactivatedAt() *model.DateTime
	Version() int32
	CreatedAt() model.DateTime
	UpdatedAt() model.DateTime
}) []byte {
	switch name {
	case "active":
		return strconv.AppendBool(nil, of.Active())
	case "deactivatedAt":
		return appendNullable(nil, (*string)(of.DeactivatedAt()))
	case "version":
		return strconv.AppendInt(nil, int64(of.Version()), 10)
	case "createdAt":
		return appendString(nil, string(of.CreatedAt()))
	case "updatedAt":
		return appendString(nil, string(of.UpdatedAt()))
	}
	return nil
}

// Participants returns the participants that issues have in roles, each once. roles has the maximum number
// of each issue.
func Participants(issues []*model.Issue, roles map[tracker.ParticipantRole]int) []tracker.Participant {
	var out []tracker.Participant
	seen := map[tracker.Participant]bool{}
	for role, first := range roles {
		for _, i := range issues {
			all := i.Issue.Participants(role)
			for _, p := range all[:min(first, len(all))] {
				if !seen[p] {
					seen[p] = true
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// FirstParticipants returns the argument first of a field of participants, and false if it is invalid.
func FirstParticipants(f graphql.CollectedField, op *graphql.OperationContext) (int, bool) {
	first, ok := f.ArgumentMap(op.Variables)["first"]
	n, err := graphql.UnmarshalInt32(first)
	return int(n), ok && err == nil && n >= 0 && n <= tracker.MaxParticipants
}
