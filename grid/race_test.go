//go:build race

package grid_test

// The race detector makes the tests about six times slower, and fewer queries are enough to find races.
func init() { worlds = 24 }
