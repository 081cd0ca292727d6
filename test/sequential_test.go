package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSequential checks that the packages which make race leaves out as sequential start no goroutines:
// neither they and their tests, nor the packages of this module that these import.
func TestSequential(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^SEQUENTIAL := (.*)$`).FindStringSubmatch(
		strings.ReplaceAll(string(text), "\\\n", ""))
	if list == nil {
		t.Fatal("the Makefile has no SEQUENTIAL")
	}
	files := map[string][]string{} // of each package
	for _, name := range goFiles(t) {
		dir := path.Join("issuegrid", path.Dir(name))
		files[dir] = append(files[dir], name)
	}
	for _, of := range strings.Fields(list[1]) {
		if len(files[of]) == 0 {
			t.Errorf("there is no package %s", of)
		}
		seen := map[string]bool{}
		var check func(pkg string)
		check = func(pkg string) {
			seen[pkg] = true
			for _, name := range files[pkg] {
				if pkg != of && strings.HasSuffix(name, "_test.go") {
					continue
				}
				imports, at := concurrency(t, name)
				if at != "" {
					t.Errorf("%s: tests with the race detector leave out %s", at, of)
				}
				for _, other := range imports {
					if !seen[other] {
						check(other)
					}
				}
			}
		}
		check(of)
	}
}

// starters are functions and methods that start goroutines.
var starters = []string{"AfterFunc", "Go", "GoWithContext", "NewServer", "NewTLSServer", "Parallel",
	"RunParallel"}

// concurrency returns what a file imports, and the position of what starts a goroutine in it.
func concurrency(t *testing.T, name string) (imports []string, at string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "../"+name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range file.Imports {
		if other, err := strconv.Unquote(i.Path.Value); err == nil {
			imports = append(imports, other)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at = set.Position(n.Pos()).String()
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(starters, f.Sel.Name) {
				at = set.Position(n.Pos()).String()
			}
		}
		return true
	})
	return imports, at
}
