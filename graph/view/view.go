// Package view converts saved views between what is stored and the types of the API. Start with Save and
// Read. It does no I/O.
//
// The laws are:
//
//	W1 A view that is read at once is what was saved, with ids for the names of states and options.
//	W2 What a view refers to and the definition does not have, or has in a form that does not fit, is left
//	   out and reported. Everything else is kept. So a view never fails to be read.
//	W3 What is read refers only to what the definition has.
package view

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/tracker"
)

// Save sets the filter of a view to a valid one, which may be nil. choices finds the states and options in
// it, which may be given by their names.
func Save(d *tracker.Definition, v *tracker.View, where *model.IssueFilter, choices Choices,
	types Types) (err error) {
	if where != nil {
		r := rewriter{definition: d, choices: choices, types: types}
		where = r.issue("", where)
	}
	v.Filter, err = encode(where)
	return err
}

// NoteNames records the names of what a view refers to. Of what no longer exists it keeps the names that were
// recorded before.
func NoteNames(d *tracker.Definition, v *tracker.View, types Types) {
	known := v.Names
	v.Names = nil
	note := func(id, name string) {
		if name = cmp.Or(name, known[id]); name != "" {
			v.NoteName(id, name)
		}
	}
	column := func(c tracker.Column) {
		if f := d.Field(c.Field()); f != nil {
			note(fieldID(d, c), f.Name)
		} else if !c.Builtin() {
			note(fieldID(d, c), "")
		}
	}
	for _, c := range v.Columns {
		column(c.Column)
	}
	for _, o := range v.Order {
		column(o.Column)
	}
	for _, g := range v.Groupings {
		column(g.Column)
	}
	for _, s := range v.Summaries {
		column(s.Column)
	}
	if where, err := decode(v.Filter); err == nil {
		r := rewriter{definition: d, choices: current{d}, types: types,
			found:   func(what thing, name string) { note(what.id, name) },
			missing: func(_ string, what thing) { note(what.id, "") }}
		r.issue("", where)
	}
}

func fieldID(d *tracker.Definition, c tracker.Column) string {
	return model.FieldNodeID(d.Project.Tenant, d.Project.ID, c.Field())
}

// current finds the states and options that a view was saved with by their ids, or those that they have been
// merged into, as long as the definition knows it.
type current struct{ definition *tracker.Definition }

func (c current) State(given string, _ bool) (tracker.OptionID, bool) {
	p := &c.definition.Project
	id, ok := model.ParseStateID(p.Tenant, p.ID, given)
	if into, merged := p.Merged[id]; merged {
		id = into
	}
	_, known := p.State(id)
	return id, ok && known
}

func (c current) Option(f *tracker.Field, given string, _ bool) (tracker.OptionID, bool) {
	p := &c.definition.Project
	id, ok := model.ParseOptionID(p.Tenant, p.ID, f.ID, given)
	if into, merged := f.Merged[id]; merged {
		id = into
	}
	_, known := f.Option(id)
	return id, ok && known
}

// reader reads a view.
type reader struct {
	definition *tracker.Definition
	view       *tracker.View
	loaders    model.Reads
	out        *model.ViewContents
}

