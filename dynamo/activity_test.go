package dynamo_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/activity"
	"issuegrid/dynamo/check"
	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestActivityOfReplies deletes a comment with a reply while the connection breaks, so that the reply stays.
// A repair removes the reply with its entry of the activity.
func TestActivityOfReplies(t *testing.T) {
	f, c := checked(t)
	i := f.issue(nil)
	store := comments.Of(f.store)
	write := func(parent tracker.CommentID) tracker.CommentRef {
		made, err := store.CreateComment(t.Context(), tracker.Comment{Body: tracker.BodyOf("text"),
			Ref: tracker.CommentRef{Issue: i.ID, Parent: parent}}, i.Num, nil)
		f.must(err)
		return made.Ref
	}
	parent := write("")
	reply := write(parent.ID)
	writes := 0
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if r.Operation == "TransactWriteItems" {
			if writes++; writes > 1 {
				return dynamotest.Refusal("ValidationException", "the test refuses it")
			}
		}
		return send(r)
	})
	f.must(store.DeleteComment(t.Context(), parent, nil, func(*tracker.Comment) error { return nil }))
	f.wire.Intercept(nil)
	entries := func() (n int) {
		for k := range f.raw.items("acme/activity-") {
			if strings.HasSuffix(k.SK, "."+string(reply.ID)) {
				n++
			}
		}
		return n
	}
	if n := entries(); n != 1 {
		t.Fatalf("%d entries of the reply before the repair", n)
	}
	c.add(2 * time.Hour)
	f.check(check.Options{Repair: true, Segments: 1})
	if n := entries(); n != 0 {
		t.Errorf("%d entries of the reply after the repair", n)
	}
	f.sound()
}

// TestActivityWithoutProject checks a table that has lost a project: its activity is reported, and none is
// added.
func TestActivityWithoutProject(t *testing.T) {
	f, c := checked(t)
	d := f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Second", States: twoStates})
	i := f.create(f.store, d, tracker.Issue{Name: "One", State: "open"})
	c.add(2 * time.Hour)
	for k := range f.raw.items("acme/project-p2") {
		f.raw.delete(k)
	}
	parents := func() int {
		for _, k := range f.check(check.Options{Repair: true, Segments: 1}).Kinds {
			if k.Kind == check.KindActivity {
				t.Errorf("activity is missing: %v", k.Examples)
			}
			if k.Kind == check.KindParent {
				return k.Found
			}
		}
		return 0
	}
	with := parents()
	for k := range f.raw.items("acme/activity-p2") {
		f.raw.delete(k)
	}
	if without := parents(); with != without+1 {
		t.Errorf("%d missing parents with the activity of %s, and %d without", with, i.ID, without)
	}
	if left := f.raw.items("acme/activity-p2"); len(left) > 0 {
		t.Errorf("the repair added %v", left)
	}
}

// TestActivityOfImportedAgain imports an issue of the trash again. What replaced its history is not shown as
// the content of earlier entries.
func TestActivityOfImportedAgain(t *testing.T) {
	f, c := checked(t)
	id := f.d.Project.IssueID("again")
	put := func() {
		f.must(f.store.PutIssues(t.Context(), f.d, []tracker.Issue{{ID: id, Num: 1000, State: "open",
			Name: "Imported"}}))
		f.must(f.store.RaiseCounter(t.Context(), project, 1000))
		c.add(time.Minute)
	}
	rename := func(name string) {
		f.update(f.d, id, tracker.Change{Name: &name})
		c.add(time.Minute)
	}
	put()
	rename("Before")
	f.must(f.store.DeleteIssue(t.Context(), id, nil))
	c.add(time.Minute)
	put()
	rename("After")
	s := activity.Of(f.store)
	page, _, err := s.List(t.Context(), activity.Query{Project: &f.d.Project, Limit: 10})
	f.must(err)
	var got []string
	for _, e := range page {
		changes, err := s.Changes(t.Context(), []tracker.Activity{*e.Activity})
		f.must(err)
		line := fmt.Sprintf("%s %d", e.Kind, e.Version)
		if changes[0] != nil {
			for _, column := range changes[0].Columns {
				line += " " + column.After.Text()
			}
		} else {
			line += " replaced"
		}
		got = append(got, line)
	}
	want := []string{"UPDATED 2 After", "DELETED 3", "UPDATED 2 replaced"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the activity is %q, want %q", got, want)
	}
}

// TestDeletionOfActivityIsPaced deletes a project with much activity, in steps between which the job pauses.
func TestDeletionOfActivityIsPaced(t *testing.T) {
	var since, most atomic.Int64 // BatchWriteItem calls since the last pause
	f := setup(t, soon, func(s *dynamo.Settings) {
		s.Pace = func(context.Context, tracker.TenantID) error {
			since.Store(0)
			return nil
		}
	})
	f.issue(nil)
	for k := range f.raw.items("acme/activity-p1") {
		like := f.raw.get(k)
		for n := range 1000 {
			m := maps.Clone(like)
			m["SK"] = str(strings.Replace(k.SK, ".version.0000000001", fmt.Sprintf(".version.%010d", n+2), 1))
			f.raw.put(m)
		}
	}
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	f.wire.Intercept(dynamotest.Before("BatchWriteItem", func(*dynamotest.Request) {
		most.Store(max(most.Load(), since.Add(1)))
	}))
	f.must(f.store.RunJobs(t.Context(), project))
	f.wire.Intercept(nil)
	if left := f.raw.items("acme/activity-p1"); len(left) > 0 {
		t.Errorf("%d entries are left", len(left))
	}
	if n := most.Load(); n < 4 || n > 12 {
		t.Errorf("%d BatchWriteItem calls without a pause", n)
	}
}
