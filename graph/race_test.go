//go:build race

package graph_test

// Under the race detector everything takes up to 20 times as long, so the limits of attacks are 20 times as
// high. A hundredth of the attacks suffices, because hardly any of them has more than one goroutine.
func init() {
	slower, fewer, cpuLimit, mostUncounted, flatRows = 20, 100, 20*cpuLimit, 20*mostUncounted, 2_000
}
