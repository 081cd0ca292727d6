package grid_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestWays compares walks in both directions with the same rows sorted in memory, while issues are added,
// change and are removed between the pages.
func TestWays(t *testing.T) {
	for seed := range uint64(150) {
		c := newCrowd(seed, int(seed%60))
		for n := range 12 {
			m := c.mix()
			if err := c.walk(m, nil); err != nil {
				t.Fatalf("seed %d, page %d of %+v: %v", seed, n, m.Ways.Ways, err)
			}
			if err := c.walk(m, func() {
				switch c.random.IntN(6) {
				case 0:
					c.add()
				case 1:
					if len(c.issues) > 0 {
						c.change(pickOne(c.random, c.issues), 1)
					}
				case 2:
					if len(c.issues) > 3 {
						c.remove(c.random.IntN(len(c.issues)), c.random.IntN(2) == 0)
					}
				}
			}); err != nil {
				t.Fatalf("seed %d, changing page %d of %+v, size %d, descending %t, backward %t: %v", seed, n,
					m.Ways.Ways, m.Size, m.Descending, m.Backward, err)
			}
		}
	}
}

// TestWaysLag checks that a page with outdated keys has only issues that are rows by their documents, each
// once, and that a walk shows all issues that did not change.
func TestWaysLag(t *testing.T) {
	for seed := range uint64(150) {
		c := newCrowd(seed, 40)
		changed := map[tracker.IssueID]bool{}
		for range 15 {
			i := pickOne(c.random, c.issues)
			changed[i.ID] = true
			c.change(i, c.random.IntN(2)-1)
		}
		m := c.mix()
		m.Size = 1 + c.random.IntN(40)
		shown := map[tracker.IssueID]int{}
		for {
			page, err := grid.ReadWays(context.Background(), grid.Source{Index: c, Fetch: c.fetch}, m.Ways)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Rows {
				shown[r.Issue.ID]++
				if !c.meets(m, r.Issue) || shown[r.Issue.ID] > 1 && !changed[r.Issue.ID] {
					t.Fatalf("seed %d: %v is a row", seed, r.Issue.ID)
				}
			}
			if len(page.Rows) < m.Size {
				break
			}
			if _, err := m.next(page); err != nil {
				t.Fatal(err)
			}
		}
		for _, i := range c.rows(m) {
			if shown[i.ID] == 0 && !changed[i.ID] {
				t.Errorf("seed %d: %v is not a row", seed, i.ID)
			}
		}
	}
}

// TestWaysCost counts the calls of pages: one Query of each way, however many issues and projects there are,
// and as many for later pages.
func TestWaysCost(t *testing.T) {
	for _, ways := range []int{1, 2, 50} {
		for _, issues := range []int{100, 5000} {
			c := newCrowd(1, 0)
			for n := range issues {
				i := &tracker.Issue{ID: tracker.IssueID{Project: tracker.ProjectID(fmt.Sprint("p", n%1000)),
					Issue: fmt.Sprint("i", n)}, Num: int64(n + 1), Created: c.clock,
					Updated: c.clock.Add(time.Duration(n) * time.Second)}
				for w := range min(ways, 3) {
					i.Assignees = append(i.Assignees, tracker.Participant(fmt.Sprint("t", (n+w)%ways)))
				}
				c.issues, c.docs[i.ID] = append(c.issues, i), i
				c.list(i)
			}
			m := &mix{Ways: grid.Ways{Size: 20, Descending: true, NeedNext: true, NeedPrevious: true}}
			for w := range ways {
				m.Ways.Ways = append(m.Ways.Ways, columns.Way{Role: tracker.RoleAssignee,
					Participant: tracker.Participant(fmt.Sprint("t", w)), By: tracker.ColumnUpdated})
			}
			m.Match = func(context.Context, []*tracker.Issue) error { return nil }
			rows := c.rows(m)
			for page := range 4 {
				got, err := c.page(m, rows, 20*page)
				if err != nil {
					t.Fatal(err)
				}
				if c.queries != ways || c.keys > 21*ways || c.fetched != 21 {
					t.Errorf("page %d of %d ways, %d issues: %d queries, %d keys, %d documents", page, ways,
						issues, c.queries, c.keys, c.fetched)
				}
				if _, err := m.next(got); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestWaysCursor checks that cursors of other lists are not accepted.
func TestWaysCursor(t *testing.T) {
	w := grid.Ways{Ways: []columns.Way{{By: tracker.ColumnUpdated}}}
	byTime := grid.Position{Column: "updated", HasValue: true, Value: sortkey.Time(time.Unix(1, 0)), Num: 1,
		Issue: "i1"}
	across := byTime
	across.Column, across.Value = "all~updated", sortkey.WithID(byTime.Value, "p1")
	for c, want := range map[string]bool{byTime.String(): false, across.String(): true} {
		if _, err := grid.ParseCursor(c, w.Order()); (err == nil) != want {
			t.Errorf("%s: %v", c, err)
		}
	}
	across.Value = byTime.Value
	if _, err := grid.ParseCursor(across.String(), w.Order()); err == nil {
		t.Error("a cursor without a project is accepted")
	}
}
