package dynamo_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

var twoStates = []tracker.State{{ID: "open", Name: "Open", Open: true}, {ID: "done", Name: "Done"}}

func TestTenants(t *testing.T) {
	f := setup(t)
	new := tracker.Tenant{ID: "new1", Name: "Neue Ländereien"}
	itemOf := func(tenant tracker.Tenant) map[key]item {
		pk := string(tenant.ID) + "/tenant-" + string(tenant.ID)
		return map[key]item{{pk, "tenants"}: {"PK": pk, "SK": "tenants", "SS": binary(sortkey.Name(tenant.Name, string(tenant.ID))), "name": tenant.Name}}
	}
	store, err := f.db.Tenant(new.ID)
	f.must(err)

	_, err = store.Get(t.Context())
	wantCode(t, err, tracker.NotFound, "tenant")
	_, err = store.Rename(t.Context(), "x")
	wantCode(t, err, tracker.NotFound, "tenant")
	_, err = store.CreateProject(t.Context(), tracker.Project{ID: "p", Key: "K", Name: "x", States: twoStates})
	wantCode(t, err, tracker.NotFound, "tenant")
	if left := f.raw.items("new1/"); len(left) > 0 {
		t.Fatalf("written for a tenant that does not exist: %v", left)
	}

	f.must(f.db.CreateTenant(t.Context(), new))
	if diff := cmp.Diff(itemOf(new), f.raw.items("new1/")); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "new1", Name: "Other"}), tracker.Conflict, "tenant", "already")
	if got, err := store.Get(t.Context()); err != nil || *got != new {
		t.Errorf("got %v, %v", got, err)
	}
	renamed, err := store.Rename(t.Context(), "Zulu")
	if f.must(err); *renamed != (tracker.Tenant{ID: "new1", Name: "Zulu"}) {
		t.Errorf("renamed to %v", renamed)
	}
	if diff := cmp.Diff(itemOf(*renamed), f.raw.items("new1/")); diff != "" {
		t.Errorf("renamed (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", " \t", strings.Repeat("x", 256)} {
		wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "new2", Name: name}), tracker.BadInput, "name")
		_, err := store.Rename(t.Context(), name)
		wantCode(t, err, tracker.BadInput, "name")
	}
}

// TestInvalidIDs are refused by everything that would build a key from them, before anything is sent.
func TestInvalidIDs(t *testing.T) {
	f := setup(t)
	for _, id := range []string{"", "a/b", "a.b", "a-b", "a~0", "A", "ä", "a\x00", "tenant acme", strings.Repeat("a", 33)} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			f.wire.Reset()
			_, err := f.db.Tenant(tracker.TenantID(id))
			wantCode(t, err, tracker.NotFound, "tenant")
			wantCode(t, f.db.CreateTenant(t.Context(), tracker.Tenant{ID: tracker.TenantID(id), Name: "x"}), tracker.BadInput, "a-z and 0-9")
			tenants, err := f.db.Tenants(t.Context(), []tracker.TenantID{tracker.TenantID(id)})
			if err != nil || len(tenants) != 1 || tenants[0] != nil {
				t.Errorf("tenants: %v, %v", tenants, err)
			}
			_, err = f.store.CreateProject(t.Context(), tracker.Project{ID: tracker.ProjectID(id), Key: "K", Name: "x", States: twoStates})
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			_, err = f.store.Definition(t.Context(), tracker.ProjectID(id))
			wantCode(t, err, tracker.NotFound, "project")
			projects, err := f.store.Projects(t.Context(), []tracker.ProjectID{tracker.ProjectID(id)})
			if err != nil || len(projects) != 1 || projects[0] != nil {
				t.Errorf("projects: %v, %v", projects, err)
			}
			for _, issue := range []tracker.IssueID{{Project: project, Issue: id}, {Project: tracker.ProjectID(id), Issue: "a"}} {
				issues, err := f.store.Issues(t.Context(), []tracker.IssueID{issue})
				if err != nil || len(issues) != 1 || issues[0] != nil {
					t.Errorf("issues: %v, %v", issues, err)
				}
				wantCode(t, f.store.DeleteIssue(t.Context(), issue, nil), tracker.NotFound, "issue")
				_, err = f.store.UpdateIssue(t.Context(), f.d, issue, tracker.Change{Name: ptr("x")})
				wantCode(t, err, tracker.NotFound, "issue")
			}
			_, err = f.store.QueryKeys(t.Context(), dynamoQuery(tracker.ProjectID(id), tracker.ColumnNum, false))
			wantCode(t, err, tracker.NotFound, "column")
			_, err = f.store.QueryKeys(t.Context(), dynamoQuery(project, tracker.Column(id), false))
			wantCode(t, err, tracker.NotFound, "column")
			if calls := f.wire.Calls(); len(calls) > 0 {
				t.Errorf("calls: %v", calls)
			}
			_, err = f.store.CreateField(t.Context(), project, tracker.Field{ID: tracker.FieldID(id), Name: "x", Type: tracker.TypeText})
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			_, err = f.store.CreateField(t.Context(), project, tracker.Field{ID: "new", Name: "x", Type: tracker.TypeSelect, Options: []tracker.Option{{ID: tracker.OptionID(id), Name: "o"}}})
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			if calls := f.wire.Calls(); calls["TransactWriteItems"] > 0 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
	t.Run("names of built-in columns", func(t *testing.T) {
		for _, id := range []tracker.FieldID{"num", "name", "state", "created", "updated", "description"} {
			_, err := f.store.CreateField(t.Context(), project, tracker.Field{ID: id, Name: "x", Type: tracker.TypeText})
			wantCode(t, err, tracker.BadInput, "built-in")
		}
	})
}

