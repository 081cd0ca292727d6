package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/columns"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// tagsOf returns all tags that a query finds, read in pages.
func (f *fixture) tagsOf(q columns.TagQuery) (all []string) {
	f.Helper()
	for {
		page, more, err := f.store.Tags(f.Context(), q)
		f.must(err)
		if len(page) > q.Limit || more && len(page) < q.Limit {
			f.Fatalf("%d tags of at most %d, more %t", len(page), q.Limit, more)
		}
		if len(all) > 0 && len(page) > 0 && page[0] == all[len(all)-1] {
			page = page[1:] // the bounds are inclusive
		}
		if all = append(all, page...); !more {
			return all
		}
		if last := all[len(all)-1]; q.Descending {
			q.To = last
		} else {
			q.From = last
		}
	}
}

// TestTagsAreListed checks that the list of the tags of a field has the tags of its issues (I7), however they
// are written, and no others, and that queries return its parts in order.
//
//test:engine
func TestTagsAreListed(t *testing.T) {
	f, clock := checked(t)
	f.field(tracker.Field{ID: "ft", Name: "Other", Type: tracker.TypeTags}) // begins like ftags
	d := f.known()
	tags := []string{"Äpfel", "a.b", "a/b", "a~1.x", "a", "ab", "日本", "z\U0010ffff"}
	value := func(tags ...string) map[tracker.FieldID]tracker.Value {
		return map[tracker.FieldID]tracker.Value{"ftags": tracker.Set(tags)}
	}
	i := f.create(f.store, d, tracker.Issue{Name: "x", State: "open", Values: value(tags[:4]...)})
	f.update(d, i.ID, tracker.Change{Members: map[tracker.FieldID]tracker.MemberChange{
		"ftags": {Add: tags[4:6]}}})
	f.must(f.store.PutIssues(t.Context(), d, []tracker.Issue{{ID: tracker.IssueID{Project: project,
		Issue: "imported"}, Num: 7, Name: "x", State: "open", Values: value(tags[6:]...)}}))
	f.must(f.store.RaiseCounter(t.Context(), project, 7))
	f.create(f.store, d, tracker.Issue{Name: "x", State: "open",
		Values: map[tracker.FieldID]tracker.Value{"ft": tracker.Set([]string{"b", "other"})}})
	var want []string
	for _, tag := range tags {
		want = append(want, columns.FoldTag(tag))
	}
	slices.Sort(want)
	q := columns.TagQuery{Project: project, Field: d.Field("ftags")}
	for q.Limit = 2; q.Limit <= len(want)+1; q.Limit += tier.Cases(3, 1) {
		for _, from := range append([]string{"", "a", "aa", "zzz"}, want...) {
			for _, to := range append([]string{"", "a", "b"}, want...) {
				part := slices.DeleteFunc(slices.Clone(want), func(tag string) bool {
					return tag < from || to != "" && tag > to
				})
				q := q
				q.From, q.To = from, to
				if got := f.tagsOf(q); !slices.Equal(got, part) {
					t.Fatalf("from %q to %q, %d at a time: %q, want %q", from, to, q.Limit, got, part)
				}
				q.Descending = true
				slices.Reverse(part)
				if got := f.tagsOf(q); !slices.Equal(got, part) {
					t.Fatalf("backwards from %q to %q, %d at a time: %q, want %q", from, to, q.Limit, got,
						part)
				}
			}
		}
	}
	f.sound()

	// A deleted issue is not in the index, but restored with its tags after they were removed.
	f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	clock.add(2 * time.Hour)
	f.repairAll("after a deletion")
	if got, want := f.tagsOf(q), want[len(want)-2:]; !slices.Equal(got, want) {
		t.Errorf("after a deletion and a repair: %q, want %q", got, want)
	}
	f.restore(d, i.ID)
	if got := f.tagsOf(q); !slices.Equal(got, want) {
		t.Errorf("after a restoration: %q, want %q", got, want)
	}
	f.sound()
}

