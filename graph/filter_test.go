package graph_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// filtered is a project with a field of every type, whose id is the type's name in lower case.
var filtered = func() *tracker.Definition {
	p := tracker.Project{ID: "p", Tenant: "t", Key: "P", States: []tracker.State{{ID: "new", Name: "new"}, {ID: "open", Name: "open"}, {ID: "done", Name: "done"}}}
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

// columnOf is the column of the field of a type.
func columnOf(kind tracker.FieldType) tracker.Column { return idOf(kind).Column() }

// stateOf and optionOf are the ids that clients have of its states and of the options of the field of a type.
func stateOf(s tracker.OptionID) string { return model.StateID("t", "p", s) }

func optionOf(kind tracker.FieldType, o tracker.OptionID) string {
	return model.OptionID("t", "p", idOf(kind), o)
}

// onField is a filter of the field of a type.
func onField(kind tracker.FieldType, f model.CustomFieldFilter) *model.IssueFilter {
	f.Field = model.FieldNodeID("t", "p", idOf(kind))
	return &model.IssueFilter{Fields: []*model.CustomFieldFilter{&f}}
}

// parse is one filter, the condition that it must become, and which of some issues meet it.
type parse struct {
	name  string
	in    *model.IssueFilter
	want  filter.Condition
	meets string
}

// ordered is a column of an ordered type, or of one that only knows the same from others.
type ordered[T any] struct {
	name   string
	column tracker.Column
	values [3]T // in their order; issues a, b and c have them, and - has none
	filter func(model.Compared[T]) *model.IssueFilter
	encode func(T) sortkey.Value
	give   func(*tracker.Issue, T)
	choice bool // no order
	always bool // no issue is without a value
}

// ofField is the column of a field.
func ofField[T any](kind tracker.FieldType, values [3]T, member func(model.Compared[T]) model.CustomFieldFilter, encode func(T) sortkey.Value, value func(T) tracker.Value) ordered[T] {
	return ordered[T]{string(kind), columnOf(kind), values,
		func(c model.Compared[T]) *model.IssueFilter { return onField(kind, member(c)) }, encode,
		func(i *tracker.Issue, v T) { i.Values[idOf(kind)] = value(v) }, false, false}
}

// check parses a filter of every operator.
func (o ordered[T]) check(t *testing.T) {
	a, b, c := o.values[0], o.values[1], o.values[2]
	enc := o.encode
	equal := func(v T) filter.Values { return filter.Equal(enc(v)) }
	range_ := func(from, to T) filter.Values { return filter.Greater(enc(from), true).And(filter.Less(enc(to), true)) }
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
		{"in nothing", model.Compared[T]{In: []T{}}, filter.Values{}, ""},
		{"notIn", model.Compared[T]{NotIn: []T{c, a}}, equal(a).Or(equal(c)).Not(), "b-"},
		{"notIn nothing", model.Compared[T]{NotIn: []T{}}, filter.Values{Ranges: []filter.Range{{}}, None: true}, "abc-"},
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
			{"between, from behind to", model.Compared[T]{Between: &model.Range[T]{From: c, To: b}}, filter.Values{}, ""},
		}...)
	}
	var cases []parse
	for _, op := range operators {
		cases = append(cases, parse{o.name + " " + op.name, o.filter(op.in), o.wrapped(filter.In{Column: o.column, Values: op.want}), op.meets})
	}
	cases = append(cases,
		parse{o.name + " of no operator", o.filter(model.Compared[T]{}), o.wrapped(filter.And{}), "abc-"},
		parse{o.name + " of all operators", o.filter(model.Compared[T]{Eq: &b, Neq: &a, In: []T{b}, NotIn: []T{a}, IsNull: new(false)}), o.wrapped(filter.And{
			filter.In{Column: o.column, Values: equal(b)}, filter.In{Column: o.column, Values: equal(a).Not()}, filter.In{Column: o.column, Values: equal(b)},
			filter.In{Column: o.column, Values: equal(a).Not()}, filter.In{Column: o.column, Values: filter.Any()}}), "b"})
	if !o.choice {
		cases = append(cases, parse{o.name + " of all bounds", o.filter(model.Compared[T]{Lt: &c, Lte: &c, Gt: &a, Gte: &a, Between: &model.Range[T]{From: a, To: c}}), o.wrapped(filter.And{
			filter.In{Column: o.column, Values: filter.Less(enc(c), false)}, filter.In{Column: o.column, Values: filter.Less(enc(c), true)},
			filter.In{Column: o.column, Values: filter.Greater(enc(a), false)}, filter.In{Column: o.column, Values: filter.Greater(enc(a), true)},
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

// wrapped is a condition as the filter has it around it: that on a field is one of a list.
func (o ordered[T]) wrapped(c filter.Condition) filter.Condition {
	if o.column.Builtin() {
		return c
	}
	return filter.And{c}
}

func newIssue() *tracker.Issue {
	return &tracker.Issue{State: "new", Values: map[tracker.FieldID]tracker.Value{}}
}

// parses checks the conditions of filters, and which of the issues meet them.
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
					t.Errorf("%s meets it: %t", name, met)
				}
			}
		})
	}
}

