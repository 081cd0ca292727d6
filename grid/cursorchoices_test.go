package grid_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/internal/groups"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// oldCursors is how many cursors, of different orders and pages, are continued after each change.
const oldCursors = 10

// TestCursorsAfterChoicesChange: after states and options were added, renamed, moved and merged, and users
// renamed, an old cursor shows each row once that keeps its place among those of its choice, or is refused
// (F7). Which are refused is tested with columns.ChoiceMarks. A case is a cursor.
func TestCursorsAfterChoicesChange(t *testing.T) {
	used, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for cases := tier.PerCheck(2_000, 100_000); cases > 0; cases -= oldCursors {
			w := newWorld(rapid.Uint64().Draw(t, "seed"), 40)
			for len(w.issues) == 0 {
				w.insert()
			}
			type old struct {
				order  grid.Order
				cursor string
				shown  []int64
			}
			var all []old
			for range oldCursors {
				order := w.orderOfChoices(t)
				page := w.page(t, grid.Request{Order: order,
					Size: rapid.IntRange(1, len(w.issues)).Draw(t, "size")})
				cursor, err := page.Rows[len(page.Rows)-1].Cursor()
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, old{order, cursor.String(), summary(page).nums})
			}
			changed := w.changeChoices(t)
			for _, o := range all {
				order := w.sameOrder(t, o.order)
				after, err := grid.ParseCursor(o.cursor, order)
				if err != nil {
					if refused++; tracker.CodeOf(err) != tracker.BadInput || !tracker.Outdated(err) {
						t.Fatal(err)
					}
					continue
				}
				used++
				rest := w.page(t, grid.Request{Order: order, After: after, Size: len(w.issues)})
				times := map[int64]int{}
				for _, num := range slices.Concat(o.shown, summary(rest).nums) {
					times[num]++
				}
				for _, i := range w.issues {
					if times[i.Num] != 1 && !changed[i.Num] {
						t.Fatalf("#%d is shown %d times: %v, then %v", i.Num, times[i.Num], o.shown,
							summary(rest).nums)
					}
				}
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

// orderOfChoices draws an order by one or two of the state, the option and the user.
func (w *world) orderOfChoices(t *rapid.T) grid.Order {
	all := rapid.Permutation([]tracker.Column{tracker.ColumnState, fSelect.Column(),
		fUser.Column()}).Draw(t, "columns")
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

// changeChoices adds, renames, moves and merges states and options, and updates the index as a job does, and
// renames a user in some issues. It returns the numbers of the issues whose values were merged or renamed.
func (w *world) changeChoices(t *rapid.T) map[int64]bool {
	p, changed := w.definition.Project, map[int64]bool{}
	fields := slices.Clone(w.definition.Fields)
	at := slices.IndexFunc(fields, func(f *tracker.Field) bool { return f.ID == fSelect })
	f := *fields[at]
	fields[at] = &f
	replaced, users := map[tracker.OptionID]tracker.OptionID{}, map[string]string{}
	for n := range rapid.IntRange(1, 3).Draw(t, "changes") {
		id := tracker.OptionID("new" + strconv.Itoa(n))
		state, option := pickOne(w.random, p.States).ID, pickOne(w.random, f.Options).ID
		toState, toOption := pickOne(w.random, p.States).ID, pickOne(w.random, f.Options).ID
		var err error
		switch rapid.IntRange(0, 8).Draw(t, "change") {
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
		case 7:
			if err = f.ChangeOption(tracker.Option{ID: option, Name: "renamed " + string(id)}); err == nil {
				s, _ := p.State(state)
				s.Name = "renamed " + string(id)
				err = p.ChangeState(s)
			}
		case 8:
			users[pickOne(w.random, worldTexts[:6])] = pickOne(w.random, worldTexts[:6])
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
		if v, has := i.Values[fUser]; has {
			if name, renamed := users[v.Text()]; renamed {
				i.Values[fUser], changed[i.Num] = tracker.Text(name), true
			}
		}
	}
	p.Merged, f.Merged = nil, nil // the jobs have ended
	w.definition = tracker.NewDefinition(p, fields)
	for _, i := range w.issues {
		w.index(i, true)
	}
	return changed
}

// TestGroupCursorsAfterChoicesChange: the same for groups (F7). A case is a cursor of a group.
func TestGroupCursorsAfterChoicesChange(t *testing.T) {
	used, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for cases := tier.PerCheck(2_000, 100_000); cases > 0; cases -= oldCursors {
			w := newWorld(rapid.Uint64().Draw(t, "seed"), 20)
			var all []*groupCursor
			for range oldCursors {
				all = append(all, w.groupCursor(t))
			}
			w.changeChoices(t)
			for _, c := range all {
				if c.continued(t, w) {
					used++
				} else {
					refused++
				}
			}
		}
	})
	if used < refused/4 || refused < used/20 {
		t.Errorf("%d cursors were used, %d refused", used, refused)
	}
}

// groupCursor is the end of a page of groups of a column.
type groupCursor struct {
	by                tracker.Column
	descending, first bool
	shown             []groups.Group
	cursor            string
	choices           []tracker.OptionID
}

// groupCursor reads the first groups by a column.
func (w *world) groupCursor(t *rapid.T) *groupCursor {
	c := &groupCursor{by: rapid.SampledFrom([]tracker.Column{tracker.ColumnState, fSelect.Column(),
		fMulti.Column()}).Draw(t, "column")}
	c.descending, c.first = rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "nulls first")
	c.choices = columns.Choices(w.definition, c.by)
	g := c.grouping(t, w)
	c.shown = w.groupsOf(t, g, nil, rapid.IntRange(1, 3).Draw(t, "size"))
	c.cursor = g.Encode(groups.At(&c.shown[len(c.shown)-1]))
	return c
}

func (c *groupCursor) grouping(t *rapid.T, w *world) *groups.Grouping {
	g, err := groups.New(w.definition, c.by, groups.Ranges{}, c.descending, c.first)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// groupsOf reads groups, also those without issues.
func (w *world) groupsOf(t *rapid.T, g *groups.Grouping, after *groups.Position, size int) []groups.Group {
	page, err := g.Find(t.Context(), w.source(), groups.Request{After: after, Size: size, Empty: true,
		Request: grid.Request{Project: project, Definition: w.definition}})
	if err != nil {
		t.Fatal(err)
	}
	return page.Groups
}

// continued checks the groups after the cursor, and reports whether it is not refused.
func (c *groupCursor) continued(t *rapid.T, w *world) bool {
	g := c.grouping(t, w)
	after, err := g.ParsePosition(c.cursor)
	if err != nil {
		if tracker.CodeOf(err) != tracker.BadInput || !tracker.Outdated(err) {
			t.Fatal(err)
		}
		return false
	}
	rest := w.groupsOf(t, g, after, 100)
	times := map[tracker.OptionID]int{}
	for _, x := range slices.Concat(c.shown, rest) {
		times[x.Option]++
	}
	for _, id := range columns.Choices(w.definition, c.by) {
		if slices.Contains(c.choices, id) && times[id] != 1 {
			t.Fatalf("%q is shown %d times: %v, then %v", id, times[id], c.shown, rest)
		}
	}
	return true
}
