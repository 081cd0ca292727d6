package graph_test

import (
	"errors"
	"fmt"
	goast "go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// rule is a rule of the schema. It holds everywhere.
type rule struct {
	name string
	// check calls bad with each part of the schema that does not follow the rule, and returns how many parts
	// it is about.
	check func(s *ast.Schema, bad func(format string, args ...any)) int
	least int // how many parts there are at least
	// breaks is a replacement in the text of the schema that breaks the rule.
	breaks [2]string
}

var (
	pascalCase = regexp.MustCompile(`^([A-Z][a-z0-9]*)+$|^ID$`)
	camelCase  = regexp.MustCompile(`^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$`)
	upperCase  = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	bounded    = regexp.MustCompile(`at most \d|the last \d`)
)

// eachMember calls each for the fields of all types, members of inputs and arguments, with their paths.
func eachMember(s *ast.Schema, each func(path, name string, t *ast.Type, byDefault *ast.Value)) {
	for _, d := range ofOurs(s) {
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			each(d.Name+"."+f.Name, f.Name, f.Type, f.DefaultValue)
			for _, a := range f.Arguments {
				each(d.Name+"."+f.Name+"("+a.Name+")", a.Name, a.Type, a.DefaultValue)
			}
		}
	}
}

// inputsOf returns the input objects that arguments of the fields of a type lead to.
func inputsOf(s *ast.Schema, d *ast.Definition) map[string]bool {
	found := map[string]bool{}
	var add func(t *ast.Type)
	add = func(t *ast.Type) {
		if of := s.Types[t.Name()]; of.Kind == ast.InputObject && !found[of.Name] {
			found[of.Name] = true
			for _, f := range of.Fields {
				add(f.Type)
			}
		}
	}
	for _, f := range d.Fields {
		for _, a := range f.Arguments {
			add(a.Type)
		}
	}
	return found
}

func isNode(d *ast.Definition) bool {
	return d.Name == "Node" || slices.Contains(d.Interfaces, "Node")
}

// objectOf returns the type that a mutation is about, such as View for createView, if its name starts with
// verb.
func objectOf(s *ast.Schema, f *ast.FieldDefinition, verb string) *ast.Definition {
	name, ok := strings.CutPrefix(f.Name, verb)
	if d := s.Types[name]; ok && d != nil && d.Kind == ast.Object {
		return d
	}
	return nil
}

