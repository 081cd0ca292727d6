package graph_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// filtered is the definition of a project with a field of every type, whose ID is the type's name in lower
// case.
var filtered = func() *tracker.Definition {
	p := tracker.Project{ID: "p", Tenant: "t", Key: "P",
		States: []tracker.State{{ID: "new", Name: "new"}, {ID: "open", Name: "open"},
			{ID: "done", Name: "done"}}}
	var fields []*tracker.Field
	for _, kind := range tracker.FieldTypes {
		f := &tracker.Field{ID: idOf(kind), Name: string(kind), Type: kind, Required: true}
		if kind.HasOptions() {
			f.Options = []tracker.Option{{ID: "o1", Name: "1"}, {ID: "o2", Name: "2"}, {ID: "o3", Name: "3"}}
		}
		fields = append(fields, f)
	}
	return tracker.NewDefinition(p, fields)
}()

func idOf(kind tracker.FieldType) tracker.FieldID {
	return tracker.FieldID(strings.ReplaceAll(strings.ToLower(string(kind)), "_", ""))
}

// columnOf returns the column of the field of a type.
func columnOf(kind tracker.FieldType) tracker.Column { return idOf(kind).Column() }

// stateOf and optionOf return the opaque IDs of a state and of an option of the field of a type.
func stateOf(s tracker.OptionID) string { return model.StateID("t", "p", s) }

func optionOf(kind tracker.FieldType, o tracker.OptionID) string {
	return model.OptionID("t", "p", idOf(kind), o)
}

// onField returns a filter on the field of a type.
func onField(kind tracker.FieldType, f model.CustomFieldFilter) *model.IssueFilter {
	f.Field = model.FieldNodeID("t", "p", idOf(kind))
	return &model.IssueFilter{Fields: []*model.CustomFieldFilter{&f}}
}

// parse is a filter, the expected condition, and the issues that match it.
type parse struct {
	name  string
	in    *model.IssueFilter
	want  filter.Condition
	meets string
}

// ordered is a column with values that are ordered, or that can only be compared for equality.
type ordered[T any] struct {
	name   string
	column tracker.Column
	values [3]T // in ascending order; the values of issues a, b and c; issue - has none
	filter func(model.Compared[T]) *model.IssueFilter
	encode func(T) sortkey.Value
	give   func(*tracker.Issue, T)
	choice bool // the values have no order
	always bool // every issue has a value
}

// ofField returns the column of a field.
func ofField[T any](kind tracker.FieldType, values [3]T,
	member func(model.Compared[T]) model.CustomFieldFilter, encode func(T) sortkey.Value,
	value func(T) tracker.Value) ordered[T] {
	return ordered[T]{string(kind), columnOf(kind), values,
		func(c model.Compared[T]) *model.IssueFilter { return onField(kind, member(c)) }, encode,
		func(i *tracker.Issue, v T) { i.Values[idOf(kind)] = value(v) }, false, false}
}

