package model_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func part(t *rapid.T, name string) string {
	return rapid.StringMatching(`[a-z0-9]{1,32}`).Draw(t, name)
}

func TestNodeIDsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenant, project := tracker.TenantID(part(t, "tenant")), tracker.ProjectID(part(t, "project"))
		issue := tracker.IssueID{Project: project, Issue: part(t, "issue")}
		field := tracker.FieldID(rapid.Custom(func(t *rapid.T) string { return part(t, "field") }).
			Filter(func(s string) bool { return tracker.FieldID(s).Valid() }).Draw(t, "valid field"))
		seen := map[string]bool{}
		for _, c := range []struct {
			id    string
			want  model.NodeID
			parse func(string) (model.NodeID, error)
		}{
			{model.TenantNodeID(tenant), model.NodeID{Kind: 'T', Tenant: tenant}, model.ParseTenantID},
			{model.ProjectNodeID(tenant, project), model.NodeID{Kind: 'P', Tenant: tenant, Project: project}, model.ParseProjectID},
			{model.FieldNodeID(tenant, project, field), model.NodeID{Kind: 'F', Tenant: tenant, Project: project, Field: field}, model.ParseFieldID},
			{model.IssueNodeID(tenant, issue), model.NodeID{Kind: 'I', Tenant: tenant, Project: project, Issue: issue}, model.ParseIssueID},
		} {
			got, ok := model.ParseNodeID(c.id)
			if diff := cmp.Diff(c.want, got); !ok || diff != "" {
				t.Fatalf("%s: %t (-want +got):\n%s", c.id, ok, diff)
			}
			if seen[c.id] {
				t.Fatalf("%s names two things", c.id)
			}
			seen[c.id] = true
			if strings.Trim(c.id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
				t.Fatalf("%s can't stand in a URL", c.id)
			}
			if n, err := c.parse(c.id); err != nil || n != c.want {
				t.Fatalf("%s: %v, %v", c.id, n, err)
			}
			for _, parse := range []func(string) (model.NodeID, error){model.ParseTenantID, model.ParseProjectID, model.ParseFieldID, model.ParseIssueID} {
				if n, err := parse(c.id); (err == nil) != (n == c.want) || err != nil && tracker.CodeOf(err) != tracker.NotFound {
					t.Fatalf("%s read as another kind: %v, %v", c.id, n, err)
				}
			}
			if got.IsTenant() != (got.Kind == 'T') || got.IsProject() != (got.Kind == 'P') || got.IsField() != (got.Kind == 'F') {
				t.Fatalf("%+v does not know its kind", got)
			}
		}
	})
}

// TestNodeIDsRefused lists ids that the constructors never make.
func TestNodeIDsRefused(t *testing.T) {
	for _, decoded := range []string{
		"", "T", "P", "X0807", "t0807", "T0807/35e9", "T/0807", "T0807/", "TABC", "T08-07", "T0807.x", "T0807~0", "T" + strings.Repeat("a", 33), "Té",
		"P0807", "P0807/", "P/35e9", "P0807/35e9/x", "P0807//35e9", "F0807/35e9", "F0807/35e9/name", "F0807/35e9/state", "F0807/35e9/description", "F0807/35e9/a/b",
		"I0807/35e9", "I0807/35e9/", "I0807/35e9/a/b", "I0807/35E9/a", "I0807/35e9/a\x00", "I0807/35e9/a\n", " T0807", "T0807 ",
	} {
		id := base64.RawURLEncoding.EncodeToString([]byte(decoded))
		if n, ok := model.ParseNodeID(id); ok {
			t.Errorf("%q is read as %+v", decoded, n)
		}
	}
	good := model.TenantNodeID("0807") // VDA4MDc: 7 characters, 2 bits of the last one unused
	for _, id := range []string{good + "=", good + "\n", " " + good, good[:6] + "d", base64.StdEncoding.EncodeToString([]byte("T~~~")), "%%%", good[:5]} {
		if n, ok := model.ParseNodeID(id); ok {
			t.Errorf("%q is read as %+v", id, n)
		}
	}
}

// FuzzParseNodeID: what is read is well formed, and has one spelling only.
func FuzzParseNodeID(f *testing.F) {
	for _, id := range []string{model.TenantNodeID("0807"), model.ProjectNodeID("0807", "35e9"), model.FieldNodeID("0807", "35e9", "3812"),
		model.IssueNodeID("0807", tracker.IssueID{Project: "35e9", Issue: "020e"}), "", "AAAA", "VDA4MDd"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		n, ok := model.ParseNodeID(id)
		if !ok {
			if n != (model.NodeID{}) {
				t.Errorf("%q is refused, and yet something: %+v", id, n)
			}
			return
		}
		var again string
		switch n.Kind {
		case 'T':
			again = model.TenantNodeID(n.Tenant)
		case 'P':
			again = model.ProjectNodeID(n.Tenant, n.Project)
		case 'F':
			again = model.FieldNodeID(n.Tenant, n.Project, n.Field)
		case 'I':
			again = model.IssueNodeID(n.Tenant, n.Issue)
		}
		if again != id {
			t.Errorf("%q is read as %+v, whose id is %q", id, n, again)
		}
		if !tracker.ValidID(string(n.Tenant)) || n.Kind == 'I' && !n.Issue.Valid() || n.Kind == 'F' && !n.Field.Valid() || n.Kind != 'T' && !tracker.ValidID(string(n.Project)) {
			t.Errorf("%q has parts that are no ids: %+v", id, n)
		}
	})
}
