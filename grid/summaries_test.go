package grid_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"issuegrid/grid"
	"issuegrid/internal/sortkey"
	"issuegrid/internal/summaries"
	"issuegrid/tracker"
)

// TestSummaries compares summaries of random grids with those of the same issues in memory: of all columns,
// with random filters, budgets and numbers of shards.
func TestSummaries(t *testing.T) {
	complete, ended := 0, 0
	worldsOf{60_000, worlds / 2, allSizes, queriesEach, nil}.each(t, func(w *world) error {
		f := w.query()
		done, err := f.summarize()
		if err != nil {
			return fmt.Errorf("%w\n%s, %+v", err, f.filter.description, f.request)
		}
		if complete++; !done {
			complete--
			ended++
		}
		return nil
	})
	if complete < int(worlds) || ended < int(worlds)/20 {
		t.Errorf("%d summaries were complete, and %d were not; too few to test them", complete, ended)
	}
}

// summarize compares the summary of the column that a grid is sorted by. It reports whether it is complete.
func (f *filtered) summarize() (bool, error) {
	w, r, c := f.world, f.request, f.request.Order[0].Column
	var err error
	if r.Order, err = grid.OrderBy(w.definition, c, false, false); err != nil {
		return false, err
	}
	numbers := c == fInt.Column() || c == fNumber.Column()
	source := w.source()
	got, err := summaries.Scan(context.Background(), source, r, numbers)
	if err != nil {
		return false, err
	}
	var values []string // sort values
	var all []*big.Rat
	for _, i := range f.rows() {
		v, ok := f.value(i)
		if !ok {
			continue
		}
		if c == tracker.ColumnNum {
			v = sortkey.Num(i.Num)
		}
		values = append(values, string(v))
		switch c {
		case fInt.Column():
			all = append(all, big.NewRat(i.Values[fInt].Int(), 1))
		case fNumber.Column():
			all = append(all, new(big.Rat).SetFloat64(i.Values[fNumber].Float()))
		}
	}
	slices.Sort(values)
	distinct := len(slices.Compact(slices.Clone(values)))
	if got.Filled > len(values)+w.ghosts || got.Complete && got.Filled < len(values) ||
		got.Distinct > distinct+w.ghosts || got.Complete && got.Distinct < distinct ||
		!got.Complete && f.suffices() || (got.Numbers != nil) != (numbers && got.Complete) {
		return false, fmt.Errorf("got %+v of %d values, %d of them distinct, and %d ghosts", got, len(values),
			distinct, w.ghosts)
	}
	if got.Numbers != nil && w.ghosts == 0 {
		if want := numbersOf(all); *got.Numbers != want {
			return false, fmt.Errorf("got %+v, want %+v of %v", *got.Numbers, want, all)
		}
	}
	return got.Complete, f.leastAndGreatest(source, r, values)
}

// suffices reports whether the budget suffices for all issues.
func (f *filtered) suffices() bool { return f.request.Budget == 0 && len(f.world.issues) <= manyIssues }

func (f *filtered) leastAndGreatest(source grid.Source, r grid.Request, values []string) error {
	for _, descending := range []bool{false, true} {
		var err error
		if r.Order, err = grid.OrderBy(f.world.definition, r.Order[0].Column, descending, false); err != nil {
			return err
		}
		found, known, err := summaries.Least(context.Background(), source, r)
		if err != nil {
			return err
		}
		if found == nil {
			if known && len(values) > 0 || !known && f.suffices() {
				return fmt.Errorf("descending %t: found no issue, known %t, of %d", descending, known,
					len(values))
			}
			continue
		}
		if len(values) == 0 {
			return fmt.Errorf("descending %t: found %+v, and no issue has a value", descending, found)
		}
		want := values[0]
		if descending {
			want = values[len(values)-1]
		}
		n := slices.IndexFunc(f.world.issues, func(i *tracker.Issue) bool { return i.ID == found.ID })
		v, _ := f.value(f.world.issues[n])
		if r.Order[0].Column == tracker.ColumnNum {
			v = sortkey.Num(found.Num)
		}
		if string(v) != want {
			return fmt.Errorf("descending %t: found %+v, want the value %q", descending, found, want)
		}
	}
	return nil
}

// numbersOf computes the summary of numbers with fractions.
func numbersOf(all []*big.Rat) (out summaries.Numbers) {
	if len(all) == 0 {
		return out
	}
	slices.SortFunc(all, (*big.Rat).Cmp)
	sum := new(big.Rat)
	for _, n := range all {
		sum.Add(sum, n)
	}
	middle := new(big.Rat).Add(all[(len(all)-1)/2], all[len(all)/2])
	out.Sum, _ = sum.Float64()
	out.Mean, _ = new(big.Rat).Quo(sum, big.NewRat(int64(len(all)), 1)).Float64()
	out.Median, _ = new(big.Rat).Quo(middle, big.NewRat(2, 1)).Float64()
	return out
}
