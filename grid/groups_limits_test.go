package grid_test

import (
	"context"
	"sync/atomic"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/groups"
	"issuegrid/tracker"
)

// TestGroupsOfOutdatedKeys checks groups while the index has, of some issues, also the keys of earlier
// values: each group with issues is found, and no other.
func TestGroupsOfOutdatedKeys(t *testing.T) {
	for seed := range worlds / 4 {
		w := newWorld(70_000+seed, 60)
		for _, i := range w.issues {
			if w.random.IntN(3) == 0 {
				for _, f := range w.definition.Fields {
					// Of a long text, the keys alone decide.
					v := w.value(f)
					_, has := i.Values[f.ID]
					if has && v.Kind != tracker.KindNone && short(v).Kind == v.Kind {
						i.Values[f.ID] = v
					}
				}
				w.ghosts += 3 // the most keys of the issue in a column
				w.index(i, true)
			}
		}
		for n := range queriesEach {
			g := w.grouped()
			g.disturb = false
			if g.column == fTags.Column() || g.column == fMulti.Column() {
				continue // which w.value may leave without a value
			}
			if err := g.walk(); err != nil {
				t.Fatalf("seed %d, query %d: %v\n%v", seed, n, err, g)
			}
		}
	}
}

// TestLimitedWalksOfGroups is TestGroups with little memory or CPU time for each page.
func TestLimitedWalksOfGroups(t *testing.T) {
	stopped := 0
	for seed := range worlds / 8 {
		w := newWorld(80_000+seed, 200)
		for n := range queriesEach / 2 {
			for name, open := range limitedAccounts(w) {
				g := w.grouped()
				g.request.Budget, g.open = 0, open
				if err := g.walk(); err != nil {
					t.Fatalf("seed %d, query %d, %s: %v\n%v", seed, n, name, err, g)
				}
				stopped += g.stopped
			}
		}
	}
	if stopped == 0 {
		t.Error("no limit was ever used")
	}
}

// TestGroupsStayInTheirBudget checks how many documents pages of groups read at most.
func TestGroupsStayInTheirBudget(t *testing.T) {
	for seed := range worlds / 4 {
		w := newWorld(90_000+seed, 400)
		for range queriesEach {
			g := w.grouped()
			g.request.Budget = 20 + w.random.IntN(60)
			var read atomic.Int64 // documents are fetched concurrently
			page, err := g.grouping.Find(context.Background(), grid.Source{Index: w, Texts: w.texts,
				Fetch: func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
					read.Add(int64(len(ids)))
					return w.fetchHeld(ctx, ids)
				}}, g.request)
			if err != nil {
				t.Fatal(err)
			}
			if most := 2*g.request.Budget + 2*g.request.Size; int(read.Load()) > most {
				t.Errorf("seed %d: %d documents for %d groups, want at most %d\n%v", seed,
					read.Load(), len(page.Groups), most, g)
			}
		}
	}
}

// TestGroupsContinueFromARow checks that a page which ended within a group is continued from the definition,
// as when a job begins to move states between the pages.
func TestGroupsContinueFromARow(t *testing.T) {
	w := newWorld(1, 1)
	for range 401 {
		w.insert()
	}
	for _, i := range w.issues {
		i.State = "open"
		w.index(i, true)
	}
	last := w.issues[len(w.issues)-1]
	g := &grouped{world: w, column: tracker.ColumnState}
	var err error
	if g.grouping, err = groups.New(w.definition, g.column, g.ranges, false, false); err != nil {
		t.Fatal(err)
	}
	only := filter.Contains{Column: tracker.ColumnDescription, Folded: "only this"}
	last.Description = tracker.Text("only this")
	w.index(last, true)
	r := groups.Request{Request: grid.Request{Project: project, Definition: w.definition, Budget: 100,
		Where: only}, Size: 5}
	source := grid.Source{Index: w, Fetch: w.fetchHeld, Texts: w.texts}
	for pages := 0; ; pages++ {
		page, err := g.grouping.Find(context.Background(), source, r)
		if err != nil || pages > 20 {
			t.Fatal(pages, err)
		}
		if len(page.Groups) > 0 {
			if page.Groups[0].Option != "open" || pages == 0 {
				t.Errorf("page %d has the groups %+v", pages, page.Groups)
			}
			return
		}
		if page.Stopped == nil {
			t.Fatalf("page %d ends the walk, and the group was not found", pages)
		}
		if r.After, err = g.grouping.ParsePosition(g.grouping.Encode(page.Stopped)); err != nil {
			t.Fatal(err)
		}
		r.Empty, r.Size = true, 1
	}
}
