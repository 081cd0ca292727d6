// Package grid reads pages of a project's issues, sorted by any columns and filtered by any columns. It
// decides which ranges of which index partitions are read, in which direction and how far, and turns ordered
// keys into rows. Start with OrderBy, ParseCursor and Read. Package filter defines the conditions.
//
// A request has up to two regions (region.go): the rows with a value in the column of the order, and those
// without. Each region is planned when the page reaches it (plannedregion.go):
//
//	stats := guess(region)            statistics of its conditions without I/O (stats.go)
//	stats = probe(region, stats)      counts of keys, if they may change the plan (probe.go)
//	plan := choose(region, stats)     the cheapest candidate (choose.go), without I/O; all candidates find
//	                                  the same rows (plan.go, estimate.go)
//	execution := execute(plan)        the sets that the plan needs (collect.go) and its iterators
//	                                  (execute.go, scan.go, iterator.go, list.go), which all yield keys in
//	                                  the grid's order
//
// If a set or the documents differ too much from the estimates, another plan is chosen with corrected
// statistics. The pageReader (read.go) takes keys from streams (stream.go), fetches their documents, and
// applies the filter to them (match.go). While a page is read,
//
//	pageSource     has what it reads from, its budget, and the documents that plans have fetched
//	plannedRegion  has the plan of a region, its execution, and what is known of its statistics
//	pageQuery      has both, the filter, and the matcher
//	pageReader     has the rows so far, the flags, and the position up to which keys were used
//
// A page in the order of several columns consists of pages in the order of one column (columns.go,
// columngroups.go, columnsort.go). layers_test.go defines the layers of the files: the planner uses neither
// the files that read the index nor those that build a page.
//
// The package reads keys through Index and documents through Fetch. It must not import the AWS SDK, GraphQL,
// or a dataloader. The rows of a page depend only on the request and on what Index and Fetch return; Probes
// may keep statistics between pages, which affect only the plan.
//
// The code and the tests cite these laws:
//
//   - G1, order. The rows of a grid are ordered by (column value, number); descending is the exact reverse.
//     Rows without a value are ordered by number, reversed in the same way, and come after all others or,
//     with NullsFirst, before them, in both directions. In the order of several columns, rows with the same
//     value in the first, or all without one, are ordered by the second, and so on; and rows with the same
//     values in all by number, in the direction of the last column. The order by the same columns in the
//     other directions, with the rows without a value at the other end, is the exact reverse.
//   - G2, position. A cursor is a position in that order and nothing else. It means the same whether or not
//     its row still exists, in any direction of reading and of ordering, for either position of the rows
//     without a value, and for every iterator that continues from it. It is the position of a row, or that
//     before or after all rows with the same values in the first columns.
//   - G3, walk. A page shows the rows next to its cursor, none omitted, none repeated, and is full as long as
//     there are rows. A ghost, which is a key whose document is gone, is skipped. So a walk in either
//     direction, with any page sizes, shows every row that existed and did not move during the walk exactly
//     once.
//   - G4, flags. HasNext reports whether a walk that continues from the last row finds a row, HasPrevious
//     whether one that goes back from the first row does. Ghosts do not count. The only exception is
//     described at assumedAlive.
//   - G5, cost. Without a filter, or with one that a single condition of the index answers in the order of
//     the rows, a page costs one Query and one Fetch at any depth, and the documents fit into as few calls of
//     100 as the rows alone need. It costs more only if it reads a ghost, crosses from one region of the grid
//     into the other, is cut short by the 1 MB limit of a Query, or has fewer than five rows left after it.
//     The flag against its direction costs one more short Query, in parallel. readColumns describes what
//     an order of several columns costs.
//   - G6, filter. A page shows the rows whose documents match the filter, among all that the index finds,
//     with every plan. If the index decides a condition on a long text, the text is not checked again.
//   - G7, budget. A page takes about as much work as its budget allows, and then ends early. Position is then
//     after every row that it shows, before every row that it does not, and further than the start of the
//     page. Flags that are not known by then are true.
package grid

import (
	"context"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Index reads ordered keys, one request per call, or one of each shard. *dynamo.Tenant implements it. It is
// called concurrently.
type Index interface {
	QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error)
}

// Fetch returns the documents of ids, in their order, and nil for an item that is gone. It receives all ids
// of a round at once and should read them in parallel calls of 100.
type Fetch func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)

// Texts returns long texts, in the order of refs. It receives all refs of a round at once.
type Texts func(ctx context.Context, refs []tracker.LongRef) ([]string, error)

// Source provides the data of a grid.
type Source struct {
	Index Index
	Fetch Fetch
	// Texts is required by filters on long texts, and by orders that compare them.
	Texts Texts
	// Probes remembers what is known of the index between pages. It may be nil.
	Probes *Probes
	// ReleaseTexts is called with texts that are no longer needed. It may be nil.
	ReleaseTexts func(context.Context, []tracker.LongRef)

	keysOnly bool
}

