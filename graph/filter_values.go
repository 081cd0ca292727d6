package graph

import (
	"slices"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/internal/relative"
	"issuegrid/tracker"
)

// compared returns the filter member name, which compares a column with operands. encode converts an operand.
// more has additional operators of the type.
func compared[T any](p *filterParser, name string, c tracker.Column, in *model.Compared[T],
	encode func(T) (filter.Operand, error), more ...filterMember) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		operators := append(equalities(p, c, in, encode), comparisons(c, encode, in)...)
		return p.comparison(append(append(operators, []filterMember{
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
		}...), more...)...)
	}}
}

// equalities returns the operators eq, neq, in and notIn. encode converts an operand.
func equalities[T any](p *filterParser, c tracker.Column, in *model.Compared[T],
	encode func(T) (filter.Operand, error)) []filterMember {
	anyOf := func(operands []T) (filter.Values, error) {
		encoded, err := each(p, operands, encode)
		if err != nil {
			return filter.Values{}, err
		}
		return filter.OneOf(encoded...), nil
	}
	return []filterMember{
		oneOperand("eq", c, in.Eq, encode, filter.Equal),
		oneOperand("neq", c, in.Neq, encode,
			func(v filter.Operand) filter.Values { return filter.Equal(v).Not() }),
		{"in", in.In != nil, countOf(in.In), func() (filter.Condition, error) {
			values, err := anyOf(in.In)
			return filter.In{Column: c, Values: values}, err
		}},
		{"notIn", in.NotIn != nil, countOf(in.NotIn), func() (filter.Condition, error) {
			values, err := anyOf(in.NotIn)
			return filter.In{Column: c, Values: values.Not()}, err
		}},
	}
}

// comparisons returns the operators for what is less or greater than an operand. encode converts it.
func comparisons[T any](c tracker.Column, encode func(T) (filter.Operand, error),
	in *model.Compared[T]) []filterMember {
	one := func(operator string, operand *T, than func(filter.Operand, bool) filter.Values,
		orEqual bool) filterMember {
		return oneOperand(operator, c, operand, encode, func(v filter.Operand) filter.Values {
			return than(v, orEqual)
		})
	}
	return []filterMember{
		one("lt", in.Lt, filter.Less, false),
		one("lte", in.Lte, filter.Less, true),
		one("gt", in.Gt, filter.Greater, false),
		one("gte", in.Gte, filter.Greater, true),
	}
}

// oneOperand returns an operator with one operand, which encode converts.
func oneOperand[T any](operator string, c tracker.Column, operand *T,
	encode func(T) (filter.Operand, error), values func(filter.Operand) filter.Values) filterMember {
	return filterMember{operator, operand != nil, 1, func() (filter.Condition, error) {
		v, err := encode(*operand)
		if err != nil {
			return nil, err
		}
		return filter.In{Column: c, Values: values(v)}, nil
	}}
}

// countOf returns the number of operands in a list, and 1 for an empty list.
func countOf[T any](operands []T) int { return max(1, len(operands)) }

// ofField returns the filter member name, which compares a custom field with operands. value converts an
// operand.
func ofField[T any](p *filterParser, name string, f *tracker.Field, in *model.Compared[T],
	value func(T) (tracker.Value, error)) filterMember {
	return compared(p, name, f.ID.Column(), in, operandOf(f, value))
}

// operandOf returns a function that converts an operand of a custom field. value converts it to a value.
func operandOf[T any](f *tracker.Field,
	value func(T) (tracker.Value, error)) func(T) (filter.Operand, error) {
	return func(operand T) (filter.Operand, error) {
		v, err := value(operand)
		if err != nil {
			return nil, err
		}
		return filter.Value(f, v)
	}
}

// dates returns the filter member name, which compares a field of dates.
func (p *filterParser) dates(name string, f *tracker.Field, in *model.DateFilter) filterMember {
	if in == nil {
		return filterMember{}
	}
	encode := operandOf(f, plain(func(d model.Date) tracker.Value { return tracker.Text(string(d)) }))
	return compared(p, name, f.ID.Column(), &in.Compared, encode,
		relativeTo(p, f.ID.Column(), in.Relative, p.walk.date, encode))
}

