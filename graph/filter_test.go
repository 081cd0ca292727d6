package graph_test

import (
	"math"
	"testing"
	"time"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

func TestFilterComparisons(t *testing.T) {
	texts := [3]string{"apple", "Éclair", "pear"}
	numbers := [3]float64{-1e100, 0, 0.5}
	dates := [3]model.Date{"0001-01-01", "1969-12-31", "9999-12-31"}
	instants := [3]model.DateTime{"0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z",
		"2024-02-29T12:00:00Z"}
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
		func(n int32) sortkey.Value {
			return sortkey.Int(int64(n))
		}, func(i *tracker.Issue, n int32) { i.Num = int64(n) }, false, true}.check(t)
	ordered[string]{"name", tracker.ColumnName, texts,
		func(c model.Compared[string]) *model.IssueFilter {
			return &model.IssueFilter{Name: &model.TextFilter{Compared: c}}
		},
		sortkey.Text, func(i *tracker.Issue, s string) { i.Name = s }, false, true}.check(t)
	ordered[string]{"description", tracker.ColumnDescription, texts,
		func(c model.Compared[string]) *model.IssueFilter {
			return &model.IssueFilter{Description: &model.TextFilter{Compared: c}}
		},
		sortkey.Text, func(i *tracker.Issue, s string) {
			i.Description = tracker.Text(s)
		}, false, false}.check(t)
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
		func(c model.Compared[model.DateTime]) *model.IssueFilter {
			return &model.IssueFilter{CreatedAt: &model.DateTimeFilter{Compared: c}}
		},
		instant, func(i *tracker.Issue, v model.DateTime) { i.Created = at(v) }, false, true}.check(t)
	ordered[model.DateTime]{"updatedAt", tracker.ColumnUpdated, instants,
		func(c model.Compared[model.DateTime]) *model.IssueFilter {
			return &model.IssueFilter{UpdatedAt: &model.DateTimeFilter{Compared: c}}
		},
		instant, func(i *tracker.Issue, v model.DateTime) { i.Updated = at(v) }, false, true}.check(t)

	text := func(c model.Compared[string]) model.CustomFieldFilter {
		return model.CustomFieldFilter{Text: &model.TextFilter{Compared: c}}
	}
	ofField(tracker.TypeText, texts, text, sortkey.Text, tracker.Text).check(t)
	ofField(tracker.TypeLongText, texts, text, sortkey.Text, tracker.Text).check(t)
	ofField(tracker.TypeUser, texts, func(c model.Compared[string]) model.CustomFieldFilter {
		return model.CustomFieldFilter{User: &model.UserFilter{TextFilter: model.TextFilter{Compared: c}}}
	}, sortkey.Text, tracker.Text).check(t)
	ofField(tracker.TypeInteger, [3]model.Int64{math.MinInt64, -1,
		math.MaxInt64}, func(c model.Compared[model.Int64]) model.CustomFieldFilter {
		return model.CustomFieldFilter{Integer: &c}
	},
		func(i model.Int64) sortkey.Value {
			return sortkey.Int(int64(i))
		}, func(i model.Int64) tracker.Value { return tracker.Int(int64(i)) }).check(t)
	ofField(tracker.TypeNumber, numbers, func(c model.Compared[float64]) model.CustomFieldFilter {
		return model.CustomFieldFilter{Number: &c}
	},
		sortkey.Float, tracker.Float).check(t)
	ofField(tracker.TypeDate, dates, func(c model.Compared[model.Date]) model.CustomFieldFilter {
		return model.CustomFieldFilter{Date: dateFilter(c)}
	},
		date, func(d model.Date) tracker.Value { return tracker.Text(string(d)) }).check(t)
	ofField(tracker.TypeDateTime, instants, func(c model.Compared[model.DateTime]) model.CustomFieldFilter {
		return model.CustomFieldFilter{DateTime: timeFilter(c)}
	}, instant, func(i model.DateTime) tracker.Value { return tracker.Text(string(i)) }).check(t)
	choice := ofField(tracker.TypeSelect,
		[3]string{"o1", "o2", "o3"}, func(c model.Compared[string]) model.CustomFieldFilter {
			c = as(c, func(o string) string { return optionOf(tracker.TypeSelect, tracker.OptionID(o)) })
			return model.CustomFieldFilter{Option: &c}
		},
		option, tracker.Text)
	choice.choice = true
	choice.check(t)
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
		{tracker.ColumnName, func(f *model.TextFilter) *model.IssueFilter {
			return &model.IssueFilter{Name: f}
		}},
		{tracker.ColumnDescription, func(f *model.TextFilter) *model.IssueFilter {
			return &model.IssueFilter{Description: f}
		}},
		{columnOf(tracker.TypeText), func(f *model.TextFilter) *model.IssueFilter {
			return onField(tracker.TypeText, model.CustomFieldFilter{Text: f})
		}},
		{columnOf(tracker.TypeLongText), func(f *model.TextFilter) *model.IssueFilter {
			return onField(tracker.TypeLongText, model.CustomFieldFilter{Text: f})
		}},
		{columnOf(tracker.TypeUser), func(f *model.TextFilter) *model.IssueFilter {
			return onField(tracker.TypeUser, model.CustomFieldFilter{User: &model.UserFilter{TextFilter: *f}})
		}},
	} {
		in := func(v filter.Values) filter.Condition { return filter.In{Column: c.column, Values: v} }
		contains := func(s string) filter.Condition { return filter.Contains{Column: c.column, Folded: s} }
		cases := []parse{
			{"eq, other case and accents",
				c.filter(&model.TextFilter{Compared: model.Compared[string]{Eq: new("Eclairs")}}),
				in(filter.Equal(sortkey.Text("eclairs"))), "b"},
			{"startsWith", c.filter(&model.TextFilter{StartsWith: new("Écl")}), in(filter.StartsWith("ecl")),
				"b"},
			{"startsWith a whole text", c.filter(&model.TextFilter{StartsWith: new("éclairs")}),
				in(filter.StartsWith("eclairs")), "b"},
			{"contains", c.filter(&model.TextFilter{Contains: new("ÉCLair")}), contains("eclair"), "ab"},
			{"contains what only one has", c.filter(&model.TextFilter{Contains: new("e e")}), contains("e e"),
				"a"},
			{"contains a mark", c.filter(&model.TextFilter{Contains: new("\u0301")}), in(filter.Any()),
				"abc"},
			{"starts and contains", c.filter(&model.TextFilter{StartsWith: new("e"), Contains: new("s")}),
				filter.And{in(filter.StartsWith("e")), contains("s")}, "b"},
			{"startsWith a mark", c.filter(&model.TextFilter{StartsWith: new("\u0301")}),
				in(filter.StartsWith("")), "abc"},
		}
		for i := range cases {
			cases[i].name = string(c.column) + " " + cases[i].name
			if !c.column.Builtin() {
				cases[i].want = filter.And{cases[i].want}
			}
			// A name always has a value, possibly empty.
			if c.column == tracker.ColumnName && cases[i].meets == "abc" {
				cases[i].meets = "abc-"
			}
		}
		parses(t, cases, issues)
	}
}

