//go:build race

package dynamo_test

import "flag"

// The race detector makes the tests several times slower, and fewer changes suffice to find races.
func init() {
	changesAtOnce, every = 40, 6
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
