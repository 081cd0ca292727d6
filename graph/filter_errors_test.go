package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
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

// filterFrom decodes a filter. It replaces "#TYPE" by the ID of the field of a type.
func filterFrom(t *testing.T, text string) *model.IssueFilter {
	t.Helper()
	for _, kind := range tracker.FieldTypes {
		text = strings.ReplaceAll(text, `"#`+string(kind)+`"`,
			fmt.Sprintf("%q", model.FieldNodeID("t", "p", idOf(kind))))
	}
	in := &model.IssueFilter{}
	d := json.NewDecoder(strings.NewReader(text))
	if d.DisallowUnknownFields(); d.Decode(in) != nil {
		t.Fatalf("%s is no filter", text)
	}
	return in
}

func TestFilterErrors(t *testing.T) {
	const foreign = "no such field; give the id of one of its own fields"
	for name, id := range map[string]string{"not an ID": "x", "unknown": model.FieldNodeID("t", "p", "other"),
		"of another project": model.FieldNodeID("t", "q", "text"),
		"of another tenant":  model.FieldNodeID("u", "p", "text"), "a raw ID": "text"} {
		t.Run("a field "+name, func(t *testing.T) {
			refused(t, &model.IssueFilter{Fields: []*model.CustomFieldFilter{{FieldID: id,
				IsNull: new(true)}}},
				"fields[0].fieldId", foreign)
		})
	}
	option := func(kind tracker.FieldType, o tracker.OptionID) string {
		return fmt.Sprintf("%q", optionOf(kind, o))
	}
	const numbers = "1e-130 to 9.9e+125"
	for _, c := range []struct{ in, path, says string }{
		{`{"fields": [{"fieldId": "#TEXT"}]}`, "fields[0]", "exactly one"},
		{`{"fields": [{"fieldId": "#TEXT", "text": {}, "isNull": true}]}`, "fields[0]", "2 are given"},
		{`{"fields": [{"fieldId": "#TEXT", "user": {}, "tags": {}}]}`, "fields[0]", "2 are given"},

		{`{"state": {"eq": "gone"}}`, "state.eq", `no state with the name "gone"`},
		{`{"state": {"neq": ""}}`, "state.neq", "no state"},
		{fmt.Sprintf(`{"state": {"notInIds": [%q, "x"]}}`, stateOf("new")), "state.notInIds[1]", "no state"},
		{`{"fields": [{"fieldId": "#SELECT", "option": {"eq": "o1"}}]}`, "fields[0].option.eq",
			`no option with the name "o1"`},
		{fmt.Sprintf(`{"state": {"eq": "new", "eqId": %q}}`, stateOf("new")), "state.eqId",
			"either `eq` or `eqId`"},
		{`{"fields": [{"fieldId": "#MULTI_SELECT", "options": {"hasAny": [], "hasAnyIds": []}}]}`,
			"fields[0].options.hasAnyIds", "either `hasAny` or `hasAnyIds`"},
		{`{"fields": [{"fieldId": "#SELECT", "option": {"neq": ""}}]}`, "fields[0].option.neq", "no option"},
		{`{"fields": [{"fieldId": "#SELECT", "option": {"inIds": [` + option(tracker.TypeSelect, "o1") +
			`, ` +
			option(tracker.TypeSelect, "o4") + `]}}]}`, "fields[0].option.inIds[1]", "no option"},
		{`{"fields": [{"fieldId": "#MULTI_SELECT", "options": {"hasAnyIds": [` +
			option(tracker.TypeMultiSelect, "o1") + `, ` + option(tracker.TypeSelect, "o1") + `]}}]}`,
			"fields[0].options.hasAnyIds[1]", "no option"},
		{`{"fields": [{"fieldId": "#MULTI_SELECT", "options": {"hasAll": [""]}}]}`,
			"fields[0].options.hasAll[0]", "no option"},
		{`{"fields": [{"fieldId": "#MULTI_SELECT", "options": {"hasNone": ["x"]}}]}`,
			"fields[0].options.hasNone[0]", "no option"},

		{`{"fields": [{"fieldId": "#DATE", "date": {"lt": "2023-02-29"}}]}`, "fields[0].date.lt",
			"is not a date"},
		{`{"fields": [{"fieldId": "#DATE", "date": {"in": ["2024-02-29", ""]}}]}`, "fields[0].date.in[1]",
			"empty"},
		{`{"fields": [{"fieldId": "#DATE", "date": {"between": {"from": "2023-02-29", "to": "2024-01-01"}}}]}`,
			"fields[0].date.between.from", "is not a date"},
		{`{"fields": [{"fieldId": "#DATE", "date": {"between": {"from": "2023-01-01", "to": "2023-02-29"}}}]}`,
			"fields[0].date.between.to", "is not a date"},
		{`{"fields": [{"fieldId": "#DATETIME", "dateTime": {"gte": "2023-02-29T00:00:00Z"}}]}`,
			"fields[0].dateTime.gte", "is not a datetime"},
		{`{"createdAt": {"gt": "2023-02-29T00:00:00Z"}}`, "createdAt.gt", "is not a datetime"},
		{`{"updatedAt": {"lte": ""}}`, "updatedAt.lte", "empty"},

		{`{"fields": [{"fieldId": "#NUMBER", "number": {"lt": 1e126}}]}`, "fields[0].number.lt", numbers},
		{`{"fields": [{"fieldId": "#NUMBER", "number": {"notIn": [0, -9e-131]}}]}`,
			"fields[0].number.notIn[1]", numbers},
		{`{"fields": [{"fieldId": "#TAGS", "tags": {"hasAll": ["x", ""]}}]}`, "fields[0].tags.hasAll[1]",
			"empty"},
		{`{"and": [{}, {"or": [{"not": {"fields": [{"fieldId": "#NUMBER", "number": {"eq": 1e126}}]}}]}]}`,
			"and[1].or[0].not.fields[0].number.eq", numbers},
		{`{"and": [{}, {"or": [{"not": {"name": {"startsWith": ""}}}]}]}`, "and[1].or[0].not.name.startsWith",
			"1 to 255"},
	} {
		t.Run(c.in, func(t *testing.T) { refused(t, filterFrom(t, c.in), c.path, c.says) })
	}
	for path, f := range map[string]*model.FloatFilter{"eq": {Eq: new(math.NaN())},
		"between.from": {Between: &model.FloatRange{From: math.Inf(-1)}}} {
		refused(t, onField(tracker.TypeNumber, model.CustomFieldFilter{Number: f}), "fields[0].number."+path,
			numbers)
	}

	t.Run("members that do not fit", func(t *testing.T) {
		given := map[string]string{"isNull": "true"}
		for _, member := range members {
			given[member] = `{"isNull": true}`
		}
		for _, kind := range tracker.FieldTypes {
			for member, value := range given {
				in := filterFrom(t, fmt.Sprintf(`{"fields": [{"fieldId": "#%s", %q: %s}]}`, kind, member,
					value))
				if member != members[kind] && member != "isNull" {
					refused(t, in, "fields[0]."+member, "of type "+string(kind), "`"+members[kind]+"`",
						"`isNull`")
				} else if _, err := graph.ParseFilter(filtered, in); err != nil {
					t.Errorf("%s of a %s: %v", member, kind, err)
				}
			}
		}
	})

	t.Run("no operator", func(t *testing.T) {
		for _, kind := range tracker.FieldTypes {
			in := filterFrom(t, fmt.Sprintf(`{"fields": [{"fieldId": "#%s", %q: {}}]}`, kind, members[kind]))
			refused(t, in, "fields[0]."+members[kind], "at least one operator", "such as `")
		}
		refused(t, &model.IssueFilter{Name: &model.TextFilter{}}, "name", "at least one operator")
	})

	t.Run("operands of every operator of texts", func(t *testing.T) {
		for path, operator := range map[string]string{"eq": `"eq": ""`, "neq": `"neq": ""`,
			"in[1]": `"in": ["x", ""]`, "notIn[0]": `"notIn": [""]`, "lt": `"lt": ""`, "lte": `"lte": ""`,
			"gt": `"gt": ""`, "gte": `"gte": ""`, "between.from": `"between": {"from": "", "to": "x"}`,
			"between.to": `"between": {"from": "x", "to": ""}`, "startsWith": `"startsWith": ""`,
			"contains": `"contains": ""`, "is": `"is": ""`} {
			for _, column := range []string{"name", "description"} {
				refused(t, filterFrom(t, fmt.Sprintf(`{%q: {%s}}`, column, operator)), column+"."+path, "1 to 255")
			}
			for _, kind := range []tracker.FieldType{tracker.TypeText, tracker.TypeLongText,
				tracker.TypeUser} {
				refused(t, filterFrom(t, fmt.Sprintf(`{"fields": [{"fieldId": "#%s", %q: {%s}}]}`, kind,
					members[kind], operator)), "fields[0]."+members[kind]+"."+path, "1 to 255")
			}
		}
	})
}