func TestFilterOthers(t *testing.T) {
	boolean, options, tags := columnOf(tracker.TypeBoolean), columnOf(tracker.TypeMultiSelect),
		columnOf(tracker.TypeTags)
	ofBoolean := func(f model.BooleanFilter) *model.IssueFilter {
		return onField(tracker.TypeBoolean, model.CustomFieldFilter{Boolean: &f})
	}
	ofOptions := func(f model.OptionSetFilter) *model.IssueFilter {
		return onField(tracker.TypeMultiSelect, model.CustomFieldFilter{Options: &f})
	}
	o1, o2, o3 := optionOf(tracker.TypeMultiSelect, "o1"), optionOf(tracker.TypeMultiSelect, "o2"),
		optionOf(tracker.TypeMultiSelect, "o3")
	ofTags := func(f model.TagSetFilter) *model.IssueFilter {
		return onField(tracker.TypeTags, model.CustomFieldFilter{Tags: &f})
	}
	in := func(c tracker.Column, v filter.Values) filter.Condition {
		return filter.And{filter.In{Column: c, Values: v}}
	}
	has := func(c tracker.Column, m string) filter.Has { return filter.Has{Column: c, Member: m} }
	yes, no := filter.Equal(sortkey.Bool(true)), filter.Equal(sortkey.Bool(false))

	a, b, none := newIssue(), newIssue(), newIssue()
	a.Num, a.Values["boolean"], a.Values["multiselect"], a.Values["tags"] = 1, tracker.Bool(true),
		tracker.Set([]string{"o1", "o2"}), tracker.Set([]string{"Über", "x"})
	b.Num, b.Values["boolean"], b.Values["multiselect"], b.Values["tags"] = 2, tracker.Bool(false),
		tracker.Set([]string{"o2"}), tracker.Set([]string{"\u0301"})
	issues := map[string]*tracker.Issue{"a": a, "b": b, "-": none}

	num := func(n int32) *model.IssueFilter { return &model.IssueFilter{Num: &model.NumFilter{Eq: &n}} }
	notNull := func() *model.TextFilter {
		return &model.TextFilter{Compared: model.Compared[string]{IsNull: new(false)}}
	}
	any := func(c tracker.Column) filter.Condition { return filter.In{Column: c, Values: filter.Any()} }
	isNum := func(n int64) filter.Condition {
		return filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(n))}
	}
	parses(t, []parse{
		{"boolean eq", ofBoolean(model.BooleanFilter{Eq: new(true)}), in(boolean, yes), "a"},
		{"boolean eq false", ofBoolean(model.BooleanFilter{Eq: new(false)}), in(boolean, no), "b"},
		{"boolean neq", ofBoolean(model.BooleanFilter{Neq: new(true)}), in(boolean, yes.Not()), "b-"},
		{"boolean isNull", ofBoolean(model.BooleanFilter{IsNull: new(true)}), in(boolean, filter.NoValue()),
			"-"},

		{"options hasAny", ofOptions(model.OptionSetFilter{HasAny: []string{o1, o3}}),
			filter.And{filter.Or{has(options, "o1"), has(options, "o3")}}, "a"},
		{"options hasAll", ofOptions(model.OptionSetFilter{HasAll: []string{o2, o1}}),
			filter.And{filter.And{has(options, "o2"), has(options, "o1")}}, "a"},
		{"options hasNone", ofOptions(model.OptionSetFilter{HasNone: []string{o1, o3}}),
			filter.And{filter.And{filter.Not{Condition: has(options, "o1")},
				filter.Not{Condition: has(options, "o3")}}}, "b-"},
		{"options hasAny of nothing", ofOptions(model.OptionSetFilter{HasAny: []string{}}),
			filter.And{filter.Or{}}, ""},
		{"options hasAll of nothing", ofOptions(model.OptionSetFilter{HasAll: []string{}}),
			filter.And{filter.And{}}, "ab-"},
		{"options hasNone of nothing", ofOptions(model.OptionSetFilter{HasNone: []string{}}),
			filter.And{filter.And{}}, "ab-"},
		{"options isNull", ofOptions(model.OptionSetFilter{IsNull: new(true)}), in(options, filter.NoValue()),
			"-"},
		{"options not isNull", ofOptions(model.OptionSetFilter{IsNull: new(false)}),
			in(options, filter.Any()), "ab"},
		{"options of all", ofOptions(model.OptionSetFilter{HasAny: []string{o2}, HasAll: []string{o2},
			HasNone: []string{o1}, IsNull: new(false)}),
			filter.And{filter.And{filter.Or{has(options, "o2")}, filter.And{has(options, "o2")},
				filter.And{filter.Not{Condition: has(options, "o1")}},
				filter.In{Column: options, Values: filter.Any()}}}, "b"},
		{"tags, folded", ofTags(model.TagSetFilter{HasAny: []string{"UBER"}}),
			filter.And{filter.Or{has(tags, "uber")}}, "a"},
		{"tags, of marks", ofTags(model.TagSetFilter{HasAll: []string{"\u0301"}}),
			filter.And{filter.And{has(tags, "\u0301")}}, "b"},
		{"tags hasNone", ofTags(model.TagSetFilter{HasNone: []string{"X"}}),
			filter.And{filter.And{filter.Not{Condition: has(tags, "x")}}}, "b-"},
		{"tags isNull", ofTags(model.TagSetFilter{IsNull: new(false)}), in(tags, filter.Any()), "ab"},
		{"isNull of a field", onField(tracker.TypeTags, model.CustomFieldFilter{IsNull: new(true)}),
			in(tags, filter.NoValue()), "-"},
		{"no isNull of a field", onField(tracker.TypeBoolean, model.CustomFieldFilter{IsNull: new(false)}),
			in(boolean, filter.Any()), "ab"},

		{"no filter", nil, nil, "ab-"},
		{"an empty filter", &model.IssueFilter{}, filter.And{}, "ab-"},
		{"and", &model.IssueFilter{And: []*model.IssueFilter{num(1), num(2)}}, filter.And{isNum(1), isNum(2)},
			""},
		{"and of nothing", &model.IssueFilter{And: []*model.IssueFilter{}}, filter.And{}, "ab-"},
		{"or", &model.IssueFilter{Or: []*model.IssueFilter{num(1), num(2)}}, filter.Or{isNum(1), isNum(2)},
			"ab"},
		{"or of nothing", &model.IssueFilter{Or: []*model.IssueFilter{}}, filter.Or{}, ""},
		{"not", &model.IssueFilter{Not: num(1)},
			filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(1)).Not()}, "b-"},
		{"not of an empty filter", &model.IssueFilter{Not: &model.IssueFilter{}}, filter.Or{}, ""},
		{"not of or", &model.IssueFilter{
			Not: &model.IssueFilter{Or: []*model.IssueFilter{num(1),
				ofTags(model.TagSetFilter{HasAny: []string{"y"}})}}},
			filter.And{filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(1)).Not()},
				filter.Or{filter.And{filter.Not{Condition: has(tags, "y")}}}}, "b-"},
		{"no fields", &model.IssueFilter{Fields: []*model.CustomFieldFilter{}}, filter.And{}, "ab-"},
		{"a field twice", &model.IssueFilter{
			Fields: append(ofTags(model.TagSetFilter{HasAny: []string{"x"}}).Fields,
				ofTags(model.TagSetFilter{HasAny: []string{"y"}}).Fields...)},
			filter.And{filter.Or{has(tags, "x")}, filter.Or{has(tags, "y")}}, ""},
		{"all members", &model.IssueFilter{And: []*model.IssueFilter{num(1)},
			Or: []*model.IssueFilter{num(1)}, Not: num(2), Num: num(1).Num,
			Name: notNull(), State: &model.OptionFilter{Eq: new(stateOf("new"))},
			Description: notNull(), CreatedAt: timeFilter(times{IsNull: new(false)}),
			UpdatedAt: timeFilter(times{IsNull: new(false)}),
			CreatedBy: &model.UserFilter{TextFilter: *notNull()},
			UpdatedBy: &model.UserFilter{TextFilter: *notNull()},
			Fields:    ofBoolean(model.BooleanFilter{Eq: new(true)}).Fields},
			filter.And{filter.And{isNum(1)}, filter.Or{isNum(1)},
				filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Int(2)).Not()}, isNum(1),
				any(tracker.ColumnName),
				filter.In{Column: tracker.ColumnState, Values: filter.Equal(sortkey.Rank(0))},
				any(tracker.ColumnDescription), any(tracker.ColumnCreated), any(tracker.ColumnUpdated),
				any(tracker.ColumnCreatedBy), any(tracker.ColumnUpdatedBy),
				in(boolean, yes)}, ""},
	}, issues)
}
