// Package test has only tests, which check the imports, the sizes and the layers of the module's packages.
// The tests of the whole program are in its subfolders.
package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// allowedImports maps each package of the module, by its folder without internal/ of the root, to the
// packages of the module that it may import (docs/architecture.md). The server is ".". A package that is not
// listed fails the test.
var allowedImports = map[string][]string{
	".": {"cli"},
	"cli": {"auth", "dynamo", "dynamo/check", "export", "graph", "graph/guard", "graph/model",
		"account", "httpd", "importer", "importjob", "lambda", "loaders", "local", "operation", "sample",
		"session", "setting", "telemetry", "tracker", "traffic"},
	"httpd": {"account", "auth", "dynamo", "dynamo/uploads", "export", "graph", "graph/guard", "graph/model",
		"grid", "importer", "importjob", "loaders", "operation", "refusal", "session",
		"strictjson", "telemetry", "tracker", "traffic", "web"},
	"account":   {"tracker"},
	"operation": {"account", "tracker", "traffic"},
	"cache":     {},
	"traffic":   {"tracker"},
	"runner":    {"tracker", "traffic"},
	"session": {"account", "cache", "dynamo", "dynamo/comments", "dynamo/people", "dynamo/views", "graph",
		"graph/model", "loaders", "operation", "tracker"},
	"graph": {"account", "columns", "fold", "graph/estimate", "graph/guard", "graph/model", "graph/once",
		"graph/rows", "graph/transport", "graph/view", "grid", "grid/filter", "groups", "loaders",
		"operation",
		"participation", "relative", "setting", "sortkey", "summaries", "tracker"},
	"graph/estimate":   {"grid", "tracker"},
	"graph/guard":      {"account", "cache", "graph/validation", "setting", "tracker"},
	"graph/validation": {"setting", "tracker"},
	"graph/once":       {"tracker"},
	"graph/rows":       {"graph/model", "tracker"},
	"graph/transport":  {"graph/guard", "operation", "refusal", "tracker"},
	"refusal":          {"tracker"},
	"graph/view":       {"graph/model", "grid", "tracker"},
	"graph/model": {"columns", "grid", "grid/filter", "groups", "loaders", "relative", "sortkey",
		"summaries", "tracker"},
	"groups": {"account", "columns", "fold", "grid", "grid/filter", "relative", "sortkey",
		"tracker"},
	"participation": {"columns", "grid", "grid/filter", "sortkey", "tracker"},
	"summaries":     {"account", "columns", "grid", "grid/filter", "sortkey", "tracker"},
	"grid":          {"account", "cache", "columns", "grid/filter", "sortkey", "tracker"},
	"grid/filter":   {"columns", "fold", "sortkey", "tracker"},
	"loaders": {"account", "columns", "dynamo", "dynamo/activity", "dynamo/comments", "dynamo/people",
		"dynamo/views", "sortkey",
		"tracker"},
	"importer":       {"columns", "dynamo", "fold", "importer/forms", "sortkey", "tracker"},
	"importer/forms": {"tracker"},
	"importjob": {"account", "dynamo", "dynamo/uploads", "importer", "importer/forms", "runner", "tracker",
		"traffic"},
	"export": {"importer", "tracker"},
	"sample": {"dynamo", "tracker"},
	"dynamo": {"account", "columns", "dynamo/internal/client", "dynamo/internal/definitions",
		"dynamo/internal/issues", "dynamo/internal/jobs", "dynamo/internal/layout", "dynamo/internal/store",
		"runner", "tracker"},
	"dynamo/check": {"columns", "dynamo", "dynamo/internal/client", "dynamo/internal/layout",
		"dynamo/internal/store", "dynamo/internal/work", "sortkey", "tracker"},
	"dynamo/views": {"dynamo", "dynamo/internal/client", "dynamo/internal/layout", "dynamo/internal/store",
		"tracker"},
	"dynamo/people": {"dynamo", "dynamo/internal/client", "dynamo/internal/layout", "dynamo/internal/store",
		"dynamo/internal/work",
		"tracker"},
	"dynamo/activity": {"dynamo", "dynamo/internal/layout", "dynamo/internal/store", "tracker"},
	"dynamo/comments": {"dynamo", "dynamo/internal/client", "dynamo/internal/layout", "dynamo/internal/store",
		"tracker"},
	"dynamo/uploads": {"dynamo", "dynamo/internal/client", "dynamo/internal/layout", "dynamo/internal/store",
		"tracker"},
	"dynamo/internal/jobs": {"columns", "dynamo/internal/client", "dynamo/internal/definitions",
		"dynamo/internal/issues", "dynamo/internal/layout", "dynamo/internal/store", "dynamo/internal/work",
		"runner", "sortkey", "tracker"},
	"dynamo/internal/issues": {"account", "columns", "dynamo/internal/client", "dynamo/internal/definitions",
		"dynamo/internal/layout", "dynamo/internal/store", "sortkey", "tracker"},
	"dynamo/internal/definitions": {"account", "cache", "dynamo/internal/client", "dynamo/internal/layout",
		"dynamo/internal/store", "dynamo/internal/work", "tracker"},
	"dynamo/internal/work": {"dynamo/internal/client", "dynamo/internal/layout", "dynamo/internal/store",
		"runner", "sortkey", "tracker"},
	"dynamo/internal/store": {"account", "cache", "dynamo/internal/client", "dynamo/internal/layout",
		"sortkey", "tracker"},
	"dynamo/internal/client": {"account", "dynamo/internal/decode", "dynamo/internal/layout", "tracker"},
	"dynamo/internal/decode": {},
	"dynamo/internal/layout": {"columns", "sortkey", "tracker"},
	"columns":                {"fold", "sortkey", "tracker"},
	"auth":                   {"setting", "strictjson", "tracker"},
	"setting":                {"tracker"},
	"telemetry":              {"tracker"},
	"tracker":                {"fold"},
	"relative":               {"tracker"},
	"sortkey":                {"fold"},
	"fold":                   {},
	"strictjson":             {},
	"local":                  {},
	"lambda":                 {"tracker"},
	"web":                    {},
	// Only tests may import the packages of onlyTests.
	"dynamo/dynamotest": {"account", "columns", "dynamo", "dynamo/check", "local", "sortkey", "test/tier",
		"tracker"},
	"graph/guard/guardtest": {},
	"test/bench":            {},
	"test/chaos":            {},
	"test/clocks":           {},
	"test/docs":             {},
	"test/e2e":              {},
	"test/editor":           {},
	"test/process":          {},
	"test/soak":             {},
	"test":                  {},
	"test/harness":          {"local", "test/tier"},
	"test/tier":             {},
}

