package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// TestOperandsCost sends strings that are as expensive to fold as possible, in as many fields of an operation
// as allowed. The project exists, so that they are parsed. Each request must be refused within the limit of
// CPU time.
func TestOperandsCost(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	limits := guard.DefaultLimits() // refuse some of these requests before their filters are parsed
	limits.Values *= 4
	h := graph.NewHandler(sessions(s.db), graph.Options{Options: guard.Options{Limits: limits}})
	tags := w.fields[tracker.TypeTags]
	many := func(n int, field string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: %s ", i, field)
		}
		return b.String()
	}
	grids := func(n int, where string) string {
		return many(n, "issues(first: 1, where: "+where+") { nodes { num } }")
	}
	anchors := func(n int, value string) string {
		return many(n, `cursorAt(orderBy: [{column: {builtin: NAME}}], value: `+value+`)`)
	}
	for name, worst := range map[string]string{"ligatures": "\ufdfa", "syllables": "한",
		"letters with marks": "\u1fb7", "marks": "\u0344", "marks that are reordered": "\u302e\U0001D165",
		"ASCII": "A"} {
		repeat := func(chars int) string { return strings.Repeat(worst, chars/len([]rune(worst))) }
		list := func(n, chars int) []string {
			out := make([]string, n)
			for i := range out {
				out[i] = fmt.Sprint(i, repeat(chars-2))
			}
			return out
		}
		for _, test := range []struct {
			name, define, fields string
			variable             any
			says                 string
		}{
			{"cursors at a text that is too long", "$x: ValueInput!", anchors(31, "$x"),
				map[string]any{"text": repeat(8000)}, "the limit is 255"},
			{"a text that is too long", "$x: String!", grids(40, "{name: {contains: $x}}"), repeat(3000),
				"the limit is 255"},
			{"a text that is too long when folded, or is not", "$x: String!",
				grids(40, "{and: [{name: {contains: $x, startsWith: $x, gt: $x}}, {num: {in: []}}, {state: "+
					"{eq: \"x\"}}]}"), repeat(254), ""},
			{"many texts, and an unknown field", "$x: [String!]!",
				grids(40, "{name: {in: $x}, fields: [{fieldId: \"x\"}]}"), list(97, 27), ""},
			{"many tags, and an unknown field", "$x: [String!]!",
				grids(40, fmt.Sprintf("{fields: [{fieldId: %q, tags: {hasAny: $x}}, {fieldId: \"x\"}]}",
					tags)),
				list(97, 100), ""},
			{"tags that are too long", "$x: [String!]!",
				grids(40, fmt.Sprintf("{fields: [{fieldId: %q, tags: {hasNone: $x}}]}", tags)), list(3, 2000),
				"the limit is 100 characters"},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				a := guardtest.Query(fmt.Sprintf("query(%s) { project(id: %q) { %s } }", test.define,
					w.project, test.fields), map[string]any{"x": test.variable})
				answer, cost := cost(t, a, h)
				if err := harmless(answer); err != nil {
					t.Errorf("%v: %.300s", err, answer.Body)
				}
				if body := answer.Body.String(); !strings.Contains(body, "BAD_USER_INPUT") ||
					!strings.Contains(body, test.says) {
					t.Errorf("not refused, or without %q: %.500s", test.says, body)
				}
				if cost > cpuLimit {
					t.Errorf("%d bytes cost %v", len(a.Body), cost)
				}
				t.Logf("%d bytes: %v", len(a.Body), cost)
			})
		}
	}
}

// TestOperationLimits sends operations at and beyond the limits for all filters of an operation. Any of the
// filters may be the one that is refused, because they are resolved in parallel.
func TestOperationLimits(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	nums := map[string]any{"num": map[string]any{"in": slices.Repeat([]int{-1}, filter.MaxTerms)}}
	texts := make([]string, filter.MaxTerms)
	for i := range texts {
		texts[i] = fmt.Sprintf("%0*d", filter.MaxNeedle, i)
	}
	names := map[string]any{"name": map[string]any{"in": texts}}
	const filters, lists = filter.MaxOperationTerms / filter.MaxTerms,
		filter.MaxOperandBytes / filter.MaxTerms / filter.MaxNeedle
	for _, test := range []struct {
		name   string
		where  any
		fields int
		more   string
		says   string // empty if the operation is accepted
	}{
		{"the maximum number of comparisons", nums, filters, "", ""},
		{"one more filter", nums, filters, "issues(where: {num: {eq: 1}}) { nodes { num } }",
			"comparisons in its filters and cursors; the limit is 2000: send some of its fields in " +
				"separate operations"},
		{"one more cursor", nums, filters, "cursorAt(value: {integer: 1})",
			"comparisons in its filters and cursors; the limit is 2000"},
		{"the maximum size of texts", names, lists, "", ""},
		{"more texts", names, lists + 1, "", "bytes; the limit is 262144"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			for i := range test.fields {
				fmt.Fprintf(&b, "a%d: issues(first: 1, where: $w) { nodes { num } } ", i)
			}
			a := s.ask(t, fmt.Sprintf("query($w: IssueFilter) { project(id: %q) { %s %s } }", w.project,
				b.String(), test.more), map[string]any{"w": test.where})
			if (len(a.Errors) > 0) != (test.says != "") {
				t.Fatalf("%+v", a.Errors)
			}
			for _, e := range a.Errors {
				argument, _ := e.Extensions["argument"].(string)
				if e.Extensions["code"] != "BAD_USER_INPUT" || !strings.HasPrefix(argument, "where.") &&
					!strings.HasPrefix(argument, "value") || !strings.Contains(e.Message, test.says) {
					t.Errorf("%+v does not contain %q", e, test.says)
				}
			}
		})
	}
}
