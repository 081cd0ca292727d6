package graph_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// person is a user or a team as the API shows it.
type person struct {
	ID                                   string
	Name, Initials, Color                string
	Email, AvatarURL, Claim, Description *string
	Active                               bool
	DeactivatedAt                        *string
	Version, MemberCount                 int
	Members, Teams                       []struct{ ID, Name string }
	CreatedAt, UpdatedAt                 string
}

const (
	userFields = `id name email initials color avatarUrl claim active deactivatedAt version createdAt
		updatedAt teams { id name }`
	teamFields = `id name description active deactivatedAt version memberCount createdAt updatedAt
		members { id name }`
)

// changed makes a mutation of a user or a team, and returns the result.
func (w *world) changed(t testing.TB, s *server, name string, input map[string]any) person {
	t.Helper()
	what, fields := "user", userFields
	if strings.Contains(name, "Team") {
		what, fields = "team", teamFields
	}
	return get[person](t, s, name+"."+what, mutation(name, what+" { "+fields+" }"),
		map[string]any{"i": input})
}

// addUser and addTeam create users and teams.
func (w *world) addUser(t testing.TB, s *server, members ...any) person {
	t.Helper()
	return w.changed(t, s, "createUser", inputOf(append(members, "tenantId", w.tenant)...))
}

func (w *world) addTeam(t testing.TB, s *server, members ...any) person {
	t.Helper()
	return w.changed(t, s, "createTeam", inputOf(append(members, "tenantId", w.tenant)...))
}

// names returns the names of users or teams in a list.
func (w *world) names(t testing.TB, s *server, list string) []string {
	t.Helper()
	got := get[connection[struct{ Name string }]](t, s, "tenant.list", fmt.Sprintf(
		`{ tenant(id: %q) { list: %s { nodes { name } totalCount } } }`, w.tenant, list), nil)
	out := []string{}
	for _, n := range got.Nodes {
		out = append(out, n.Name)
	}
	same(t, "the count of "+list, len(out), got.TotalCount)
	return out
}

// TestPeople creates users and teams, changes them, and finds them.
func TestPeople(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	ada := w.addUser(t, s, "name", "  Ada Lovelace ", "email", "ada@example.com", "claim", "ada",
		"color", "red", "avatarUrl", "https://example.com/ada.png")
	want := person{ID: ada.ID, Name: "Ada Lovelace", Initials: "AL", Color: "red",
		Email:     new("ada@example.com"),
		AvatarURL: new("https://example.com/ada.png"), Claim: new("ada"), Active: true, Version: 1,
		Teams: ada.Teams, CreatedAt: ada.CreatedAt, UpdatedAt: ada.CreatedAt}
	same(t, "a new user", want, ada)
	bo := w.addUser(t, s, "name", "Bo")
	core := w.addTeam(t, s, "name", "Core", "description", "The core")
	for _, id := range []string{bo.ID, ada.ID} {
		core = w.changed(t, s, "addTeamMembers", inputOf("teamId", core.ID, "userIds", []any{id}))
	}
	same(t, "members by name", []struct{ ID, Name string }{{ada.ID, ada.Name}, {bo.ID, "Bo"}}, core.Members)
	same(t, "the number", 2, core.MemberCount)
	same(t, "teams of a user", []struct{ ID, Name string }{{core.ID, "Core"}}, get[person](t, s, "node",
		fmt.Sprintf(`{ node(id: %q) { ... on User { %s } } }`, ada.ID, userFields), nil).Teams)
	same(t, "the team", core, get[person](t, s, "node",
		fmt.Sprintf(`{ node(id: %q) { ... on Team { %s } } }`, core.ID, teamFields), nil))

	changed := w.changed(t, s, "updateUser", inputOf("id", ada.ID, "name", "Countess", "email", "",
		"color", "", "expectedVersion", 2))
	if changed.Name != "Countess" || changed.Email != nil || !strings.HasPrefix(changed.Color, "#") ||
		changed.Version != 3 || changed.Claim == nil {
		t.Errorf("the changed user is %+v", changed)
	}
	gone := w.changed(t, s, "updateUser", inputOf("id", bo.ID, "active", false))
	if gone.Active || gone.DeactivatedAt == nil {
		t.Errorf("the deactivated user is %+v", gone)
	}
	same(t, "active users", []string{"Countess"}, w.names(t, s, `users`))
	same(t, "the others", []string{"Bo"}, w.names(t, s, `users(active: false)`))
	same(t, "the others by prefix", []string{"Bo"},
		w.names(t, s, `users(active: false, nameStartsWith: "b")`))
	same(t, "none", []string{}, w.names(t, s, `users(active: false, nameStartsWith: "c")`))
	same(t, "by prefix", []string{"Countess"}, w.names(t, s, `users(nameStartsWith: "cöunt")`))
	same(t, "teams", []string{"Core"}, w.names(t, s, `teams(nameStartsWith: "C")`))
	core = w.changed(t, s, "removeTeamMembers", inputOf("teamId", core.ID, "userIds", []any{ada.ID, ada.ID}))
	same(t, "members left", []struct{ ID, Name string }{{bo.ID, "Bo"}}, core.Members)
	core = w.changed(t, s, "updateTeam", inputOf("id", core.ID, "name", "Nucleus", "description", "",
		"active", false))
	if core.Name != "Nucleus" || core.Description != nil || core.Active {
		t.Errorf("the changed team is %+v", core)
	}
	same(t, "teams", []string{"Nucleus"}, w.names(t, s, `teams(active: false)`))
	key := inputOf("id", ada.ID, "name", "Once", "idempotencyKey", "k")
	for range 2 {
		if again := w.changed(t, s, "updateUser", key); again.Name != "Once" || again.Version != 5 {
			t.Errorf("%+v", again)
		}
	}
}

