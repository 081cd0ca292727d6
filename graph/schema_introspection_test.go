package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

const introspection = guardtest.Introspection

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

func (r *typeRef) String() string {
	switch r.Kind {
	case "NON_NULL":
		return r.OfType.String() + "!"
	case "LIST":
		return "[" + r.OfType.String() + "]"
	}
	return r.Name
}

type inputRef struct {
	Name, Description string
	DefaultValue      *string
	Type              typeRef
}

// TestIntrospection compares the schema that introspection returns with the file.
func TestIntrospection(t *testing.T) {
	s := load(t)
	var got struct {
		Schema struct {
			QueryType, MutationType struct{ Name string }
			SubscriptionType        *struct{ Name string }
			Directives              []struct{ Name string }
			Types                   []struct {
				Kind, Name, Description   string
				SpecifiedByURL            *string
				IsOneOf                   *bool
				Interfaces, PossibleTypes []struct{ Name string }
				Fields                    []struct {
					Name, Description string
					IsDeprecated      bool
					Type              typeRef
					Args              []inputRef
				}
				InputFields []inputRef
				EnumValues  []struct {
					Name, Description string
					IsDeprecated      bool
				}
			}
		} `json:"__schema"`
	}
	s.data(t, introspection, nil, &got)
	if got.Schema.QueryType.Name != "Query" || got.Schema.MutationType.Name != "Mutation" ||
		got.Schema.SubscriptionType != nil {
		t.Errorf("%+v", got.Schema.SubscriptionType)
	}
	var directives []string
	for _, d := range got.Schema.Directives {
		directives = append(directives, d.Name)
	}
	slices.Sort(directives)
	same(t, "directives", []string{"deprecated", "include", "oneOf", "requires", "skip",
		"specifiedBy"},
		directives)

	var introspected, file []string
	line := func(to *[]string, format string, args ...any) { *to = append(*to, fmt.Sprintf(format, args...)) }
	for _, d := range got.Schema.Types {
		if strings.HasPrefix(d.Name, "__") ||
			slices.Contains([]string{"Int", "Float", "String", "Boolean", "ID"}, d.Name) {
			continue
		}
		interfaces := []string{}
		for _, i := range d.Interfaces {
			interfaces = append(interfaces, i.Name)
		}
		line(&introspected, "%s %s %q %q %t %s", d.Kind, d.Name, d.Description, deref(d.SpecifiedByURL),
			d.IsOneOf != nil && *d.IsOneOf, interfaces)
		for _, f := range d.Fields {
			line(&introspected, "%s.%s: %s %q", d.Name, f.Name, &f.Type, f.Description)
			for _, a := range f.Args {
				line(&introspected, "%s.%s(%s: %s = %s) %q", d.Name, f.Name, a.Name, &a.Type,
					deref(a.DefaultValue),
					a.Description)
			}
		}
		for _, f := range d.InputFields {
			line(&introspected, "%s.%s: %s = %s %q", d.Name, f.Name, &f.Type, deref(f.DefaultValue),
				f.Description)
		}
		for _, v := range d.EnumValues {
			line(&introspected, "%s.%s %q", d.Name, v.Name, v.Description)
		}
	}
	for _, d := range ofOurs(schemaFile(t)) {
		url := ""
		if by := d.Directives.ForName("specifiedBy"); by != nil {
			url = by.Arguments.ForName("url").Value.Raw
		}
		interfaces := d.Interfaces
		if interfaces == nil {
			interfaces = []string{}
		}
		line(&file, "%s %s %q %q %t %s", d.Kind, d.Name, d.Description, url,
			d.Directives.ForName("oneOf") != nil, interfaces)
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if d.Kind == ast.InputObject {
				line(&file, "%s.%s: %s = %s %q", d.Name, f.Name, f.Type, defaultOf(f.DefaultValue),
					f.Description)
				continue
			}
			line(&file, "%s.%s: %s %q", d.Name, f.Name, f.Type, f.Description)
			for _, a := range f.Arguments {
				line(&file, "%s.%s(%s: %s = %s) %q", d.Name, f.Name, a.Name, a.Type,
					defaultOf(a.DefaultValue), a.Description)
			}
		}
		for _, v := range d.EnumValues {
			line(&file, "%s.%s %q", d.Name, v.Name, v.Description)
		}
	}
	slices.Sort(introspected)
	slices.Sort(file)
	if diff := gocmp.Diff(file, introspected); diff != "" {
		t.Errorf("schema (-file +introspection):\n%s", diff)
	}
	if len(introspected) < 300 {
		t.Errorf("%d lines", len(introspected))
	}
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v, want none", calls)
	}
}

func defaultOf(v *ast.Value) string {
	if v == nil {
		return ""
	}
	return v.String()
}

// TestIntegersHave32Bits checks that integers have 32 bits, except those of the scalar Int64.
// TestValuesByKind has the kinds of values that both take.
func TestIntegersHave32Bits(t *testing.T) {
	projects := sample.Worked()
	s := load(t, projects...)
	project, issue, field := projectID(&projects[0]), issueID(&projects[0], 0), fieldID(&projects[0], "3fe6")
	var refusals []refusal
	for _, n := range []string{"2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
		"99999999999999999999999"} {
		literal := refusal{name: "literal " + n, code: tracker.BadInput, argument: "num",
			query: fmt.Sprintf(`{ project(id: %q) { issue: issueByNum(num: %s) { num } } }`, project, n)}
		if _, err := strconv.ParseInt(n, 10, 64); err != nil {
			// found by the library before it looks for the argument
			literal.argument, literal.says = "", []string{n}
		}
		refusals = append(refusals, literal, refusal{name: "variable " + n, code: tracker.BadInput,
			query:     `query($p: ID!, $n: Int!) { project(id: $p) { issue: issueByNum(num: $n) { num } } }`,
			variables: map[string]any{"p": project, "n": json.Number(n)}, argument: "num"})
	}
	s.refuses(t, append(refusals, refusal{name: "inside of an input", query: updateMutation,
		variables: map[string]any{"i": map[string]any{"id": issue,
			"expectedVersion": json.Number("2147483648")}},
		code: tracker.BadInput, argument: "input.issue.expectedVersion"}))
	update := func(n string) string {
		return fmt.Sprintf(`mutation { updateIssue(input: {issue: {id: %q, values: [{fieldId: %[2]q, value: {integer: %s}}]}}) {
			issue { value(fieldId: %[2]q) { display ... on IntegerValue { integer } } } } }`, issue, field, n)
	}
	s.wire.Reset()
	a := s.ask(t, update("9223372036854775808"), nil)
	if calls := s.wire.Calls(); len(a.Errors) == 0 ||
		a.Errors[0].Extensions["code"] != string(tracker.BadInput) || calls["TransactWriteItems"] > 0 {
		t.Errorf("2^63 for an Int64: %+v, %v", a.Errors, calls)
	}
	for _, n := range []string{"9223372036854775807", "-9223372036854775808"} {
		same(t, "the changed issue", fmt.Sprintf(
			`{"updateIssue":{"issue":{"value":{"display":%q,"integer":%[1]q}}}}`, n),
			string(s.data(t, update(n), nil, new(any)).Data))
		same(t, "the row", fmt.Sprintf(`{"project":{"issues":{"nodes":[{"value":{"integer":%q}}]}}}`, n),
			string(s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 1) { nodes { value(fieldId: %q) {
				... on IntegerValue { integer } } } } } }`, project, field), nil, new(any)).Data))
	}
}
