// Package graph serves the GraphQL schema. It has the resolvers, which read, write and convert errors, and
// the HTTP handler. Start with NewHandler and Resolver.
//
// It reads through packages loaders and grid and writes through Writes. It must not build DynamoDB
// expressions or sort rows. Package guard checks the limits of a request before it is executed here.
package graph

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// Session is the state of one request of GraphQL, or of a page of an export.
type Session struct {
	// Principal is the caller. Data of a tenant that it does not reach does not exist for it.
	Principal tracker.Principal
	Reads     Reads
	Writes    Writes
	// Now returns the current time. It is time.Now if it is nil.
	Now func() time.Time

	start    time.Time // that began returns
	starting sync.Once
	answer   answerMeter
	operands filter.Operands               // of all filters of the operation
	names    names                         // that the operation looks up
	zones    zones                         // likewise
	indexes  indexes                       // that the operation reads
	defects  atomic.Int32                  // internal errors logged
	failures atomic.Int32                  // database errors
	stopped  atomic.Int32                  // pages ended by the work budget
	outdated atomic.Pointer[tracker.Error] // the first error that may be due to an outdated definition
	grids    map[string]*registered        // by the alias of their root field
	scans    scans
	refused  []tracker.Code // of errors in payloads
}

// scans limits how many counts and summaries of an operation are read at a time, each of which may hold the
// keys of the project.
type scans struct {
	once  sync.Once
	slots chan struct{}
}

const scansAtOnce = 8

// enter waits for a slot, which leave returns.
func (s *scans) enter(ctx context.Context) (leave func(), err error) {
	s.once.Do(func() { s.slots = make(chan struct{}, scansAtOnce) })
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// count counts the issues of a grid.
func count(ctx context.Context, source grid.Source, q grid.Request) (grid.Counted, error) {
	leave, err := session(ctx).scans.enter(ctx)
	if err != nil {
		return grid.Counted{}, err
	}
	defer leave()
	return countNow(ctx, source, q)
}

// countNow is count in a slot. Nothing is known if the time of the operation for reading is over, unless a
// count is continued, which must progress.
func countNow(ctx context.Context, source grid.Source, q grid.Request) (grid.Counted, error) {
	if q.CountFrom == nil && account.From(ctx).ReadingOver() {
		return grid.Counted{}, nil
	}
	return grid.Count(ctx, source, q)
}

// began returns the time of the operation, the same each time.
func (s *Session) began() time.Time {
	s.starting.Do(func() {
		if s.start = time.Now(); s.Now != nil {
			s.start = s.Now()
		}
	})
	return s.start
}

// shownCost is extensions.cost.
type shownCost struct {
	account.Cost
	// StoppedPages counts the pages that the work budget has ended.
	StoppedPages int32 `json:"stoppedPages,omitempty"`
}

// Reads reads the list of tenants and returns the reads of one tenant.
type Reads interface {
	Tenants(ctx context.Context, r loaders.Range) (loaders.List[tracker.Tenant], error)
	Tenant(id tracker.TenantID) (model.Reads, error)
	// LimitTexts sets the maximum bytes of long texts in the response. It must be called before anything is
	// read.
	LimitTexts(bytes int64)
	// Renew reads the definitions that the request has used again, after an error that may be due to an
	// outdated one, and reports whether one has changed. ForgetDefinitions lets the request use newer
	// definitions.
	Renew(ctx context.Context, err error) (changed bool, _ error)
	ForgetDefinitions()
}

// Writes returns the writes of one mutation. If once is not nil, a repeated mutation is not executed again.
type Writes interface {
	// AllTenants returns the writes of the list of tenants.
	AllTenants(once *tracker.Once) TenantsWrites
	// Tenant returns the writes of one tenant.
	Tenant(id tracker.TenantID, once *tracker.Once) (TenantWrites, error)
}

// TenantsWrites creates, renames and deletes tenants.
type TenantsWrites interface {
	NewTenant(ctx context.Context, t tracker.Tenant) (*tracker.Tenant, error)
	RenameTenant(ctx context.Context, id tracker.TenantID, name string) (*tracker.Tenant, error)
	// DeleteTenant deletes a tenant, unless confirm returns an error.
	DeleteTenant(ctx context.Context, id tracker.TenantID, confirm func(*tracker.Tenant) error) error
}

// TenantWrites changes the data of one tenant. Errors are *tracker.Error, with paths relative to the input.
type TenantWrites interface {
	ProjectWrites
	FieldWrites
	IssueWrites
	ViewWrites
	PeopleWrites
	CommentWrites
	// Repeated reports whether the mutation was executed before under its idempotency key. It returns
	// BadInput if the key was used for another change.
	Repeated(ctx context.Context) (bool, error)
}

// ProjectWrites changes the projects of a tenant.
type ProjectWrites interface {
	CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error)
	UpdateProject(ctx context.Context, id tracker.ProjectID, change func(*tracker.Project) error) (
		*tracker.Project, error)
	// DeleteProject deletes a project permanently, unless confirm returns an error.
	DeleteProject(ctx context.Context, p tracker.ProjectID, confirm func(*tracker.Project) error) error
	TrashProject(ctx context.Context, p tracker.ProjectID, confirm func(*tracker.Project) error) (
		*tracker.Project, error)
	RestoreProject(ctx context.Context, p tracker.ProjectID) (*tracker.Project, error)
}

