package dynamo

import (
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Tenant is a handle on the data of one tenant. It cannot build a key of another tenant (I1).
type Tenant struct{ scope }

// scope contains what the parts of the store share: the table, the tenant, the author of a change, and its
// idempotency key. Each part is a type derived from scope with methods of its own. A part is used by a
// conversion, as in reader(t), and may use only the parts listed above it:
//
//	reader       items by their keys, definitions, the index
//	idempotency  changes made under an idempotency key
//	indexer      the index entries of one issue
//	drafter      builds a commit from a document and its change; no I/O
//	committer    the writes of a commit
//	migrator     documents of an older definition
//	trash        deleting, restoring and purging issues
//	definer      projects and fields, and the jobs that their changes start
//	jobs         the steps of background jobs
type scope struct {
	db   *DB
	id   tracker.TenantID
	keys layout.Keys
	by   tracker.Actor // of changes
	once *tracker.Once // of the single change that the handle is for
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

// Tenant returns a handle on a tenant, which need not exist. It returns NotFound for an invalid id.
func (db *DB) Tenant(id tracker.TenantID) (*Tenant, error) {
	if !tracker.ValidID(string(id)) {
		return nil, tracker.Missing("tenant")
	}
	bound := *db
	bound.client = db.client.Of(id)
	return &Tenant{scope{db: &bound, id: id, keys: layout.Keys{Tenant: id}}}, nil
}

// As returns a handle whose changes are shown in histories as made by an actor.
func (t *Tenant) As(by tracker.Actor) *Tenant {
	as := *t
	as.by = by
	return &as
}

// userOf returns the user of an actor: the one that makes the change or imports a file. It is empty for a
// job, which finishes a change that was already made.
func userOf(by tracker.Actor) string {
	if OfJob(by) {
		return ""
	}
	return by.Name
}

// ID returns the id of the tenant.
func (t *Tenant) ID() tracker.TenantID { return t.id }