var onlyTests = []string{"dynamo/dynamotest", "graph/guard/guardtest", "test", "test/bench", "test/chaos",
	"test/clocks", "test/docs", "test/e2e", "test/editor", "test/harness", "test/process", "test/soak",
	"test/tier"}

// privileges maps the prefix of an import path to the only packages that may import it. Tests may import
// anything.
var privileges = map[string][]string{
	"github.com/aws/aws-sdk": {"dynamo", "dynamo/check", "dynamo/internal/client", "dynamo/internal/decode",
		"dynamo/internal/definitions", "dynamo/internal/issues", "dynamo/internal/layout",
		"dynamo/internal/store", "dynamo/internal/work"},
	"github.com/aws/smithy": {"dynamo", "dynamo/internal/client", "dynamo/internal/decode",
		"dynamo/internal/issues"},
	"github.com/aws/aws-lambda": {"lambda"},
	"github.com/99designs/": {"graph", "graph/estimate", "graph/guard", "graph/model", "graph/rows",
		"graph/transport"},
	"github.com/vektah/": {"graph", "graph/estimate", "graph/guard", "graph/model", "graph/rows",
		"graph/transport", "graph/validation", "refusal"},
	"github.com/graph-gophers/":  {"loaders"},
	"github.com/google/ordered":  {"sortkey"},
	"github.com/alecthomas/kong": {"cli"},
	"github.com/golang-jwt/":     {"auth"},
	"github.com/MicahParks/":     {"auth"},
	"github.com/prometheus/":     {"telemetry"},
	"go.opentelemetry.io/":       {"telemetry"},
}

