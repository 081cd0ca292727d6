package model_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func drawPart(t *rapid.T, name string) string {
	return rapid.StringMatching(`[a-z0-9]{1,32}`).Draw(t, name)
}

// drawField draws a valid field id.
func drawField(t *rapid.T, name string) tracker.FieldID {
	return tracker.FieldID(rapid.Custom(func(t *rapid.T) string {
		return drawPart(t, name)
	}).Filter(func(s string) bool { return tracker.FieldID(s).Valid() }).Draw(t, "valid "+name))
}

func TestNodeIDsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenant, project := tracker.TenantID(drawPart(t, "tenant")), tracker.ProjectID(drawPart(t, "project"))
		issue := tracker.IssueID{Project: project, Issue: drawPart(t, "issue") +
			rapid.StringMatching(`|~[1-9]|~1[0-5]`).Draw(t, "shard")}
		field := drawField(t, "field")
		view := tracker.ViewRef{Project: project, View: tracker.ViewID(drawPart(t, "view"))}
		seen := map[string]bool{}
		for _, c := range []struct {
			id    string
			want  model.NodeID
			parse func(string) (model.NodeID, error)
		}{
			{model.TenantNodeID(tenant), model.NodeID{Kind: 'T', Tenant: tenant}, model.ParseTenantID},
			{model.ProjectNodeID(tenant, project), model.NodeID{Kind: 'P', Tenant: tenant, Project: project},
				model.ParseProjectID},
			{model.FieldNodeID(tenant, project, field),
				model.NodeID{Kind: 'F', Tenant: tenant, Project: project, Field: field}, model.ParseFieldID},
			{model.IssueNodeID(tenant, issue),
				model.NodeID{Kind: 'I', Tenant: tenant, Project: project, Issue: issue}, model.ParseIssueID},
			{model.ViewNodeID(tenant, view),
				model.NodeID{Kind: 'V', Tenant: tenant, Project: project, View: view.View},
				model.ParseViewID},
		} {
			got, ok := model.ParseNodeID(c.id)
			if diff := cmp.Diff(c.want, got); !ok || diff != "" {
				t.Fatalf("%s: %t (-want +got):\n%s", c.id, ok, diff)
			}
			if seen[c.id] {
				t.Fatalf("%s is the id of two nodes", c.id)
			}
			seen[c.id] = true
			if strings.Trim(c.id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
				t.Fatalf("%s has a character outside the base64url alphabet", c.id)
			}
			if n, err := c.parse(c.id); err != nil || n != c.want {
				t.Fatalf("%s: %v, %v", c.id, n, err)
			}
			for _, parse := range []func(string) (model.NodeID, error){model.ParseTenantID,
				model.ParseProjectID, model.ParseFieldID, model.ParseIssueID,
				model.ParseViewID} {
				if n, err := parse(c.id); (err == nil) != (n == c.want) || err != nil &&
					tracker.CodeOf(err) != tracker.NotFound {
					t.Fatalf("%s parsed as another kind: %v, %v", c.id, n, err)
				}
			}
			if got.IsTenant() != (got.Kind == 'T') || got.IsProject() != (got.Kind == 'P') ||
				got.IsField() != (got.Kind == 'F') || got.IsView() != (got.Kind == 'V') {
				t.Fatalf("%+v has a wrong IsTenant, IsProject, IsField or IsView", got)
			}
		}
	})
}

// TestIDsOfShards checks that only the id of an issue ends in a shard, and that each shard has one spelling.
func TestIDsOfShards(t *testing.T) {
	encode := func(id string) string { return base64.RawURLEncoding.EncodeToString([]byte(id)) }
	for _, id := range []string{"It/p/i~15", "It/p/i~1", "It/p/i"} {
		if n, err := model.ParseIssueID(encode(id)); err != nil || "It/p/"+n.Issue.Issue != id {
			t.Errorf("%s: %v, %v", id, n, err)
		}
	}
	for _, id := range []string{"It/p/i~", "It/p/i~0", "It/p/i~01", "It/p/i~16", "It/p/i~-1", "It/p/i~+1",
		"It/p/i~x", "It/p/i~1~1", "It/p/~1", "It/p~1/i", "It~1/p/i", "Tt~1", "Pt/p~1", "Ft/p/f~1"} {
		if n, ok := model.ParseNodeID(encode(id)); ok {
			t.Errorf("%s is the id %v", id, n)
		}
	}
}

