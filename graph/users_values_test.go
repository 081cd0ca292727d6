package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// owners has the issues of one project of a crew, each with a random value of a USER field.
type owners struct {
	*crew
	random *rand.Rand
	field  string
	names  []string // of the users
	issues []owned
}

// owned is an issue that a user has created, and its value: a user, only a name, or nothing.
type owned struct {
	id     string
	num    int
	name   string
	user   string
	author int
	edited bool // without authentication
}

func newOwners(t testing.TB, issues int, options ...func(*dynamo.Settings)) *owners {
	t.Helper()
	o := &owners{crew: newCrew(t, newServer(t, options...), 1, 4, 1), random: rand.New(rand.NewPCG(7, 0))}
	o.field = o.fields[tracker.TypeUser]
	for n := range o.users {
		o.names = append(o.names, fmt.Sprint("User ", n))
	}
	for range issues {
		i := owned{author: o.random.IntN(len(o.as))}
		by := *o.world
		by.server = o.as[i.author]
		var values []any
		if given := o.draw(&i); given != nil {
			values = []any{inputOf("fieldId", o.field, "value", given)}
		}
		created := by.createOf(t, inputOf("name", "x", "values", values))
		i.id, i.num = created.ID, created.Num
		o.issues = append(o.issues, i)
	}
	return o
}

// draw draws a value of an issue, and returns it as a ValueInput; nil for none.
func (o *owners) draw(i *owned) map[string]any {
	switch n := o.random.IntN(len(o.users)); o.random.IntN(4) {
	case 0:
		i.name, i.user = "", ""
		return nil
	case 1:
		// Of what is only a name: that of a user, of the caller's token, or of nobody. The name of the user
		// to which the value refers changes nothing.
		name := []string{o.names[n], strings.ToUpper(o.names[n]), fmt.Sprint("u", n),
			"Nobody"}[o.random.IntN(4)]
		if name != i.name {
			i.name, i.user = name, ""
		}
		return inputOf("user", name)
	default:
		i.name, i.user = o.names[n], o.users[n]
		return inputOf("userId", o.users[n])
	}
}

// change gives some issues other values, in one call or several, and renames a user.
func (o *owners) change(t testing.TB) {
	t.Helper()
	var changes []any
	for range 1 + o.random.IntN(4) {
		n := o.random.IntN(len(o.issues))
		i := &o.issues[n]
		if slices.ContainsFunc(changes, func(c any) bool { return c.(map[string]any)["id"] == i.id }) {
			continue
		}
		change, before := inputOf("fieldId", o.field), *i
		if given := o.draw(i); given != nil {
			change["value"] = given
		} else {
			change["clear"] = true
		}
		i.edited = i.edited || before != *i
		changes = append(changes, inputOf("id", i.id, "values", []any{change}))
	}
	if len(changes) == 1 {
		o.update(t, inputOf("issue", changes[0]))
	} else if errs := o.ask(t, `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { `+resultErrors+` } }`,
		inputOf("i", inputOf("issues", changes))).refusals(); len(errs) > 0 {
		t.Fatal(errs)
	}
	n := o.random.IntN(len(o.users))
	o.names[n] = fmt.Sprint([]string{"User", "Person"}[o.random.IntN(2)], " ", o.random.IntN(3))
	o.changed(t, o.server, "updateUser", inputOf("id", o.users[n], "name", o.names[n]))
}

