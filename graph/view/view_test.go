package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// sample returns the JSON of an input with all members of the schema. Filters of issues are nested to a
// depth; beyond it, lists are empty, which is not the same as none.
func sample(schema *ast.Schema, typ *ast.Type, depth int) any {
	d := schema.Types[typ.Name()]
	switch {
	case typ.Elem != nil && depth == 0 && d.Name == "IssueFilter":
		return []any{}
	case typ.Elem != nil:
		return []any{sample(schema, typ.Elem, depth)}
	case d.Kind == ast.Enum:
		return d.EnumValues[len(d.EnumValues)-1].Name
	case d.Kind == ast.InputObject:
		out := map[string]any{}
		for _, f := range d.Fields {
			below := depth
			if f.Type.Name() == "IssueFilter" {
				below--
			}
			if below >= 0 || f.Type.Elem != nil {
				out[f.Name] = sample(schema, f.Type, max(below, 0))
			}
		}
		return out
	}
	return map[string]any{"ID": "an id", "String": "a \"text\" with <html> & é", "Int": -7, "Float": 1e-130,
		"Int64": "-9223372036854775808", "Boolean": true, "Date": "2026-01-31",
		"DateTime": "2026-01-31T09:30:00.123456Z"}[d.Name]
}

// TestFiltersRoundTrip decodes a filter with every member of every input, and encodes it again (W1).
func TestFiltersRoundTrip(t *testing.T) {
	schema := guardtest.SchemaFile(t, "../../schema.graphqls")
	where := schema.Types["Project"].Fields.ForName("issues").Arguments.ForName("where").Type
	want, err := json.Marshal(sample(schema, where, 1))
	if err != nil {
		t.Fatal(err)
	}
	limits := guard.DefaultLimits()
	if _, err := limits.Argument(schema, model.Scalars, "where", where, string(want)); err != nil {
		t.Errorf("the test's filter as a variable: %v", err)
	}
	f, err := decode(string(want))
	if err != nil {
		t.Fatal(err)
	}
	text, err := encode(f)
	if err != nil {
		t.Fatal(err)
	}
	var got, expected any
	for from, to := range map[string]*any{text: &got, string(want): &expected} {
		if err := json.Unmarshal([]byte(from), to); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("encoded again (-want +got):\n%s", diff)
	}
	if strings.Count(text, `"relative"`) < 6 || strings.Count(text, `"or":[]`) == 0 {
		t.Errorf("the test's filter lacks members: %s", text)
	}
}

// TestEmptyFilters checks that a filter without members is none, and that one with empty lists keeps them.
func TestEmptyFilters(t *testing.T) {
	for want, f := range map[string]*model.IssueFilter{"": {}, `{"or":[]}`: {Or: []*model.IssueFilter{}},
		`{"state":{"inIds":[]}}`:   {State: &model.OptionFilter{In: []string{}}},
		`{"not":{}}`:               {Not: &model.IssueFilter{}},
		`{"and":[{}],"open":true}`: {And: []*model.IssueFilter{{}}, Open: new(true)}} {
		v := tracker.View{}
		d := tracker.NewDefinition(tracker.Project{}, nil)
		if err := Save(d, &v, f, current{d}, func(tracker.FieldType) string { return "" }); err != nil {
			t.Fatal(err)
		}
		if v.Filter != want {
			t.Errorf("%+v is saved as %q, want %q", f, v.Filter, want)
		}
	}
	if text, err := encode(nil); text != "" || err != nil {
		t.Errorf("no filter is saved as %q, %v", text, err)
	}
}

// definition returns a project with the states a and c and a field with the options x and z, while b is
// merged into c, y into z, and w into none.
func definition() *tracker.Definition {
	p := tracker.Project{ID: "p", Tenant: "t",
		States:  []tracker.State{{ID: "a", Name: "A"}, {ID: "c", Name: "C"}},
		Rebuild: tracker.Rebuild{Merged: map[tracker.OptionID]tracker.OptionID{"b": "c"}}}
	return tracker.NewDefinition(p, []*tracker.Field{{ID: "f", Name: "F", Type: tracker.TypeMultiSelect,
		Options: []tracker.Option{{ID: "x", Name: "X"}, {ID: "z", Name: "Z"}},
		Rebuild: tracker.Rebuild{Merged: map[tracker.OptionID]tracker.OptionID{"y": "z", "w": ""}}}})
}

// TestMergedChoices checks that merged states and options are replaced, each once, and that those that have
// no replacement are reported.
func TestMergedChoices(t *testing.T) {
	d := definition()
	state := func(id tracker.OptionID) string { return model.StateID("t", "p", id) }
	option := func(id tracker.OptionID) string { return model.OptionID("t", "p", "f", id) }
	text, err := encode(&model.IssueFilter{State: &model.OptionFilter{NeqID: new(state("b")),
		InIds: []string{state("b"), state("c"), state("a")}},
		Fields: []*model.CustomFieldFilter{{FieldID: model.FieldNodeID("t", "p", "f"),
			Options: &model.OptionSetFilter{HasAnyIds: []string{option("y"), option("z")},
				HasNoneIds: []string{option("w")}}}}})
	if err != nil {
		t.Fatal(err)
	}
	v := tracker.View{Filter: text, Names: map[string]string{option("w"): "W"}}
	got := Read(d, &v, nil, func(tracker.FieldType) string { return "options" })
	want := &model.IssueFilter{State: &model.OptionFilter{NeqID: new(state("c")),
		InIds: []string{state("c"), state("a")}},
		Fields: []*model.CustomFieldFilter{{FieldID: model.FieldNodeID("t", "p", "f"),
			Options: &model.OptionSetFilter{HasAnyIds: []string{option("z")}}}}}
	if diff := cmp.Diff(want, got.Where); diff != "" {
		t.Errorf("the filter (-want +got):\n%s", diff)
	}
	problems := []*model.ViewProblem{{Path: "filter.fields[0].options.hasNoneIds[0]",
		Message: `the option "W" of the custom field "F" no longer exists`}}
	if diff := cmp.Diff(problems, got.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	NoteNames(d, &v, func(tracker.FieldType) string { return "options" })
	names := map[string]string{state("a"): "A", state("c"): "C", option("z"): "Z", option("w"): "W",
		model.FieldNodeID("t", "p", "f"): "F"}
	if diff := cmp.Diff(names, v.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// TestUnreadableFilter checks that a view opens although its filter has an unknown member.
func TestUnreadableFilter(t *testing.T) {
	for _, text := range []string{`{"unknown":{}}`, `{"num":{"eq":"x"}}`, `[]`, `{`} {
		got := Read(definition(), &tracker.View{Filter: text}, nil, nil)
		if len(got.Problems) != 1 || got.Problems[0].Path != "filter" || got.Where != nil ||
			got.Filter != nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// BenchmarkRead measures the CPU time for a byte of a filter, which graph's viewCPU states.
func BenchmarkRead(b *testing.B) {
	d := definition()
	f := &model.IssueFilter{State: &model.OptionFilter{EqID: new(model.StateID("t", "p", "a"))}}
	for range 99 {
		f.Fields = append(f.Fields, &model.CustomFieldFilter{FieldID: model.FieldNodeID("t", "p", "f"),
			Options: &model.OptionSetFilter{HasAnyIds: []string{model.OptionID("t", "p", "f", "x")}}})
	}
	text, err := encode(f)
	if err != nil {
		b.Fatal(err)
	}
	v := tracker.View{Filter: text}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if got := Read(d, &v, nil, func(tracker.FieldType) string { return "options" }); got.Where == nil {
			b.Fatal(got.Problems)
		}
	}
}
