package model

import (
	"encoding/base64"
	"strings"

	"issuegrid/tracker"
)

// The kinds of nodes, as the first letter of a decoded id.
const (
	kindTenant  = 'T'
	kindProject = 'P'
	kindField   = 'F'
	kindIssue   = 'I'
)

// The kinds of what has such an id, though it is no node.
const (
	kindState  = 'S'
	kindOption = 'O'
	kindJob    = 'J'
)

// NodeID is what the opaque id of a node stands for. Which parts are set depends on the kind.
type NodeID struct {
	Kind    byte
	Tenant  tracker.TenantID
	Project tracker.ProjectID
	Field   tracker.FieldID
	Issue   tracker.IssueID
}

// maxParts is how many parts the longest ids have, those of options.
const maxParts = 4

// encodeID allocates nothing but the id, because a page of fields with many options encodes thousands.
func encodeID(kind byte, parts ...string) string {
	var room [maxParts * (tracker.MaxID + 1)]byte
	b := append(room[:0], kind)
	for i, part := range parts {
		if i > 0 {
			b = append(b, '/')
		}
		b = append(b, part...)
	}
	var encoded [(len(room)*4 + 2) / 3]byte
	return string(base64.RawURLEncoding.AppendEncode(encoded[:0], b))
}

// TenantNodeID makes the id of a tenant.
func TenantNodeID(t tracker.TenantID) string { return encodeID(kindTenant, string(t)) }

// ProjectNodeID makes the id of a project.
func ProjectNodeID(t tracker.TenantID, p tracker.ProjectID) string {
	return encodeID(kindProject, string(t), string(p))
}

// FieldNodeID makes the id of a custom field.
func FieldNodeID(t tracker.TenantID, p tracker.ProjectID, f tracker.FieldID) string {
	return encodeID(kindField, string(t), string(p), string(f))
}

// IssueNodeID makes the id of an issue.
func IssueNodeID(t tracker.TenantID, i tracker.IssueID) string {
	return encodeID(kindIssue, string(t), string(i.Project), i.Issue)
}

// StateID makes the id of a state.
func StateID(t tracker.TenantID, p tracker.ProjectID, s tracker.OptionID) string {
	return encodeID(kindState, string(t), string(p), string(s))
}

// OptionID makes the id of an option of a custom field.
func OptionID(t tracker.TenantID, p tracker.ProjectID, f tracker.FieldID, o tracker.OptionID) string {
	return encodeID(kindOption, string(t), string(p), string(f), string(o))
}

// JobID makes the id of a job of a project.
func JobID(t tracker.TenantID, p tracker.ProjectID, job string) string {
	return encodeID(kindJob, string(t), string(p), job)
}

// ParseStateID reads the id of a state of this project; false for every other id. Whether there is such a
// state, the project knows.
func ParseStateID(t tracker.TenantID, p tracker.ProjectID, id string) (tracker.OptionID, bool) {
	s, ok := lastPart(id, kindState, string(t), string(p))
	return tracker.OptionID(s), ok
}

// ParseOptionID reads the id of an option of this field; false for every other id. Whether there is such an
// option, the field knows.
func ParseOptionID(t tracker.TenantID, p tracker.ProjectID, f tracker.FieldID, id string) (tracker.OptionID,
	bool) {
	o, ok := lastPart(id, kindOption, string(t), string(p), string(f))
	return tracker.OptionID(o), ok
}

// lastPart is what an id has behind the parts that it must begin with.
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

// decodeID undoes encodeID. False for what has another spelling than encodeID's, so that nothing has two ids.
func decodeID(id string) ([]byte, bool) {
	if strings.ContainsAny(id, "\r\n") { // which the decoder passes over
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(id)
	return b, err == nil && len(b) > 1
}

// ParseNodeID reads the id of a node; false for one that the constructors cannot have made, and for an id of
// what is no node.
func ParseNodeID(id string) (NodeID, bool) {
	b, ok := decodeID(id)
	if !ok {
		return NodeID{}, false
	}
	n := NodeID{Kind: b[0]}
	parts := strings.Split(string(b[1:]), "/")
	for _, p := range parts {
		if !tracker.ValidID(p) {
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
	default:
		return NodeID{}, false
	}
	return n, true
}

// ParseTenantID reads the id of a tenant. An id of anything else, or of nothing, is NotFound: it names no
// tenant.
func ParseTenantID(id string) (NodeID, error) { return parseAs(kindTenant, "tenant", id) }

// ParseProjectID reads the id of a project, likewise.
func ParseProjectID(id string) (NodeID, error) { return parseAs(kindProject, "project", id) }

// ParseFieldID reads the id of a custom field, likewise.
func ParseFieldID(id string) (NodeID, error) { return parseAs(kindField, "custom field", id) }

// ParseIssueID reads the id of an issue, likewise.
func ParseIssueID(id string) (NodeID, error) { return parseAs(kindIssue, "issue", id) }

func parseAs(kind byte, what, id string) (NodeID, error) {
	n, ok := ParseNodeID(id)
	if !ok || n.Kind != kind {
		return NodeID{}, tracker.Missing(what)
	}
	return n, nil
}

// IsTenant tells what the id names, like its siblings.
func (n NodeID) IsTenant() bool { return n.Kind == kindTenant }

// IsProject tells whether the id names a project.
func (n NodeID) IsProject() bool { return n.Kind == kindProject }

// IsField tells whether the id names a custom field.
func (n NodeID) IsField() bool { return n.Kind == kindField }

// Elsewhere is an id of another tenant in place of this one. It names nothing: what it is made of is a hash
// that nothing else is an id by.
func (n NodeID) Elsewhere(t tracker.TenantID) NodeID {
	n.Project = tracker.ProjectID(tracker.IDFor("elsewhere", string(n.Tenant), string(n.Project)))
	if n.Kind == kindIssue {
		n.Issue = tracker.IssueID{Project: n.Project,
			Issue: tracker.IDFor("elsewhere", string(n.Tenant), n.Issue.Issue)}
	}
	n.Tenant = t
	return n
}
