package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// maxMethods is the most methods of one type: one with more is several things at once.
const maxMethods = 40

// generated is how Go marks files that nobody writes by hand.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// countMethods adds the methods that one file declares to those of the types of its package.
func countMethods(t *testing.T, name string, text []byte, all map[string]int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		receiver := f.Recv.List[0].Type
		for {
			switch r := receiver.(type) {
			case *ast.StarExpr:
				receiver = r.X
				continue
			case *ast.IndexExpr:
				receiver = r.X
				continue
			case *ast.IndexListExpr:
				receiver = r.X
				continue
			case *ast.Ident:
				all[path.Join(path.Dir(name), r.Name)]++
			}
			break
		}
	}
}

// sources calls each with every Go file of the module that is written by hand and is no test.
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

// TestMethods fails on a type with too many methods.
func TestMethods(t *testing.T) {
	all := map[string]int{}
	sources(t, func(name string, text []byte) { countMethods(t, name, text, all) })
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] > maxMethods {
			t.Errorf("%s has %d methods, more than %d", name, all[name], maxMethods)
		}
	}
	if n := all["dynamo/Tenant"]; n == 0 {
		t.Error("no methods of dynamo.Tenant were found: what is counted here?")
	}
}

// TestMethodsNotice counts each way to write a receiver.
func TestMethodsNotice(t *testing.T) {
	all := map[string]int{}
	countMethods(t, "a/a.go", []byte(`package a
func (A) One() {}
func (a *A) Two() {}
func (b *B[K]) One() {}
func (b B[_]) Two() {}
func (c *C[K, V]) One() {}
func F() {}`), all)
	if diff := cmp.Diff(map[string]int{"a/A": 2, "a/B": 2, "a/C": 1}, all); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

// TestStoreParts: a part of package dynamo (type scope) uses only those that stand above it in the list of
// the types over scope.
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
		t.Fatalf("the parts are %v: have they moved?", order)
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
				t.Errorf("%s uses %s, which does not stand above it", part, to)
			}
		}
	}
	if len(uses["committer"]) == 0 {
		t.Errorf("the committer uses no other part: %v", uses)
	}
}