// condition draws a condition on the value or on the author, as the caller with a number.
func (o *owners) condition(caller int) (where string, matches func(owned) bool) {
	where = fmt.Sprintf("{fields: [{fieldId: %q, user: {%%s}}]}", o.field)
	of := func(i owned) string { return i.user }
	name := func(i owned) string { return i.name }
	if column := []string{"createdBy", "updatedBy", "", "", ""}[o.random.IntN(5)]; column != "" {
		where = "{" + column + ": {%s}}"
		nobody := func(i owned) bool { return column == "updatedBy" && i.edited }
		of = func(i owned) string {
			if nobody(i) {
				return ""
			}
			return o.users[i.author]
		}
		name = func(i owned) string {
			if nobody(i) {
				return ""
			}
			return fmt.Sprint("u", i.author)
		}
	}
	var ids, quoted []string
	for _, id := range o.users {
		if o.random.IntN(3) == 0 {
			ids, quoted = append(ids, id), append(quoted, fmt.Sprintf("%q", id))
		}
	}
	one := o.users[o.random.IntN(len(o.users))]
	list := strings.Join(quoted, ", ")
	switch o.random.IntN(7) {
	case 5:
		yes := o.random.IntN(2) == 0
		return fmt.Sprintf(where, fmt.Sprintf("isNameOnly: %t", yes)), func(i owned) bool {
			return (name(i) != "" && of(i) == "") == yes
		}
	case 0:
		return fmt.Sprintf(where, fmt.Sprintf("eqId: %q", one)), func(i owned) bool { return of(i) == one }
	case 1:
		return fmt.Sprintf(where, fmt.Sprintf("neqId: %q", one)), func(i owned) bool { return of(i) != one }
	case 2:
		return fmt.Sprintf(where, "inIds: ["+list+"]"), func(i owned) bool {
			return slices.Contains(ids, of(i))
		}
	case 3:
		return fmt.Sprintf(where, "notInIds: ["+list+"]"), func(i owned) bool {
			return !slices.Contains(ids, of(i))
		}
	case 4:
		yes := o.random.IntN(2) == 0
		return fmt.Sprintf(where, fmt.Sprintf("isMe: %t", yes)), func(i owned) bool {
			named := strings.EqualFold(name(i), fmt.Sprint("u", caller))
			return (of(i) == o.users[caller] || of(i) == "" && named) == yes
		}
	}
	wanted := []string{"user 0", "Person 1", "u2"}[o.random.IntN(3)]
	return fmt.Sprintf(where, fmt.Sprintf("eq: %q, neqId: %q", wanted, one)), func(i owned) bool {
		return strings.EqualFold(name(i), wanted) && of(i) != one
	}
}

func (o *owners) filter(caller int) (string, func(owned) bool) {
	where, matches := o.condition(caller)
	switch o.random.IntN(4) {
	case 0:
		return "{not: " + where + "}", func(i owned) bool { return !matches(i) }
	case 1:
		other, also := o.filter(caller)
		return fmt.Sprintf("{and: [%s, %s]}", where, other), func(i owned) bool {
			return matches(i) && also(i)
		}
	case 2:
		other, or := o.filter(caller)
		return fmt.Sprintf("{or: [%s, %s]}", where, other), func(i owned) bool { return matches(i) || or(i) }
	}
	return where, matches
}

// TestUserValues compares the values of a USER field, and grids and counts that are filtered by them and by
// authors, with those in memory, while values change and users are renamed, more often than names are kept.
func TestUserValues(t *testing.T) {
	for _, name := range []string{"a", "b"} { // which decide the numbers of shards
		t.Run(name, func(t *testing.T) {
			o := newOwners(t, 30)
			type node struct {
				Num   int
				Value *struct {
					Name, Display string
					User          *struct{ ID, Name string }
				}
			}
			for n := range 60 {
				o.change(t)
				caller := o.random.IntN(len(o.as))
				where, matches := o.filter(caller)
				var want []string
				for _, i := range o.issues {
					if matches(i) {
						want = append(want, fmt.Sprint(i.num, " ", i.name, " ", i.user))
					}
				}
				total := 0
				rows := walkPages(t, 4+o.random.IntN(30), func(paging string) connection[node] {
					got := get[struct {
						Nodes      []node
						PageInfo   pageInfo
						TotalCount int
					}](t, o.as[caller], "project.issues", fmt.Sprintf(`{ project(id: %q) { issues(%s, where: %s) {
						nodes { num value(fieldId: %q) { display ... on UserValue { name user { id name } } } } totalCount %s } } }`,
						o.project, paging, where, o.field, flags), nil)
					total = got.TotalCount
					return connection[node]{Nodes: got.Nodes, PageInfo: got.PageInfo}
				})
				var got []string
				for _, r := range rows {
					name, id := "", ""
					if r.Value != nil {
						name = r.Value.Name
						same(t, "the displayed name", name, r.Value.Display)
						if u := r.Value.User; u != nil {
							id = u.ID
							same(t, "the name of a user", o.names[slices.Index(o.users, id)], u.Name)
						}
					}
					got = append(got, fmt.Sprint(r.Num, " ", name, " ", id))
				}
				if !slices.Equal(got, want) || total != len(want) {
					t.Fatalf("%d: %s: %v, counted %d; want %v", n, where, got, total, want)
				}
			}
		})
	}
}

