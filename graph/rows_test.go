package graph_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// The law of compiled rows: the response equals that of the generated executor, byte for byte.

// awkward are strings that a JSON writer can get wrong.
var awkward = []string{
	"plain", `"quoted"`, `back\slash`, `\u0041 is no escape`, `\`, `\\"`, "tab\tline\nreturn\r",
	"\x00\x01\x1f\x7f", "\u2028\u2029", "emoji 👩‍👧 and 𝄞",
	"\uFFFD\uFEFF", "</script><!--", "'", "é e\u0301", "\u0085\u00a0", "日本語", `{"json": [1]}`, "%s %d {{.}}",
	" ", strings.Repeat(`long "text" \ `, 40), strings.Repeat("é\n", 200),
}

var awkwardNumbers = []float64{1e21, 1e-7, 0, 123456789.125, -1.5, 0.1, 1e6, 999999, 1e100, 9.9e125, 1e-130,
	-9007199254740993}

var awkwardIntegers = []int64{0, -1, 1<<63 - 1, -1 << 63, 9007199254740993}

// awkwardProject returns a project with every type of field, awkward names and values, and some missing
// values.
func awkwardProject() sample.Project {
	p := sample.Generated()
	p.Project.Name = `Awkward "names"`
	for i := range p.Project.States {
		p.Project.States[i].Name = awkward[i+1]
	}
	for i := range p.Fields {
		f := &p.Fields[i]
		f.Name, f.Description = awkward[i]+"!", awkward[len(awkward)-1-i]
		for j := range f.Options {
			f.Options[j].Name = awkward[(i+j)%15] + fmt.Sprint(j)
		}
	}
	at0 := time.Date(2024, 2, 29, 23, 59, 59, 123456000, time.UTC)
	p.Issues = p.Issues[:40]
	for n := range p.Issues {
		i := &p.Issues[n]
		i.Name = awkward[n%18]
		i.Created, i.Updated = at0.Add(time.Duration(n)*1500*time.Millisecond), at0.AddDate(n*100, 0, 0)
		i.Description = tracker.Value{}
		i.Values = map[tracker.FieldID]tracker.Value{"f08": tracker.Text("p3")}
		for at, f := range p.Fields {
			turn := n + at
			if turn%5 == 4 {
				continue // no value
			}
			text := awkward[turn%len(awkward)]
			switch f.Type {
			case tracker.TypeText, tracker.TypeLongText:
				i.Values[f.ID] = tracker.Text(text)
			case tracker.TypeUser: // includes each control character and a quote
				i.Values[f.ID] = tracker.Text("Mx. " + string(rune(n)))
			case tracker.TypeDate:
				i.Values[f.ID] = tracker.Text([]string{"0001-01-01", "2024-02-29", "9999-12-31"}[turn%3])
			case tracker.TypeDateTime:
				i.Values[f.ID] = tracker.Text(
					tracker.FormatDateTime(at0.Add(time.Duration(turn) * 333 * time.Microsecond)))
			case tracker.TypeBoolean:
				i.Values[f.ID] = tracker.Bool(turn%2 == 0)
			case tracker.TypeSelect:
				i.Values[f.ID] = tracker.Text(string(f.Options[turn%len(f.Options)].ID))
			case tracker.TypeMultiSelect:
				i.Values[f.ID] = tracker.Set([]string{string(f.Options[turn%3+2].ID),
					string(f.Options[turn%2].ID)}[:1+turn%2])
			case tracker.TypeInteger:
				i.Values[f.ID] = tracker.Int(awkwardIntegers[turn%len(awkwardIntegers)])
			case tracker.TypeNumber:
				i.Values[f.ID] = tracker.Float(awkwardNumbers[turn%len(awkwardNumbers)])
			case tracker.TypeTags:
				i.Values[f.ID] = tracker.Set(awkward[turn%9 : turn%9+1+turn%4])
			}
		}
		if n%4 != 0 {
			i.Description = tracker.Text(awkward[(n*7)%len(awkward)])
		}
	}
	return p
}

// brokenProject returns a project with an issue in an unknown state and with unknown options. The wire
// removes the long texts of tenants with this ID.
func brokenProject() sample.Project {
	p := awkwardProject()
	p.Tenant = tracker.Tenant{ID: "broken", Name: "Broken"}
	p.Issues[1].State = "nostate"
	p.Issues[2].Values["f08"] = tracker.Text("nooption")
	p.Issues[3].Values["f09"] = tracker.Set([]string{"s1", "nooption"})
	return p
}

// recorded returns an interceptor that answers a repeated request with the engine's first response and
// removes the long texts of the broken tenant.
func recorded() dynamotest.Interceptor {
	var answers sync.Map
	return func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		key := r.Operation + string(r.Body)
		if a, ok := answers.Load(key); ok {
			again := *a.(*dynamotest.Response)
			return &again
		}
		a := send(r)
		if r.Operation == "BatchGetItem" {
			a.Body = lose(a.Body, "broken/issue-", "/xvalue-")
		}
		if a.Err == nil && a.Status == http.StatusOK {
			kept := *a
			answers.Store(key, &kept)
		}
		return a
	}
}

