//go:build race

package grid_test

// Under the race detector everything takes six times as long, and fewer queries race as well.
func init() { worlds = 80 }
