package graph_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// TestEveryOperator checks that no member of a filter of the schema is ignored: given alone, each restricts
// the issues. gqlgen fails if a member of the schema is not in the struct.
func TestEveryOperator(t *testing.T) {
	var seen int
	restricts := func(name string, in *model.IssueFilter) {
		seen++
		c, err := graph.ParseFilter(filtered, in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if filter.Normalize(c).Always() {
			t.Errorf("%s is ignored", name)
		}
	}
	builtin := reflect.TypeFor[model.IssueFilter]()
	for i := range builtin.NumField() {
		f := builtin.Field(i)
		switch f.Name {
		case "And", "Or", "Not", "Fields":
			continue
		case "Open":
			restricts("Open", &model.IssueFilter{Open: new(true)})
			continue
		}
		id := stateOf("new")
		switch f.Type {
		case reflect.TypeFor[*model.ParticipantSetFilter](), reflect.TypeFor[*model.UserFilter]():
			id = model.UserNodeID("t", "ada")
		}
		eachOperator(f.Type.Elem(), id, "new", func(operator string, value reflect.Value) {
			var in model.IssueFilter
			reflect.ValueOf(&in).Elem().Field(i).Set(value)
			restricts(f.Name+"."+operator, &in)
		})
	}
	num := &model.IssueFilter{Num: &model.NumFilter{Eq: new(int32(3))}}
	restricts("And", &model.IssueFilter{And: []*model.IssueFilter{num}})
	restricts("Or", &model.IssueFilter{Or: []*model.IssueFilter{num}})
	restricts("Not", &model.IssueFilter{Not: num})

	custom := reflect.TypeFor[model.CustomFieldFilter]()
	for i := range custom.NumField() {
		f := custom.Field(i)
		if f.Name == "FieldID" {
			continue
		}
		accepted := false
		for _, kind := range tracker.FieldTypes {
			on := func(operator string, value reflect.Value) {
				var in model.CustomFieldFilter
				reflect.ValueOf(&in).Elem().Field(i).Set(value)
				accepted = true
				restricts(fmt.Sprintf("%s: %s.%s", kind, f.Name, operator), onField(kind, in))
			}
			if f.Type == reflect.TypeFor[*bool]() {
				on("true", reflect.ValueOf(new(true)))
				continue
			}
			if _, err := graph.ParseFilter(filtered, onField(kind, empty(i, f.Type.Elem()))); err == nil {
				id := optionOf(kind, "o1")
				if kind == tracker.TypeUser {
					id = model.UserNodeID("t", "ada")
				}
				eachOperator(f.Type.Elem(), id, "1", on)
			}
		}
		if !accepted {
			t.Errorf("no type of field takes %s", f.Name)
		}
	}
	if seen < 100 {
		t.Errorf("only %d operators were tried", seen)
	}
}

// empty is a filter of a custom field whose member i selects issues without a value.
func empty(i int, of reflect.Type) (in model.CustomFieldFilter) {
	member := reflect.New(of)
	member.Elem().FieldByName("IsNull").Set(reflect.ValueOf(new(true)))
	reflect.ValueOf(&in).Elem().Field(i).Set(member)
	return in
}

// eachOperator calls with with a pointer to a struct of the type for each of its members, which alone is set.
// String operands are name, or id for operators that take ids; any string is a valid text.
func eachOperator(of reflect.Type, id, name string, with func(operator string, value reflect.Value)) {
	for _, f := range reflect.VisibleFields(of) {
		if f.Anonymous {
			continue
		}
		value := reflect.New(of)
		operand := name
		if strings.HasSuffix(f.Name, "ID") || strings.HasSuffix(f.Name, "Ids") {
			operand = id
		}
		fill(value.Elem().FieldByIndex(f.Index), operand)
		with(f.Name, value)
	}
}

// fill sets a value, and everything in it, to a valid operand.
func fill(v reflect.Value, id string) {
	switch v.Type() {
	case reflect.TypeFor[model.Date]():
		v.SetString("2024-02-29")
		return
	case reflect.TypeFor[model.DateTime]():
		v.SetString("2024-02-29T12:00:00Z")
		return
	case reflect.TypeFor[model.RelativeTimeBase]():
		v.SetString(string(model.RelativeTimeBaseStartOfDay))
		return
	case reflect.TypeFor[model.TimeUnit]():
		v.SetString(string(model.TimeUnitDay))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), id)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), id)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), id)
		}
	case reflect.String:
		v.SetString(id)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(3)
	default:
		v.SetInt(3)
	}
}