// TestIDsNeverCollide builds ids of every kind from few parts, so that different kinds often have equal
// parts. Each id names one thing, and only the parser of its kind accepts it.
func TestIDsNeverCollide(t *testing.T) {
	few := rapid.SampledFrom([]string{"a", "b", "aa", "s", "o", "j"})
	rapid.Check(t, func(t *rapid.T) {
		seen := map[string]string{}
		for range 100 {
			tenant, project := tracker.TenantID(few.Draw(t, "tenant")),
				tracker.ProjectID(few.Draw(t, "project"))
			field, last := tracker.FieldID(few.Draw(t, "field")), few.Draw(t, "last")
			option := tracker.OptionID(last)
			for thing, id := range map[string]string{
				fmt.Sprintf("tenant %s", tenant):              model.TenantNodeID(tenant),
				fmt.Sprintf("project %s %s", tenant, project): model.ProjectNodeID(tenant, project),
				fmt.Sprintf("field %s %s %s", tenant, project, field): model.FieldNodeID(tenant,
					project, field),
				fmt.Sprintf("issue %s %s %s", tenant, project, last): model.IssueNodeID(tenant,
					tracker.IssueID{Project: project, Issue: last}),
				fmt.Sprintf("state %s %s %s", tenant, project, last): model.StateID(tenant,
					project, option),
				fmt.Sprintf("option %s %s %s %s", tenant, project, field, last): model.OptionID(tenant,
					project, field, option),
				fmt.Sprintf("job %s %s %s", tenant, project, last): model.JobID(tenant, project,
					last),
			} {
				if before, known := seen[id]; known && before != thing {
					t.Fatalf("%s is the id of %s and of %s", id, before, thing)
				}
				seen[id] = thing
				kind, _, _ := strings.Cut(thing, " ")
				_, node := model.ParseNodeID(id)
				if want := kind == "tenant" || kind == "project" || kind == "field" ||
					kind == "issue"; node != want {
					t.Fatalf("%s parsed as a node id: %t", thing, node)
				}
				state, ok := model.ParseStateID(tenant, project, id)
				if ok != (kind == "state") || ok && state != option {
					t.Fatalf("%s parsed as state %q: %t", thing, state, ok)
				}
				chosen, ok := model.ParseOptionID(tenant, project, field, id)
				if ok != (kind == "option") || ok && chosen != option {
					t.Fatalf("%s parsed as option %q: %t", thing, chosen, ok)
				}
			}
			t2, p2, f2 := tracker.TenantID(few.Draw(t, "other tenant")),
				tracker.ProjectID(few.Draw(t, "other project")), tracker.FieldID(few.Draw(t, "other field"))
			if s, ok := model.ParseStateID(t2, p2, model.StateID(tenant, project, option)); ok !=
				(t2 == tenant && p2 == project) {
				t.Fatalf("a state of %s/%s parsed as %q of %s/%s: %t", tenant, project, s, t2, p2, ok)
			}
			if o, ok := model.ParseOptionID(t2, p2, f2, model.OptionID(tenant, project, field, option)); ok !=
				(t2 == tenant && p2 == project && f2 == field) {
				t.Fatalf("an option of %s/%s/%s parsed as %q of %s/%s/%s: %t", tenant, project, field, o, t2,
					p2, f2, ok)
			}
		}
	})
}

// TestOptionIDsRefused checks ids that are neither state ids nor option ids.
func TestOptionIDsRefused(t *testing.T) {
	for _, decoded := range []string{
		"", "S", "S0807/35e9", "S0807/35e9/", "S0807/35e9//", "S0807/35e9/a/b", "S0807/35e9/A",
		"S0807/35e9/a ", "S0807/35e9/" + strings.Repeat("a", 33), "s0807/35e9/a", "X0807/35e9/a",
		"/0807/35e9/a",
		"S0807/35e/9", "O0807/35e9/a", "O0807/35e9/3812", "O0807/35e9/3812/", "O0807/35e9/3812/a/b",
		"O0807/35e9/3812/é", "O0807/35e9//a", "J0807/35e9/a", "a", "open",
	} {
		checkNoOption(t, encode(decoded))
	}
	state, option := model.StateID("0807", "35e9", "open"), model.OptionID("0807", "35e9", "3812", "p1")
	if s, ok := model.ParseStateID("0807", "35e9", state); !ok || s != "open" {
		t.Errorf("%q, %t", s, ok)
	}
	if o, ok := model.ParseOptionID("0807", "35e9", "3812", option); !ok || o != "p1" {
		t.Errorf("%q, %t", o, ok)
	}
	for _, good := range []string{state, option} {
		for _, id := range []string{good + "=", good + "\n", good[:5] + "\r" + good[5:], " " + good, "%%%"} {
			checkNoOption(t, id)
		}
	}
	if model.StateID("a", "b", "c") != encode("Sa/b/c") ||
		model.OptionID("a", "b", "c", "d") != encode("Oa/b/c/d") ||
		model.JobID("a", "b", "c") != encode("Ja/b/c") {
		t.Error("the encoding of ids changed; clients keep ids")
	}
}

