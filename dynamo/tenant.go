package dynamo

import (
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Tenant is a handle on the data of one tenant. It cannot build the key of another (I1).
type Tenant struct{ scope }

// scope is what the parts of the store need to know: the table, whose data it is, the author of a change,
// and its idempotency key. Each part is a type over it with methods of its own, and one part uses another
// by a conversion, as in reader(t). A part may use those above it:
//
//	reader       items by their keys, definitions, the index
//	idempotency  what was made under the idempotency key
//	indexer      the index entries of one issue
//	drafter      a commit from a document and what is to change of it; no I/O
//	committer    the writes of a commit
//	migrator     documents of an older definition
//	trash        deleting, restoring and purging issues
//	definer      projects and fields, with the jobs that changes of them open
//	jobs         the steps of jobs in the background
type scope struct {
	db   *DB
	id   tracker.TenantID
	keys layout.Keys
	by   string
	once *tracker.Once // of the one change that the handle is for
}

type (
	reader      scope
	idempotency scope
	indexer     scope
	drafter     scope
	committer   scope
	migrator    scope
	trash       scope
	definer     scope
	jobs        scope
)

// Tenant returns the handle of a tenant, whether or not it exists. An id that no tenant can have is NotFound.
func (db *DB) Tenant(id tracker.TenantID) (*Tenant, error) {
	if !tracker.ValidID(string(id)) {
		return nil, tracker.Missing("tenant")
	}
	bound := *db
	bound.client = db.client.Of(id)
	return &Tenant{scope{db: &bound, id: id, keys: layout.Keys{Tenant: id}}}, nil
}

// As returns the same handle for changes that somebody makes; the histories of issues name them.
func (t *Tenant) As(by string) *Tenant {
	as := *t
	as.by = by
	return &as
}

// ID returns the tenant that the handle is bound to.
func (t *Tenant) ID() tracker.TenantID { return t.id }
