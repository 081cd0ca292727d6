package dynamo

import (
	"context"
	"time"
)

// Waiting returns a handle whose jobs call wait in place of waiting before they begin.
func Waiting(t *Tenant, wait func(context.Context, time.Duration) error) *Tenant {
	db, runner := *t.db, *t.db.jobs
	runner.Settle = wait
	db.jobs = &runner
	return db.of(t.inside.Tenant)
}
