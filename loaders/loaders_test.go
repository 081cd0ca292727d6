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

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// sideBySide loads issues like resolvers that run side by side, and checks each.
func (r *request) sideBySide(tenant *loaders.Tenant, ids []tracker.IssueID) {
	r.Helper()
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			i, err := tenant.Issue(r.Context(), id)
			if err != nil || i.ID != id {
				r.Errorf("issue %v is %v, %v", id, i, err)
			}
		})
	}
	all.Wait()
}

// TestBatches loads issues side by side: one call for every 100, and no wait when a batch is full.
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
				r.sideBySide(tenant, issueIDs(0, test.ids))
				if diff := cmp.Diff(test.sizes, r.engine.sizes()); diff != "" || r.took() != test.took {
					r.Errorf("took %s, want %s; sizes of batches (-want +got):\n%s", r.took(), test.took,
						diff)
				}
				r.sideBySide(tenant, issueIDs(0, test.ids)) // all known now
				if len(r.engine.sizes()) != len(test.sizes) {
					r.Errorf("asked again: %v", r.engine.sizes())
				}
			})
		})
	}
}

func TestDuplicatesAreOneKey(t *testing.T) {
	inRequest(t, func(r *request) {
		ids := append(issueIDs(0, 5), issueIDs(0, 5)...)
		r.sideBySide(r.tenant("acme"), ids)
		if diff := cmp.Diff([]int{5}, r.engine.sizes()); diff != "" {
			r.Errorf("sizes of batches (-want +got):\n%s", diff)
		}
	})
	inRequest(t, func(r *request) {
		tenant := r.tenant("acme")
		ids := append(issueIDs(0, 5), issueIDs(0, 5)...)
		g := tenant.Grid()
		got, err := g.Issues(r.Context(), ids)
		r.wantIssues(ids, got, err)
		g.Done()
		if diff := cmp.Diff([]int{5}, r.engine.sizes()); diff != "" {
			r.Errorf("sizes of batches of a grid (-want +got):\n%s", diff)
		}
	})
}

// TestTenantsDoNotShareBatches has two tenants with the same ids in one request.
func TestTenantsDoNotShareBatches(t *testing.T) {
	inRequest(t, func(r *request) {
		acme, rival := r.tenant("acme"), r.tenant("rival")
		if r.tenant("acme") != acme || acme == rival {
			r.Error("the loaders of a tenant are not one set")
		}
		var both sync.WaitGroup
		both.Go(func() { r.sideBySide(acme, issueIDs(0, 3)) })
		both.Go(func() { r.sideBySide(rival, issueIDs(0, 3)) })
		both.Wait()
		if diff := cmp.Diff([]int{3, 3}, r.engine.sizes()); diff != "" || r.engine.repeated() != nil {
			r.Errorf("repeated %v; sizes of batches (-want +got):\n%s", r.engine.repeated(), diff)
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
			r.Errorf("a tenant that nobody can have: %v", err)
		}
	})
}

