package graph

import (
	"context"
	"slices"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// filterParser converts a filter to a condition and checks its limits.
type filterParser struct {
	choices
	operands *filter.Operands // shared by all filters of the operation
	walk     *walk
	users    map[tracker.UserID]*tracker.User // that the filter compares USER fields with
	terms    int
	exceeded bool // a limit; the rest of the filter is not examined
}

// maxFilterErrors is the maximum number of errors of one list, so that a long list of invalid members costs
// little.
const maxFilterErrors = 20

// stopped reports whether a limit was exceeded.
func (p *filterParser) stopped() bool { return p.exceeded || p.operands.Exceeded() }

// parseFilter converts the conjunction of filters, of which each may be nil, to a condition; nil if there is
// none. Together they have the limits of one filter. Errors are BadInput, with paths relative to a filter.
func parseFilter(ctx context.Context, d *tracker.Definition, w *walk, filters ...*model.IssueFilter) (
	filter.Condition, error) {
	users, err := usersOf(ctx, d.Project.Tenant, filters)
	if err != nil {
		return nil, err
	}
	p := filterParser{choices: choicesOf(ctx, d), operands: &session(ctx).operands, walk: w,
		users: users}
	return p.conjunction(filters)
}

// conjunction converts the conjunction of filters.
func (p *filterParser) conjunction(filters []*model.IssueFilter) (filter.Condition, error) {
	var out filter.Condition
	for _, in := range filters {
		if in == nil {
			continue
		}
		c, err := p.issue(in, 0)
		if err != nil {
			return nil, err
		}
		out = filter.Both(out, c)
	}
	return out, nil
}

// filterMember is a member of a filter input.
type filterMember struct {
	name  string
	given bool
	terms int // comparisons that it counts as, without those nested in it
	parse func() (filter.Condition, error)
}

// all returns the conjunction of the given members. It reports all invalid ones.
func (p *filterParser) all(members ...filterMember) (filter.Condition, error) {
	out := filter.And{}
	var wrong []error
	for _, m := range members {
		if !m.given || p.stopped() {
			continue
		}
		if p.terms += m.terms; p.terms > filter.MaxTerms {
			p.exceeded = true
			return nil, tracker.Bad(m.name,
				"with this the filter has %d comparisons, counting each member of a list; the limit is %d",
				p.terms, filter.MaxTerms)
		}
		if err := p.operands.Count(m.terms); err != nil {
			p.exceeded = true
			return nil, tracker.At(m.name, err)
		}
		c, err := m.parse()
		if err != nil {
			wrong = append(wrong, tracker.At(m.name, err))
		}
		out = append(out, c)
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, err
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

// comparison returns the conjunction of the given operators of a comparison, of which there must be at least
// one: a comparison without one is rather a variable without a value than a condition that always holds.
func (p *filterParser) comparison(operators ...filterMember) (filter.Condition, error) {
	if !slices.ContainsFunc(operators, func(m filterMember) bool { return m.given }) {
		return nil, tracker.Bad("", "a comparison must have at least one operator, such as `%s`; null is "+
			"none", operators[0].name)
	}
	return p.all(operators...)
}

// issue converts a filter that is nested in depth others.
func (p *filterParser) issue(in *model.IssueFilter, depth int) (filter.Condition, error) {
	if depth > filter.MaxDepth {
		return nil, tracker.Bad("", "this is nested in %d levels of `and`, `or` and `not`; the limit is %d",
			depth, filter.MaxDepth)
	}
	list := func(filters []*model.IssueFilter) ([]filter.Condition, error) {
		return each(p, filters, func(f *model.IssueFilter) (filter.Condition, error) {
			return p.issue(f, depth+1)
		})
	}
	return p.all(
		filterMember{"and", in.And != nil, 0, func() (filter.Condition, error) {
			members, err := list(in.And)
			return filter.And(members), err
		}},
		filterMember{"or", in.Or != nil, 0, func() (filter.Condition, error) {
			members, err := list(in.Or)
			return filter.Or(members), err
		}},
		filterMember{"not", in.Not != nil, 0, func() (filter.Condition, error) {
			c, err := p.issue(in.Not, depth+1)
			if err != nil {
				return nil, err
			}
			return filter.Negate(c), nil
		}},
		compared(p, "num", tracker.ColumnNum, in.Num, func(n int32) (filter.Operand, error) {
			return filter.Num(int64(n)), nil
		}),
		p.text("name", tracker.ColumnName, in.Name),
		p.option("state", tracker.ColumnState, in.State, p.stateOperand(p.stateNamed),
			p.stateOperand(p.state)),
		p.open(in.Open),
		p.text("description", tracker.ColumnDescription, in.Description),
		p.instants("createdAt", tracker.ColumnCreated, in.CreatedAt, builtinTime),
		p.instants("updatedAt", tracker.ColumnUpdated, in.UpdatedAt, builtinTime),
		p.userColumn("createdBy", tracker.ColumnCreatedBy, tracker.ColumnAuthor, in.CreatedBy),
		p.userColumn("updatedBy", tracker.ColumnUpdatedBy, tracker.ColumnEditor, in.UpdatedBy),
		p.participants("assignees", tracker.ColumnAssignees, in.Assignees),
		p.participants("watchers", tracker.ColumnWatchers, in.Watchers),
		filterMember{"fields", in.Fields != nil, 0, func() (filter.Condition, error) {
			members, err := each(p, in.Fields, p.field)
			return filter.And(members), err
		}},
	)
}

// stateOperand returns a function that converts a reference to a state to an operand.
func (p *filterParser) stateOperand(
	find func(string) (tracker.OptionID, error)) func(string) (filter.Operand, error) {
	return func(given string) (filter.Operand, error) {
		state, err := find(given)
		if err != nil {
			return nil, err
		}
		return filter.State(&p.definition.Project, state)
	}
}

// open returns the filter member that selects issues in open states, or in the others.
func (p *filterParser) open(open *bool) filterMember {
	var states []tracker.OptionID
	project := &p.definition.Project
	for _, s := range project.States {
		if open != nil && s.Open == *open {
			states = append(states, s.ID)
		}
	}
	// It is one comparison of the filter, so that a filter that was saved stays valid when states are added.
	// Of the operation, it is one for each state.
	return filterMember{"open", open != nil, 1, func() (filter.Condition, error) {
		if err := p.operands.Count(max(1, len(states)) - 1); err != nil {
			p.exceeded = true
			return nil, err
		}
		operands, err := each(p, states, func(id tracker.OptionID) (filter.Operand, error) {
			return filter.State(project, id)
		})
		return filter.In{Column: tracker.ColumnState, Values: filter.OneOf(operands...)}, err
	}}
}

// field converts a filter of a custom field. Exactly one member must be given, and it must fit the type of
// the field.
func (p *filterParser) field(in *model.CustomFieldFilter) (filter.Condition, error) {
	f, err := givenField(p.definition, "fieldId", in.FieldID)
	if err != nil {
		return nil, err
	}
	var given []filterMember
	for _, m := range p.filters(f, in) {
		if m.given {
			given = append(given, m)
		}
	}
	if len(given) != 1 {
		return nil, tracker.Bad("",
			"give exactly one of the members of CustomFieldFilter besides `fieldId`; "+
				"%d are given", len(given))
	}
	if name, fits := given[0].name, model.ValueTypes[f.Type].Member; name != fits && name != "isNull" {
		return nil, tracker.Bad(name, "the field %q is of type %s and takes `%s` or `isNull`", f.Name, f.Type,
			fits).MayBeOutdated()
	}
	return p.all(given...)
}