func checkNoOption(t *testing.T, id string) {
	t.Helper()
	if s, ok := model.ParseStateID("0807", "35e9", id); ok || s != "" {
		t.Errorf("%q parsed as state %q", id, s)
	}
	if o, ok := model.ParseOptionID("0807", "35e9", "3812", id); ok || o != "" {
		t.Errorf("%q parsed as option %q", id, o)
	}
}

func encode(decoded string) string { return base64.RawURLEncoding.EncodeToString([]byte(decoded)) }

// TestNodeIDsRefused checks ids that the constructors cannot produce.
func TestNodeIDsRefused(t *testing.T) {
	for _, decoded := range []string{
		"", "T", "P", "X0807", "t0807", "T0807/35e9", "T/0807", "T0807/", "TABC", "T08-07", "T0807.x",
		"T0807~0", "T" + strings.Repeat("a", 33), "Té",
		"P0807", "P0807/", "P/35e9", "P0807/35e9/x", "P0807//35e9", "F0807/35e9", "F0807/35e9/name",
		"F0807/35e9/state", "F0807/35e9/description", "F0807/35e9/a/b",
		"S0807/35e9/a", "O0807/35e9/3812/a", "J0807/35e9/a", "I0807/35e9", "I0807/35e9/", "I0807/35e9/a/b",
		"I0807/35E9/a", "I0807/35e9/a\x00", "I0807/35e9/a\n", " T0807", "T0807 ",
	} {
		id := encode(decoded)
		if n, ok := model.ParseNodeID(id); ok {
			t.Errorf("%q parsed as %+v", decoded, n)
		}
	}
	good := model.TenantNodeID("0807") // VDA4MDc: 7 characters, 2 bits of the last one unused
	for _, id := range []string{good + "=", good + "\n", " " + good, good[:6] + "d",
		base64.StdEncoding.EncodeToString([]byte("T~~~")), "%%%", good[:5]} {
		if n, ok := model.ParseNodeID(id); ok {
			t.Errorf("%q parsed as %+v", id, n)
		}
	}
}

// FuzzParseNodeID checks that an accepted id has valid parts and only one spelling.
func FuzzParseNodeID(f *testing.F) {
	for _, id := range []string{model.TenantNodeID("0807"), model.ProjectNodeID("0807", "35e9"),
		model.FieldNodeID("0807", "35e9", "3812"),
		model.IssueNodeID("0807", tracker.IssueID{Project: "35e9", Issue: "020e"}),
		model.StateID("0807", "35e9", "open"), model.OptionID("0807", "35e9", "3812", "p1"),
		model.JobID("0807", "35e9", "aa"),
		model.ViewNodeID("0807", tracker.ViewRef{Project: "35e9", View: "aa"}),
		model.UserNodeID("0807", "ada"), model.TeamNodeID("0807", "core"), "", "AAAA", "VDA4MDd"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		n, ok := model.ParseNodeID(id)
		if !ok {
			if n != (model.NodeID{}) {
				t.Errorf("%q is refused but returns %+v", id, n)
			}
			return
		}
		again, valid := "", tracker.ValidID(string(n.Project))
		switch n.Kind {
		case 'T':
			again, valid = model.TenantNodeID(n.Tenant), true
		case 'P':
			again = model.ProjectNodeID(n.Tenant, n.Project)
		case 'F':
			again, valid = model.FieldNodeID(n.Tenant, n.Project, n.Field), valid && n.Field.Valid()
		case 'I':
			again, valid = model.IssueNodeID(n.Tenant, n.Issue), valid && n.Issue.Valid()
		case 'V':
			again, valid = model.ViewNodeID(n.Tenant, n.ViewRef()), valid && tracker.ValidID(string(n.View))
		case 'A':
			again, valid = model.UserNodeID(n.Tenant, n.User), tracker.ValidID(string(n.User))
		case 'G':
			again, valid = model.TeamNodeID(n.Tenant, n.Team), tracker.ValidID(string(n.Team))
		}
		if again != id {
			t.Errorf("%q parsed as %+v, whose id is %q", id, n, again)
		}
		if !valid || !tracker.ValidID(string(n.Tenant)) {
			t.Errorf("%q has invalid parts: %+v", id, n)
		}
	})
}
