package grid

import (
	"context"

	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Ways describes one page of the issues of all projects that are found in at least one of several ways. Each
// way is a range of the index in the order of the page, so that the page is a merge of them. An issue that is
// found in several ways is one row, because its keys have the same sort string.
//
// The laws are those of a grid. With n ways, a page takes n Queries, in parallel, where that of a project
// takes one (G5): it reads as many keys of each as it has rows, since all rows may be of one way. The flag
// against the direction of paging is an exception to G4: with a cursor on that side, it is true.
type Ways struct {
	// Ways are different ways in the same order, at least one.
	Ways       []columns.Way
	Descending bool
	// Match replaces the documents that are not rows by nil. It is required, because the index may lag.
	Match func(context.Context, []*tracker.Issue) error
	// Filtered reports whether Match leaves out documents although the index does not lag.
	Filtered bool

	Size                   int // as in Request, and so are the following
	Backward               bool
	After, Before          Cursor
	NeedNext, NeedPrevious bool
	Budget                 int
	Explain                bool
}

// Order returns the order of the rows, for which cursors are parsed.
func (w *Ways) Order() Order {
	by := w.Ways[0].By
	return Order{{Column: by, Descending: w.Descending, across: true, kind: columns.WayKind(by)}}
}

// ReadWays reads one page. It returns the errors of the source and of Match unchanged.
func ReadWays(ctx context.Context, source Source, w Ways) (Page, error) {
	if w.Size < 1 || len(w.Ways) == 0 {
		return Page{}, tracker.Internal("a page of no rows was asked for", nil)
	}
	r := Request{Order: w.Order(), Size: w.Size, Backward: w.Backward, After: w.After, Before: w.Before,
		NeedNext: w.NeedNext, NeedPrevious: w.NeedPrevious, Budget: w.Budget, Explain: w.Explain}
	return newPageReader(&pageQuery{pageSource: newPageSource(ctx, source, &r), ways: &w}).read(ctx)
}

// open returns an iterator of the keys of all ways within bounds.
func (w *Ways) open(x *pageSource, b bounds) iterator {
	lanes := make([]*lane, len(w.Ways))
	for i, way := range w.Ways {
		q := columns.KeyQuery{Way: way, From: b.from, To: b.to, Descending: b.descending}
		lanes[i] = &lane{from: &scan{index: x.source.Index, work: x.work, query: q,
			node: x.node.child(KindScan, w.label(way))}}
	}
	return &merge{lanes: lanes, descending: b.descending}
}

// label describes a way in words.
func (w *Ways) label(way columns.Way) string {
	if !w.Explain {
		return ""
	}
	return describeWay(way) + ", by " + string(way.By)
}
