package grid_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// mutator changes rows during a walk, before any request, including between the requests of one page. It
// leaves what a lagging index or a crashed writer leaves: entries without a document, and outdated entries in
// addition to current ones.
type mutator struct {
	column    column
	store     *store
	random    *rand.Rand
	rows      map[int64]row
	nums      []int64
	disturbed map[int64]bool // changed or inserted during the walk
	stale     []func()       // deferred removals of outdated entries
}

func (m *mutator) mutate(call) error {
	for range m.random.IntN(3) {
		switch m.random.IntN(5) {
		case 0:
			m.change(m.insert())
		case 1:
			m.delete()
		case 2, 3:
			m.change(m.nums[m.random.IntN(len(m.nums))])
		case 4:
			m.catchUp()
		}
	}
	return nil
}

func (m *mutator) insert() int64 {
	num := 1 + int64(m.random.IntN(20000))
	if _, exists := m.rows[num]; !exists {
		m.nums = append(m.nums, num)
	}
	return num
}

// change sets another value of an issue, new or existing, or removes its value. The old index entry is
// removed before the new one is put, or later.
func (m *mutator) change(num int64) {
	old, exists := m.rows[num]
	if exists && m.column.values == nil {
		return // numbers do not change
	}
	changed := row{num: num}
	if m.column.values != nil && (!m.column.id.Nullable() || m.random.IntN(3) > 0) {
		changed.value = m.column.values[m.random.IntN(len(m.column.values))]
	}
	m.disturbed[num] = true
	m.drop(old, changed)
	m.rows[num] = changed
	m.column.put(m.store, project, changed)
}

func (m *mutator) delete() {
	num := m.nums[m.random.IntN(len(m.nums))]
	old := m.rows[num]
	m.disturbed[num] = true
	delete(m.store.docs, issueID(project, num))
	m.drop(old, row{})
	m.later(func() {
		m.store.remove(partition{project: project, column: tracker.ColumnNum}, sortkey.Num(num))
	}, num, row{})
}

// drop removes the index entry of an old row unless the new row has the same value.
func (m *mutator) drop(old, new row) {
	if old.value == new.value && old.num == new.num {
		return
	}
	if old.num != 0 && old.value == nil && m.column.indexed {
		m.later(func() {
			m.store.remove(partition{project: project, column: m.column.id, empties: true},
				sortkey.Num(old.num))
		}, old.num, old)
	}
	if old.value == nil {
		return
	}
	ss := sortkey.Join(m.column.encode(old.value), old.num)
	m.later(func() { m.store.remove(partition{project: project, column: m.column.id}, ss) }, old.num, old)
}

// later calls remove immediately, or when the index catches up, unless the issue has that value again by
// then.
func (m *mutator) later(remove func(), num int64, gone row) {
	if m.random.IntN(2) == 0 {
		remove()
		return
	}
	m.stale = append(m.stale, func() {
		_, exists := m.store.docs[issueID(project, num)]
		if now := m.rows[num]; !exists || gone.value != nil && now.value != gone.value {
			remove()
		}
	})
}

func (m *mutator) catchUp() {
	for _, remove := range m.stale {
		remove()
	}
	m.stale = nil
}

// TestWalkDuringChanges checks G3: a walk shows the unchanged rows exactly once and in order, whatever
// happens to the others.
func TestWalkDuringChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOracle(t, 60)
		s := o.fill(t, 0, 2, 5)
		m := &mutator{column: o.column, store: s, random: drawRandom(t), rows: map[int64]row{},
			nums: []int64{1}, disturbed: map[int64]bool{}}
		for _, r := range o.rows {
			m.rows[r.num] = r
			m.nums = append(m.nums, r.num)
		}
		s.before = m.mutate
		backward := rapid.Bool().Draw(t, "backward")
		request := o.request(t, pageQuery{size: rapid.IntRange(1, 9).Draw(t, "size"), backward: backward,
			next: !backward || rapid.Bool().Draw(t, "next"), previous: backward ||
				rapid.Bool().Draw(t, "previous")})

		var walked []int64
		for more, pages := true, 0; more; pages++ {
			if pages == 2000 {
				s.before = nil // insertions ahead could keep the walk going forever
			}
			page, err := grid.Read(context.Background(), s.source(), request)
			if err != nil {
				t.Fatal(err)
			}
			nums := summary(page).nums
			once := map[int64]bool{}
			for _, num := range nums {
				if once[num] {
					t.Fatalf("#%d appears twice in the page %v", num, nums)
				}
				once[num] = true
			}
			more = page.HasNext && !backward || page.HasPrevious && backward
			if len(nums) == 0 {
				if more {
					t.Fatal("got an empty page that is not the last")
				}
				break
			}
			if backward {
				walked = append(nums, walked...)
				request.Before = o.cursorOf(t, page.Rows[0])
			} else {
				walked = append(walked, nums...)
				request.After = o.cursorOf(t, page.Rows[len(nums)-1])
			}
		}

		var seen, want []int64
		for _, num := range walked {
			if !m.disturbed[num] {
				seen = append(seen, num)
			}
		}
		for _, r := range o.rows {
			if !r.ghost && !m.disturbed[r.num] {
				want = append(want, r.num)
			}
		}
		equal(t, "undisturbed rows", want, seen)
	})
}

func (o oracle) cursorOf(t *rapid.T, r grid.Row) grid.Cursor {
	t.Helper()
	c, err := r.Cursor()
	if err != nil {
		t.Fatal(err)
	}
	return reparse(t, c, o.order(t))
}
