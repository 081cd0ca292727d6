package graph_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/sample"
	"issuegrid/tracker"
)

func dateFilter(c model.Compared[model.Date]) *model.DateFilter {
	return &model.DateFilter{Compared: c}
}

func timeFilter(c model.Compared[model.DateTime]) *model.DateTimeFilter {
	return &model.DateTimeFilter{Compared: c}
}

// The operators of filters for dates and times.
type (
	dates = model.Compared[model.Date]
	times = model.Compared[model.DateTime]
)

// refused checks that a filter is refused with the path and with a message that contains the words in says.
func refused(t *testing.T, in *model.IssueFilter, path string, says ...string) {
	t.Helper()
	c, err := graph.ParseFilter(filtered, in)
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.BadInput || c != nil {
		t.Fatalf("%v, %v", c, err)
	}
	if e.Path != path {
		t.Errorf("at %q, want %q: %s", e.Path, path, e.Message)
	}
	for _, word := range says {
		if !strings.Contains(e.Message, word) {
			t.Errorf("the message %q does not name %q", e.Message, word)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	field := func(f model.CustomFieldFilter) *model.IssueFilter {
		return &model.IssueFilter{Fields: []*model.CustomFieldFilter{&f}}
	}
	deep := func(in *model.IssueFilter) *model.IssueFilter { // and[1].or[0].not.*
		return &model.IssueFilter{And: []*model.IssueFilter{{}, {Or: []*model.IssueFilter{{Not: in}}}}}
	}
	const foreign = "no such field; give the id of one of its own fields"
	date, instant := model.Date("2023-02-29"), model.DateTime("2023-02-29T00:00:00Z")
	for _, c := range []struct {
		name string
		in   *model.IssueFilter
		path string
		says string
	}{
		{"not a field ID", field(model.CustomFieldFilter{Field: "x", IsNull: new(true)}), "fields[0].field",
			foreign},
		{"an unknown field", field(model.CustomFieldFilter{Field: model.FieldNodeID("t", "p", "other"),
			IsNull: new(true)}), "fields[0].field", foreign},
		{"another project's field", field(model.CustomFieldFilter{Field: model.FieldNodeID("t", "q", "text"),
			IsNull: new(true)}), "fields[0].field", foreign},
		{"another tenant's field", field(model.CustomFieldFilter{Field: model.FieldNodeID("u", "p", "text"),
			IsNull: new(true)}), "fields[0].field", foreign},
		{"the raw ID of a field", field(model.CustomFieldFilter{Field: "text", IsNull: new(true)}),
			"fields[0].field", foreign},

		{"no member", onField(tracker.TypeText, model.CustomFieldFilter{}), "fields[0]", "exactly one"},
		{"two members", onField(tracker.TypeText,
			model.CustomFieldFilter{Text: &model.TextFilter{},
				IsNull: new(true)}), "fields[0]", "2 are given"},
		{"two members that do not fit the type", onField(tracker.TypeText,
			model.CustomFieldFilter{User: &model.UserFilter{},
				Tags: &model.TagSetFilter{}}), "fields[0]", "2 are given"},

		{"not a state ID", &model.IssueFilter{State: &model.OptionFilter{Eq: new("gone")}}, "state.eq",
			`no state with the id or name "gone"`},
		{"an empty state ID", &model.IssueFilter{State: &model.OptionFilter{Neq: new("")}}, "state.neq",
			"no state"},
		{"one state of a list", &model.IssueFilter{
			State: &model.OptionFilter{NotIn: []string{stateOf("new"), "x"}}}, "state.notIn[1]", "no state"},
		{"not an option ID", onField(tracker.TypeSelect,
			model.CustomFieldFilter{Option: &model.OptionFilter{
				Eq: new("o1")}}), "fields[0].option.eq", `no option with the id or name "o1"`},
		{"an empty option ID", onField(tracker.TypeSelect,
			model.CustomFieldFilter{Option: &model.OptionFilter{
				Neq: new("")}}), "fields[0].option.neq", "no option"},
		{"one option of a list", onField(tracker.TypeSelect,
			model.CustomFieldFilter{Option: &model.OptionFilter{
				In: []string{optionOf(tracker.TypeSelect, "o1"), optionOf(tracker.TypeSelect, "o2"),
					optionOf(tracker.TypeSelect, "o4")}}}), "fields[0].option.in[2]", "no option"},
		{"one option of a set", onField(tracker.TypeMultiSelect,
			model.CustomFieldFilter{Options: &model.OptionSetFilter{
				HasAny: []string{optionOf(tracker.TypeMultiSelect, "o1"),
					optionOf(tracker.TypeSelect, "o1")}}}), "fields[0].options.hasAny[1]", "no option"},
		{"an invalid option in hasAll",
			onField(tracker.TypeMultiSelect,
				model.CustomFieldFilter{Options: &model.OptionSetFilter{
					HasAll: []string{""}}}), "fields[0].options.hasAll[0]", "no option"},
		{"an invalid option in hasNone",
			onField(tracker.TypeMultiSelect,
				model.CustomFieldFilter{Options: &model.OptionSetFilter{
					HasNone: []string{"x"}}}), "fields[0].options.hasNone[0]", "no option"},

		{"an invalid date", onField(tracker.TypeDate,
			model.CustomFieldFilter{Date: dateFilter(dates{
				Lt: &date})}), "fields[0].date.lt", "is not a date"},
		{"an empty date", onField(tracker.TypeDate,
			model.CustomFieldFilter{Date: dateFilter(dates{In: []model.Date{"2024-02-29",
				""}})}), "fields[0].date.in[1]", "empty"},
		{"between with an invalid from", onField(tracker.TypeDate,
			model.CustomFieldFilter{Date: dateFilter(dates{Between: &model.DateRange{From: date,
				To: "2024-01-01"}})}), "fields[0].date.between.from", "is not a date"},
		{"between with an invalid to", onField(tracker.TypeDate,
			model.CustomFieldFilter{Date: dateFilter(dates{Between: &model.DateRange{From: "2024-01-01",
				To: date}})}), "fields[0].date.between.to", "is not a date"},
		{"an invalid datetime", onField(tracker.TypeDateTime,
			model.CustomFieldFilter{DateTime: timeFilter(times{
				Gte: &instant})}), "fields[0].dateTime.gte", "is not a datetime"},
		{"an invalid createdAt", &model.IssueFilter{CreatedAt: timeFilter(times{Gt: &instant})},
			"createdAt.gt", "is not a datetime"},
		{"an invalid updatedAt", &model.IssueFilter{
			UpdatedAt: timeFilter(times{Lte: new(model.DateTime(""))})}, "updatedAt.lte", "empty"},

		{"not a number", onField(tracker.TypeNumber,
			model.CustomFieldFilter{Number: &model.FloatFilter{
				Eq: new(math.NaN())}}), "fields[0].number.eq", "9.9e+125"},
		{"an infinite number", onField(tracker.TypeNumber,
			model.CustomFieldFilter{Number: &model.FloatFilter{
				Between: &model.FloatRange{From: math.Inf(-1),
					To: 0}}}), "fields[0].number.between.from", "9.9e+125"},
		{"a number that is too large", onField(tracker.TypeNumber,
			model.CustomFieldFilter{Number: &model.FloatFilter{
				Lt: new(1e126)}}), "fields[0].number.lt", "1e-130 to 9.9e+125"},
		{"a number that is too small", onField(tracker.TypeNumber,
			model.CustomFieldFilter{Number: &model.FloatFilter{
				NotIn: []float64{0, -9e-131}}}), "fields[0].number.notIn[1]", "1e-130 to 9.9e+125"},

		{"an empty tag", onField(tracker.TypeTags,
			model.CustomFieldFilter{Tags: &model.TagSetFilter{
				HasAll: []string{"x", ""}}}), "fields[0].tags.hasAll[1]", "empty"},

		{"a nested field", deep(onField(tracker.TypeNumber,
			model.CustomFieldFilter{Number: &model.FloatFilter{
				Eq: new(1e126)}})), "and[1].or[0].not.fields[0].number.eq", "9.9e+125"},
		{"a nested built-in column",
			deep(&model.IssueFilter{Name: &model.TextFilter{StartsWith: new("")}}),
			"and[1].or[0].not.name.startsWith", "1 to 255"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.in, c.path, c.says) })
	}

	t.Run("members that do not fit", func(t *testing.T) {
		given := map[string]model.CustomFieldFilter{
			"text":     {Text: &model.TextFilter{Compared: model.Compared[string]{IsNull: new(true)}}},
			"integer":  {Integer: &model.Int64Filter{IsNull: new(true)}},
			"number":   {Number: &model.FloatFilter{IsNull: new(true)}},
			"date":     {Date: dateFilter(dates{IsNull: new(true)})},
			"dateTime": {DateTime: timeFilter(times{IsNull: new(true)})},
			"boolean":  {Boolean: &model.BooleanFilter{IsNull: new(true)}},
			"option":   {Option: &model.OptionFilter{IsNull: new(true)}},
			"options":  {Options: &model.OptionSetFilter{IsNull: new(true)}},
			"tags":     {Tags: &model.TagSetFilter{IsNull: new(true)}},
			"user": {User: &model.UserFilter{TextFilter: model.TextFilter{
				Compared: model.Compared[string]{IsNull: new(true)}}}},
			"isNull": {IsNull: new(true)},
		}
		for _, kind := range tracker.FieldTypes {
			for member, f := range given {
				if member != members[kind] && member != "isNull" {
					refused(t, onField(kind, f), "fields[0]."+member, "of type "+string(kind),
						"`"+members[kind]+"`", "`isNull`")
				} else if _, err := graph.ParseFilter(filtered, onField(kind, f)); err != nil {
					t.Errorf("%s of a %s: %v", member, kind, err)
				}
			}
		}
	})

	t.Run("no operator", func(t *testing.T) {
		for _, kind := range tracker.FieldTypes {
			in := reflect.TypeFor[model.CustomFieldFilter]()
			member, _ := in.FieldByNameFunc(func(name string) bool {
				return strings.EqualFold(name, members[kind])
			})
			var f model.CustomFieldFilter
			reflect.ValueOf(&f).Elem().FieldByIndex(member.Index).Set(reflect.New(member.Type.Elem()))
			refused(t, onField(kind, f), "fields[0]."+members[kind], "at least one operator", "such as `")
		}
		refused(t, &model.IssueFilter{Name: &model.TextFilter{}}, "name", "at least one operator")
	})

	t.Run("operands of every operator of texts", func(t *testing.T) {
		for path, f := range map[string]model.TextFilter{
			"eq":           {Compared: model.Compared[string]{Eq: new("")}},
			"neq":          {Compared: model.Compared[string]{Neq: new("")}},
			"in[1]":        {Compared: model.Compared[string]{In: []string{"x", ""}}},
			"notIn[0]":     {Compared: model.Compared[string]{NotIn: []string{""}}},
			"lt":           {Compared: model.Compared[string]{Lt: new("")}},
			"lte":          {Compared: model.Compared[string]{Lte: new("")}},
			"gt":           {Compared: model.Compared[string]{Gt: new("")}},
			"gte":          {Compared: model.Compared[string]{Gte: new("")}},
			"between.from": {Compared: model.Compared[string]{Between: &model.TextRange{To: "x"}}},
			"between.to":   {Compared: model.Compared[string]{Between: &model.TextRange{From: "x"}}},
			"startsWith":   {StartsWith: new("")}, "contains": {Contains: new("")},
		} {
			refused(t, &model.IssueFilter{Name: &f}, "name."+path, "1 to 255")
			refused(t, &model.IssueFilter{Description: &f}, "description."+path, "1 to 255")
			refused(t, onField(tracker.TypeText, model.CustomFieldFilter{Text: &f}), "fields[0].text."+path,
				"1 to 255")
			refused(t, onField(tracker.TypeLongText, model.CustomFieldFilter{Text: &f}),
				"fields[0].text."+path, "1 to 255")
			refused(t, onField(tracker.TypeUser, model.CustomFieldFilter{
				User: &model.UserFilter{TextFilter: f}}), "fields[0].user."+path,
				"1 to 255")
		}
	})
}