// TestFilterRefused checks the response to an invalid filter, for errors from our code and from the library.
// TestFilterErrors and TestFilterLimits have all errors of our code.
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
	var refusals []refusal
	for _, c := range []struct{ name, where, argument, says string }{ // where has its names in quotes
		{"a wrong member", `{"and": [{"num": {"eq": 1}}, {"fields": [{"fieldId": "INTEGER", "integer": {"eq": 5}},
			{"fieldId": "INTEGER", "text": {"eq": "x"}}]}]}`, "where.and[1].fields[1].text", "`integer`"},
		{"null for an operand", `{"state": {"eq": null}}`, "where.state", "null is none"},
		{"null in a field", `{"fields": [{"fieldId": "INTEGER", "integer": null}]}`, "where.fields[0]",
			"exactly one"},
		{"an invalid integer",
			`{"and": [{"fields": [{"fieldId": "INTEGER", "integer": {"between": {"from": "1.5", "to": 5}}}]}]}`,
			"where.and[0].fields[0].integer.between.from", "to 9223372036854775807"},
		{"an invalid date", `{"fields": [{"fieldId": "START", "date": {"notIn": ["2023-02-28", "2023-02-29"]}}]}`,
			"where.fields[0].date.notIn[1]", "February 2023 has 28 days"},
		{"an invalid datetime", `{"updatedAt": {"gte": "2023-02-28"}}`, "where.updatedAt.gte",
			"YYYY-MM-DDThh:mm:ss"},
		{"isNull of a number of an issue", `{"num": {"isNull": true}}`, "where.num.isNull",
			"NumFilter has no field"},
		{"a range with one end", `{"num": {"between": {"from": 1}}}`, "where.num.between.to", "to"},
		{"a list with null", `{"num": {"in": [1, null]}}`, "where.num.in[1]", ""},
	} {
		where := strings.NewReplacer("INTEGER", fieldID(bridge, "3fe6"), "START", fieldID(bridge, "3812")).
			Replace(c.where)
		refusals = append(refusals,
			refusal{name: c.name + ", literal", code: tracker.BadInput, argument: c.argument,
				query: literal(regexp.MustCompile(`"(\w+)":`).ReplaceAllString(where, "$1:")), says: []string{c.says}},
			refusal{name: c.name + ", variable", code: tracker.BadInput, argument: c.argument,
				query: variable, variables: object{"p": project, "w": json.RawMessage(where)},
				says: []string{c.says}})
	}
	s.refuses(t, refusals)

	t.Run("variables without a value", func(t *testing.T) {
		const query = `query($p: ID!, $w: IssueFilter, $s: ID, $n: Int) {
			project(id: $p) { issues(where: $w) { nodes { num } } one: issues(where: {state: {eqId: $s}}) { nodes { num } }
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
			{object{"s": nil, "n": nil}, []string{"where.state"}, true},
			{object{"s": stateID(bridge, "open"),
				"w": object{"and": nil, "num": object{"eq": nil, "in": nil}}}, []string{"where.num"}, false},
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
