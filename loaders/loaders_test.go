package loaders_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// inParallel loads issues in parallel, as resolvers do, and checks each.
func (r *request) inParallel(tenant *loaders.Tenant, ids []tracker.IssueID) {
	r.Helper()
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			i, err := tenant.Issue(r.Context(), id, false)
			if err != nil || i.ID != id {
				r.Errorf("issue %v is %v, %v", id, i, err)
			}
		})
	}
	all.Wait()
}

// TestBatches loads issues in parallel: one call per 100 issues, and no wait for a full batch.
func TestBatches(t *testing.T) {
	for _, test := range []struct {
		ids   int
		sizes []int
		took  time.Duration
	}{
		{1, []int{1}, time.Millisecond},
		{99, []int{99}, time.Millisecond},
		{100, []int{100}, 0},
		{101, []int{100, 1}, time.Millisecond},
		{300, []int{100, 100, 100}, 0},
	} {
		t.Run(fmt.Sprint(test.ids), func(t *testing.T) {
			inRequest(t, func(r *request) {
				tenant := r.tenant("acme")
				r.inParallel(tenant, issueIDs(0, test.ids))
				r.wantTook(test.took)
				r.inParallel(tenant, issueIDs(0, test.ids)) // all are cached
				r.wantBatches(test.sizes...)
			})
		})
	}
}

func TestDuplicatesAreOneKey(t *testing.T) {
	ids := append(issueIDs(0, 5), issueIDs(0, 5)...)
	for _, read := range []func(*request){
		func(r *request) { r.inParallel(r.tenant("acme"), ids) },
		func(r *request) { r.loadGrids(r.tenant("acme"), ids) },
	} {
		inRequest(t, func(r *request) {
			read(r)
			r.wantBatches(5)
		})
	}
}

// TestTenantsDoNotShareBatches uses two tenants with the same ids in one request.
func TestTenantsDoNotShareBatches(t *testing.T) {
	inRequest(t, func(r *request) {
		acme, rival := r.tenant("acme"), r.tenant("rival")
		if r.tenant("acme") != acme || acme == rival {
			r.Error("Tenant must return the same loaders for the same tenant, and others for another")
		}
		var both sync.WaitGroup
		both.Go(func() { r.inParallel(acme, issueIDs(0, 3)) })
		both.Go(func() { r.inParallel(rival, issueIDs(0, 3)) })
		both.Wait()
		r.wantBatches(3, 3)
		if repeated := r.engine.repeated(); repeated != nil {
			r.Errorf("repeated %v", repeated)
		}
		for _, keys := range r.engine.calls {
			for _, key := range keys {
				if key[:4] != keys[0][:4] {
					r.Errorf("a batch of two tenants: %v", keys)
				}
			}
		}
		_, err := r.set.Tenant("not/valid")
		if tracker.CodeOf(err) != tracker.NotFound {
			r.Errorf("an invalid tenant id: %v", err)
		}
	})
}

// TestMissingKeys checks that a missing key fails alone and that its error is cached.
func TestMissingKeys(t *testing.T) {
	inRequest(t, func(r *request) {
		r.engine.missing["acme/issue-p1.i1"] = true
		r.engine.missing["acme/project-p1"] = true
		tenant := r.tenant("acme")
		for range 2 {
			var all sync.WaitGroup
			for n := range 3 {
				all.Go(func() {
					i, err := tenant.Issue(r.Context(), issueID(n), false)
					if n == 1 && tracker.CodeOf(err) != tracker.NotFound || n != 1 &&
						(err != nil || i.ID != issueID(n)) {
						r.Errorf("issue %d: %v, %v", n, i, err)
					}
				})
			}
			all.Wait()
			if _, err := tenant.Project(r.Context(), "p1"); tracker.CodeOf(err) != tracker.NotFound {
				r.Errorf("project: %v", err)
			}
		}
		r.wantBatches(3, 1)
		r.loadGrids(tenant, issueIDs(0, 3))
		projects, err := tenant.Projects(r.Context(), []tracker.ProjectID{"p2", "p1", "p3"})
		if err != nil || projects[0].ID != "p2" || projects[1] != nil || projects[2].ID != "p3" {
			r.Errorf("projects %v, %v", projects, err)
		}
	})
}

// TestImpossibleIDs checks that invalid ids are not sent to the table.
func TestImpossibleIDs(t *testing.T) {
	inRequest(t, func(r *request) {
		tenant := r.tenant("acme")
		_, err1 := tenant.Issue(r.Context(), tracker.IssueID{Project: "p1", Issue: "a/b"}, false)
		_, err2 := tenant.Project(r.Context(), "../rival")
		if tracker.CodeOf(err1) != tracker.NotFound || tracker.CodeOf(err2) != tracker.NotFound ||
			r.engine.calls != nil {
			r.Errorf("errors %v, %v; calls %v", err1, err2, r.engine.calls)
		}
	})
}