// guards are the owners of the tenant's project keys.
func (f *fixture) guards(tenant tracker.TenantID) map[string]string {
	f.Helper()
	out := map[string]string{}
	for k, m := range f.raw.items(string(tenant) + "/unique-projectkey.") {
		_, projectKey, _ := strings.Cut(k.PK, ".")
		if out[projectKey] = m["owner"].(string); k.SK != "*" || len(m) != 3 {
			f.Errorf("guard %v is %v", k, m)
		}
	}
	return out
}

func TestProjectKeysAreUnique(t *testing.T) {
	f := setup(t) // both tenants have a project with the key PRJ
	create := func(id tracker.ProjectID, projectKey string) error {
		_, err := f.store.CreateProject(t.Context(), tracker.Project{ID: id, Key: projectKey, Name: "Another", States: twoStates})
		return err
	}
	rename := func(id tracker.ProjectID, projectKey string) error {
		_, err := f.store.UpdateProject(t.Context(), id, func(p *tracker.Project) error { p.Key = projectKey; return nil })
		return err
	}
	before := f.raw.items("acme/")
	wantCode(t, create("p2", "PRJ"), tracker.Conflict, "PRJ", "already")
	wantCode(t, create("p1", "NEW"), tracker.Conflict, "already")
	for _, bad := range []string{"", "a", "1A", "A-B", "ABCDEFGHIJK"} {
		wantCode(t, create("p2", bad), tracker.BadInput, "key")
	}
	if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
		t.Errorf("a refused project wrote:\n%s", diff)
	}
	f.must(create("p2", "NEW"))
	wantCode(t, rename("p2", "PRJ"), tracker.Conflict, "PRJ", "already")
	want := map[string]string{"PRJ": "p1", "NEW": "p2"}
	if diff := cmp.Diff(want, f.guards(acme)); diff != "" {
		t.Errorf("guards (-want +got):\n%s", diff)
	}
	f.must(rename("p1", "OTHER"))
	f.must(rename("p2", "PRJ")) // free now
	f.must(rename("p2", "PRJ")) // its own
	f.must(create("p3", "NEW"))
	want = map[string]string{"OTHER": "p1", "PRJ": "p2", "NEW": "p3"}
	if diff := cmp.Diff(want, f.guards(acme)); diff != "" {
		t.Errorf("guards after the changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"PRJ": "p1"}, f.guards(rival)); diff != "" {
		t.Errorf("guards of the other tenant (-want +got):\n%s", diff)
	}

	t.Run("also when many ask at once", func(t *testing.T) {
		var group errgroup.Group
		var won atomic.Int32
		for n := range 8 {
			group.Go(func() error {
				err := create(tracker.ProjectID(fmt.Sprintf("many%d", n)), "SAME")
				if err == nil {
					won.Add(1)
				} else if tracker.CodeOf(err) != tracker.Conflict {
					return err
				}
				return nil
			})
		}
		f.must(group.Wait())
		if won.Load() != 1 {
			t.Errorf("%d projects got the same key", won.Load())
		}
		// A project that was refused must have left nothing: neither itself nor its counter.
		if left := f.raw.items("acme/project-many"); len(left) != 2 {
			t.Errorf("items of the projects: %v", left)
		}
	})
}

