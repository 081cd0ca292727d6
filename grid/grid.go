// Package grid reads pages of a project's issues in the order of any column, filtered by any columns: it
// decides which ranges of which index partitions are read, in which direction and how far, and turns ordered
// keys into rows. Start with NewOrder, ParseCursor and Read; package filter has the conditions.
//
// A page is read like this. The request has up to two regions (region.go): the rows with a value in the
// column of the order, and those without. Each is planned when it is reached (reading.go):
//
//	stats := guess(region)            what is known of its conditions without asking (stats.go)
//	stats = probe(region, stats)      counted keys, where the plan may change with them (probe.go)
//	plan := choose(region, stats)     the cheapest way (choose.go) of all that find the same rows (plan.go,
//	                                  estimate.go); no I/O
//	execution := execute(plan)        the sets that it needs (collect.go), and iterators (execute.go,
//	                                  scan.go, iterator.go, list.go), which all emit the grid's order
//
// Where a set or the documents turn out otherwise than estimated, another plan is chosen by those better
// statistics. The reader (read.go) takes keys from streams (stream.go), fetches documents (documents.go), and
// asks the filter of these (match.go). layers_test.go has the order of the files: the planner knows neither
// what reads the index nor what makes a page.
//
// It reads keys through Index and documents through Fetch. It must never know the AWS SDK, GraphQL, or a
// dataloader, and it keeps nothing between calls: a page is a function of the request and of what the two
// answer.
//
// The laws, which the code and the tests cite:
//
//   - G1, order. The rows of a grid are ordered by (column value, number); descending is the exact reverse.
//     Rows without a value are ordered by number, reversed likewise, and stand after all others or, with
//     NullsFirst, before them, in both directions.
//   - G2, position. A cursor is a position in that order and nothing else. It means the same whether or not
//     its row still exists, in any direction of reading and of ordering, wherever the rows without a value
//     stand, and whatever iterator reads on from it.
//   - G3, walk. A page shows the rows next to its cursor, none left out, none twice, and is full as long as
//     there are rows: a ghost, a key whose document is gone, is read past. So a walk in either direction,
//     with any page sizes, shows every row that existed and did not move during the walk exactly once.
//   - G4, flags. HasNext reports whether a walk that goes on from the last row finds one, HasPrevious whether
//     one that goes back from the first row does. Ghosts do not count. The one exception is stated at
//     assumedAlive.
//   - G5, cost. Without a filter, or with one that a single condition of the index answers in the order of
//     the rows, a page costs one Query and one Fetch whatever its depth, and the documents fit into as few
//     calls of 100 as the rows alone need. It costs more only where it meets a ghost, reaches from one region
//     of the grid into the other, is cut short by the 1 MB of a Query, or has fewer than five rows left after
//     it; and one short Query beside the other where the flag against its direction is needed.
//   - G6, filter. A page shows the rows that meet the filter, by their documents: all that the index leads
//     to, whatever plan is used. Where a long text decides what the index has told already, the index
//     decides.
//   - G7, budget. A page takes about as much work as its budget allows, and then ends as it is: Position is
//     after every row that it shows and before every row that it does not, and further than where the page
//     began. The flags are then true where they were not known.
package grid

import (
	"context"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// Index reads ordered keys, one request a call; *dynamo.Tenant is one. It is called from two goroutines at
// once.
type Index interface {
	QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error)
}

// Fetch returns the documents of ids, in their order, nil where the item is gone. It gets all ids of a round
// at once and should read them in parallel calls of 100.
type Fetch func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)

// Texts returns long texts, in the order of refs. It gets all of a round at once.
type Texts func(ctx context.Context, refs []tracker.LongRef) ([]string, error)

// Source provides the data of a grid.
type Source struct {
	Index Index
	Fetch Fetch
	// Texts is needed for filters that look at long texts.
	Texts Texts
	// Forget is called with texts that are no longer needed. It may be nil.
	Forget func(context.Context, []tracker.LongRef)
}

// Request describes one page of a project's grid. With only Project, Order and Size set, it is the first
// page.
type Request struct {
	Project tracker.ProjectID
	// Definition of the project, which filters need.
	Definition *tracker.Definition
	Order      Order
	// Where is the filter; nil selects all rows.
	Where filter.Condition
	// Size is the greatest number of rows, at least 1.
	Size int
	// Backward selects the last Size rows instead of the first. The rows are still in the grid's order.
	Backward bool
	// After and Before bound the rows, exclusively, whatever the direction. They must have been parsed for
	// Order.
	After, Before *Cursor
	// NeedNext and NeedPrevious select the flags of the page to compute. The others cost no work.
	NeedNext, NeedPrevious bool
	// Budget is the most work that goes into the page, in documents; keysPerDocument keys of the index count
	// as one. 0 is DefaultBudget. When it is spent, the page ends as it is.
	Budget int
	// Planned, if not nil, is called with the plan of each region before the region is read, in the context
	// of the page.
	Planned func(context.Context, Decision)
	// Explain adds the plans to the page.
	Explain bool
	// Force takes the (Force-1)th of the ways in which the rows can be found, modulo their number, instead of
	// the one that seems best. For tests.
	Force int
}

// Page is the response to a Request.
type Page struct {
	// Rows in the grid's order, also when paging backward.
	Rows []Row
	// HasNext reports whether there is a row after the last one, HasPrevious whether there is one before the
	// first; false where the request does not need it. Rows outside of After and Before count, as Relay
	// allows; on an empty page, all rows from the cursors on. Without a cursor on that side a page has
	// nothing against its direction.
	HasNext, HasPrevious bool
	// Stopped reports whether the budget was spent before the page was full and its flags were known; those
	// that were not are true. Position is where to go on, which may be after the last row; nil where the flag
	// in the direction of paging is known and the page is full or the last.
	Stopped  bool
	Position *Cursor
	Work     Work
	// Plan and Rejected are set if the request has Explain.
	Plan     *Node
	Rejected []Rejected
}

// Row is one row of a page.
type Row struct {
	Issue *tracker.Issue
	order *Order
	place key
}

// fetchBatch is how many documents one call of a Fetch reads, because BatchGetItem takes 100 keys.
const fetchBatch = 100

// assumedAlive is how many keys in a row are taken to hold a row that is alive, without a look at their
// documents. It is the exception to G4, and there is no other. Where the rows of a page leave no place in the
// calls of its Fetch (100 of them, or 200, ..., all alive; with 99 there is one place for two flags), a look
// at one document more would cost a call on every page. So the page's Query reads this many keys beyond, and
// assumes it of them; fewer are looked at, in a call of their own, on the page where they run out. Hence a
// flag is true in error only if all keys that remain on that side, at least this many, are ghosts; false in
// error it never is.
const assumedAlive = 5
