package model

import (
	"strings"

	"issuegrid/tracker"
)

// Viewer is who is asking.
type Viewer struct{ Principal tracker.Principal }

// User is the user's name; nil where nobody signs in.
func (v Viewer) User() *string {
	if v.Principal.User == "" {
		return nil
	}
	return &v.Principal.User
}

// Role is what the viewer may do.
func (v Viewer) Role() Role { return Role(strings.ToUpper(v.Principal.Role.String())) }

// CanEdit tells whether they may change issues.
func (v Viewer) CanEdit() bool { return v.Principal.May(tracker.Editor) }

// CanAdminister tells whether they may change projects and the tenant.
func (v Viewer) CanAdminister() bool { return v.Principal.May(tracker.Admin) }

// CanOperate tells whether they reach all tenants.
func (v Viewer) CanOperate() bool { return v.Principal.May(tracker.Operator) }

// Capacity is what a tenant may consume.
type Capacity struct {
	Limit, Remaining, Reset float64
}