// noIO lists the packages that must not do input or output. They must not import any of ioPackages. These
// include context, because code that does I/O uses it.
var noIO = []string{"tracker", "relative", "sortkey", "fold", "columns", "setting", "grid/filter",
	"importer/forms", "dynamo/internal/layout"}

var ioPackages = []string{"net", "os", "io/fs", "io/ioutil", "syscall", "context", "log", "database", "embed",
	"plugin", "unsafe", "testing", "golang.org/x/sys", "golang.org/x/net"}

// edge is an import of a package by a file.
type edge struct {
	file, pkg, to string
	test          bool
}

// goFiles returns the names of the module's Go files.
func goFiles(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." &&
				(base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) == ".go" {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// room returns the name of a package in the tables of this file: its folder, without internal/ of the root.
func room(folder string) string { return strings.TrimPrefix(folder, "internal/") }

// imports returns the imports of every Go file of the module, for all build tags.
func imports(t *testing.T) (out []edge) {
	t.Helper()
	for _, name := range goFiles(t) {
		file, err := parser.ParseFile(token.NewFileSet(), "../"+name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			to, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, edge{file: name, pkg: room(path.Dir(name)), to: to,
				test: strings.HasSuffix(name, "_test.go")})
		}
	}
	return out
}

// under reports whether the import path to is the package of or one below it.
func under(to, of string) bool { return to == of || strings.HasPrefix(to, of+"/") }

// broken returns a description of each rule that the edge violates.
func (e edge) broken() []string {
	var out []string
	ours, isOurs := strings.CutPrefix(e.to, "issuegrid/")
	ours = room(ours)
	if isOurs && allowedImports[ours] == nil {
		out = append(out, "imports "+ours+", which is not in allowedImports")
	}
	allowed, known := allowedImports[e.pkg]
	switch {
	case !known:
		out = append(out, "is not in a package of allowedImports")
	case e.test:
		return out
	case isOurs && slices.Contains(onlyTests, ours) && !slices.Contains(onlyTests, e.pkg):
		out = append(out, "imports "+ours+", which is for tests")
	case isOurs && !slices.Contains(allowed, ours):
		out = append(out, "imports "+ours)
	}
	for prefix, users := range privileges {
		if strings.HasPrefix(e.to, prefix) && !slices.Contains(users, e.pkg) &&
			!slices.Contains(onlyTests, e.pkg) && path.Base(e.file) != "tools.go" {
			out = append(out, "imports "+e.to)
		}
	}
	for _, io := range ioPackages {
		if slices.Contains(noIO, e.pkg) && under(e.to, io) {
			out = append(out, "does I/O by "+e.to)
		}
	}
	return out
}

// TestImports fails on an import that allowedImports does not list, and on a listed one that no file has.
func TestImports(t *testing.T) {
	seen, folders := map[string][]string{}, map[string]string{}
	for _, e := range imports(t) {
		folder := path.Dir(e.file)
		if other, known := folders[e.pkg]; known && other != folder {
			t.Errorf("%s and %s have the same name in allowedImports", folder, other)
		}
		folders[e.pkg] = folder
		to := ""
		if !e.test {
			to = room(strings.TrimPrefix(e.to, "issuegrid/"))
		}
		seen[e.pkg] = append(seen[e.pkg], to)
		for _, rule := range e.broken() {
			t.Errorf("%s %s", e.file, rule)
		}
	}
	for pkg, allowed := range allowedImports {
		if seen[pkg] == nil && pkg != "test/bench" && pkg != "test/e2e" {
			t.Errorf("package %s has no Go file that imports anything; has it moved?", pkg)
		}
		for _, to := range allowed {
			if !slices.Contains(seen[pkg], to) {
				t.Errorf("package %s may import %s, but does not", pkg, to)
			}
		}
	}
}

// TestInside checks that only packages below dynamo use Inside of dynamo.DB and dynamo.Tenant. Go's rule for
// internal packages alone does not prevent other packages from reading items with it.
func TestInside(t *testing.T) {
	used := map[string]bool{}
	for _, e := range imports(t) {
		if e.to != "issuegrid/dynamo" || e.test {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", e.file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Inside" {
				used[e.pkg] = true
			}
			return true
		})
	}
	// A package below dynamo that stores an entity is added here.
	want := map[string]bool{"dynamo/activity": true, "dynamo/check": true, "dynamo/comments": true,
		"dynamo/people":  true,
		"dynamo/uploads": true, "dynamo/views": true}
	if diff := cmp.Diff(want, used); diff != "" {
		t.Errorf("packages that use Inside (-want +got):\n%s", diff)
	}
}

