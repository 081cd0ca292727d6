package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestStoreParts checks that each part of package dynamo (a type whose underlying type is scope) uses only
// parts that are declared above it.
func TestStoreParts(t *testing.T) {
	var order []string
	uses := map[string][]string{}
	var files []*ast.File
	for _, name := range goFiles(t) {
		if path.Dir(name) != "dynamo" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "../"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if over, ok := s.Type.(*ast.Ident); ok && over.Name == "scope" {
					order = append(order, s.Name.Name)
				}
			}
			return true
		})
	}
	if len(order) < 2 {
		t.Fatalf("found the parts %v, want at least 2", order)
	}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			part, ok := f.Recv.List[0].Type.(*ast.Ident)
			if !ok || !slices.Contains(order, part.Name) {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if to, ok := call.Fun.(*ast.Ident); ok && to.Name != part.Name &&
					slices.Contains(order, to.Name) {
					uses[part.Name] = append(uses[part.Name], to.Name)
				}
				return true
			})
		}
	}
	for i, part := range order {
		for _, to := range uses[part] {
			if !slices.Contains(order[:i], to) {
				t.Errorf("%s uses %s, which is not declared above it", part, to)
			}
		}
	}
	if len(uses["committer"]) == 0 {
		t.Errorf("the committer uses no other part: %v", uses)
	}
}
