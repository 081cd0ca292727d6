package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/internal/sample"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// flatRows is the number of issues of the project on which the costs of empty values are measured.
var flatRows = tier.Cases(2_000, 20_000)

// flatShares are the shares of issues with a value, in percent, by field.
var flatShares = map[tracker.FieldID]int{"none": 0, "few": 1, "half": 50, "most": 95, "all": 100}

// flatProject returns a project with columns of integers that are filled to flatShares, and one of 501 tags.
// If indexed is set, those in which most issues have a value have entries of the empty values.
func flatProject(rows int, indexed bool) sample.Project {
	p := sample.Generated()
	p.Fields = nil
	for id, share := range flatShares {
		f := tracker.Field{ID: id, Name: string(id), Type: tracker.TypeInteger}
		if indexed && share >= 50 {
			f.Empties = tracker.EmptiesIndexed
		}
		p.Fields = append(p.Fields, f)
	}
	p.Fields = append(p.Fields, tracker.Field{ID: "tags", Name: "tags", Type: tracker.TypeTags})
	p.Issues = make([]tracker.Issue, rows)
	for i := range p.Issues {
		values := map[tracker.FieldID]tracker.Value{
			"tags": tracker.Set([]string{fmt.Sprintf("tag %d", i*7919%500), "all"})}
		for id, share := range flatShares {
			if i*37%100 < share {
				values[id] = tracker.Int(int64(i * 7919 % 1000))
			}
		}
		p.Issues[i] = tracker.Issue{
			ID:  tracker.IssueID{Project: p.Project.ID, Issue: tracker.IDFor("flat", fmt.Sprint(i))},
			Num: int64(i + 1), Name: fmt.Sprintf("Sync invoice %d", i), State: p.Project.States[i%2].ID,
			Created: time.Date(2024, 1, 1, 0, 0, i, 0, time.UTC), Values: values}
	}
	return p
}