// times returns the filter member name, which compares a field of times.
func (p *filterParser) times(name string, f *tracker.Field, in *model.DateTimeFilter) filterMember {
	return p.instants(name, f.ID.Column(), in,
		operandOf(f, plain(func(t model.DateTime) tracker.Value { return tracker.Text(string(t)) })))
}

// instants returns the filter member name, which compares a column of times. encode converts one.
func (p *filterParser) instants(name string, c tracker.Column, in *model.DateTimeFilter,
	encode func(model.DateTime) (filter.Operand, error)) filterMember {
	if in == nil {
		return filterMember{}
	}
	return compared(p, name, c, &in.Compared, encode, relativeTo(p, c, in.Relative, p.walk.dateTime, encode))
}

// builtinTime converts an operand of a built-in column of times.
func builtinTime(t model.DateTime) (filter.Operand, error) { return filter.Time(string(t)) }

// plain adapts a conversion that cannot fail.
func plain[T any](value func(T) tracker.Value) func(T) (tracker.Value, error) {
	return func(operand T) (tracker.Value, error) { return value(operand), nil }
}

// text returns the filter member name, which compares the strings of a column. more has additional operators.
func (p *filterParser) text(name string, c tracker.Column, in *model.TextFilter,
	more ...filterMember) filterMember {
	if in == nil {
		return filterMember{}
	}
	return compared(p, name, c, &in.Compared, p.operands.Text, append(more,
		filterMember{"is", in.Is != nil, 1, func() (filter.Condition, error) {
			return p.operands.Is(c, *in.Is)
		}},
		filterMember{"startsWith", in.StartsWith != nil, 1, func() (filter.Condition, error) {
			return p.operands.StartsWith(c, *in.StartsWith)
		}},
		filterMember{"contains", in.Contains != nil, 1, func() (filter.Condition, error) {
			return p.operands.Contains(c, *in.Contains)
		}},
	)...)
}

// option returns the filter member name, which compares a column of states or options. byName and byID
// convert an operand.
func (p *filterParser) option(name string, c tracker.Column, in *model.OptionFilter,
	byName, byID func(string) (filter.Operand, error)) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		named := equalities(p, c, &model.Compared[string]{Eq: in.Eq, Neq: in.Neq, In: in.In, NotIn: in.NotIn},
			byName)
		identified := equalities(p, c, &model.Compared[string]{Eq: in.EqID, Neq: in.NeqID, In: in.InIds,
			NotIn: in.NotInIds}, byID)
		return p.comparison(append(eitherOf(named, identified, "eqId", "neqId", "inIds", "notInIds"),
			isNull(c, in.IsNull))...)
	}}
}

// eitherOf returns the operators named, and those identified by the names ids. An operator can be given by
// names or by ids, not by both.
func eitherOf(named, identified []filterMember, ids ...string) []filterMember {
	out := slices.Clone(named)
	for i, m := range identified {
		m.name = ids[i]
		if by := named[i]; by.given {
			m.parse = func() (filter.Condition, error) {
				return nil, tracker.Bad("", "give either `%s` or `%s`, not both", by.name, m.name)
			}
		}
		out = append(out, m)
	}
	return out
}

// tags returns the filter member name, which tests the tags of a field.
func (p *filterParser) tags(name string, f *tracker.Field, in *model.TagSetFilter) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		return p.comparison(append(p.members(*in, p.hasMember(f, plain(tracker.Text))),
			isNull(f.ID.Column(), in.IsNull))...)
	}}
}

// options returns the filter member name, which tests the options of a field.
func (p *filterParser) options(name string, f *tracker.Field, in *model.OptionSetFilter) filterMember {
	return filterMember{name, in != nil, 0, func() (filter.Condition, error) {
		named := p.members(model.TagSetFilter{HasAny: in.HasAny, HasAll: in.HasAll, HasNone: in.HasNone},
			p.hasMember(f, p.optionValue(f, p.optionNamed)))
		identified := p.members(model.TagSetFilter{HasAny: in.HasAnyIds, HasAll: in.HasAllIds,
			HasNone: in.HasNoneIds}, p.hasMember(f, p.optionValue(f, p.choices.option)))
		return p.comparison(append(eitherOf(named, identified, "hasAnyIds", "hasAllIds", "hasNoneIds"),
			isNull(f.ID.Column(), in.IsNull))...)
	}}
}

