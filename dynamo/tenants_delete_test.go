package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/people"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

func confirmed(*tracker.Tenant) error { return nil }

// ofTenant returns the items of a tenant, except idempotency keys, which expire, and the item that a deleted
// tenant leaves.
func (f *fixture) ofTenant(id tracker.TenantID) map[key]item {
	all := f.raw.items(string(id) + "/")
	maps.DeleteFunc(all, func(k key, m item) bool {
		return strings.HasPrefix(k.PK, string(id)+"/once-") || m["deleted"] != nil && m["name"] == nil
	})
	return all
}

// waitUntilGone runs jobs until no item of a tenant is left.
func (f *fixture) waitUntilGone(id tracker.TenantID) {
	f.Helper()
	f.runUntil(func() bool { return len(f.ofTenant(id)) == 0 })
}

// runUntilFailure runs jobs until one fails.
func (f *fixture) runUntilFailure() {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	failed := make(chan error, 99)
	ended := f.db.RunJobs(ctx, func(err error) { failed <- err })
	<-failed
	cancel()
	ended()
}

// advancing returns settings with a clock that each reading advances after it was started, so that leases of
// servers that have crashed end soon. Before, changes must not fail because they take long.
func advancing(step time.Duration) (settings func(*dynamo.Settings), start func()) {
	var ahead, each atomic.Int64
	return func(s *dynamo.Settings) {
		s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Add(each.Load()))) }
	}, func() { each.Store(int64(step)) }
}

// TestDeleteTenant deletes a tenant with projects, one of them in the trash, and checks what is found at
// once, that all of its items are removed, and that no others are changed.
func TestDeleteTenant(t *testing.T) {
	clock, advance := advancing(100 * time.Millisecond)
	f := setup(t, soon, clock)
	f.everything()
	f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Second"})
	_, err := f.store.TrashProject(t.Context(), "p2", nil)
	f.must(err)
	f.must(f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "other", Name: "Other"}))
	advance()
	before := f.raw.items("")
	maps.DeleteFunc(before, func(k key, _ item) bool { return strings.HasPrefix(k.PK, "acme/") })
	name := ""
	refused := errors.New("refused")
	if err := f.db.DeleteTenant(t.Context(), "acme", func(t *tracker.Tenant) error {
		name = t.Name
		return refused
	}); err != refused {
		t.Errorf("not confirmed: %v", err)
	}
	if _, err := f.store.Get(t.Context()); err != nil {
		t.Fatalf("a deletion that was not confirmed: %v", err)
	}
	f.must(f.db.DeleteTenant(t.Context(), "acme", confirmed))
	_, err = f.store.Get(t.Context())
	wantCode(t, err, tracker.NotFound, "tenant")
	wantCode(t, f.db.DeleteTenant(t.Context(), "acme", confirmed), tracker.NotFound, "tenant")
	_, err = f.db.RenameTenant(t.Context(), "acme", "Back")
	wantCode(t, err, tracker.NotFound, "tenant")
	_, err = f.store.CreateProject(t.Context(), tracker.Project{ID: "p3", Key: "P3", Name: "Third",
		States: []tracker.State{{ID: "open", Name: "open", Open: true}}})
	wantCode(t, err, tracker.NotFound, "tenant")
	if found, err := f.db.Tenants(t.Context(), []tracker.TenantID{"acme", "other"}); err != nil ||
		found[0] != nil || found[1] == nil {
		t.Errorf("tenants by id: %v, %v", found, err)
	}
	listed, err := 0, error(nil)
	f.must(f.db.EachTenant(t.Context(), func(_ tracker.TenantID, deleted bool) error {
		if !deleted {
			listed++
		}
		return nil
	}))
	if n, exact, err := f.db.TenantList().Count(t.Context(), nil, nil); err != nil || !exact || n != listed {
		t.Errorf("%d tenants, want %d: %v", n, listed, err)
	}
	f.must(f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "heir", Name: name})) // the name is free
	f.sound()
	f.waitUntilGone("acme")
	f.sound()
	after := f.raw.items("")
	var left []item // by the deleted tenant
	maps.DeleteFunc(after, func(k key, m item) bool {
		if strings.HasPrefix(k.PK, "acme/") && !strings.HasPrefix(k.PK, "acme/once-") {
			left = append(left, m)
		}
		return strings.HasPrefix(k.PK, "heir/") || strings.HasPrefix(k.PK, "acme/") || m["owner"] == "heir"
	})
	if len(left) != 1 || len(left[0]) != 3 || left[0]["deleted"] == "" {
		t.Errorf("the tenant leaves %v, want its key and the time", left)
	}
	maps.DeleteFunc(before, func(_ key, m item) bool { return m["owner"] == "acme" })
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("items of others (-before +after):\n%s", diff)
	}
	// The id is not used again: tokens and caches may still have it.
	wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "acme", Name: "Again"}), tracker.Conflict,
		"had the claim")
	f.must(f.db.EachTenant(t.Context(), func(id tracker.TenantID, _ bool) error {
		if id == "acme" {
			t.Error("the index still lists the tenant")
		}
		return nil
	}))
}

