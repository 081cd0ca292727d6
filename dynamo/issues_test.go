package dynamo_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// wireKey is the sort key of an item in a request body.
type wireKey struct{ SK struct{ S string } }

// TestCreateIssue checks the returned issue, and every item in its partition.
//
//test:engine
func TestCreateIssue(t *testing.T) {
	f := setup(t)
	for _, test := range []struct {
		name   string
		values map[tracker.FieldID]tracker.Value
		text   string
	}{
		{"only a name", nil, ""},
		{"every field", fullValues(), "short"},
		{"an empty value", map[tracker.FieldID]tracker.Value{"fint": {}}, ""},
		{"long texts", map[tracker.FieldID]tracker.Value{"ftext": tracker.Text(strings.Repeat("Ab", 600)),
			"flong": tracker.Text(incompressible(900_000))}, incompressible(2000)},
		{"names that are long in bytes",
			map[tracker.FieldID]tracker.Value{"fuser": tracker.Text(longUser), "ftags": tracker.Set([]string{
				strings.Repeat("日", tracker.MaxTag), strings.Repeat("\U0001F600", tracker.MaxTag)})}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			created := f.create(f.store, f.d,
				tracker.Issue{Name: "New", State: "doing", Description: tracker.Text(test.text),
					Values: test.values})
			if !created.ID.Valid() || created.ID.Project != project || created.Num < 1 ||
				created.Version != 1 || created.Created.IsZero() || !created.Updated.Equal(created.Created) {
				t.Errorf("created %+v", created)
			}
			if diff := cmp.Diff(f.read(created.ID), created, cmp.Comparer(tracker.Value.Equal)); diff != "" {
				t.Errorf("the returned issue differs from the stored one (-stored +returned):\n%s", diff)
			}
			values := maps.Clone(test.values)
			maps.DeleteFunc(values, isNone)
			verify(t, f.raw, f.d, documentOf(acme, created, test.text, values))
		})
	}
	t.Run("given times", func(t *testing.T) {
		created := f.create(f.store, f.d,
			tracker.Issue{Name: "Old", State: "open", Created: day(1), Updated: day(2)})
		if !created.Created.Equal(day(1)) || !created.Updated.Equal(day(2)) {
			t.Errorf("times %v and %v, want %v and %v", created.Created, created.Updated, day(1), day(2))
		}
	})
	t.Run("an id that exists", func(t *testing.T) {
		i := f.issue(nil)
		before := f.raw.items("acme/issue-")
		_, err := f.store.CreateIssue(t.Context(), f.d, tracker.Issue{ID: i.ID, Name: "Again", State: "open"})
		wantCode(t, err, tracker.Conflict, "already")
		if diff := cmp.Diff(before, f.raw.items("acme/issue-")); diff != "" {
			t.Errorf("unexpected writes:\n%s", diff)
		}
	})
	t.Run("a missing project", func(t *testing.T) {
		gone := tracker.NewDefinition(tracker.Project{ID: "gone", Tenant: acme}, nil)
		_, err := f.store.CreateIssue(t.Context(), gone, tracker.Issue{Name: "Lost", State: "open"})
		wantCode(t, err, tracker.NotFound, "project")
	})
}

// TestTagsOfMarks uses tags of combining marks only, which folding would make empty. They stay distinct.
func TestTagsOfMarks(t *testing.T) {
	f := setup(t)
	tags := []string{"\u0301", "\u0301\u0308", "\u0308"}
	i := f.issue(map[tracker.FieldID]tracker.Value{"ftags": tracker.Set(tags)})
	for _, tag := range tags {
		page := f.keys(columns.KeyQuery{Project: project, Shards: f.d.Project.Shards, Column: "ftags",
			Member: columns.FoldTag(tag)})
		if len(page.Keys) != 1 {
			t.Errorf("%d issues have the tag %q, want 1", len(page.Keys), tag)
		}
	}
	if entries := f.raw.partition("acme/issue-p1." + i.ID.Issue); len(entries) != 6+len(tags) {
		t.Errorf("entries %v", entries)
	}
}