// TestFlat checks the cost of pages of columns with empty values. It depends neither on the share of empty
// values nor on the depth.
func TestFlat(t *testing.T) {
	p := flatProject(flatRows, true)
	s := load(t, p)
	order := func(field, nulls string) string {
		return fmt.Sprintf("orderBy: [{column: {fieldId: %q}, nulls: %s}]", fieldID(&p, field), nulls)
	}
	atMost := func(what, arguments string, rows, calls int, rcu float64) page {
		t.Helper()
		got := s.atMost(t, what, pageQuery(&p, arguments, ""), calls, rcu)
		if n := len(got.Project.Issues.Nodes); n != rows {
			t.Errorf("%s: %d rows, want %d", what, n, rows)
		}
		return got
	}
	s.data(t, pageQuery(&p, "first: 1", ""), nil, new(page)) // reads the definition
	for _, share := range []string{"half", "most", "all"} {
		for _, nulls := range []string{"FIRST", "LAST"} {
			for _, ways := range [][2]string{{"first", "after"}, {"last", "before"}} {
				cursor := ""
				for range 4 {
					arguments := fmt.Sprintf("%s: 100, %s: %s, %s", ways[0], ways[1], null(cursor),
						order(share, nulls))
					info := atMost(arguments, arguments, 100, 4, 52).Project.Issues.PageInfo
					if cursor = info.EndCursor; ways[0] == "last" {
						cursor = info.StartCursor
					}
				}
			}
		}
	}
	small := flatProject(1000, true)
	smaller := start(t, 1, grouped).load(t, small)
	s.costOfSortColumns(t, &p)
	smaller.costOfSortColumns(t, &small)
	s.costOfFilteredOrders(t, &p)
	s.costOfGroups(t, &p)
	smaller.costOfGroups(t, &small)
	field := func(name, condition string) string {
		return fmt.Sprintf("where: {fields: [{fieldId: %q, %s}]}", fieldID(&p, name), condition)
	}
	const byName = "orderBy: [{column: {builtin: NAME}}]"
	rare := 0
	for i := range p.Issues {
		if strings.Contains(p.Issues[i].Name, "voice 1999") {
			rare++
		}
	}
	for _, c := range []struct {
		name, arguments string
		rows, calls     int
		rcu             float64
	}{
		{"none is null", field("all", "isNull: true"), 0, 1, 0.5},
		{"none is null, by itself", field("all", "isNull: true") + ", " + order("all", "LAST"), 0, 1, 0.5},
		{"5 % are null", field("most", "isNull: true"), 100, 2, 51},
		{"all have a value", field("all", "isNull: false"), 100, 5, 56},
		{"95 % have a value", field("most", "isNull: false"), 100, 5, 56},
		{"not a value", field("all", "integer: {neq: 7}"), 100, 12, 74},
		{"not a value, by itself", field("all", "integer: {neq: 7}") + ", " + order("all", "FIRST"),
			100, 4, 52},
		{"not a value, of another column", field("most", "integer: {neq: 7}") + ", " + order("half", "LAST"),
			100, 12, 76},
		{"a rare name, by number", `where: {name: {contains: "sync invoice 1999"}}`, rare, 5, 206},
		{"a rare name, by name", `where: {name: {contains: "voice 1999"}}, ` + byName, rare, 9, 206},
		{"a frequent name, by number", `where: {name: {contains: "invoice 1"}}`, 100, 7, 116},
	} {
		atMost(c.name, "first: 100, "+c.arguments, c.rows, c.calls, c.rcu)
	}
	for _, c := range []struct {
		name, where string
		want        int
		calls       int
		rcu         float64
	}{
		{"all", "", flatRows, 4, 290},
		{"in a state", fmt.Sprintf(", where: {state: {eq: %q}}", p.Project.States[0].Name), flatRows / 2, 3,
			150},
		{"without a value", ", " + field("half", "isNull: true"), flatRows / 2, 3, 150},
	} {
		issues := s.atMost(t, c.name, fmt.Sprintf(
			`{ project(id: %q) { issues(first: 0%s) { totalCount totalCountPrecision } } }`, projectID(&p), c.where),
			c.calls, c.rcu).Project.Issues
		if *issues.TotalCount != c.want || issues.TotalCountPrecision != "EXACT" {
			t.Errorf("count of %s: %d %s", c.name, *issues.TotalCount, issues.TotalCountPrecision)
		}
	}
}

// TestManyColumns checks the cost of a page by number in a project with many filled columns, whose ids are in
// the keys that are read.
func TestManyColumns(t *testing.T) {
	p := sample.Generated()
	d := tracker.NewDefinition(p.Project, nil)
	p.Fields, p.Issues = nil, make([]tracker.Issue, 150)
	for n := range 43 {
		p.Fields = append(p.Fields,
			tracker.Field{ID: d.NewFieldID(), Name: fmt.Sprint("Column ", n), Type: tracker.TypeInteger})
	}
	for i := range p.Issues {
		values := map[tracker.FieldID]tracker.Value{}
		for _, f := range p.Fields {
			values[f.ID] = tracker.Int(int64(i))
		}
		p.Issues[i] = tracker.Issue{
			ID:  tracker.IssueID{Project: p.Project.ID, Issue: tracker.IDFor("many", fmt.Sprint(i))},
			Num: int64(i + 1), Name: fmt.Sprint("Issue ", i), State: p.Project.States[0].ID,
			Created: time.Date(2024, 1, 1, 0, 0, i, 0, time.UTC), Values: values}
	}
	s := load(t, p)
	var got page
	s.data(t, pageQuery(&p, "first: 1", ""), nil, &got)
	got = s.atMost(t, "a page", pageQuery(&p, "first: 100", ""), 2, 52)
	if n := len(got.Project.Issues.Nodes); n != 100 {
		t.Errorf("%d rows", n)
	}
}
