package model_test

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// parsers are the parsers of the ids of nodes, by their kinds.
var parsers = map[byte]func(string) (model.NodeID, error){'T': model.ParseTenantID,
	'P': model.ParseProjectID, 'F': model.ParseFieldID, 'I': model.ParseIssueID, 'V': model.ParseViewID,
	'A': model.ParseUserID, 'G': model.ParseTeamID, 'C': model.ParseCommentID, 'S': model.ParseState,
	'O': model.ParseOption, 'J': model.ParseJobID}

// commentID returns ids of comments, which begin with a time.
var commentID = rapid.Map(rapid.Int64Range(0, 1<<40), func(at int64) tracker.CommentID {
	id, err := tracker.NewCommentID(time.UnixMilli(at), rand.Reader)
	if err != nil {
		panic(err)
	}
	return id
})

// TestIDs builds ids of every kind, often from few parts, so that different kinds have equal parts. Each id
// names one thing, and only the parser of its kind accepts it and returns its parts.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "aa", "s", "o", "j",
			rapid.StringMatching(`[a-z0-9]{1,32}`).Draw(t, "part")})
		field := rapid.Map(part, func(s string) tracker.FieldID { return tracker.FieldID(s) }).
			Filter(tracker.FieldID.Valid)
		seen := map[string]model.NodeID{}
		for range 100 {
			tenant, project := tracker.TenantID(part.Draw(t, "tenant")),
				tracker.ProjectID(part.Draw(t, "project"))
			field, last := field.Draw(t, "field"), part.Draw(t, "last")
			option, issue := tracker.OptionID(last), tracker.IssueID{Project: project, Issue: last}
			issue.Issue += rapid.SampledFrom([]string{"", "", "~1", "~9", "~10", "~15"}).Draw(t, "shard")
			view := tracker.ViewRef{Project: project, View: tracker.ViewID(last)}
			user, team := tracker.UserID(last), tracker.TeamID(last)
			comment := tracker.CommentRef{Issue: issue, ID: commentID.Draw(t, "comment"),
				Parent: rapid.OneOf(rapid.Just(tracker.CommentID("")), commentID).Draw(t, "parent")}
			state, chosen := model.StateID(tenant, project, option),
				model.OptionID(tenant, project, field, option)
			want := map[string]model.NodeID{
				model.TenantNodeID(tenant):                {Kind: 'T'},
				model.ProjectNodeID(tenant, project):      {Kind: 'P', Project: project},
				model.FieldNodeID(tenant, project, field): {Kind: 'F', Project: project, Field: field},
				model.IssueNodeID(tenant, issue):          {Kind: 'I', Project: project, Issue: issue},
				model.ViewNodeID(tenant, view):            {Kind: 'V', Project: project, View: view.View},
				model.UserNodeID(tenant, user):            {Kind: 'A', User: user},
				model.TeamNodeID(tenant, team):            {Kind: 'G', Team: team},
				model.CommentNodeID(tenant, comment): {Kind: 'C', Project: project, Issue: issue,
					Comment: comment},
				state: {Kind: 'S', Project: project, Choice: option},
				chosen: {Kind: 'O', Project: project, Field: field,
					Choice: option},
				model.JobID(tenant, project, last): {Kind: 'J', Project: project, Job: last},
			}
			for id, n := range want {
				n.Tenant = tenant
				if before, known := seen[id]; known && before != n {
					t.Fatalf("%s is the id of %+v and of %+v", id, before, n)
				}
				seen[id] = n
				isNode(t, id, n)
				s, ok := model.ParseStateID(tenant, project, id)
				if ok != (n.Kind == 'S') || ok && s != option {
					t.Fatalf("%+v parsed as state %q: %t", n, s, ok)
				}
				o, ok := model.ParseOptionID(tenant, project, field, id)
				if ok != (n.Kind == 'O') || ok && o != option {
					t.Fatalf("%+v parsed as option %q: %t", n, o, ok)
				}
			}
			if len(want) != 11 {
				t.Fatalf("only %d different ids: %v", len(want), want)
			}
			t2, p2, f2 := tracker.TenantID(part.Draw(t, "other tenant")),
				tracker.ProjectID(part.Draw(t, "other project")), tracker.FieldID(part.Draw(t, "other field"))
			here := t2 == tenant && p2 == project
			if s, ok := model.ParseStateID(t2, p2, state); ok != here {
				t.Fatalf("a state of %s/%s parsed as %q of %s/%s: %t", tenant, project, s, t2, p2, ok)
			}
			if o, ok := model.ParseOptionID(t2, p2, f2, chosen); ok != (here && f2 == field) {
				t.Fatalf("an option of %s/%s/%s parsed as %q of %s/%s/%s: %t", tenant, project, field, o, t2,
					p2, f2, ok)
			}
		}
	})
}

// isNode checks that an id is parsed as the node that it is of.
func isNode(t *rapid.T, id string, want model.NodeID) {
	t.Helper()
	got, ok := model.ParseNodeID(id)
	if !ok || got != want {
		t.Fatalf("%s: %+v, %t, want %+v", id, got, ok, want)
	}
	if strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Fatalf("%s has a character outside the base64url alphabet", id)
	}
	for kind, parse := range parsers {
		n, err := parse(id)
		if kind == want.Kind && (err != nil || n != want) ||
			kind != want.Kind && tracker.CodeOf(err) != tracker.NotFound {
			t.Fatalf("%s parsed as %c: %+v, %v", id, kind, n, err)
		}
	}
	for kind, is := range map[byte]bool{'T': got.IsTenant(), 'P': got.IsProject(), 'F': got.IsField(),
		'V': got.IsView(), 'A': got.IsUser(), 'G': got.IsTeam(), 'C': got.IsComment(),
		'S': got.IsState(), 'O': got.IsOption(), 'J': got.IsJob()} {
		if is != (kind == want.Kind) {
			t.Fatalf("%+v is of kind %c: %t", got, kind, is)
		}
	}
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
		"S0807/35e9", "S0807/35e9/a/b", "O0807/35e9/3812", "O0807/35e9/é/a", "J0807/35e9", "U0807/a",
		"I0807/35e9", "I0807/35e9/", "I0807/35e9/a/b",
		"I0807/35E9/a", "I0807/35e9/a\x00", "I0807/35e9/a\n", " T0807", "T0807 ",
		// Only the id of an issue ends in a shard, and each shard has one spelling.
		"It/p/i~", "It/p/i~0", "It/p/i~01", "It/p/i~16", "It/p/i~-1", "It/p/i~+1", "It/p/i~x", "It/p/i~1~1",
		"It/p/~1", "It/p~1/i", "It~1/p/i", "Tt~1", "Pt/p~1", "Ft/p/f~1",
	} {
		if n, ok := model.ParseNodeID(encode(decoded)); ok {
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
		case 'S':
			again, valid = model.StateID(n.Tenant, n.Project, n.Choice), tracker.ValidID(string(n.Choice))
		case 'O':
			again = model.OptionID(n.Tenant, n.Project, n.Field, n.Choice)
			valid = n.Field.Valid() && tracker.ValidID(string(n.Choice))
		case 'J':
			again, valid = model.JobID(n.Tenant, n.Project, n.Job), tracker.ValidID(n.Job)
		case 'C':
			again, valid = model.CommentNodeID(n.Tenant, n.Comment), n.Comment.Valid()
		}
		if again != id {
			t.Errorf("%q parsed as %+v, whose id is %q", id, n, again)
		}
		if !valid || !tracker.ValidID(string(n.Tenant)) {
			t.Errorf("%q has invalid parts: %+v", id, n)
		}
	})
}
