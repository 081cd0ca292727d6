package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// unlinked returns the names in the field that refer to no user, with the numbers of their issues: groups of
// the grid, as a client previews what linkUserNames would change.
func (o *owners) unlinked(t *testing.T) map[string]int {
	t.Helper()
	type group struct {
		Text       string
		TotalCount int
	}
	got := map[string]int{}
	for _, g := range get[[]group](t, o.server, "project.groups.nodes", fmt.Sprintf(`{ project(id: %q) {
		groups(first: 100, by: [{column: {fieldId: %q}}], where: {fields: [{fieldId: %[2]q, user: {isNameOnly: true}}]}) {
			nodes { text totalCount } } } }`, o.project, o.field), nil) {
		got[strings.ToLower(g.Text)] = g.TotalCount
	}
	return got
}

// TestLinkUserNames links names of a field to users, and compares the groups by names before and after, the
// values, and what the histories say.
func TestLinkUserNames(t *testing.T) {
	o := newOwners(t, 40, soon)
	bare := func() map[string]int {
		want := map[string]int{}
		for _, i := range o.issues {
			if i.name != "" && i.user == "" {
				want[strings.ToLower(i.name)]++
			}
		}
		return want
	}
	same(t, "the names before", bare(), o.unlinked(t))
	admin := o.server.as(t, tracker.Principal{Tenant: tenantID(t, o.tenant), User: "root",
		Role: tracker.Admin})
	gone := o.addUser(t, o.server, "name", "Gone").ID
	o.changed(t, o.server, "updateUser", inputOf("id", gone, "active", false))
	to := map[string]string{"USER 0": o.users[0], "user 1": o.users[3], "Ü1": o.users[3], "nobody": gone,
		"Unknown": gone}
	names := map[string]string{o.users[0]: o.names[0], o.users[3]: o.names[3], gone: "Gone"}
	var links []any
	for name, id := range to {
		links = append(links, inputOf("name", name, "userId", id))
	}
	admin.mutate(t, mutation("linkUserNames", "field { id } job { kind }"), inputOf("fieldId", o.field,
		"links", links))
	refusals := admin.ask(t, mutation("linkUserNames", "errors { code message argument }"), inputOf("i",
		inputOf("fieldId", o.field, "links", links))).refusals()
	if len(refusals) != 1 || refusals[0].Extensions["code"] != "CONFLICT" {
		t.Errorf("a second call: %+v", refusals)
	}
	o.runJobs(t, o.project)
	var changed string
	for n := range o.issues {
		i := &o.issues[n]
		for name, id := range to {
			if i.user == "" && strings.EqualFold(strings.ReplaceAll(name, "Ü", "u"), i.name) {
				i.name, i.user, changed = names[id], id, i.id
			}
		}
		got := get[*struct {
			Name string
			User *struct{ ID string }
		}](t, o.server, "issue.value", fmt.Sprintf(`{ issue(id: %q) { value(fieldId: %q) { ... on UserValue {
			name user { id } } } } }`, i.id, o.field), nil)
		name, user := "", ""
		if got != nil {
			name = got.Name
			if got.User != nil {
				user = got.User.ID
			}
		}
		if name != i.name || user != i.user {
			t.Errorf("#%d: %q of %q; want %q of %q", i.num, name, user, i.name, i.user)
		}
	}
	same(t, "the names after", bare(), o.unlinked(t))
	type actor struct{ By struct{ Kind, Name string } }
	by := get[[]actor](t, o.server, "issue.history.nodes", fmt.Sprintf(`{ issue(id: %q) { history(first: 1) {
		nodes { by { kind name } } } } }`, changed), nil)
	same(t, "who changed an issue", "[{{JOB root}}]", fmt.Sprint(by))
	last := linesOfProject(o.projectHistory(t, o.project, "first: 1").Nodes)
	var want []string
	for name, id := range to {
		want = append(want, "USER root: FIELD UPDATED Field USER, LINKED_NAME "+name+" to "+names[id])
	}
	slices.Sort(last)
	slices.Sort(want)
	same(t, "the history of the project", want, last)
}

// TestLinkUserNamesErrors checks that all wrong members are reported, and nothing is changed.
func TestLinkUserNamesErrors(t *testing.T) {
	o := newOwners(t, 1)
	other := &world{server: o.server, tenant: o.newTenant(t, "Other")}
	tenant := tenantID(t, o.tenant)
	refused := func(name string, in map[string]any, want ...string) {
		t.Helper()
		var got []string
		for _, e := range o.ask(t, mutation("linkUserNames", "errors { code message argument }"),
			inputOf("i", in)).refusals() {
			if e.Extensions["code"] != "BAD_USER_INPUT" {
				t.Errorf("%s: %+v", name, e)
			}
			got = append(got, e.String())
		}
		same(t, name, want, got)
	}
	link := func(name, id string) map[string]any { return inputOf("name", name, "userId", id) }
	missing := func(n int) string {
		return fmt.Sprintf("input.links[%d].userId: the tenant has no such user", n)
	}
	user := o.users[0]
	refused("ids", inputOf("fieldId", o.field, "links", []any{link("a", o.teams[0]), link("b", user),
		link("c", other.addUser(t, o.server, "name", "Eve").ID),
		link("d", model.UserNodeID(tenant, "nobody")), link("e", o.project), link("f", "")}), missing(0),
		missing(2), missing(3), missing(4), missing(5))
	refused("names", inputOf("fieldId", o.field, "links", []any{link("", user), link("Ann", user),
		link("änn", user), link("Ann", user), link(strings.Repeat("x", 201), "x")}),
		"input.links[0].name: the name must not be empty",
		`input.links[2].name: the names "Ann" and "änn" are equal but for case and accents`,
		`input.links[3].name: the name "Ann" is given twice`,
		"input.links[4].name: the name has 201 characters; the limit is 200", missing(4))
	refused("none", inputOf("fieldId", o.field, "links", []any{}),
		"input.links: 0 names; one call can link 1 to 100")
	many := make([]any, 101)
	for i := range many {
		many[i] = link(fmt.Sprint(i), user)
	}
	refused("many", inputOf("fieldId", o.field, "links", many),
		"input.links: 101 names; one call can link 1 to 100")
	refused("another type", inputOf("fieldId", o.fields[tracker.TypeText], "links", []any{link("a", user)}),
		"input.fieldId: a field of type TEXT has no users")
	same(t, "the jobs", 0, len(o.jobs(t, o.project)))
}