// lose removes the items whose keys contain pk and sk from a BatchGetItem response.
func lose(body []byte, pk, sk string) []byte {
	var answer map[string]json.RawMessage
	var tables map[string][]json.RawMessage
	if json.Unmarshal(body, &answer) != nil || json.Unmarshal(answer["Responses"], &tables) != nil {
		return body
	}
	for name, items := range tables {
		tables[name] = slices.DeleteFunc(items, func(item json.RawMessage) bool {
			var key struct{ PK, SK struct{ S string } }
			return json.Unmarshal(item, &key) == nil && strings.Contains(key.PK.S, pk) &&
				strings.Contains(key.SK.S, sk)
		})
	}
	answer["Responses"], _ = json.Marshal(tables)
	out, _ := json.Marshal(answer)
	return out
}

var logID = regexp.MustCompile(`under the id [A-Z2-7]{12}`)

// comparable returns the data of a response unchanged, and its errors sorted by path, because the executor
// reports them in the order of its goroutines, and without the IDs of the log.
func comparable(t fatal, body []byte) (data string, errs []string) {
	var a struct {
		Data   json.RawMessage
		Errors []json.RawMessage
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v: %.2000s", err, body)
	}
	for _, e := range a.Errors {
		errs = append(errs, logID.ReplaceAllString(string(e), "under an id"))
	}
	// The executor resolves rows in parallel, so which errors are beyond the limit depends on their timing.
	more := func(e string) bool { return strings.Contains(e, "there are more errors") }
	if slices.ContainsFunc(errs, more) {
		errs = []string{fmt.Sprint("more than ", len(errs), " errors")}
	}
	slices.Sort(errs)
	return string(a.Data), errs
}

type fatal interface {
	Fatalf(format string, args ...any)
}

// serve sends an operation directly to a handler.
func serve(h http.Handler, query string, variables map[string]any) []byte {
	body, _ := json.Marshal(map[string]any{"query": query, "variables": variables})
	r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.Bytes()
}

