//go:build !unix

package httpd

import "math"

// OpenFiles returns how many files the process may open. This system has no limit to query.
func OpenFiles() int { return math.MaxInt32 }
