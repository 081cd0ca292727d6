package layout

import (
	"cmp"
	"slices"
	"time"

	"issuegrid/tracker"
)

// DecodeHistory adds the content of one item of an issue's history to its entry, whose columns it sorts,
// because the order of maps is random.
func DecodeHistory(m Item, to *tracker.Changed) error {
	if kind := GetS(m, "kind"); kind != "" {
		var err error
		if to.At, err = time.Parse(time.RFC3339Nano, GetS(m, "at")); err != nil {
			return tracker.Internal("an item of the history has no time", err)
		}
		to.Kind, to.By = tracker.ChangeKind(kind), GetActor(m)
	}
	before, after := GetM(m, "before"), GetM(m, "after")
	for column, av := range before {
		c := tracker.ChangedColumn{Column: tracker.Column(column), Before: DecodeValue(av)}
		if av, ok := after[column]; ok {
			c.After = DecodeValue(av)
		}
		to.Columns = append(to.Columns, c)
	}
	for column, av := range after {
		if _, both := before[column]; !both {
			to.Columns = append(to.Columns,
				tracker.ChangedColumn{Column: tracker.Column(column), After: DecodeValue(av)})
		}
	}
	slices.SortFunc(to.Columns, func(a, b tracker.ChangedColumn) int {
		return cmp.Compare(a.Column, b.Column)
	})
	return nil
}