// TestErrors checks that errors are cached unless a retry may avoid them.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		code  string
		want  tracker.Code
		again bool
	}{
		{"AccessDeniedException", tracker.Unavailable, true},
		{"ProvisionedThroughputExceededException", tracker.Unavailable, true},
		{"ValidationException", tracker.InternalErr, false},
	} {
		t.Run(test.code, func(t *testing.T) {
			inRequest(t, func(r *request) {
				r.engine.fail(1000, test.code)
				tenant := r.tenant("acme")
				load := func(want tracker.Code) {
					r.Helper()
					_, err := tenant.Issue(r.Context(), issueID(0), false)
					_, projectErr := tenant.Project(r.Context(), "p1")
					_, textErr := tenant.LongText(r.Context(), textRef(0))
					for _, err := range []error{err, projectErr, textErr} {
						if got := tracker.CodeOf(err); got != want {
							r.Errorf("code %q, want %q: %v", got, want, err)
						}
						if e, ok := errors.AsType[*tracker.Error](err); ok && e.Message == "" {
							r.Errorf("no message: %v", err)
						}
					}
				}
				load(test.want)
				r.engine.fail(0, "")
				calls := len(r.engine.calls)
				if test.again {
					load("")
				} else {
					load(test.want)
				}
				if again := len(r.engine.calls) > calls; again != test.again {
					r.Errorf("read again: %t, want %t", again, test.again)
				}
			})
		})
	}
	t.Run("of one of two batches", func(t *testing.T) {
		inRequest(t, func(r *request) {
			// The batch of 100 fails, the other does not.
			r.engine.before = func(keys []string) *dynamotest.Response {
				if len(keys) == 100 {
					return dynamotest.Refusal("AccessDeniedException", "internal-detail")
				}
				return nil
			}
			tenant := r.tenant("acme")
			var all sync.WaitGroup
			var mu sync.Mutex
			failed := 0
			for n := range 110 {
				all.Go(func() {
					_, err := tenant.Issue(r.Context(), issueID(n), false)
					mu.Lock()
					defer mu.Unlock()
					if tracker.CodeOf(err) == tracker.Unavailable {
						failed++
					} else if err != nil {
						r.Error(err)
					}
				})
			}
			all.Wait()
			if failed != 100 {
				r.Errorf("%d failed, want 100", failed)
			}
		})
	})
	t.Run("of a grid's batch", func(t *testing.T) {
		inRequest(t, func(r *request) {
			r.engine.fail(1, "AccessDeniedException")
			tenant := r.tenant("acme")
			g := tenant.Grid()
			defer g.Done()
			if _, err := g.Issues(r.Context(), issueIDs(0, 10)); tracker.CodeOf(err) != tracker.Unavailable {
				r.Errorf("first: %v", err)
			}
			r.load(g, issueIDs(0, 10))
		})
	})
}

// TestCancelledFields checks that a cancelled field does not fail others: a batch runs under the context of
// the request, not of its first field.
func TestCancelledFields(t *testing.T) {
	inRequest(t, func(r *request) {
		tenant := r.tenant("acme")
		cancelled, cancel := context.WithCancel(r.Context())
		cancel()
		var all sync.WaitGroup
		for n := range 5 {
			all.Go(func() {
				ctx := cancelled
				if n > 0 {
					ctx = r.Context()
				}
				i, err := tenant.Issue(ctx, issueID(n), false)
				if n > 0 && (err != nil || i.ID != issueID(n)) {
					r.Errorf("field %d got %v, %v", n, i, err)
				}
			})
			synctest.Wait() // the cancelled field is first, and its batch waits for the others
		}
		all.Wait()
		r.wantBatches(5)
	})
	t.Run("unless the request itself ends", func(t *testing.T) {
		inRequest(t, func(r *request) {
			r.engine.before = func([]string) *dynamotest.Response {
				r.end()
				return dynamotest.Refusal("InternalServerError", "") // must not be retried
			}
			_, err := r.tenant("acme").Issue(r.Context(), issueID(0), false)
			if tracker.CodeOf(err) != tracker.Unavailable {
				r.Errorf("got %v", err)
			}
		})
	})
}

// TestPrefetchIssues checks that PrefetchIssues reads issues in batches, although each is loaded long after
// the one before.
func TestPrefetchIssues(t *testing.T) {
	for _, consistent := range []bool{false, true} {
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			ids := issueIDs(0, 150)
			tenant.PrefetchIssues(r.Context(), append(ids, ids[:10]...), consistent)
			for n, id := range ids {
				if i, err := tenant.Issue(r.Context(), id, consistent); err != nil || i.ID != id {
					r.Errorf("issue %d: %v, %v", n, i, err)
				}
			}
			r.wantBatches(100, 50)
		})
	}
}

// TestPrefetch checks that Prefetch reads long texts in batches and does not wait for them.
func TestPrefetch(t *testing.T) {
	inRequest(t, func(r *request) {
		tenant := r.tenant("acme")
		var refs []tracker.LongRef
		for n := range 150 {
			refs = append(refs, textRef(n))
		}
		tenant.Prefetch(r.Context(), append(refs, refs[:10]...))
		tenant.Prefetch(r.Context(), nil)
		var all sync.WaitGroup
		for n, ref := range refs {
			all.Go(func() {
				text, err := tenant.LongText(r.Context(), ref)
				if want := textOf(fmt.Sprintf("acme/issue-p1.i%d", n)); err != nil || text != want {
					r.Errorf("text %q, %v, want %q", text, err, want)
				}
			})
		}
		all.Wait()
		r.wantBatches(100, 50)
		r.wantTook(0)
	})
	t.Run("an error of one text fails no other", func(t *testing.T) {
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			whole := textRef(1)
			torn := tracker.LongRef{Issue: issueID(2), Column: "f", Long: tracker.Long{Bytes: 5, Parts: 2}}
			// fail the consistent read that follows when a part is missing
			r.engine.before = func(keys []string) *dynamotest.Response {
				if !slices.Contains(keys, "acme/issue-p1.i1") {
					return dynamotest.Refusal("AccessDeniedException", "internal-detail")
				}
				return nil
			}
			tenant.Prefetch(r.Context(), []tracker.LongRef{whole, torn})
			if text, err := tenant.LongText(r.Context(), whole); err != nil ||
				text != textOf("acme/issue-p1.i1") {
				r.Errorf("whole text: %q, %v", text, err)
			}
			if _, err := tenant.LongText(r.Context(), torn); tracker.CodeOf(err) != tracker.Unavailable {
				r.Errorf("torn text: %v", err)
			}
		})
	})
}
