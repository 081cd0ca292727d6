package graph

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"issuegrid/graph/estimate"
	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// gridArgs are the arguments of Project.issues and View.issues.
type gridArgs struct {
	first, last   *int32
	after, before *string
	orderBy       []*model.IssueOrder
	where         *model.IssueFilter
	view          *model.IssueFilter // of a view, or nil; both must match
	consistent    bool               // reads of documents
	countAfter    *string
	timeZone      string
	group         *groupFilter  // selects the issues of a group; nil for all
	grid          *loaders.Grid // registered for the grid, or nil
}

func (r *Resolver) readGrid(ctx context.Context, p *model.Project, a gridArgs) (*model.IssueConnection,
	error) {
	fetch := a.grid
	switch {
	case fetch != nil:
	case a.group != nil:
		fetch = p.Loaders.Grid()
	default:
		fetch = enterGrid(ctx, p.Loaders)
	}
	defer fetch.Done()
	chargeGrid(ctx)
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	q, w, err := r.gridRequest(ctx, d, a)
	if err != nil {
		return nil, err
	}
	want := selectionOf(ctx, d)
	rows, counted := fetch.Issues, p.Loaders.Issues
	if a.consistent {
		rows, counted = p.Loaders.IssuesConsistent, p.Loaders.IssuesConsistent
	} else if onHeads(&q) && !want.values {
		rows, counted = fetch.Heads, p.Loaders.Heads
	}
	q.NeedNext, q.NeedPrevious, q.Explain = want.hasNext, want.hasPrevious, want.explain
	c := &model.IssueConnection{Backward: q.Backward, Rebuilding: q.Order.Rebuilding(), Mark: w.mark(),
		RelativeTo: w.relativeTo()}
	c.Count = func(ctx context.Context) (int, bool, error) {
		n, err := count(ctx, r.source(ctx, p.Loaders, counted), q)
		c.CountNext = n.Next
		return n.N, n.Exact, err
	}
	c.Summarize = func(ctx context.Context, column model.IssueColumn) (*model.ColumnSummary, error) {
		all := q
		all.CountFrom = nil // which continues the count of the rows alone
		return r.summarize(ctx, p.Loaders, all, column)
	}
	noRows := q.Size == 0
	if !want.rows || noRows && !want.hasNext && !want.hasPrevious && !want.explain {
		return c, nil
	}
	q.Size = max(1, q.Size)
	if c.Page, err = grid.Read(ctx, r.source(ctx, p.Loaders, rows), q); err != nil {
		return nil, err
	}
	if found := len(c.Page.Rows) > 0; noRows && found {
		c.Page.Rows, c.Page.Position = nil, nil // the row is after the page, or before it
		c.Page.HasNext = c.Page.HasNext || !q.Backward
		c.Page.HasPrevious = c.Page.HasPrevious || q.Backward
	}
	if c.Page.Stopped {
		session(ctx).stopped.Add(1)
	}
	c.Nodes = make([]*model.Issue, len(c.Page.Rows))
	issues := make([]model.Issue, len(c.Page.Rows))
	var texts []tracker.LongRef
	for i := range issues {
		issues[i] = model.Issue{Issue: c.Page.Rows[i].Issue, Definition: d, Loaders: p.Loaders}
		c.Nodes[i] = &issues[i]
		texts = appendLong(texts, issues[i].Issue, want.long)
	}
	if len(texts) > 0 {
		p.Loaders.Prefetch(ctx, texts)
	}
	want.prefetchRelated(ctx, p.Loaders, c.Nodes)
	return c, nil
}

// indexes are the indexes that an operation reads. Its grids read each key once.
type indexes struct {
	mu  sync.Mutex
	all map[model.Reads]*grid.SharedIndex
}

// of returns the index of a tenant.
func (x *indexes) of(l model.Reads) grid.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == nil {
		x.all = map[model.Reads]*grid.SharedIndex{}
	}
	if x.all[l] == nil {
		x.all[l] = grid.NewSharedIndex(l)
	}
	return x.all[l]
}

// forget lets the operation read keys again, because they may have changed.
func (x *indexes) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all = nil
}

// source returns the source of a grid, which reads documents by fetch.
func (r *Resolver) source(ctx context.Context, l model.Reads, fetch grid.Fetch) grid.Source {
	return grid.Source{Index: session(ctx).indexes.of(l), Fetch: fetch, Texts: l.LongTexts, Probes: r.probes,
		ReleaseTexts: l.ForgetTexts}
}

