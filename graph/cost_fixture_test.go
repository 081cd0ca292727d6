package graph_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

const (
	costRows = 1000
	// From this number on every issue has a long description and a long LONG_TEXT in f02.
	longDescriptions = 201
	longReports      = 401
)

// costProjects returns a project of 1,000 small rows, some of which have long texts, a second project of its
// tenant, and the worked example, so that there is a second tenant.
func costProjects() (big, small sample.Project, all []sample.Project) {
	big = sample.Generated()
	big.Issues = big.Issues[:costRows]
	for i := range big.Issues {
		issue := &big.Issues[i]
		issue.Description = tracker.Text("short")
		if issue.Num >= longDescriptions {
			issue.Description = tracker.Text(strings.Repeat("a description of over 256 bytes ", 10))
		}
		delete(issue.Values, "f02")
		if issue.Num >= longReports {
			issue.Values["f02"] = tracker.Text(strings.Repeat("a report of over 256 bytes ", 10))
		} else if issue.Num%2 == 0 {
			issue.Values["f02"] = tracker.Text("short")
		}
	}
	small = docks()
	small.Issues = slices.Clone(sample.Generated().Issues[:100])
	for i := range small.Issues {
		issue := &small.Issues[i]
		issue.ID = tracker.IssueID{Project: "d0cc", Issue: tracker.IDFor("docks", fmt.Sprint(issue.Num))}
	}
	return big, small, append(sample.Worked(), big, small)
}

// docks returns a project like the generated one, without issues.
func docks() sample.Project {
	p := sample.Generated()
	p.Project.ID, p.Project.Key, p.Project.Name, p.Issues = "d0cc", "DOCK", "Docks", nil
	return p
}

// cellsOf returns a selection of n columns by aliases.
func cellsOf(p *sample.Project, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "c%d: value(fieldId: %q) { display field { name } } ", i,
			fieldID(p, string(p.Fields[i].ID)))
	}
	return b.String()
}

// page is the part of a page's response that the tests of cost examine.
type page struct {
	Project struct {
		Issues struct {
			Nodes []struct {
				ID  string
				Num int
			}
			PageInfo struct {
				HasNextPage, HasPreviousPage *bool
				StartCursor, EndCursor       string
			}
			TotalCount          *int
			TotalCountPrecision string
		}
	}
}

// pageQuery returns a query for the rows of a page of a project.
func pageQuery(p *sample.Project, arguments, cells string) string {
	return fmt.Sprintf(
		`{ project(id: %q) { issues(%s) { nodes { id num %s } pageInfo { hasNextPage startCursor endCursor } } } }`,
		projectID(p), arguments, cells)
}

// orderBy returns the argument for an order by a custom field.
func orderBy(p *sample.Project, f string) string {
	return fmt.Sprintf(`orderBy: [{column: {fieldId: %q}}]`, fieldID(p, f))
}

// costs sends an operation and compares the number of calls on the wire, and extensions.cost, with the
// expected ones.
func (s *server) costs(t *testing.T, query string, want map[string]int) page {
	t.Helper()
	t.Helper()
	s.wire.Reset()
	var got page
	a := s.data(t, query, nil, &got)
	calls := s.wire.Calls()
	same(t, fmt.Sprintf("calls of %.300s", query), want, calls)
	if a.Extensions.Cost == nil {
		t.Fatal("no extensions.cost")
	}
	same(t, "the wire and extensions.cost", calls, a.Extensions.Cost.Calls)
	return got
}

// atMost sends an operation and checks the number of its calls, and its capacity units.
func (s *server) atMost(t *testing.T, what, query string, calls int, rcu float64) (got page) {
	t.Helper()
	s.wire.Reset()
	a, n := s.data(t, query, nil, &got), 0
	for _, sent := range s.wire.Calls() {
		n += sent
	}
	if took := a.Extensions.Cost.RCU; n > calls || took > rcu {
		t.Errorf("%s: %d calls, %g RCU; want at most %d and %g", what, n, took, calls, rcu)
	}
	return got
}

// null returns the literal of a string, or null for "".
func null(s string) string {
	if s == "" {
		return "null"
	}
	return strconv.Quote(s)
}

// count returns the number of issues of a sample that have a value of a field.
func count(p *sample.Project, f tracker.FieldID) int {
	n := 0
	for _, i := range p.Issues {
		if i.Values[f].Kind != tracker.KindNone {
			n++
		}
	}
	return n
}
