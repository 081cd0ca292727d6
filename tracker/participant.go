package tracker

import (
	"slices"
	"strings"
)

// Participant is a user or a team that takes part in issues: in documents and keys, a letter for which of the
// two it is, followed by the id.
type Participant string

const (
	userParticipant = "u"
	teamParticipant = "t"
)

// UserParticipant returns the participant that a user is.
func UserParticipant(id UserID) Participant { return Participant(userParticipant + id) }

// TeamParticipant returns the participant that a team is.
func TeamParticipant(id TeamID) Participant { return Participant(teamParticipant + id) }

// User returns the id of a user, and false for a team.
func (p Participant) User() (UserID, bool) {
	if p == "" || p[:1] != userParticipant {
		return "", false
	}
	return UserID(p[1:]), true
}

// Team returns the id of a team, and false for a user.
func (p Participant) Team() (TeamID, bool) {
	if p == "" || p[:1] != teamParticipant {
		return "", false
	}
	return TeamID(p[1:]), true
}

// Valid reports whether p is well formed.
func (p Participant) Valid() bool {
	return p != "" && (p[:1] == userParticipant || p[:1] == teamParticipant) && ValidID(string(p[1:]))
}

// ParticipantRole is what a participant is to an issue.
type ParticipantRole string

// The roles of participants. An issue has one author, a user, that never changes.
const (
	RoleAssignee ParticipantRole = "assignee"
	RoleWatcher  ParticipantRole = "watcher"
	RoleAuthor   ParticipantRole = "author"
)

// RoleEditor is that of the user that last changed an issue. No issues can be found by it.
const RoleEditor ParticipantRole = "editor"

// FieldRole returns the role of the user to which an issue's value of a USER field refers. No issues can be
// found by it.
func FieldRole(id FieldID) ParticipantRole { return fieldRole + ParticipantRole(id) }

const fieldRole = "field."

// ParticipantRoles are all roles by which issues can be found.
var ParticipantRoles = []ParticipantRole{RoleAssignee, RoleWatcher, RoleAuthor}

// Participants returns the participants of an issue in a role.
func (i *Issue) Participants(r ParticipantRole) []Participant {
	switch r {
	case RoleAssignee:
		return i.Assignees
	case RoleWatcher:
		return i.Watchers
	case RoleAuthor:
		return oneUser(i.Author)
	case RoleEditor:
		return oneUser(i.Editor)
	}
	if id, ok := strings.CutPrefix(string(r), fieldRole); ok {
		return oneUser(i.Values[FieldID(id)].User())
	}
	return nil
}

// oneUser returns the participants that a user is, none for an empty id.
func oneUser(id UserID) []Participant {
	if id == "" {
		return nil
	}
	return []Participant{UserParticipant(id)}
}

// HasParticipants reports whether an issue has participants in any role.
func (i *Issue) HasParticipants() bool {
	return len(i.Assignees)+len(i.Watchers) > 0 || i.Author != ""
}

// ParticipantChange adds participants to those that an issue has in a role and removes others, whatever
// participants it has when the change is made. One that is removed and added becomes the last one.
type ParticipantChange struct {
	Add, Remove []Participant
	// Path is the path of errors about the result.
	Path string
}

// Changes reports whether c adds or removes participants.
func (c ParticipantChange) Changes() bool { return len(c.Add)+len(c.Remove) > 0 }

// Apply returns the participants after the change, those added last. It returns BadInput if there are more
// than MaxParticipants.
func (c ParticipantChange) Apply(old []Participant) ([]Participant, error) {
	out := slices.DeleteFunc(slices.Clone(old), func(p Participant) bool {
		return slices.Contains(c.Remove, p)
	})
	for _, p := range c.Add {
		if !p.Valid() {
			return nil, Bad(c.Path, "a participant is a user or a team")
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(out) > MaxParticipants {
		return nil, Bad(c.Path, "the issue would have %d participants in this role; the limit is %d",
			len(out), MaxParticipants)
	}
	return out, nil
}

// participantSet returns participants as the value of a column; the zero Value for none.
func participantSet(all []Participant) Value {
	if len(all) == 0 {
		return Value{}
	}
	set := make([]string, len(all))
	for n, p := range all {
		set[n] = string(p)
	}
	return Set(set)
}

// Participants returns the participants in a value of ColumnAssignees or ColumnWatchers.
func (v Value) Participants() []Participant {
	if v.Kind != KindSet || len(v.Set()) == 0 {
		return nil
	}
	out := make([]Participant, len(v.Set()))
	for n, p := range v.Set() {
		out[n] = Participant(p)
	}
	return out
}
