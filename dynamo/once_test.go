package dynamo_test

import (
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// overtaken calls by just before the next transaction reaches the engine.
func (f *fixture) overtaken(by func()) {
	f.Helper()
	f.wire.Intercept(dynamotest.Before("TransactWriteItems", func(*dynamotest.Request) {
		f.wire.Intercept(nil)
		by()
	}))
}

// TestTwiceAtATime sends a change twice with one idempotency key, the second time while the first is under
// way. The second makes the change. The first returns the same result, although the issue has a newer version
// by then or is deleted.
//
//test:engine
func TestTwiceAtATime(t *testing.T) {
	f := setup(t)
	for _, test := range []struct {
		name    string
		trashed bool
		change  func(*dynamo.Tenant, *tracker.Issue) error
	}{
		{"update", false, func(s *dynamo.Tenant, i *tracker.Issue) error {
			name := "Changed"
			_, err := s.UpdateIssue(t.Context(), f.d, i.ID,
				tracker.Change{Name: &name, ExpectedVersion: &i.Version})
			return err
		}},
		{"delete", false, func(s *dynamo.Tenant, i *tracker.Issue) error {
			return s.DeleteIssue(t.Context(), i.ID, nil)
		}},
		{"delete a version", false, func(s *dynamo.Tenant, i *tracker.Issue) error {
			return s.DeleteIssue(t.Context(), i.ID, &i.Version)
		}},
		{"purge", false, func(s *dynamo.Tenant, i *tracker.Issue) error {
			return s.PurgeIssue(t.Context(), i.ID, nil)
		}},
		{"purge from the trash", true, func(s *dynamo.Tenant, i *tracker.Issue) error {
			return s.PurgeIssue(t.Context(), i.ID, nil)
		}},
		{"restore", true, func(s *dynamo.Tenant, i *tracker.Issue) error {
			_, err := s.RestoreIssue(t.Context(), f.d, i.ID)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := f.issue(nil)
			if test.trashed {
				f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
			}
			once := f.store.Once(tracker.Once{Key: test.name, Fingerprint: "x"})
			f.overtaken(func() {
				if err := test.change(once, i); err != nil {
					t.Errorf("the overtaking request: %v", err)
				}
			})
			if err := test.change(once, i); err != nil {
				t.Errorf("the overtaken request: %v", err)
			}
		})
	}
}

// TestDefinitionsTwiceAtATime is TestTwiceAtATime for changes of a project and of tenants.
func TestDefinitionsTwiceAtATime(t *testing.T) {
	f := setup(t)
	once := tracker.Once{Key: "k", Fingerprint: "x"}
	store := f.store.Once(once)
	var jobs []string
	ofJob := func(job *tracker.Job, err error) error {
		if err == nil {
			jobs = append(jobs, job.ID)
		}
		return err
	}
	f.must(f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "doomed", Name: "Doomed"}))
	for name, change := range map[string]func() error{
		"delete a field": func() error {
			other := f.store.Once(tracker.Once{Key: "f", Fingerprint: "x"})
			return other.DeleteField(t.Context(), project, "fint", nil)
		},
		"change a type": func() error {
			return ofJob(store.ChangeFieldType(t.Context(), project, "ftext",
				tracker.Form{Type: tracker.TypeLongText}, false, nil))
		},
		"trash a project": func() error {
			other := f.store.Once(tracker.Once{Key: "p", Fingerprint: "x"})
			_, err := other.TrashProject(t.Context(), "second", nil)
			return err
		},
		"rename a tenant": func() error {
			other := f.db.Once(tracker.Once{Key: "r", Fingerprint: "x"})
			_, err := other.RenameTenant(t.Context(), acme, "Renamed")
			return err
		},
		"delete a tenant": func() error {
			return f.db.Once(once).DeleteTenant(t.Context(), "doomed", confirmed)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "trash a project" {
				f.project(f.store, tracker.Project{ID: "second", Key: "SECOND", Name: "Second"})
			}
			f.overtaken(func() {
				if err := change(); err != nil {
					t.Errorf("the overtaking request: %v", err)
				}
			})
			if err := change(); err != nil {
				t.Errorf("the overtaken request: %v", err)
			}
		})
	}
	if len(jobs) != 2 || jobs[0] != jobs[1] {
		t.Errorf("the jobs of one change are %v", jobs)
	}
}

// TestPurgeOfRestored purges an issue that is restored from the trash at the same time.
func TestPurgeOfRestored(t *testing.T) {
	f := setup(t)
	i := f.issue(fullValues())
	f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	f.overtaken(func() {
		f.restore(f.d, i.ID)
	})
	f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
	if left := f.raw.items(string(acme) + "/issue-"); len(left) > 0 {
		t.Errorf("%d items are left: %v", len(left), left)
	}
}