// TestUserValueErrors gives ids that are not those of active users of the tenant, to all inputs that take
// one.
func TestUserValueErrors(t *testing.T) {
	o := newOwners(t, 1)
	other := &world{server: o.server, tenant: o.newTenant(t, "Other")}
	gone := o.addUser(t, o.server, "name", "Gone").ID
	o.changed(t, o.server, "updateUser", inputOf("id", gone, "active", false))
	missing := "the tenant has no such user"
	tenant := tenantID(t, o.tenant)
	for id, message := range map[string]string{gone: `the user "Gone" is deactivated`, o.teams[0]: missing,
		other.addUser(t, o.server, "name", "Eve").ID: missing, model.UserNodeID(tenant, "nobody"): missing,
		o.project: missing, "": missing, "x": missing} {
		values := []any{inputOf("fieldId", o.field, "value", inputOf("userId", id))}
		created := inputOf("name", "x", "values", values)
		updated := inputOf("id", o.issues[0].id, "values", values)
		for name, input := range map[string]map[string]any{
			"createIssue":  inputOf("projectId", o.project, "issue", created),
			"updateIssue":  inputOf("issue", updated),
			"createIssues": inputOf("projectId", o.project, "issues", []any{created}),
			"updateIssues": inputOf("issues", []any{updated})} {
			fields := "errors { code message argument }"
			if strings.HasSuffix(name, "s") {
				fields = resultErrors
			}
			errs := o.ask(t, mutation(name, fields), inputOf("i", input)).refusals()
			at := map[string]string{"createIssue": "issue", "updateIssue": "issue"}[name]
			if at == "" {
				at = "issues[0]"
			}
			want := "input." + at + ".values[0].value.userId: " + message
			if len(errs) != 1 || errs[0].String() != want ||
				errs[0].Extensions["code"] != "BAD_USER_INPUT" {
				t.Errorf("%s with %q: %+v", name, id, errs)
			}
		}
		if id == gone {
			continue
		}
		filter := inputOf("fields", []any{inputOf("fieldId", o.field, "user", inputOf("neqId", id))})
		refused := o.ask(t, mutation("createView", "errors { code message argument }"), inputOf("i",
			inputOf("projectId", o.project, "name", "V", "filter", filter))).refusals()
		if len(refused) != 1 || refused[0].Extensions["argument"] != "input.filter.fields[0].user.neqId" {
			t.Errorf("a view with %q: %+v", id, refused)
		}
	}
}

// TestCostOfUserValues counts the calls of filters by the users of a field: one for the users, and those of a
// filter by their names.
func TestCostOfUserValues(t *testing.T) {
	o := newOwners(t, 20)
	query := func(user string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(first: 100, where: {fields: [{fieldId: %q, user: {%s}}]}) {
			nodes { num value(fieldId: %[2]q) { ... on UserValue { user { name } } } } } } }`, o.project, o.field, user)
	}
	o.as[0].ask(t, query(`eq: "x"`), nil) // reads the definition
	o.wire.Reset()
	o.as[0].ask(t, query(`eq: "User 1"`), nil)
	by := o.wire.Calls()
	for _, user := range []string{fmt.Sprintf("eqId: %q", o.users[1]),
		fmt.Sprintf("inIds: [%q]", o.users[1])} {
		want := map[string]int{"Query": by["Query"], "BatchGetItem": 2} // the user; the issues
		o.as[0].costs(t, query(user), want)
	}
	same(t, "the calls of a filter by the name", map[string]int{"Query": by["Query"], "BatchGetItem": 2}, by)
}
