package model

import (
	"encoding/base64"
	"strings"

	"issuegrid/tracker"
)

// Kinds of nodes. A kind is the first byte of a decoded id.
const (
	kindTenant  = 'T'
	kindProject = 'P'
	kindField   = 'F'
	kindIssue   = 'I'
	kindView    = 'V'
	kindUser    = 'A'
	kindTeam    = 'G'
	kindComment = 'C'
	kindState   = 'S'
	kindOption  = 'O'
	kindJob     = 'J'
)

// kindImport is the kind of the ids of imports, which are not nodes: clients follow them over HTTP.
const kindImport = 'U'

// NodeID is a decoded node id. Kind determines which of the other fields are set.
type NodeID struct {
	Kind    byte
	Tenant  tracker.TenantID
	Project tracker.ProjectID
	Field   tracker.FieldID
	Issue   tracker.IssueID
	View    tracker.ViewID
	User    tracker.UserID
	Team    tracker.TeamID
	Comment tracker.CommentRef
	Choice  tracker.OptionID // of a state or an option
	Job     string
}

// maxParts is the number of parts of the longest ids, those of replies.
const maxParts = 5

// maxEncoded is the maximum length of an id.
const maxEncoded = ((maxParts*(tracker.MaxID+1))*4 + 2) / 3

// encodeID builds the opaque id of a kind and its parts. It allocates only the returned string, because a
// page of fields with many options encodes thousands of ids.
func encodeID(kind byte, parts ...string) string {
	var buf [maxParts * (tracker.MaxID + 1)]byte
	b := append(buf[:0], kind)
	for i, part := range parts {
		if i > 0 {
			b = append(b, '/')
		}
		b = append(b, part...)
	}
	var encoded [(len(buf)*4 + 2) / 3]byte
	return string(base64.RawURLEncoding.AppendEncode(encoded[:0], b))
}

// TenantNodeID returns the id of a tenant.
func TenantNodeID(t tracker.TenantID) string { return encodeID(kindTenant, string(t)) }

// ProjectNodeID returns the id of a project.
func ProjectNodeID(t tracker.TenantID, p tracker.ProjectID) string {
	return encodeID(kindProject, string(t), string(p))
}

// FieldNodeID returns the id of a custom field.
func FieldNodeID(t tracker.TenantID, p tracker.ProjectID, f tracker.FieldID) string {
	return encodeID(kindField, string(t), string(p), string(f))
}

// IssueNodeID returns the id of an issue.
func IssueNodeID(t tracker.TenantID, i tracker.IssueID) string {
	return encodeID(kindIssue, string(t), string(i.Project), i.Issue)
}

// ViewNodeID returns the id of a view. It does not say whether the view is shared.
func ViewNodeID(t tracker.TenantID, v tracker.ViewRef) string {
	return encodeID(kindView, string(t), string(v.Project), string(v.View))
}

// UserNodeID returns the id of a user.
func UserNodeID(t tracker.TenantID, u tracker.UserID) string {
	return encodeID(kindUser, string(t), string(u))
}

// TeamNodeID returns the id of a team.
func TeamNodeID(t tracker.TenantID, id tracker.TeamID) string {
	return encodeID(kindTeam, string(t), string(id))
}

// StateID returns the id of a state.
func StateID(t tracker.TenantID, p tracker.ProjectID, s tracker.OptionID) string {
	return encodeID(kindState, string(t), string(p), string(s))
}

// OptionID returns the id of an option of a custom field.
func OptionID(t tracker.TenantID, p tracker.ProjectID, f tracker.FieldID, o tracker.OptionID) string {
	return encodeID(kindOption, string(t), string(p), string(f), string(o))
}

// JobID returns the id of a job of a project.
func JobID(t tracker.TenantID, p tracker.ProjectID, job string) string {
	return encodeID(kindJob, string(t), string(p), job)
}

// ImportID returns the id of an import.
func ImportID(t tracker.TenantID, id string) string { return encodeID(kindImport, string(t), id) }

// ParseStateID parses the id of a state of project p. It returns false for any other id. It does not check
// that the project has this state.
func ParseStateID(t tracker.TenantID, p tracker.ProjectID, id string) (tracker.OptionID, bool) {
	s, ok := lastPart(id, kindState, string(t), string(p))
	return tracker.OptionID(s), ok
}

// ParseOptionID parses the id of an option of field f. It returns false for any other id. It does not check
// that the field has this option.
func ParseOptionID(t tracker.TenantID, p tracker.ProjectID, f tracker.FieldID, id string) (tracker.OptionID,
	bool) {
	o, ok := lastPart(id, kindOption, string(t), string(p), string(f))
	return tracker.OptionID(o), ok
}