// TestCreateProject checks every item that a new project makes.
func TestCreateProject(t *testing.T) {
	f := setup(t)
	before := f.raw.items("acme/")
	created, err := f.store.CreateProject(t.Context(), tracker.Project{ID: "p2", Key: "KEY", Name: "Ünïts", States: twoStates, Version: 77, Tenant: rival})
	f.must(err)
	want := tracker.Project{ID: "p2", Tenant: acme, Key: "KEY", Name: "Ünïts", States: twoStates, Version: 1}
	if diff := cmp.Diff(want, *created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	after := f.raw.items("acme/")
	for k := range before {
		delete(after, k)
	}
	if diff := cmp.Diff(map[key]item{
		{"acme/project-p2", "acme/tenant-acme"}: {"PK": "acme/project-p2", "SK": "acme/tenant-acme", "SS": binary(sortkey.Name("Ünïts", "p2")), "key": "KEY", "name": "Ünïts",
			"version": number("1"), "states": []any{item{"id": "open", "name": "Open", "open": true}, item{"id": "done", "name": "Done", "open": false}}},
		{"acme/project-p2", "acme/xcounter-num"}: {"PK": "acme/project-p2", "SK": "acme/xcounter-num", "n": number("0")},
		{"acme/unique-projectkey.KEY", "*"}:      {"PK": "acme/unique-projectkey.KEY", "SK": "*", "owner": "p2"},
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
	want.Name, want.Version = "Renamed", version+1
	want.States = []tracker.State{{ID: "open", Name: "Reopened", Open: true}, {ID: "doing", Name: "Doing", Open: true}, {ID: "done", Name: "Done"}, {ID: "more", Name: "More"}}
	if diff := cmp.Diff(want, *changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	d, err := f.store.Definition(t.Context(), project)
	f.must(err)
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
		{"states in another order", func(p *tracker.Project) error { p.States[0], p.States[1] = p.States[1], p.States[0]; return nil }, tracker.BadInput},
		{"a state removed", func(p *tracker.Project) error { p.States = p.States[:3]; return nil }, tracker.BadInput},
		{"a state in between", func(p *tracker.Project) error {
			p.States = append([]tracker.State{{ID: "first", Name: "First"}}, p.States...)
			return nil
		}, tracker.BadInput},
		{"two states of one name", func(p *tracker.Project) error { p.States[0].Name = "DOING"; return nil }, tracker.BadInput},
		{"no name", func(p *tracker.Project) error { p.Name = ""; return nil }, tracker.BadInput},
		{"a change that fails", func(*tracker.Project) error { return tracker.Bad("x", "no") }, tracker.BadInput},
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
					p.States = append(p.States, tracker.State{ID: tracker.OptionID(fmt.Sprintf("many%d", n)), Name: fmt.Sprintf("Many %d", n)})
					return nil
				})
				return err
			})
		}
		f.must(group.Wait())
		d, err := f.store.Definition(t.Context(), project)
		if f.must(err); len(d.Project.States) != 8 || d.Project.Version != version+5 {
			t.Errorf("%d states at version %d, want 8 at %d", len(d.Project.States), d.Project.Version, version+5)
		}
	})
}

