// Package definitions stores the projects of a tenant with their fields, which are their definitions, and
// caches them. A change of a definition that concerns issues creates a job in the same transaction (package
// work).
package definitions

import (
	"issuegrid/dynamo/internal/store"
)

// Store has the projects of one tenant.
type Store struct {
	t     *store.Tenant
	cache *Cache
}

// Of returns the projects of a tenant.
func Of(t *store.Tenant, c *Cache) *Store { return &Store{t, c} }
