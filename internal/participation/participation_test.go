package participation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/internal/participation"
	"issuegrid/tracker"
)

// table has issues, their definitions, and the keys of the index, which tests change independently of the
// issues, as if the index lagged. A Query returns at most limit keys.
type table struct {
	docs        map[tracker.IssueID]*tracker.Issue
	definitions map[tracker.ProjectID]*tracker.Definition
	index       map[columns.Way][]columns.IndexKey
	limit       int
	broken      error // of definitions
}

func newTable(projects ...tracker.ProjectID) *table {
	t := &table{docs: map[tracker.IssueID]*tracker.Issue{}, limit: 1000,
		definitions: map[tracker.ProjectID]*tracker.Definition{}, index: map[columns.Way][]columns.IndexKey{}}
	for _, p := range projects {
		t.definitions[p] = &tracker.Definition{Project: tracker.Project{ID: p, States: []tracker.State{
			{ID: "open", Open: true}, {ID: "done"}}}}
	}
	return t
}

// add adds an issue that the index lists in a way.
func (t *table) add(p tracker.ProjectID, num int, w columns.Way, i tracker.Issue) *tracker.Issue {
	i.ID, i.Num = tracker.IssueID{Project: p, Issue: fmt.Sprint("i", num)}, int64(num)
	i.Name, i.Updated = fmt.Sprint("issue ", num), time.Unix(int64(num), 0)
	t.docs[i.ID] = &i
	t.list(&i, w)
	return &i
}

func (t *table) list(i *tracker.Issue, w columns.Way) {
	t.index[w] = append(t.index[w], columns.IndexKey{Issue: i.ID, SS: columns.WaySort(i, w.By)})
	slices.SortFunc(t.index[w], func(a, b columns.IndexKey) int { return bytes.Compare(a.SS, b.SS) })
}

func (t *table) QueryKeys(_ context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	var page columns.KeyPage
	keys := slices.Clone(t.index[q.Way])
	if q.Descending {
		slices.Reverse(keys)
	}
	limit := t.limit
	if q.Limit > 0 {
		limit = min(limit, q.Limit)
	}
	for _, k := range keys {
		if q.From != nil && bytes.Compare(k.SS, q.From) < 0 || q.To != nil && bytes.Compare(k.SS, q.To) >= 0 {
			continue
		}
		if len(page.Keys) == limit {
			page.Last = page.Keys[limit-1].SS
			break
		}
		page.Keys = append(page.Keys, k)
	}
	page.Count, page.Examined, page.Queries = len(page.Keys), len(page.Keys), 1
	return page, nil
}

func (t *table) fetch(_ context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	out := make([]*tracker.Issue, len(ids))
	for i, id := range ids {
		out[i] = t.docs[id]
	}
	return out, nil
}

func (t *table) definition(_ context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	if d := t.definitions[p]; d != nil {
		return d, nil
	}
	return nil, tracker.Missing("project")
}

// read returns the issues of a page, each with the roles of the ways in which it is found.
func (t *table) read(test *testing.T, where filter.Condition, ways ...columns.Way) []string {
	test.Helper()
	page, err := participation.Read(test.Context(), grid.Source{Index: t, Fetch: t.fetch}, t.definition,
		participation.Request{Ways: grid.Ways{Ways: ways, Size: 50}, Where: where})
	if err != nil {
		test.Fatal(err)
	}
	out := []string{}
	for _, r := range page.Rows {
		row := fmt.Sprint(r.Definition.Project.ID, " ", r.Issue.Num)
		for _, w := range r.Ways {
			row += fmt.Sprint(" ", w.Participant, " ", w.Role)
		}
		out = append(out, row)
	}
	return out
}

func way(p tracker.Participant, r tracker.ParticipantRole, closed bool) columns.Way {
	return columns.Way{Participant: p, Role: r, Closed: closed, By: tracker.ColumnUpdated}
}

// TestRows checks laws W1 and W2: the documents and definitions decide, whatever the index says.
func TestRows(t *testing.T) {
	ada, core := way("uada", tracker.RoleAssignee, false), way("tcore", tracker.RoleWatcher, false)
	closed := way("uada", tracker.RoleAssignee, true)
	both := tracker.Issue{State: "open", Assignees: []tracker.Participant{"uada", "ubo"},
		Watchers: []tracker.Participant{"tcore"}}
	s := newTable("p1", "p2")
	s.add("p1", 1, ada, both)
	s.add("p2", 2, core, both) // the index does not have it as an issue of Ada yet
	s.add("p1", 3, ada, tracker.Issue{State: "done", Assignees: both.Assignees})
	s.add("p1", 4, ada, tracker.Issue{State: "open", Assignees: []tracker.Participant{"ubo"}})
	s.add("trash", 5, ada, both)
	gone := s.add("p1", 6, ada, both)
	delete(s.docs, gone.ID)
	s.add("p2", 7, ada, tracker.Issue{State: "newer", Assignees: both.Assignees})
	check := func(what string, want, got []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	const two = " uada assignee tcore watcher"
	check("both ways", []string{"p1 1" + two, "p2 2" + two, "p2 7 uada assignee"}, s.read(t, nil, ada, core))
	check("one way", []string{"p1 1 uada assignee", "p2 7 uada assignee"}, s.read(t, nil, ada))
	check("closed issues that the index does not have yet", []string{}, s.read(t, nil, closed))
	check("a filter", []string{"p2 2" + two}, s.read(t, filter.Contains{Column: tracker.ColumnName,
		Folded: fold.String("ISSUE 2")}, ada, core))

	s.broken = errors.New("broken")
	_, err := participation.Read(t.Context(), grid.Source{Index: s, Fetch: s.fetch}, s.definition,
		participation.Request{Ways: grid.Ways{Ways: []columns.Way{ada}, Size: 5}})
	if !errors.Is(err, s.broken) {
		t.Errorf("the error of a definition is %v", err)
	}
}

// TestCount checks law W3, and how many Queries a count makes at most.
func TestCount(t *testing.T) {
	ada, core := way("uada", tracker.RoleAssignee, false), way("tcore", tracker.RoleAssignee, false)
	s := newTable("p1")
	s.limit = 10
	for n := range 100 {
		i := s.add("p1", n+1, ada, tracker.Issue{})
		if n%2 == 0 {
			s.list(i, core)
		}
	}
	for _, test := range []struct {
		ways  []columns.Way
		want  int
		exact bool
	}{
		{[]columns.Way{ada}, 100, true},
		{[]columns.Way{core}, 50, true},
		{[]columns.Way{way("ubo", tracker.RoleAuthor, true)}, 0, true},
		{nil, 0, true},
	} {
		n, exact, err := participation.Count(t.Context(), s, test.ways)
		if n != test.want || exact != test.exact || err != nil {
			t.Errorf("%v: counted %d, exact %t, %v", test.ways, n, exact, err)
		}
	}
	for n := range 100 {
		s.add("p1", n+101, ada, tracker.Issue{})
	}
	n, exact, err := participation.Count(t.Context(), s, []columns.Way{ada, core})
	if n < 60 || n >= 200 || exact || err != nil { // 12 Queries of 10 keys, of which both ways share some
		t.Errorf("more than the maximum: counted %d, exact %t, %v", n, exact, err)
	}
}
