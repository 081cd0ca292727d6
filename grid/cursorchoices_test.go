package grid_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/internal/groups"
	"issuegrid/tracker"
)

// TestCursorsAfterChoicesChange: after states and options were added, moved and merged, an old cursor shows
// each row once that keeps its place among those of its choice, or is refused. Which are refused is tested
// with columns.ChoiceMarks.
func TestCursorsAfterChoicesChange(t *testing.T) {
	used, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"), 40)
		if len(w.issues) == 0 {
			return
		}
		order := w.orderOfChoices(t)
		page := w.page(t, grid.Request{Order: order, Size: rapid.IntRange(1, len(w.issues)).Draw(t, "size")})
		cursor, err := page.Rows[len(page.Rows)-1].Cursor()
		if err != nil {
			t.Fatal(err)
		}
		changed := w.changeChoices(t)
		after, err := grid.ParseCursor(cursor.String(), w.sameOrder(t, order))
		if err != nil {
			if refused++; tracker.CodeOf(err) != tracker.BadInput || !tracker.Outdated(err) {
				t.Fatal(err)
			}
			return
		}
		used++
		shown := summary(page).nums
		rest := w.page(t, grid.Request{Order: w.sameOrder(t, order), After: after, Size: len(w.issues)})
		for _, i := range w.issues {
			n := 0
			for _, num := range slices.Concat(shown, summary(rest).nums) {
				if num == i.Num {
					n++
				}
			}
			if n != 1 && !changed[i.Num] {
				t.Fatalf("#%d is shown %d times: %v, then %v", i.Num, n, shown, summary(rest).nums)
			}
		}
	})
	if used < refused/4 || refused < used/20 {
		t.Errorf("%d cursors were used, %d refused", used, refused)
	}
}

// page reads rows of the world.
func (w *world) page(t *rapid.T, r grid.Request) grid.Page {
	r.Project, r.Definition = project, w.definition
	page, err := grid.Read(t.Context(), w.source(), r)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// orderOfChoices draws an order by the state, the option, or both.
func (w *world) orderOfChoices(t *rapid.T) grid.Order {
	all := rapid.Permutation([]tracker.Column{tracker.ColumnState, fSelect.Column()}).Draw(t, "columns")
	var order grid.Order
	for _, c := range all[:rapid.IntRange(1, 2).Draw(t, "number of columns")] {
		o, err := grid.NewOrderColumn(w.definition, c, rapid.Bool().Draw(t, "descending"),
			rapid.Bool().Draw(t, "nulls first"))
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, o)
	}
	return order
}

// sameOrder returns an order as it is with the definition of now.
func (w *world) sameOrder(t *rapid.T, order grid.Order) grid.Order {
	order = slices.Clone(order)
	for n, o := range order {
		var err error
		order[n], err = grid.NewOrderColumn(w.definition, o.Column, o.Descending, o.NullsFirst)
		if err != nil {
			t.Fatal(err)
		}
	}
	return order
}

// changeChoices adds, moves and merges states and options, and updates the index as a job does. It returns
// the numbers of the issues whose values were merged.
func (w *world) changeChoices(t *rapid.T) map[int64]bool {
	p, changed := w.definition.Project, map[int64]bool{}
	fields := slices.Clone(w.definition.Fields)
	at := slices.IndexFunc(fields, func(f *tracker.Field) bool { return f.ID == fSelect })
	f := *fields[at]
	fields[at] = &f
	replaced := map[tracker.OptionID]tracker.OptionID{}
	for n := range rapid.IntRange(1, 3).Draw(t, "changes") {
		id := tracker.OptionID("new" + strconv.Itoa(n))
		state, option := pickOne(w.random, p.States).ID, pickOne(w.random, f.Options).ID
		toState, toOption := pickOne(w.random, p.States).ID, pickOne(w.random, f.Options).ID
		var err error
		switch rapid.IntRange(0, 6).Draw(t, "change") {
		case 0:
			err = p.AddState(tracker.State{ID: id, Name: string(id), Open: true})
		case 1:
			err = f.AddOption(tracker.Option{ID: id, Name: string(id)})
		case 2:
			if state != toState {
				err = p.MoveState(state, toState)
			}
		case 3, 4:
			if option != toOption {
				err = f.MoveOption(option, toOption)
			}
		case 5:
			if p.MergeStates([]tracker.OptionID{state}, toState) == nil {
				p.Merges++
				replaced[state] = toState // else it is the same, or the last open or closed one
			}
		case 6:
			if rapid.Bool().Draw(t, "into none") {
				toOption = ""
			}
			if f.MergeOptions([]tracker.OptionID{option}, toOption) == nil {
				f.Merges++
				replaced[option] = toOption
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range w.issues {
		w.index(i, false)
	}
	w.definition = tracker.NewDefinition(p, fields)
	for _, i := range w.issues {
		for into, ok := replaced[i.State]; ok; into, ok = replaced[i.State] {
			i.State, changed[i.Num] = into, true
		}
		for {
			v := i.Values[fSelect]
			into, ok := replaced[tracker.OptionID(v.Text())]
			if v.Kind == tracker.KindNone || !ok {
				break
			}
			if changed[i.Num] = true; into == "" {
				delete(i.Values, fSelect)
				continue
			}
			i.Values[fSelect] = tracker.Text(string(into))
		}
	}
	p.Merged, f.Merged = nil, nil // the jobs have ended
	w.definition = tracker.NewDefinition(p, fields)
	for _, i := range w.issues {
		w.index(i, true)
	}
	return changed
}

// TestGroupCursorsAfterChoicesChange: the same for groups.
func TestGroupCursorsAfterChoicesChange(t *testing.T) {
	used, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"), 20)
		by := rapid.SampledFrom([]tracker.Column{tracker.ColumnState, fSelect.Column(),
			fMulti.Column()}).Draw(t, "column")
		descending, first := rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "nulls first")
		find := func(after *groups.Position, size int) (*groups.Grouping, groups.Page) {
			g, err := groups.New(w.definition, by, groups.Ranges{}, descending, first)
			if err != nil {
				t.Fatal(err)
			}
			page, err := g.Find(t.Context(), w.source(), groups.Request{After: after, Size: size, Empty: true,
				Request: grid.Request{Project: project, Definition: w.definition}})
			if err != nil {
				t.Fatal(err)
			}
			return g, page
		}
		g, page := find(nil, rapid.IntRange(1, 3).Draw(t, "size"))
		cursor := g.Encode(groups.At(&page.Groups[len(page.Groups)-1]))
		kept := columns.Choices(w.definition, by)
		w.changeChoices(t)
		now := columns.Choices(w.definition, by)
		g, _ = find(nil, 1)
		after, err := g.ParsePosition(cursor)
		if err != nil {
			if refused++; tracker.CodeOf(err) != tracker.BadInput || !tracker.Outdated(err) {
				t.Fatal(err)
			}
			return
		}
		used++
		_, rest := find(after, 100)
		shown := map[tracker.OptionID]int{}
		for _, x := range slices.Concat(page.Groups, rest.Groups) {
			shown[x.Option]++
		}
		for _, id := range kept {
			if slices.Contains(now, id) && shown[id] != 1 {
				t.Fatalf("%q is shown %d times: %v, then %v", id, shown[id], page.Groups, rest.Groups)
			}
		}
	})
	if used < refused/4 || refused < used/20 {
		t.Errorf("%d cursors were used, %d refused", used, refused)
	}
}
