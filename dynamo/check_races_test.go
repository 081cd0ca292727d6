package dynamo_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo/check"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// wide1 creates an issue with values in all fields of a wide project.
func (f *fixture) wide1(d *tracker.Definition) *tracker.Issue {
	f.Helper()
	return f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
}

// TestConcurrentChanges makes changes that overlap without knowing of each other, and checks that the table
// stays sound.
func TestConcurrentChanges(t *testing.T) {
	imported := func(d *tracker.Definition) tracker.Issue {
		return tracker.Issue{ID: tracker.IssueID{Project: d.Project.ID, Issue: "imported"}, Num: 7,
			Name: "Imported", State: "open", Values: stamped(d, 1)}
	}
	f, c := checked(t)
	d := f.wideProject(enough)
	f.must(f.store.RaiseCounter(t.Context(), d.Project.ID, 100))
	for _, test := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"an import of an issue that was changed and deleted", func(t *testing.T) {
			i := imported(d)
			f.must(f.store.PutIssues(t.Context(), d, []tracker.Issue{i}))
			f.update(d, i.ID, one("f1", tracker.Int(5)))
			f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
			f.must(f.store.PutIssues(t.Context(), d, []tracker.Issue{i}))
		}},
		{"an import of an issue while it is deleted", func(t *testing.T) {
			i, other, seen := imported(d), f.another(), 0
			f.must(f.store.PutIssues(t.Context(), d, []tracker.Issue{i}))
			f.wire.Intercept(dynamotest.Before("TransactWriteItems", func(*dynamotest.Request) {
				if seen++; seen == 2 {
					f.must(other.PutIssues(t.Context(), d, []tracker.Issue{i}))
				}
			}))
			f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
			f.wire.Intercept(nil)
		}},
		{"a large change by a server that does not know a new field", func(t *testing.T) {
			i, other := f.wide1(d), f.another()
			_, err := other.CreateField(t.Context(), d.Project.ID,
				tracker.Field{ID: "new", Name: "New", Type: tracker.TypeInteger})
			f.must(err)
			newer, err := other.Definition(t.Context(), d.Project.ID)
			f.must(err)
			_, err = other.UpdateIssue(t.Context(), newer, i.ID, one("new", tracker.Int(5)))
			f.must(err)
			f.update(d, i.ID, tracker.Change{Values: stamped(d, 2)})
		}},
		{"an import of the number of an issue in the trash", func(t *testing.T) {
			i := f.wide1(d)
			f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
			f.must(f.store.PutIssues(t.Context(), d,
				[]tracker.Issue{{ID: tracker.IssueID{Project: d.Project.ID, Issue: "same"}, Num: i.Num,
					State: "open"}}))
			_, err := f.store.RestoreIssue(t.Context(), d, i.ID)
			wantCode(t, err, tracker.Conflict, "another issue has the number")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.do(t)
			c.add(2 * time.Hour)
			f.sound()
			if strings.Contains(test.name, "import of an issue") {
				_, err := f.store.UpdateIssue(t.Context(), d,
					tracker.IssueID{Project: d.Project.ID, Issue: "imported"}, one("f1", tracker.Int(6)))
				f.must(err)
			}
			for k := range f.raw.items("acme/issue-") {
				f.raw.delete(k)
			}
		})
	}
}

// TestChangeDuringRepair changes an issue between the last read of the check and the repair: the repair
// fails, and is made again from the new state.
func TestChangeDuringRepair(t *testing.T) {
	f, c := checked(t)
	other := f.another()
	i := f.issue(fullValues())
	f.raw.delete(key{"acme/issue-p1." + i.ID.Issue, "acme/xvalue-p1.fint"})
	c.add(time.Hour)
	changed := 0
	f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		if r.Operation == "TransactWriteItems" && changed < 2 {
			changed++
			if _, err := other.UpdateIssue(context.Background(), f.d, i.ID,
				one("fnum", tracker.Float(float64(changed)))); err != nil {
				t.Error(err)
			}
		}
	}))
	r := f.check(check.Options{Repair: true})
	f.wire.Intercept(nil)
	if got := kindsOf(r); got[check.KindEntryMissing] != "1 found, 1 repaired" || changed != 2 {
		t.Errorf("report %v after %d changes, want 1 repaired after 2", got, changed)
	}
	f.soundNow()
}

// TestInterruptedPurge stops a server while it purges an issue in the trash. Restoring the issue afterwards
// restores all of it, or fails.
func TestInterruptedPurge(t *testing.T) {
	f, c := checked(t)
	d := f.wideProject(enough)
	for n, more := 0, true; more; n += every {
		i := f.wide1(d)
		for s := range 8 { // so that the items take more than one transaction
			f.update(d, i.ID, tracker.Change{Values: stamped(d, 2+s)})
		}
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
		undo := f.cut(n)
		purged := f.store.PurgeIssue(t.Context(), i.ID, nil)
		more = undo()
		restored, err := f.store.RestoreIssue(t.Context(), d, i.ID)
		if (purged == nil) == (err == nil) {
			t.Errorf("after %d requests: purge: %v, restore: %v, want one of them to fail", n, purged, err)
		}
		if err == nil {
			f.sameValues(restored, stamped(d, 9))
		}
		c.add(2 * time.Hour)
		f.sound()
	}
}

// TestRefusedThoughMade applies a large change but returns a failed condition, as DynamoDB does for a request
// that is sent twice, and keeps the server from finding out that the change was made. The long texts of the
// change must stay.
func TestRefusedThoughMade(t *testing.T) {
	f, c := checked(t)
	d := f.wideProject(enough)
	for name, clientGone := range map[string]bool{"the client is gone": true,
		"the history can't be read": false} {
		t.Run(name, func(t *testing.T) {
			i := f.wide1(d)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			refused := false
			f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
				switch {
				case r.Operation == "TransactWriteItems" && !refused:
					send(r)
					refused = true
					if clientGone {
						cancel()
					}
					return &dynamotest.Response{Status: http.StatusBadRequest,
						Body: []byte(
							`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
						"CancellationReasons":[{"Code":"ConditionalCheckFailed"}]}`)}
				case r.Operation == "BatchGetItem" && refused && !clientGone:
					return dynamotest.Refusal("ValidationException", "internal-detail")
				}
				return send(r)
			})
			_, err := f.store.UpdateIssue(ctx, d, i.ID, tracker.Change{Values: stamped(d, 2)})
			f.wire.Intercept(nil)
			if code := tracker.CodeOf(err); code != "" && code != tracker.Unavailable {
				t.Errorf("the change was made, but the error is %v", err)
			}
			c.add(2 * time.Hour)
			f.repairAll(name)
			f.sameValues(f.read(i.ID), stamped(d, 2))
		})
	}
}
