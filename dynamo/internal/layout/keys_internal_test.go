package layout

import (
	"crypto/rand"
	"strings"
	"testing"

	"issuegrid/columns"
	"issuegrid/tracker"
)

// FuzzKeys parses any string as each kind of key. Building the key from the result must return the same
// string, so that keys are unique, and must not leave the tenant.
func FuzzKeys(f *testing.F) {
	for _, k := range []string{"acme/issue-p1.i1", "acme/project-p1", "acme/tenant-acme",
		"acme/issue-p1.i1.x", "acme/issue-p1/i1", "rival/issue-p1.i1", "acme/xhistory-p1.0000000001.00",
		"acme/issue-P1.i1", "acme/issue-p1.i1\x00", "acme//issue-p1.i1"} {
		f.Add(k)
	}
	k := Keys{Tenant: "acme"}
	f.Fuzz(func(t *testing.T, text string) {
		if id, ok := k.ParseIssue(text); ok && k.Issue(id) != text {
			t.Errorf("%q is read as the issue %v, whose key is %q", text, id, k.Issue(id))
		}
		if p, ok := k.ParseProject(text); ok && k.Project(p) != text {
			t.Errorf("%q is read as the project %q, whose key is %q", text, p, k.Project(p))
		}
		if tenant, ok := ParseTenant(text); ok && string(tenant)+"/tenant-"+string(tenant) != text {
			t.Errorf("%q is read as the tenant %q", text, tenant)
		}
		issue := tracker.IssueID{Project: "p1", Issue: "i1"}
		version, n, ok := k.ParseHistory(issue, text)
		if ok && (k.History(issue, version, n).SK != text || !strings.HasPrefix(text, "acme/")) {
			t.Errorf("%q is read as version %d of a history, item %d", text, version, n)
		}
		if tracker.ValidID(text) && strings.ContainsAny(text, "/.-~") {
			t.Errorf("%q is taken for an id", text)
		}
	})
}

// TestSeparators verifies that no id contains a separator of keys, so that the column can be parsed from the
// key of any index entry, for any members of sets. `~` has one meaning, in keys and in cursors: it is
// followed by the generation of a field's values.
func TestSeparators(t *testing.T) {
	for _, separator := range []string{"/", ".", "-", "~", "*"} {
		for _, id := range []string{separator, "a" + separator, separator + "a", "a" + separator + "1"} {
			if tracker.ValidID(id) || tracker.FieldID(id).Valid() ||
				(tracker.IssueID{Project: "p1", Issue: id}).Valid() ||
				(tracker.IssueID{Project: tracker.ProjectID(id), Issue: "i1"}).Valid() {
				t.Errorf("%q is taken for an id", id)
			}
		}
	}
	made, err := tracker.NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{made, tracker.IDFor("a~b", "c/d"), tracker.NewLongID("a~b", "c")} {
		if !tracker.ValidID(id) {
			t.Errorf("%q is made for an id, and is none", id)
		}
	}
	k, issue := Keys{Tenant: "acme"}, tracker.IssueID{Project: "p1", Issue: "i1"}
	for _, gen := range []int64{0, 1, 12} {
		f := &tracker.Field{ID: "f1", Gen: gen}
		for _, entry := range []Key{k.value(issue, "f1", gen), k.member(issue, f, "o1"),
			k.member(issue, f, columns.FoldTag("a~7.b"))} {
			if c := k.ColumnOf("p1", entry); c != "f1" {
				t.Errorf("%q is an entry of the column %q", entry.SK, c)
			}
		}
	}
}