// TestOnceBeforeJob changes an issue that a job has not reached yet, with an idempotency key. The key
// records the change, not the conversion of the issue that precedes it.
func TestOnceBeforeJob(t *testing.T) {
	f := setup(t, soon)
	i := f.issue(fullValues())
	_, err := mergeOptions(t.Context(), f.store, project, "fsel",
		[]tracker.OptionID{tracker.OptionID(fullValues()["fsel"].Text())}, "")
	f.must(err)
	name := "Changed"
	once := f.store.Once(tracker.Once{Key: "k", Fingerprint: "x"})
	for range 2 {
		changed, err := once.UpdateIssue(t.Context(), f.definition(), i.ID, tracker.Change{Name: &name})
		f.must(err)
		if changed.Name != name || changed.Version != 3 {
			t.Errorf("the change returned %+v", changed)
		}
	}
}

// TestRepeatWhileRefused repeats a change with its idempotency key while DynamoDB refuses every request after
// the first. The repetition returns an error.
func TestRepeatWhileRefused(t *testing.T) {
	f := setup(t)
	i := f.issue(nil)
	once := f.store.Once(tracker.Once{Key: "k", Fingerprint: "x"})
	update := func() error {
		_, err := once.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
		return err
	}
	f.must(update())
	reads := 0
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if reads++; reads == 1 { // the read of the idempotency key
			return send(r)
		}
		return dynamotest.Refusal("AccessDeniedException", "internal-detail")
	})
	wantCode(t, update(), tracker.Unavailable)
	f.wire.Intercept(nil)
	f.must(update())
}

// TestClaim claims idempotency keys for calls, also at the same time. A key is that of one call.
//
//test:engine
func TestClaim(t *testing.T) {
	f := setup(t)
	of := func(key, print string) *dynamo.Tenant {
		return f.store.Once(tracker.Once{Key: key, Fingerprint: print})
	}
	other := func(err error) {
		t.Helper()
		wantCode(t, err, tracker.BadInput, "another change")
	}
	f.must(f.store.Claim(t.Context())) // without a key
	for range 2 {
		f.must(of("a", "x").Claim(t.Context()))
	}
	other(of("a", "y").Claim(t.Context()))
	f.overtaken(func() { f.must(of("b", "x").Claim(t.Context())) })
	other(of("b", "y").Claim(t.Context()))
	f.overtaken(func() { f.must(of("c", "x").Claim(t.Context())) })
	f.must(of("c", "x").Claim(t.Context()))

	i := f.issue(nil)
	name := "Changed"
	_, err := of("a", "z").UpdateIssue(t.Context(), f.d, i.ID, tracker.Change{Name: &name})
	other(err)
	_, err = of("d", "x").UpdateIssue(t.Context(), f.d, i.ID, tracker.Change{Name: &name})
	f.must(err)
	other(of("d", "y").Claim(t.Context()))
}

// TestClaimExpires checks that a key can be claimed for another call after 24 hours, but not before.
func TestClaimExpires(t *testing.T) {
	var ahead atomic.Int64
	f := setup(t, func(s *dynamo.Settings) {
		s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	claim := func(print string) error {
		return f.store.Once(tracker.Once{Key: "k", Fingerprint: print}).Claim(t.Context())
	}
	f.must(claim("x"))
	ahead.Store(int64(24*time.Hour - time.Minute))
	wantCode(t, claim("y"), tracker.BadInput, "another change")
	ahead.Store(int64(24*time.Hour + time.Minute))
	f.must(claim("y"))
	wantCode(t, claim("x"), tracker.BadInput, "another change")
}

// TestJobOfUsedKey starts a job again with an idempotency key that has expired. The project then has one job
// with the id that is derived from the key.
func TestJobOfUsedKey(t *testing.T) {
	var ahead atomic.Int64
	f := setup(t, soon, func(s *dynamo.Settings) {
		s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	move := func(to tracker.OptionID) *tracker.Job {
		t.Helper()
		store, err := f.store.Once(tracker.Once{Key: "nightly", Fingerprint: "x"}).Starting()
		f.must(err)
		_, err = store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error {
			return field.MoveOption("o0", to)
		})
		f.must(err)
		job, err := store.StartedJob(t.Context(), project)
		f.must(err)
		return job
	}
	first := move("")
	f.must(f.store.RunJobs(t.Context(), project))
	if again := move(""); again.ID != first.ID || again.Open() {
		t.Errorf("repeated: %+v, want %+v, which has ended", again, first)
	}
	ahead.Store(int64(25 * time.Hour))
	if second := move("o1"); second == nil || second.ID != first.ID || !second.Open() {
		t.Errorf("a day later: %+v", second)
	}
	seen := map[string]bool{}
	for _, j := range f.definition().Jobs {
		if seen[j.ID] {
			t.Errorf("two jobs have the id %s", j.ID)
		}
		seen[j.ID] = true
	}
}
