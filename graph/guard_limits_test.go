package graph_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// TestDefaultsLetThrough checks that the default limits accept what clients send. The other tests of the
// package run with the defaults, too.
func TestDefaultsLetThrough(t *testing.T) {
	s := load(t)
	passes := func(t *testing.T, query string, variables map[string]any) {
		t.Helper()
		for _, e := range s.ask(t, query, variables).Errors {
			if e.Extensions["code"] != string(tracker.NotFound) { // the project does not exist
				t.Errorf("%v: %s\n%.300s", e.Extensions["code"], e.Message, query)
			}
		}
	}
	t.Run("README and docs", func(t *testing.T) {
		files, err := filepath.Glob("../docs/*.md")
		if err != nil {
			t.Fatal(err)
		}
		// blocks that are more than a part of a query
		whole := regexp.MustCompile("(?s)```graphql\n((?:\\{|query|mutation)\\s.*?)```")
		queries := 0
		for _, file := range append(files, "../README.md") {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range whole.FindAllStringSubmatch(string(text), -1) {
				passes(t, block[1], map[string]any{"project": "x", "product": "x", "review": "x"})
				queries++
			}
		}
		if queries < 5 {
			t.Errorf("%d queries", queries)
		}
	})
	t.Run("introspection", func(t *testing.T) {
		query, err := os.ReadFile("testdata/introspection.graphql")
		if err != nil {
			t.Fatal(err)
		}
		passes(t, string(query), nil)
	})
	t.Run("400 columns", func(t *testing.T) {
		id := encoded("T/tenant-abcdefghijklmno.abcdefghijklmno.abcd")
		const cell = ` fragment Cell on CustomValue { __typename display field { id name type } ... on TextValue { text } ... on LongTextValue { bytes } ... on IntegerValue { integer } ... on NumberValue { number } ... on DateValue { date }
			... on DateTimeValue { dateTime } ... on BooleanValue { boolean } ... on SelectValue { option { id name color } } ... on MultiSelectValue { options { id name } } ... on TagsValue { tags } ... on UserValue { user: name } }`
		variables := map[string]any{"p": "x"}
		for i := range tracker.MaxFields {
			variables["f"+strconv.Itoa(i)] = id
		}
		for _, c := range []struct{ header, column string }{
			{"query($p: ID!)", ` c~: value(fieldId: "` + id +
				`") { display ... on SelectValue { option { id name color } } }`},
			{"query($p: ID!)", ` c~: value(fieldId: "` + id + `") { ...Cell }`},
			{"query($p: ID!" + guardtest.Times(tracker.MaxFields, ", $f~: ID!") + ")",
				` c~: value(fieldId: $f~) { ...Cell }`},
			{"query($p: ID!, $show: Boolean! = true)", ` c~: value(fieldId: "` + id +
				`") @include(if: $show) { ...Cell }`},
		} {
			query := c.header + " { project(id: $p) { issues(first: 100) { edges { cursor node { ...Row } " +
				"} pageInfo { hasNextPage } } } } fragment Row on Issue { id num name" +
				guardtest.Times(tracker.MaxFields, c.column) + " }"
			if strings.Contains(query, "...Cell") {
				query += cell
			}
			passes(t, query, variables)
		}
	})
	t.Run("a body of 256 KiB of values", func(t *testing.T) {
		values := make([]any, 26)
		for i := range values {
			values[i] = map[string]any{"fieldId": encoded("T/tenant-abcdefghijklmno.abcdefghijklmno.abcd"),
				"value": map[string]any{"text": "x"}}
		}
		input := map[string]any{"projectId": "x",
			"issues": guardtest.Many(100,
				map[string]any{"name": "an issue with a name of some 50 characters " + "in all",
					"values": values})}
		if body, _ := json.Marshal(input); len(body) < 250<<10 || len(body) > 255<<10 {
			t.Fatalf("%d bytes", len(body))
		}
		passes(t, `mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { issue { id } } } }`,
			map[string]any{"i": input})
	})
}

