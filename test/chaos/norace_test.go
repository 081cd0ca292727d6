//go:build unix && !race

package chaos_test

// buildFlags are the flags that the server is built with.
var buildFlags []string

// racing reports whether the race detector is enabled, which slows everything down several times.
const racing = false
