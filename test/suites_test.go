package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// suite is a line of .ci/suites whose command runs tests of tier two.
type suite struct {
	name     string
	run      *regexp.Regexp // of go test; nil: all tests of the packages
	packages []string       // such as ./graph
}

// suites parses .ci/suites. A command that is a target of the Makefile is replaced by its recipe.
func suites(t *testing.T) (all []suite) {
	t.Helper()
	text, err := os.ReadFile("../.ci/suites")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var (
		runs     = regexp.MustCompile(`-run '([^']*)'`)
		packages = regexp.MustCompile(`\./[a-z/]+`)
	)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 3 {
			t.Fatalf("%q has %d columns, want 3", line, len(columns))
		}
		if _, err := regexp.Compile(columns[1]); err != nil {
			t.Fatal(err)
		}
		commands := columns[2]
		if target, ok := strings.CutPrefix(commands, "make "); ok {
			target, _, _ = strings.Cut(target, " ")
			_, recipe, found := strings.Cut(string(makefile), "\n"+target+": ")
			if !found {
				t.Errorf("the Makefile has no target %s", target)
			}
			commands, _, _ = strings.Cut(recipe, "\n\n")
			commands = strings.ReplaceAll(commands, "$$", "$")
		}
		for command := range strings.Lines(commands) {
			if !strings.Contains(command, "ISSUEGRID_VERIFY=1 ") {
				continue
			}
			s := suite{name: columns[0], packages: packages.FindAllString(command, -1)}
			if run := runs.FindStringSubmatch(command); run != nil {
				s.run = regexp.MustCompile(run[1])
			}
			all = append(all, s)
		}
	}
	return all
}

// TestSuites checks that each test of tier two is in a suite of make verify, and that each suite that runs
// tests of tier two has one.
func TestSuites(t *testing.T) {
	t.Parallel()
	all := suites(t)
	used := map[string]bool{}
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "../"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !callsVerify(f) {
				continue
			}
			i := slices.IndexFunc(all, func(s suite) bool {
				return slices.Contains(s.packages, "./"+path.Dir(name)) &&
					(s.run == nil || s.run.MatchString(f.Name.Name))
			})
			if i < 0 {
				t.Errorf("%s: no suite in .ci/suites runs %s", set.Position(f.Pos()), f.Name.Name)
				continue
			}
			used[all[i].name] = true
		}
	}
	for _, s := range all {
		if !used[s.name] {
			t.Errorf("the suite %s runs no test of tier two", s.name)
		}
	}
}

// callsVerify reports whether a function calls tier.Verify.
func callsVerify(f *ast.FuncDecl) (calls bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			of, ok := s.X.(*ast.Ident)
			calls = calls || ok && of.Name == "tier" && s.Sel.Name == "Verify"
		}
		return true
	})
	return calls
}
