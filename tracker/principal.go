package tracker

// Role is a level of permission. Each role includes the permissions of those before it.
type Role int

// The roles.
const (
	NoRole   Role = iota
	Reader        // reads everything of the tenant
	Editor        // changes issues
	Admin         // changes projects, custom fields and the tenant
	Operator      // acts as Admin in all tenants, and creates tenants
)

// Roles lists the roles that can be granted.
var Roles = []Role{Reader, Editor, Admin, Operator}

// String returns the name of the role in tokens, or "none" for NoRole.
func (r Role) String() string {
	return [...]string{"none", "reader", "editor", "admin", "operator"}[r]
}

// Principal is the caller of a request.
type Principal struct {
	// Tenant is the tenant of the principal. It may be empty for an operator.
	Tenant TenantID
	// User identifies the principal within the tenant, for example in histories. It is empty if the server
	// does not authenticate users.
	User string
	// UserID identifies the user of the tenant that the principal is. It is empty without authentication, and
	// for an operator outside of its own tenant.
	UserID UserID
	Role   Role
	// Profile is what the token says of the user, for its record.
	Profile Profile
}

// May reports whether the principal has role r or a higher one.
func (p Principal) May(r Role) bool { return p.Role >= r }

// Confined reports whether the principal can access only its own tenant.
func (p Principal) Confined() bool { return p.Role != Operator }

// CanAccess reports whether the principal can access tenant t.
func (p Principal) CanAccess(t TenantID) bool { return !p.Confined() || t == p.Tenant }

// UserIn returns the id of the user that the principal is in a tenant; empty if it is none.
func (p Principal) UserIn(t TenantID) UserID {
	if p.Tenant != t {
		return ""
	}
	return p.UserID
}
