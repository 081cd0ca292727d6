package people_test

import (
	"fmt"
	"slices"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/people"
	"issuegrid/tracker"
)

// TestSignIn makes the first requests of principals, at the same time.
func TestSignIn(t *testing.T) {
	f := setup(t)
	p := tracker.Principal{Tenant: "acme", User: "sub-1", Profile: tracker.Profile{Name: "Ada",
		Email: "ada@example.com", AvatarURL: "https://example.com/a.png"}}
	ids := make([]tracker.UserID, 8)
	for _, err := range together(len(ids), func(n int) error {
		u, err := f.store.SignIn(t.Context(), p, "")
		if err == nil {
			ids[n] = u.ID
		}
		return err
	}) {
		f.Must(err)
	}
	if ids = slices.Compact(ids); len(ids) != 1 {
		t.Fatalf("the users %v", ids)
	}
	ada := f.get(ids[0])
	if ada.Name != "Ada" || ada.Email != p.Profile.Email || ada.AvatarURL != p.Profile.AvatarURL ||
		ada.Claim != "sub-1" {
		t.Errorf("%+v", ada)
	}
	sign := func(p tracker.Principal) *tracker.User {
		t.Helper()
		u, err := f.store.SignIn(t.Context(), p, "")
		f.Must(err)
		return u
	}
	p.Profile.Name = "Renamed elsewhere"
	if again := sign(p); again.ID != ada.ID || again.Name != "Ada" {
		t.Errorf("%+v", again)
	}
	other := p
	other.User, other.Profile.Name = "sub-2", "a\u202eb"
	if u := sign(other); u.ID == ada.ID || u.Email != "" || u.Name != "sub-2" {
		t.Errorf("a second user with the address is %+v", u)
	}
	invited := f.user(tracker.User{Name: "Bo B.", Email: "bo@example.com"})
	bo := tracker.Principal{User: "bo", Profile: tracker.Profile{Email: "BO@example.com", Name: "Bo"}}
	if u := sign(bo); u.ID != invited.ID || u.Claim != "bo" || u.Name != "Bo B." {
		t.Errorf("the invited user is %+v", u)
	}
}

// TestSignInCosts counts the calls of a sign-in.
func TestSignInCosts(t *testing.T) {
	f := setup(t)
	p := tracker.Principal{User: "ada"}
	u, err := f.store.SignIn(t.Context(), p, "")
	f.Must(err)
	for known, want := range map[tracker.UserID]int{"": 2, u.ID: 1, "other": 2} {
		f.Wire.Reset()
		again, err := f.store.SignIn(t.Context(), p, known)
		f.Must(err)
		if calls := f.Wire.Calls(); again.ID != u.ID || len(calls) != 1 || calls["BatchGetItem"] != want {
			t.Errorf("with %q known: %v", known, calls)
		}
	}
}

// TestUnits checks the capacity units in docs/people.md.
func TestUnits(t *testing.T) {
	f := setup(t)
	if !dynamotest.ReportsUnits() {
		return
	}
	for n := range 50 {
		f.user(tracker.User{Name: fmt.Sprint("User ", n)})
	}
	for _, step := range []struct {
		what     string
		do       func(*people.Store) error
		rcu, wcu float64
	}{
		{"the first sign-in", func(s *people.Store) error {
			_, err := s.SignIn(t.Context(), tracker.Principal{User: "ada"}, "")
			return err
		}, 1, 7},
		{"on another server, and again there", func(s *people.Store) error {
			u, err := s.SignIn(t.Context(), tracker.Principal{User: "ada"}, "")
			if err == nil {
				_, err = s.SignIn(t.Context(), tracker.Principal{User: "ada"}, u.ID)
			}
			return err
		}, 3 + 2, 0},
		{"a page", func(s *people.Store) error {
			page, _, err := s.UserList().Page(t.Context(), dynamo.ListQuery{Limit: 50})
			if err != nil {
				return err
			}
			var ids []tracker.UserID
			for _, row := range page {
				ids = append(ids, row.ID)
			}
			_, err = s.Users(t.Context(), ids)
			return err
		}, 25.5, 0},
	} {
		tenant, m := f.Metered()
		f.Must(step.do(people.Of(tenant)))
		if c := m.Cost(); c.RCU != step.rcu || c.WCU != step.wcu {
			t.Errorf("%s: %v RCU, %v WCU", step.what, c.RCU, c.WCU)
		}
	}
}

// TestOnce checks that a change with an idempotency key is made once, and that nothing is written for a
// tenant that does not exist.
func TestOnce(t *testing.T) {
	f := setup(t)
	once := func(key string) *people.Store {
		return people.Of(f.Tenant.Once(tracker.Once{Key: key, Fingerprint: key}))
	}
	first, err := once("user").CreateUser(t.Context(), tracker.User{Name: "Ada", Claim: "ada"})
	f.Must(err)
	second, err := once("user").CreateUser(t.Context(), tracker.User{Name: "Ada", Claim: "ada"})
	f.Must(err)
	f.Same("the repetition", first, second)
	team, err := once("team").CreateTeam(t.Context(), tracker.Team{Name: "Core"})
	f.Must(err)
	for range 2 {
		changed, err := once("join").ChangeMembers(t.Context(), team.ID, []tracker.UserID{first.ID}, true)
		if f.Must(err); changed.Version != 2 || len(changed.Members) != 1 {
			t.Errorf("%+v", changed)
		}
	}
	none, err := f.DB.Tenant("none")
	f.Must(err)
	_, err = people.Of(none).SignIn(t.Context(), tracker.Principal{User: "ada"}, "")
	want(t, "no tenant", err, tracker.NotFound, "")
}
