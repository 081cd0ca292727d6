package graph

import (
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// filterParser converts a filter to a condition and checks its limits.
type filterParser struct {
	definition *tracker.Definition
	operands   *filter.Operands // shared by all filters of the operation
	terms      int
}

// parseFilter converts a filter to a condition; nil if there is no filter. Errors are BadInput, with paths
// relative to the filter.
func parseFilter(o *filter.Operands, d *tracker.Definition, in *model.IssueFilter) (filter.Condition, error) {
	if in == nil {
		return nil, nil
	}
	p := filterParser{definition: d, operands: o}
	return p.issue(in, 0)
}

// filterMember is a member of a filter input.
type filterMember struct {
	name  string
	given bool
	terms int // comparisons that it counts as, without those nested in it
	parse func() (filter.Condition, error)
}

// all returns the conjunction of the given members.
func (p *filterParser) all(members ...filterMember) (filter.Condition, error) {
	out := filter.And{}
	for _, m := range members {
		if !m.given {
			continue
		}
		if p.terms += m.terms; p.terms > filter.MaxTerms {
			return nil, tracker.Bad(m.name,
				"with this the filter has %d comparisons, counting each member of a list; the limit is %d",
				p.terms, filter.MaxTerms)
		}
		if err := p.operands.Count(m.terms); err != nil {
			return nil, tracker.At(m.name, err)
		}
		c, err := m.parse()
		if err != nil {
			return nil, tracker.At(m.name, err)
		}
		out = append(out, c)
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

// issue converts a filter that is nested in depth others.
func (p *filterParser) issue(in *model.IssueFilter, depth int) (filter.Condition, error) {
	if depth > filter.MaxDepth {
		return nil, tracker.Bad("", "this is nested in %d levels of `and`, `or` and `not`; the limit is %d",
			depth, filter.MaxDepth)
	}
	list := func(filters []*model.IssueFilter) ([]filter.Condition, error) {
		return each(filters, func(f *model.IssueFilter) (filter.Condition, error) {
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
		compared(p, "state", tracker.ColumnState, in.State, func(id string) (filter.Operand, error) {
			state, err := parseState(&p.definition.Project, id)
			if err != nil {
				return nil, err
			}
			return filter.State(&p.definition.Project, state)
		}),
		p.text("description", tracker.ColumnDescription, in.Description),
		compared(p, "createdAt", tracker.ColumnCreated, in.CreatedAt, instant),
		compared(p, "updatedAt", tracker.ColumnUpdated, in.UpdatedAt, instant),
		filterMember{"fields", in.Fields != nil, 0, func() (filter.Condition, error) {
			members, err := each(in.Fields, p.field)
			return filter.And(members), err
		}},
	)
}

func instant(t model.DateTime) (filter.Operand, error) { return filter.Time(string(t)) }

// field converts a filter of a custom field. Exactly one member must be given, and it must fit the type of
// the field.
func (p *filterParser) field(in *model.CustomFieldFilter) (filter.Condition, error) {
	f, err := givenField(p.definition, "field", in.Field)
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
		return nil, tracker.Bad("", "give exactly one of the members of CustomFieldFilter besides `field`; "+
			"%d are given", len(given))
	}
	if name, fits := given[0].name, fieldTypes[f.Type].member; name != fits && name != "isNull" {
		return nil, tracker.Bad(name, "the field %q is of type %s and takes `%s` or `isNull`", f.Name, f.Type,
			fits)
	}
	return p.all(given...)
}
