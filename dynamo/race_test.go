//go:build race

package dynamo_test

import "flag"

// Under the race detector everything takes some times as long, and fewer changes race as well.
func init() {
	changesAtOnce, every = 60, 6
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
