//go:build race

package graph_test

// Under the race detector everything takes up to 20 times as long. The tests run only 12 attacks of each
// family, and their limits are 20 times as high.
func init() {
	slower, cpuLimit, mostUncounted, flatRows = 20, 20*cpuLimit, 20*mostUncounted, 2_000
}
