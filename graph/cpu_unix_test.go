//go:build unix

package graph_test

import (
	"syscall"
	"testing"
	"time"
)

// cpu returns the CPU time that this process has used.
func cpu(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