// userID returns the id of a user within its tenant.
func userID(t testing.TB, id string) tracker.UserID {
	t.Helper()
	n, err := model.ParseUserID(id)
	if err != nil {
		t.Fatal(err)
	}
	return n.User
}

// TestPeopleRefused checks the errors of changes that conflict, and of users that cannot be changed.
func TestPeopleRefused(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	ada := w.addUser(t, s, "name", "Ada", "email", "ada@example.com", "claim", "ada")
	core := w.addTeam(t, s, "name", "Core")
	gone := w.addUser(t, s, "name", "Gone")
	w.changed(t, s, "updateUser", inputOf("id", gone.ID, "active", false))
	many := make([]any, 91)
	for i := range many {
		many[i] = ada.ID
	}
	n := tenantID(t, w.tenant)
	me := tracker.Principal{Tenant: n, User: "ada", Role: tracker.Admin, UserID: userID(t, ada.ID)}
	for _, test := range []struct {
		mutation string
		as       tracker.Role // with the account of Ada, unless it is 0
		input    map[string]any
		code     tracker.Code
		argument string
	}{
		{"createUser", 0, inputOf("tenantId", w.tenant, "name", "X", "email", "ADA@example.com"),
			tracker.Conflict, "input.email"},
		{"createUser", 0, inputOf("tenantId", w.tenant, "name", "X", "claim", "ada"), tracker.Conflict,
			"input.claim"},
		{"createTeam", 0, inputOf("tenantId", w.tenant, "name", "CORE"), tracker.Conflict, "input.name"},
		{"updateUser", 0, inputOf("id", ada.ID, "expectedVersion", 9), tracker.Conflict,
			"input.expectedVersion"},
		{"updateUser", 0, inputOf("id", core.ID), tracker.NotFound, ""},
		{"updateTeam", 0, inputOf("id", ada.ID), tracker.NotFound, ""},
		{"addTeamMembers", 0, inputOf("teamId", core.ID, "userIds", []any{ada.ID, core.ID}), tracker.BadInput,
			"input.userIds[1]"},
		{"addTeamMembers", 0, inputOf("teamId", core.ID, "userIds", []any{gone.ID}), tracker.BadInput,
			"input.userIds[0]"},
		{"removeTeamMembers", 0, inputOf("teamId", core.ID, "userIds", many), tracker.BadInput,
			"input.userIds"},
		{"updateUser", tracker.Admin, inputOf("id", ada.ID, "active", false), tracker.BadInput,
			"input.active"},
		{"updateUser", tracker.Reader, inputOf("id", ada.ID, "email", ""), tracker.Forbidden, "input.email"},
		{"updateUser", tracker.Editor, inputOf("id", ada.ID, "claim", "x"), tracker.Forbidden, "input.claim"},
		{"updateUser", tracker.Editor, inputOf("id", ada.ID, "active", true), tracker.Forbidden,
			"input.active"},
		{"updateUser", tracker.Editor, inputOf("id", gone.ID, "name", "x"), tracker.Forbidden, ""},
		{"createUser", tracker.Editor, inputOf("tenantId", w.tenant, "name", "X"), tracker.Forbidden, ""},
		{"addTeamMembers", tracker.Editor, inputOf("teamId", core.ID, "userIds", []any{ada.ID}),
			tracker.Forbidden, ""},
	} {
		by := s
		if test.as != 0 {
			caller := me
			caller.Role = test.as
			by = s.as(t, caller)
		}
		same(t, fmt.Sprint(test.mutation, " of ", test.input),
			strings.TrimSpace(string(test.code)+" "+test.argument),
			by.ask(t, mutation(test.mutation, "__typename"), map[string]any{"i": test.input}).outcome())
	}
	reader := me
	reader.Role = tracker.Reader
	own := w.changed(t, s.as(t, reader), "updateUser", inputOf("id", ada.ID, "name", "Countess",
		"initials", "C", "color", "#abc", "avatarUrl", "https://example.com/c.png"))
	if own.Name != "Countess" || own.Initials != "C" || own.Color != "#abc" || own.AvatarURL == nil {
		t.Errorf("the own user is %+v", own)
	}
	accountOf := func(s *server) any {
		return get[any](t, s, "viewer.account", `{ viewer { account: user { id name } } }`, nil)
	}
	same(t, "the account", any(map[string]any{"id": ada.ID, "name": "Countess"}), accountOf(s.as(t, me)))
	same(t, "the account of a caller without a user", nil, accountOf(s))
}

