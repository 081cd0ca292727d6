package tracker

// Role is what somebody may do. A role may do what those before it may.
type Role int

// The roles.
const (
	NoRole   Role = iota
	Reader        // reads everything of the tenant
	Editor        // changes issues
	Admin         // changes projects, custom fields and the tenant
	Operator      // does so in all tenants, and makes tenants
)

// Roles are all roles that somebody can have.
var Roles = []Role{Reader, Editor, Admin, Operator}

// String is the role as tokens name it; "none" without one.
func (r Role) String() string {
	return [...]string{"none", "reader", "editor", "admin", "operator"}[r]
}

// Principal is who is asking.
type Principal struct {
	// Tenant is the one that the principal belongs to; an operator may belong to none.
	Tenant TenantID
	// User is who the principal is within the tenant; histories name it. It is empty where nobody signs in.
	User string
	Role Role
}

// May tells whether the principal has a role, or one that may more.
func (p Principal) May(r Role) bool { return p.Role >= r }

// Confined tells that the principal reaches its own tenant and no other.
func (p Principal) Confined() bool { return p.Role != Operator }

// Reaches tells whether the principal may know of a tenant.
func (p Principal) Reaches(t TenantID) bool { return !p.Confined() || t == p.Tenant }
