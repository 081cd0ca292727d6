package people_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/people"
	"issuegrid/tracker"
)

// renames has projects with USER fields whose values refer to users, and what the values must be.
type renames struct {
	*fixture
	random *rand.Rand
	users  []*tracker.User
	defs   []*tracker.Definition
	values map[tracker.IssueID]map[tracker.FieldID]tracker.Value
	times  map[tracker.IssueID]time.Time // of the last changes, unless jobs have made some
	gone   []tracker.IssueID             // in the trash
}

func newRenames(t *testing.T, seed uint64) *renames {
	t.Helper()
	t.Parallel()
	f := &fixture{Fixture: dynamotest.NewFixture(t, func(s *dynamo.Settings) {
		s.WriteTime, s.IndexLag, s.DefinitionTTL = 250*time.Millisecond, time.Millisecond, time.Hour
		s.ReadTime = time.Second
	})}
	f.store = people.Of(f.Tenant)
	t.Cleanup(f.Sound)
	r := &renames{fixture: f, random: rand.New(rand.NewPCG(seed, 0)),
		values: map[tracker.IssueID]map[tracker.FieldID]tracker.Value{},
		times:  map[tracker.IssueID]time.Time{}}
	for range 3 {
		r.users = append(r.users, r.user(tracker.User{Name: "Ann"}))
	}
	for n, shards := range []int{1, 3, 1} {
		id := tracker.ProjectID(fmt.Sprint("p", n))
		r.Project(id, fmt.Sprint("P", n), shards)
		for _, field := range []string{"f1", "f2"} {
			_, err := r.Tenant.CreateField(t.Context(), id, tracker.Field{ID: tracker.FieldID(field),
				Name: field, Type: tracker.TypeUser})
			r.Must(err)
		}
		d, err := r.Tenant.Current(t.Context(), id)
		r.Must(err)
		r.defs = append(r.defs, d)
		for range 30 {
			r.create(d)
		}
	}
	return r
}

// create creates an issue, with values that refer to a user or are only its name, and possibly deletes it.
func (r *renames) create(d *tracker.Definition) {
	r.Helper()
	values := map[tracker.FieldID]tracker.Value{}
	for _, f := range d.Fields {
		u := r.users[r.random.IntN(len(r.users))]
		switch r.random.IntN(4) {
		case 0:
		case 1:
			values[f.ID] = tracker.Text(u.Name)
		default:
			values[f.ID] = tracker.UserValue(u.Name, u.ID)
		}
	}
	i, err := r.Tenant.CreateIssue(r.Context(), d, tracker.Issue{Name: "x", State: "open", Values: values})
	r.Must(err)
	r.values[i.ID], r.times[i.ID] = values, i.Updated
	if r.random.IntN(5) == 0 {
		r.Must(r.Tenant.DeleteIssue(r.Context(), i.ID, nil))
		r.gone = append(r.gone, i.ID)
	}
}

// rename renames a user.
func (r *renames) rename(n int, name string) {
	r.Helper()
	u, err := r.store.UpdateUser(r.Context(), r.users[n].ID, nil, func(u *tracker.User) error {
		u.Name = name
		return nil
	})
	r.Must(err)
	r.users[n] = u
	for _, values := range r.values {
		for f, v := range values {
			if v.User() == u.ID {
				values[f] = tracker.UserValue(name, u.ID)
			}
		}
	}
}

// restore restores the issues in the trash.
func (r *renames) restore() {
	r.Helper()
	for _, id := range r.gone {
		for _, d := range r.defs {
			if d.Project.ID == id.Project {
				restored, err := r.Tenant.RestoreIssue(r.Context(), d, id)
				r.Must(err)
				r.times[id] = restored.Updated
			}
		}
	}
	r.gone = nil
}