// TestTagsThatFoldLong uses tags whose folded form is much longer than they are: U+FDFA folds to 18
// characters.
func TestTagsThatFoldLong(t *testing.T) {
	f := setup(t)
	long := strings.Repeat("\ufdfa", tracker.MaxTag)
	alike, other := long[:len(long)-3]+"صلى الله عليه وسلم", long[:len(long)-3]+"!"
	i := f.issue(map[tracker.FieldID]tracker.Value{"ftags": tracker.Set([]string{long, other})})
	for _, tag := range []string{long, alike, other} {
		page := f.keys(columns.KeyQuery{Project: project, Shards: f.d.Project.Shards, Column: "ftags",
			Member: columns.FoldTag(tag)})
		if diff := cmp.Diff([]string{i.ID.Issue}, ids(page.Keys)); diff != "" {
			t.Errorf("issues with the tag %.20q (-want +got):\n%s", tag, diff)
		}
	}
	if columns.FoldTag(long) == columns.FoldTag(other) {
		t.Error("different tags have the same folded form")
	}
	f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
	if left := f.raw.items("acme/issue-"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

//test:engine
func TestDeleteIssue(t *testing.T) {
	f := setup(t)
	stays := f.issue(fullValues())
	for _, group := range []bool{false, true} {
		t.Run(fmt.Sprintf("more entries than a transaction takes, grouped %t", group), func(t *testing.T) {
			store, values := f.grouping(group), fullValues()
			all := make([]string, 200)
			for n := range all {
				all[n] = fmt.Sprintf("m%d", n)
			}
			values["fmulti"], values["flong"] = tracker.Set(all), tracker.Text(incompressible(1<<20))
			i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "large"}, Num: 77, Name: "Large",
				State: "open", Values: values}
			f.must(store.PutIssues(t.Context(), f.d, []tracker.Issue{i}))
			verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", values))
			f.must(store.PurgeIssue(t.Context(), i.ID, ptr(int64(1))))
			if left := f.raw.partition("acme/issue-p1.large"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			_, err := store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			wantCode(t, err, tracker.NotFound, "issue")
		})
	}
	t.Run("from the trash with another version than expected", func(t *testing.T) {
		i := f.issue(nil)
		f.update(f.d, i.ID, one("fint", tracker.Int(1)))
		f.must(f.store.DeleteIssue(t.Context(), i.ID, ptr(int64(2))))
		before := f.raw.items("acme/")
		for _, version := range []int64{1, 3} {
			err := f.store.PurgeIssue(t.Context(), i.ID, &version)
			wantCode(t, err, tracker.Conflict, "its version is 2")
		}
		if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
			t.Errorf("unexpected writes:\n%s", diff)
		}
		f.must(f.store.PurgeIssue(t.Context(), i.ID, ptr(int64(2))))
	})
	t.Run("another version than expected", func(t *testing.T) {
		before := f.raw.items("acme/")
		err := f.store.DeleteIssue(t.Context(), stays.ID, ptr(int64(2)))
		wantCode(t, err, tracker.Conflict, "version")
		if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
			t.Errorf("unexpected writes:\n%s", diff)
		}
	})
	t.Run("a missing issue", func(t *testing.T) {
		for _, version := range []*int64{nil, ptr(int64(1))} {
			err := f.store.DeleteIssue(t.Context(), tracker.IssueID{Project: project, Issue: "nowhere"},
				version)
			wantCode(t, err, tracker.NotFound, "issue")
		}
	})
	verify(t, f.raw, f.d, documentOf(acme, stays, "", fullValues()))
	verifyIndex(t, f.raw, f.d, []*document{documentOf(acme, stays, "", fullValues())}, ofAcme)
}

// TestIssuesWithInvalidIDs checks that issues with invalid ids are rejected before a request is sent.
func TestIssuesWithInvalidIDs(t *testing.T) {
	f := setup(t)
	for _, id := range []tracker.IssueID{
		{Project: project, Issue: "a.b"}, {Project: project, Issue: "a/b"}, {Project: project, Issue: "UP"},
		{Project: project, Issue: "~0"},
		{Project: project, Issue: strings.Repeat("a", 33)}, {Project: "other", Issue: "a"},
		{Project: "p1.x", Issue: "a"}, {Project: "", Issue: "a"},
	} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			f.wire.Reset()
			i := tracker.Issue{ID: id, Num: 5, Name: "x", State: "open"}
			_, err := f.store.CreateIssue(t.Context(), f.d, i)
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			wantCode(t, f.store.PutIssues(t.Context(), f.d, []tracker.Issue{i}), tracker.BadInput,
				"a-z and 0-9")
			if calls := f.wire.Calls(); len(calls) > 0 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
	if _, ok := errors.AsType[*tracker.Error](f.store.PutIssues(t.Context(), f.d, nil)); ok {
		t.Error("PutIssues without issues returns an error")
	}
}