// gridRequest converts the arguments of a grid. It reports all invalid ones.
func (r *Resolver) gridRequest(ctx context.Context, d *tracker.Definition, a gridArgs) (grid.Request,
	*walk, error) {
	s := session(ctx)
	w, badZone := newWalk(s, a.timeZone, &a.after, &a.before, &a.countAfter)
	paging, invalid := parsePaging(a.first, a.after, a.last, a.before, estimate.MaxGridPage)
	q := grid.Request{Project: d.Project.ID, Definition: d, Size: paging.size, Backward: paging.backward,
		Budget: r.pageBudget, Planned: r.planned}
	wrong := []error{badZone, invalid}
	order, err := parseOrder(d, a.orderBy)
	if q.Order = order; err != nil {
		wrong = append(wrong, err)
	} else { // cursors are positions in the order
		after, err := parseCursor("after", a.after, order)
		q.After, wrong = order.From(after), append(wrong, err)
		before, err := parseCursor("before", a.before, order)
		q.Before, wrong = order.To(before), append(wrong, err)
	}
	if a.group != nil && !w.continued {
		q.Where, w = a.group.where, a.group.walk
	} else {
		q.Where, err = parseFilter(ctx, d, w, a.view, a.where)
		wrong = append(wrong, tracker.At("where", err))
	}
	if a.group != nil {
		q.Where = a.group.both(q.Where)
	}
	if err == nil && a.countAfter != nil {
		q.CountFrom, err = grid.ParseCountPosition(*a.countAfter, q)
		wrong = append(wrong, tracker.At("countAfter", err))
	}
	return q, w, tracker.Join(wrong...)
}

// onHeads reports whether the index and the built-in columns of documents are sufficient to find the rows of
// a grid, so that values need not be read. The rows that a filter finds may be sorted by their documents (see
// sort in package grid), and so may the rows of an order of several columns.
func onHeads(r *grid.Request) bool {
	builtin := !slices.ContainsFunc(r.Order, func(o grid.OrderColumn) bool { return !o.Column.Builtin() })
	return !r.Definition.Rebuilding() && (r.Where == nil && len(r.Order) == 1 || builtin) &&
		!slices.ContainsFunc(filter.Columns(r.Where), func(c tracker.Column) bool { return !c.Builtin() })
}

// appendLong appends the long texts of an issue in the given columns. They are stored outside its document.
func appendLong(texts []tracker.LongRef, i *tracker.Issue, columns []tracker.Column) []tracker.LongRef {
	for _, c := range columns {
		v := i.Description
		if c != tracker.ColumnDescription {
			v = i.Values[c.Field()]
		}
		if v.Kind == tracker.KindLong {
			texts = append(texts, tracker.LongRef{Issue: i.ID, Column: c, Long: v.Long()})
		}
	}
	return texts
}

