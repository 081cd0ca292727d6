package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/session"
	"issuegrid/tracker"
)

// as serves the same table to somebody.
func (s *server) as(t testing.TB, p tracker.Principal) *server {
	t.Helper()
	who := func(context.Context) tracker.Principal { return p }
	handler := graph.NewHandler(session.On(s.db, who, nil, nil))
	confined := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // as the server does
		if p.Confined() {
			r = r.WithContext(dynamo.Confine(r.Context(), p.Tenant))
		}
		handler.ServeHTTP(w, r)
	})
	out := &server{Server: httptest.NewServer(confined), db: s.db, wire: s.wire}
	t.Cleanup(out.Close)
	return out
}

// shortened is an id as messages repeat it when it is long.
var shortened = regexp.MustCompile("[A-Za-z0-9_-]+…")

// tenantID reads the id of a tenant.
func tenantID(t testing.TB, id string) tracker.TenantID {
	t.Helper()
	n, err := model.ParseTenantID(id)
	if err != nil {
		t.Fatal(err)
	}
	return n.Tenant
}

// ownTenant makes a tenant, and serves its administrator.
func ownTenant(t testing.TB, s *server) (id string, admin *server) {
	t.Helper()
	var made struct {
		CreateTenant struct{ Tenant struct{ ID string } }
	}
	s.data(t, `mutation { createTenant(input: {name: "Own"}) { tenant { id } } }`, nil, &made)
	id = made.CreateTenant.Tenant.ID
	return id, s.as(t, tracker.Principal{Tenant: tenantID(t, id), User: "ada", Role: tracker.Admin})
}

// canary is in every text of the other tenant.
const canary = "canary"

// asker makes requests from the schema: one for each place that takes an id or a cursor, valid but for what is put there.
type asker struct {
	schema *ast.Schema
	own    map[string]string // ids of the asker's own things, by kind
}

// place is where an id or a cursor goes: an argument of a field, or something within it.
type place struct {
	of    *ast.Definition
	field *ast.FieldDefinition
	path  []string
}

func (p place) String() string {
	return p.of.Name + "." + p.field.Name + "(" + strings.Join(p.path, ".") + ")"
}

// places are all of them, also those that are behind inputs within inputs.
func (a *asker) places() (out []place) {
	var within func(p place, typ *ast.Type, seen []string)
	within = func(p place, typ *ast.Type, seen []string) {
		name := typ.Name()
		d := a.schema.Types[name]
		last := p.path[len(p.path)-1]
		switch {
		case name == "ID", name == "String" && (last == "after" || last == "before"):
			out = append(out, p)
		case d.Kind == ast.InputObject && !slices.Contains(seen, name):
			for _, f := range d.Fields {
				within(place{p.of, p.field, append(slices.Clone(p.path), f.Name)}, f.Type, append(slices.Clone(seen), name))
			}
		}
	}
	for _, d := range ofOurs(a.schema) {
		if d.Kind != ast.Object && d.Kind != ast.Interface {
			continue
		}
		for _, f := range d.Fields {
			for _, arg := range f.Arguments {
				within(place{d, f, []string{arg.Name}}, arg.Type, nil)
			}
		}
	}
	return out
}

// ways lead to an object of a type.
var ways = map[string]string{
	"Query": `{ %s }`, "Mutation": `mutation { %s }`, "Tenant": `{ viewer { tenant { %s } } }`, "Project": `{ project(id: "PROJECT") { %s } }`,
	"Issue": `{ issue(id: "ISSUE") { %s } }`,
}

