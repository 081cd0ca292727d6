package session

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"issuegrid/dynamo"
	"issuegrid/dynamo/people"
	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/cache"
	"issuegrid/tracker"
)

// UserTTL is how long a server uses what it knows of a user before it reads the user again.
const UserTTL = 10 * time.Second

// The limits of the users that a server knows.
const (
	maxAccounts  = 20_000
	accountBytes = 300 // about
)

// Accounts finds the users that principals are. It creates them on their first requests.
//
// The law: a user is read at most once in each UserTTL, with one call of one or two keys; for the first time,
// with two. A user that was deactivated is refused from then on at the latest; at once, if this server has
// deactivated it.
type Accounts struct {
	db     *dynamo.DB
	ttl    time.Duration
	charge func(tracker.Principal, account.Cost)
	known  *cache.Cache[signedIn]
	reads  singleflight.Group
	// changes counts the users that were forgotten. What was read before another one is not kept, because it
	// may be older than the change.
	changes atomic.Int64
}

// signedIn is what a server knows of the user with a claim.
type signedIn struct {
	user   tracker.UserID // empty if the tenant does not exist
	active bool
	read   time.Time
}

// NewAccounts returns the users in a table. charge receives the cost of finding one. ttl is UserTTL, except
// in tests.
func NewAccounts(db *dynamo.DB, ttl time.Duration, charge func(tracker.Principal, account.Cost)) *Accounts {
	return &Accounts{db: db, ttl: ttl, charge: charge,
		known: cache.New[signedIn](maxAccounts, maxAccounts*accountBytes)}
}

// errDeactivated is the error of every request of a deactivated user.
var errDeactivated = &tracker.Error{Code: tracker.Forbidden,
	Message: "your account is deactivated; ask an administrator of your tenant to activate it"}

// SignIn returns the principal with its user. The error is Forbidden if the user is deactivated, and
// Unavailable if that is not known.
func (a *Accounts) SignIn(ctx context.Context, p tracker.Principal) (tracker.Principal, error) {
	if p.Tenant == "" || p.User == "" {
		return p, nil
	}
	key := string(p.Tenant) + "/" + p.User
	found, ok := a.known.Get(key)
	if now := a.db.Now(); !ok || now.Before(found.read) || now.Sub(found.read) >= a.ttl {
		read, err, _ := a.reads.Do(key, func() (any, error) {
			return a.read(context.WithoutCancel(ctx), p, key, found.user)
		})
		if err != nil {
			return p, err
		}
		found = read.(signedIn)
	}
	if found.user != "" && !found.active {
		return p, errDeactivated
	}
	p.UserID = found.user
	return p, nil
}

// signInTime limits the time to find a user.
const signInTime = 10 * time.Second

func (a *Accounts) read(ctx context.Context, p tracker.Principal, key string, known tracker.UserID) (signedIn,
	error) {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	meter := account.NewMeter()
	defer func() { a.charge(p, meter.Cost()) }()
	db := a.db.Metered(meter)
	t, err := db.Tenant(p.Tenant)
	if err != nil {
		return signedIn{}, err
	}
	found, changes := signedIn{read: a.db.Now()}, a.changes.Load()
	u, err := people.Of(t).SignIn(ctx, p, known)
	switch {
	case tracker.CodeOf(err) == tracker.NotFound: // there is no such tenant, and so nothing to be found in it
	case err != nil:
		return signedIn{}, &tracker.Error{Code: tracker.Unavailable, Cause: err,
			Message: "your user could not be found; try again"}
	default:
		found.user, found.active = u.ID, u.Active()
	}
	if a.changes.Load() == changes {
		a.known.Add(string(p.Tenant), key, found, int64(accountBytes+len(key)))
	}
	return found, nil
}

// forget drops what is known of a user.
func (a *Accounts) forget(id tracker.UserID) {
	a.changes.Add(1)
	a.known.RemoveFunc(func(found signedIn) bool { return found.user == id })
}

// Watch returns a function that begins sessions in which a change of a user is known at once.
func (a *Accounts) Watch(begin func(context.Context) *graph.Session) func(context.Context) *graph.Session {
	return func(ctx context.Context) *graph.Session {
		s := begin(ctx)
		s.Writes = watched{s.Writes, a}
		return s
	}
}

// watched are writes whose changes of users Accounts learns.
type watched struct {
	graph.Writes
	accounts *Accounts
}

// Tenant returns the tenant's handle for a change.
func (w watched) Tenant(id tracker.TenantID, once *tracker.Once) (graph.TenantWrites, error) {
	t, err := w.Writes.Tenant(id, once)
	if err != nil {
		return nil, err
	}
	return watchedTenant{t, w.accounts}, nil
}

type watchedTenant struct {
	graph.TenantWrites
	accounts *Accounts
}

// UpdateUser changes a user.
func (t watchedTenant) UpdateUser(ctx context.Context, id tracker.UserID, expectedVersion *int64,
	change func(*tracker.User) error) (*tracker.User, error) {
	defer t.accounts.forget(id) // also after an error: the change may have been made
	return t.TenantWrites.UpdateUser(ctx, id, expectedVersion, change)
}
