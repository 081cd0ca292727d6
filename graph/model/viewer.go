package model

import (
	"strings"

	"issuegrid/tracker"
)

// Viewer is the caller of an operation.
type Viewer struct{ Principal tracker.Principal }

// UserName returns the user's name, or nil if authentication is off.
func (v Viewer) UserName() *string {
	if v.Principal.User == "" {
		return nil
	}
	return &v.Principal.User
}

// Role returns the viewer's role.
func (v Viewer) Role() Role { return Role(strings.ToUpper(v.Principal.Role.String())) }

// CanEdit reports whether the viewer may change issues.
func (v Viewer) CanEdit() bool { return v.Principal.May(tracker.Editor) }

// CanAdminister reports whether the viewer may change projects and the tenant.
func (v Viewer) CanAdminister() bool { return v.Principal.May(tracker.Admin) }

// CanOperate reports whether the viewer has access to all tenants.
func (v Viewer) CanOperate() bool { return v.Principal.May(tracker.Operator) }

// Capacity is the capacity budget of a tenant.
type Capacity struct {
	Limit, Remaining, SecondsToFull float64
}
