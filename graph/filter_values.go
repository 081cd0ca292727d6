package graph

import (
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// compared is a member that compares the values of a column with operands, which encode makes. More are
// operators that only some types have.
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
			encoded, err := each(operands, encode)
			if err != nil {
				return filter.Values{}, err
			}
			return filter.OneOf(encoded...), nil
		}
		return p.all(append([]filterMember{
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
				if err != nil {
					return nil, tracker.At("from", err)
				}
				to, err := encode(in.Between.To)
				if err != nil {
					return nil, tracker.At("to", err)
				}
				return filter.In{Column: c, Values: filter.Greater(from, true).And(filter.Less(to, true))},
					nil
			}},
			isNull(c, in.IsNull),
		}, more...)...)
	}}
}

// countOf counts the members of a list, and an empty list as one, so that nothing comes for free.
func countOf[T any](operands []T) int { return max(1, len(operands)) }

// ofField compares the values of a custom field with those that value makes of operands.
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

// plain makes values of operands that are what they say.
func plain[T any](value func(T) tracker.Value) func(T) (tracker.Value, error) {
	return func(operand T) (tracker.Value, error) { return value(operand), nil }
}

// text compares the texts of a column.
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

// set looks for members, which value makes of operands, in the sets of a field.
func (p *filterParser) set(name string, f *tracker.Field, in *model.SetFilter,
	value func(string) (tracker.Value, error)) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		has := func(members []string) ([]filter.Condition, error) {
			return each(members, func(member string) (filter.Condition, error) {
				v, err := value(member)
				if err != nil {
					return nil, err
				}
				return p.operands.HasMember(f, v.Text())
			})
		}
		return p.all(
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
				return filter.Negate(filter.Or(members)), err
			}},
			isNull(f.ID.Column(), in.IsNull),
		)
	}}
}

// isNull tells rows without a value from those with one.
func isNull(c tracker.Column, in *bool) filterMember {
	return filterMember{"isNull", in != nil, 1, func() (filter.Condition, error) {
		values := filter.Any()
		if *in {
			values = filter.NoValue()
		}
		return filter.In{Column: c, Values: values}, nil
	}}
}

// each makes something of every member of a list. The path of an error begins with the member's index.
func each[T, U any](list []T, parse func(T) (U, error)) ([]U, error) {
	out := make([]U, len(list))
	for i := range list {
		var err error
		if out[i], err = parse(list[i]); err != nil {
			return nil, tracker.At(index(i), err)
		}
	}
	return out, nil
}
