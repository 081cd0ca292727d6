package model

import (
	"context"
	"sync"

	"issuegrid/grid"
)

// IssueConnection is a page of a grid.
type IssueConnection struct {
	Page grid.Page
	// Backward is true for a page of the last rows before a cursor.
	Backward bool
	Nodes    []*Issue // one per row of the page
	// Rebuilding is true if rows may be out of order because a field is being rebuilt.
	Rebuilding bool
	Counted
	// CountNext is set by Count.
	CountNext *grid.CountPosition
	// Mark is appended to all cursors.
	Mark string
	// RelativeTo is what relative times in the filter refer to, or nil.
	RelativeTo *DateTime
	// Summarize computes the summary of a column.
	Summarize func(ctx context.Context, column IssueColumn) (*ColumnSummary, error)
}

// Counted is the part of a connection that counts its rows.
type Counted struct {
	// Count is called at most once, and only if the count is selected.
	Count func(context.Context) (n int, exact bool, err error)

	once  sync.Once
	count int
	exact bool
	err   error
}

// TenantConnection is a page of tenants.
type TenantConnection struct {
	Edges    []*TenantEdge
	Nodes    []*Tenant
	PageInfo *PageInfo
	Counted
}

// ProjectConnection is a page of projects.
type ProjectConnection struct {
	Edges    []*ProjectEdge
	Nodes    []*Project
	PageInfo *PageInfo
	Counted
}

// DeletedProjectConnection is a page of a tenant's projects in the trash.
type DeletedProjectConnection struct {
	Edges    []*DeletedProjectEdge
	Nodes    []*DeletedProject
	PageInfo *PageInfo
	Counted
}

// DeletedIssueConnection is a page of a project's trash.
type DeletedIssueConnection struct {
	Edges    []*DeletedIssueEdge
	Nodes    []*DeletedIssue
	PageInfo *PageInfo
	Counted
}

// ProjectChangeConnection is a page of a project's history.
type ProjectChangeConnection struct {
	Edges    []*ProjectChangeEdge
	Nodes    []*ProjectChange
	PageInfo *PageInfo
	Counted
}

// IssueChangeConnection is a page of an issue's history.
type IssueChangeConnection struct {
	Edges    []*IssueChangeEdge
	Nodes    []*IssueChange
	PageInfo *PageInfo
	Counted
}

// ActivityConnection is a page of the activity of a project.
type ActivityConnection struct {
	Edges    []*ActivityEdge
	Nodes    []*Activity
	PageInfo *PageInfo
	Counted
}

// IssueEdge is a row of a grid.
type IssueEdge struct {
	row  *grid.Row
	mark string
	Node *Issue
}

// Cursor returns the cursor of the row.
func (e *IssueEdge) Cursor() (string, error) {
	c, err := e.row.Cursor()
	if err != nil {
		return "", err
	}
	return c.String() + e.mark, nil
}

// Edges returns the rows with their cursors.
func (c *IssueConnection) Edges() []*IssueEdge {
	edges, all := make([]*IssueEdge, len(c.Nodes)), make([]IssueEdge, len(c.Nodes))
	for i := range all {
		all[i] = IssueEdge{row: &c.Page.Rows[i], mark: c.Mark, Node: c.Nodes[i]}
		edges[i] = &all[i]
	}
	return edges
}

// PageInfo returns the cursors of the page and whether rows precede and follow it.
func (c *IssueConnection) PageInfo() (*PageInfo, error) {
	info := &PageInfo{HasNextPage: c.Page.HasNext, HasPreviousPage: c.Page.HasPrevious}
	if n := len(c.Nodes); n > 0 {
		edges := [...]IssueEdge{{row: &c.Page.Rows[0], mark: c.Mark}, {row: &c.Page.Rows[n-1], mark: c.Mark}}
		start, err := edges[0].Cursor()
		if err != nil {
			return nil, err
		}
		end, err := edges[1].Cursor()
		if err != nil {
			return nil, err
		}
		info.StartCursor, info.EndCursor = &start, &end
	}
	if p := c.Page.Position; p != nil {
		position := p.String() + c.Mark
		if c.Backward {
			info.StartCursor = &position
		} else {
			info.EndCursor = &position
		}
	}
	return info, nil
}

// TotalCountCursor returns where the count stopped, or nil if it is exact.
func (c *IssueConnection) TotalCountCursor(ctx context.Context) (*string, error) {
	if c.countOnce(ctx); c.err != nil || c.CountNext == nil {
		return nil, c.err
	}
	s := c.CountNext.String() + c.Mark
	return &s, nil
}

// Incomplete reports whether the work budget ran out before the page was full.
func (c *IssueConnection) Incomplete() bool { return c.Page.Position != nil }

// Explain returns the query plan of the page.
func (c *IssueConnection) Explain() *QueryPlan {
	plan := &QueryPlan{Text: c.Page.Plan.Text(), Root: planNode(c.Page.Plan), Rejected: []*RejectedPlan{}}
	for _, r := range c.Page.Rejected {
		plan.Rejected = append(plan.Rejected,
			&RejectedPlan{Label: r.Label, EstimatedKeys: r.Keys,
				EstimatedDocuments: r.Documents, EstimatedRcu: r.RCU, EstimatedSequentialCalls: r.Steps,
				Reason: r.Reason})
	}
	return plan
}

func planNode(n *grid.Node) *PlanNode {
	out := &PlanNode{Kind: PlanNodeKind(n.Kind), Label: n.Label, Keys: int32(n.Keys),
		Documents: int32(n.Documents), Calls: int32(n.Calls), Rcu: n.RCU,
		Milliseconds: float64(n.Elapsed.Microseconds()) / 1000, Notes: append([]string{}, n.Notes...),
		Children: make([]*PlanNode, len(n.Children))}
	if n.ExpectedKeys >= 0 {
		out.EstimatedKeys, out.EstimatedDocuments = &n.ExpectedKeys, &n.ExpectedDocuments
		out.EstimatedRcu, out.EstimatedSequentialCalls = &n.ExpectedRCU, &n.ExpectedSteps
	}
	for i, child := range n.Children {
		out.Children[i] = planNode(child)
	}
	return out
}

func (c *Counted) countOnce(ctx context.Context) {
	c.once.Do(func() { c.count, c.exact, c.err = c.Count(ctx) })
}

// TotalCount returns the number of rows.
func (c *Counted) TotalCount(ctx context.Context) (int32, error) {
	c.countOnce(ctx)
	return int32(c.count), c.err
}

// TotalCountPrecision reports whether the count is exact.
func (c *Counted) TotalCountPrecision(ctx context.Context) (CountPrecision, error) {
	c.countOnce(ctx)
	if c.exact {
		return CountPrecisionExact, c.err
	}
	return CountPrecisionAtLeast, c.err
}
