package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/sample"
)

type planNode struct {
	Kind, Label            string
	Keys, Documents, Calls int
	Rcu, Milliseconds      float64
	Notes                  []string
	Children               []planNode

	EstimatedKeys, EstimatedDocuments, EstimatedRcu, EstimatedSequentialCalls *float64
}

func (p planNode) count(calls func(planNode) int) int {
	n := calls(p)
	for _, c := range p.Children {
		n += c.count(calls)
	}
	return n
}

const explainQuery = `{ project(id: %q) { issues(where: {%s}, orderBy: [{column: {builtin: CREATED_AT}}], first: 10) { nodes { num }
	explain { text root { ...node children { ...node children { ...node children { ...node } } } } rejected { label reason } } } } }
	fragment node on PlanNode { kind label estimatedKeys estimatedDocuments estimatedRcu estimatedSequentialCalls keys documents calls rcu milliseconds notes }`

// explains compares the explanation of a page with the calls on the wire.
func explains(t *testing.T, s *server, p *sample.Project) {
	field := func(f, filter string) string {
		return fmt.Sprintf(`fields: [{fieldId: %q, %s}]`, fieldID(p, f), filter)
	}
	for name, where := range map[string]string{
		"a state":          `state: {eq: "In Progress"}`,
		"an option":        field("f08", fmt.Sprintf(`option: {neqId: %q}`, optionID(p, "f08", "p3"))),
		"a date range":     field("f05", `date: {gte: "2024-09-01", lt: "2024-11-01"}`),
		"a missing user":   field("f11", `user: {isNull: true}`),
		"a long text":      field("f02", `text: {contains: "900 RPM"}`),
		"none of two tags": field("f10", `tags: {hasNone: ["RUST", "leak"]}`),
		"nested": `or: [{state: {eq: "Done"}, ` + field("f01", `text: {startsWith: "bjorn"}`) +
			`}, {not: {num: {gt: 100}}}]`,
		"never": `num: {eq: 3, gt: 5}`,
	} {
		t.Run(name, func(t *testing.T) {
			query := fmt.Sprintf(explainQuery, projectID(p), where)
			s.data(t, query, nil, new(any)) // caches the definition
			s.wire.Reset()
			got := get[struct {
				Text     string
				Root     planNode
				Rejected []struct{ Label, Reason string }
			}](t, s, "project.issues.explain", query, nil)
			root := got.Root
			queries := root.count(func(n planNode) int {
				if n.Kind == "FETCH" || n.Kind == "SORT" {
					return 0
				}
				return n.Calls
			})
			if calls := s.wire.Calls(); queries != calls["Query"] {
				t.Errorf("%d queries are explained, %d were sent:\n%s", queries, calls["Query"], got.Text)
			}
			if root.Kind != "PAGE" || !strings.HasPrefix(got.Text, "page\n") {
				t.Errorf("the plan begins with %s:\n%s", root.Kind, got.Text)
			}
			keys := root.count(func(n planNode) int { return n.Keys })
			documents := root.count(func(n planNode) int { return n.Documents })
			if name != "never" && (keys == 0 || documents == 0) {
				t.Errorf("want reads:\n%s", got.Text)
			}
			if name == "never" && keys+queries > 0 {
				t.Errorf("want no reads:\n%s", got.Text)
			}
			methods := []string{"WALK", "SEMI_JOIN", "INTERSECT", "LIST", "SORT"}
			for _, n := range root.Children {
				method := slices.Contains(methods, n.Kind)
				for _, e := range []*float64{n.EstimatedKeys, n.EstimatedDocuments, n.EstimatedRcu,
					n.EstimatedSequentialCalls} {
					if (e != nil) != method {
						t.Errorf("%s has the estimates %v", n.Kind, n)
					}
				}
			}
			for _, r := range got.Rejected {
				named := func(m string) bool {
					return strings.HasPrefix(r.Label, strings.ToLower(strings.ReplaceAll(m, "_", " "))+" ")
				}
				if r.Reason == "" || !slices.ContainsFunc(methods, named) {
					t.Errorf("rejected %q because %q", r.Label, r.Reason)
				}
			}
		})
	}
}
