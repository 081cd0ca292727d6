package grid_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
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

// TestGroupsOfTagsCost checks that a walk through the tags of issues that only documents decide reads each
// document a few times, that it shows no group without issues, and that pages beyond the group of the issues
// without a tag list no tags.
func TestGroupsOfTagsCost(t *testing.T) {
	w := newWorld(1, 1)
	for n := range 1000 {
		w.insert()
		i := w.issues[n]
		w.index(i, false)
		i.Description, i.Values = tracker.Text("any"), map[tracker.FieldID]tracker.Value{}
		if n > 0 {
			i.Values[fTags] = tracker.Set([]string{fmt.Sprintf("tag %02d", n%50)})
		}
		if n%39 == 0 {
			i.Description = tracker.Text("only this")
		}
		w.index(i, true)
	}
	clear(w.tags)
	for n := range 200 { // of which most have no issue any more
		w.tags[fmt.Sprintf("tag %02d", n)] = true
	}
	g := &grouped{world: w, column: fTags.Column(), filter: testFilter{
		matches: func(i *tracker.Issue) bool { return i.Description.Text() == "only this" }}}
	var err error
	if g.grouping, err = groups.New(w.definition, g.column, g.ranges, false, false); err != nil {
		t.Fatal(err)
	}
	lists := 0
	r := groups.Request{Request: grid.Request{Project: project, Definition: w.definition, Budget: 400,
		Where: filter.Contains{Column: tracker.ColumnDescription, Folded: "only this"}}, Size: 20,
		Tags: func(ctx context.Context, q columns.TagQuery) ([]string, bool, error) {
			lists++
			return w.Tags(ctx, q)
		}}
	source, read := w.source(), atomic.Int64{}
	source.Fetch = func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
		read.Add(int64(len(ids)))
		return w.fetchHeld(ctx, ids)
	}
	var last *groups.Position
	pages, found := 0, 0
	for ; ; pages++ {
		page, err := g.grouping.Find(t.Context(), source, r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Groups {
			x := &page.Groups[i]
			if found++; len(g.issuesOf(x, w.issues)) == 0 {
				t.Errorf("page %d has the group %+v without issues", pages, x)
			}
			last = groups.At(x)
		}
		if r.After = page.Stopped; r.After == nil && !page.HasNext {
			break
		} else if r.After == nil {
			r.After = last
		}
	}
	if want := 25 + 1; found != want || pages > 12 || read.Load() > 3000 {
		t.Errorf("%d groups, want %d, on %d pages, which read %d documents", found, want, pages, read.Load())
	}
	lists, r.Where, r.After = 0, nil, last
	if page, err := g.grouping.Find(t.Context(), source, r); err != nil || len(page.Groups) > 0 || lists > 0 {
		t.Errorf("after the last group: %+v, %d lists of tags were read, %v", page, lists, err)
	}
}