// KeysOnly returns a source whose documents are read only where the keys of the index do not decide whether
// an issue is a row. The issues of the other rows have only an id, ghosts are rows, and an issue that also
// has an outdated key is several rows.
func (s Source) KeysOnly() Source {
	s.keysOnly = true
	return s
}

// Request describes one page of a project's grid. The zero values of all fields but Project, Order and Size
// select the first page.
type Request struct {
	Project tracker.ProjectID
	// Definition is the definition of the project. Filters need it.
	Definition *tracker.Definition
	Order      Order
	// Where is the filter; nil selects all rows.
	Where filter.Condition
	// Size is the maximum number of rows, at least 1.
	Size int
	// Backward selects the last Size rows instead of the first. The rows are still in the grid's order.
	Backward bool
	// After and Before bound the rows, exclusively, in both directions. They must have been parsed for Order.
	After, Before Cursor
	// NeedNext and NeedPrevious select the flags of the page to compute. The others cost no work.
	NeedNext, NeedPrevious bool
	// Budget is the maximum work for the page, in documents; keysPerDocument keys of the index count as one
	// document. 0 is DefaultBudget. When it is spent, the page ends early.
	Budget int
	// Sharers is the number of grids of the operation that are expected to read the same keys through a
	// SharedIndex, this one included, so that each has a part of their cost. 0 is 1.
	Sharers int
	// CountFrom is where Count continues; nil is the beginning. It must have been parsed for the same filter.
	CountFrom *CountPosition
	// Planned, if not nil, is called with the plan of each region before the region is read, in the context
	// of the page.
	Planned func(context.Context, Decision)
	// Explain adds the plans to the page.
	Explain bool
	// Force, if positive, takes candidate Force-1 of the plan, modulo their number, instead of the cheapest.
	// For tests.
	Force int

	keysOnly bool // documents are read only if the keys do not decide the filter
	// window, if positive, replaces Size, unless the rows of the first region that is planned are read as a
	// whole anyway (Plan.whole).
	window int
}

// column returns the only column of the order.
func (r *Request) column() *OrderColumn { return &r.Order[0] }

// Page is the response to a Request.
type Page struct {
	// Rows are in the grid's order, also when paging backward.
	Rows []Row
	// HasNext reports whether there is a row after the last one, HasPrevious whether there is one before the
	// first. They are false if the request does not need them. Rows outside After and Before count, as Relay
	// allows; on an empty page, all rows from the cursors on count. Without a cursor on that side, the flag
	// against the direction of paging is false.
	HasNext, HasPrevious bool
	// Stopped reports whether the budget was spent before the page was full and its flags were known. Flags
	// that are not known are true. Position is where to continue, which may be after the last row. It is nil
	// if the flag in the direction of paging is known and the page is full or the last.
	Stopped  bool
	Position Cursor
	Work     Work
	// Spent is what the page counts as in a budget of several pages, in documents: the part of its own budget
	// that was spent, or the number of its Queries if that is greater, because counts of keys for plans are
	// not charged to its own.
	Spent int
	// Plan and Rejected are set if the request has Explain.
	Plan     *Node
	Rejected []Rejected

	size int // the size of the page, or its window
}

// Row is one row of a page.
type Row struct {
	Issue *tracker.Issue

	lead Cursor // the position in the columns of the order before the last
	// The position in the last column is that of key in order, or, if order is nil, last.
	order *OrderColumn
	key   key
	last  *Position
}

// fetchBatch is how many documents one call of a Fetch reads: the limit of BatchGetItem.
const fetchBatch = 100

// assumedAlive is how many consecutive keys are assumed to include a row with a document, without fetching
// any of their documents. It is the only exception to G4. If the rows of a page leave no free slot in the
// calls of its Fetch (100 rows without a ghost, or 200, and so on; 99 rows leave one slot for two flags),
// checking one more document would cost an extra call on every page. Instead, the page's Query reads this
// many more keys, and the flag is assumed to be true. If fewer keys are left, their documents are fetched in
// an extra call. So a flag is wrongly true only if all remaining keys on that side, at least this many, are
// ghosts. It is never wrongly false.
const assumedAlive = 5

// Decision describes the plan of a region of a grid: the rows with a value in the column of the order, or the
// tail of rows without one.
type Decision struct {
	// Start is the time when planning started, and Duration what it took, including probes and the collection
	// of sets.
	Start    time.Time
	Duration time.Duration
	// Method is the name of the chosen Method, in words.
	Method string
	// Candidates is the number of candidates.
	Candidates int
	// Tail reports whether the region is the tail, and Revised whether the plan replaces one whose estimates
	// were wrong.
	Tail, Revised bool
}
