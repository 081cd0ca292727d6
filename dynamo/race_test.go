//go:build race

package dynamo_test

// Under the race detector everything takes some times as long, and fewer changes race as well.
func init() { changesAtOnce = 60 }