// TestPeopleCosts counts the calls for users and teams.
func TestPeopleCosts(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	team := w.addTeam(t, s, "name", "Core")
	users := make([]any, 40)
	for i := range users {
		users[i] = w.addUser(t, s, "name", fmt.Sprint("User ", i)).ID
		w.changed(t, s, "addTeamMembers", inputOf("teamId", w.addTeam(t, s, "name", fmt.Sprint("Team ",
			i)).ID,
			"userIds", []any{users[i]}))
	}
	w.changed(t, s, "addTeamMembers", inputOf("teamId", team.ID, "userIds", users))
	for _, test := range []struct {
		query string
		want  map[string]int
	}{
		{fmt.Sprintf(`{ tenant(id: %q) { users(first: 40) { nodes { name teams { name } } } } }`, w.tenant),
			map[string]int{"BatchGetItem": 3, "Query": 1}}, // the tenant, its users, their teams
		{fmt.Sprintf(`{ tenant(id: %q) { teams { edges { node { members { name } } } } } }`, w.tenant),
			map[string]int{"BatchGetItem": 3, "Query": 1}},
		{fmt.Sprintf(`{ node(id: %q) { ... on Team { members { name } } } }`, team.ID),
			map[string]int{"BatchGetItem": 2}},
	} {
		s.wire.Reset()
		s.data(t, test.query, nil, &struct{}{})
		same(t, test.query, test.want, s.wire.Calls())
	}
}

// examplesOf returns the GraphQL and the JSON in a page of docs/, each in the order of the page.
func examplesOf(t *testing.T, page string) (queries, answers []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```(graphql|json)\n(.*?)```").FindAllStringSubmatch(
		string(text), -1) {
		if block[1] == "graphql" {
			queries = append(queries, block[2])
		} else {
			answers = append(answers, block[2])
		}
	}
	return queries, answers
}

// TestPeopleExample runs the example of docs/people.md.
func TestPeopleExample(t *testing.T) { runExample(t, "people.md", 10) }

// runExample runs the queries of a document in their order, and compares the responses. Upper-case words
// stand for the ids in the responses.
func runExample(t *testing.T, document string, count int) {
	t.Helper()
	s := newServer(t)
	w := newWorld(t, s)
	queries, answers := examplesOf(t, document)
	if len(queries) != count || len(answers) != count {
		t.Fatalf("%d queries and %d answers", len(queries), len(answers))
	}
	names := []string{`"TENANT"`, `"` + w.tenant + `"`, `"PROJECT"`, `"` + w.project + `"`,
		`"FIELD"`, `"` + w.fields[tracker.TypeUser] + `"`}
	for i := range queries {
		got := s.ask(t, strings.NewReplacer(names...).Replace(queries[i]), nil)
		if len(got.Errors) > 0 {
			t.Fatal(got.Errors)
		}
		made := decode[struct {
			CreateUser    struct{ User struct{ ID string } }
			CreateTeam    struct{ Team struct{ ID string } }
			CreateIssue   struct{ Issue struct{ ID string } }
			CreateComment struct{ Comment struct{ ID string } }
		}](t, got.Data)
		for name, id := range map[string]string{"USER": made.CreateUser.User.ID,
			"TEAM": made.CreateTeam.Team.ID, "ISSUE": made.CreateIssue.Issue.ID,
			"COMMENT": made.CreateComment.Comment.ID} {
			if id != "" {
				names = append(names, `"`+name+`"`, `"`+id+`"`)
			}
		}
		want := strings.NewReplacer(names...).Replace(answers[i])
		same(t, "the response", decode[any](t, []byte(want)), decode[any](t, got.Data))
	}
}
