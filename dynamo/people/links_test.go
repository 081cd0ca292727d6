package people_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// link links names in a field of a project to the users with the numbers.
func (r *renames) link(d *tracker.Definition, field tracker.FieldID, users map[string]int) {
	r.Helper()
	var links []tracker.UserLink
	to := map[string]int{}
	for name, n := range users {
		links = append(links, tracker.UserLink{Name: name, User: r.users[n].ID, UserName: r.users[n].Name})
		to[fold.String(name)] = n
	}
	_, err := r.Tenant.UpdateField(r.Context(), d.Project.ID, field, func(f *tracker.Field) error {
		return f.LinkNames(links)
	})
	r.Must(err)
	r.refresh()
	for id, values := range r.values {
		if v, ok := values[field]; ok && id.Project == d.Project.ID && v.User() == "" {
			if n, ok := to[fold.String(v.Text())]; ok {
				values[field] = tracker.UserValue(r.users[n].Name, r.users[n].ID)
			}
		}
	}
}

// refresh reads the definitions of the projects again.
func (r *renames) refresh() {
	r.Helper()
	for n, d := range r.defs {
		now, err := r.Tenant.Current(r.Context(), d.Project.ID)
		r.Must(err)
		r.defs[n] = now
	}
}

// linkAll runs the jobs of the projects.
func (r *renames) linkAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, d := range r.defs {
		group.Go(func() error { return r.Tenant.RunJobs(ctx, d.Project.ID) })
	}
	return group.Wait()
}

// TestLinkNames links names to users that are renamed before and after, some while the job runs, and runs the
// jobs, some of which are interrupted and continued. Issues are restored from the trash in the meantime.
func TestLinkNames(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRenames(t, seed)
			for range 2 {
				for _, d := range r.defs {
					users := map[string]int{"ÄNN LEE": r.random.IntN(3), "b": 0, "nobody": 1}
					if r.random.IntN(2) == 0 {
						users["ann"] = r.random.IntN(3)
					}
					r.link(d, d.Fields[r.random.IntN(2)].ID, users)
				}
				for range r.random.IntN(3) {
					r.interrupted(20+r.random.IntN(100), r.linkAll)
					r.rename(r.random.IntN(3), names[r.random.IntN(len(names))])
				}
				if r.random.IntN(2) == 0 {
					r.restore()
				}
				r.finish(r.linkAll)
				r.refresh()
				r.finish(r.renameAll)
				for _, d := range r.defs {
					r.rename(r.random.IntN(3), names[r.random.IntN(len(names))])
					r.create(d)
				}
				r.finish(r.renameAll)
			}
			clear(r.times)
			r.compare()
			for _, d := range r.defs {
				for _, f := range d.Fields {
					if len(f.Links) > 0 {
						t.Errorf("%s has links after the job: %v", f.ID, f.Links)
					}
				}
			}
		})
	}
}