// TestTagsOfFormerFields checks that jobs list the tags of values that they convert, and remove the lists of
// fields that are deleted or have another type.
func TestTagsOfFormerFields(t *testing.T) {
	f := setup(t, soon)
	f.some(5, "fmulti", func(n int) tracker.Value { return tracker.Set([]string{fmt.Sprint("m", n)}) })
	f.some(5, "ftags", func(n int) tracker.Value { return tracker.Set([]string{fmt.Sprint("tag", n)}) })
	lists := func() (all []string) {
		for _, list := range []string{"fmulti", "fmulti~1", "ftags", "ftags~1"} {
			n := 0
			for k := range f.raw.items("acme/project-" + string(project)) {
				if strings.HasPrefix(k.SK, "acme/xtags-p1."+list+".") {
					n++
				}
			}
			all = append(all, fmt.Sprint(list, " ", n))
		}
		return all
	}
	want := func(want ...string) {
		t.Helper()
		if got := lists(); !slices.Equal(got, want) {
			t.Errorf("the lists have %v tags, want %v", got, want)
		}
	}
	want("fmulti 0", "fmulti~1 0", "ftags 5", "ftags~1 0")
	f.change("fmulti", tracker.TypeTags, false)
	f.runJobs()
	want("fmulti 0", "fmulti~1 5", "ftags 5", "ftags~1 0")
	f.change("ftags", tracker.TypeText, false)
	f.runJobs()
	want("fmulti 0", "fmulti~1 5", "ftags 0", "ftags~1 0")
	f.must(f.store.DeleteField(t.Context(), project, "fmulti", nil))
	f.runJobs()
	want("fmulti 0", "fmulti~1 0", "ftags 0", "ftags~1 0")
	f.soundNow()
}

// TestListingTagsCosts checks that a server lists a tag with the first change that adds it, and again only
// after ten minutes: a BatchWriteItem of 1 WCU for each tag.
func TestListingTagsCosts(t *testing.T) {
	f, clock := checked(t)
	for _, test := range []struct {
		after time.Duration
		tags  []string
		calls int
	}{
		{0, []string{"a", "b"}, 1},
		{0, []string{"A", "b"}, 0},
		{9 * time.Minute, []string{"b"}, 0},
		{0, []string{"b", "c"}, 1},
		{2 * time.Minute, []string{"b"}, 1},
		{0, nil, 0},
	} {
		clock.add(test.after)
		f.wire.Reset()
		f.create(f.store, f.d, tracker.Issue{Name: "x", State: "open",
			Values: map[tracker.FieldID]tracker.Value{"ftags": tracker.Set(test.tags)}})
		if n := f.wire.Calls()["BatchWriteItem"]; n != test.calls {
			t.Errorf("%v later, the tags %q took %d calls, want %d", test.after, test.tags, n, test.calls)
		}
	}
}

// TestTagsOfARecreatedProject checks that tags are listed in a project that was deleted and created again
// with the same ids, as by an import, although servers have listed those of the first one.
func TestTagsOfARecreatedProject(t *testing.T) {
	f := setup(t, soon)
	other := f.another()
	again := tracker.Project{ID: "again", Key: "AGAIN", Name: "Again", States: twoStates}
	for range 2 {
		d := f.project(f.store, again, tracker.Field{ID: "01", Name: "Tags", Type: tracker.TypeTags})
		for n, store := range []*dynamo.Tenant{f.store, other} {
			values := map[tracker.FieldID]tracker.Value{"01": tracker.Set([]string{fmt.Sprint("tag", n)})}
			f.create(store, d, tracker.Issue{Name: "x", State: "open", Values: values})
		}
		q := columns.TagQuery{Project: again.ID, Field: d.Field("01"), Limit: 10}
		if got := f.tagsOf(q); !slices.Equal(got, []string{"tag0", "tag1"}) {
			t.Errorf("the list has the tags %q", got)
		}
		f.soundNow()
		f.must(f.store.DeleteProject(t.Context(), again.ID, nil))
		f.must(f.store.RunJobs(t.Context(), again.ID))
		if left := f.raw.items("acme/project-again"); len(left) > 0 {
			t.Errorf("the deletion left %v", left)
		}
	}
}
