package dynamo_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestDeletionGoesOn checks that the deletion of a project completes although a request fails permanently, or
// a server crashes while it holds the lease.
func TestDeletionGoesOn(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(f *fixture, run func() (stop func()), failed <-chan error)
	}{
		{"an error", func(f *fixture, run func() func(), failed <-chan error) {
			stop := run()
			defer stop()
			f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
				if r.Operation == "BatchWriteItem" || r.Operation == "TransactWriteItems" &&
					strings.Contains(string(r.Body), `"Delete"`) &&
					!strings.Contains(string(r.Body), "xcounter") {
					return dynamotest.Refusal("AccessDeniedException", "no")
				}
				return send(r)
			})
			f.must(f.store.DeleteProject(f.Context(), project, nil))
			<-failed
			f.wire.Intercept(nil)
			f.waitUntilDeleted()
		}},
		{"a crash", func(f *fixture, run func() func(), failed <-chan error) {
			f.must(f.store.DeleteProject(f.Context(), project, nil))
			undo := f.cut(2) // the lease is written, the next request is not
			stop := run()
			<-failed
			stop()
			undo()
			stop = run()
			defer stop()
			f.waitUntilDeleted()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ahead atomic.Int64
			f := setup(t, soon, func(s *dynamo.Settings) {
				// each reading of the clock is 100 ms further ahead
				s.Now = func() time.Time {
					return time.Now().Add(time.Duration(ahead.Add(int64(100 * time.Millisecond))))
				}
			})
			f.some(60, "fsel", func(n int) tracker.Value { return tracker.Text("o1") })
			failed := make(chan error, 99)
			test.do(f, func() func() {
				ctx, cancel := context.WithCancel(t.Context())
				wait := f.db.RunJobs(ctx, func(err error) { failed <- err })
				return func() { cancel(); wait() }
			}, failed)
		})
	}
}

// waitUntilDeleted waits until no item of the project is left.
func (f *fixture) waitUntilDeleted() {
	f.Helper()
	left := func() bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(f.raw.items("acme/"))), func(k key) bool {
			return strings.HasPrefix(k.PK, "acme/issue-p1") || strings.HasPrefix(k.PK, "acme/project-p1")
		})
	}
	f.until(func() bool { return !left() })
}

// TestDeletionFindsAll fails each BatchWriteItem request of a deletion once, and checks that a later run
// finds and deletes the items that were left.
func TestDeletionFindsAll(t *testing.T) {
	f := setup(t, soon)
	var tags []string
	for n := range 100 {
		tags = append(tags, fmt.Sprint("tag", n))
	}
	f.issue(map[tracker.FieldID]tracker.Value{"ftags": tracker.Set(tags),
		"flong": tracker.Text(strings.Repeat("secret ", 100))})
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	failures := 0
	for fail := 1; ; fail++ {
		var n atomic.Int64
		f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			if r.Operation == "BatchWriteItem" {
				if n.Add(1) == int64(fail) {
					return dynamotest.Refusal("ValidationException", "refused by the test")
				}
			}
			return send(r)
		})
		err := f.store.RunJobs(t.Context(), project)
		if f.wire.Intercept(nil); err == nil {
			break
		}
		failures++
		f.store = f.later(time.Now().Add(time.Duration(fail) * time.Minute))
	}
	if left := f.raw.items("acme/issue-p1"); len(left) > 0 || failures == 0 {
		t.Errorf("after %d failures %d items are never deleted", failures, len(left))
	}
}