func TestFilterComparisons(t *testing.T) {
	texts := [3]string{"apple", "Éclair", "pear"}
	numbers := [3]float64{-1e100, 0, 0.5}
	dates := [3]model.Date{"0001-01-01", "1969-12-31", "9999-12-31"}
	instants := [3]model.DateTime{"0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2024-02-29T12:00:00Z"}
	date := func(d model.Date) sortkey.Value {
		at, _ := time.Parse(time.DateOnly, string(d))
		return sortkey.Date(at)
	}
	at := func(i model.DateTime) time.Time {
		at, _ := time.Parse(time.RFC3339Nano, string(i))
		return at
	}
	instant := func(i model.DateTime) sortkey.Value { return sortkey.Time(at(i)) }
	option := func(id string) sortkey.Value { return sortkey.Rank(int(id[1] - '1')) }

	ordered[int32]{"num", tracker.ColumnNum, [3]int32{math.MinInt32, 7, math.MaxInt32},
		func(c model.Compared[int32]) *model.IssueFilter { return &model.IssueFilter{Num: &c} },
		func(n int32) sortkey.Value { return sortkey.Int(int64(n)) }, func(i *tracker.Issue, n int32) { i.Num = int64(n) }, false, true}.check(t)
	ordered[string]{"name", tracker.ColumnName, texts,
		func(c model.Compared[string]) *model.IssueFilter {
			return &model.IssueFilter{Name: &model.TextFilter{Compared: c}}
		},
		sortkey.Text, func(i *tracker.Issue, s string) { i.Name = s }, false, true}.check(t)
	ordered[string]{"description", tracker.ColumnDescription, texts,
		func(c model.Compared[string]) *model.IssueFilter {
			return &model.IssueFilter{Description: &model.TextFilter{Compared: c}}
		},
		sortkey.Text, func(i *tracker.Issue, s string) { i.Description = tracker.Text(s) }, false, false}.check(t)
	ordered[string]{"state", tracker.ColumnState, [3]string{"new", "open", "done"},
		func(c model.Compared[string]) *model.IssueFilter {
			c = as(c, func(s string) string { return stateOf(tracker.OptionID(s)) })
			return &model.IssueFilter{State: &c}
		},
		func(id string) sortkey.Value {
			return sortkey.Rank(map[string]int{"new": 0, "open": 1, "done": 2}[id])
		},
		func(i *tracker.Issue, id string) { i.State = tracker.OptionID(id) }, true, true}.check(t)
	ordered[model.DateTime]{"createdAt", tracker.ColumnCreated, instants,
		func(c model.Compared[model.DateTime]) *model.IssueFilter { return &model.IssueFilter{CreatedAt: &c} },
		instant, func(i *tracker.Issue, v model.DateTime) { i.Created = at(v) }, false, true}.check(t)
	ordered[model.DateTime]{"updatedAt", tracker.ColumnUpdated, instants,
		func(c model.Compared[model.DateTime]) *model.IssueFilter { return &model.IssueFilter{UpdatedAt: &c} },
		instant, func(i *tracker.Issue, v model.DateTime) { i.Updated = at(v) }, false, true}.check(t)

	text := func(c model.Compared[string]) model.CustomFieldFilter {
		return model.CustomFieldFilter{Text: &model.TextFilter{Compared: c}}
	}
	ofField(tracker.TypeText, texts, text, sortkey.Text, tracker.Text).check(t)
	ofField(tracker.TypeLongText, texts, text, sortkey.Text, tracker.Text).check(t)
	ofField(tracker.TypeUser, texts, func(c model.Compared[string]) model.CustomFieldFilter {
		return model.CustomFieldFilter{User: &model.TextFilter{Compared: c}}
	}, sortkey.Text, tracker.Text).check(t)
	ofField(tracker.TypeInteger, [3]model.Int64{math.MinInt64, -1, math.MaxInt64}, func(c model.Compared[model.Int64]) model.CustomFieldFilter {
		return model.CustomFieldFilter{Integer: &c}
	},
		func(i model.Int64) sortkey.Value { return sortkey.Int(int64(i)) }, func(i model.Int64) tracker.Value { return tracker.Int(int64(i)) }).check(t)
	ofField(tracker.TypeNumber, numbers, func(c model.Compared[float64]) model.CustomFieldFilter { return model.CustomFieldFilter{Number: &c} },
		sortkey.Float, tracker.Float).check(t)
	ofField(tracker.TypeDate, dates, func(c model.Compared[model.Date]) model.CustomFieldFilter { return model.CustomFieldFilter{Date: &c} },
		date, func(d model.Date) tracker.Value { return tracker.Text(string(d)) }).check(t)
	ofField(tracker.TypeDateTime, instants, func(c model.Compared[model.DateTime]) model.CustomFieldFilter {
		return model.CustomFieldFilter{DateTime: &c}
	}, instant, func(i model.DateTime) tracker.Value { return tracker.Text(string(i)) }).check(t)
	choice := ofField(tracker.TypeSelect, [3]string{"o1", "o2", "o3"}, func(c model.Compared[string]) model.CustomFieldFilter {
		c = as(c, func(o string) string { return optionOf(tracker.TypeSelect, tracker.OptionID(o)) })
		return model.CustomFieldFilter{Option: &c}
	},
		option, tracker.Text)
	choice.choice = true
	choice.check(t)
}

