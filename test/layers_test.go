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
	// largePackage is how many files a package has that must have layers.
	largePackage = 15
	// maxUpwards is the largest share, in percent, of references within a package that point against its
	// layers.
	maxUpwards = 15
)

// TestLayers: the files of a large package can be read from one end to the other. A reference is a file and
// what another file of the package declares and it uses: a function, a method, a type, a variable or a
// constant, once however often it is used. The layers of a package are the order of its files with the fewest
// references to earlier ones.
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
		t.Logf("%-12s %2d files, %3d references, %2d of them against the layers (%.0f %%)", folder,
			len(names), all, up,
			percent)
		if percent > maxUpwards {
			t.Errorf("%s: %d of %d references point against its layers (%.0f %%), at most %d %%:%s", folder,
				up, all,
				percent, maxUpwards, worst(order, refs))
		}
	}
	if large == 0 {
		t.Error("there is no large package")
	}
}

// link is what one file uses of another.
type link struct{ from, to string }

// references returns how many names of one file another one uses. Other packages are not read: what is of
// their types stays unknown, and is no reference within the package.
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

// declared reports whether an object is declared at the top of a file, or is a method.
func declared(p *types.Package, what types.Object) bool {
	if f, ok := what.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return what.Parent() == p.Scope()
}

// noImports has no package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// layers orders files so that few references point to earlier ones: it begins with the files that use most
// and are used least, and then moves single files for as long as that helps.
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

// count returns how many references there are, and how many of them point to earlier files.
func count(order []string, refs map[link]int) (all, up int) {
	place := map[string]int{}
	for i, name := range order {
		place[name] = i
	}
	for l, n := range refs {
		all += n
		if place[l.to] < place[l.from] {
			up += n
		}
	}
	return all, up
}

// worst lists the order, and the most references against it.
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

// TestLayersNotice proves that TestLayers notices.
func TestLayersNotice(t *testing.T) {
	t.Parallel()
	refs := map[link]int{{"a", "b"}: 5, {"b", "c"}: 5, {"a", "c"}: 5, {"c", "a"}: 1}
	order := layers([]string{"x/c", "x/a", "x/b"}, refs)
	all, up := count(order, refs)
	if !slices.Equal(order, []string{"a", "b", "c"}) || all != 16 || up != 1 {
		t.Errorf("the order is %v, with %d of %d references against it", order, up, all)
	}
}
