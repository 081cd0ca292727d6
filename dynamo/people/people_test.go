package people_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/people"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// fixture is a table with the tenant acme.
type fixture struct {
	*dynamotest.Fixture
	store *people.Store
}

func setup(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	f := &fixture{Fixture: dynamotest.NewFixture(t)}
	f.store = people.Of(f.Tenant)
	t.Cleanup(f.Sound)
	return f
}

func (f *fixture) user(u tracker.User) *tracker.User {
	f.Helper()
	created, err := f.store.CreateUser(f.Context(), u)
	f.Must(err)
	return created
}

func (f *fixture) team(name string) *tracker.Team {
	f.Helper()
	created, err := f.store.CreateTeam(f.Context(), tracker.Team{Name: name})
	f.Must(err)
	return created
}

// get reads a user.
func (f *fixture) get(id tracker.UserID) *tracker.User {
	f.Helper()
	all, err := f.store.Users(f.Context(), []tracker.UserID{id})
	f.Must(err)
	return all[0]
}

func want(t testing.TB, what string, err error, code tracker.Code, path string) {
	t.Helper()
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != code || e.Path != path {
		t.Errorf("%s: %v, want %s at %q", what, err, code, path)
	}
}

// listed returns the names of a list, in its order.
func listed[ID any](f *fixture, l dynamo.List[ID], name func(ID) string) []string {
	f.Helper()
	page, more, err := l.Page(f.Context(), dynamo.ListQuery{Limit: 1000})
	if f.Must(err); more {
		f.Error("the list has more")
	}
	var out []string
	for _, row := range page {
		out = append(out, name(row.ID))
	}
	return out
}

func (f *fixture) userNames() []string {
	f.Helper()
	return listed(f, f.store.UserList(), func(id tracker.UserID) string { return f.get(id).Name })
}

func deactivate(u *tracker.User) error {
	u.Deactivated = time.Now()
	return nil
}

func activate(u *tracker.User) error {
	u.Deactivated = time.Time{}
	return nil
}

// TestUsers creates, changes and deactivates users.
func TestUsers(t *testing.T) {
	f := setup(t)
	full := tracker.User{Name: "Ada Lovelace", Email: "ada@example.com", Initials: "L", Color: "red",
		AvatarURL: "https://example.com/a.png", Claim: "ada"}
	ada := f.user(full)
	full.ID, full.Version, full.Created, full.Updated = ada.ID, 1, ada.Created, ada.Updated
	f.Same("a new user", full, *f.get(ada.ID))
	bo, same := f.user(tracker.User{Name: "Bo"}), f.user(tracker.User{Name: "Bo"})
	if bo.ID == same.ID || bo.ShownInitials() != "B" || bo.ShownColor() != f.get(bo.ID).ShownColor() {
		t.Errorf("%+v and %+v", bo, same)
	}
	_, err := f.store.CreateUser(t.Context(), tracker.User{Name: "X", Email: "ADA@example.com"})
	want(t, "a second address", err, tracker.Conflict, "email")
	_, err = f.store.CreateUser(t.Context(), tracker.User{Name: "X", Claim: "ada"})
	want(t, "a second claim", err, tracker.Conflict, "claim")
	f.user(tracker.User{Name: "Claims differ in case", Claim: "Ada"})
	version := int64(1)
	changed, err := f.store.UpdateUser(t.Context(), ada.ID, &version, func(u *tracker.User) error {
		u.Name, u.Email, u.Claim, u.Version, u.ID = "Countess", "countess@example.com", "countess", 99, "x"
		return nil
	})
	f.Must(err)
	f.Same("the changed user", changed, f.get(ada.ID))
	if changed.Version != 2 || changed.ID != ada.ID || changed.Initials != "L" {
		t.Errorf("%+v", changed)
	}
	f.user(tracker.User{Name: "Zoe", Email: "ada@example.com", Claim: "ada"}) // they are free again
	_, err = f.store.UpdateUser(t.Context(), ada.ID, &version, activate)
	want(t, "an old version", err, tracker.Conflict, "expectedVersion")
	_, err = f.store.UpdateUser(t.Context(), "nobody", nil, activate)
	want(t, "nobody", err, tracker.NotFound, "")
	same, err = f.store.UpdateUser(t.Context(), ada.ID, nil, activate)
	if f.Must(err); same.Version != 2 {
		t.Errorf("a change of nothing made version %d", same.Version)
	}
	_, err = f.store.UpdateUser(t.Context(), ada.ID, nil, deactivate)
	f.Must(err)
	f.Same("the list", []string{"Bo", "Bo", "Claims differ in case", "Zoe", "Countess"}, f.userNames())
	n, exact, err := f.store.UserList().Count(t.Context(), nil, people.Inactive())
	if f.Must(err); n != 4 || !exact {
		t.Errorf("%d active users", n)
	}
	gone, err := f.store.UpdateUser(t.Context(), ada.ID, nil, deactivate)
	f.Must(err)
	if now := f.get(ada.ID); gone.Version != 3 || !now.Deactivated.Equal(gone.Deactivated) || now.Active() {
		t.Errorf("%+v", now)
	}
	_, err = f.store.UpdateUser(t.Context(), ada.ID, nil, activate)
	f.Must(err)
	f.Same("the list", []string{"Bo", "Bo", "Claims differ in case", "Countess", "Zoe"}, f.userNames())
}

