package layout

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// FuzzKeys parses any string as each kind of key. Building the key from the result must return the same
// string, so that keys are unique, and must not leave the tenant.
func FuzzKeys(f *testing.F) {
	for _, k := range []string{"acme/issue-p1.i1", "acme/project-p1", "acme/tenant-acme",
		"acme/issue-p1.i1.x", "acme/xviews-all", "acme/xviews-all.v1",
		"acme/xviews-0.v1.v2", "acme/issue-p1/i1", "rival/issue-p1.i1", "acme/xhistory-p1.0000000001.00",
		"acme/activity-p1", "acme/activity-p1~3", "1795820413449751.i1~6.version.0000000001",
		"1795820413449751.i1.comment..0sgmm4qv01jnx99h60djz1cg", "acme/issue-P1.i1",
		"acme/issue-p1.i1\x00", "acme//issue-p1.i1"} {
		f.Add(k)
	}
	k := Keys{Tenant: "acme"}
	f.Fuzz(func(t *testing.T, s string) {
		if id, ok := k.ParseIssue(s); ok && k.Issue(id) != s {
			t.Errorf("%q is parsed as the issue %v, whose key is %q", s, id, k.Issue(id))
		}
		if p, ok := k.ParseProject(s); ok && k.Project(p) != s {
			t.Errorf("%q is parsed as the project %q, whose key is %q", s, p, k.Project(p))
		}
		if tenant, ok := ParseTenant(s); ok && string(tenant)+"/tenant-"+string(tenant) != s {
			t.Errorf("%q is parsed as the tenant %q", s, tenant)
		}
		issue := tracker.IssueID{Project: "p1", Issue: "i1"}
		version, n, ok := k.ParseHistory(issue, s)
		if ok && (k.History(issue, version, n).SK != s || !strings.HasPrefix(s, "acme/")) {
			t.Errorf("%q is parsed as version %d of a history, item %d", s, version, n)
		}
		if list, id, ok := ParseViews(k, "p1", s); ok && (id == "" && list.Head().SK != s ||
			id != "" && list.View(id).SK != s) {
			t.Errorf("%q is parsed as the view %q of %v", s, id, list)
		}
		if p, shard, ok := ParseActivity(k, s); ok && ActivityOf(k, p).Partition(shard) != s {
			t.Errorf("%q is parsed as the activity of shard %d of %s", s, shard, p)
		}
		activity := ActivityOf(k, "p1")
		if e, ok := activity.Parse(s); ok && (activity.Position(&e) != s || e.Issue.Project != "p1" ||
			strings.ContainsAny(s, "/")) {
			t.Errorf("%q is parsed as the position of %+v", s, e)
		}
		if tracker.ValidID(s) && strings.ContainsAny(s, "/.-~") {
			t.Errorf("%q contains a separator, but is a valid id", s)
		}
	})
}

// TestSeparators verifies that no id contains a separator of keys, so that the column can be parsed from the
// key of any index entry, for any members of sets. `~` is followed by the generation of a field's values, or
// by the shard of an issue; see TestShards.
func TestSeparators(t *testing.T) {
	for _, separator := range []string{"/", ".", "-", "~", "*"} {
		for _, id := range []string{separator, "a" + separator, separator + "a", "a" + separator + "1"} {
			if tracker.ValidID(id) || tracker.FieldID(id).Valid() ||
				(tracker.IssueID{Project: "p1", Issue: id}).Valid() && id != "a~1" ||
				(tracker.IssueID{Project: tracker.ProjectID(id), Issue: "i1"}).Valid() {
				t.Errorf("%q contains a separator, but is a valid id", id)
			}
		}
	}
	generated, err := tracker.NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{generated, tracker.IDFor("a~b", "c/d"), tracker.NewLongID("a~b", "c")} {
		if !tracker.ValidID(id) {
			t.Errorf("generated id %q is invalid", id)
		}
	}
	k, issue := Keys{Tenant: "acme"}, tracker.IssueID{Project: "p1", Issue: "i1"}
	for _, gen := range []int64{0, 1, 12} {
		f := &tracker.Field{ID: "f1", Gen: gen}
		for _, entry := range []Key{k.value(issue, "f1", gen), k.member(issue, f, "o1"),
			k.member(issue, f, columns.FoldTag("a~7.b"))} {
			if c := k.ColumnOf(tracker.IssueID{Project: "p1", Issue: "i1"}, entry); c != "f1" {
				t.Errorf("column of %q is %q, want f1", entry.SK, c)
			}
		}
	}
}

// TestShards checks that an issue of each shard has its own index partitions in each column, and that these
// are parsed as those of the column.
func TestShards(t *testing.T) {
	k, partitions := Keys{Tenant: "acme"}, map[string]string{}
	one := func(partition, of string) {
		if before, ok := partitions[partition]; ok {
			t.Errorf("%s is the partition of %s and of %s", partition, before, of)
		}
		partitions[partition] = of
	}
	ids := map[int]tracker.IssueID{}
	p := tracker.Project{ID: "p1", Shards: tracker.MaxShards}
	for n := 0; len(ids) < tracker.MaxShards; n++ {
		id := p.IssueID(fmt.Sprint("i", n))
		ids[id.Shard()] = id
	}
	for shard, id := range ids {
		if got, ok := k.ParseIssue(k.Issue(id)); !ok || got != id || got.Shard() != shard {
			t.Errorf("the key of %v is parsed as %v, %t", id, got, ok)
		}
		one(k.IssueItem(id).SK, fmt.Sprint("shard ", shard))
		for _, gen := range []int64{0, 1, 12} {
			for _, f := range []tracker.FieldID{"f1", "f12", "1"} {
				for _, entry := range []Key{k.value(id, f.Column(), gen),
					k.member(id, &tracker.Field{ID: f, Gen: gen}, "o1"),
					k.member(id, &tracker.Field{ID: f, Gen: gen}, columns.FoldTag("a~7.b"))} {
					one(entry.SK, fmt.Sprint(f, " generation ", gen, " of shard ", shard))
					if c := k.ColumnOf(id, entry); c != f.Column() {
						t.Errorf("column of %q is %q, want %q", entry.SK, c, f)
					}
					if !strings.HasPrefix(entry.SK, k.EntryPrefix()) {
						t.Errorf("%q does not begin with %q", entry.SK, k.EntryPrefix())
					}
				}
			}
		}
	}
	for _, s := range []string{"a~", "a~0", "a~01", "a~16", "a~-1", "a~+1", "a~1~1", "~1", "a~x", "a~1.0"} {
		if _, ok := k.ParseIssue("acme/issue-p1." + s); ok {
			t.Errorf("%q is parsed as the id of an issue", s)
		}
	}
}
