package graph

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"issuegrid/graph/model"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// historyMark is the prefix of history cursors.
const historyMark = "history1\x00"

func historyCursor(version int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(historyMark + strconv.FormatInt(version, 10)))
}

// parseHistoryCursor returns the version in a cursor; 0 if cursor is nil.
func parseHistoryCursor(argument string, cursor *string) (int64, error) {
	if cursor == nil {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(*cursor)
	text, ok := strings.CutPrefix(string(b), historyMark)
	version, notNumber := strconv.ParseInt(text, 10, 64)
	if err != nil || !ok || notNumber != nil || version < 1 || version > tracker.MaxVersion ||
		historyCursor(version) != *cursor {
		return 0, tracker.Bad(argument, "not a cursor of a history")
	}
	return version, nil
}

func readHistory(ctx context.Context, i *model.Issue, first *int32, after *string, last *int32,
	before *string) (*model.IssueChangeConnection, error) {
	p, invalid := parsePaging(first, after, last, before, maxListPage)
	// The newest change is first, so changes after a cursor are older.
	q := loaders.HistoryQuery{OldestFirst: p.backward, Limit: max(1, p.size)}
	var wrong [2]error
	q.To, wrong[0] = parseHistoryCursor("after", after)
	q.From, wrong[1] = parseHistoryCursor("before", before)
	if err := tracker.Join(invalid, wrong[0], wrong[1]); err != nil {
		return nil, err
	}
	if before != nil {
		q.From++
	}
	if now := i.Issue.Version + 1; q.To == 0 || q.To > now {
		q.To = now
	}
	page, more, err := i.Loaders.History(ctx, i.Issue.ID, q)
	if err != nil {
		return nil, err
	}
	if p.size == 0 {
		more, page = more || len(page) > 0, nil
	}
	info := &model.PageInfo{HasNextPage: more, HasPreviousPage: after != nil}
	if p.backward {
		slices.Reverse(page)
		info.HasNextPage, info.HasPreviousPage = before != nil, more
	}
	c := &model.IssueChangeConnection{PageInfo: info, Nodes: make([]*model.IssueChange, len(page)),
		Edges: make([]*model.IssueChangeEdge, len(page))}
	for n := range page {
		c.Nodes[n] = &model.IssueChange{Issue: i, Change: page[n]}
		c.Edges[n] = &model.IssueChangeEdge{Cursor: historyCursor(page[n].Version), Node: c.Nodes[n]}
	}
	if n := len(page); n > 0 {
		info.StartCursor, info.EndCursor = &c.Edges[0].Cursor, &c.Edges[n-1].Cursor
	}
	return c, nil
}