// check parses a filter for every operator.
func (o ordered[T]) check(t *testing.T) {
	a, b, c := o.values[0], o.values[1], o.values[2]
	enc := o.encode
	equal := func(v T) filter.Values { return filter.Equal(enc(v)) }
	range_ := func(from, to T) filter.Values {
		return filter.Greater(enc(from), true).And(filter.Less(enc(to), true))
	}
	type operator struct {
		name  string
		in    model.Compared[T]
		want  filter.Values
		meets string
	}
	operators := []operator{
		{"eq", model.Compared[T]{Eq: &b}, equal(b), "b"},
		{"neq", model.Compared[T]{Neq: &b}, equal(b).Not(), "ac-"},
		{"in", model.Compared[T]{In: []T{c, a, c}}, equal(a).Or(equal(c)), "ac"},
		{"in an empty list", model.Compared[T]{In: []T{}}, filter.Values{}, ""},
		{"notIn", model.Compared[T]{NotIn: []T{c, a}}, equal(a).Or(equal(c)).Not(), "b-"},
		{"notIn an empty list", model.Compared[T]{NotIn: []T{}},
			filter.Values{Ranges: []filter.Range{{}}, None: true}, "abc-"},
		{"isNull", model.Compared[T]{IsNull: new(true)}, filter.NoValue(), "-"},
		{"not isNull", model.Compared[T]{IsNull: new(false)}, filter.Any(), "abc"},
	}
	if !o.choice {
		operators = append(operators, []operator{
			{"lt", model.Compared[T]{Lt: &b}, filter.Less(enc(b), false), "a"},
			{"lte", model.Compared[T]{Lte: &b}, filter.Less(enc(b), true), "ab"},
			{"gt", model.Compared[T]{Gt: &b}, filter.Greater(enc(b), false), "c"},
			{"gte", model.Compared[T]{Gte: &b}, filter.Greater(enc(b), true), "bc"},
			{"between", model.Compared[T]{Between: &model.Range[T]{From: a, To: b}}, range_(a, b), "ab"},
			{"between one", model.Compared[T]{Between: &model.Range[T]{From: b, To: b}}, equal(b), "b"},
			{"between, from after to", model.Compared[T]{Between: &model.Range[T]{From: c, To: b}},
				filter.Values{}, ""},
		}...)
	}
	var cases []parse
	for _, op := range operators {
		cases = append(cases, parse{o.name + " " + op.name, o.filter(op.in),
			o.wrapped(filter.In{Column: o.column, Values: op.want}), op.meets})
	}
	cases = append(cases,
		parse{o.name + " of all operators",
			o.filter(model.Compared[T]{Eq: &b, Neq: &a, In: []T{b}, NotIn: []T{a}, IsNull: new(false)}),
			o.wrapped(filter.And{
				filter.In{Column: o.column, Values: equal(b)},
				filter.In{Column: o.column, Values: equal(a).Not()},
				filter.In{Column: o.column, Values: equal(b)},
				filter.In{Column: o.column, Values: equal(a).Not()},
				filter.In{Column: o.column, Values: filter.Any()}}), "b"})
	if !o.choice {
		cases = append(cases, parse{o.name + " of all bounds",
			o.filter(model.Compared[T]{Lt: &c, Lte: &c, Gt: &a, Gte: &a,
				Between: &model.Range[T]{From: a, To: c}}), o.wrapped(filter.And{
				filter.In{Column: o.column, Values: filter.Less(enc(c), false)},
				filter.In{Column: o.column, Values: filter.Less(enc(c), true)},
				filter.In{Column: o.column, Values: filter.Greater(enc(a), false)},
				filter.In{Column: o.column, Values: filter.Greater(enc(a), true)},
				filter.In{Column: o.column, Values: range_(a, c)}}), "b"})
	}
	issues := map[string]*tracker.Issue{}
	for i, name := range []string{"a", "b", "c"} {
		issues[name] = newIssue()
		o.give(issues[name], o.values[i])
	}
	if !o.always {
		issues["-"] = newIssue()
	}
	parses(t, cases, issues)
}

// wrapped returns a condition in the form that the parsed filter has: a condition on a field is in a list.
func (o ordered[T]) wrapped(c filter.Condition) filter.Condition {
	if o.column.Builtin() {
		return c
	}
	return filter.And{c}
}

func newIssue() *tracker.Issue {
	return &tracker.Issue{State: "new", Values: map[tracker.FieldID]tracker.Value{}}
}

// parses checks the conditions of filters and the issues that match them.
func parses(t *testing.T, cases []parse, issues map[string]*tracker.Issue) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := graph.ParseFilter(filtered, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("condition (-want +got):\n%s", diff)
			}
			for name, i := range issues {
				subject := filter.NewMatcher(filtered, got).Subject(i)
				truth, err := subject.Meets(got)
				if err != nil {
					t.Fatal(err)
				}
				if met := truth == filter.Yes; met != strings.Contains(c.meets, name) {
					t.Errorf("%s matches: %t", name, met)
				}
			}
		})
	}
}

// as returns a filter on choices with its IDs mapped by id.
func as(c model.Compared[string], id func(string) string) model.Compared[string] {
	one := func(operand *string) *string {
		if operand == nil {
			return nil
		}
		return new(id(*operand))
	}
	several := func(operands []string) []string {
		if operands == nil {
			return nil
		}
		out := make([]string, len(operands))
		for i := range operands {
			out[i] = id(operands[i])
		}
		return out
	}
	return model.Compared[string]{Eq: one(c.Eq), Neq: one(c.Neq), In: several(c.In), NotIn: several(c.NotIn),
		IsNull: c.IsNull}
}
