package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// sharded returns a project with a number of shards, and the same issues.
func sharded(p sample.Project, n int) sample.Project {
	p.Project.Shards = n
	issues := make([]tracker.Issue, len(p.Issues))
	for i, issue := range p.Issues {
		issue.ID = p.Project.IssueID(issue.ID.Issue)
		issues[i] = issue
	}
	p.Issues = issues
	return p
}

// TestCostOfShards checks what shards add to the cost of a page: a Query for each, of at least 0.5 RCU.
func TestCostOfShards(t *testing.T) {
	for _, test := range []struct {
		shards int
		rcu    float64 // of the keys
	}{{1, 1}, {2, 2}, {7, 3.5}, {16, 8}} {
		t.Run(fmt.Sprint(test.shards), func(t *testing.T) {
			p := sharded(flatProject(700, true), test.shards)
			s := load(t, p)
			s.data(t, pageQuery(&p, "first: 1", ""), nil, new(page)) // reads the definition
			for _, order := range []string{"all", "most"} {
				for _, cursor := range []string{"", "middle"} {
					if cursor != "" {
						var got page
						s.data(t, pageQuery(&p, "first: 500, "+orderBy(&p, order), ""), nil, &got)
						cursor = got.Project.Issues.PageInfo.EndCursor
					}
					s.wire.Reset()
					var got page
					a := s.data(t, pageQuery(&p, fmt.Sprintf("first: 100, after: %s, %s", null(cursor),
						orderBy(&p, order)), ""), nil, &got)
					same(t, "calls by "+order, reads(test.shards, 1), s.wire.Calls())
					rows := len(got.Project.Issues.Nodes)
					if rcu := a.Extensions.Cost.RCU - 50; rcu != test.rcu || rows != 100 {
						t.Errorf("by %s: %g RCU for the keys of %d rows, want %g", order, rcu, rows, test.rcu)
					}
				}
			}
		})
	}
}

// TestProjectWithShards creates projects with shards, and rejects wrong numbers.
func TestProjectWithShards(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	const create = `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { shards } } }`
	for n, key := range map[int]string{1: "ONE", 2: "TWO", tracker.MaxShards: "MOST"} {
		got := s.mutate(t, create, map[string]any{"tenantId": w.tenant, "key": key, "name": key, "shards": n})
		same(t, key, map[string]any{"project": map[string]any{"shards": float64(n)}}, got)
	}
	var refusals []refusal
	for _, n := range []int{-1, 0, tracker.MaxShards + 1} {
		refusals = append(refusals, refusal{name: fmt.Sprint(n, " shards"), query: create,
			variables: map[string]any{"i": map[string]any{"tenantId": w.tenant, "key": "WRONG", "name": "x",
				"shards": n}},
			code: tracker.BadInput, argument: "input.shards", says: []string{"1 to 16 shards",
				fmt.Sprint(n)}})
	}
	s.refuses(t, refusals)
}