// TestImportsNotice checks broken with an edge of each kind that is not allowed, and some that are.
func TestImportsNotice(t *testing.T) {
	for _, test := range []struct {
		file, to string
		want     string // the rules that are broken, separated by ;
	}{
		{"graph/a.go", "issuegrid/dynamo", "imports dynamo"},
		{"graph/a_test.go", "issuegrid/dynamo", ""},
		{"loaders/a.go", "issuegrid/dynamo", ""},
		{"loaders/a.go", "issuegrid/grid", "imports grid"},
		{"grid/a.go", "issuegrid/dynamo/check", "imports dynamo/check"},
		{"graph/guard/a.go", "issuegrid/graph", "imports graph"},
		{"graph/guard/a_test.go", "issuegrid/graph/guard/guardtest", ""},
		{"internal/httpd/a.go", "issuegrid/internal/cli", "imports cli"},
		{"server.go", "issuegrid/internal/httpd", "imports httpd"},
		{"dynamo/internal/layout/a.go", "issuegrid/dynamo/internal/client", "imports dynamo/internal/client"},
		{"internal/cli/serve.go", "issuegrid/test/harness", "imports test/harness, which is for tests"},
		{"dynamo/a.go", "issuegrid/dynamo/dynamotest", "imports dynamo/dynamotest, which is for tests"},
		{"dynamo/a_test.go", "issuegrid/dynamo/dynamotest", ""},
		{"internal/cli/a.go", "issuegrid/util", "imports util, which is not in allowedImports;imports util"},
		{"util/a.go", "fmt", "is not in a package of allowedImports"},
		{"internal/httpd/a.go", "github.com/alecthomas/kong", "imports github.com/alecthomas/kong"},
		{"graph/a.go", "github.com/aws/smithy-go", "imports github.com/aws/smithy-go"},
		{"dynamo/a.go", "github.com/aws/smithy-go", ""},
		{"dynamo/a.go", "github.com/99designs/gqlgen/graphql", "imports github.com/99designs/gqlgen/graphql"},
		{"internal/telemetry/a.go", "go.opentelemetry.io/otel", ""},
		{"graph/a.go", "go.opentelemetry.io/otel", "imports go.opentelemetry.io/otel"},
		{"tracker/a.go", "net/http", "does I/O by net/http"},
		{"grid/filter/a.go", "context", "does I/O by context"},
		{"tracker/a.go", "errors", ""},
	} {
		e := edge{test.file, room(path.Dir(test.file)), test.to, strings.HasSuffix(test.file, "_test.go")}
		if got := strings.Join(e.broken(), ";"); got != test.want {
			t.Errorf("%+v breaks %q, want %q", e, got, test.want)
		}
	}
}
