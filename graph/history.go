package graph

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/estimate"
	"issuegrid/graph/model"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// historyMark is the prefix of the cursors of a kind of histories.
type historyMark string

const (
	ofIssue   historyMark = "history1\x00"
	ofProject historyMark = "projecthistory1\x00"
)

func (m historyMark) cursor(version int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(m) + strconv.FormatInt(version, 10)))
}

// parse returns the version in a cursor; 0 if cursor is nil.
func (m historyMark) parse(argument string, cursor *string) (int64, error) {
	if cursor == nil {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(*cursor)
	text, ok := strings.CutPrefix(string(b), string(m))
	version, notNumber := strconv.ParseInt(text, 10, 64)
	if err != nil || !ok || notNumber != nil || version < 1 || version > tracker.MaxVersion ||
		m.cursor(version) != *cursor {
		return 0, tracker.Bad(argument, "not a cursor of this history")
	}
	return version, nil
}

// query returns the query of a page of a history.
func (m historyMark) query(first *int32, after *string, last *int32, before *string) (p paging,
	q loaders.HistoryQuery, err error) {
	p, invalid := parsePaging(first, after, last, before, estimate.MaxListPage)
	// The newest change is first, so changes after a cursor are older.
	q = loaders.HistoryQuery{OldestFirst: p.backward, Limit: max(1, p.size)}
	var wrong [2]error
	q.To, wrong[0] = m.parse("after", after)
	q.From, wrong[1] = m.parse("before", before)
	if before != nil {
		q.From++
	}
	return p, q, tracker.Join(invalid, wrong[0], wrong[1])
}

// historyPage returns the rows of a page of a history and its PageInfo without cursors. more reports whether
// there are more rows in the direction of paging.
func historyPage[T any](p paging, rows []T, more bool, after, before *string) ([]T, *model.PageInfo) {
	if p.size == 0 {
		more, rows = more || len(rows) > 0, nil
	}
	info := &model.PageInfo{HasNextPage: more, HasPreviousPage: after != nil}
	if p.backward {
		slices.Reverse(rows)
		info.HasNextPage, info.HasPreviousPage = before != nil, more
	}
	return rows, info
}

func readHistory(ctx context.Context, i *model.Issue, first *int32, after *string, last *int32,
	before *string) (*model.IssueChangeConnection, error) {
	p, q, err := ofIssue.query(first, after, last, before)
	if err != nil {
		return nil, err
	}
	if now := i.Issue.Version + 1; q.To == 0 || q.To > now {
		q.To = now
	}
	page, more, err := i.Loaders.History(ctx, i.Issue.ID, q)
	if err != nil {
		return nil, err
	}
	page, info := historyPage(p, page, more, after, before)
	c := &model.IssueChangeConnection{PageInfo: info, Nodes: make([]*model.IssueChange, len(page)),
		Edges: make([]*model.IssueChangeEdge, len(page))}
	c.Count = func(ctx context.Context) (int, bool, error) { return countHistory(ctx, i) }
	for n := range page {
		c.Nodes[n] = &model.IssueChange{Issue: i, Change: page[n]}
		c.Edges[n] = &model.IssueChangeEdge{Cursor: ofIssue.cursor(page[n].Version), Node: c.Nodes[n]}
	}
	if n := len(page); n > 0 {
		info.StartCursor, info.EndCursor = &c.Edges[0].Cursor, &c.Edges[n-1].Cursor
	}
	return c, nil
}

func readProjectHistory(ctx context.Context, p *model.Project, first *int32, after *string, last *int32,
	before *string) (*model.ProjectChangeConnection, error) {
	size, q, err := ofProject.query(first, after, last, before)
	if err != nil {
		return nil, err
	}
	page, more, err := p.Loaders.ProjectHistory(ctx, p.Project.ID, q)
	if err != nil {
		return nil, err
	}
	page, info := historyPage(size, page, more, after, before)
	c := &model.ProjectChangeConnection{PageInfo: info, Nodes: make([]*model.ProjectChange, len(page)),
		Edges: make([]*model.ProjectChangeEdge, len(page))}
	c.Count = func(ctx context.Context) (int, bool, error) {
		return p.Loaders.CountProjectHistory(ctx, p.Project.ID)
	}
	for n := range page {
		c.Nodes[n] = model.NewProjectChange(p, &page[n])
		c.Edges[n] = &model.ProjectChangeEdge{Cursor: ofProject.cursor(page[n].Version), Node: c.Nodes[n]}
	}
	if n := len(page); n > 0 {
		info.StartCursor, info.EndCursor = &c.Edges[0].Cursor, &c.Edges[n-1].Cursor
	}
	return c, nil
}

// readActivity returns a page of the activity of a project.
func readActivity(ctx context.Context, p *model.Project, first *int32, after *string, last *int32,
	before *string) (*model.ActivityConnection, error) {
	r, invalid := listRange(first, after, last, before)
	badCursor := checkPositions(r, func(position []byte) bool {
		return loaders.ActivityPosition(p.Project, position)
	})
	if err := tracker.Join(invalid, badCursor); err != nil {
		return nil, err
	}
	list, err := p.Loaders.Activity().List(ctx, p.Project, r)
	if err != nil {
		return nil, err
	}
	c := &model.ActivityConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.ActivityEdge](list, func(e *tracker.Activity) *model.Activity {
		return &model.Activity{Entry: *e, Tenant: p.Project.Tenant, Loaders: p.Loaders}
	})
	return c, completeActivity(ctx, p, c.Nodes)
}