var schemaRules = []rule{
	{"types are in PascalCase, fields, arguments and members in camelCase, values of enums in " +
		"UPPER_CASE",
		checkCase, 900, [2]string{"  purgeAt: DateTime\n", "  purge_at: DateTime\n"}},
	{"everything has a description, which ends with a period",
		checkDescriptions, 900, [2]string{"  \"The job's id.\"\n", ""}},
	{"what has the type ID is named id or ids or ends with Id or Ids, a list in the plural, " +
		"and nothing else is",
		checkIDNames, 60, [2]string{"cancelJob(\"Which job.\" input: CancelJobInput!)",
			"cancelJob(\"Which job.\" job: ID, \"X.\" input: CancelJobInput!)"}},
	{"an object has an id if and only if it is a Node",
		checkNodes, 11, [2]string{"type Job implements Node {", "type Job {"}},
	{"time zones, colors and languages have their scalars",
		checkZonesAndColors, 15, [2]string{"  color: Color\n", "  color: String\n"}},
	{"scalars say where they are specified",
		checkScalars, 6, [2]string{` @specifiedBy(url: "https://www.iana.org/time-zones")`, ""}},
	{"inputs are named Input if and only if only mutations have them",
		checkInputNames, 60, [2]string{"ViewSummaryInput", "ViewSummaryChoice"}},
	{"a list of nodes is a connection, has one element for each of given ids, takes `first`, " +
		"or says its maximum",
		checkLists, 8, [2]string{"  jobs: [Job!]", "  work: [Project!]\n  \"The last 20.\"\n  jobs: [Job!]"}},
	{"a connection is one of Relay, with a count that can fail, and each field that returns " +
		"one takes the arguments",
		checkConnections, 30, [2]string{"  edges: [TeamEdge!]!", "  edges: [TeamEdge]!"}},
	{"the entry points of nodes are those of Relay",
		checkRelay, 3, [2]string{"): [Node] @", "): [Node!] @"}},
	{"an argument or a member of an input is required, or null is the same as none: a member " +
		"has no default, which a null in a query would not have, and an argument with one is " +
		"nullable",
		checkNulls, 300, [2]string{"includeArchived: Boolean = false", "includeArchived: Boolean! = false"}},
	{"a field that can fail on its own is nullable, or is a part of a connection or a value " +
		"that is null as a whole: a cursor, the pageInfo, or a member of a CustomValue",
		checkFailures, 90, [2]string{"  user: User\n", "  user: User!\n"}},
	{"a mutation takes one input and returns its payload, which has errors and whose other " +
		"members are null with them",
		checkPayloads, 90, [2]string{"type RestoreIssuePayload {",
			"type RestoreIssuePayload {\n  \"X.\"\n  x: Int!"}},
	{"createX and updateX return the X, and deleteX its id as deletedXId",
		checkResults, 20, [2]string{"deletedViewId: ID", "viewId: ID"}},
	{"a mutation takes an idempotency key, and all describe it in the same way",
		checkOnce, 40, [2]string{"input RestoreIssueInput {",
			"input RestoreIssueInput {\n  \"X.\"\n  x: Int\n}\n\n\"X.\"\ninput X {"}},
	{"updateX and deleteX of an X with a version take an expectedVersion",
		checkVersions, 12, [2]string{"type Tenant implements Node {",
			"type Tenant implements Node {\n  \"X.\"\n  version: Int!"}},
	{"what lists and summaries say of themselves is described in the same words everywhere",
		checkWords, 15, [2]string{
			"  \"Whether `totalCount` is exact or a lower bound.\"\n  totalCountPrecision: CountPrecision\n}",
			"  \"Whether it is exact.\"\n  totalCountPrecision: CountPrecision\n}"}},
	{"each entry point says the role that it requires",
		checkRoles, 50, [2]string{"CancelJobPayload @requires(role: ADMIN)", "CancelJobPayload"}},
	{"a typed error has the members of one of the response",
		checkErrors, 4, [2]string{"  code: ErrorCode!", "  code: String!"}},
	{"there is a type of values for each type of fields, which has the field and a string",
		checkValues, 10, [2]string{"type TagsValue implements CustomValue {", "type TagsValue {"}},
}

func checkCase(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, d := range ofOurs(s) {
		if n++; !pascalCase.MatchString(d.Name) {
			bad("%s", d.Name)
		}
		for _, v := range d.EnumValues {
			if n++; !upperCase.MatchString(v.Name) {
				bad("%s.%s", d.Name, v.Name)
			}
		}
	}
	eachMember(s, func(path, name string, _ *ast.Type, _ *ast.Value) {
		if n++; !camelCase.MatchString(name) {
			bad("%s", path)
		}
	})
	return n
}

func checkDescriptions(s *ast.Schema, bad func(string, ...any)) (n int) {
	described(s, func(path, description string) {
		if n++; len(description) < 3 || !strings.HasSuffix(strings.TrimSpace(description), ".") {
			bad("%s is described as %q", path, description)
		}
	})
	return n
}

func checkIDNames(s *ast.Schema, bad func(string, ...any)) (n int) {
	eachMember(s, func(path, name string, t *ast.Type, _ *ast.Value) {
		plural := name == "ids" || strings.HasSuffix(name, "Ids")
		singular := name == "id" || strings.HasSuffix(name, "Id")
		if t.Name() == "ID" {
			n++
		}
		if is := t.Name() == "ID"; is != (plural || singular) || is && plural != (t.Elem != nil) {
			bad("%s: %s", path, t)
		}
	})
	return n
}

func checkNodes(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, d := range ofOurs(s) {
		if f := d.Fields.ForName("id"); d.Kind == ast.Object && (f != nil || isNode(d)) {
			if n++; f == nil || f.Type.String() != "ID!" || !isNode(d) {
				bad("%s", d.Name)
			}
		}
	}
	return n
}

func checkZonesAndColors(s *ast.Schema, bad func(string, ...any)) (n int) {
	of := map[string]string{"timeZone": "TimeZone", "color": "Color", "language": "LanguageTag"}
	eachMember(s, func(path, name string, t *ast.Type, _ *ast.Value) {
		if of[name] != "" {
			if n++; t.Name() != of[name] {
				bad("%s: %s", path, t)
			}
		}
	})
	return n
}