// FieldWrites changes the custom fields of a project.
type FieldWrites interface {
	CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field, error)
	UpdateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
		change func(*tracker.Field) error) (
		*tracker.Field, error)
	ChangeFieldType(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, to tracker.Form,
		remove bool, confirm func(*tracker.Field) error) (*tracker.Job, error)
	DeleteField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
		confirm func(*tracker.Field) error) error
	CancelJob(ctx context.Context, p tracker.ProjectID, id string) (*tracker.Job, error)
	// StartedJob returns the job that the change has started, or nil if it has started none.
	StartedJob(ctx context.Context, p tracker.ProjectID) (*tracker.Job, error)
}

// IssueWrites changes the issues of a project.
type IssueWrites interface {
	// Claim returns BadInput if the idempotency key was used for another call. Otherwise it is that of this
	// call, whose changes have keys of their own.
	Claim(ctx context.Context) error
	// Applied reports for each idempotency key whether a change was made under it.
	Applied(ctx context.Context, keys []string) ([]bool, error)
	ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error)
	CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error)
	UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
		c tracker.Change) (*tracker.Issue, error)
	DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	PurgeIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	RestoreIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue, error)
}

// PeopleWrites changes the users and the teams of a tenant.
type PeopleWrites interface {
	CreateUser(ctx context.Context, u tracker.User) (*tracker.User, error)
	UpdateUser(ctx context.Context, id tracker.UserID, expectedVersion *int64,
		change func(*tracker.User) error) (*tracker.User, error)
	CreateTeam(ctx context.Context, t tracker.Team) (*tracker.Team, error)
	UpdateTeam(ctx context.Context, id tracker.TeamID, expectedVersion *int64,
		change func(*tracker.Team) error) (*tracker.Team, error)
	// ChangeMembers adds users to a team, or removes them.
	ChangeMembers(ctx context.Context, id tracker.TeamID, users []tracker.UserID, add bool) (*tracker.Team,
		error)
}

// CommentWrites changes the comments on issues.
type CommentWrites interface {
	// CreateComment writes a new comment. prepare is called before, if the comment can be written and was not
	// already; it may be called again, and may be nil.
	CreateComment(ctx context.Context, c tracker.Comment, num int64, prepare func(context.Context) error) (
		*tracker.Comment, error)
	// UpdateComment changes a comment, by a user, after prepare.
	UpdateComment(ctx context.Context, ref tracker.CommentRef, expectedVersion *int64, by tracker.UserID,
		change func(*tracker.Comment) error, prepare func(context.Context) error) (*tracker.Comment, error)
	// DeleteComment deletes a comment, unless allow returns an error.
	DeleteComment(ctx context.Context, ref tracker.CommentRef, expectedVersion *int64,
		allow func(*tracker.Comment) error) error
	// React adds a reaction of a user to a comment, or removes it.
	React(ctx context.Context, ref tracker.CommentRef, r tracker.Reaction, by tracker.UserID, add bool) (
		*tracker.Comment, error)
}

// ViewWrites changes the views that the caller sees.
type ViewWrites interface {
	CreateView(ctx context.Context, v tracker.View) (*tracker.View, error)
	UpdateView(ctx context.Context, ref tracker.ViewRef, expectedVersion *int64,
		change func(*tracker.View) error) (*tracker.View, error)
	// DeleteView deletes a view, unless allow returns an error.
	DeleteView(ctx context.Context, ref tracker.ViewRef, expectedVersion *int64,
		allow func(*tracker.View) error) error
}

// Resolver is the root of all resolvers. Its fields are the same for all requests.
type Resolver struct {
	// pageBudget is the maximum work for one page of a grid, as in grid.Request.
	pageBudget int
	// planned receives the plan of each grid, as in grid.Request; it may be nil.
	planned func(context.Context, grid.Decision)
	// probes remembers statistics between pages; it may be nil.
	probes *grid.Probes
}

type sessionKey struct{}

func withSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// session returns the session of the request. It panics if the context has none, which is a programming
// error.
func session(ctx context.Context) *Session { return ctx.Value(sessionKey{}).(*Session) }

// newID returns a new random id.
func newID() (string, error) { return tracker.NewID(rand.Reader) }

func tenantLoaders(ctx context.Context, n model.NodeID) (model.Reads, error) {
	return session(ctx).Reads.Tenant(n.Tenant)
}
