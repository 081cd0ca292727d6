package graph

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"issuegrid/graph/estimate"
	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/fold"
	"issuegrid/internal/groups"
	"issuegrid/tracker"
)

const (
	// maxLevels is the maximum number of columns that issues are grouped by.
	maxLevels = 2
	// maxCollapsed is the maximum number of keys of collapsed groups.
	maxCollapsed = 500
	// maxKeys is the maximum number of keys of groups that are requested by them, and keysAtOnce how many of
	// the groups are read at a time.
	maxKeys    = 100
	keysAtOnce = 8
)

// groupArgs are the arguments of Project.groups.
type groupArgs struct {
	first, last   *int32
	after, before *string
	by            []*model.IssueGroupBy
	byName        string // of the argument, or of the member of a view
	where         *model.IssueFilter
	view          *model.IssueFilter // of the view that is read, or nil
	orderBy       []*model.IssueOrder
	keys          []string
	collapsed     []string
	empty         bool
	prefix        *string
	timeZone      string
}

// groupFilter selects the issues of a group: those that match the filter, which was converted in a walk, and
// the conditions of the group.
type groupFilter struct {
	where      filter.Condition
	walk       *walk
	conditions []filter.Condition
}

// both returns the conjunction of a filter, which may be nil, and the conditions of the group.
func (g *groupFilter) both(where filter.Condition) filter.Condition {
	for _, c := range g.conditions {
		where = filter.Both(where, c)
	}
	return where
}

// groupLevel is the groups of a request, or of one of its groups.
type groupLevel struct {
	request *model.GroupRequest
	within  *groupFilter
	level   int
	parent  string // the key of the group around it
	prefix  string
}

