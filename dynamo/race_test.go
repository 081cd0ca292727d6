//go:build race

package dynamo_test

import "flag"

// The race detector makes the tests several times slower, and fewer cases suffice to find races.
func init() {
	every = 6
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
