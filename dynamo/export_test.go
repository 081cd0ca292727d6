package dynamo

import (
	"context"
	"time"
)

// Waiting returns a handle whose jobs call wait in place of waiting before they begin.
func Waiting(t *Tenant, wait func(context.Context, time.Duration) error) *Tenant {
	waiting, db := *t, *t.db
	db.settle = wait
	waiting.db = &db
	return &waiting
}