// compare compares all issues, after it has restored those in the trash.
func (r *renames) compare() {
	r.Helper()
	r.restore()
	for id, want := range r.values {
		found, err := r.Tenant.IssuesConsistent(r.Context(), []tracker.IssueID{id})
		r.Must(err)
		got := found[0]
		at, known := r.times[id]
		if len(got.Values) != len(want) || known && !got.Updated.Equal(at) {
			r.Errorf("%v has %v and was changed at %v; want %v at %v", id, got.Values, got.Updated, want, at)
		}
		for f, v := range want {
			if !got.Values[f].Equal(v) {
				r.Errorf("%v: %s is %q of %q, want %q of %q", id, f, got.Values[f].Text(),
					got.Values[f].User(), v.Text(), v.User())
			}
		}
	}
}

// names are drawn for renamings: some differ only in case.
var names = []string{"Ann", "ann", "ANN", "Ann Lee", "Zoë", "zoe", "b", "Bob"}

// TestRename renames users, more often than former names are kept, while a project is in the trash, and runs
// their jobs, some of which are interrupted and continued.
func TestRename(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRenames(t, seed)
			_, err := r.Tenant.TrashProject(t.Context(), "p2", func(*tracker.Project) error { return nil })
			r.Must(err)
			for range 3 {
				for range 1 + r.random.IntN(6) {
					r.rename(r.random.IntN(2), names[r.random.IntN(len(names))])
				}
				r.create(r.defs[1])
				for range r.random.IntN(4) {
					r.interrupted(20+r.random.IntN(60), r.renameAll)
				}
				r.finish(r.renameAll)
			}
			_, err = r.Tenant.RestoreProject(t.Context(), "p2")
			r.Must(err)
			r.compare()
		})
	}
}

// TestRenameRuns checks that a server runs the jobs of the users that it renames, and those that it finds
// when it starts.
func TestRenameRuns(t *testing.T) {
	r := newRenames(t, 9)
	r.rename(0, "Before the start")
	ctx, cancel := context.WithCancel(t.Context())
	ended := r.DB.RunJobs(ctx, func(err error) {
		if ctx.Err() == nil && tracker.CodeOf(err) != tracker.Unavailable {
			t.Error(err)
		}
	})
	r.rename(1, "After it")
	for _, u := range r.users {
		for id, values := range r.values {
			for f, v := range values {
				for v.User() == u.ID && !slices.Contains(r.gone, id) { // until the job has done it
					found, err := r.Tenant.IssuesConsistent(t.Context(), []tracker.IssueID{id})
					if r.Must(err); found[0].Values[f].Text() == u.Name {
						break
					}
				}
			}
		}
	}
	cancel()
	ended()
}

// finish runs jobs to their end, on an engine that may be too slow for some changes.
func (r *renames) finish(jobs func(context.Context) error) {
	r.Helper()
	for {
		err := jobs(r.Context())
		if tracker.CodeOf(err) != tracker.Unavailable {
			r.Must(err)
			return
		}
	}
}

// renameAll runs the jobs of the users that were renamed.
func (r *renames) renameAll(ctx context.Context) error {
	for _, u := range r.users {
		if err := r.Tenant.RenameUser(ctx, u.ID); err != nil {
			return err
		}
	}
	return nil
}

// interrupted runs jobs until they have made some calls.
func (r *renames) interrupted(calls int, jobs func(context.Context) error) {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	done := make(chan struct{}, 1000)
	r.Wire.Intercept(func(q *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		select {
		case done <- struct{}{}:
		default:
		}
		if len(done) == calls {
			cancel()
		}
		return send(q)
	})
	defer r.Wire.Intercept(nil)
	if err := jobs(ctx); err != nil && ctx.Err() == nil && tracker.CodeOf(err) != tracker.Unavailable {
		r.Fatal(err)
	}
}

// TestRestoreAfterRename restores an issue that was deleted before a user was renamed, without the job.
func TestRestoreAfterRename(t *testing.T) {
	r := newRenames(t, 5)
	d := r.defs[0]
	r.rename(0, "Bo")
	for _, id := range r.gone {
		if id.Project != d.Project.ID {
			continue
		}
		restored, err := r.Tenant.RestoreIssue(t.Context(), d, id)
		r.Must(err)
		for f, v := range r.values[id] {
			if !restored.Values[f].Equal(v) {
				t.Errorf("%v: %s is %q, want %q", id, f, restored.Values[f].Text(), v.Text())
			}
		}
	}
}
