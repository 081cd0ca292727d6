// Package genqlient runs the operations of the front-end clients by what genqlient generates for Go. With
// `optional: pointer`, it sends null for all that is not given, in each variable and input object.
package genqlient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/Khan/genqlient/graphql"
)

func to[T any](v T) *T { return &v }

// nulls counts the members of requests that are null.
type nulls struct{ n int }

func (c *nulls) Do(r *http.Request) (*http.Response, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	c.n += strings.Count(string(text), ":null")
	return http.DefaultClient.Do(r)
}

// TestOperations runs all operations. The server is at ISSUEGRID_URL, and has the sample data and an empty
// project, ISSUEGRID_PROJECT, with a field of each type.
func TestOperations(t *testing.T) {
	url, own := os.Getenv("ISSUEGRID_URL"), os.Getenv("ISSUEGRID_PROJECT")
	if url == "" {
		t.Skip("runs in `make test-clients`")
	}
	sent := &nulls{}
	c, ctx := graphql.NewClient(url, sent), context.Background()
	ran := map[string]bool{}
	check := func(name string, err error) {
		t.Helper()
		if ran[name] = true; err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	same := func(what string, want, got any) {
		t.Helper()
		if want, got := fmt.Sprint(want), fmt.Sprint(got); want != got {
			t.Errorf("%s is %s, want %s", what, got, want)
		}
	}

	viewer, err := Viewer(ctx, c)
	check("Viewer", err)
	same("the role", "OPERATOR", viewer.Viewer.Role)
	tenants, err := Tenants(ctx, c, nil, nil)
	check("Tenants", err)
	ferries := slices.IndexFunc(tenants.Tenants.Edges,
		func(e *TenantsTenantsTenantConnectionEdgesTenantEdge) bool {
			return e.Node.Name == "Northern Ferries"
		})
	tenant := tenants.Tenants.Edges[ferries].Node.Id
	projects, err := TenantProjects(ctx, c, tenant, to(50), nil)
	check("TenantProjects", err)
	fleet := ""
	for _, e := range projects.Tenant.Projects.Edges {
		if e.Node.Key == "FLEET" {
			fleet = e.Node.Id
		}
	}
	fields, err := ProjectFields(ctx, c, fleet)
	check("ProjectFields", err)
	ids := map[string]string{}
	for _, f := range fields.Project.Fields {
		ids[f.Name] = f.Id
	}
	cost := ids["Cost"]
	byCost := []*IssueOrder{{Column: &IssueColumn{FieldId: &cost}}}

	page, err := IssuePage(ctx, c, fleet, to(5), nil, nil, nil, nil, nil, nil, cost)
	check("IssuePage", err)
	same("the first rows", "[1 2 3 4 5]", nums(page))
	low := &IssueFilter{Num: &NumFilter{Lte: to(100)}, Not: &IssueFilter{Name: &TextFilter{IsNull: to(true)}}}
	page, err = IssuePage(ctx, c, fleet, to(2), page.Project.Issues.PageInfo.EndCursor, nil, nil, nil, low, nil, cost)
	check("IssuePage with a filter", err)
	same("the next rows", "[6 7]", nums(page))
	page, err = IssuePage(ctx, c, fleet, nil, nil, to(3), nil, byCost, nil, nil, cost)
	check("IssuePage by a field", err)
	same("rows at the end", 3, len(page.Project.Issues.Edges))
	where := &IssueFilter{State: &OptionFilter{Eq: to("Done")}, Fields: []*CustomFieldFilter{{FieldId: cost,
		Number: &FloatFilter{Gte: to(1.0)}}}}
	count, err := IssueCount(ctx, c, fleet, nil, where)
	check("IssueCount", err)
	if n := count.Project.Issues.TotalCount; n == nil || *n < 1 {
		t.Errorf("the count is %v", n)
	}
	explained, err := Explain(ctx, c, fleet, byCost, where)
	check("Explain", err)
	same("steps", true, len(explained.Project.Issues.Explain.Root.Children) > 0)
	at, err := CursorAtIssue(ctx, c, fleet, nil, 7)
	check("CursorAtIssue", err)
	page, err = IssuePage(ctx, c, fleet, to(1), at.Project.CursorAtIssue, nil, nil, nil, nil, nil, cost)
	check("IssuePage at an issue", err)
	same("the row there", "[7]", nums(page))
	number, err := CursorAt(ctx, c, fleet, byCost, &ValueInput{Number: to(10.0)})
	check("CursorAt", err)
	same("a cursor", true, number.Project.CursorAt != nil)

	own1, err := ProjectFields(ctx, c, own)
	check("ProjectFields of the own project", err)
	for _, f := range own1.Project.Fields {
		ids[f.Name] = f.Id
	}
	values := []*CustomValueInput{{FieldId: ids["Hours"], Value: &ValueInput{Integer: to("9007199254740993")}},
		{FieldId: ids["Systems"], Value: &ValueInput{Options: []string{"Hull"}}}}
	created, err := CreateIssue(ctx, c, &CreateIssueInput{ProjectId: own,
		Issue: &IssueCreateInput{Name: "One", Values: values}})
	check("CreateIssue", err)
	issue := created.CreateIssue.Issue
	bulk, err := CreateIssues(ctx, c, &CreateIssuesInput{ProjectId: own, Issues: []*IssueCreateInput{
		{Name: "Two"}, {Name: ""}, {Name: "Three", State: to("Closed")}}})
	check("CreateIssues", err)
	wrong := bulk.CreateIssues.Results[1].Errors[0]
	same("the refused one", "BAD_USER_INPUT input.issues[1].name", fmt.Sprint(wrong.Code, " ", *wrong.Argument))
	changes := []*CustomValueChangeInput{{FieldId: ids["Hours"], Value: &ValueInput{Integer: to("-1")}},
		{FieldId: ids["Systems"], AddOptions: []string{"Engine"}}}
	updated, err := UpdateIssue(ctx, c, &UpdateIssueInput{Issue: &IssueUpdateInput{Id: issue.Id,
		Name: to("Changed"), Values: changes}})
	check("UpdateIssue", err)
	same("the version", issue.Version+1, updated.UpdateIssue.Issue.Version)
	tried, err := TryUpdateIssue(ctx, c, &UpdateIssueInput{Issue: &IssueUpdateInput{Id: issue.Id,
		ExpectedVersion: &issue.Version, Name: to("Lost")}})
	check("TryUpdateIssue", err)
	refused := tried.UpdateIssue.Errors[0]
	same("the conflict", "CONFLICT input.issue.expectedVersion",
		fmt.Sprint(refused.Code, " ", *refused.Argument))
	changed, err := ChangeRow(ctx, c, &UpdateIssueInput{Issue: &IssueUpdateInput{Id: issue.Id,
		Name: to("Row")}}, ids["Hours"])
	check("ChangeRow", err)
	same("the name", "Row", changed.UpdateIssue.Issue.Name)
	var batch []*IssueUpdateInput
	for _, r := range bulk.CreateIssues.Results {
		if r.Issue != nil {
			batch = append(batch, &IssueUpdateInput{Id: r.Issue.Id, State: to("Closed")})
		}
	}
	all, err := UpdateIssues(ctx, c, &UpdateIssuesInput{Issues: batch})
	check("UpdateIssues", err)
	for _, r := range all.UpdateIssues.Results {
		same("a state", "Closed", r.Issue.State.Name)
	}
	detail, err := IssueDetail(ctx, c, issue.Id)
	check("IssueDetail", err)
	hours := ""
	for _, v := range detail.Issue.Values {
		if v != nil && (*v).GetField().Name == "Hours" {
			hours = (*v).GetDisplay()
		}
	}
	same("hours", "-1", hours)
	cell, err := Cell(ctx, c, issue.Id, ids["Hours"])
	check("Cell", err)
	same("the field of the cell", "Hours", (*cell.Issue.Value).GetField().Name)
	nodes, err := Nodes(ctx, c, []string{issue.Id, own})
	check("Nodes", err)
	same("nodes", 2, len(nodes.Nodes))
	history, err := History(ctx, c, issue.Id, nil, nil)
	check("History", err)
	same("changes", 3, len(history.Issue.History.Edges))
	deleted, err := DeleteIssue(ctx, c, &DeleteIssueInput{Issue: &IssueDeleteInput{Id: issue.Id}})
	check("DeleteIssue", err)
	same("the deleted issue", issue.Id, *deleted.DeleteIssue.DeletedIssueId)
	trash, err := Trash(ctx, c, own, nil, nil)
	check("Trash", err)
	same("the trash", issue.Id, trash.Project.DeletedIssues.Edges[0].Node.IssueId)
	restored, err := RestoreIssue(ctx, c, &RestoreIssueInput{Id: issue.Id})
	check("RestoreIssue", err)
	same("the restored issue", issue.Id, restored.RestoreIssue.Issue.Id)
	if len(ran) < 22 || sent.n < 150 {
		t.Errorf("%d operations with %d nulls", len(ran), sent.n)
	}
}

func nums(p *IssuePageResponse) (out []int) {
	for _, e := range p.Project.Issues.Edges {
		out = append(out, e.Node.Num)
	}
	return out
}
