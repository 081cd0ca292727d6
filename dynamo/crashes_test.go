package dynamo_test

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// cut lets the first n writing requests pass, and responds to the following ones with an error that is not
// retried. undo lets all requests pass again, and reports whether there were more than n.
func (f *fixture) cut(n int) (undo func() (more bool)) {
	var mu sync.Mutex
	seen := 0
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if strings.HasPrefix(r.Operation, "BatchGet") || r.Operation == "Query" {
			return send(r)
		}
		mu.Lock()
		seen++
		over := seen > n
		mu.Unlock()
		if over {
			return dynamotest.Refusal("ValidationException", "internal-detail")
		}
		return send(r)
	})
	return func() bool {
		f.wire.Intercept(nil)
		return seen > n
	}
}

// TestCrashes stops a server before each of the requests of a large change. All fields of the issue are then
// as before or as after the change, and the next change of the issue corrects the index.
func TestCrashes(t *testing.T) {
	d := wide()
	none := map[tracker.FieldID]tracker.Value{}
	for _, field := range d.Fields {
		none[field.ID] = tracker.Value{}
	}
	for name, test := range map[string]struct {
		d        *tracker.Definition
		from, to map[tracker.FieldID]tracker.Value
	}{
		"values": {d, stamped(d, 1), stamped(d, 2)},
		// in columns with entries of their empty values
		"empties filled":  {withEmpties(d, tracker.EmptiesIndexed), nil, stamped(d, 1)},
		"empties removed": {withEmpties(d, tracker.EmptiesIndexed), stamped(d, 1), none},
	} {
		t.Run(name, func(t *testing.T) { crashes(t, test.d, test.from, test.to) })
	}
}

func crashes(t *testing.T, d *tracker.Definition, from, to map[tracker.FieldID]tracker.Value) {
	f := setup(t)
	seen := map[int64]bool{}
	for n, more := 0, true; more; n++ {
		i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: from})
		undo := f.cut(n)
		_, err := f.store.UpdateIssue(t.Context(), d, i.ID, tracker.Change{Values: to})
		more = undo()
		got := f.read(i.ID)
		seen[got.Version] = true
		if made := got.Version == 2; made != (err == nil) {
			t.Errorf("after %d requests: version %d, %v", n, got.Version, err)
		}
		want := maps.Clone(map[int64]map[tracker.FieldID]tracker.Value{1: from, 2: to}[got.Version])
		if maps.DeleteFunc(want, isNone); want == nil {
			want = map[tracker.FieldID]tracker.Value{}
		}
		f.sameValues(got, want)
		field := d.Fields[1].ID
		want[field] = tracker.Int(1000)
		changed, err := f.store.UpdateIssue(t.Context(), d, i.ID, one(field, tracker.Int(1000)))
		f.must(err)
		f.forgetOrphans(i.ID, changed)
		f.verifyOnly(t, d, changed, want)
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
	}
	if len(seen) != 2 {
		t.Errorf("versions after crashes: %v, want 1 and 2", seen)
	}
}

// TestCrashesOfDeletions does the same for deleting an issue and restoring it.
func TestCrashesOfDeletions(t *testing.T) {
	f := setup(t)
	d := wide()
	for n, more := 0, true; more; n++ {
		i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
		undo := f.cut(n)
		deleted := f.store.DeleteIssue(t.Context(), i.ID, nil) == nil
		more = undo()
		found, err := f.store.IssuesConsistent(t.Context(), []tracker.IssueID{i.ID})
		if f.must(err); (found[0] == nil) != deleted {
			t.Fatalf("after %d requests: deleted: %t, found: %t", n, deleted, found[0] != nil)
		}
		if deleted {
			for n, more := 0, true; more; n++ {
				undo := f.cut(n)
				_, err := f.store.RestoreIssue(t.Context(), d, i.ID)
				if more = undo(); err == nil {
					break
				}
				if found, err := f.store.IssuesConsistent(t.Context(), []tracker.IssueID{i.ID}); err != nil ||
					found[0] != nil {
					t.Fatalf("an issue is found although restoring it failed: %v", err)
				}
			}
		}
		changed, err := f.store.UpdateIssue(t.Context(), d, i.ID, one("f1", tracker.Int(1000)))
		f.must(err)
		values := stamped(d, 1)
		values["f1"] = tracker.Int(1000)
		f.sameValues(changed, values)
		verifyIndex(t, f.raw, d, []*document{documentOf(acme, changed, "", values)}, ofAcme)
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
		if left := f.raw.items("acme/issue-"); len(left) > 0 {
			t.Fatalf("%d items are left", len(left))
		}
	}
}

// forgetOrphans deletes the long texts that a crash left and that doc does not refer to.
func (f *fixture) forgetOrphans(id tracker.IssueID, doc *tracker.Issue) {
	f.Helper()
	named := map[string]bool{}
	for _, v := range doc.Values {
		if v.Kind == tracker.KindLong {
			named[v.Long().ID] = true
		}
	}
	for _, m := range f.raw.partition("acme/issue-p1." + id.Issue) {
		sk := m["SK"].(string)
		if parts := strings.Split(sk, "."); strings.HasPrefix(sk, "acme/xtext-") && !named[parts[2]] {
			f.raw.delete(keyOf(m))
		}
	}
}