func (r *Resolver) readGroups(ctx context.Context, p *model.Project,
	a groupArgs) (*model.IssueGroupConnection, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	s := session(ctx)
	w, badZone := newWalk(s, a.timeZone, &a.after, &a.before)
	wrong := []error{badZone}
	q := &model.GroupRequest{OrderBy: a.orderBy, Filter: a.where, View: a.view, Empty: a.empty,
		TimeZone: a.timeZone,
		Now:      w.now, Collapsed: make(map[string]bool, min(len(a.collapsed), maxCollapsed))}
	for _, key := range a.collapsed[:min(len(a.collapsed), maxCollapsed)] {
		q.Collapsed[key] = true
	}
	q.Groupings, err = parseGroupings(d, a.byName, a.by, w)
	wrong = append(wrong, err)
	_, err = parseOrder(d, a.orderBy)
	wrong = append(wrong, err)
	q.Where, err = parseFilter(ctx, d, w, a.view, a.where)
	wrong = append(wrong, tracker.At("where", err))
	at := groupLevel{request: q, within: &groupFilter{where: q.Where, walk: w}}
	if len(a.collapsed) > maxCollapsed {
		wrong = append(wrong, tracker.Bad("collapsed", "%d keys; the limit is %d", len(a.collapsed),
			maxCollapsed))
	}
	if a.prefix != nil && len(q.Groupings) > 0 {
		at.prefix, err = parsePrefix(&s.operands, q.Groupings[0], *a.prefix)
		wrong = append(wrong, err)
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	q.Mark, q.RelativeTo = w.mark(), w.relativeTo()
	if a.keys != nil {
		return r.groupsOfKeys(ctx, p, d, at, a)
	}
	return r.readLevel(ctx, p.Loaders, d, at, a.first, a.after, a.last, a.before)
}

// parseGroupings converts the groupings of an argument. It reports all invalid ones.
func parseGroupings(d *tracker.Definition, argument string, by []*model.IssueGroupBy, w *walk) (
	[]*groups.Grouping, error) {
	if len(by) == 0 || len(by) > maxLevels {
		return nil, tracker.Bad(argument, "%d groupings; give 1 or %d", len(by), maxLevels)
	}
	out, wrong := make([]*groups.Grouping, len(by)), make([]error, len(by))
	for i := range by {
		out[i], wrong[i] = parseGrouping(d, by[i], w)
		if wrong[i] == nil && i > 0 && out[0] != nil && out[i].Column() == out[0].Column() {
			wrong[i] = tracker.Bad("column", "the issues are grouped by this column already; give each "+
				"column once")
		}
		wrong[i] = tracker.At(argument+index(i), wrong[i])
	}
	return out, tracker.Join(wrong...)
}

func parseGrouping(d *tracker.Definition, in *model.IssueGroupBy, w *walk) (*groups.Grouping, error) {
	column, err := parseColumn(d, in.Column)
	if err != nil {
		return nil, err
	}
	return in.Grouping(d, column, w.now.Location())
}

// parsePrefix returns the folded prefix of the values of groups.
func parsePrefix(o *filter.Operands, g *groups.Grouping, prefix string) (string, error) {
	if err := g.CheckPrefix(); err != nil {
		return "", err
	}
	if n := utf8.RuneCountInString(prefix); n > filter.MaxNeedle {
		return "", tracker.Bad("prefix", "%d characters; the limit is %d", n, filter.MaxNeedle)
	}
	if err := o.Count(1); err != nil {
		return "", tracker.At("prefix", err)
	}
	return fold.String(prefix), nil
}

// readLevel reads a page of groups.
func (r *Resolver) readLevel(ctx context.Context, l model.Reads, d *tracker.Definition, at groupLevel,
	first *int32, after *string, last *int32, before *string) (*model.IssueGroupConnection, error) {
	g := at.request.Groupings[at.level]
	paging, err := parsePaging(first, after, last, before, estimate.MaxListPage)
	if first == nil && last == nil {
		paging.size = estimate.DefaultGroups
	}
	wrong := []error{err}
	q := r.groupRequest(l, d, at)
	charge(ctx, q.Where)
	q.Size, q.Backward = max(1, paging.size), paging.backward
	q.After, err = parseGroupPosition(g, "after", after)
	wrong = append(wrong, err)
	q.Before, err = parseGroupPosition(g, "before", before)
	if err := tracker.Join(append(wrong, err)...); err != nil {
		return nil, err
	}
	want := groupsSelectionOf(ctx)
	q.NeedNext, q.NeedPrevious = want.hasNext, want.hasPrevious
	c := r.groupConnection(l, d, at)
	c.Backward = q.Backward
	if noGroups := paging.size == 0; noGroups && !want.hasNext && !want.hasPrevious {
		return c, nil
	}
	if c.Page, err = g.Find(ctx, r.source(ctx, l, l.Issues), q); err != nil {
		return nil, err
	}
	if paging.size == 0 {
		found := len(c.Page.Groups) > 0
		c.Page.Groups, c.Page.Stopped = nil, nil
		c.Page.HasNext = c.Page.HasNext || found && !q.Backward
		c.Page.HasPrevious = c.Page.HasPrevious || found && q.Backward
	}
	if c.Page.Stopped != nil {
		session(ctx).stopped.Add(1)
	}
	for i := range c.Page.Groups {
		c.Nodes = append(c.Nodes, r.group(l, d, at, &c.Page.Groups[i], len(c.Page.Groups)))
	}
	registerGroups(l, c.Nodes, want.grids)
	return c, nil
}

// countedGroups is the maximum number of groups that are counted.
const countedGroups = 1000

// groupConnection returns a connection without groups.
func (r *Resolver) groupConnection(l model.Reads, d *tracker.Definition,
	at groupLevel) *model.IssueGroupConnection {
	g := at.request.Groupings[at.level]
	c := &model.IssueGroupConnection{Request: at.request, Grouping: g}
	c.Count = func(ctx context.Context) (int, bool, error) {
		leave, err := session(ctx).scans.enter(ctx)
		if err != nil {
			return 0, false, err
		}
		defer leave()
		if account.From(ctx).ReadingOver() {
			return len(c.Nodes), false, nil
		}
		q := r.groupRequest(l, d, at)
		q.Size, q.CountOnly = countedGroups, true
		charge(ctx, q.Where)
		page, err := g.Find(ctx, r.source(ctx, l, l.Issues), q)
		n, exact := len(page.Groups), !page.HasNext
		if shown := len(c.Nodes); !exact && shown > 1 { // one alone may have no issues
			n = max(n, shown)
		}
		return n, exact, err
	}
	return c
}

// charge charges the CPU time of planning a grid whose filter was converted before to the operation: a
// comparison takes as long as a few values.
func charge(ctx context.Context, where filter.Condition) {
	chargeGrid(ctx)
	account.From(ctx).Spend(5 * time.Duration(filter.Terms(where)) * account.ValueCPU)
}

// chargeGrid charges the operation for the arguments of a grid, also if they are refused, and for the stack
// of its goroutine: as much as a few fields.
func chargeGrid(ctx context.Context) { account.From(ctx).Spend(3 * account.FieldCPU) }

// groupRequest returns the request for the groups of a level.
func (r *Resolver) groupRequest(l model.Reads, d *tracker.Definition, at groupLevel) groups.Request {
	q := groups.Request{Request: grid.Request{Project: d.Project.ID, Definition: d, Where: at.within.where,
		Budget: r.pageBudget, Planned: r.planned}, Empty: at.request.Empty, Prefix: at.prefix,
		Tags: l.Tags}
	q.Where = at.within.both(q.Where)
	return q
}

func parseGroupPosition(g *groups.Grouping, argument string, position *string) (*groups.Position, error) {
	if position == nil {
		return nil, nil
	}
	p, err := g.ParsePosition(*position)
	return p, tracker.At(argument, err)
}

// group returns the view of a group, one of so many.
func (r *Resolver) group(l model.Reads, d *tracker.Definition, at groupLevel, x *groups.Group,
	of int) *model.IssueGroup {
	g := at.request.Groupings[at.level]
	out := &model.IssueGroup{Group: x, Grouping: g, Definition: d, Loaders: l, Request: at.request,
		Level: at.level, ID: g.Key(x)}
	if at.parent != "" {
		out.ID = at.parent + model.KeySeparator + out.ID
	}
	out.Conditions = append(slices.Clip(at.within.conditions), g.Condition(x))
	q := r.groupRequest(l, d, below(out)).Request
	q.Sharers = of
	out.Count = func(ctx context.Context) (int, bool, error) {
		if x.Counted {
			return x.Count, true, nil
		}
		charge(ctx, q.Where)
		n, err := count(ctx, r.source(ctx, l, l.Issues), q)
		if !n.Exact {
			n.N = max(n.N, x.Count)
		}
		return n.N, n.Exact, err
	}
	out.Summarize = func(ctx context.Context, column model.IssueColumn) (*model.ColumnSummary, error) {
		charge(ctx, q.Where)
		return r.summarize(ctx, l, q, column)
	}
	return out
}

// below returns the level of the groups of a group, and how its issues are selected.
func below(g *model.IssueGroup) groupLevel {
	// The filter is converted already; the walk is only to mark cursors.
	w := &walk{now: g.Request.Now, used: g.Request.Mark != ""}
	return groupLevel{request: g.Request, level: g.Level + 1, parent: g.Key(),
		within: &groupFilter{where: g.Request.Where, walk: w, conditions: g.Conditions}}
}

// registerGroups registers the grids of the groups with the loaders before the first of them starts, so that
// they share batches. each is how often the issues of a group are selected.
func registerGroups(l model.Reads, all []*model.IssueGroup, each int) {
	for _, g := range all {
		a := &registered{}
		for range each {
			if !g.Collapsed() {
				a.grids = append(a.grids, l.Grid())
			}
		}
		g.Registered = a.take
	}
}

// groupIssues reads a page of the issues of a group.
func (r *Resolver) groupIssues(ctx context.Context, g *model.IssueGroup, first *int32, after *string,
	last *int32, before *string) (*model.IssueConnection, error) {
	if g.Collapsed() {
		return nil, nil
	}
	charge(ctx, g.Request.Where)
	p := &model.Project{Project: &g.Definition.Project, Loaders: g.Loaders}
	return r.readGrid(ctx, p, gridArgs{first: first, after: after, last: last, before: before,
		orderBy: g.Request.OrderBy, view: g.Request.View, where: g.Request.Filter,
		timeZone: g.Request.TimeZone,
		group:    below(g).within, grid: g.Registered()})
}

// groupGroups reads a page of the groups of a group.
func (r *Resolver) groupGroups(ctx context.Context, g *model.IssueGroup, first *int32, after *string,
	last *int32, before *string) (*model.IssueGroupConnection, error) {
	at, s := below(g), session(ctx)
	if at.level == len(g.Request.Groupings) || g.Collapsed() {
		return nil, nil
	}
	w, err := newWalk(s, g.Request.TimeZone, &after, &before)
	if err != nil {
		return nil, err
	}
	if w.continued {
		q := *g.Request
		q.Where, err = parseFilter(ctx, g.Definition, w, q.View,
			q.Filter)
		if err != nil {
			return nil, err
		}
		q.Now, q.Mark, q.RelativeTo = w.now, w.mark(), w.relativeTo()
		at.request, at.within.where, at.within.walk = &q, q.Where, w
	}
	return r.readLevel(ctx, g.Loaders, g.Definition, at, first, after, last, before)
}

// groupsOfKeys returns the groups with the given keys.
func (r *Resolver) groupsOfKeys(ctx context.Context, p *model.Project, d *tracker.Definition, at groupLevel,
	a groupArgs) (*model.IssueGroupConnection, error) {
	switch {
	case len(a.keys) == 0 || len(a.keys) > maxKeys:
		return nil, tracker.Bad("keys", "%d keys; give 1 to %d", len(a.keys), maxKeys)
	case a.first != nil || a.last != nil || a.after != nil || a.before != nil || a.prefix != nil:
		return nil, tracker.Bad("keys", "leave out `first`, `after`, `last`, `before` and `prefix`, which "+
			"select a page, or leave out `keys`")
	}
	want := groupsSelectionOf(ctx)
	c := r.groupConnection(p.Loaders, d, at)
	wrong := make([]error, len(a.keys))
	c.Nodes = make([]*model.IssueGroup, len(a.keys))
	var group errgroup.Group
	group.SetLimit(keysAtOnce)
	for i, key := range a.keys {
		group.Go(func() error {
			g, err := r.groupOfKey(ctx, p.Loaders, d, at, key, len(a.keys))
			c.Nodes[i], wrong[i] = g, tracker.At("keys"+index(i), err)
			return nil
		})
	}
	_ = group.Wait()
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	registerGroups(p.Loaders, c.Nodes, want.grids)
	return c, nil
}

// groupOfKey returns the group with a key, of the first or the second level, one of n. It has the n-th part
// of a page's work budget.
func (r *Resolver) groupOfKey(ctx context.Context, l model.Reads, d *tracker.Definition, at groupLevel,
	key string, n int) (*model.IssueGroup, error) {
	parts := strings.SplitN(key, model.KeySeparator, maxLevels+1)
	if len(parts) > len(at.request.Groupings) {
		return nil, tracker.Bad("", "the key is of a group of another level; give the key of a group of "+
			"one of the %d groupings", len(at.request.Groupings))
	}
	var out *model.IssueGroup
	for i, part := range parts {
		if i > 0 {
			at = below(out)
		}
		g := at.request.Groupings[at.level]
		x, err := g.ParseKey(part)
		if err != nil {
			return nil, err
		}
		if i == len(parts)-1 {
			q := r.groupRequest(l, d, at)
			q.Budget = max(1, grid.Budget(q.Budget)/n)
			charge(ctx, q.Where)
			if err := g.Fill(ctx, r.source(ctx, l, l.Issues), q, &x); err != nil {
				return nil, err
			}
		}
		out = r.group(l, d, at, &x, n)
	}
	return out, nil
}
