//go:build race

package dynamo_test

// The race detector makes the tests several times slower, and fewer cases suffice to find races.
func init() { fewerCases() }