// names are those of a project's fields, in its order.
func names(d *tracker.Definition) []string {
	var out []string
	for _, field := range d.Fields {
		out = append(out, field.Name)
	}
	return out
}

func TestFieldsAreOrderedByPosition(t *testing.T) {
	f := setup(t)
	d := f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Ordered"},
		tracker.Field{ID: "f9", Name: "first", Type: tracker.TypeText},
		tracker.Field{ID: "f1", Name: "second", Type: tracker.TypeText},
		tracker.Field{ID: "f5", Name: "far behind", Type: tracker.TypeText, Position: 100},
		tracker.Field{ID: "f6", Name: "tie b", Type: tracker.TypeText, Position: 50},
		tracker.Field{ID: "f4", Name: "tie a", Type: tracker.TypeText, Position: 50},
		tracker.Field{ID: "f2", Name: "before all", Type: tracker.TypeText, Position: -1},
		tracker.Field{ID: "f0", Name: "last", Type: tracker.TypeText})
	if diff := cmp.Diff([]string{"before all", "first", "second", "tie a", "tie b", "far behind", "last"}, names(d)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if last := d.Field("f0"); last.Position != 101 {
		t.Errorf("position %d, want 101", last.Position)
	}
	_, err := f.store.UpdateField(t.Context(), "p2", "f0", func(field *tracker.Field) error { field.Position = -2; return nil })
	f.must(err)
	d, err = f.store.Definition(t.Context(), "p2")
	if f.must(err); names(d)[0] != "last" {
		t.Errorf("moved to the front: %v", names(d))
	}
	t.Run("also those made at once", func(t *testing.T) {
		var group errgroup.Group
		for n := range 4 {
			group.Go(func() error {
				_, err := f.store.CreateField(t.Context(), "p2", tracker.Field{ID: tracker.FieldID(fmt.Sprintf("many%d", n)), Name: fmt.Sprintf("Many %d", n), Type: tracker.TypeText})
				return err
			})
		}
		f.must(group.Wait())
		d, err := f.store.Definition(t.Context(), "p2")
		f.must(err)
		var positions []int64
		for _, field := range d.Fields[len(d.Fields)-4:] {
			positions = append(positions, field.Position)
		}
		if diff := cmp.Diff([]int64{101, 102, 103, 104}, positions); diff != "" {
			t.Errorf("positions (-want +got):\n%s", diff)
		}
	})
}

func TestFieldNamesAreUnique(t *testing.T) {
	f := setup(t)
	var group errgroup.Group
	var mu sync.Mutex
	var won []tracker.FieldID
	for n := range 8 {
		group.Go(func() error {
			id := tracker.FieldID(fmt.Sprintf("many%d", n))
			_, err := f.store.CreateField(t.Context(), project, tracker.Field{ID: id, Name: []string{"Same Name", "SAME name"}[n%2], Type: tracker.TypeText})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, id)
			} else if tracker.CodeOf(err) != tracker.Conflict {
				return err
			}
			return nil
		})
	}
	f.must(group.Wait())
	d, err := f.store.Definition(t.Context(), project)
	if f.must(err); len(won) != 1 || len(d.Fields) != len(everyField())+1 || d.Field(won[0]) == nil {
		t.Errorf("%v won; fields %v", won, names(d))
	}
	_, err = f.store.UpdateField(t.Context(), project, "ftext", func(field *tracker.Field) error { field.Name = "same NAME"; return nil })
	wantCode(t, err, tracker.Conflict, "already")
	_, err = f.store.CreateField(t.Context(), project, tracker.Field{ID: "ftext", Name: "New", Type: tracker.TypeText})
	wantCode(t, err, tracker.Conflict, "already")
}

