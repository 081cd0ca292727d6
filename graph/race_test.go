//go:build race

package graph_test

// Under the race detector everything takes up to 20 times as long: a sample of the attacks is made, 12 of
// each family, and may cost as much more.
func init() { slower, cpuLimit, mostUncounted = 20, 20*cpuLimit, 20*mostUncounted }