// TestMissingKeys are errors of their own, which are remembered.
func TestMissingKeys(t *testing.T) {
	inRequest(t, func(r *request) {
		r.engine.missing["acme/issue-p1.i1"] = true
		r.engine.missing["acme/project-p1"] = true
		tenant := r.tenant("acme")
		for range 2 {
			var all sync.WaitGroup
			for n := range 3 {
				all.Go(func() {
					i, err := tenant.Issue(r.Context(), issueID(n))
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
		if diff := cmp.Diff([]int{3, 1}, r.engine.sizes()); diff != "" {
			r.Errorf("sizes of batches (-want +got):\n%s", diff)
		}
		g := tenant.Grid()
		got, err := g.Issues(r.Context(), issueIDs(0, 3))
		r.wantIssues(issueIDs(0, 3), got, err)
		g.Done()
		projects, err := tenant.Projects(r.Context(), []tracker.ProjectID{"p2", "p1", "p3"})
		if err != nil || projects[0].ID != "p2" || projects[1] != nil || projects[2].ID != "p3" {
			r.Errorf("projects %v, %v", projects, err)
		}
	})
}

// TestImpossibleIDs are not asked.
func TestImpossibleIDs(t *testing.T) {
	inRequest(t, func(r *request) {
		tenant := r.tenant("acme")
		_, err1 := tenant.Issue(r.Context(), tracker.IssueID{Project: "p1", Issue: "a/b"})
		_, err2 := tenant.Project(r.Context(), "../rival")
		if tracker.CodeOf(err1) != tracker.NotFound || tracker.CodeOf(err2) != tracker.NotFound ||
			r.engine.calls != nil {
			r.Errorf("errors %v, %v; calls %v", err1, err2, r.engine.calls)
		}
	})
}

// TestErrors are remembered unless they may be gone at the next try.
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
				ref := tracker.LongRef{Issue: issueID(0), Column: "f",
					Long: tracker.Long{Bytes: len(textOf("acme/issue-p1.i0")), Parts: 1}}
				load := func(want tracker.Code) {
					r.Helper()
					_, err := tenant.Issue(r.Context(), issueID(0))
					_, projectErr := tenant.Project(r.Context(), "p1")
					_, textErr := tenant.LongText(r.Context(), ref)
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
				asked := len(r.engine.calls)
				if test.again {
					load("")
				} else {
					load(test.want)
				}
				if again := len(r.engine.calls) > asked; again != test.again {
					r.Errorf("asked again: %t, want %t", again, test.again)
				}
			})
		})
	}
	t.Run("of a batch that others share", func(t *testing.T) {
		inRequest(t, func(r *request) {
			// The first 100 fail, the others do not know of it.
			r.engine.before = func(keys []string) *dynamotest.Answer {
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
					_, err := tenant.Issue(r.Context(), issueID(n))
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
			got, err := g.Issues(r.Context(), issueIDs(0, 10))
			r.wantIssues(issueIDs(0, 10), got, err)
		})
	})
}

// TestCancelledFields do not fail their neighbours: a batch runs under the request's context, whoever asked
// first.
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
				i, err := tenant.Issue(ctx, issueID(n))
				if n > 0 && (err != nil || i.ID != issueID(n)) {
					r.Errorf("a neighbour got %v, %v", i, err)
				}
			})
			synctest.Wait() // the cancelled one comes first, and its batch waits for the others
		}
		all.Wait()
		if diff := cmp.Diff([]int{5}, r.engine.sizes()); diff != "" {
			r.Errorf("sizes of batches (-want +got):\n%s", diff)
		}
	})
	t.Run("unless the request itself ends", func(t *testing.T) {
		inRequest(t, func(r *request) {
			r.engine.before = func([]string) *dynamotest.Answer {
				r.end()
				return dynamotest.Refusal("InternalServerError", "") // and it is not sent again
			}
			_, err := r.tenant("acme").Issue(r.Context(), issueID(0))
			if tracker.CodeOf(err) != tracker.Unavailable {
				r.Errorf("got %v", err)
			}
		})
	})
}

// TestPrefetch sends for long texts in batches, and does not wait for them.
func TestPrefetch(t *testing.T) {
	inRequest(t, func(r *request) {
		tenant := r.tenant("acme")
		var refs []tracker.LongRef
		for n := range 150 {
			pk := fmt.Sprintf("acme/issue-p1.i%d", n)
			refs = append(refs, tracker.LongRef{Issue: issueID(n), Column: "f",
				Long: tracker.Long{Bytes: len(textOf(pk)), Parts: 1}})
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
		if diff := cmp.Diff([]int{100, 50}, r.engine.sizes()); diff != "" || r.took() != 0 {
			r.Errorf("took %s, want no time; sizes of batches (-want +got):\n%s", r.took(), diff)
		}
	})
	t.Run("an error of one text is its own", func(t *testing.T) {
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			whole := tracker.LongRef{Issue: issueID(1), Column: "f",
				Long: tracker.Long{Bytes: len(textOf("acme/issue-p1.i1")), Parts: 1}}
			torn := tracker.LongRef{Issue: issueID(2), Column: "f", Long: tracker.Long{Bytes: 5, Parts: 2}}
			// whoever looks again is told to go away
			r.engine.before = func(keys []string) *dynamotest.Answer {
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
