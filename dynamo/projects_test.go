package dynamo_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

var twoStates = []tracker.State{{ID: "open", Name: "Open", Open: true}, {ID: "done", Name: "Done"}}

func TestTenants(t *testing.T) {
	f := setup(t)
	new := tracker.Tenant{ID: "new1", Name: "Neue Ländereien"}
	itemOf := func(tenant tracker.Tenant) map[key]item {
		pk := string(tenant.ID) + "/tenant-" + string(tenant.ID)
		return map[key]item{{pk, "tenants"}: {"PK": pk, "SK": "tenants",
			"SS": binary(sortkey.Name(tenant.Name, string(tenant.ID))), "name": tenant.Name}}
	}
	store, err := f.db.Tenant(new.ID)
	f.must(err)

	_, err = store.Get(t.Context())
	wantCode(t, err, tracker.NotFound, "tenant")
	_, err = f.db.RenameTenant(t.Context(), new.ID, "x")
	wantCode(t, err, tracker.NotFound, "tenant")
	_, err = store.CreateProject(t.Context(),
		tracker.Project{ID: "p", Key: "K", Name: "x", States: twoStates})
	wantCode(t, err, tracker.NotFound, "tenant")
	if left := f.raw.items("new1/"); len(left) > 0 {
		t.Fatalf("written for a tenant that does not exist: %v", left)
	}

	f.must(f.db.CreateTenant(t.Context(), new))
	if diff := cmp.Diff(itemOf(new), f.raw.items("new1/")); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "new1", Name: "Other"}), tracker.Conflict,
		"tenant", "claim")
	if got, err := store.Get(t.Context()); err != nil || *got != new {
		t.Errorf("got %v, %v", got, err)
	}
	renamed, err := f.db.RenameTenant(t.Context(), new.ID, "Zulu")
	if f.must(err); *renamed != (tracker.Tenant{ID: "new1", Name: "Zulu"}) {
		t.Errorf("renamed to %v", renamed)
	}
	if diff := cmp.Diff(itemOf(*renamed), f.raw.items("new1/")); diff != "" {
		t.Errorf("renamed (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", " \t", strings.Repeat("x", 256)} {
		wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "new2", Name: name}), tracker.BadInput,
			"name")
		_, err := f.db.RenameTenant(t.Context(), new.ID, name)
		wantCode(t, err, tracker.BadInput, "name")
	}
}

// TestInvalidIDs checks that every operation refuses ids that cannot be part of a key and sends no request.
func TestInvalidIDs(t *testing.T) {
	f := setup(t)
	for _, id := range []string{"", "a/b", "a.b", "a-b", "a~0", "A", "ä", "a\x00", "tenant acme",
		strings.Repeat("a", 33)} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			f.wire.Reset()
			_, err := f.db.Tenant(tracker.TenantID(id))
			wantCode(t, err, tracker.NotFound, "tenant")
			wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: tracker.TenantID(id), Name: "x"}),
				tracker.BadInput, "a-z and 0-9")
			tenants, err := f.db.Tenants(t.Context(), []tracker.TenantID{tracker.TenantID(id)})
			if err != nil || len(tenants) != 1 || tenants[0] != nil {
				t.Errorf("tenants: %v, %v", tenants, err)
			}
			_, err = f.store.CreateProject(t.Context(),
				tracker.Project{ID: tracker.ProjectID(id), Key: "K", Name: "x", States: twoStates})
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			_, err = f.store.Definition(t.Context(), tracker.ProjectID(id))
			wantCode(t, err, tracker.NotFound, "project")
			projects, err := f.store.Projects(t.Context(), []tracker.ProjectID{tracker.ProjectID(id)})
			if err != nil || len(projects) != 1 || projects[0] != nil {
				t.Errorf("projects: %v, %v", projects, err)
			}
			for _, issue := range []tracker.IssueID{{Project: project, Issue: id},
				{Project: tracker.ProjectID(id), Issue: "a"}} {
				issues, err := f.store.Issues(t.Context(), []tracker.IssueID{issue})
				if err != nil || len(issues) != 1 || issues[0] != nil {
					t.Errorf("issues: %v, %v", issues, err)
				}
				wantCode(t, f.store.DeleteIssue(t.Context(), issue, nil), tracker.NotFound, "issue")
				_, err = f.store.UpdateIssue(t.Context(), f.d, issue, tracker.Change{Name: ptr("x")})
				wantCode(t, err, tracker.NotFound, "issue")
			}
			_, err = f.store.QueryKeys(t.Context(),
				dynamoQuery(tracker.ProjectID(id), tracker.ColumnNum, false))
			wantCode(t, err, tracker.NotFound, "column")
			_, err = f.store.QueryKeys(t.Context(), dynamoQuery(project, tracker.Column(id), false))
			wantCode(t, err, tracker.NotFound, "column")
			if calls := f.wire.Calls(); len(calls) > 0 {
				t.Errorf("calls: %v", calls)
			}
			if id != "" { // otherwise the field gets an id
				_, err = f.store.CreateField(t.Context(), project,
					tracker.Field{ID: tracker.FieldID(id), Name: "x", Type: tracker.TypeText})
				wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			}
			_, err = f.store.CreateField(t.Context(), project,
				tracker.Field{ID: "new", Name: "x", Type: tracker.TypeSelect,
					Options: []tracker.Option{{ID: tracker.OptionID(id), Name: "o"}}})
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			if calls := f.wire.Calls(); calls["TransactWriteItems"] > 0 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
	t.Run("names of built-in columns", func(t *testing.T) {
		for _, id := range []tracker.FieldID{"num", "name", "state", "created", "updated", "description"} {
			_, err := f.store.CreateField(t.Context(), project,
				tracker.Field{ID: id, Name: "x", Type: tracker.TypeText})
			wantCode(t, err, tracker.BadInput, "built-in")
		}
	})
}