// TestInvalid checks inputs that are refused, with the paths of their errors.
func TestInvalid(t *testing.T) {
	f := setup(t)
	for _, c := range []struct {
		path string
		u    tracker.User
	}{
		{"name", tracker.User{}},
		{"name", tracker.User{Name: strings.Repeat("x", 256)}},
		{"name", tracker.User{Name: "a\u202eb"}},
		{"email", tracker.User{Name: "A", Email: "ada"}},
		{"email", tracker.User{Name: "A", Email: "Ada <ada@example.com>"}},
		{"email", tracker.User{Name: "A", Email: strings.Repeat("x", 250) + "@e.com"}},
		{"initials", tracker.User{Name: "A", Initials: "ABCD"}},
		{"initials", tracker.User{Name: "A", Initials: " "}},
		{"initials", tracker.User{Name: "A", Initials: "a" + strings.Repeat("\u0301", 100)}},
		{"avatarUrl", tracker.User{Name: "A", AvatarURL: "http://example.com"}},
		{"avatarUrl", tracker.User{Name: "A", AvatarURL: "javascript:alert(1)"}},
		{"avatarUrl", tracker.User{Name: "A", AvatarURL: "https://"}},
		{"avatarUrl", tracker.User{Name: "A", AvatarURL: "https://e.com/" + strings.Repeat("x", 2048)}},
		{"claim", tracker.User{Name: "A", Claim: strings.Repeat("x", 201)}},
		{"claim", tracker.User{Name: "A", Claim: "a\u200bb"}},
	} {
		_, err := f.store.CreateUser(t.Context(), c.u)
		want(t, fmt.Sprintf("%+v", c.u), err, tracker.BadInput, c.path)
	}
	_, err := f.store.CreateTeam(t.Context(), tracker.Team{Name: ""})
	want(t, "a team", err, tracker.BadInput, "name")
	_, err = f.store.CreateTeam(t.Context(), tracker.Team{Name: "x", Description: strings.Repeat("x", 2001)})
	want(t, "a description", err, tracker.BadInput, "description")
	f.Same("users", []string(nil), f.userNames())
}