func checkScalars(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, d := range ofOurs(s) {
		if d.Kind != ast.Scalar {
			continue
		}
		n++
		by := d.Directives.ForName("specifiedBy")
		if by == nil || !strings.HasPrefix(by.Arguments.ForName("url").Value.Raw, "https://") {
			bad("%s", d.Name)
		}
	}
	return n
}

func checkInputNames(s *ast.Schema, bad func(string, ...any)) (n int) {
	read := map[string]bool{}
	for _, d := range ofOurs(s) {
		if d != s.Mutation {
			maps.Copy(read, inputsOf(s, d))
		}
	}
	for name := range inputsOf(s, s.Mutation) {
		if n++; !read[name] && !strings.HasSuffix(name, "Input") {
			bad("%s", name)
		}
	}
	for _, d := range ofOurs(s) {
		if strings.HasSuffix(d.Name, "Input") && d.Kind != ast.InputObject {
			bad("%s is %s", d.Name, d.Kind)
		}
	}
	return n
}

func checkLists(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, d := range ofOurs(s) {
		for _, f := range d.Fields {
			if f.Type.Elem == nil || d.Kind == ast.InputObject || strings.HasPrefix(f.Name, "__") {
				continue
			}
			byIDs := slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool {
				return a.Type.Elem != nil && a.Type.Name() == "ID"
			})
			if f.Type.Elem.NonNull == byIDs {
				bad("%s.%s: %s", d.Name, f.Name, f.Type)
			}
			if of := s.Types[f.Type.Name()]; of.Kind != ast.Object || !isNode(of) ||
				strings.HasSuffix(d.Name, "Connection") {
				continue
			}
			if n++; !byIDs && f.Arguments.ForName("first") == nil &&
				!bounded.MatchString(strings.Join(strings.Fields(f.Description), " ")) {
				bad("%s.%s", d.Name, f.Name)
			}
		}
	}
	return n
}

func checkConnections(s *ast.Schema, bad func(string, ...any)) (n int) {
	has := func(d *ast.Definition, name string, kinds ...string) {
		if f := d.Fields.ForName(name); f == nil || !slices.Contains(kinds, f.Type.String()) {
			bad("%s.%s is not %s", d.Name, name, kinds)
		}
	}
	for _, d := range ofOurs(s) {
		name, is := strings.CutSuffix(d.Name, "Connection")
		if is {
			n++
			edge, nodes := s.Types[name+"Edge"], d.Fields.ForName("nodes")
			if edge == nil || nodes == nil {
				bad("%s has no edges or nodes", d.Name)
				continue
			}
			has(d, "edges", "["+name+"Edge!]!")
			has(d, "nodes", "["+nodes.Type.Name()+"!]!")
			has(d, "pageInfo", "PageInfo!")
			has(d, "totalCount", "Int")
			has(d, "totalCountPrecision", "CountPrecision")
			has(edge, "cursor", "String!")
			has(edge, "node", nodes.Type.Name()+"!")
		}
		for _, f := range d.Fields {
			if !strings.HasSuffix(f.Type.Name(), "Connection") {
				continue
			}
			if n++; f.Type.NonNull || f.Type.Elem != nil {
				bad("%s.%s is %s", d.Name, f.Name, f.Type)
			}
			for name, kind := range map[string]string{"first": "Int", "after": "String", "last": "Int",
				"before": "String"} {
				if a := f.Arguments.ForName(name); a == nil || a.Type.String() != kind ||
					a.DefaultValue != nil {
					bad("%s.%s(%s)", d.Name, f.Name, name)
				}
			}
		}
	}
	info := s.Types["PageInfo"]
	for name, kind := range map[string]string{"hasNextPage": "Boolean!", "hasPreviousPage": "Boolean!",
		"startCursor": "String", "endCursor": "String"} {
		has(info, name, kind)
	}
	return n
}

func checkRelay(s *ast.Schema, bad func(string, ...any)) int {
	for name, want := range map[string]string{"node": "Node id: ID!", "nodes": "[Node] ids: [ID!]!"} {
		f := s.Query.Fields.ForName(name)
		a := f.Arguments[0]
		if got := fmt.Sprintf("%s %s: %s", f.Type, a.Name, a.Type); got != want {
			bad("%s: %s, want %s", name, got, want)
		}
	}
	if d := s.Types["Node"]; len(d.Fields) != 1 || d.Fields[0].Type.String() != "ID!" {
		bad("%+v", d.Fields)
	}
	return 3
}

