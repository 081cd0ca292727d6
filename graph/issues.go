package graph

import (
	"context"
	"slices"
	"strconv"

	"issuegrid/account"
	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/multisort"
	"issuegrid/tracker"
)

// gridArgs are the arguments of Project.issues.
type gridArgs struct {
	first, last   *int32
	after, before *string
	orderBy       []*model.IssueOrder
	where         *model.IssueFilter
	consistent    bool // reads of documents
	countAfter    *string
	timeZone      string
}

func (r *Resolver) readGrid(ctx context.Context, p *model.Project, a gridArgs) (*model.IssueConnection,
	error) {
	fetch := enterGrid(ctx, p.Loaders)
	defer fetch.Done()
	account.From(ctx).Spend(gridCPU)
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
	source := func(documents grid.Fetch) grid.Source {
		return grid.Source{Index: p.Loaders, Fetch: documents, Texts: p.Loaders.LongTexts,
			Probes: r.probes, ReleaseTexts: p.Loaders.ForgetTexts}
	}
	c := &model.IssueConnection{Backward: q.Backward, Rebuilding: q.Order.Rebuilding(), Mark: w.mark(),
		RelativeTo: w.relativeTo()}
	c.Count = func(ctx context.Context) (int, bool, error) {
		n, err := grid.Count(ctx, source(counted), q.Request)
		c.CountNext = n.Next
		return n.N, n.Exact, err
	}
	noRows := q.Size == 0
	if !want.rows || noRows && !want.hasNext && !want.hasPrevious && !want.explain {
		return c, nil
	}
	q.Size = max(1, q.Size)
	if c.Page, err = multisort.Read(ctx, source(rows), q); err != nil {
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
	return c, nil
}

// gridRequest converts the arguments of a grid. It reports all invalid ones.
func (r *Resolver) gridRequest(ctx context.Context, d *tracker.Definition, a gridArgs) (multisort.Request,
	*walk, error) {
	s := session(ctx)
	w, badZone := newWalk(s, a.timeZone, &a.after, &a.before, &a.countAfter)
	paging, invalid := parsePaging(a.first, a.after, a.last, a.before, maxGridPage)
	q := multisort.Request{Request: grid.Request{Project: d.Project.ID, Definition: d, Size: paging.size,
		Backward: paging.backward, Budget: r.pageBudget, Planned: r.planned}}
	wrong := []error{badZone, invalid}
	order, err := parseOrder(d, a.orderBy)
	if q.Order = order; err != nil {
		wrong = append(wrong, err)
	} else { // cursors are positions in the order
		q.Request.Order = order[0] // for counts
		q.After, err = parseCursor("after", a.after, order)
		wrong = append(wrong, err)
		q.Before, err = parseCursor("before", a.before, order)
		wrong = append(wrong, err)
	}
	q.Where, err = parseFilter(&s.operands, &s.names, account.From(ctx), d, w, a.where)
	wrong = append(wrong, tracker.At("where", err))
	if err == nil && a.countAfter != nil {
		q.CountFrom, err = grid.ParseCountPosition(*a.countAfter, q.Request)
		wrong = append(wrong, tracker.At("countAfter", err))
	}
	return q, w, tracker.Join(wrong...)
}

// onHeads reports whether the index and the built-in columns of documents are sufficient to find the rows of
// a grid, so that values need not be read. The rows that a filter finds may be sorted by their documents (see
// sort in package grid), and so may the rows of an order of several columns.
func onHeads(r *multisort.Request) bool {
	builtin := !slices.ContainsFunc(r.Order, func(o grid.Order) bool { return !o.Column.Builtin() })
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

var builtinColumns = map[model.BuiltinColumn]tracker.Column{
	model.BuiltinColumnNum:       tracker.ColumnNum,
	model.BuiltinColumnName:      tracker.ColumnName,
	model.BuiltinColumnState:     tracker.ColumnState,
	model.BuiltinColumnCreatedAt: tracker.ColumnCreated,
	model.BuiltinColumnUpdatedAt: tracker.ColumnUpdated,
	model.BuiltinColumnCreatedBy: tracker.ColumnCreatedBy,
	model.BuiltinColumnUpdatedBy: tracker.ColumnUpdatedBy,
}

// parseOrder converts the order of a grid. It reports all invalid entries.
func parseOrder(d *tracker.Definition, orderBy []*model.IssueOrder) (multisort.Order, error) {
	if len(orderBy) == 0 {
		o, err := grid.NewOrder(d, tracker.ColumnNum, false, false)
		return multisort.Order{o}, err
	}
	columns := make([]grid.Order, min(len(orderBy), multisort.MaxColumns+1)) // more are refused
	wrong := make([]error, len(columns))
	for i := range columns {
		columns[i], wrong[i] = parseColumnOrder(d, orderBy[i])
		wrong[i] = tracker.At("orderBy"+index(i), wrong[i])
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	order, err := multisort.NewOrder(columns...)
	return order, tracker.At("orderBy", err)
}

func parseColumnOrder(d *tracker.Definition, o *model.IssueOrder) (grid.Order, error) {
	var column tracker.Column
	switch by := o.Column; {
	case (by.Builtin == nil) == (by.Field == nil):
		return grid.Order{}, tracker.Bad("column", "give `builtin` or `field`, exactly one of them")
	case by.Builtin != nil:
		column = builtinColumns[*by.Builtin]
	default:
		f, err := givenField(d, "column.field", *by.Field)
		if err != nil {
			return grid.Order{}, err
		}
		column = f.ID.Column()
	}
	return grid.NewOrder(d, column, o.Direction == model.OrderDirectionDesc, o.Nulls == model.NullsOrderFirst)
}

func parseCursor(argument string, cursor *string, o multisort.Order) (multisort.Cursor, error) {
	if cursor == nil {
		return nil, nil
	}
	c, err := multisort.ParseCursor(*cursor, o)
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