// lastPart returns the part of an id that follows the given kind and parts, or false if the id does not start
// with them.
func lastPart(id string, kind byte, parts ...string) (string, bool) {
	b, ok := decodeID(id)
	if !ok {
		return "", false
	}
	last, ok := strings.CutPrefix(string(b), string(kind)+strings.Join(parts, "/")+"/")
	if !ok || !tracker.ValidID(last) {
		return "", false
	}
	return last, true
}

// decodeID decodes the base64 of an id. It returns false for any spelling that encodeID does not produce, so
// that nothing has two ids.
func decodeID(id string) ([]byte, bool) {
	if len(id) > maxEncoded || strings.ContainsAny(id, "\r\n") { // the decoder ignores them
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(id)
	return b, err == nil && len(b) > 1
}

// CommentNodeID returns the id of a comment.
func CommentNodeID(t tracker.TenantID, c tracker.CommentRef) string {
	parts := []string{string(t), string(c.Issue.Project), c.Issue.Issue, string(c.ID)}
	if c.Reply() {
		parts = append(parts, string(c.Parent))
	}
	return encodeID(kindComment, parts...)
}

// ParseNodeID parses the id of a node. It returns false for an id that the constructors cannot produce and
// for an id of something that is not a node.
func ParseNodeID(id string) (NodeID, bool) {
	b, ok := decodeID(id)
	if !ok {
		return NodeID{}, false
	}
	n := NodeID{Kind: b[0]}
	parts := strings.Split(string(b[1:]), "/")
	for i, p := range parts {
		if !tracker.ValidID(p) && (n.Kind != kindIssue && n.Kind != kindComment || i != 2 ||
			!tracker.ValidIssue(p)) {
			return NodeID{}, false
		}
	}
	n.Tenant = tracker.TenantID(parts[0])
	switch {
	case n.Kind == kindTenant && len(parts) == 1:
	case n.Kind == kindProject && len(parts) == 2:
		n.Project = tracker.ProjectID(parts[1])
	case n.Kind == kindField && len(parts) == 3 && tracker.FieldID(parts[2]).Valid():
		n.Project, n.Field = tracker.ProjectID(parts[1]), tracker.FieldID(parts[2])
	case n.Kind == kindIssue && len(parts) == 3:
		n.Project = tracker.ProjectID(parts[1])
		n.Issue = tracker.IssueID{Project: n.Project, Issue: parts[2]}
	case n.Kind == kindView && len(parts) == 3:
		n.Project, n.View = tracker.ProjectID(parts[1]), tracker.ViewID(parts[2])
	case n.Kind == kindUser && len(parts) == 2:
		n.User = tracker.UserID(parts[1])
	case n.Kind == kindTeam && len(parts) == 2:
		n.Team = tracker.TeamID(parts[1])
	case n.Kind == kindState && len(parts) == 3:
		n.Project, n.Choice = tracker.ProjectID(parts[1]), tracker.OptionID(parts[2])
	case n.Kind == kindOption && len(parts) == 4 && tracker.FieldID(parts[2]).Valid():
		n.Project, n.Field = tracker.ProjectID(parts[1]), tracker.FieldID(parts[2])
		n.Choice = tracker.OptionID(parts[3])
	case n.Kind == kindJob && len(parts) == 3:
		n.Project, n.Job = tracker.ProjectID(parts[1]), parts[2]
	case n.Kind == kindComment && len(parts) >= 4:
		n.Project = tracker.ProjectID(parts[1])
		n.Issue = tracker.IssueID{Project: n.Project, Issue: parts[2]}
		n.Comment = tracker.CommentRef{Issue: n.Issue, ID: tracker.CommentID(parts[3])}
		if len(parts) == 5 {
			n.Comment.Parent = tracker.CommentID(parts[4])
		}
		if len(parts) > 5 || !n.Comment.Valid() {
			return NodeID{}, false
		}
	default:
		return NodeID{}, false
	}
	return n, true
}

// ParseTenantID parses the id of a tenant. The error for any other id is NotFound.
func ParseTenantID(id string) (NodeID, error) { return parseAs(kindTenant, "tenant", id) }

// ParseProjectID parses the id of a project. The error for any other id is NotFound.
func ParseProjectID(id string) (NodeID, error) { return parseAs(kindProject, "project", id) }

// ParseFieldID parses the id of a custom field. The error for any other id is NotFound.
func ParseFieldID(id string) (NodeID, error) { return parseAs(kindField, "custom field", id) }

// ParseIssueID parses the id of an issue. The error for any other id is NotFound.
func ParseIssueID(id string) (NodeID, error) { return parseAs(kindIssue, "issue", id) }

// ParseViewID parses the id of a view. The error for any other id is NotFound.
func ParseViewID(id string) (NodeID, error) { return parseAs(kindView, "view", id) }

// ParseUserID parses the id of a user. The error for any other id is NotFound.
func ParseUserID(id string) (NodeID, error) { return parseAs(kindUser, "user", id) }

// ParseTeamID parses the id of a team. The error for any other id is NotFound.
func ParseTeamID(id string) (NodeID, error) { return parseAs(kindTeam, "team", id) }

// ParseCommentID parses the id of a comment. The error for any other id is NotFound.
func ParseCommentID(id string) (NodeID, error) { return parseAs(kindComment, "comment", id) }

// ParseState parses the id of a state. The error for any other id is NotFound.
func ParseState(id string) (NodeID, error) { return parseAs(kindState, "state", id) }

// ParseOption parses the id of an option. The error for any other id is NotFound.
func ParseOption(id string) (NodeID, error) { return parseAs(kindOption, "option", id) }

// ParseJobID parses the id of a job. The error for any other id is NotFound.
func ParseJobID(id string) (NodeID, error) { return parseAs(kindJob, "job", id) }

// ParseImportID parses the id of an import. The error for any other id is NotFound.
func ParseImportID(id string) (t tracker.TenantID, part string, err error) {
	b, ok := decodeID(id)
	tenant, part, two := strings.Cut(string(b[min(1, len(b)):]), "/")
	if !ok || b[0] != kindImport || !two || !tracker.ValidID(tenant) || !tracker.ValidID(part) {
		return "", "", tracker.Missing("import")
	}
	return tracker.TenantID(tenant), part, nil
}

func parseAs(kind byte, what, id string) (NodeID, error) {
	n, ok := ParseNodeID(id)
	if !ok || n.Kind != kind {
		return NodeID{}, tracker.Missing(what)
	}
	return n, nil
}

// IsTenant reports whether n is the id of a tenant.
func (n NodeID) IsTenant() bool { return n.Kind == kindTenant }

// IsProject reports whether n is the id of a project.
func (n NodeID) IsProject() bool { return n.Kind == kindProject }

// IsField reports whether n is the id of a custom field.
func (n NodeID) IsField() bool { return n.Kind == kindField }

// IsView reports whether n is the id of a view.
func (n NodeID) IsView() bool { return n.Kind == kindView }

// IsUser reports whether n is the id of a user.
func (n NodeID) IsUser() bool { return n.Kind == kindUser }

// IsTeam reports whether n is the id of a team.
func (n NodeID) IsTeam() bool { return n.Kind == kindTeam }

// Participant returns the participant that n is the id of, and false if it is not that of a user or a team.
func (n NodeID) Participant() (tracker.Participant, bool) {
	switch {
	case n.IsUser():
		return tracker.UserParticipant(n.User), true
	case n.IsTeam():
		return tracker.TeamParticipant(n.Team), true
	}
	return "", false
}

// IsComment reports whether n is the id of a comment.
func (n NodeID) IsComment() bool { return n.Kind == kindComment }

// IsState reports whether n is the id of a state.
func (n NodeID) IsState() bool { return n.Kind == kindState }

// IsOption reports whether n is the id of an option.
func (n NodeID) IsOption() bool { return n.Kind == kindOption }

// IsJob reports whether n is the id of a job.
func (n NodeID) IsJob() bool { return n.Kind == kindJob }

// ViewRef returns the view that n is the id of.
func (n NodeID) ViewRef() tracker.ViewRef { return tracker.ViewRef{Project: n.Project, View: n.View} }

// Elsewhere maps an id of another tenant to an id of tenant t that names nothing. Its parts are hashes that
// are never assigned as ids.
func (n NodeID) Elsewhere(t tracker.TenantID) NodeID {
	n.Project = tracker.ProjectID(tracker.IDFor("elsewhere", string(n.Tenant), string(n.Project)))
	if n.Kind == kindIssue || n.Kind == kindComment {
		n.Issue = tracker.IssueID{Project: n.Project,
			Issue: tracker.IDFor("elsewhere", string(n.Tenant), n.Issue.Issue)}
	}
	if n.Kind == kindUser {
		n.User = tracker.UserID(tracker.IDFor("elsewhere", string(n.Tenant), string(n.User)))
	}
	if n.Kind == kindTeam {
		n.Team = tracker.TeamID(tracker.IDFor("elsewhere", string(n.Tenant), string(n.Team)))
	}
	n.Comment.Issue, n.Tenant = n.Issue, t
	return n
}
