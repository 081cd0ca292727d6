// Package graph serves the schema: resolvers that fetch, delegate and map errors, and the HTTP handler around them. Start with NewHandler
// and Resolver.
//
// It reads through package loaders and package grid and writes through Writes. It builds no DynamoDB expression and decides no order. What a request
// may ask for is bounded by package guard before anything is executed here.
package graph

import (
	"context"
	"crypto/rand"
	"sync/atomic"

	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// Session is what one request works with.
type Session struct {
	// Principal is who is asking. What belongs to a tenant that it does not reach is not there for it.
	Principal tracker.Principal
	Loaders   *loaders.Set
	Writes    Writes
	// Cost is what the request has cost so far.
	Cost func() Cost
	// Admit is called before the operation runs, with what it may come to; nil lets all run. done is called when its answer is ready.
	Admit func(context.Context, Estimate) (done func(), err error)
	// Capacity tells how the tenant stands with what it may read and write; nil where it may consume what it likes.
	Capacity func() (reads, writes Capacity)
	// PageBudget is the most work that goes into one page of a grid, as in grid.Request.
	PageBudget int
	// Planned is told how each grid is read, as in grid.Request; nil for nobody.
	Planned func(context.Context, grid.Decision)

	schema    *executableSchema
	answer    answerMeter
	operands  filter.Operands       // of the operation's filters
	defects   atomic.Int32          // that the log was told of, and
	failures  atomic.Int32          // of the database
	stopped   atomic.Int32          // pages that the work budget has ended
	announced map[string]*announced // by the alias of their root field
}

// Cost is what a request cost, as extensions.cost shows it.
type Cost struct {
	// Calls counts DynamoDB requests by their kind.
	Calls map[string]int `json:"calls"`
	// Items that were read or written, keys of the index among them.
	Items int `json:"items"`
	// RCU and WCU are consumed capacity units, as the engine reports them.
	RCU float64 `json:"rcu"`
	WCU float64 `json:"wcu"`
}

// shownCost is extensions.cost.
type shownCost struct {
	Cost
	// StoppedPages are those that the work budget has ended.
	StoppedPages int32 `json:"stoppedPages,omitempty"`
}

// Writes changes what belongs to no tenant yet, and hands out what changes the data of one.
type Writes interface {
	CreateTenant(ctx context.Context, t tracker.Tenant) error
	// Tenant is for the changes of one mutation, which once, unless it is nil, keeps from being made twice.
	Tenant(id tracker.TenantID, once *tracker.Once) (TenantWrites, error)
}

// TenantWrites changes the data of one tenant. Errors are *tracker.Error, their paths below the input concerned.
type TenantWrites interface {
	Rename(ctx context.Context, name string) (*tracker.Tenant, error)
	CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error)
	UpdateProject(ctx context.Context, id tracker.ProjectID, change func(*tracker.Project) error) (*tracker.Project, error)
	CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field, error)
	MergeOptions(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, from []tracker.OptionID, into tracker.OptionID) (*tracker.Field, error)
	ChangeFieldType(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, to tracker.Form, remove bool) (*tracker.Job, error)
	DeleteField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID) error
	DeleteProject(ctx context.Context, p tracker.ProjectID) error
	UpdateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, change func(*tracker.Field) error) (*tracker.Field, error)
	CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error)
	UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID, c tracker.Change) (*tracker.Issue, error)
	DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	PurgeIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	RestoreIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue, error)
	ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error)
}

// Resolver is the root of all resolvers.
type Resolver struct{}

type sessionKey struct{}

func withSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// session returns what the request works with; it panics outside of one, which is a defect of the wiring.
func session(ctx context.Context) *Session { return ctx.Value(sessionKey{}).(*Session) }

// newID makes an id for something new.
func newID() (string, error) { return tracker.NewID(rand.Reader) }

func tenantLoaders(ctx context.Context, n model.NodeID) (*loaders.Tenant, error) {
	return session(ctx).Loaders.Tenant(n.Tenant)
}
