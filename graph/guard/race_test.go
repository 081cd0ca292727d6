//go:build race

package guard_test

func init() { slower = 20 }
