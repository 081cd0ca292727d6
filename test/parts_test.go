package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// generated matches the line that marks generated Go files.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// sources calls each with the name and content of every Go file of the module that is neither generated nor a
// test.
func sources(t *testing.T, each func(name string, text []byte)) {
	t.Helper()
	repository := os.DirFS("..")
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() {
			if name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.' ||
				base[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(repository, name)
		if err == nil && !generated.Match(text) {
			each(name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStoreParts checks that each part of package dynamo (a type whose underlying type is scope) uses only
// parts that are declared above it.
func TestStoreParts(t *testing.T) {
	var order []string
	uses := map[string][]string{}
	var files []*ast.File
	sources(t, func(name string, text []byte) {
		if path.Dir(name) != "dynamo" {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
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
	})
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
