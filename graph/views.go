package graph

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/graph/model"
	"issuegrid/graph/view"
	"issuegrid/internal/account"
	"issuegrid/internal/groups"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// viewCPU is the CPU time for a byte of the filter of a view, which is decoded, checked and encoded.
const viewCPU = 3 * account.ParseCPU

func memberOf(t tracker.FieldType) string { return model.ValueTypes[t].Member }

// viewOf returns a saved view as the API shows it.
func viewOf(ctx context.Context, d *tracker.Definition, v *tracker.View, l model.Reads) *model.View {
	a := account.From(ctx)
	return &model.View{View: v, Definition: d, Loaders: l, Read: sync.OnceValue(func() *model.ViewContents {
		a.Spend(time.Duration(len(v.Filter)) * viewCPU)
		return view.Read(d, v, l, memberOf)
	})}
}

// currentView is viewOf. It returns an error if the definition may be older than the view, so that something
// new would seem to be deleted.
func currentView(ctx context.Context, d *tracker.Definition, v *tracker.View, l model.Reads) (*model.View,
	error) {
	if v.Outdated(d) {
		return nil, tracker.ErrDefinitionChanged
	}
	return viewOf(ctx, d, v, l), nil
}

func parseViewID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseViewID)
}

// lookUpView reads a view and the definition of its project in parallel.
func lookUpView(ctx context.Context, id string) (*model.View, error) {
	n, err := parseViewID(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	var d *tracker.Definition
	var group errgroup.Group
	var definitionErr error
	group.Go(func() error {
		d, definitionErr = l.Definition(ctx, n.Project)
		return nil
	})
	v, err := l.View(ctx, n.ViewRef())
	group.Wait()
	switch {
	case err != nil:
		return nil, err
	case tracker.CodeOf(definitionErr) == tracker.NotFound:
		return nil, tracker.Missing("view")
	case definitionErr != nil:
		return nil, definitionErr
	}
	return currentView(ctx, d, v, l)
}

// viewOfProject looks up a view of a project.
func viewOfProject(ctx context.Context, p *model.Project, id string) (*model.View, error) {
	n, err := parseViewID(ctx, id)
	if err != nil {
		return nil, err
	}
	if n.Tenant != p.Project.Tenant || n.Project != p.Project.ID {
		return nil, tracker.Missing("view in this project")
	}
	return lookUpView(ctx, id)
}

func defaultView(ctx context.Context, p *model.Project) (*model.View, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	v, err := p.Loaders.DefaultView(ctx, p.Project.ID)
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return currentView(ctx, d, v, p.Loaders)
}

func listViews(ctx context.Context, p *model.Project, first *int32, after *string, last *int32,
	before *string) (*model.ViewConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil {
		return nil, err
	}
	list, err := p.Loaders.ListViews(ctx, p.Project.ID, r)
	if err != nil {
		return nil, err
	}
	return viewConnection(ctx, list, p.Loaders)
}

// viewsOfViewer lists the private views of the caller in all projects.
func viewsOfViewer(ctx context.Context, v *model.Viewer, first *int32, after *string, last *int32,
	before *string) (*model.ViewConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil || v.Principal.Tenant == "" {
		return nil, err
	}
	l, err := session(ctx).Reads.Tenant(v.Principal.Tenant)
	if err != nil {
		return nil, err
	}
	list, err := l.ListOwnViews(ctx, r)
	if err != nil {
		return nil, err
	}
	return viewConnection(ctx, list, l)
}

func viewConnection(ctx context.Context, list loaders.List[tracker.View], l model.Reads) (
	*model.ViewConnection, error) {
	c := &model.ViewConnection{PageInfo: listPageInfo(list), Nodes: make([]*model.View, len(list.Rows)),
		Edges: make([]*model.ViewEdge, len(list.Rows))}
	c.Count = list.Count
	for i, row := range list.Rows {
		d, err := l.Definition(ctx, row.Value.Project) // the list has read it, or the project
		if err != nil {
			return nil, err
		}
		if c.Nodes[i], err = currentView(ctx, d, row.Value, l); err != nil {
			return nil, err
		}
		c.Edges[i] = &model.ViewEdge{Cursor: listCursor(row.Position), Node: c.Nodes[i]}
	}
	return c, nil
}

// readView reads a grid with the filter and the order of a view.
func (r *Resolver) readView(ctx context.Context, v *model.View, a gridArgs) (*model.IssueConnection, error) {
	shown := v.Read()
	a.view = shown.Where
	if a.orderBy == nil {
		a.orderBy = view.Orders(shown)
	}
	return r.readGrid(ctx, v.Project(), a)
}

// readViewGroups reads groups with the filter, the order and the grouping of a view.
func (r *Resolver) readViewGroups(ctx context.Context, v *model.View, a groupArgs) (
	*model.IssueGroupConnection, error) {
	shown := v.Read()
	a.view = shown.Where
	if a.orderBy == nil {
		a.orderBy = view.Orders(shown)
	}
	if a.by == nil {
		if a.by, a.byName = view.Groupings(shown), "groupBy"; len(a.by) == 0 {
			return nil, nil
		}
	}
	return r.readGroups(ctx, v.Project(), a)
}

// viewInput is what a view shows, as the input of a mutation has it.
type viewInput struct {
	columns   []*model.ViewColumnInput
	where     *model.IssueFilter
	orderBy   []*model.IssueOrder
	groupBy   []*model.IssueGroupBy
	summaries []*model.ViewSummaryInput
}

// set checks the input, and sets what a view shows to it.
func (in viewInput) set(ctx context.Context, d *tracker.Definition, v *tracker.View) error {
	v.Checked = d.Project.Version
	wrong := []error{in.setColumns(d, v), in.setSummaries(d, v)}
	s, a := session(ctx), account.From(ctx)
	w, err := newWalk(s, "UTC")
	if err != nil {
		return err
	}
	if _, err := parseFilter(ctx, d, w, in.where); err != nil {
		wrong = append(wrong, tracker.At("filter", err))
	} else if p, err := newParticipantParser(ctx, d.Project.Tenant); err != nil {
		return err
	} else if err := p.checkFilter(ctx, "filter", in.where); err != nil {
		wrong = append(wrong, err)
	} else if err := view.Save(d, v, in.where, choicesOf(ctx, d), memberOf); err != nil {
		return err
	}
	order, err := parseOrder(d, in.orderBy)
	wrong = append(wrong, err)
	if err == nil && len(in.orderBy) > 0 {
		for _, o := range order {
			v.Order = append(v.Order, tracker.ViewOrder{Column: o.Column, Descending: o.Descending,
				NullsFirst: o.NullsFirst})
		}
	}
	if len(in.groupBy) > 0 {
		groupings, err := parseGroupings(d, "groupBy", in.groupBy, w)
		wrong = append(wrong, err)
		for i := 0; err == nil && i < len(groupings); i++ {
			v.Groupings = append(v.Groupings, viewGrouping(groupings[i], in.groupBy[i]))
		}
	}
	a.Spend(time.Duration(len(v.Filter)) * viewCPU)
	return tracker.Join(wrong...)
}

// viewGrouping returns a valid grouping as a view has it.
func viewGrouping(g *groups.Grouping, in *model.IssueGroupBy) tracker.ViewGrouping {
	out := tracker.ViewGrouping{ViewOrder: tracker.ViewOrder{Column: g.Column(),
		Descending: model.Is(in.Direction, model.OrderDirectionDesc),
		NullsFirst: model.Is(in.Nulls, model.NullsOrderFirst)},
		FirstLetter: model.Is(in.FirstLetter, true)}
	if in.Period != nil {
		out.Period = string(*in.Period)
	}
	set(&out.Width, in.Width)
	return out
}

func (in viewInput) setSummaries(d *tracker.Definition, v *tracker.View) error {
	if len(in.summaries) > tracker.MaxViewColumns { // not converted, however many there are
		v.Summaries = make([]tracker.ViewSummary, len(in.summaries))
		return nil // Check refuses it
	}
	var wrong []error
	for i, s := range in.summaries {
		column, err := parseColumn(d, s.Column)
		if err == nil {
			err = model.SummaryParts[s.Part].Check(d, column)
		}
		if err != nil {
			wrong = append(wrong, tracker.At("summaries"+index(i), err))
			column = tracker.Column(index(i)) // is the same as no other
		}
		v.Summaries = append(v.Summaries, tracker.ViewSummary{Column: column, Part: string(s.Part)})
	}
	return tracker.Join(wrong...)
}

func (in viewInput) setColumns(d *tracker.Definition, v *tracker.View) error {
	if len(in.columns) > tracker.MaxViewColumns { // not converted, however many there are
		v.Columns = make([]tracker.ViewColumn, len(in.columns))
		return nil // Check refuses it
	}
	var wrong []error
	for i, c := range in.columns {
		column, err := parseColumn(d, c.Column)
		if err != nil {
			wrong = append(wrong, tracker.At("columns"+index(i), err))
			column = tracker.Column(index(i)) // is the same as no other
		}
		shown := tracker.ViewColumn{Column: column}
		if c.Width != nil {
			shown.Width = int(*c.Width)
			wrong = append(wrong, tracker.CheckViewWidth("columns"+index(i)+".width", shown.Width))
		}
		v.Columns = append(v.Columns, shown)
	}
	return tracker.Join(wrong...)
}

// State finds the state that a filter of a view refers to.
func (c choices) State(given string, byName bool) (tracker.OptionID, bool) {
	find := c.state
	if byName {
		find = c.stateNamed
	}
	id, err := find(given)
	return id, err == nil
}

// Option finds the option of a field that a filter of a view refers to.
func (c choices) Option(f *tracker.Field, given string, byName bool) (tracker.OptionID, bool) {
	find := c.option
	if byName {
		find = c.optionNamed
	}
	id, err := find(f, given)
	return id, err == nil
}