func TestFieldLimit(t *testing.T) {
	f := setup(t)
	f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Full"})
	for n := range tracker.MaxFields - 1 {
		id := fmt.Sprintf("f%d", n)
		f.raw.put(attributes(item{"PK": "acme/project-p2", "SK": "acme/xattrib-p2." + id, "id": id, "name": "Field " + id, "type": "TEXT",
			"position": number(fmt.Sprint(n))}))
	}
	var group errgroup.Group
	var won, refused atomic.Int32
	for n := range 3 {
		group.Go(func() error {
			_, err := f.store.CreateField(t.Context(), "p2", tracker.Field{ID: tracker.FieldID(fmt.Sprintf("last%d", n)), Name: fmt.Sprintf("Last %d", n), Type: tracker.TypeText})
			switch {
			case err == nil:
				won.Add(1)
			case tracker.CodeOf(err) == tracker.BadInput && strings.Contains(messageOf(err), "400"):
				refused.Add(1)
			default:
				return err
			}
			return nil
		})
	}
	f.must(group.Wait())
	if won.Load() != 1 || refused.Load() != 2 {
		t.Errorf("%d fields were added and %d refused, want 1 and 2", won.Load(), refused.Load())
	}
	d, err := f.store.Definition(t.Context(), "p2")
	if f.must(err); len(d.Fields) != tracker.MaxFields {
		t.Errorf("%d fields", len(d.Fields))
	}
	_, err = f.store.UpdateField(t.Context(), "p2", "f0", func(field *tracker.Field) error { field.Name = "Renamed"; return nil })
	f.must(err) // a full project can still change
}

func TestUpdateField(t *testing.T) {
	f := setup(t)
	changed, err := f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error {
		field.ID, field.Name, field.Description, field.Required = "other", "Choice", "What was chosen", true // the id cannot be changed
		field.Options[1] = tracker.Option{ID: "o1", Name: "Renamed", Color: "#1f883d"}
		field.Options = append(field.Options, tracker.Option{ID: "o3", Name: "Added"})
		return nil
	})
	f.must(err)
	want := tracker.Field{ID: "fsel", Name: "Choice", Description: "What was chosen", Type: tracker.TypeSelect, Required: true, Position: 8,
		Options: []tracker.Option{{ID: "o0", Name: "Option 0"}, {ID: "o1", Name: "Renamed", Color: "#1f883d"}, {ID: "o2", Name: "Option 2"}, {ID: "o3", Name: "Added"}}}
	if diff := cmp.Diff(want, *changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	d, err := f.store.Definition(t.Context(), project)
	f.must(err)
	if diff := cmp.Diff(&want, d.Field("fsel")); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if len(d.Fields) != len(everyField()) {
		t.Errorf("fields %v", names(d))
	}
	before := f.raw.items("acme/")
	for _, test := range []struct {
		name   string
		change func(*tracker.Field)
		words  string
	}{
		{"an option removed", func(x *tracker.Field) { x.Options = x.Options[:3] }, "merging"},
		{"an option's id twice", func(x *tracker.Field) { x.Options = append(x.Options, tracker.Option{ID: "o1", Name: "New"}) }, "option"},
		{"an option's name twice", func(x *tracker.Field) { x.Options = append(x.Options, tracker.Option{ID: "o4", Name: "renamed"}) }, "twice"},
		{"an option's id with a separator", func(x *tracker.Field) { x.Options = append(x.Options, tracker.Option{ID: "o.4", Name: "New"}) }, "option"},
		{"another type", func(x *tracker.Field) { x.Type = tracker.TypeText; x.Options = nil }, "type"},
		{"no name", func(x *tracker.Field) { x.Name = " " }, "name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.store.UpdateField(t.Context(), project, "fsel", func(x *tracker.Field) error { test.change(x); return nil })
			wantCode(t, err, tracker.BadInput, test.words)
		})
	}
	_, err = f.store.UpdateField(t.Context(), project, "gone", func(*tracker.Field) error { return nil })
	wantCode(t, err, tracker.NotFound, "field")
	_, err = f.store.CreateField(t.Context(), "gone", tracker.Field{ID: "f1", Name: "x", Type: tracker.TypeText})
	wantCode(t, err, tracker.NotFound, "project")
	_, err = f.store.CreateField(t.Context(), project, tracker.Field{ID: "f1", Name: "x", Type: "NONSENSE"})
	wantCode(t, err, tracker.BadInput, "NONSENSE")
	if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
		t.Errorf("refused changes wrote:\n%s", diff)
	}
}
