package grid_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestProbesAreRemembered checks that the second page of a grid sends no probe again, that a page of another
// filter, project or tenant sends its own, and that probes are sent again after a minute.
func TestProbesAreRemembered(t *testing.T) {
	rows := plain(3000, 1000)
	s := byField.fill(rows)
	for _, doc := range s.docs {
		if doc.Num <= 3000 {
			doc.Values = map[tracker.FieldID]tracker.Value{"3fe6": tracker.Int(1)}
		}
	}
	probes, now := grid.NewProbesAt()
	read := func(tenant tracker.TenantID, p tracker.ProjectID, where filter.Condition) (queries int) {
		t.Helper()
		d := tracker.NewDefinition(tracker.Project{ID: p, Tenant: tenant}, definition.Fields)
		d.MaxIssueNum = 4000
		source := s.source()
		source.Probes = probes
		return readPage(t, source, tracker.ColumnCreated,
			grid.Request{Definition: d, Where: where, Size: 10}).Work.Queries
	}
	one := filter.In{Column: "3fe6", Values: filter.Equal(sortkey.Int(1))}
	two := filter.In{Column: "3fe6", Values: filter.Equal(sortkey.Int(2))}
	first := read("t1", project, one)
	again := read("t1", project, one)
	if again >= first {
		t.Errorf("%d Queries, and %d when repeated, want fewer", first, again)
	}
	for name, got := range map[string]int{"another filter": read("t1", project, two),
		"another tenant": read("t2", project, one), "another project": read("t1", other, one)} {
		if got <= again {
			t.Errorf("%s: %d Queries, want more than %d", name, got, again)
		}
	}
	*now = now.Add(grid.ProbeTime)
	if got := read("t1", project, one); got != first {
		t.Errorf("after a minute: %d Queries, want %d", got, first)
	}
}

// TestContainsOnKeys checks that the keys of a column decide which texts contain a string, so that only
// documents of rows are fetched, except for texts that keys have only the beginning of.
func TestContainsOnKeys(t *testing.T) {
	d := tracker.NewDefinition(definition.Project, definition.Fields)
	d.MaxIssueNum = 2000
	s := newStore()
	long := strings.Repeat("long ", 300)
	for n := int64(1); n <= 2000; n++ {
		text := fmt.Sprintf("Text %d", n)
		if n%500 == 0 {
			text = long + text
		}
		id := issueID(project, n)
		s.put(partition{project: project, column: tracker.ColumnNum}, entry{id: id, ss: sortkey.Num(n),
			has: []tracker.Column{"47e5"}})
		s.put(partition{project: project, column: "47e5"},
			entry{id: id, ss: sortkey.Join(sortkey.Text(text), n)})
		s.docs[id] = &tracker.Issue{ID: id, Num: n, Values: map[tracker.FieldID]tracker.Value{
			"47e5": short(tracker.Text(text))}}
	}
	source := s.source()
	source.Texts = func(_ context.Context, refs []tracker.LongRef) ([]string, error) {
		out := make([]string, len(refs))
		for i := range refs {
			out[i] = long + "Text 500"
		}
		return out, nil
	}
	for _, c := range []struct {
		by        tracker.Column
		contains  string
		rows      int
		documents int // those of rows, those with texts that are cut, and these texts
	}{
		{tracker.ColumnNum, "text 77", 11, 19},
		{"47e5", "text 77", 11, 19},
		{"47e5", "ext 7", 111, 119},
		{tracker.ColumnNum, "text 500", 4, 8},
		{"47e5", "nowhere", 0, 8},
	} {
		page := readPage(t, source, c.by, grid.Request{Definition: d, Size: 200, Explain: true,
			Where: filter.Contains{Column: "47e5", Folded: c.contains}})
		if len(page.Rows) != c.rows || page.Work.Documents > c.documents {
			t.Errorf("by %s, %q: %d rows from %d documents, want %d from %d\n%s", c.by, c.contains,
				len(page.Rows), page.Work.Documents, c.rows, c.documents, page.Plan.Text())
		}
	}
}

// TestValuesCountedByNumber checks that a few values of integers, such as states, are counted in the order of
// the numbers: in that of the values, a fifth of the issues has two of a hundred values.
func TestValuesCountedByNumber(t *testing.T) {
	w := newWorld(1, 1)
	w.megabyte = 0
	const issues = 5000
	for num := int64(1); num <= issues; num++ {
		i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "open",
			Created: day(1), Updated: day(1), Values: map[tracker.FieldID]tracker.Value{
				fInt:  tracker.Int([]int64{0, 1, 100, 100, 100, 0, 2, 0, 0, 100}[num%10]),
				fBool: tracker.Bool(num%3 == 0)}}
		w.issues = append(w.issues, i)
		w.index(i, true)
	}
	w.definition.MaxIssueNum = issues
	page := readPage(t, w.source(), tracker.ColumnNum, grid.Request{Definition: w.definition, Size: 50,
		Explain: true, Where: filter.And{
			filter.In{Column: fInt.Column(), Values: filter.OneOf(sortkey.Int(1), sortkey.Int(2))},
			filter.In{Column: fBool.Column(), Values: filter.Equal(sortkey.Bool(true))}}})
	at := slices.IndexFunc(page.Rejected, func(r grid.Rejected) bool {
		return r.Label == `list by num, of "Int" >= 1 and < 3`
	})
	if at < 0 {
		t.Fatalf("%+v", page.Rejected)
	}
	if keys := page.Rejected[at].Keys; keys < 900 || keys > 1100 {
		t.Errorf("%g keys were expected of 1,000", keys)
	}
}