// TestLimitsOfRequests sends for each limit a request at the limit and one beyond it.
func TestLimitsOfRequests(t *testing.T) {
	s := load(t)
	l := guard.Limits{Body: 3000, Tokens: 200, Depth: 6, Introspection: 30, Cost: 500, Answer: 1 << 20,
		Errors: 3, PersistedQueries: 10, Fixed: guard.Fixed{Query: 2000, Values: 60, Nesting: 5, Name: 20,
			Fields: 10, Selections: 40, Aliases: 12, Directives: 5, Operations: 3, Fragments: 4, Variables: 5,
			Parallel: 20_000, AnswerFields: 10_000, Texts: 1 << 20, PersistedBytes: 1000}}
	tight := s.serving(t, guard.Options{Limits: l})
	ids := func(n int) string { return "[" + strings.Repeat(`"x" `, n) + "]" }
	for _, c := range []struct {
		name  string
		query func(n int) string
		given func(n int) map[string]any
		most  int    // the maximum n
		says  string // the message beyond it; if empty, it has the value and the limit
	}{
		{name: "Query", query: func(n int) string {
			return "{ __typename }" + strings.Repeat(" ", n-14)
		}, most: 2000},
		{name: "Tokens", query: func(n int) string {
			return strings.Repeat("#\n", n) + "{ __typename }"
		}, most: 197, says: "200"},
		{name: "Name", query: func(n int) string {
			return "{ " + strings.Repeat("a", n) + ": __typename }"
		}, most: 20},
		{name: "Depth", query: func(n int) string {
			return guardtest.Nest(n-1, "{ ... ", "{ __typename }", "}")
		}, most: 6},
		{name: "Depth", query: func(n int) string {
			return "{ ...F } fragment F on Query { ...G } fragment G on Query " +
				guardtest.Nest(n-3, "{ ... ", "{ __typename }", "}")
		}, most: 6},
		{name: "Fields", query: func(n int) string {
			return "{" + guardtest.Times(n, " a~: __typename") + " }"
		}, most: 10},
		{name: "Fields", query: func(n int) string {
			return "{ ...F ... {" + guardtest.Times(n-5, " a~: __typename") + "} } fragment F on Query {" +
				guardtest.Times(5, " b~: __typename") + " }"
		}, most: 10},
		{name: "Fields", query: func(n int) string {
			return `{ node(id: "x") {` + guardtest.Times(n-5, " a~: __typename") + `} node(id: "x") {` +
				guardtest.Times(5, " b~: __typename") + " } }"
		}, most: 10},
		{name: "Selections", query: func(n int) string {
			return "{" + strings.Repeat(" __typename", n) + " }"
		}, most: 40},
		{name: "Selections", query: func(n int) string {
			return "{ ...F ...F ...F" + strings.Repeat(" __typename", n-24) +
				" } fragment F on Query { ...G ...G __typename } fragment G on Query { __typename " +
				"__typename }"
		}, most: 40},
		{name: "Aliases", query: func(n int) string {
			return "{" + strings.Repeat(" a: __typename", n) + " }"
		}, most: 12},
		{name: "Directives", query: func(n int) string {
			return "{" + strings.Repeat(" __typename @skip(if: false)", n-1) +
				" ... @include(if: true) { __typename } }"
		}, most: 5},
		{name: "Operations", query: func(n int) string {
			return "query A { __typename }" + guardtest.Times(n-1, " query B~ { __typename }")
		}, most: 3},
		{name: "Fragments", query: func(n int) string {
			return "{" + guardtest.Times(n, " ...F~") + "}" +
				guardtest.Times(n, " fragment F~ on Query { __typename }")
		}, most: 4},
		{name: "Variables", query: func(n int) string {
			return "query(" + guardtest.Times(n, "$v~: ID! ") + ") { nodes(ids: [" +
				guardtest.Times(n, "$v~ ") + "]) { id } }"
		}, given: func(int) map[string]any {
			return map[string]any{"v0": "x", "v1": "x", "v2": "x", "v3": "x", "v4": "x", "v5": "x"}
		}, most: 5},
		{name: "Nesting", query: func(n int) string {
			return `{ project(id: "x") { issues(where: ` + guardtest.Nest(n-1, "{not: ", "{}", "}") +
				`) { totalCount } } }`
		}, most: 5},
		{name: "Nesting", query: func(n int) string {
			return `query($w: IssueFilter) { project(id: "x") { issues(where: $w) { totalCount } } }`
		}, given: func(n int) map[string]any {
			w := map[string]any{}
			for range n - 1 {
				w = map[string]any{"not": w}
			}
			return map[string]any{"w": w}
		}, most: 5, says: "5"},
		{name: "Values", query: func(n int) string {
			return `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`
		}, given: func(n int) map[string]any {
			return map[string]any{"ids": guardtest.Many(n-4, "x")}
		}, most: 60, says: "60"},
		{name: "Values", query: func(n int) string {
			return "query($ids: [ID!]!) { nodes(ids: $ids) { id } a: nodes(ids: $ids) { id } b: nodes(ids: " +
				ids(n-25) + ") { id } }"
		}, given: func(n int) map[string]any {
			return map[string]any{"ids": guardtest.Many(10, "x")}
		}, most: 60},
		{name: "Introspection", query: func(n int) string {
			return "{ __schema { queryType {" + strings.Repeat(" name", n) + " } } }"
		}, most: 27, says: "30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := func(n int) map[string]any {
				if c.given == nil {
					return nil
				}
				return c.given(n)
			}
			says := cmp.Or(c.says, fmt.Sprintf("%d; the limit (%s) is %d", c.most+1, c.name, c.most))
			for _, e := range tight.ask(t, c.query(c.most), given(c.most)).Errors {
				if strings.Contains(e.Message, "limit") {
					t.Errorf("refused at the limit: %s", e.Message)
				}
			}
			tight.refuses(t, []refusal{{name: "beyond", query: c.query(c.most + 1),
				variables: given(c.most + 1), code: tracker.BadInput, says: []string{c.name, says}}})
		})
	}
	t.Run("Body", func(t *testing.T) {
		const query = `{"query": "{ __typename }"}`
		text := func(n int) string {
			head := `{"query": "{ __typename }", "variables": {"hunter2": "`
			return head + strings.Repeat("x", n-len(head)-3) + `"}}`
		}
		for _, body := range []string{query + strings.Repeat(" ", 3000-len(query)), text(3000)} {
			isTypename(t, tight.send(t, http.MethodPost, "", body, "Content-Type", jsonType))
		}
		for _, body := range []string{query + strings.Repeat(" ", 3001-len(query)), text(3001),
			strings.Repeat(" ", 3001)} {
			isRefusal(t, tight.send(t, http.MethodPost, "", body, "Content-Type", jsonType),
				http.StatusRequestEntityTooLarge, "bytes of the body: 3001; the limit (Body) is 3000, set "+
					"by --limit-body: send fewer values at once, or each long string on its own, and "+
					"characters as UTF-8 rather than as \\u escapes")
		}
	})
	t.Run("Errors", func(t *testing.T) {
		a := tight.ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`,
			map[string]any{"ids": guardtest.Many(3, "x")})
		if len(a.Errors) != 3 || a.Errors[2].Message != a.Errors[0].Message {
			t.Errorf("at the limit: %+v", a.Errors)
		}
		for name, a := range map[string]answer{
			"of fields": tight.ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`,
				map[string]any{"ids": guardtest.Many(4, "x")}),
			"of rules": tight.ask(t, "{ a b c d e f g }", nil),
		} {
			if len(a.Errors) != 3 || !strings.Contains(a.Errors[2].Message, "at most 3") ||
				a.Errors[2].Extensions["code"] != a.Errors[0].Extensions["code"] {
				t.Errorf("%s: %+v", name, a.Errors)
			}
		}
	})
}