// TestTeams changes the members of teams.
func TestTeams(t *testing.T) {
	f := setup(t)
	core, docs := f.team("Core"), f.team("Docs")
	_, err := f.store.CreateTeam(t.Context(), tracker.Team{Name: "  çore"})
	want(t, "a name that people do not tell apart", err, tracker.Conflict, "name")
	ada, bo := f.user(tracker.User{Name: "Ada"}), f.user(tracker.User{Name: "Bo"})
	all := []tracker.UserID{ada.ID, bo.ID, ada.ID}
	members := func(team *tracker.Team, users []tracker.UserID, add bool) (*tracker.Team, error) {
		return f.store.ChangeMembers(t.Context(), team.ID, users, add)
	}
	for range 2 {
		changed, err := members(core, all, true)
		if f.Must(err); changed.Version != 2 {
			t.Errorf("%+v", changed)
		}
	}
	_, err = members(docs, all[:1], true)
	f.Must(err)
	f.Same("teams of ada", []tracker.TeamID{core.ID, docs.ID}, f.get(ada.ID).Teams)
	changed, err := members(core, all[:1], false)
	f.Must(err)
	f.Same("members", []tracker.UserID{bo.ID}, changed.Members)
	f.Same("teams of ada", []tracker.TeamID{docs.ID}, f.get(ada.ID).Teams)

	_, err = members(core, []tracker.UserID{ada.ID, "nobody"}, true)
	want(t, "nobody", err, tracker.BadInput, "userIds[1]")
	_, err = members(core, make([]tracker.UserID, tracker.MaxMemberChange+1), true)
	want(t, "too many", err, tracker.BadInput, "userIds")
	_, err = members(&tracker.Team{ID: "none"}, all, true)
	want(t, "no team", err, tracker.NotFound, "")
	_, err = f.store.UpdateUser(t.Context(), ada.ID, nil, deactivate)
	f.Must(err)
	_, err = members(core, []tracker.UserID{ada.ID}, true)
	want(t, "a deactivated user", err, tracker.BadInput, "userIds[0]")
	_, err = members(docs, []tracker.UserID{ada.ID}, true)
	f.Must(err) // is a member already
	renamed, err := f.store.UpdateTeam(t.Context(), docs.ID, nil, func(t *tracker.Team) error {
		t.Name, t.Deactivated, t.Members = "Papers", time.Now(), nil
		return nil
	})
	f.Must(err)
	f.Same("members", []tracker.UserID{ada.ID}, renamed.Members)
	_, err = members(docs, []tracker.UserID{bo.ID}, true)
	want(t, "a deactivated team", err, tracker.BadInput, "userIds[0]")
	f.team("docs")
	f.Same("the list", []string{"Core", "docs", "Papers"}, listed(f, f.store.TeamList(),
		func(id tracker.TeamID) string {
			all, err := f.store.Teams(t.Context(), []tracker.TeamID{id})
			f.Must(err)
			return all[0].Name
		}))
}

// TestLimits fills a team, and a user's teams, with requests at the same time.
func TestLimits(t *testing.T) {
	f := setup(t)
	var users []tracker.UserID
	for n := range tracker.MaxMembers - 1 + 4 {
		users = append(users, f.user(tracker.User{Name: fmt.Sprint("User ", n)}).ID)
	}
	full := f.team("full")
	for at := 0; at < tracker.MaxMembers-1; at += tracker.MaxMemberChange {
		some := users[at:min(at+tracker.MaxMemberChange, tracker.MaxMembers-1)]
		_, err := f.store.ChangeMembers(t.Context(), full.ID, some, true)
		f.Must(err)
	}
	count := func(errs []error) (n int) {
		t.Helper()
		for _, err := range errs {
			if n++; err != nil {
				n--
				if tracker.CodeOf(err) != tracker.BadInput {
					t.Error(err)
				}
			}
		}
		return n
	}
	if n := count(together(4, func(n int) error {
		_, err := f.store.ChangeMembers(t.Context(), full.ID, users[tracker.MaxMembers-1+n:][:1], true)
		return err
	})); n != 1 {
		t.Errorf("%d users took the last place", n)
	}
	var teams []*tracker.Team
	for n := range tracker.MaxTeams + 2 {
		teams = append(teams, f.team(fmt.Sprint("Team ", n)))
	}
	busy := f.user(tracker.User{Name: "busy"})
	for _, team := range teams[:tracker.MaxTeams-1] {
		_, err := f.store.ChangeMembers(t.Context(), team.ID, []tracker.UserID{busy.ID}, true)
		f.Must(err)
	}
	if n := count(together(3, func(n int) error {
		_, err := f.store.ChangeMembers(t.Context(), teams[tracker.MaxTeams-1+n].ID,
			[]tracker.UserID{busy.ID}, true)
		return err
	})); n != 1 || len(f.get(busy.ID).Teams) != tracker.MaxTeams {
		t.Errorf("%d teams took the last place", n)
	}
}

// together calls do n times at the same time.
func together(n int, do func(int) error) []error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = do(i) })
	}
	group.Wait()
	return errs
}
