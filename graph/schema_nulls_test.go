package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	gql "github.com/vektah/gqlparser/v2/ast"
)

// neverFail are fields whose Go functions return an error but that can be non-null all the same.
var neverFail = map[string]string{
	"IssueEdge.cursor":            "encodes a position",
	"IssueConnection.pageInfo":    "encodes positions",
	"TextValue.display":           "the value is null if its string cannot be read",
	"TextValue.text":              "the value is null if its string cannot be read",
	"LongTextValue.display":       "the value is null if its string cannot be read",
	"LongTextValue.text":          "the value is null if its string cannot be read",
	"Project.viewerCanEdit":       "compares roles",
	"Project.viewerCanAdminister": "compares roles",
	"Tenant.viewerCanAdminister":  "compares roles",
}

// TestFieldsThatFailAreNullable checks the rule at the top of the schema: a field that can fail on its own is
// nullable, so that its error does not take its neighbors with it.
func TestFieldsThatFailAreNullable(t *testing.T) {
	schema := schemaFile(t)
	functions := failingFunctions(t)
	used, nullable := map[string]bool{}, 0
	for _, d := range ofOurs(schema) {
		if d.Kind != gql.Object && d.Kind != gql.Interface {
			continue
		}
		for _, f := range d.Fields {
			name := d.Name + "." + f.Name
			fails := d == schema.Query || d == schema.Mutation || len(f.Arguments) > 0 ||
				functions[strings.ToLower(name)]
			switch {
			case strings.HasPrefix(f.Name, "__"):
			case neverFail[name] != "":
				used[name] = true
				if !fails || !f.Type.NonNull {
					t.Errorf("%s is no exception: it cannot fail, or is nullable", name)
				}
			case fails && f.Type.NonNull:
				t.Errorf("%s can fail on its own, and is %s", name, f.Type)
			case fails:
				nullable++
			}
		}
	}
	for name := range neverFail {
		if !used[name] {
			t.Errorf("the exception %s is not in the schema", name)
		}
	}
	if nullable < 40 {
		t.Errorf("only %d fields can fail", nullable)
	}
}

// failingFunctions returns the fields, in lower case, whose Go functions return an error.
func failingFunctions(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("model/*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	out := map[string]bool{}
	for _, path := range append(files, "schema.resolvers.go") {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Type.Results == nil {
				continue
			}
			results := f.Type.Results.List
			if last, ok := results[len(results)-1].Type.(*ast.Ident); !ok || last.Name != "error" {
				continue
			}
			receiver := f.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if of, ok := receiver.(*ast.Ident); ok {
				out[strings.ToLower(strings.TrimSuffix(of.Name, "Resolver")+"."+f.Name.Name)] = true
			}
		}
	}
	return out
}

// TestNullSaysNothing checks that each member of an input is either required or nullable, that none has a
// default, which a null in a query would not have, and that no description gives null a meaning of its own.
func TestNullSaysNothing(t *testing.T) {
	optional := 0
	for _, d := range ofOurs(schemaFile(t)) {
		if d.Kind != gql.InputObject {
			continue
		}
		for _, f := range d.Fields {
			if f.DefaultValue != nil {
				t.Errorf("%s.%s has a default in the schema; state it in the description", d.Name, f.Name)
			}
			if strings.Contains(strings.ToLower(f.Description), "null") && f.Name != "isNull" &&
				!strings.Contains(f.Description, "`isNull: true`") {
				t.Errorf("%s.%s: null has a meaning of its own: %s", d.Name, f.Name, f.Description)
			}
			if !f.Type.NonNull {
				optional++
			}
		}
	}
	if optional < 200 {
		t.Errorf("only %d members are optional", optional)
	}
}
