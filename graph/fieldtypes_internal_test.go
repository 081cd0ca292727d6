package graph

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// typeSamples has for each type a value as input and as displayed, and a filter that matches it. Options have
// raw IDs here and opaque ones in inputs.
var typeSamples = map[tracker.FieldType]struct {
	in      model.ValueInput
	display string
	where   model.CustomFieldFilter
}{
	tracker.TypeText: {model.ValueInput{Text: new("x")}, "x",
		model.CustomFieldFilter{Text: &model.TextFilter{Contains: new("X")}}},
	tracker.TypeLongText: {model.ValueInput{Text: new("x")}, "x",
		model.CustomFieldFilter{Text: &model.TextFilter{StartsWith: new("X")}}},
	tracker.TypeUser: {model.ValueInput{User: new("ann")}, "ann",
		model.CustomFieldFilter{User: &model.UserFilter{TextFilter: model.TextFilter{Contains: new("A")}}}},
	tracker.TypeInteger: {model.ValueInput{Integer: new(model.Int64(12))}, "12",
		model.CustomFieldFilter{Integer: &model.Int64Filter{Eq: new(model.Int64(12))}}},
	tracker.TypeNumber: {model.ValueInput{Number: new(1.5)}, "1.5",
		model.CustomFieldFilter{Number: &model.FloatFilter{Gt: new(1.0)}}},
	tracker.TypeDate: {model.ValueInput{Date: new(model.Date("2024-02-29"))}, "2024-02-29",
		model.CustomFieldFilter{Date: &model.DateFilter{
			Compared: model.Compared[model.Date]{Lt: new(model.Date("2024-03-01"))}}}},
	tracker.TypeDateTime: {model.ValueInput{DateTime: new(model.DateTime("2024-02-29T12:00:00Z"))},
		"2024-02-29T12:00:00Z",
		model.CustomFieldFilter{DateTime: &model.DateTimeFilter{Compared: model.Compared[model.DateTime]{
			Gte: new(model.DateTime("2024-02-29T12:00:00Z"))}}}},
	tracker.TypeBoolean: {model.ValueInput{Boolean: new(true)}, "true",
		model.CustomFieldFilter{Boolean: &model.BooleanFilter{Neq: new(false)}}},
	tracker.TypeSelect: {model.ValueInput{OptionID: &opaque}, "Red",
		model.CustomFieldFilter{Option: &model.OptionFilter{InIds: []string{opaque}}}},
	tracker.TypeMultiSelect: {model.ValueInput{OptionIds: []string{opaque}}, "Red",
		model.CustomFieldFilter{Options: &model.OptionSetFilter{HasAnyIds: []string{opaque}}}},
	tracker.TypeTags: {model.ValueInput{Tags: []string{"x", "y"}}, "x, y",
		model.CustomFieldFilter{Tags: &model.TagSetFilter{HasAll: []string{"Y", "X"}}}},
}

var opaque = model.OptionID("t", "p", "f", "r")

