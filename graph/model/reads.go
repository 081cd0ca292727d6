package model

import (
	"context"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// Reads reads the data of one tenant for one request. Concurrent reads share batches.
type Reads interface {
	ProjectReads
	IssueReads
	TextReads
	ViewReads
	People() loaders.People
	Comments() loaders.Comments
	Activity() loaders.Activity
	grid.Index
}

// ProjectReads reads a tenant, its projects and their fields.
type ProjectReads interface {
	Get(ctx context.Context) (*tracker.Tenant, error)
	Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error)
	ProjectByKey(ctx context.Context, key string) (tracker.ProjectID, error)
	ListProjects(ctx context.Context, r loaders.Range) (loaders.List[tracker.Project], error)
	// ListDeletedProjects returns projects in the trash.
	ListDeletedProjects(ctx context.Context, r loaders.Range) (loaders.List[tracker.Project], error)
	ProjectHistory(ctx context.Context, p tracker.ProjectID, q loaders.HistoryQuery) (
		page []tracker.ProjectChange, more bool, err error)
	CountProjectHistory(ctx context.Context, p tracker.ProjectID) (n int, exact bool, err error)
}

// IssueReads reads issues, their history and the trash.
type IssueReads interface {
	Issue(ctx context.Context, id tracker.IssueID, consistent bool) (*tracker.Issue, error)
	Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)
	IssuesConsistent(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)
	// PrefetchIssues starts to read the issues that calls of Issue return.
	PrefetchIssues(ctx context.Context, ids []tracker.IssueID, consistent bool)
	// Heads returns issues with only their built-in columns.
	Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)
	// Tags returns the tags of a field, in their order.
	Tags(ctx context.Context, q columns.TagQuery) (tags []string, more bool, err error)
	// Grid registers a grid. Its issues are read in batches with those of other grids.
	Grid() *loaders.Grid
	History(ctx context.Context, id tracker.IssueID, q loaders.HistoryQuery) (page []tracker.Changed,
		more bool, err error)
	ListTrash(ctx context.Context, p tracker.ProjectID, r loaders.Range) (loaders.List[tracker.Trashed],
		error)
	// Trashed returns issues in the trash, in the order of ids, nil for those that are not there.
	Trashed(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Trashed, error)
}

// ViewReads reads the views that the caller sees.
type ViewReads interface {
	View(ctx context.Context, ref tracker.ViewRef) (*tracker.View, error)
	// PrefetchViews starts to read the views that calls of View return.
	PrefetchViews(ctx context.Context, refs []tracker.ViewRef)
	DefaultView(ctx context.Context, p tracker.ProjectID) (*tracker.View, error)
	ListViews(ctx context.Context, p tracker.ProjectID, r loaders.Range) (loaders.List[tracker.View], error)
	// ListOwnViews returns private views of all projects.
	ListOwnViews(ctx context.Context, r loaders.Range) (loaders.List[tracker.View], error)
}

// TextReads reads long texts.
type TextReads interface {
	// LongText returns a text for the response. Prefetch starts to read texts for the response.
	LongText(ctx context.Context, ref tracker.LongRef) (string, error)
	Prefetch(ctx context.Context, refs []tracker.LongRef)
	// LongTexts returns texts that a filter examines. ForgetTexts releases them.
	LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, error)
	ForgetTexts(ctx context.Context, refs []tracker.LongRef)
}