// as is a filter of choices by other ids.
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
	return model.Compared[string]{Eq: one(c.Eq), Neq: one(c.Neq), In: several(c.In), NotIn: several(c.NotIn), IsNull: c.IsNull}
}

func TestFilterTexts(t *testing.T) {
	issues := map[string]*tracker.Issue{"-": newIssue()}
	for name, text := range map[string]string{"a": "The ÉCLAIR", "b": "eclairs", "c": "clair"} {
		issues[name] = newIssue()
		issues[name].Name = text
		issues[name].Description = tracker.Text(text)
		for _, kind := range []tracker.FieldType{tracker.TypeText, tracker.TypeLongText, tracker.TypeUser} {
			issues[name].Values[idOf(kind)] = tracker.Text(text)
		}
	}
	for _, c := range []struct {
		column tracker.Column
		filter func(*model.TextFilter) *model.IssueFilter
	}{
		{tracker.ColumnName, func(f *model.TextFilter) *model.IssueFilter { return &model.IssueFilter{Name: f} }},
		{tracker.ColumnDescription, func(f *model.TextFilter) *model.IssueFilter { return &model.IssueFilter{Description: f} }},
		{columnOf(tracker.TypeText), func(f *model.TextFilter) *model.IssueFilter {
			return onField(tracker.TypeText, model.CustomFieldFilter{Text: f})
		}},
		{columnOf(tracker.TypeLongText), func(f *model.TextFilter) *model.IssueFilter {
			return onField(tracker.TypeLongText, model.CustomFieldFilter{Text: f})
		}},
		{columnOf(tracker.TypeUser), func(f *model.TextFilter) *model.IssueFilter {
			return onField(tracker.TypeUser, model.CustomFieldFilter{User: f})
		}},
	} {
		in := func(v filter.Values) filter.Condition { return filter.In{Column: c.column, Values: v} }
		contains := func(s string) filter.Condition { return filter.Contains{Column: c.column, Folded: s} }
		cases := []parse{
			{"eq, other case and accents", c.filter(&model.TextFilter{Compared: model.Compared[string]{Eq: new("Eclairs")}}), in(filter.Equal(sortkey.Text("eclairs"))), "b"},
			{"startsWith", c.filter(&model.TextFilter{StartsWith: new("Écl")}), in(filter.StartsWith("ecl")), "b"},
			{"startsWith a whole text", c.filter(&model.TextFilter{StartsWith: new("éclairs")}), in(filter.StartsWith("eclairs")), "b"},
			{"contains", c.filter(&model.TextFilter{Contains: new("ÉCLair")}), contains("eclair"), "ab"},
			{"contains what only one has", c.filter(&model.TextFilter{Contains: new("e e")}), contains("e e"), "a"},
			{"contains a mark", c.filter(&model.TextFilter{Contains: new("\u0301")}), in(filter.Any()), "abc"},
			{"starts and contains", c.filter(&model.TextFilter{StartsWith: new("e"), Contains: new("s")}), filter.And{in(filter.StartsWith("e")), contains("s")}, "b"},
			{"startsWith a mark", c.filter(&model.TextFilter{StartsWith: new("\u0301")}), in(filter.StartsWith("")), "abc"},
		}
		for i := range cases {
			cases[i].name = string(c.column) + " " + cases[i].name
			if !c.column.Builtin() {
				cases[i].want = filter.And{cases[i].want}
			}
			if c.column == tracker.ColumnName && cases[i].meets == "abc" { // it has one always, if only an empty one
				cases[i].meets = "abc-"
			}
		}
		parses(t, cases, issues)
	}
}