// completeActivity reads what is selected of entries and is not in them.
func completeActivity(ctx context.Context, p *model.Project, nodes []*model.Activity) error {
	fields := rowFields(ctx, "Activity")
	changes, withComments := hasField(fields, "change"), hasField(fields, "comment")
	if len(nodes) == 0 || !hasField(fields, "issue") && !changes && !withComments {
		return nil
	}
	entries := make([]tracker.Activity, len(nodes))
	for n, node := range nodes {
		entries[n] = node.Entry
	}
	d, err := p.Definition(ctx)
	if err != nil {
		return err
	}
	found, err := p.Loaders.Activity().Read(ctx, entries, changes, withComments)
	if err != nil {
		return err
	}
	var comments []*model.Comment
	for n, node := range nodes {
		if found[n].Issue == nil {
			continue
		}
		i := &model.Issue{Issue: d.Current(found[n].Issue), Definition: d, Loaders: p.Loaders}
		node.Issue = i
		if c := found[n].Change; c != nil {
			node.Change = &model.IssueChange{Issue: i, Change: *c}
		}
		if c := found[n].Comment; c != nil {
			node.Comment = &model.Comment{Comment: c, Issue: i}
			comments = append(comments, node.Comment)
		}
	}
	s := newSelected(ctx, d)
	var below []graphql.CollectedField
	for _, f := range fields {
		if f.Name == "comment" {
			below = append(below, s.below(f, "Comment", "Node")...)
		}
	}
	prefetchComments(ctx, p.Loaders, comments, below)
	return nil
}

// countHistory returns the number of changes in the history of an issue. Every version from the oldest change
// on has one.
func countHistory(ctx context.Context, i *model.Issue) (n int, exact bool, err error) {
	oldest, _, err := i.Loaders.History(ctx, i.Issue.ID,
		loaders.HistoryQuery{To: i.Issue.Version + 1, OldestFirst: true, Limit: 1})
	if err != nil || len(oldest) == 0 {
		return 0, true, err
	}
	return int(i.Issue.Version - oldest[0].Version + 1), true, nil
}

// maxConflictChanges is the maximum number of changes that a conflict reads from the history.
const maxConflictChanges = 20

// explain adds to an error about the expected version of a change who made the current version, and the
// values of the columns that the change names.
func (w *issueWriter) explain(ctx context.Context, err error, change tracker.Change) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Conflict == nil {
		return err
	}
	l, invalid := tenantLoaders(ctx, w.node)
	if invalid != nil {
		return invalid
	}
	now, expected := w.definition.Current(e.Conflict.Issue), *change.ExpectedVersion
	// Without the history, the conflict is the same.
	history, more, failed := l.History(ctx, now.ID,
		loaders.HistoryQuery{From: expected + 1, To: now.Version + 1, Limit: maxConflictChanges})
	c := &tracker.VersionConflict{Issue: now, Definition: w.definition,
		Last:      tracker.Changed{Version: now.Version, At: now.Updated},
		BaseKnown: failed == nil && !more && int64(len(history)) == now.Version-expected}
	if len(history) > 0 && history[0].Version == now.Version {
		c.Last = history[0]
	}
	base := map[tracker.Column]tracker.ChangedColumn{}
	for _, h := range history { // newest first
		for _, column := range h.Columns {
			base[column.Column] = column
		}
	}
	named := w.namedColumns(change)
	if len(named) == 0 {
		named = slices.Sorted(maps.Keys(base))
	}
	for _, column := range named {
		current := now.Value(column)
		of := tracker.ChangedColumn{Column: column, After: current,
			Words: w.definition.Words(column, current)}
		if was, changed := base[column]; c.BaseKnown && changed {
			of.Before, of.Words = was.Before, was.Words.And(of.Words)
		} else if c.BaseKnown {
			of.Before = current
		}
		c.Columns = append(c.Columns, of)
	}
	explained := *e
	explained.Conflict = c
	return &explained
}

// namedColumns returns the columns that a change names: built-in ones, and then fields in their order.
func (w *issueWriter) namedColumns(change tracker.Change) (columns []tracker.Column) {
	for column, named := range map[tracker.Column]bool{tracker.ColumnName: change.Name != nil,
		tracker.ColumnState: change.State != nil, tracker.ColumnDescription: change.Description != nil,
		tracker.ColumnAssignees: change.Assignees.Changes(),
		tracker.ColumnWatchers:  change.Watchers.Changes()} {
		if named {
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	for _, f := range w.definition.Fields {
		_, value := change.Values[f.ID]
		if _, members := change.Members[f.ID]; value || members {
			columns = append(columns, f.ID.Column())
		}
	}
	return columns
}

// conflictExtension returns extensions.conflict, which has the members of the type Conflict. Extensions have
// no selection that could leave out long values, so those of more than tracker.MaxInlineText bytes are left
// out.
func conflictExtension(ctx context.Context, c *model.Conflict) map[string]any {
	columns := []map[string]any{}
	for _, column := range c.Columns() {
		m := map[string]any{"name": column.Name(), "fieldId": nil}
		if f := column.Field(); f != nil {
			m["fieldId"] = f.ID()
		}
		for name, text := range column.Loaded(ctx) {
			if text == nil || len(*text) <= tracker.MaxInlineText {
				m[name] = text
			}
		}
		columns = append(columns, m)
	}
	var by map[string]any
	if actor := c.ChangedBy(); actor != nil {
		by = map[string]any{"kind": actor.Kind(), "name": actor.Name()}
	}
	return map[string]any{"currentVersion": c.CurrentVersion(), "changedBy": by,
		"changedAt": c.ChangedAt(), "baseKnown": c.BaseKnown(), "columns": columns}
}