// TestFilterRefused checks the response to an invalid filter, for errors from our code and from the library.
func TestFilterRefused(t *testing.T) {
	projects := sample.Worked()
	bridge := &projects[0]
	s := load(t, projects...)
	project := projectID(bridge)
	literal := func(where string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(where: %s) { nodes { num } } } }`, project, where)
	}
	const variable = `query($p: ID!, $w: IssueFilter) { project(id: $p) { issues(where: $w) { nodes { num } } } }`
	type object = map[string]any
	integer, start := fieldID(bridge, "3fe6"), fieldID(bridge, "3812")
	var refusals []refusal
	for _, c := range []struct {
		name     string
		literal  string
		variable object
		argument string
		says     string
	}{
		{"a wrong member", fmt.Sprintf(
			`{and: [{num: {eq: 1}}, {fields: [{field: %q, integer: {eq: 5}}, {field: %q, text: {eq: "x"}}]}]}`,
			integer, integer),
			object{"and": []any{object{"num": object{"eq": 1}},
				object{"fields": []any{object{"field": integer, "integer": object{"eq": "5"}},
					object{"field": integer, "text": object{"eq": "x"}}}}}},
			"where.and[1].fields[1].text", "`integer`"},
		{"an unknown field", fmt.Sprintf(`{fields: {field: %q, isNull: true}}`, project),
			object{"fields": object{"field": project, "isNull": true}}, "where.fields[0].field",
			"no such field"},
		{"no member", fmt.Sprintf(`{fields: [{field: %q}]}`, integer),
			object{"fields": []any{object{"field": integer}}}, "where.fields[0]", "0 are given"},
		{"no operator", `{or: [{state: {}}]}`, object{"or": []any{object{"state": object{}}}},
			"where.or[0].state",
			"at least one operator, such as `eq`"},
		{"null for a comparison", `{num: null}`, object{"num": nil}, "where.num", "must not be null"},
		{"null for an operand", `{state: {eq: null}}`, object{"state": object{"eq": nil}}, "where.state.eq",
			"`isNull`"},
		{"null in a field", fmt.Sprintf(`{fields: [{field: %q, integer: null}]}`, integer),
			object{"fields": []any{object{"field": integer, "integer": nil}}}, "where.fields[0].integer",
			"must not be null"},
		{"an empty text", `{or: [{name: {contains: ""}}]}`,
			object{"or": []any{object{"name": object{"contains": ""}}}}, "where.or[0].name.contains",
			"1 to 255"},
		{"an unknown state", fmt.Sprintf(`{not: {state: {in: [%q, "x"]}}}`, stateID(bridge, "open")),
			object{"not": object{"state": object{"in": []any{stateID(bridge, "open"), "x"}}}},
			"where.not.state.in[1]", `"x"`},
		{"too many comparisons", `{num: {in: [` + strings.Repeat("1 ", 101) + `]}}`,
			object{"num": object{"in": slices.Repeat([]int{1}, 101)}}, "where.num.in", "100"},
		{"too deep", strings.Repeat(`{not: `, 11) + `{}` + strings.Repeat(`}`, 11), nested(11),
			"where" + strings.Repeat(".not", 11), "10"},
		{"an invalid integer", fmt.Sprintf(
			`{and: [{fields: [{field: %q, integer: {between: {from: "1.5", to: 5}}}]}]}`, integer),
			object{"and": []any{object{"fields": []any{object{"field": integer,
				"integer": object{"between": object{"from": "1.5",
					"to": 5}}}}}}}, "where.and[0].fields[0].integer.between.from", "to 9223372036854775807"},
		{"an invalid date", fmt.Sprintf(
			`{fields: [{field: %q, date: {notIn: ["2023-02-28", "2023-02-29"]}}]}`, start),
			object{"fields": []any{object{"field": start,
				"date": object{"notIn": []any{"2023-02-28",
					"2023-02-29"}}}}}, "where.fields[0].date.notIn[1]", "February 2023 has 28 days"},
		{"an invalid datetime", `{updatedAt: {gte: "2023-02-28"}}`,
			object{"updatedAt": object{"gte": "2023-02-28"}}, "where.updatedAt.gte", "YYYY-MM-DDThh:mm:ss"},
	} {
		refusals = append(refusals,
			refusal{name: c.name + ", literal", query: literal(c.literal), code: tracker.BadInput,
				argument: c.argument, says: []string{c.says}},
			refusal{name: c.name + ", variable", query: variable,
				variables: object{"p": project, "w": c.variable}, code: tracker.BadInput,
				argument: c.argument, says: []string{c.says}})
	}
	s.refuses(t, append(refusals,
		refusal{name: "a number of more than 32 bits, literal", query: literal(`{num: {lt: 2147483648}}`),
			code: tracker.BadInput, argument: "where.num.lt"},
		refusal{name: "a number of more than 32 bits, variable", query: variable,
			variables: object{"p": project, "w": object{"num": object{"lt": 2147483648}}},
			code:      tracker.BadInput, argument: "where.num.lt", says: []string{"32 bits"}},
		refusal{name: "an unknown operator", query: literal(`{state: {lt: "open"}}`), code: tracker.BadInput,
			argument: "where.state.lt", says: []string{`OptionFilter has no field "lt"`}},
		refusal{name: "isNull of a number of an issue", query: literal(`{num: {isNull: true}}`),
			code: tracker.BadInput, argument: "where.num.isNull", says: []string{"NumFilter has no field"}},
		refusal{name: "a range with one end", query: literal(`{num: {between: {from: 1}}}`),
			code: tracker.BadInput, argument: "where.num.between.to", says: []string{"to"}},
		refusal{name: "a list with null", query: literal(`{num: {in: [1, null]}}`), code: tracker.BadInput,
			argument: "where.num.in[1]"},
	))

	t.Run("variables without a value", func(t *testing.T) {
		const query = `query($p: ID!, $w: IssueFilter, $s: ID, $n: Int) {
			project(id: $p) { issues(where: $w) { nodes { num } } one: issues(where: {state: {eq: $s}}) { nodes { num } }
				two: issues(where: {not: {num: {lt: 100, eq: $n}}}) { nodes { num } } } }`
		for _, test := range []struct {
			variables object
			want      []string // paths of errors
			data      bool
		}{
			{object{"s": stateID(bridge, "open"), "n": 1}, nil, true},
			{object{"w": nil, "s": stateID(bridge, "open")}, nil, true},
			{object{"w": object{}, "s": stateID(bridge, "open")}, nil, true},
			// The members of a literal that are variables without a value are omitted.
			{object{"n": 1}, []string{"where.state"}, true},
			{object{"s": nil, "n": nil}, []string{"where.state.eq", "where.not.num.eq"}, false},
			{object{"s": stateID(bridge, "open"),
				"w": object{"and": nil, "num": object{"eq": nil, "in": nil}}},
				[]string{"where.and", "where.num.eq", "where.num.in"}, false},
		} {
			test.variables["p"] = project
			a := s.ask(t, query, test.variables)
			var paths []string
			for _, e := range a.Errors {
				paths = append(paths, fmt.Sprint(e.Extensions["argument"]))
			}
			same(t, fmt.Sprint(test.variables), test.want, paths)
			if data := strings.Contains(string(a.Data), `"issues":{"nodes":[{"num":1}`); data != test.data {
				t.Errorf("%v: %s", test.variables, a.Data)
			}
		}
	})
}

// nested returns an empty filter inside n levels of `not`.
func nested(n int) map[string]any {
	out := map[string]any{}
	for range n {
		out = map[string]any{"not": out}
	}
	return out
}