// hasMember returns a function that converts a member of the sets of a field to the condition that a set has
// it. value converts it to a value.
func (p *filterParser) hasMember(f *tracker.Field, value func(string) (tracker.Value, error)) func(string) (
	filter.Condition, error) {
	return func(member string) (filter.Condition, error) {
		v, err := value(member)
		if err != nil {
			return nil, err
		}
		return p.operands.HasMember(f, v.Text())
	}
}

// members returns the operators that test sets for members. condition converts a member to the condition that
// a set has it.
func (p *filterParser) members(in model.TagSetFilter,
	condition func(string) (filter.Condition, error)) []filterMember {
	has := func(members []string) ([]filter.Condition, error) { return each(p, members, condition) }
	return []filterMember{
		{"hasAny", in.HasAny != nil, countOf(in.HasAny), func() (filter.Condition, error) {
			members, err := has(in.HasAny)
			return filter.Or(members), err
		}},
		{"hasAll", in.HasAll != nil, countOf(in.HasAll), func() (filter.Condition, error) {
			members, err := has(in.HasAll)
			return filter.And(members), err
		}},
		{"hasNone", in.HasNone != nil, countOf(in.HasNone), func() (filter.Condition, error) {
			members, err := has(in.HasNone)
			if err != nil {
				return nil, err
			}
			return filter.Negate(filter.Or(members)), nil
		}},
	}
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

var relativeBases = map[model.RelativeTimeBase]relative.Base{
	model.RelativeTimeBaseNow:            relative.Now,
	model.RelativeTimeBaseStartOfDay:     relative.StartOfDay,
	model.RelativeTimeBaseStartOfWeek:    relative.StartOfWeek,
	model.RelativeTimeBaseStartOfMonth:   relative.StartOfMonth,
	model.RelativeTimeBaseStartOfQuarter: relative.StartOfQuarter,
	model.RelativeTimeBaseStartOfYear:    relative.StartOfYear,
}

var timeUnits = map[model.TimeUnit]relative.Unit{
	model.TimeUnitMinute:  relative.Minute,
	model.TimeUnitHour:    relative.Hour,
	model.TimeUnitDay:     relative.Day,
	model.TimeUnitWeek:    relative.Week,
	model.TimeUnitMonth:   relative.Month,
	model.TimeUnitQuarter: relative.Quarter,
	model.TimeUnitYear:    relative.Year,
}

// date returns a relative time as a calendar date.
func (w *walk) date(t relative.Time) (model.Date, error) {
	d, err := t.Date(w.now)
	return model.Date(d), err
}

// dateTime returns a relative time as an instant.
func (w *walk) dateTime(t relative.Time) (model.DateTime, error) {
	at, err := t.Instant(w.now)
	if err != nil {
		return "", err
	}
	return model.DateTime(tracker.FormatDateTime(at.UTC())), nil
}

// relativeTo returns the filter member relative, which compares a column with relative times. absolute
// converts one to an operand of the column's type, and encode encodes that.
func relativeTo[T any](p *filterParser, c tracker.Column, in *model.RelativeTimeFilter,
	absolute func(relative.Time) (T, error), encode func(T) (filter.Operand, error)) filterMember {
	operand := func(t model.RelativeTime) (filter.Operand, error) {
		p.walk.used = true
		at, err := absolute(relative.Time{Base: relativeBases[t.Base], Offset: int(model.Or(t.Offset, 0)),
			Unit: timeUnits[model.Or(t.Unit, model.TimeUnitDay)]})
		if err != nil {
			return nil, err
		}
		return encode(at)
	}
	return filterMember{"relative", in != nil, 0, func() (filter.Condition, error) {
		return p.comparison(append([]filterMember{oneOperand("eq", c, in.Eq, operand, filter.Equal)},
			comparisons(c, operand, &model.Compared[model.RelativeTime]{Lt: in.Lt, Lte: in.Lte, Gt: in.Gt,
				Gte: in.Gte})...)...)
	}}
}