// TestTenantDeletionGoesOn cuts a server off after each number of its first writes, and checks that another
// one completes the deletion.
func TestTenantDeletionGoesOn(t *testing.T) {
	for n := 0; n < 6; n += tier.Cases(2, 1) {
		t.Run(fmt.Sprint(n, " writes"), func(t *testing.T) {
			clock, advance := advancing(2 * time.Second)
			f := setup(t, soon, clock)
			f.rowsOf(3)
			advance()
			f.must(f.db.DeleteTenant(t.Context(), "acme", confirmed))
			undo := f.cut(n)
			f.runUntilFailure()
			undo()
			f.waitUntilGone("acme")
			f.sound()
		})
	}
}

// TestTenantDeletionRemovesGuards cuts a server off while it removes the users of a tenant and their guards.
// No guard is left in the end, and a check finds nothing to repair meanwhile.
func TestTenantDeletionRemovesGuards(t *testing.T) {
	for _, refused := range []string{"acme/user-", "acme/unique-user"} {
		t.Run(refused, func(t *testing.T) {
			clock, advance := advancing(2 * time.Second)
			f := setup(t, soon, clock)
			store := people.Of(f.store)
			for u := range 15 { // and 30 guards, more than a batch
				name := fmt.Sprint("user", u)
				created, err := store.CreateUser(t.Context(), tracker.User{Name: name, Claim: name,
					Email: name + "@example.com"})
				f.must(err)
				_, err = store.UpdateUser(t.Context(), created.ID, nil, func(u *tracker.User) error {
					u.Name += " renamed" // whose job is left
					return nil
				})
				f.must(err)
			}
			advance()
			f.must(f.db.DeleteTenant(t.Context(), "acme", confirmed))
			f.wire.Intercept(func(r *dynamotest.Request,
				send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
				if body := string(r.Body); r.Operation == "BatchWriteItem" &&
					strings.Contains(body, refused) {
					return dynamotest.Refusal("ValidationException", "cut off")
				}
				return send(r)
			})
			f.runUntilFailure()
			f.wire.Intercept(nil)
			if r := f.check(check.Options{}); len(r.Kinds) > 0 {
				t.Error(r)
			}
			f.waitUntilGone("acme")
		})
	}
}

// TestTenantDeletionRaces adds projects while their tenant is deleted and after that, and checks that none is
// left. Those that are added after the deletion was confirmed are refused.
func TestTenantDeletionRaces(t *testing.T) {
	clock, advance := advancing(100 * time.Millisecond)
	f := setup(t, soon, clock)
	advance()
	add := func(id string) error {
		_, err := f.store.CreateProject(t.Context(), tracker.Project{ID: tracker.ProjectID(id),
			Key: strings.ToUpper(id), Name: id,
			States: []tracker.State{{ID: "open", Name: "open", Open: true}}})
		return err
	}
	deleted := make(chan struct{})
	var adding sync.WaitGroup
	for n := range 8 {
		adding.Go(func() {
			for k := range 10 {
				err := add(fmt.Sprintf("q%dx%d", n, k))
				code := tracker.CodeOf(err)
				if err != nil && code != tracker.NotFound && code != tracker.Conflict {
					t.Error(err)
				}
			}
			<-deleted
			for k := range 10 {
				if err := add(fmt.Sprintf("r%dx%d", n, k)); tracker.CodeOf(err) != tracker.NotFound {
					t.Errorf("a project of a deleted tenant: %v, want NOT_FOUND", err)
				}
			}
		})
	}
	f.must(f.db.DeleteTenant(t.Context(), "acme", confirmed))
	close(deleted)
	adding.Wait()
	f.waitUntilGone("acme")
	f.sound()
}
