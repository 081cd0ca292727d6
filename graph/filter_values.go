package graph

import (
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// compared returns the filter member name, which compares a column with operands. encode converts an operand.
// more has additional operators of the type.
func compared[T any](p *filterParser, name string, c tracker.Column, in *model.Compared[T],
	encode func(T) (filter.Operand, error), more ...filterMember) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		one := func(operator string, operand *T, values func(filter.Operand) filter.Values) filterMember {
			return filterMember{operator, operand != nil, 1, func() (filter.Condition, error) {
				v, err := encode(*operand)
				if err != nil {
					return nil, err
				}
				return filter.In{Column: c, Values: values(v)}, nil
			}}
		}
		anyOf := func(operands []T) (filter.Values, error) {
			encoded, err := each(p, operands, encode)
			if err != nil {
				return filter.Values{}, err
			}
			return filter.OneOf(encoded...), nil
		}
		return p.comparison(append([]filterMember{
			one("eq", in.Eq, filter.Equal),
			one("neq", in.Neq, func(v filter.Operand) filter.Values { return filter.Equal(v).Not() }),
			{"in", in.In != nil, countOf(in.In), func() (filter.Condition, error) {
				values, err := anyOf(in.In)
				return filter.In{Column: c, Values: values}, err
			}},
			{"notIn", in.NotIn != nil, countOf(in.NotIn), func() (filter.Condition, error) {
				values, err := anyOf(in.NotIn)
				return filter.In{Column: c, Values: values.Not()}, err
			}},
			one("lt", in.Lt, func(v filter.Operand) filter.Values { return filter.Less(v, false) }),
			one("lte", in.Lte, func(v filter.Operand) filter.Values { return filter.Less(v, true) }),
			one("gt", in.Gt, func(v filter.Operand) filter.Values { return filter.Greater(v, false) }),
			one("gte", in.Gte, func(v filter.Operand) filter.Values { return filter.Greater(v, true) }),
			{"between", in.Between != nil, 1, func() (filter.Condition, error) {
				from, err := encode(in.Between.From)
				to, toErr := encode(in.Between.To)
				if err := tracker.Join(tracker.At("from", err), tracker.At("to", toErr)); err != nil {
					return nil, err
				}
				return filter.In{Column: c, Values: filter.Greater(from, true).And(filter.Less(to, true))},
					nil
			}},
			isNull(c, in.IsNull),
		}, more...)...)
	}}
}

// countOf returns the number of operands in a list, and 1 for an empty list.
func countOf[T any](operands []T) int { return max(1, len(operands)) }

// ofField returns the filter member name, which compares a custom field with operands. value converts an
// operand.
func ofField[T any](p *filterParser, name string, f *tracker.Field, in *model.Compared[T],
	value func(T) (tracker.Value, error)) filterMember {
	return compared(p, name, f.ID.Column(), in, func(operand T) (filter.Operand, error) {
		v, err := value(operand)
		if err != nil {
			return nil, err
		}
		return filter.Value(f, v)
	})
}

// plain adapts a conversion that cannot fail.
func plain[T any](value func(T) tracker.Value) func(T) (tracker.Value, error) {
	return func(operand T) (tracker.Value, error) { return value(operand), nil }
}

// text returns the filter member name, which compares the strings of a column.
func (p *filterParser) text(name string, c tracker.Column, in *model.TextFilter) filterMember {
	if in == nil {
		return filterMember{}
	}
	return compared(p, name, c, &in.Compared, p.operands.Text,
		filterMember{"startsWith", in.StartsWith != nil, 1, func() (filter.Condition, error) {
			return p.operands.StartsWith(c, *in.StartsWith)
		}},
		filterMember{"contains", in.Contains != nil, 1, func() (filter.Condition, error) {
			return p.operands.Contains(c, *in.Contains)
		}},
	)
}

// set returns the filter member name, which tests the sets of a field for members. value converts a member.
func (p *filterParser) set(name string, f *tracker.Field, in *model.SetFilter,
	value func(string) (tracker.Value, error)) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		has := func(members []string) ([]filter.Condition, error) {
			return each(p, members, func(member string) (filter.Condition, error) {
				v, err := value(member)
				if err != nil {
					return nil, err
				}
				return p.operands.HasMember(f, v.Text())
			})
		}
		return p.comparison(
			filterMember{"hasAny", in.HasAny != nil, countOf(in.HasAny), func() (filter.Condition, error) {
				members, err := has(in.HasAny)
				return filter.Or(members), err
			}},
			filterMember{"hasAll", in.HasAll != nil, countOf(in.HasAll), func() (filter.Condition, error) {
				members, err := has(in.HasAll)
				return filter.And(members), err
			}},
			filterMember{"hasNone", in.HasNone != nil, countOf(in.HasNone), func() (filter.Condition, error) {
				members, err := has(in.HasNone)
				if err != nil {
					return nil, err
				}
				return filter.Negate(filter.Or(members)), nil
			}},
			isNull(f.ID.Column(), in.IsNull),
		)
	}}
}

// isNull returns the filter member that selects rows without a value, or rows with one.
func isNull(c tracker.Column, in *bool) filterMember {
	return filterMember{"isNull", in != nil, 1, func() (filter.Condition, error) {
		values := filter.Any()
		if *in {
			values = filter.NoValue()
		}
		return filter.In{Column: c, Values: values}, nil
	}}
}

// each converts every member of a list with parse. It reports all invalid members; the path of an error
// begins with the index of the member. It stops at a limit.
func each[T, U any](p *filterParser, list []T, parse func(T) (U, error)) ([]U, error) {
	out := make([]U, len(list))
	var wrong []error
	for i := range list {
		if len(wrong) == maxFilterErrors || p.stopped() {
			break
		}
		var err error
		if out[i], err = parse(list[i]); err != nil {
			wrong = append(wrong, tracker.At(index(i), err))
		}
	}
	return out, tracker.Join(wrong...)
}
