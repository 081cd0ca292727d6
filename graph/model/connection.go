package model

import (
	"context"
	"sync"

	"issuegrid/grid"
)

// IssueConnection is a page of a grid.
type IssueConnection struct {
	Page  grid.Page
	Nodes []*Issue // as many as the page has rows
	// Count counts the issues of the grid. It is called once at most, and only when the count is selected.
	Count func(context.Context) (n int, exact bool, err error)

	counted sync.Once
	count   int
	exact   bool
	err     error
}

// IssueEdge is a row of a grid.
type IssueEdge struct {
	row  *grid.Row
	Node *Issue
}

// Cursor is the row's position.
func (e *IssueEdge) Cursor() (string, error) {
	c, err := e.row.Cursor()
	if err != nil {
		return "", err
	}
	return c.String(), nil
}

// Edges are the rows with their cursors.
func (c *IssueConnection) Edges() []*IssueEdge {
	edges, all := make([]*IssueEdge, len(c.Nodes)), make([]IssueEdge, len(c.Nodes))
	for i := range all {
		all[i] = IssueEdge{row: &c.Page.Rows[i], Node: c.Nodes[i]}
		edges[i] = &all[i]
	}
	return edges
}

// PageInfo tells where the page lies.
func (c *IssueConnection) PageInfo() (*PageInfo, error) {
	info := &PageInfo{HasNextPage: c.Page.HasNext, HasPreviousPage: c.Page.HasPrevious}
	if n := len(c.Nodes); n > 0 {
		edges := [...]IssueEdge{{row: &c.Page.Rows[0]}, {row: &c.Page.Rows[n-1]}}
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
	return info, nil
}

func (c *IssueConnection) counts(ctx context.Context) {
	c.counted.Do(func() { c.count, c.exact, c.err = c.Count(ctx) })
}

// TotalCount is the number of issues of the grid.
func (c *IssueConnection) TotalCount(ctx context.Context) (int32, error) {
	c.counts(ctx)
	return int32(c.count), c.err
}

// TotalCountPrecision tells whether the count is exact.
func (c *IssueConnection) TotalCountPrecision(ctx context.Context) (CountPrecision, error) {
	c.counts(ctx)
	if c.exact {
		return CountPrecisionExact, c.err
	}
	return CountPrecisionAtLeast, c.err
}
