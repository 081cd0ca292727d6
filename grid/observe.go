package grid

import "time"

// Decision is how a part of a grid, its rows with a value in the column of the order or its tail of those
// without, is read.
type Decision struct {
	// Start is when planning began, and Duration what it took, with the keys that were counted and collected
	// for it.
	Start    time.Time
	Duration time.Duration
	// Method is the name of one.
	Method string
	// Ways is how many there were to choose from.
	Ways int
	// Tail reports whether it is about the rows without a value, and Revised whether the decision replaces
	// one that has turned out wrong.
	Tail, Revised bool
}