// TestSmallButLarge checks that requests that are short but expand to something large are refused.
// TestHostile has more of them.
func TestSmallButLarge(t *testing.T) {
	s := load(t)
	var powers strings.Builder
	for i := range 20 {
		fmt.Fprintf(&powers, " fragment F%d on Query { ...F%d ...F%[2]d }", i, i+1)
	}
	var refusals []refusal
	for _, c := range []struct{ name, query, says string }{
		{"a fragment used by many operations", guardtest.Times(50, "query Q~ { ...F } ") +
			"fragment F on Query {" + strings.Repeat(" __typename", 300) + " }", "Selections"},
		{"inputs used by many operations", guardtest.Times(50, "query Q~ { ...F } ") +
			`fragment F on Query { nodes(ids: [` + strings.Repeat(`"x" `, 1500) + `]) { id } }`,
			"4 x Tokens"},
		{"two nested fragments", "{ ...F } fragment F on Query { ...G } fragment G on Query { ... { ...F } }",
			"the fragment F spreads itself, directly or indirectly"},
		{"powers of two", "{ ...F0 }" + powers.String() + " fragment F20 on Query { __typename }",
			"Selections"},
		{"a type and its interface at every level", `{ project(id: "x") { issues { nodes { values {` +
			interfaces(4) + "} } } } }", "4 x Selections"},
	} {
		refusals = append(refusals, refusal{name: c.name, query: c.query, code: tracker.BadInput,
			says: []string{c.says}})
	}
	s.refuses(t, refusals)
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v, want none", calls)
	}
}

// interfaces selects a field of all types of values and of their interface, nested to the given number of
// levels.
func interfaces(levels int) string {
	if levels == 0 {
		return " x: field { id }"
	}
	var b strings.Builder
	for _, kind := range guardtest.ValueTypes[:len(guardtest.ValueTypes)-1] {
		fmt.Fprintf(&b, " ... on %s { x: field { id } }", kind)
	}
	return b.String() + " x: field { project { issues { nodes { values {" + interfaces(levels-1) + "} } } } }"
}
