// Package jobs runs the jobs of tenants, which complete changes of definitions: step by step, so that a
// server can stop at any time and another one continues. Package work has their state.
package jobs

import (
	"context"
	"errors"
	"time"

	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/issues"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/runner"
	"issuegrid/tracker"
)

// Runner is what the jobs of all tenants share. In a process that runs jobs (Run), it starts those that are
// needed.
type Runner struct {
	Settings
	queue       *runner.Runner[layout.Key]
	declined    *declined
	definitions *definitions.Cache
}

// Settings are those of a Runner.
type Settings struct {
	ReadTime time.Duration // as in dynamo.Settings
	IndexLag time.Duration // as in dynamo.Settings
	// RetryTime is how long jobs wait that failed, or that another server is running.
	RetryTime time.Duration
	// Settle waits before the pass of jobs.
	Settle func(context.Context, time.Duration) error
}

// New returns a runner. Changes of the definitions in c start the jobs that they need.
func New(s Settings, c *definitions.Cache) *Runner {
	r := &Runner{Settings: s, queue: runner.New[layout.Key](s.RetryTime), declined: &declined{},
		definitions: c}
	c.RunJobs = r.start
	return r
}

// Run runs jobs in this process until ctx is canceled, and regularly calls search to find others. A job that
// fails is passed to failed and retried. The returned function waits until all jobs have stopped.
func (r *Runner) Run(ctx context.Context, search func(context.Context) error, failed func(error)) (
	ended func()) {
	return r.queue.Run(ctx, search, failed)
}

// Find starts the open jobs of a tenant, and deletes its projects that have been in the trash for too long.
// deleted is set for a tenant that was deleted, and is removed.
func (r *Runner) Find(ctx context.Context, t *store.Tenant, deleted bool, failed func(error)) error {
	projects, _, err := store.List[tracker.ProjectID]{DB: t.DB, Partition: t.Keys.OpenJobs(),
		Parse: t.Keys.ParseProject}.Page(ctx, store.ListQuery{Limit: 1000})
	if err != nil {
		return err
	}
	for _, p := range projects {
		r.start(t, p.ID)
	}
	if deleted {
		r.Remove(t)
		return nil
	}
	if err := r.findRenames(ctx, t); err != nil && ctx.Err() == nil {
		failed(err) // the other jobs must not wait
	}
	if err := r.Of(t).purgeProjects(ctx); err != nil && ctx.Err() == nil {
		failed(err) // the other tenants must not wait
	}
	return nil
}

// Remove starts removing the items of a tenant that was deleted.
func (r *Runner) Remove(t *store.Tenant) { r.kick(t.Keys.TenantItem(), r.Of(t).removeTenant) }

// start starts the jobs of a project.
func (r *Runner) start(t *store.Tenant, p tracker.ProjectID) {
	r.kick(t.Keys.Jobs(p), func(ctx context.Context) (bool, error) { return r.Of(t).doJobs(ctx, p) })
}

// kick runs work in the background. left reports whether another server is doing the rest.
func (r *Runner) kick(key layout.Key, work func(context.Context) (left bool, _ error)) {
	r.queue.Kick(key, func(ctx context.Context) (bool, time.Duration, error) {
		left, err := work(ctx)
		return left, r.RetryTime, err
	})
}

// Store has the jobs of one tenant.
type Store struct {
	t           *store.Tenant
	runner      *Runner
	definitions *definitions.Store
	issues      *issues.Store
}

// Of returns the jobs of a tenant.
func (r *Runner) Of(t *store.Tenant) *Store {
	d := definitions.Of(t, r.definitions)
	return &Store{t, r, d, issues.Of(t, d)}
}

// background returns the store for the steps of jobs. Their cost is not charged to any request.
func (s *Store) background() *Store {
	return s.runner.Of(s.t.Background(tracker.Actor{Kind: tracker.ActorJob}))
}

// purgeProjects deletes the projects of the tenant that have been in the trash for KeepTrash.
func (s *Store) purgeProjects(ctx context.Context) error {
	due, _, err := s.definitions.DeletedList().Page(ctx,
		store.ListQuery{From: layout.DeletedProjectSort(s.t.Now(), ""), Limit: maxPurged})
	if err != nil {
		return err
	}
	var failed []error
	for _, found := range due {
		err := s.definitions.DeleteProject(ctx, found.ID, func(p *tracker.Project) error {
			if p.Trash == nil || p.Trash.Purge.After(s.t.Now()) {
				return tracker.Missing("project in the trash") // restored, or deleted once more
			}
			return nil
		})
		if err != nil && tracker.CodeOf(err) != tracker.NotFound {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// maxPurged is the maximum number of projects of a tenant that a search for jobs deletes.
const maxPurged = 100
