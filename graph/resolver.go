// Package graph serves the schema: resolvers that fetch, delegate and map errors, and the HTTP handler around
// them. Start with NewHandler and Resolver.
//
// It reads through package loaders and package grid and writes through Writes. It builds no DynamoDB
// expression and decides no order. What a request may ask for is bounded by package guard before anything is
// executed here.
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
	Reads     Reads
	Writes    Writes
	// Cost is what the request has cost so far.
	Cost func() Cost
	// Admit is called before the operation runs, with what it may come to; nil lets all run. done is called
	// when its answer is ready.
	Admit func(context.Context, Estimate) (done func(), err error)
	// Capacity tells how the tenant stands with what it may read and write; nil where it may consume what it
	// likes.
	Capacity func() (reads, writes Capacity)

	answer   answerMeter
	operands filter.Operands        // of the operation's filters
	defects  atomic.Int32           // that the log was told of, and
	failures atomic.Int32           // of the database
	stopped  atomic.Int32           // pages that the work budget has ended
	grids    map[string]*registered // by the alias of their root field
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

// Reads reads the list of tenants, and returns what reads the data of one.
type Reads interface {
	Tenants(ctx context.Context, r loaders.Range) (loaders.List[tracker.Tenant], error)
	Tenant(id tracker.TenantID) (model.Reads, error)
	// LimitTexts sets the most bytes of long texts that the response shows, before anything is read.
	LimitTexts(bytes int64)
}

// Writes changes what belongs to no tenant yet, and hands out what changes the data of one.
type Writes interface {
	CreateTenant(ctx context.Context, t tracker.Tenant) error
	// Tenant is for the changes of one mutation, which once, unless it is nil, keeps from being made twice.
	Tenant(id tracker.TenantID, once *tracker.Once) (TenantWrites, error)
}

// TenantWrites changes the data of one tenant. Errors are *tracker.Error, with paths relative to the input
// concerned.
type TenantWrites interface {
	ProjectWrites
	FieldWrites
	IssueWrites
}

// ProjectWrites changes a tenant and its projects.
type ProjectWrites interface {
	Rename(ctx context.Context, name string) (*tracker.Tenant, error)
	CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error)
	UpdateProject(ctx context.Context, id tracker.ProjectID, change func(*tracker.Project) error) (
		*tracker.Project, error)
	DeleteProject(ctx context.Context, p tracker.ProjectID) error
}

// FieldWrites changes the custom fields of a project.
type FieldWrites interface {
	CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field, error)
	UpdateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
		change func(*tracker.Field) error) (
		*tracker.Field, error)
	ChangeFieldType(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, to tracker.Form,
		remove bool) (
		*tracker.Job, error)
	MergeOptions(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, from []tracker.OptionID,
		into tracker.OptionID) (*tracker.Field, error)
	DeleteField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID) error
}

// IssueWrites changes the issues of a project.
type IssueWrites interface {
	ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error)
	CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error)
	UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
		c tracker.Change) (*tracker.Issue, error)
	DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	PurgeIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	RestoreIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue, error)
}

// Resolver is the root of all resolvers. Its fields are the same for all requests.
type Resolver struct {
	// pageBudget is the most work that goes into one page of a grid, as in grid.Request.
	pageBudget int
	// planned receives how each grid is read, as in grid.Request; nil if nothing needs it.
	planned func(context.Context, grid.Decision)
}

type sessionKey struct{}

func withSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// session returns what the request works with; it panics outside of one, which is a defect of the wiring.
func session(ctx context.Context) *Session { return ctx.Value(sessionKey{}).(*Session) }

// newID makes an id for something new.
func newID() (string, error) { return tracker.NewID(rand.Reader) }

func tenantLoaders(ctx context.Context, n model.NodeID) (model.Reads, error) {
	return session(ctx).Reads.Tenant(n.Tenant)
}
