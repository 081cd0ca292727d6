//go:build !unix

package main

import "math"

// openFiles is how many files the process may open, where there is no limit to ask for.
func openFiles() int { return math.MaxInt32 }
