package test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	// largePackage is the number of files from which TestLayers checks a package.
	largePackage = 15
	// maxUpwards is the largest share, in percent, of the references within a package that may point to a
	// higher layer.
	maxUpwards = 15
)

// TestLayers checks that the files of a large package can be read in one order, from top to bottom. A
// reference is a pair of a file and a function, method, type, variable or constant that the file uses and
// another file of the package declares; repeated uses count once. The layers of a package are the order of
// its files with the fewest references to earlier files.
func TestLayers(t *testing.T) {
	t.Parallel()
	files := map[string][]string{}
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "generated.go") {
			files[path.Dir(name)] = append(files[path.Dir(name)], name)
		}
	}
	large := 0
	for folder, names := range files {
		if len(names) < largePackage {
			continue
		}
		large++
		refs := references(t, names)
		order := layers(names, refs)
		all, up := count(order, refs)
		percent := 100 * float64(up) / float64(all)
		t.Logf("%-12s %2d files, %3d references, %2d of them to an earlier file (%.0f %%)", folder,
			len(names), all, up,
			percent)
		if percent > maxUpwards {
			t.Errorf("%s: %d of %d references point to an earlier file (%.0f %%), want at most %d %%:%s",
				folder,
				up, all,
				percent, maxUpwards, worst(order, refs))
		}
	}
	if large == 0 {
		t.Error("no package is large enough to check")
	}
}

// link is a pair of files, one of which uses declarations of the other.
type link struct{ from, to string }

// references returns, for each link, how many declarations of its second file the first one uses. Imported
// packages are not loaded, so uses of their types are not resolved and not counted.
func references(t *testing.T, names []string) map[link]int {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, "../"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Error: func(error) {}, Importer: noImports{}}
	self, _ := config.Check(path.Dir(names[0]), fset, parsed, info)
	type use struct {
		file string
		what types.Object
	}
	seen := map[use]bool{}
	out := map[link]int{}
	for at, what := range info.Uses {
		if what.Pkg() != self || !declared(self, what) {
			continue
		}
		from, to := path.Base(fset.File(at.Pos()).Name()), path.Base(fset.File(what.Pos()).Name())
		if u := (use{from, what}); from != to && !seen[u] {
			seen[u] = true
			out[link{from, to}]++
		}
	}
	return out
}

// declared reports whether what is a package-level declaration or a method.
func declared(p *types.Package, what types.Object) bool {
	if f, ok := what.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return what.Parent() == p.Scope()
}

// noImports is an importer that finds no package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// layers orders files so that few references point to earlier files. It starts with the files that use the
// most and are used the least, then moves single files as long as that reduces the number.
func layers(names []string, refs map[link]int) []string {
	order := make([]string, len(names))
	for i, name := range names {
		order[i] = path.Base(name)
	}
	balance := map[string]int{}
	for l, n := range refs {
		balance[l.from] += n
		balance[l.to] -= n
	}
	slices.SortStableFunc(order, func(a, b string) int { return balance[b] - balance[a] })
	_, best := count(order, refs)
	for better := true; better; {
		better = false
		for i := range order {
			for j := range order {
				moved := slices.Insert(slices.Delete(slices.Clone(order), i, i+1), j, order[i])
				if _, up := count(moved, refs); up < best {
					order, best, better = moved, up, true
				}
			}
		}
	}
	return order
}

// count returns the number of references and how many of them point to earlier files.
func count(order []string, refs map[link]int) (all, up int) {
	position := map[string]int{}
	for i, name := range order {
		position[name] = i
	}
	for l, n := range refs {
		all += n
		if position[l.to] < position[l.from] {
			up += n
		}
	}
	return all, up
}

// worst formats the order and the links with the most references to earlier files.
func worst(order []string, refs map[link]int) string {
	against := maps.Clone(refs)
	maps.DeleteFunc(against, func(l link, _ int) bool {
		return slices.Index(order, l.to) > slices.Index(order, l.from)
	})
	links := slices.SortedFunc(maps.Keys(against), func(a, b link) int { return against[b] - against[a] })
	text := "\n  order: " + strings.Join(order, " ")
	for _, l := range links[:min(len(links), 10)] {
		text += fmt.Sprintf("\n  %s uses %d of %s", l.from, against[l], l.to)
	}
	return text
}

// TestLayersNotice checks that layers and count find a reference to an earlier file.
func TestLayersNotice(t *testing.T) {
	t.Parallel()
	refs := map[link]int{{"a", "b"}: 5, {"b", "c"}: 5, {"a", "c"}: 5, {"c", "a"}: 1}
	order := layers([]string{"x/c", "x/a", "x/b"}, refs)
	all, up := count(order, refs)
	if !slices.Equal(order, []string{"a", "b", "c"}) || all != 16 || up != 1 {
		t.Errorf("the order is %v, with %d of %d references to an earlier file", order, up, all)
	}
}
