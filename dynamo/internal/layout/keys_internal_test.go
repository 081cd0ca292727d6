package layout

import (
	"strings"
	"testing"

	"issuegrid/tracker"
)

// FuzzKeys reads any text as each kind of key: what is read makes the same key again, so that no two keys are of one thing, and it is of the tenant.
func FuzzKeys(f *testing.F) {
	for _, k := range []string{"acme/issue-p1.i1", "acme/project-p1", "acme/tenant-acme", "acme/issue-p1.i1.x", "acme/issue-p1/i1", "rival/issue-p1.i1", "acme/xhistory-p1.0000000001.00",
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
		if _, ok := k.ParseHistory(text); ok && !strings.HasPrefix(text, "acme/") {
			t.Errorf("%q is read as a history of acme", text)
		}
		if tracker.ValidID(text) && strings.ContainsAny(text, "/.-~") {
			t.Errorf("%q is taken for an id", text)
		}
	})
}