func checkNulls(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, d := range ofOurs(s) {
		for _, f := range d.Fields {
			for _, a := range f.Arguments {
				if n++; a.DefaultValue != nil && a.Type.NonNull {
					bad("%s.%s(%s): %s", d.Name, f.Name, a.Name, a.Type)
				}
			}
			if d.Kind != ast.InputObject {
				continue
			}
			if n++; f.DefaultValue != nil {
				bad("%s.%s has a default", d.Name, f.Name)
			}
			if strings.Contains(strings.ToLower(f.Description), "null") && f.Name != "isNull" &&
				!strings.Contains(f.Description, "`isNull: true`") {
				bad("%s.%s: null has a meaning: %s", d.Name, f.Name, f.Description)
			}
		}
	}
	return n
}

func checkFailures(s *ast.Schema, bad func(string, ...any)) (n int) {
	fails := failingFunctions()
	for _, d := range ofOurs(s) {
		if d.Kind != ast.Object && d.Kind != ast.Interface {
			continue
		}
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if d != s.Query && d != s.Mutation && len(f.Arguments) == 0 &&
				!fails[strings.ToLower(d.Name+"."+f.Name)] {
				continue
			}
			part := f.Name == "cursor" || f.Name == "pageInfo" || slices.Contains(d.Interfaces, "CustomValue")
			if n++; f.Type.NonNull && !part {
				bad("%s.%s: %s", d.Name, f.Name, f.Type)
			}
		}
	}
	return n
}

func checkPayloads(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, f := range s.Mutation.Fields {
		name := strings.ToUpper(f.Name[:1]) + f.Name[1:]
		if f.Type.String() != name+"Payload" || len(f.Arguments) != 1 || f.Arguments[0].Name != "input" ||
			f.Arguments[0].Type.String() != name+"Input!" {
			bad("%s: %s", f.Name, f.Type)
			continue
		}
		payload := s.Types[f.Type.Name()]
		if e := payload.Fields.ForName("errors"); e == nil || e.Type.String() != "[UserError!]!" {
			bad("%s has no errors", payload.Name)
		}
		for _, m := range payload.Fields {
			if n++; m.Type.NonNull && m.Name != "errors" {
				bad("%s.%s: %s", payload.Name, m.Name, m.Type)
			}
		}
	}
	return n
}

func checkResults(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, f := range s.Mutation.Fields {
		payload := s.Types[f.Type.Name()]
		for _, verb := range []string{"create", "update"} {
			if d := objectOf(s, f, verb); d != nil {
				if n++; !slices.ContainsFunc(payload.Fields, func(m *ast.FieldDefinition) bool {
					return m.Type.String() == d.Name
				}) {
					bad("%s", f.Name)
				}
			}
		}
		if d := objectOf(s, f, "delete"); d != nil {
			n++
			if m := payload.Fields.ForName("deleted" + d.Name + "Id"); m == nil || m.Type.String() != "ID" {
				bad("%s", f.Name)
			}
		}
	}
	return n
}

func checkOnce(s *ast.Schema, bad func(string, ...any)) (n int) {
	description := ""
	for _, f := range s.Mutation.Fields {
		n++
		key := s.Types[f.Arguments[0].Type.Name()].Fields.ForName("idempotencyKey")
		if key == nil || key.Type.String() != "String" {
			bad("%s", f.Name)
			continue
		}
		// That of several issues says more.
		if first, _, _ := strings.Cut(key.Description, "\n\n"); description == "" {
			description = first
		} else if first != description {
			bad("%s: %s", f.Name, first)
		}
	}
	return n
}

func checkVersions(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, f := range s.Mutation.Fields {
		for _, verb := range []string{"update", "delete"} {
			d := objectOf(s, f, verb)
			if d == nil || d.Fields.ForName("version") == nil {
				continue
			}
			n++
			found := false
			for name := range inputsOf(s, &ast.Definition{Fields: ast.FieldList{f}}) {
				m := s.Types[name].Fields.ForName("expectedVersion")
				found = found || m != nil && m.Type.String() == "Int"
			}
			if !found {
				bad("%s", f.Name)
			}
		}
	}
	return n
}