// parseOrder converts the order of a grid. It reports all invalid entries.
func parseOrder(d *tracker.Definition, orderBy []*model.IssueOrder) (grid.Order, error) {
	if len(orderBy) == 0 {
		return grid.OrderBy(d, tracker.ColumnNum, false, false)
	}
	columns := make([]grid.OrderColumn, min(len(orderBy), grid.MaxColumns+1)) // more are refused
	wrong := make([]error, len(columns))
	for i := range columns {
		columns[i], wrong[i] = parseColumnOrder(d, orderBy[i])
		wrong[i] = tracker.At("orderBy"+index(i), wrong[i])
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	order, err := grid.NewOrder(columns...)
	return order, tracker.At("orderBy", err)
}

func parseColumnOrder(d *tracker.Definition, o *model.IssueOrder) (grid.OrderColumn, error) {
	column, err := parseColumn(d, o.Column)
	if err != nil {
		return grid.OrderColumn{}, err
	}
	return grid.NewOrderColumn(d, column, model.Is(o.Direction, model.OrderDirectionDesc),
		model.Is(o.Nulls, model.NullsOrderFirst))
}

// parseColumn converts a column. The path of an error begins with column.
func parseColumn(d *tracker.Definition, in *model.IssueColumn) (tracker.Column, error) {
	switch {
	case (in.Builtin == nil) == (in.FieldID == nil):
		return "", tracker.Bad("column", "give `builtin` or `fieldId`, exactly one of them")
	case in.Builtin != nil:
		return model.BuiltinColumns[*in.Builtin], nil
	}
	f, err := givenField(d, "column.fieldId", *in.FieldID)
	if err != nil {
		return "", err
	}
	return f.ID.Column(), nil
}

func parseCursor(argument string, cursor *string, o grid.Order) (grid.Cursor, error) {
	if cursor == nil {
		return nil, nil
	}
	c, err := grid.ParseCursor(*cursor, o)
	return c, tracker.At(argument, err)
}

// issueByNum finds an issue by its number: it looks the number up in the index and reads the document.
func issueByNum(ctx context.Context, p *model.Project, num int32, consistent bool) (*model.Issue, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	id, err := grid.FindNum(ctx, p.Loaders, &d.Project, int64(num))
	if err != nil {
		return nil, err
	}
	issue, err := p.Loaders.Issue(ctx, id, consistent)
	if err != nil {
		return nil, err
	}
	return &model.Issue{Issue: d.Current(issue), Definition: d, Loaders: p.Loaders}, nil
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// cursorAt returns the cursor immediately before a value of the first column that the grid is sorted by.
func cursorAt(ctx context.Context, p *model.Project, orderBy []*model.IssueOrder, value *model.ValueInput) (
	*string, error) {
	return cursorIn(ctx, p, orderBy, func(d *tracker.Definition, order grid.Order) (grid.Cursor, error) {
		o := &session(ctx).operands
		if err := o.Count(1); err != nil {
			return nil, tracker.At("value", err)
		}
		operand, err := parseCursorValue(o, choicesOf(ctx, d), order[0].Column, value)
		if err != nil {
			return nil, tracker.At("value", err)
		}
		return order.AtValue(operand)
	})
}

// cursorAtIssue returns the cursor immediately before the issue with a number.
func cursorAtIssue(ctx context.Context, p *model.Project, orderBy []*model.IssueOrder, num int32) (*string,
	error) {
	return cursorIn(ctx, p, orderBy, func(d *tracker.Definition, order grid.Order) (grid.Cursor, error) {
		issue, err := issueByNum(ctx, p, num, false)
		if err != nil {
			return nil, err
		}
		return order.AtIssue(ctx, d, issue.Issue, p.Loaders.LongTexts)
	})
}

// cursorIn returns the cursor that find returns for an order.
func cursorIn(ctx context.Context, p *model.Project, orderBy []*model.IssueOrder,
	find func(*tracker.Definition, grid.Order) (grid.Cursor, error)) (*string, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	order, err := parseOrder(d, orderBy)
	if err != nil {
		return nil, err
	}
	c, err := find(d, order)
	if err != nil {
		return nil, err
	}
	return new(c.String()), nil
}

// parseCursorValue encodes a value of a column as an operand.
func parseCursorValue(o *filter.Operands, of choices, c tracker.Column,
	in *model.ValueInput) (filter.Operand, error) {
	d := of.definition
	if !c.Builtin() {
		f := d.Field(c.Field())
		v, err := of.parse(f, in)
		if err != nil {
			return nil, err
		}
		if v.Kind == tracker.KindText && columns.TextualType(f.Type) {
			operand, err := o.Text(v.Text())
			return operand, tracker.At(model.ValueTypes[f.Type].Member, err)
		}
		operand, err := filter.Value(f, v)
		return operand, tracker.At(model.ValueTypes[f.Type].Member, err)
	}
	given := given(in)
	if len(given) != 1 {
		return nil, tracker.Bad("", "give exactly one of the members of ValueInput; %d are given", len(given))
	}
	fits := "dateTime"
	switch c {
	case tracker.ColumnNum:
		fits = "integer"
	case tracker.ColumnName:
		fits = "text"
	case tracker.ColumnState:
		fits = "option"
	case tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy:
		fits = "user"
	}
	if member := given[0].member; member != fits && (fits != "option" || member != byID[fits]) {
		return nil, tracker.Bad(member, "the column takes `%s`", fits)
	}
	var operand filter.Operand
	var err error
	switch v := given[0].value; c {
	case tracker.ColumnNum:
		operand = filter.Num(min(max(v.Int(), 0), tracker.MaxNum+1)) // equivalent for numbers out of range
	case tracker.ColumnName, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy:
		operand, err = o.Text(v.Text())
	case tracker.ColumnState:
		var state tracker.OptionID
		if in.OptionID != nil {
			fits = byID[fits]
			state, err = of.state(*in.OptionID)
		} else {
			state, err = of.stateNamed(*in.Option)
		}
		if err == nil {
			operand, err = filter.State(&d.Project, state)
		}
	default:
		operand, err = filter.Time(v.Text())
	}
	return operand, tracker.At(fits, err)
}
