package grid_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/groups"
	"issuegrid/tracker"
)

// TestGroupsOfOutdatedKeys checks groups while the index has, of some issues, also the keys of earlier
// values: each group with issues is found, and no other.
func TestGroupsOfOutdatedKeys(t *testing.T) {
	outdate := func(w *world) {
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
	}
	worldsOf{70_000, worlds / 4, []int{60}, queriesEach, outdate}.each(t, func(w *world) error {
		g := w.grouped()
		g.disturb = false
		if g.column == fTags.Column() || g.column == fMulti.Column() {
			return nil // which w.value may leave without a value
		}
		return g.walk()
	})
}

// TestGroupsStayInTheirBudget checks how many documents pages of groups read at most.
func TestGroupsStayInTheirBudget(t *testing.T) {
	worldsOf{90_000, worlds / 4, []int{400}, queriesEach, nil}.each(t, func(w *world) error {
		g := w.grouped()
		g.request.Budget = 20 + w.random.IntN(60)
		source, read := w.source(), atomic.Int64{} // documents are fetched concurrently
		source.Fetch = func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
			read.Add(int64(len(ids)))
			return w.fetchHeld(ctx, ids)
		}
		page, err := g.grouping.Find(context.Background(), source, g.request)
		if most := 2*g.request.Budget + 2*g.request.Size; err != nil || int(read.Load()) > most {
			return fmt.Errorf("%d documents for %d groups, want at most %d, %v\n%v", read.Load(),
				len(page.Groups), most, err, g)
		}
		return nil
	})
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
	for pages := 0; ; pages++ {
		page, err := g.grouping.Find(t.Context(), w.source(), r)
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
