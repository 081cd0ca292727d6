package grid

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the package's files, from the bottom up. A file may use declarations of its own layer and of
// those below. The planner uses neither the files that read the index nor those that build a page.
var layers = []struct {
	name  string
	files string
}{
	{"ranges of the index", "indexrange"},
	{"request and page", "grid order cursor work node set probes sharedindex"},
	{"planning, without I/O", "region stats estimate plan choose"},
	{"calls", "pagesource documents"},
	{"statistics", "probe"},
	{"execution", "iterator scan list collect execute"},
	{"regions that are read", "plannedregion"},
	{"paging", "pagequery stream match explain read count anchor ways columns columngroups columnsort"},
}

// TestLayers checks that no file uses a name, field or method of the package that is declared in a layer
// above its own.
func TestLayers(t *testing.T) {
	layerOf := map[string]int{}
	for i, l := range layers {
		for _, file := range strings.Fields(l.files) {
			layerOf[file+".go"] = i
		}
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if _, ok := layerOf[name]; !ok {
			t.Errorf("%s is not in any layer", name)
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) != len(layerOf) {
		t.Errorf("got %d files, but layers lists %d", len(files), len(layerOf))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Imports need not resolve: only the package's own names matter.
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := config.Check("grid", set, files, info)
	uses, upwards := 0, []string{}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			continue
		}
		from, to := set.Position(id.Pos()), set.Position(o.Pos())
		if from.Filename == to.Filename {
			continue
		}
		uses++
		if layerOf[from.Filename] < layerOf[to.Filename] {
			upwards = append(upwards, from.String()+" uses "+id.Name+" of "+to.Filename)
		}
	}
	slices.Sort(upwards)
	for _, u := range upwards {
		t.Error(u)
	}
	if uses < 500 {
		t.Errorf("found only %d uses of names of other files", uses)
	}
	t.Logf("%d uses of names of other files, of which %d are in a layer above", uses, len(upwards))
}

// noImports imports nothing. Names of other packages remain unresolved.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) { return nil, errors.New(path) }