func TestCompiledRowsAnswerLikeTheExecutor(t *testing.T) {
	schema := schemaFile(t)
	valueTypes := valueTypesOf(schema)
	whole, broken, worked := awkwardProject(), brokenProject(), sample.Worked()[0]
	s := load(t, whole, broken, worked)
	s.assign(t, &whole)
	s.wire.Intercept(recorded())
	var compiled atomic.Int64
	fast, plain := graph.NewCountingHandler(sessions(s.db), &compiled), graph.NewPlainHandler(sessions(s.db))

	alike := func(t fatal, query string, variables map[string]any) (errors int) {
		got, want := serve(fast, query, variables), serve(plain, query, variables)
		gotData, gotErrors := comparable(t, got)
		wantData, wantErrors := comparable(t, want)
		if gotData != wantData {
			at := 0
			for at < min(len(gotData), len(wantData)) && gotData[at] == wantData[at] {
				at++
			}
			t.Fatalf("the data differs at %d:\ncompiled %.300s\nexecutor %.300s\n%s\n%v", at,
				gotData[max(0, at-100):], wantData[max(0, at-100):], query, variables)
		}
		if diff := gocmp.Diff(wantErrors, gotErrors); diff != "" {
			t.Fatalf("errors (-executor +compiled):\n%s%s", diff, query)
		}
		if len(wantErrors) == 0 && !bytes.Equal(got, want) {
			t.Fatalf("the bytes differ: %s\n%.500s\n%.500s", query, got, want)
		}
		return len(wantErrors)
	}

	t.Run("random selections", func(t *testing.T) {
		operations, failed := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			for range 21 {
				g := &selections{t: t, schema: schema, valueTypes: valueTypes, p: &whole, other: &worked,
					variables: map[string]any{}}
				if g.chance(10, "broken project") {
					g.p = &broken
				}
				query := g.operation()
				operations++
				if alike(t, query, g.variables) > 0 {
					failed++
					if a := serve(plain, query, g.variables); !bytes.HasPrefix(a,
						[]byte(`{"data":{"project":`)) {
						t.Fatalf("the generator is wrong: %.300s\n%s", a, query)
					}
				}
			}
		})
		t.Logf("%d operations, %d lists compiled, %d responses with errors", operations, compiled.Load(),
			failed)
		if n := int(compiled.Load()); n == 0 || failed == 0 {
			t.Errorf("of %d operations %d failed, and %d lists were compiled: the generator is wrong",
				operations, failed, n)
		}
	})

	t.Run("all fields", func(t *testing.T) {
		var cells strings.Builder
		cells.WriteString("assignees { ... on User { name } } watchers { __typename } author { id } ")
		for _, f := range whole.Fields {
			fmt.Fprintf(&cells, "%s: value(fieldId: %q) { ...V } ", f.ID, fieldID(&whole, string(f.ID)))
		}
		all := func(kind string) string { return strings.Join(leaves(schema, kind), " ") }
		values := ""
		for _, kind := range valueTypes {
			values += " ... on " + kind + " { " + all(kind) + " }"
		}
		query := fmt.Sprintf(
			`query { project(id: %q) { issues(first: 40) { edges { cursor node { ...I } } nodes { ...I } } } }
			fragment I on Issue { %s state { %s } values { ...V } %s }
			fragment V on CustomValue { %s field { %s } %s ... on SelectValue { option { ...O } } ... on MultiSelectValue { options { ...O } } }
			fragment O on Option { %s }`,
			projectID(&whole), all("Issue"), all("State"), cells.String(), all("CustomValue"),
			all("CustomField"), values, all("Option"))
		before := compiled.Load()
		if n := alike(t, query, nil); n > 0 {
			t.Errorf("%d errors", n)
		}
		if n := compiled.Load() - before; n != 2 {
			t.Errorf("%d lists compiled, want 2", n)
		}
		// The response has the stored values.
		for n, row := range get[[]struct {
			Name, Description string
			Values            []struct {
				Display string
				Field   struct{ ID string }
			}
		}](t, s, "project.issues.nodes", query, nil) {
			stored := whole.Issues[n]
			got := map[string]string{"name": row.Name, "description": row.Description}
			want := map[string]string{"name": stored.Name, "description": stored.Description.Text()}
			for _, v := range row.Values {
				got[v.Field.ID] = v.Display
			}
			for _, f := range whole.Fields {
				if v, ok := stored.Values[f.ID]; ok {
					want[fieldID(&whole, string(f.ID))] = f.Display(v)
				}
			}
			same(t, fmt.Sprint("row ", n), want, got)
		}
	})

	t.Run("nested lists", func(t *testing.T) {
		const definitions = ` states { id name open } fields { __typename id name type options { id name color } project { id fields(includeArchived: true) { name options { name } } } } jobs { id problems { message } } `
		const values = ` values { __typename display field { name options { name } project { states { name } } } ... on TextValue { text } ... on LongTextValue { text bytes excerpt } ... on SelectValue { option { name } }
			... on MultiSelectValue { options { id name } } ... on TagsValue { tags } } `
		for _, p := range []*sample.Project{&whole, &broken} {
			for _, query := range []string{
				`query { project(id: %[1]q) {` + definitions + `} }`,
				`query { project(id: %[1]q) { issues(first: 40) { nodes { project {` + definitions + `}` +
					values + ` a: values(fieldIds: [%[2]q, "nonsense", %[2]q]) { display } } } } }`,
				`query { project(id: %[1]q) { fields { nothing: options @skip(if: true) { id } ... @include(if: false) { id } } } }`,
				`query { nodes(ids: [%[1]q]) { ... on Project {` + definitions + `} } }`,
			} {
				alike(t, fmt.Sprintf(query, projectID(p), fieldID(p, "f01")), nil)
			}
		}
	})

	t.Run("empty objects", func(t *testing.T) {
		for _, cells := range []string{
			"id @skip(if: true)", "state { id @skip(if: true) } num",
			"values { display @include(if: false) }",
			fmt.Sprintf("value(fieldId: %q) { ... on UserValue { user: name } }", fieldID(&whole, "f01")),
			"values { field { ... @include(if: false) { id } } }",
			"values { ... on SelectValue { option { id @skip(if: true) } } ... on MultiSelectValue { " +
				"options { id @skip(if: true) } } }",
		} {
			alike(t,
				fmt.Sprintf(`{ project(id: %q) { issues(first: 5) { nodes { %s } edges { node { %s } } } } }`,
					projectID(&whole), cells, cells), nil)
			alike(t,
				fmt.Sprintf(
					`{ project(id: %q) { issues(first: 5) { edges { node @skip(if: true) { %s } } } } }`,
					projectID(&whole), cells), nil)
		}
	})

	t.Run("@defer is refused", func(t *testing.T) {
		query := fmt.Sprintf(`{ project(id: %q) { issues(first: 5) { nodes { id ... @defer { name } } } } }`,
			projectID(&whole))
		if n := alike(t, query, nil); n != 1 {
			t.Errorf("%d errors", n)
		}
		s.refuses(t, []refusal{{name: "by the name of the directive", query: query, code: tracker.BadInput,
			says: []string{"@defer"}}})
	})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestDefinitionsThatDoNotFit checks that a response is abandoned if the definition of a field, which rows
// share, does not fit into it.
func TestDefinitionsThatDoNotFit(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	field := w.fields[tracker.TypeText]
	s.data(t, `mutation($i: UpdateCustomFieldInput!) { updateCustomField(input: $i) { field { id } } }`,
		map[string]any{"i": map[string]any{"id": field, "description": strings.Repeat("x", 900)}},
		&struct{}{})
	w.create(t, "x", []any{map[string]any{"fieldId": field, "value": map[string]any{"text": "y"}}})
	small := s.limited(t, func(l *guard.Limits) { l.Answer = 400 })
	for _, of := range []string{fmt.Sprintf("value(fieldId: %q)", field), "values"} {
		a := small.ask(t, fmt.Sprintf(
			`{ project(id: %q) { issues(first: 1) { nodes { %s { field { description } } } } } }`, w.project,
			of), nil)
		wantAbandoned(t, of, a, "Answer")
	}
}
