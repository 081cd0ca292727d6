package cli

import (
	"math"
	"runtime/debug"
	"strconv"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// Operations may hold the memory limit divided by memoryShare. The rest is for garbage, for caches that
	// outlive operations, and for memory that is not counted.
	memoryShare = 4
	// defaultMemory is what operations may hold if the process has no memory limit.
	defaultMemory = 512 << 20
	// containerShare is the fraction of a container's memory that becomes the memory limit. The rest is for
	// memory that Go does not count.
	containerShare = 0.9
	// lambdaMemory is the variable in which AWS Lambda passes the memory of a function, in MiB.
	lambdaMemory = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE"
)

// followContainer sets the memory limit of the process to a share of the memory of its container (cgroup) or
// function. It does nothing if there is no such limit, or if GOMEMLIMIT is set.
func followContainer(c *console) {
	if c.getenv("GOMEMLIMIT") != "" {
		return
	}
	function := func() (uint64, error) {
		mib, err := strconv.ParseUint(c.getenv(lambdaMemory), 10, 32)
		return mib << 20, err
	}
	limit, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(containerShare),
		memlimit.WithProvider(memlimit.ApplyFallback(function, memlimit.FromCgroup)))
	if err == nil && limit > 0 && limit < math.MaxInt64 {
		c.note("The memory limit of Go is %d MiB, nine tenths of the container's limit.", limit>>20)
	}
}

// sharedMemory returns the default for the number of bytes that all operations together may hold.
func sharedMemory() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return max(limit/memoryShare, minMemory)
	}
	return defaultMemory
}
