//go:build unix

package docs

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

// TestREADME sends the queries of README.md and docs/groups.md to a new server and compares the responses. It
// also compares the plans in docs/filters.md.
func TestREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	queries, answers := blocks(string(text), "graphql"), blocks(string(text), "json")
	filters, err := os.ReadFile("docs/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	// The first block is only a part of a query.
	explained, plans := blocks(string(filters), "graphql")[1:], blocks(string(filters), "text")
	if len(queries) != 2 || len(answers) != 1 || len(explained) != 3 || len(plans) != 3 {
		t.Fatalf("found %d queries, %d responses, %d queries with a plan and %d plans", len(queries),
			len(answers),
			len(explained), len(plans))
	}
	groups, err := os.ReadFile("docs/groups.md")
	if err != nil {
		t.Fatal(err)
	}
	queries = append(queries, blocks(string(groups), "graphql")...)
	answers = append(answers, blocks(string(groups), "json")...)
	if len(queries) != 3 || len(answers) != 2 {
		t.Fatalf("found %d queries and %d responses in docs/groups.md", len(queries)-2, len(answers)-1)
	}
	p := harness.Start(t, []string{"serve", "--addr", "127.0.0.1:0", "--data", harness.SampleData(t)})
	url := p.Serving()
	for i, query := range []string{queries[0], queries[2]} {
		var want map[string]any
		if err := json.Unmarshal([]byte(answers[i]), &want); err != nil {
			t.Fatal(err)
		}
		if _, got := harness.Post(t, url, query); !cmp.Equal(want, got) {
			t.Error(cmp.Diff(want, got))
		}
	}
	if _, got := harness.Post(t, url, queries[1]); got["errors"] != nil || got["data"] == nil {
		t.Errorf("the query for the ids: %v", got)
	}
	for i, plan := range plans {
		var got struct {
			Data struct {
				Project struct {
					Issues struct{ Explain struct{ Text string } }
				}
			}
		}
		_, answer := harness.Post(t, url, explained[i])
		body, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plan, got.Data.Project.Issues.Explain.Text); diff != "" {
			t.Errorf("plan %d (-docs/filters.md +got):\n%s", i, diff)
		}
	}
}
