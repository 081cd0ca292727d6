package grid

import "time"

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