// Read returns what a view shows (W2, W3). loaders are those of its fields.
func Read(d *tracker.Definition, v *tracker.View, loaders model.Reads, types Types) *model.ViewContents {
	r := reader{d, v, loaders, &model.ViewContents{Columns: []*model.ViewColumn{},
		OrderBy: []*model.ViewOrder{}, GroupBy: []*model.ViewGrouping{}, Summaries: []*model.ViewSummary{},
		Problems: []*model.ViewProblem{}}}
	for i, c := range v.Columns {
		builtin, field, ok := r.column("columns"+index(i), c.Column)
		if !ok {
			continue
		}
		column := &model.ViewColumn{Builtin: builtin, Field: field}
		if c.Width > 0 {
			column.Width = new(int32(c.Width))
		}
		r.out.Columns = append(r.out.Columns, column)
	}
	r.filter(types)
	for i, o := range v.Order {
		r.order("orderBy"+index(i), o)
	}
	for i, g := range v.Groupings {
		r.grouping("groupBy"+index(i), g)
	}
	for i, s := range v.Summaries {
		r.summary("summaries"+index(i), s)
	}
	return r.out
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func (r *reader) problem(path, format string, args ...any) {
	r.out.Problems = append(r.out.Problems, &model.ViewProblem{Path: path,
		Message: fmt.Sprintf(format, args...)})
}

// missing reports a reference to something that no longer exists.
func (r *reader) missing(path string, what thing) {
	name := ""
	if known := r.view.Names[what.id]; known != "" {
		name = " " + strconv.Quote(known)
	}
	of := ""
	if what.of != nil {
		of = " of the custom field " + strconv.Quote(what.of.Name)
	}
	r.problem(path, "the %s%s%s no longer exists", what.kind, name, of)
}

// column returns a column of the view, or false if it no longer exists.
func (r *reader) column(path string, c tracker.Column) (*model.BuiltinColumn, *model.CustomField, bool) {
	if c.Builtin() {
		for builtin, column := range model.BuiltinColumns {
			if column == c {
				return &builtin, nil, true
			}
		}
	}
	f := r.definition.Field(c.Field())
	if f == nil {
		r.missing(path, thing{kind: customField, id: fieldID(r.definition, c)})
		return nil, nil, false
	}
	return nil, &model.CustomField{Field: f, Definition: r.definition, Loaders: r.loaders}, true
}

func (r *reader) order(path string, o tracker.ViewOrder) {
	builtin, field, ok := r.column(path, o.Column)
	if !ok {
		return
	}
	_, err := grid.NewOrderColumn(r.definition, o.Column, o.Descending, o.NullsFirst)
	if r.misfit(path, err) {
		return
	}
	order := &model.ViewOrder{Builtin: builtin, Field: field}
	order.Direction, order.Nulls = directions(o)
	r.out.OrderBy = append(r.out.OrderBy, order)
}

// misfit reports a part that no longer fits its column, if err says so. A column whose values are being
// converted has its parts again afterwards, so those are kept, and refused when they are used.
func (r *reader) misfit(path string, err error) bool {
	if err == nil || tracker.CodeOf(err) == tracker.Unavailable {
		return false
	}
	message := err.Error()
	if e, ok := errors.AsType[*tracker.Error](err); ok {
		message = e.Message
	}
	r.problem(path, "%s", message)
	return true
}

func directions(o tracker.ViewOrder) (model.OrderDirection, model.NullsOrder) {
	direction, nulls := model.OrderDirectionAsc, model.NullsOrderLast
	if o.Descending {
		direction = model.OrderDirectionDesc
	}
	if o.NullsFirst {
		nulls = model.NullsOrderFirst
	}
	return direction, nulls
}

func (r *reader) grouping(path string, g tracker.ViewGrouping) {
	builtin, field, ok := r.column(path, g.Column)
	if !ok {
		return
	}
	grouping := &model.ViewGrouping{Builtin: builtin, Field: field, FirstLetter: g.FirstLetter}
	grouping.Direction, grouping.Nulls = directions(g.ViewOrder)
	if g.Period != "" {
		grouping.Period = new(model.GroupPeriod(g.Period))
	}
	if g.Width != 0 {
		grouping.Width = &g.Width
	}
	_, err := groupBy(grouping).Grouping(r.definition, g.Column, time.UTC)
	if r.misfit(path, err) {
		return
	}
	r.out.GroupBy = append(r.out.GroupBy, grouping)
}

func (r *reader) summary(path string, s tracker.ViewSummary) {
	builtin, field, ok := r.column(path, s.Column)
	if !ok {
		return
	}
	part := model.SummaryPart(s.Part)
	// A later version of the server may have saved a part that this one does not have.
	p, known := model.SummaryParts[part]
	if !known || r.misfit(path, p.Check(r.definition, s.Column)) {
		return
	}
	r.out.Summaries = append(r.out.Summaries, &model.ViewSummary{Builtin: builtin, Field: field, Part: part})
}

func (r *reader) filter(types Types) {
	if r.view.Filter == "" {
		return
	}
	where, err := decode(r.view.Filter)
	if err != nil {
		r.problem("filter", "the filter cannot be read: a different version of the server has saved it")
		return
	}
	rewriting := rewriter{definition: r.definition, choices: current{r.definition}, types: types,
		missing: r.missing,
		misfit: func(path string, f *tracker.Field) {
			r.problem(path, "the custom field %q has the type %s now, which the comparison does not fit",
				f.Name, f.Type)
		}}
	if where = rewriting.issue("filter.", where); where == nil {
		return
	}
	text, err := encode(where)
	if err == nil && text != "" {
		r.out.Where, r.out.Filter = where, new(model.SavedFilter(text))
	}
}

// Orders returns the order of a view as the input of a grid.
func Orders(c *model.ViewContents) []*model.IssueOrder {
	out := make([]*model.IssueOrder, len(c.OrderBy))
	for i, o := range c.OrderBy {
		out[i] = &model.IssueOrder{Column: columnOf(o.Builtin, o.Field), Direction: &o.Direction,
			Nulls: &o.Nulls}
	}
	return out
}

// Groupings returns how a view is grouped as the input of Project.groups.
func Groupings(c *model.ViewContents) []*model.IssueGroupBy {
	out := make([]*model.IssueGroupBy, len(c.GroupBy))
	for i, g := range c.GroupBy {
		out[i] = groupBy(g)
	}
	return out
}

func groupBy(g *model.ViewGrouping) *model.IssueGroupBy {
	return &model.IssueGroupBy{Column: columnOf(g.Builtin, g.Field), Direction: &g.Direction, Nulls: &g.Nulls,
		Period: g.Period, Width: g.Width, FirstLetter: &g.FirstLetter}
}

func columnOf(builtin *model.BuiltinColumn, field *model.CustomField) *model.IssueColumn {
	column := &model.IssueColumn{Builtin: builtin}
	if field != nil {
		column.FieldID = new(field.ID())
	}
	return column
}
