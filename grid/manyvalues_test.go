package grid_test

import (
	"cmp"
	"fmt"
	"testing"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// The sizes of projects with many values, and how many grids of each kind are tested in each.
var (
	manySizes = []int{tier.Cases(2000, 100_000), tier.Cases(2000, 10_000), tier.Cases(2000, 30_000)}
	manyGrids = tier.Cases(5, 10)
)

// TestManyValues is TestOrdersOfSeveralColumns, TestGroups and TestSummaries in projects of up to 100,000
// issues, in which columns have from one to as many different values. Walks have manyPages at most.
func TestManyValues(t *testing.T) {
	var all tally
	pages, most, summarized := 0, 0, 0
	worldsOf{100_000, 3, manySizes, manyGrids, nil}.each(t, func(w *world) error {
		most = max(most, len(w.partitions[partition{project: project, column: tracker.ColumnNum}]))
		s, g, f := w.severalColumns(), w.grouped(), w.query()
		for many := w.random.IntN(2) == 0; many && w.distinct[g.column] < 5000; {
			g = w.grouped()
		}
		g.levels = 2
		complete, err := f.summarize()
		if complete {
			summarized++
		}
		if err = cmp.Or(err, f.count()); err != nil {
			err = fmt.Errorf("%w\n%v", err, f)
		}
		err = cmp.Or(err, s.walk(), g.walk())
		pages += s.pages
		all.add(&g.tally)
		return err
	})
	tested := fmt.Sprintf("%d pages of rows, %d complete summaries, %+v", pages, summarized, all)
	if n := manyGrids; most < manySizes[0] || pages < 30*n || summarized < n ||
		all.size < manySizes[0]/20 || all.sums < n || all.innerSums < n {
		t.Errorf("too few to test them: %s", tested)
	}
	t.Log(tested)
}