func TestFilterOthers(t *testing.T) {
	boolean, options, tags := columnOf(tracker.TypeBoolean), columnOf(tracker.TypeMultiSelect), columnOf(tracker.TypeTags)
	ofBoolean := func(f model.BooleanFilter) *model.IssueFilter {
		return onField(tracker.TypeBoolean, model.CustomFieldFilter{Boolean: &f})
	}
	ofOptions := func(f model.OptionSetFilter) *model.IssueFilter {
		return onField(tracker.TypeMultiSelect, model.CustomFieldFilter{Options: &f})
	}
	o1, o2, o3 := optionOf(tracker.TypeMultiSelect, "o1"), optionOf(tracker.TypeMultiSelect, "o2"), optionOf(tracker.TypeMultiSelect, "o3")
	ofTags := func(f model.TagSetFilter) *model.IssueFilter {
		return onField(tracker.TypeTags, model.CustomFieldFilter{Tags: &f})
	}
	in := func(c tracker.Column, v filter.Values) filter.Condition {
		return filter.And{filter.In{Column: c, Values: v}}
	}
	has := func(c tracker.Column, m string) filter.Condition { return filter.Has{Column: c, Member: m} }
	yes, no := filter.Equal(sortkey.Bool(true)), filter.Equal(sortkey.Bool(false))

	a, b, none := newIssue(), newIssue(), newIssue()
	a.Num, a.Values["boolean"], a.Values["multiselect"], a.Values["tags"] = 1, tracker.Bool(true), tracker.Set([]string{"o1", "o2"}), tracker.Set([]string{"Über", "x"})
	b.Num, b.Values["boolean"], b.Values["multiselect"], b.Values["tags"] = 2, tracker.Bool(false), tracker.Set([]string{"o2"}), tracker.Set([]string{"\u0301"})
	issues := map[string]*tracker.Issue{"a": a, "b": b, "-": none}

	num := func(n int32) *model.IssueFilter { return &model.IssueFilter{Num: &model.NumFilter{Eq: &n}} }
	isNum := func(n int64) filter.Condition {
		return filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(n))}
	}
	parses(t, []parse{
		{"boolean eq", ofBoolean(model.BooleanFilter{Eq: new(true)}), in(boolean, yes), "a"},
		{"boolean eq false", ofBoolean(model.BooleanFilter{Eq: new(false)}), in(boolean, no), "b"},
		{"boolean neq", ofBoolean(model.BooleanFilter{Neq: new(true)}), in(boolean, yes.Not()), "b-"},
		{"boolean isNull", ofBoolean(model.BooleanFilter{IsNull: new(true)}), in(boolean, filter.NoValue()), "-"},

		{"options hasAny", ofOptions(model.OptionSetFilter{HasAny: []string{o1, o3}}), filter.And{filter.Or{has(options, "o1"), has(options, "o3")}}, "a"},
		{"options hasAll", ofOptions(model.OptionSetFilter{HasAll: []string{o2, o1}}), filter.And{filter.And{has(options, "o2"), has(options, "o1")}}, "a"},
		{"options hasNone", ofOptions(model.OptionSetFilter{HasNone: []string{o1, o3}}), filter.And{filter.And{filter.Not{Condition: has(options, "o1")}, filter.Not{Condition: has(options, "o3")}}}, "b-"},
		{"options hasAny of nothing", ofOptions(model.OptionSetFilter{HasAny: []string{}}), filter.And{filter.Or{}}, ""},
		{"options hasAll of nothing", ofOptions(model.OptionSetFilter{HasAll: []string{}}), filter.And{filter.And{}}, "ab-"},
		{"options hasNone of nothing", ofOptions(model.OptionSetFilter{HasNone: []string{}}), filter.And{filter.And{}}, "ab-"},
		{"options isNull", ofOptions(model.OptionSetFilter{IsNull: new(true)}), in(options, filter.NoValue()), "-"},
		{"options not isNull", ofOptions(model.OptionSetFilter{IsNull: new(false)}), in(options, filter.Any()), "ab"},
		{"options of all", ofOptions(model.OptionSetFilter{HasAny: []string{o2}, HasAll: []string{o2}, HasNone: []string{o1}, IsNull: new(false)}),
			filter.And{filter.And{filter.Or{has(options, "o2")}, filter.And{has(options, "o2")}, filter.And{filter.Not{Condition: has(options, "o1")}}, filter.In{Column: options, Values: filter.Any()}}}, "b"},
		{"tags, folded", ofTags(model.TagSetFilter{HasAny: []string{"UBER"}}), filter.And{filter.Or{has(tags, "uber")}}, "a"},
		{"tags, of marks", ofTags(model.TagSetFilter{HasAll: []string{"\u0301"}}), filter.And{filter.And{has(tags, "\u0301")}}, "b"},
		{"tags hasNone", ofTags(model.TagSetFilter{HasNone: []string{"X"}}), filter.And{filter.And{filter.Not{Condition: has(tags, "x")}}}, "b-"},
		{"tags isNull", ofTags(model.TagSetFilter{IsNull: new(false)}), in(tags, filter.Any()), "ab"},
		{"isNull of a field", onField(tracker.TypeTags, model.CustomFieldFilter{IsNull: new(true)}), in(tags, filter.NoValue()), "-"},
		{"no isNull of a field", onField(tracker.TypeBoolean, model.CustomFieldFilter{IsNull: new(false)}), in(boolean, filter.Any()), "ab"},

		{"no filter", nil, nil, "ab-"},
		{"an empty filter", &model.IssueFilter{}, filter.And{}, "ab-"},
		{"and", &model.IssueFilter{And: []*model.IssueFilter{num(1), num(2)}}, filter.And{isNum(1), isNum(2)}, ""},
		{"and of nothing", &model.IssueFilter{And: []*model.IssueFilter{}}, filter.And{}, "ab-"},
		{"or", &model.IssueFilter{Or: []*model.IssueFilter{num(1), num(2)}}, filter.Or{isNum(1), isNum(2)}, "ab"},
		{"or of nothing", &model.IssueFilter{Or: []*model.IssueFilter{}}, filter.Or{}, ""},
		{"not", &model.IssueFilter{Not: num(1)}, filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(1)).Not()}, "b-"},
		{"not of an empty filter", &model.IssueFilter{Not: &model.IssueFilter{}}, filter.Or{}, ""},
		{"not of or", &model.IssueFilter{Not: &model.IssueFilter{Or: []*model.IssueFilter{num(1), ofTags(model.TagSetFilter{HasAny: []string{"y"}})}}},
			filter.And{filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(1)).Not()}, filter.Or{filter.And{filter.Not{Condition: has(tags, "y")}}}}, "b-"},
		{"no fields", &model.IssueFilter{Fields: []*model.CustomFieldFilter{}}, filter.And{}, "ab-"},
		{"a field twice", &model.IssueFilter{Fields: append(ofTags(model.TagSetFilter{HasAny: []string{"x"}}).Fields, ofTags(model.TagSetFilter{HasAny: []string{"y"}}).Fields...)},
			filter.And{filter.Or{has(tags, "x")}, filter.Or{has(tags, "y")}}, ""},
		{"all members", &model.IssueFilter{And: []*model.IssueFilter{num(1)}, Or: []*model.IssueFilter{num(1)}, Not: num(2), Num: num(1).Num,
			Name: &model.TextFilter{}, State: &model.OptionFilter{Eq: new(stateOf("new"))}, Description: &model.TextFilter{}, CreatedAt: &model.DateTimeFilter{}, UpdatedAt: &model.DateTimeFilter{},
			Fields: ofBoolean(model.BooleanFilter{Eq: new(true)}).Fields},
			filter.And{filter.And{isNum(1)}, filter.Or{isNum(1)}, filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(2)).Not()}, isNum(1), filter.And{},
				filter.In{Column: tracker.ColumnState, Values: filter.Equal(sortkey.Rank(0))}, filter.And{}, filter.And{}, filter.And{}, in(boolean, yes)}, "a"},
	}, issues)
}