func checkWords(s *ast.Schema, bad func(string, ...any)) (n int) {
	said := map[string]string{}
	for _, d := range ofOurs(s) {
		for _, f := range d.Fields {
			switch f.Name {
			case "incomplete", "totalCountPrecision":
				n++
				if first, known := said[f.Name]; known && first != f.Description {
					bad("%s.%s: %s", d.Name, f.Name, f.Description)
				}
				said[f.Name] = f.Description
			}
		}
	}
	return n
}

func checkRoles(s *ast.Schema, bad func(string, ...any)) (n int) {
	for _, d := range []*ast.Definition{s.Query, s.Mutation} {
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if n++; f.Directives.ForName("requires") == nil {
				bad("%s", f.Name)
			}
		}
	}
	return n
}

func checkErrors(s *ast.Schema, bad func(string, ...any)) (n int) {
	for name, kind := range map[string]string{"code": "ErrorCode!", "message": "String!",
		"argument": "String", "conflict": "Conflict"} {
		n++
		if f := s.Types["UserError"].Fields.ForName(name); f == nil || f.Type.String() != kind {
			bad("UserError.%s", name)
		}
	}
	return n
}

func checkValues(s *ast.Schema, bad func(string, ...any)) (n int) {
	var types []string
	for _, v := range s.Types["CustomFieldType"].EnumValues {
		types = append(types, v.Name)
	}
	for _, kind := range tracker.FieldTypes {
		if n++; !slices.Contains(types, string(kind)) {
			bad("%s", kind)
		}
	}
	values := s.PossibleTypes["CustomValue"]
	if len(values) != n || len(types) != n {
		bad("%d types of values for %d types of fields", len(values), n)
	}
	for _, d := range values {
		for name, kind := range map[string]string{"field": "CustomField!", "display": "String!"} {
			if f := d.Fields.ForName(name); f == nil || f.Type.String() != kind {
				bad("%s.%s", d.Name, name)
			}
		}
	}
	return n
}

// failingFunctions returns the fields, in lower case, whose Go functions return an error other than nil.
func failingFunctions() map[string]bool {
	files, err := filepath.Glob("model/*.go")
	out := map[string]bool{}
	for _, path := range append(files, "schema.resolvers.go") {
		file, parseErr := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err = errors.Join(err, parseErr); err != nil {
			panic(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*goast.FuncDecl)
			if !ok || f.Recv == nil || f.Type.Results == nil {
				continue
			}
			results := f.Type.Results.List
			if last, ok := results[len(results)-1].Type.(*goast.Ident); !ok || last.Name != "error" {
				continue
			}
			if alwaysNil(f) {
				continue
			}
			receiver := f.Recv.List[0].Type
			if pointer, ok := receiver.(*goast.StarExpr); ok {
				receiver = pointer.X
			}
			if of, ok := receiver.(*goast.Ident); ok {
				out[strings.ToLower(strings.TrimSuffix(of.Name, "Resolver")+"."+f.Name.Name)] = true
			}
		}
	}
	return out
}

// alwaysNil reports whether the error that a function returns is always nil.
func alwaysNil(f *goast.FuncDecl) bool {
	always := true
	goast.Inspect(f.Body, func(n goast.Node) bool {
		if r, ok := n.(*goast.ReturnStmt); ok {
			last, ok := r.Results[len(r.Results)-1].(*goast.Ident)
			always = always && ok && last.Name == "nil" && len(r.Results) > 1
		}
		return true
	})
	return always
}

// TestSchemaRules checks the rules of the schema, and that each of them can be broken.
func TestSchemaRules(t *testing.T) {
	text, err := os.ReadFile("../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema := schemaFile(t)
	for _, r := range schemaRules {
		t.Run(r.name, func(t *testing.T) {
			if n := r.check(schema, t.Errorf); n < r.least {
				t.Errorf("it is about %d parts of the schema, want at least %d", n, r.least)
			}
			if !strings.Contains(string(text), r.breaks[0]) {
				t.Fatalf("the schema does not have %q", r.breaks[0])
			}
			broken, err := gqlparser.LoadSchema(&ast.Source{Input: strings.ReplaceAll(string(text),
				r.breaks[0], r.breaks[1])})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			r.check(broken, func(string, ...any) { found++ })
			if found == 0 {
				t.Errorf("%q instead of %q does not break it", r.breaks[1], r.breaks[0])
			}
		})
	}
}
