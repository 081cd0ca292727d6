package graph_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// emptiesWorld is a project whose columns have different shares of empty values, with its issues as a test
// expects them.
type emptiesWorld struct {
	*testing.T
	s      *server
	tenant *dynamo.Tenant
	p      sample.Project
	values map[int64]map[tracker.FieldID]int64 // by number
	random *rand.Rand
}

// TestEmptyValuesWhileIndexed walks through columns in all orders, and filters them, while jobs add entries
// of their empty values, and remove them: before, between and after the steps of the jobs. In between, issues
// change.
func TestEmptyValuesWhileIndexed(t *testing.T) {
	w := &emptiesWorld{T: t, p: sharded(flatProject(120, false), 2),
		values: map[int64]map[tracker.FieldID]int64{}, random: rand.New(rand.NewPCG(1, 2))}
	for i := range w.p.Fields {
		if f := &w.p.Fields[i]; f.ID == "few" {
			f.Empties = tracker.EmptiesIndexed // most of its values were removed
		}
	}
	w.s = newServer(t, func(s *dynamo.Settings) {
		s.DefinitionTTL, s.WriteTime, s.IndexLag = time.Millisecond, time.Second/2, time.Millisecond
		s.ReadTime = time.Millisecond
	})
	if err := sample.Load(t.Context(), w.s.db, []sample.Project{w.p}, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.tenant, err = w.s.db.Tenant(w.p.Tenant.ID); err != nil {
		t.Fatal(err)
	}
	for _, i := range w.p.Issues {
		w.values[i.Num] = map[tracker.FieldID]int64{}
		for f, v := range i.Values {
			w.values[i.Num][f] = v.Int()
		}
	}
	w.check("before")
	for _, f := range []tracker.FieldID{"most", "all", "few"} {
		to, writes := tracker.EmptiesIndexed, int64(4)
		if f == "few" { // nearly all issues have an entry
			to, writes = tracker.EmptiesFiltered, 30
		}
		job, err := w.tenant.SwitchEmpties(t.Context(), w.p.Project.ID, f.Column())
		if err != nil || job == nil {
			t.Fatalf("%s: %+v, %v", f, job, err)
		}
		w.edit(10)
		w.check("the job waits", f)
		steps := 0
		for ; w.method(f) != to; steps++ {
			w.runFor(writes)
			w.edit(5)
			w.check(fmt.Sprint(f, " after step ", steps), f)
			if steps > 100 {
				t.Fatal("the job does not end")
			}
		}
		if steps < 3 {
			t.Errorf("the job of %s took %d steps, want more", f, steps)
		}
	}
	page, err := w.tenant.QueryKeys(t.Context(), columns.KeyQuery{Project: w.p.Project.ID,
		Shards: w.p.Project.Shards, Column: "few", Empties: true})
	if err != nil || page.Count > 0 {
		t.Errorf("%d entries are left, %v", page.Count, err)
	}
	for f, share := range flatShares {
		if got := w.method(f) == tracker.EmptiesIndexed; got != (share >= 95) {
			t.Errorf("%s has entries: %t", f, got)
		}
	}
	w.edit(20)
	w.check("after the jobs")
}

func (w *emptiesWorld) definition() *tracker.Definition {
	w.Helper()
	d, err := w.tenant.Current(w.Context(), w.p.Project.ID)
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *emptiesWorld) method(f tracker.FieldID) tracker.Empties {
	return w.definition().Field(f).Empties
}

// runFor runs the jobs until they have sent a number of writes.
func (w *emptiesWorld) runFor(writes int64) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	var sent atomic.Int64
	w.s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "TransactWriteItems" && sent.Add(1) == writes {
			cancel()
		}
		return send(r)
	})
	defer w.s.wire.Intercept(nil)
	if err := w.tenant.RunJobs(ctx, w.p.Project.ID); err != nil && ctx.Err() == nil {
		w.Fatal(err)
	}
}

// edit sets and removes values of random issues, and creates some.
func (w *emptiesWorld) edit(times int) {
	w.Helper()
	d := w.definition()
	fields := d.Fields
	for range times {
		f := fields[w.random.IntN(len(fields))].ID
		v, has := w.random.Int64N(50), w.random.IntN(3) > 0
		change := map[tracker.FieldID]tracker.Value{f: {}}
		if has {
			change[f] = tracker.Int(v)
		}
		num := 1 + w.random.Int64N(int64(len(w.p.Issues)))
		if w.random.IntN(5) == 0 {
			created, err := w.tenant.CreateIssue(w.Context(), d, tracker.Issue{Name: "New",
				State: w.p.Project.States[0].ID, Values: change})
			if err != nil {
				w.Fatal(err)
			}
			num = created.Num
			w.values[num] = map[tracker.FieldID]int64{}
		} else if _, err := w.tenant.UpdateIssue(w.Context(), d, w.p.Issues[num-1].ID,
			tracker.Change{Values: change}); err != nil {
			w.Fatal(err)
		}
		if delete(w.values[num], f); has {
			w.values[num][f] = v
		}
	}
}

// check compares the rows of all orders of some columns, by default of all, and of filters on them, with the
// expected ones.
func (w *emptiesWorld) check(when string, fields ...tracker.FieldID) {
	w.Helper()
	if len(fields) == 0 {
		fields = slices.Collect(maps.Keys(flatShares))
	}
	for _, f := range fields {
		for _, direction := range []string{"ASC", "DESC"} {
			for _, nulls := range []string{"FIRST", "LAST"} {
				order := fmt.Sprintf("orderBy: [{column: {fieldId: %q}, direction: %s, nulls: %s}]",
					fieldID(&w.p, string(f)), direction, nulls)
				want := w.sorted(f, direction == "DESC", nulls == "FIRST")
				same(w, when+": "+order, want, w.walk(order))
			}
		}
		for _, is := range []bool{true, false} {
			where := fmt.Sprintf("where: {fields: [{fieldId: %q, isNull: %t}]}", fieldID(&w.p, string(f)), is)
			var want []int64
			for num := int64(1); num <= int64(len(w.values)); num++ {
				if _, has := w.values[num][f]; has != is {
					want = append(want, num)
				}
			}
			same(w, when+": "+where, want, w.walk(where))
		}
	}
}

// sorted returns the numbers of all issues in the order of a field.
func (w *emptiesWorld) sorted(f tracker.FieldID, descending, first bool) []int64 {
	var nums []int64
	for num := range w.values {
		nums = append(nums, num)
	}
	slices.SortFunc(nums, func(a, b int64) int {
		x, hasX := w.values[a][f]
		y, hasY := w.values[b][f]
		if hasX != hasY {
			if hasX == first {
				return 1
			}
			return -1
		}
		c := cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		if descending {
			return -c
		}
		return c
	})
	return nums
}

// walk returns the numbers of all rows of a grid, in its order.
func (w *emptiesWorld) walk(arguments string) (nums []int64) {
	w.Helper()
	for _, row := range walkPages(w, 100, func(paging string) connection[struct{ Num int64 }] {
		return get[connection[struct{ Num int64 }]](w, w.s, "project.issues", fmt.Sprintf(
			`{ project(id: %q) { issues(%s, %s) { nodes { num } `+flags+` } } }`, projectID(&w.p), paging,
			arguments), nil)
	}) {
		nums = append(nums, row.Num)
	}
	return nums
}
