// Package issues stores the issues of a tenant: their documents, index entries, long texts and histories. A
// change of an issue is a commit, which is atomic regardless of its size.
package issues

import (
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Store has the issues of one tenant.
type Store struct {
	t           *store.Tenant
	definitions *definitions.Store
	names       map[tracker.UserID]string // that converted gives to users, as in naming; nil otherwise
}

// Of returns the issues of a tenant, by the definitions of their projects.
func Of(t *store.Tenant, d *definitions.Store) *Store { return &Store{t: t, definitions: d} }

// withoutOnce returns the store for a change that has no idempotency key.
func (s *Store) withoutOnce() *Store {
	t := *s.t
	t.Once = nil
	return &Store{&t, s.definitions, s.names}
}
