package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// TestRoles requests every field of Query and Mutation with every role. The schema defines which roles may
// use it, and what Viewer, Tenant and Project say of the caller's permissions is what is permitted.
func TestRoles(t *testing.T) {
	s := newServer(t)
	w, own := planted(t, s, "mine")
	tenant := tenantID(t, w.tenant)
	// of the user, who may change it
	own["comment"] = wrote(t, s.as(t, tracker.Principal{Tenant: tenant, User: "ada", Role: tracker.Editor,
		UserID: userID(t, own["user"])}), "createComment", "issueId", own["issue"], "body", "hers").ID
	own["view"] = w.save(t, w.user(t, "ada", tracker.Reader), inputOf("name", "hers")).ID
	a := &asker{schema: schemaFile(t), own: own}
	for _, role := range append([]tracker.Role{tracker.NoRole}, tracker.Roles...) {
		client := s.as(t, tracker.Principal{Tenant: tenant, User: "ada", Role: role,
			UserID: userID(t, own["user"])}) // of whom a reader may change something
		flags := map[string][]bool{"READER": {role >= tracker.Reader}}
		if role != tracker.NoRole {
			flags = permissionsOf(t, client, w)
		}
		for _, name := range []string{"Query", "Mutation"} {
			d := a.schema.Types[name]
			for _, f := range d.Fields {
				needs := f.Directives.ForName("requires")
				if f.Name == "__schema" || f.Name == "__type" {
					continue
				}
				if needs == nil {
					t.Fatalf("%s.%s has no @requires directive", name, f.Name)
				}
				place := place{of: d, field: f}
				if len(f.Arguments) > 0 && f.Arguments[0].Type.NonNull {
					place.path = []string{f.Arguments[0].Name}
				}
				s.wire.Reset()
				answer := decode[answer](t, []byte(client.post(t, a.plainly(t, place), nil).body))
				forbidden := slices.ContainsFunc(answer.refusals(), func(e apiError) bool {
					return e.Extensions["code"] == string(tracker.Forbidden)
				})
				may := role >= rank(t, needs.Arguments.ForName("role").Value)
				if forbidden == may {
					t.Errorf("%s.%s as %s: forbidden %t, %+v", name, f.Name, role, forbidden, answer.Errors)
				}
				for _, flag := range flags[needs.Arguments.ForName("role").Value.Raw] {
					if flag == forbidden {
						t.Errorf("%s.%s as %s: a permission is %t", name, f.Name, role, flag)
					}
				}
				if calls := s.wire.Calls(); !may && len(calls) > 0 {
					t.Errorf("%s.%s as %s makes the calls %v", name, f.Name, role, calls)
				}
			}
		}
	}
}

// permissionsOf returns what the API says of the caller's permissions, by the role that they are those of.
func permissionsOf(t *testing.T, s *server, w *world) map[string][]bool {
	t.Helper()
	var got struct {
		Viewer struct {
			Role                               string
			CanEdit, CanAdminister, CanOperate bool
		}
		Project struct {
			ViewerCanEdit, ViewerCanAdminister bool
			Tenant                             struct{ ViewerCanAdminister bool }
		}
	}
	s.data(t, `query($p: ID!) { viewer { role canEdit canAdminister canOperate } project(id: $p) { viewerCanEdit
		viewerCanAdminister tenant { viewerCanAdminister } } }`, map[string]any{"p": w.project}, &got)
	return map[string][]bool{"READER": {true}, "EDITOR": {got.Viewer.CanEdit, got.Project.ViewerCanEdit},
		"ADMIN": {got.Viewer.CanAdminister, got.Project.ViewerCanAdminister,
			got.Project.Tenant.ViewerCanAdminister}, "OPERATOR": {got.Viewer.CanOperate}}
}

func rank(t *testing.T, v *ast.Value) tracker.Role {
	t.Helper()
	i := slices.IndexFunc(tracker.Roles, func(r tracker.Role) bool {
		return string((&model.Viewer{Principal: tracker.Principal{Role: r}}).Role()) == v.Raw
	})
	if i < 0 {
		t.Fatalf("no role %s", v.Raw)
	}
	return tracker.Roles[i]
}

// TestViewer checks that the API returns the user and role of the caller, and that a history shows the author
// of each change.
func TestViewer(t *testing.T) {
	s := newServer(t)
	w, _ := planted(t, s, "mine")
	tenant := tenantID(t, w.tenant)
	type viewer struct {
		User                               *string
		Role                               string
		Tenant                             *struct{ ID string }
		CanEdit, CanAdminister, CanOperate bool
	}
	const query = `query($p: ID!) { viewer { user: userName role tenant { id } canEdit canAdminister canOperate } project(id: $p) { viewerCanEdit viewerCanAdminister tenant { viewerCanAdminister } } }`
	for role, want := range map[tracker.Role]viewer{
		tracker.Reader:   {Role: "READER"},
		tracker.Editor:   {Role: "EDITOR", CanEdit: true},
		tracker.Admin:    {Role: "ADMIN", CanEdit: true, CanAdminister: true},
		tracker.Operator: {Role: "OPERATOR", CanEdit: true, CanAdminister: true, CanOperate: true},
	} {
		user := "ada"
		want.User, want.Tenant = &user, &struct{ ID string }{w.tenant}
		client := s.as(t, tracker.Principal{Tenant: tenant, User: user, Role: role})
		var got struct {
			Viewer  viewer
			Project struct {
				ViewerCanEdit, ViewerCanAdminister bool
				Tenant                             struct{ ViewerCanAdminister bool }
			}
		}
		client.data(t, query, map[string]any{"p": w.project}, &got)
		same(t, role.String(), want, got.Viewer)
		if p := got.Project; p.ViewerCanEdit != want.CanEdit || p.ViewerCanAdminister != want.CanAdminister ||
			p.Tenant.ViewerCanAdminister != want.CanAdminister {
			t.Errorf("%s: %+v", role, p)
		}
	}
	same(t, "the viewer without sign-in",
		viewer{Role: "OPERATOR", CanEdit: true, CanAdminister: true, CanOperate: true},
		get[viewer](t, s, "viewer", `{ viewer { user: userName role tenant { id } canEdit canAdminister canOperate } }`, nil))

	editor := s.as(t, tracker.Principal{Tenant: tenant, User: "Grace", Role: tracker.Editor})
	i := w.create(t, "x", nil)
	do(t, editor, "updateIssue.issue.id", "id", i.ID, "name", "y")
	same(t, "the authors in the history", []struct{ By *actor }{{&actor{"USER", "Grace"}}, {}},
		get[[]struct{ By *actor }](t, editor, "issue.history.nodes",
			fmt.Sprintf(`{ issue(id: %q) { history { nodes { by { kind name } } } } }`, i.ID), nil))
	const forbidden = "FORBIDDEN input.permanently"
	same(t, "deleteIssue", forbidden, tryWrite(t, editor, "deleteIssue", "id", i.ID, "permanently", true))
	same(t, "deleteIssues", forbidden, tryWrite(t, editor, "deleteIssues",
		"issues", []any{inputOf("id", i.ID)}, "permanently", true))
}
