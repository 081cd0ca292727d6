package session_test

import (
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

// signIns is a table with the tenant acme, a clock, and what was charged for finding users.
type signIns struct {
	*testing.T
	db     *dynamo.DB
	wire   *dynamotest.Wire
	later  atomic.Int64
	charge atomic.Int64 // read units
}

func newSignIns(t *testing.T) *signIns {
	s := &signIns{T: t}
	s.db, s.wire = dynamotest.Open(t, func(settings *dynamo.Settings) {
		settings.Now = func() time.Time { return time.Now().Add(time.Duration(s.later.Load())) }
	})
	if err := s.db.CreateTenant(t.Context(), tracker.Tenant{ID: acme, Name: "ACME"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// server returns the users as another server knows them.
func (s *signIns) server() *session.Accounts {
	return session.NewAccounts(s.db, time.Minute, func(_ tracker.Principal, c account.Cost) {
		s.charge.Add(int64(c.RCU))
	})
}

// signIn returns the user of a principal, and the number of calls that it took.
func (s *signIns) signIn(a *session.Accounts, user string) (tracker.UserID, int, error) {
	s.Helper()
	s.wire.Reset()
	p, err := a.SignIn(s.Context(), tracker.Principal{Tenant: acme, User: user, Role: tracker.Reader})
	n := 0
	for _, calls := range s.wire.Calls() {
		n += calls
	}
	return p.UserID, n, err
}

// setActive returns a function that sets when a user was deactivated, as a request to a server does.
func (s *signIns) setActive(a *session.Accounts, id tracker.UserID) func(deactivated time.Time) {
	s.Helper()
	begin := a.Watch(session.NewFactory(s.db, session.Anonymous, nil))
	writes, err := begin(s.Context()).Writes.Tenant(acme, nil)
	if err != nil {
		s.Fatal(err)
	}
	return func(deactivated time.Time) {
		s.Helper()
		if _, err := writes.UpdateUser(s.Context(), id, nil, func(u *tracker.User) error {
			u.Deactivated = deactivated
			return nil
		}); err != nil {
			s.Error(err)
		}
	}
}

// TestAccounts counts the calls of sign-ins: the law of Accounts.
func TestAccounts(t *testing.T) {
	s := newSignIns(t)
	one, two := s.server(), s.server()
	ada, n, err := s.signIn(one, "ada")
	if err != nil || ada == "" || n != 2 {
		t.Fatalf("the first request: %q, %d calls, %v", ada, n, err)
	}
	for _, step := range []struct {
		what  string
		at    *session.Accounts
		later time.Duration
		calls int
	}{
		{"again", one, 0, 0},
		{"on another server", two, 0, 2},
		{"just before it is read again", one, time.Minute - time.Second, 0},
		{"when it is read again", one, time.Second, 1},
		{"after that", one, 0, 0},
	} {
		s.later.Add(int64(step.later))
		if id, n, err := s.signIn(step.at, "ada"); id != ada || n != step.calls || err != nil {
			t.Errorf("%s: %q, %d calls, %v", step.what, id, n, err)
		}
	}
	if s.charge.Load() == 0 {
		t.Error("nothing was charged")
	}
	root := tracker.Principal{Role: tracker.Operator, User: "root"}
	if p, err := one.SignIn(t.Context(), root); err != nil || p.UserID != "" {
		t.Errorf("an operator without a tenant is %+v, %v", p, err)
	}
	for range 2 {
		p, err := one.SignIn(t.Context(), tracker.Principal{Tenant: "none", User: "ada"})
		if err != nil || p.UserID != "" {
			t.Errorf("the user of a tenant that does not exist is %+v, %v", p, err)
		}
	}
}

// TestDeactivated deactivates a user. The server that does it refuses the user at once, and another one when
// it reads the user again.
func TestDeactivated(t *testing.T) {
	s := newSignIns(t)
	one, two := s.server(), s.server()
	ada, _, err := s.signIn(one, "ada")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.signIn(two, "ada"); err != nil {
		t.Fatal(err)
	}
	setActive := s.setActive(one, ada)
	refused := func(what string, a *session.Accounts, want bool) {
		t.Helper()
		id, _, err := s.signIn(a, "ada")
		if got := tracker.CodeOf(err) == tracker.Forbidden; got != want || got == (id != "") {
			t.Errorf("%s: %q, %v", what, id, err)
		}
	}
	setActive(time.Now())
	refused("at once", one, true)
	refused("on another server", two, false)
	s.later.Add(int64(time.Minute))
	refused("on another server, later", two, true)
	setActive(time.Time{})
	refused("active again", one, false)
}

// TestDeactivatedMeanwhile deactivates a user while the server reads it. The next request is refused.
func TestDeactivatedMeanwhile(t *testing.T) {
	s := newSignIns(t)
	a := s.server()
	ada, _, err := s.signIn(a, "ada")
	if err != nil {
		t.Fatal(err)
	}
	s.later.Add(int64(time.Minute))
	setActive := s.setActive(a, ada)
	var changed atomic.Bool
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		response := send(r)
		if !changed.Swap(true) {
			setActive(time.Now())
		}
		return response
	})
	if _, _, err := s.signIn(a, "ada"); err != nil {
		t.Errorf("the request during the change: %v", err)
	}
	if _, _, err := s.signIn(a, "ada"); tracker.CodeOf(err) != tracker.Forbidden {
		t.Errorf("the next request: %v", err)
	}
}

// TestUnknown checks that nobody is let in while the database cannot say whether the user is deactivated.
func TestUnknown(t *testing.T) {
	s := newSignIns(t)
	a := s.server()
	if _, _, err := s.signIn(a, "ada"); err != nil {
		t.Fatal(err)
	}
	s.later.Add(int64(time.Minute))
	s.wire.Intercept(dynamotest.Refuse("BatchGetItem", "ValidationException"))
	if _, _, err := s.signIn(a, "ada"); tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("%v", err)
	}
	s.wire.Intercept(nil)
	if _, _, err := s.signIn(a, "ada"); err != nil {
		t.Error(err)
	}
}
