//go:build !unix

package graph_test

import (
	"testing"
	"time"
)

// cpu returns 0, because the CPU time is not available on this system.
func cpu(testing.TB) time.Duration { return 0 }
