//go:build unix

package httpd

import (
	"math"
	"syscall"
)

// OpenFiles returns how many files the process may open. The Go runtime has raised the soft limit to the hard
// limit.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