// TestCreateProject checks every item that creating a project writes.
func TestCreateProject(t *testing.T) {
	f, clock := checked(t)
	before := f.raw.items("acme/")
	created, err := f.store.CreateProject(t.Context(),
		tracker.Project{ID: "p2", Key: "KEY", Name: "Ünïts", States: twoStates, Version: 77, Tenant: rival})
	f.must(err)
	want := tracker.Project{ID: "p2", Tenant: acme, Key: "KEY", Name: "Ünïts", States: twoStates, Version: 1,
		Created: clock.time()}
	if diff := cmp.Diff(want, *created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	after := f.raw.items("acme/")
	for k := range before {
		delete(after, k)
	}
	entry := key{"acme/project-p2", "acme/xlog-p2.0000000001"} // of the history; see TestProjectHistory
	if after[entry] == nil {
		t.Error("the creation is not in the history")
	}
	delete(after, entry)
	if diff := cmp.Diff(map[key]item{
		{"acme/project-p2", "acme/tenant-acme"}: {"PK": "acme/project-p2", "SK": "acme/tenant-acme",
			"SS": binary(sortkey.Name("Ünïts", "p2")), "key": "KEY", "name": "Ünïts",
			"version": number("1"), "created": tracker.FormatDateTime(want.Created),
			"states": []any{item{"id": "open", "name": "Open", "open": true},
				item{"id": "done", "name": "Done", "open": false}}},
		{"acme/project-p2", "acme/xcounter-num"}: {"PK": "acme/project-p2", "SK": "acme/xcounter-num",
			"n": number("0")},
		{"acme/unique-projectkey.KEY", "*"}: {"PK": "acme/unique-projectkey.KEY", "SK": "*",
			"owner": "p2"},
	}, after); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	found, err := f.store.Projects(t.Context(), []tracker.ProjectID{"nowhere", "p2", "p1", "p2"})
	f.must(err)
	if found[0] != nil || found[2] == nil || found[2].ID != "p1" {
		t.Errorf("found %v", found)
	}
	for _, at := range []int{1, 3} {
		if diff := cmp.Diff(&want, found[at]); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
}

func TestUpdateProject(t *testing.T) {
	f := setup(t)
	version := f.d.Project.Version
	update := func(change func(*tracker.Project) error) (*tracker.Project, error) {
		return f.store.UpdateProject(t.Context(), project, change)
	}
	changed, err := update(func(p *tracker.Project) error {
		p.Name, p.ID, p.Tenant = "Renamed", "p9", rival // neither id can be changed
		p.States = append(p.States, tracker.State{ID: "more", Name: "More"})
		p.States[0].Name = "Reopened"
		return nil
	})
	f.must(err)
	want := f.d.Project
	want.Name, want.Version, want.Changes = "Renamed", version+1, f.d.Project.Changes+1
	want.States = []tracker.State{{ID: "open", Name: "Reopened", Open: true},
		{ID: "doing", Name: "Doing", Open: true}, {ID: "done", Name: "Done"}, {ID: "more", Name: "More"}}
	if diff := cmp.Diff(want, *changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	d := f.known()
	if diff := cmp.Diff(want, d.Project); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	rows := f.raw.ordered("acme/tenant-acme")
	if len(rows) != 1 || rows[0]["SS"] != binary(sortkey.Name("Renamed", "p1")) {
		t.Errorf("projects in the index: %v", rows)
	}

	before := f.raw.items("acme/")
	failed := errors.New("no")
	for _, test := range []struct {
		name   string
		change func(*tracker.Project) error
		code   tracker.Code
	}{
		{"a state removed", func(p *tracker.Project) error {
			p.States = p.States[:3]
			return nil
		}, tracker.BadInput},
		{"two states of one id", func(p *tracker.Project) error {
			p.States = append(p.States, tracker.State{ID: "open", Name: "First"})
			return nil
		}, tracker.BadInput},
		{"two states of one name", func(p *tracker.Project) error {
			p.States[0].Name = "DOING"
			return nil
		}, tracker.BadInput},
		{"no name", func(p *tracker.Project) error { p.Name = ""; return nil }, tracker.BadInput},
		{"a change that fails", func(*tracker.Project) error {
			return tracker.Bad("x", "no")
		}, tracker.BadInput},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := update(test.change)
			wantCode(t, err, test.code)
		})
	}
	if _, err := update(func(*tracker.Project) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the change's own error came back as %v", err)
	}
	if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
		t.Errorf("refused changes wrote:\n%s", diff)
	}
	_, err = f.store.UpdateProject(t.Context(), "gone", func(*tracker.Project) error { return nil })
	wantCode(t, err, tracker.NotFound, "project")

	t.Run("many at once", func(t *testing.T) {
		var group errgroup.Group
		for n := range 4 {
			group.Go(func() error {
				_, err := update(func(p *tracker.Project) error {
					p.States = append(p.States, tracker.State{ID: tracker.OptionID(fmt.Sprintf("many%d", n)),
						Name: fmt.Sprintf("Many %d", n)})
					return nil
				})
				return err
			})
		}
		f.must(group.Wait())
		d, err := f.store.Definition(t.Context(), project)
		if f.must(err); len(d.Project.States) != 8 || d.Project.Version != version+5 {
			t.Errorf("%d states at version %d, want 8 at %d", len(d.Project.States), d.Project.Version,
				version+5)
		}
	})
}
