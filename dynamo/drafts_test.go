package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestChanges checks that Changes and CheckFits report without a call what UpdateIssue and PutIssues do.
func TestChanges(t *testing.T) {
	f := setup(t)
	name, none := "An issue", ""
	tags := make([]string, 100)
	for i := range tags {
		tags[i] = strings.Repeat("x", 96) + fmt.Sprintf("%04d", i)
	}
	for range 50 {
		id := tracker.FieldID(fmt.Sprintf("large%d", len(f.d.Fields)))
		f.field(tracker.Field{ID: id, Name: string(id), Type: tracker.TypeTags})
		f.d = f.known()
	}
	large := map[tracker.FieldID]tracker.Value{}
	for _, field := range f.d.Fields {
		if strings.HasPrefix(string(field.ID), "large") {
			large[field.ID] = tracker.Set(tags)
		}
	}
	for _, c := range []struct {
		change  tracker.Change
		changes bool
		code    tracker.Code
	}{
		{tracker.Change{}, false, ""},
		{tracker.Change{Name: &name, Values: fullValues()}, false, ""},
		{tracker.Change{Description: &none}, false, ""},
		{tracker.Change{Name: &none}, true, ""},
		{tracker.Change{Values: map[tracker.FieldID]tracker.Value{"fint": {}}}, true, ""},
		{tracker.Change{Values: large}, true, tracker.BadInput},
	} {
		old := f.issue(fullValues())
		f.wire.Reset()
		changes, err := f.store.Changes(f.d, old, c.change)
		if calls := f.wire.Calls(); changes != c.changes || tracker.CodeOf(err) != c.code || len(calls) > 0 {
			t.Errorf("%+v: changes %t, error %v, calls %v", c.change, changes, err, calls)
		}
		now, err := f.store.UpdateIssue(t.Context(), f.d, old.ID, c.change)
		if tracker.CodeOf(err) != c.code || err == nil && (now.Version > old.Version) != c.changes {
			t.Errorf("%+v: UpdateIssue returns %+v, %v", c.change, now, err)
		}
	}
	for _, values := range []map[tracker.FieldID]tracker.Value{large, fullValues()} {
		i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "new"}, Num: 1000, Name: "x",
			State: "open", Values: values}
		fits := f.store.CheckFits(f.d, i)
		if err := f.store.PutIssues(t.Context(), f.d, []tracker.Issue{i}); tracker.CodeOf(err) !=
			tracker.CodeOf(fits) {
			t.Errorf("CheckFits returns %v, PutIssues %v", fits, err)
		}
	}
}