// TestEveryFieldType checks that the schema and the code have the same types. It writes a value of each type
// from an input to an issue, reads it back, and finds it with a filter.
func TestEveryFieldType(t *testing.T) {
	schema := NewExecutableSchema(Config{}).Schema()
	members := func(of string, but ...string) (names []string) {
		for _, f := range schema.Types[of].Fields {
			if !slices.Contains(but, f.Name) {
				names = append(names, f.Name)
			}
		}
		return names
	}
	equal := func(what string, got, want []string) {
		t.Helper()
		got = slices.Clone(got)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	var inputs, objects, types []string
	for _, kind := range tracker.FieldTypes {
		types = append(types, string(kind))
		known, ok := model.ValueTypes[kind]
		if !ok {
			t.Errorf("graph/model/value.go: ValueTypes lacks %s", kind)
			continue
		}
		inputs, objects = append(inputs, known.Member), append(objects, known.Object)
		checkFieldType(t, kind, known, schema)
	}
	equal("schema.graphqls: CustomFieldType", enumOf(schema, "CustomFieldType"), types)
	equal("schema.graphqls: the members of ValueInput, by ValueTypes", inputs,
		members("ValueInput", "optionId", "optionIds", "userId"))
	equal("schema.graphqls: the members of CustomFieldFilter, by ValueTypes", inputs,
		members("CustomFieldFilter", "fieldId", "isNull"))
	var values []string
	for _, d := range schema.GetPossibleTypes(schema.Types["CustomValue"]) {
		values = append(values, d.Name)
	}
	equal("schema.graphqls: the types that are a CustomValue, by ValueTypes", objects, values)
	checkGiven(t)
}

func enumOf(schema *ast.Schema, name string) (values []string) {
	for _, v := range schema.Types[name].EnumValues {
		values = append(values, v.Name)
	}
	return values
}

// checkFieldType writes and reads a value of a type through the API.
func checkFieldType(t *testing.T, kind tracker.FieldType, known model.ValueType, schema *ast.Schema) {
	t.Helper()
	s, ok := typeSamples[kind]
	if !ok {
		t.Errorf("graph/fieldtypes_internal_test.go: there is no value of type %s", kind)
		return
	}
	f := &tracker.Field{ID: "f", Name: "F", Type: kind}
	if kind.HasOptions() {
		f.Options = []tracker.Option{{ID: "q", Name: "Blue"}, {ID: "r", Name: "Red"}}
	}
	d := tracker.NewDefinition(tracker.Project{Tenant: "t", ID: "p"}, []*tracker.Field{f})
	v, err := choices{definition: d}.parse(f, &s.in)
	if err != nil || f.CheckWrite(v) != nil {
		t.Errorf("graph/valueinputs.go: an input of type %s: %v, %v", kind, err, f.CheckWrite(v))
		return
	}
	issue := &model.Issue{Issue: &tracker.Issue{ID: tracker.IssueID{Project: "p", Issue: "i"},
		Values: map[tracker.FieldID]tracker.Value{"f": v}}, Definition: d}
	view := issue.View(f)
	if view == nil {
		t.Errorf("graph/model/value.go: values of type %s have no view", kind)
		return
	}
	if name := reflect.TypeOf(view).Elem().Name(); name != known.Object {
		t.Errorf("graph/model/value.go: values of type %s are of the GraphQL type %s, and in compiled rows "+
			"of %s", kind, name, known.Object)
	}
	member := schema.Types["CustomFieldFilter"].Fields.ForName(known.Member)
	for _, o := range model.AllFilterOperator {
		has := slices.ContainsFunc(schema.Types[member.Type.Name()].Fields,
			func(f *ast.FieldDefinition) bool {
				return strings.EqualFold(f.Name, strings.ReplaceAll(string(o), "_", ""))
			})
		if has != slices.Contains(known.Operators, o) {
			t.Errorf("graph/model/value.go: the filter for type %s has the operator %s: %t", kind, o, has)
		}
	}
	object := schema.Types[known.Object]
	if object == nil || object.Fields.ForName(known.Selected) == nil {
		t.Errorf("schema.graphqls: values of type %s have no member %s in %s", kind, known.Selected,
			known.Object)
	}
	if got := f.Display(v); got != s.display {
		t.Errorf("tracker/fieldtype.go: a value of type %s reads %q, want %q", kind, got, s.display)
	}
	s.where.FieldID = model.FieldNodeID("t", "p", "f")
	for _, test := range []struct {
		where model.CustomFieldFilter
		meets filter.Truth
	}{
		{s.where, filter.Yes},
		{model.CustomFieldFilter{FieldID: s.where.FieldID, IsNull: new(true)}, filter.No},
	} {
		p := filterParser{choices: choices{definition: d}, operands: new(filter.Operands)}
		c, err := p.field(&test.where)
		if err != nil {
			t.Errorf("graph/valueinputs.go: a filter of type %s: %v", kind, err)
			continue
		}
		subject := filter.NewMatcher(d, c).Subject(issue.Issue)
		if got, err := subject.Meets(c); err != nil || got != test.meets {
			t.Errorf("grid/filter: matching a value of type %s with %s: %d, %v", kind, filter.Describe(d, c),
				got, err)
		}
	}
}

// checkGiven sets each member of ValueInput and of CustomFieldFilter alone, and checks that it is found with
// its name.
func checkGiven(t *testing.T) {
	t.Helper()
	name := func(f reflect.StructField) string { return strings.Split(f.Tag.Get("json"), ",")[0] }
	set := func(v reflect.Value) {
		if v.Kind() == reflect.Pointer {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	}
	for i := range reflect.TypeFor[model.ValueInput]().NumField() {
		var in model.ValueInput
		v := reflect.ValueOf(&in).Elem()
		set(v.Field(i))
		if got := given(&in); len(got) != 1 || got[0].member != name(v.Type().Field(i)) {
			t.Errorf("graph/valueinputs.go: given finds %v where %s is given", got, name(v.Type().Field(i)))
		}
	}
	f := &tracker.Field{ID: "f"}
	for i := range reflect.TypeFor[model.CustomFieldFilter]().NumField() {
		var in model.CustomFieldFilter
		v := reflect.ValueOf(&in).Elem()
		at := name(v.Type().Field(i))
		if at == "fieldId" {
			continue
		}
		set(v.Field(i))
		p := filterParser{operands: new(filter.Operands)}
		var got []string
		for _, m := range p.filters(f, &in) {
			if m.given {
				got = append(got, m.name)
			}
		}
		if !slices.Equal(got, []string{at}) {
			t.Errorf("graph/valueinputs.go: filters finds %q where %s is given", got, at)
		}
	}
}
