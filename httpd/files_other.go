//go:build !unix

package httpd

import "math"

// OpenFiles is how many files the process may open, where there is no limit to ask for.
func OpenFiles() int { return math.MaxInt32 }
