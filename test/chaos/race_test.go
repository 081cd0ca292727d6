//go:build unix && race

package chaos_test

// buildFlags are how the server is built.
var buildFlags = []string{"-race"}

// racing tells that the race detector is on, under which everything takes several times as long.
const racing = true