// request puts a value there.
func (a *asker) request(t *testing.T, p place, value string) string {
	t.Helper()
	way, ok := ways[p.of.Name]
	if !ok {
		t.Fatalf("no way leads to %s; add one", p)
	}
	var args []string
	for _, arg := range p.field.Arguments {
		if on := arg.Name == p.path[0]; on || arg.Type.NonNull && arg.DefaultValue == nil {
			var path []string
			if on {
				path = p.path[1:]
			}
			args = append(args, arg.Name+": "+a.literal(t, p.of.Name+"."+p.field.Name, arg.Name, arg.Type, on, path, value))
		}
	}
	way = strings.NewReplacer("PROJECT", a.own["project"], "ISSUE", a.own["issue"]).Replace(way)
	return fmt.Sprintf(way, p.field.Name+"("+strings.Join(args, ", ")+")"+a.selection(p.field.Type, 3))
}

// plainly makes a request with the asker's own things alone.
func (a *asker) plainly(t *testing.T, p place) string {
	if len(p.path) == 0 {
		return fmt.Sprintf(ways[p.of.Name], p.field.Name+a.selection(p.field.Type, 3))
	}
	return a.request(t, p, "nothing")
}

// literal is what is given for an input: what is required, and what is on the path.
func (a *asker) literal(t *testing.T, of, name string, typ *ast.Type, on bool, path []string, value string) string {
	t.Helper()
	if typ.Elem != nil {
		return "[" + a.literal(t, of, name, typ.Elem, on, path, value) + "]"
	}
	d := a.schema.Types[typ.NamedType]
	switch d.Kind {
	case ast.Enum:
		return d.EnumValues[0].Name
	case ast.InputObject:
		var fields []string
		for _, f := range d.Fields {
			inside := on && len(path) > 0 && path[0] == f.Name
			if inside || f.Type.NonNull && f.DefaultValue == nil {
				var rest []string
				if inside {
					rest = path[1:]
				}
				fields = append(fields, f.Name+": "+a.literal(t, d.Name, f.Name, f.Type, inside, rest, value))
			}
		}
		if len(fields) == 0 && d.Name == "ValueInput" {
			fields = append(fields, `text: "x"`)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	if on {
		return fmt.Sprintf("%q", value)
	}
	switch typ.NamedType {
	case "ID":
		return fmt.Sprintf("%q", a.ownID(t, of, name))
	case "Int":
		return "1"
	case "Boolean":
		return "true"
	case "String":
		return `"x"`
	}
	t.Fatalf("%s.%s takes a %s; what is one?", of, name, typ)
	return ""
}

// ownID is an id of the asker's own where one is required.
func (a *asker) ownID(t *testing.T, of, name string) string {
	for kind, id := range a.own {
		if name == kind {
			return id
		}
	}
	switch {
	case name == "from":
		return a.own["option"]
	case strings.Contains(of, "CustomField") || of == "Project.field":
		return a.own["field"]
	case strings.Contains(of, "Issue"):
		return a.own["issue"]
	case strings.Contains(of, "Project"):
		return a.own["project"]
	case strings.Contains(of, "Tenant"):
		return a.own["tenant"]
	}
	t.Fatalf("%s.%s takes an id; of what?", of, name)
	return ""
}

// selection selects all that needs no arguments, to a depth.
func (a *asker) selection(typ *ast.Type, depth int) string {
	d := a.schema.Types[typ.Name()]
	if !d.IsCompositeType() {
		return ""
	}
	var parts []string
	for _, f := range d.Fields {
		required := slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool { return a.Type.NonNull && a.DefaultValue == nil })
		if strings.HasPrefix(f.Name, "__") || required || depth == 0 && a.schema.Types[f.Type.Name()].IsCompositeType() || f.Name == "explain" {
			continue
		}
		parts = append(parts, d.Name+f.Name+": "+f.Name+a.selection(f.Type, depth-1))
	}
	if d.IsAbstractType() && depth > 0 {
		for _, possible := range a.schema.GetPossibleTypes(d) {
			parts = append(parts, "... on "+possible.Name+a.selection(ast.NamedType(possible.Name, nil), depth-1))
		}
	}
	if len(parts) == 0 {
		return "{ __typename }"
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// planted is a tenant with a project, whose texts all have the canary, and the ids of everything.
func planted(t *testing.T, s *server, text string) (w *world, ids map[string]string) {
	t.Helper()
	var made struct {
		CreateTenant struct{ Tenant struct{ ID string } }
	}
	s.data(t, `mutation($n: String!) { createTenant(input: {name: $n}) { tenant { id } } }`, map[string]any{"n": text}, &made)
	w = s.worldOf(t, made.CreateTenant.Tenant.ID, "SAME")
	s.data(t, `mutation($p: ID!, $n: String!) { updateProject(input: {id: $p, name: $n}) { project { id } } }`, map[string]any{"p": w.project, "n": text}, &struct{}{})
	var i issue
	for range 3 {
		i = w.createOf(t, map[string]any{"name": text, "description": strings.Repeat(text, 100), "values": w.inputs(w.full())})
	}
	gone := w.create(t, text, nil)
	s.data(t, `mutation($i: ID!) { deleteIssue(input: {id: $i}) { deletedIssueId } }`, map[string]any{"i": gone.ID}, &struct{}{})
	ids = map[string]string{"tenant": w.tenant, "project": w.project, "field": w.fields[tracker.TypeText], "issue": i.ID, "state": w.states[0],
		"option": w.options[tracker.TypeSelect][0], "deleted": gone.ID}
	return w, ids
}

// cursors are one of each connection of a world.
func cursors(t *testing.T, w *world) map[string]string {
	t.Helper()
	type page struct{ PageInfo struct{ EndCursor string } }
	var got struct {
		Project struct {
			Issues, ByText, Trash page
			Tenant                struct{ Projects page }
		}
		Issue struct{ History page }
	}
	w.data(t, `query($p: ID!, $i: ID!, $f: ID!) { project(id: $p) { issues(first: 1) { pageInfo { endCursor } } trash(first: 1) { pageInfo { endCursor } }
		byText: issues(first: 1, orderBy: [{column: {field: $f}}]) { pageInfo { endCursor } } tenant { projects(first: 1) { pageInfo { endCursor } } } }
		issue(id: $i) { history(first: 1) { pageInfo { endCursor } } } }`,
		map[string]any{"p": w.project, "i": w.create(t, canary, nil).ID, "f": w.fields[tracker.TypeText]}, &got)
	return map[string]string{"a cursor of issues": got.Project.Issues.PageInfo.EndCursor, "of issues by text": got.Project.ByText.PageInfo.EndCursor,
		"of the trash": got.Project.Trash.PageInfo.EndCursor, "of projects": got.Project.Tenant.Projects.PageInfo.EndCursor, "of a history": got.Issue.History.PageInfo.EndCursor}
}

// nothing are ids that name nothing, by kind, of a tenant.
func nothing(tenant tracker.TenantID, n int) map[string]string {
	project, issue := tracker.ProjectID(fmt.Sprint("nothing", n)), fmt.Sprint("no", n)
	return map[string]string{"tenant": model.TenantNodeID(tracker.TenantID(fmt.Sprint("nobody", n))), "project": model.ProjectNodeID(tenant, project),
		"field": model.FieldNodeID(tenant, project, "nofield"), "issue": model.IssueNodeID(tenant, tracker.IssueID{Project: project, Issue: issue}),
		"deleted": model.IssueNodeID(tenant, tracker.IssueID{Project: project, Issue: issue}), "state": model.StateID(tenant, project, "nostate"),
		"option": model.OptionID(tenant, project, "nofield", "nooption")}
}

// TestIsolation puts ids and cursors of another tenant wherever the schema takes one. The answer, its errors and its calls are those of an id
// that there is not; nothing of the other tenant is shown, read or changed.
func TestIsolation(t *testing.T) {
	s := newServer(t, func(s *dynamo.Settings) { s.DefinitionTTL = time.Microsecond }) // each request reads what it needs
	mine, own := planted(t, s, "mine")
	theirs, foreign := planted(t, s, canary)
	tenant, other := tenantID(t, mine.tenant), tenantID(t, theirs.tenant)
	foreignCursors := cursors(t, theirs)
	before := s.raw(t, other)
	me := s.as(t, tracker.Principal{Tenant: tenant, User: "eve", Role: tracker.Admin})

	var mu sync.Mutex
	var reached []string
	s.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
		if strings.Contains(string(r.Body), string(other)+"/") {
			mu.Lock()
			reached = append(reached, r.Operation+" "+string(r.Body))
			mu.Unlock()
		}
		return send(r)
	})
	a := &asker{schema: schemaFile(t), own: own}
	type outcome struct {
		answer string
		calls  map[string]int
	}
	ask := func(p place, value string) outcome {
		t.Helper()
		query := a.request(t, p, value)
		s.wire.Reset()
		text := me.post(t, query, nil).body
		calls := maps.Clone(s.wire.Calls())
		var answer struct{ Errors []apiError }
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%s: %v: %.300s", query, err, text)
		}
		for _, e := range answer.Errors {
			if e.Extensions["code"] == string(tracker.InternalErr) || e.Extensions["code"] == nil {
				t.Errorf("%s: %+v", query, e)
			}
			if e.Path == nil { // the schema refuses it, whatever the value is
				t.Fatalf("%s: the test asks for what there is not: %s", query, e.Message)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, canary) {
			t.Errorf("%s of %s shows what is another tenant's: %s", p, value, text)
		}
		if len(reached) > 0 {
			t.Fatalf("%s of %s reaches another tenant: %s", p, value, reached)
		}
		return outcome{shortened.ReplaceAllString(strings.ReplaceAll(text, value, "VALUE"), "VALUE"), calls}
	}
	asked := map[string]bool{}
	n := 0
	for _, p := range a.places() {
		asked[p.of.Name+"."+p.field.Name] = true
		if last := p.path[len(p.path)-1]; last == "after" || last == "before" {
			for what, cursor := range foreignCursors {
				if got := ask(p, cursor); got.answer == "" {
					t.Errorf("%s of %s: no answer", p, what)
				}
				n++
			}
			continue
		}
		for kind, id := range foreign {
			got := ask(p, id)
			missing := ask(p, nothing(tenant, n)[kind])
			nobody := ask(p, nothing(other, n)[kind])
			for name, is := range map[string]outcome{"of its own tenant": missing, "of the other tenant": nobody} {
				if got.answer != is.answer || !maps.Equal(got.calls, is.calls) {
					t.Errorf("%s of another tenant's %s: %s, calls %v;\nof one that there is not, %s: %s, calls %v\n%s", p, kind, got.answer, got.calls, name, is.answer, is.calls, a.request(t, p, id))
				}
			}
			n++
		}
	}
	t.Logf("%d requests with something of another tenant at %d fields", n, len(asked))
	s.wire.Intercept(nil)
	if after := s.raw(t, other); !maps.Equal(before, after) {
		t.Error("something of the other tenant has changed")
	}
}

// raw are all items of a tenant.
func (s *server) raw(t *testing.T, tenant tracker.TenantID) map[string]string {
	t.Helper()
	table := s.db.Table()
	client := dynamodb.New(dynamodb.Options{HTTPClient: dynamotest.PlainClient(), Region: "us-east-1", BaseEndpoint: aws.String(dynamotest.Endpoint()),
		Credentials: credentials.NewStaticCredentialsProvider("embedded", "embedded", "")})
	out := map[string]string{}
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Items {
			pk, sk := m["PK"].(*types.AttributeValueMemberS).Value, m["SK"].(*types.AttributeValueMemberS).Value
			if !strings.HasPrefix(pk, string(tenant)+"/") {
				continue
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			out[pk+" "+sk] = string(text)
		}
	}
	return out
}
