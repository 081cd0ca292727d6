package cli

import (
	"math"
	"runtime/debug"
	"strconv"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// memoryShare is the part of the memory limit that operations may hold data in. The rest is for what the
	// collector has not collected yet, for what is kept between operations, and for what is not counted.
	memoryShare = 4
	// defaultMemory is what operations may hold where nothing limits the process.
	defaultMemory = 512 << 20
	// containerShare is the part of a container's memory that becomes the memory limit: what Go does not
	// count needs some, too.
	containerShare = 0.9
	// lambdaMemory is the variable by which AWS Lambda gives the memory of a function, in MiB.
	lambdaMemory = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE"
)

// followContainer makes the memory limit of the process that of its container (cgroup) or function, if there
// is one and GOMEMLIMIT is not set.
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
		c.note("The memory limit is %d MiB, by that of the container.", limit>>20)
	}
}

// sharedMemory is how many bytes all operations may hold together where no flag says it.
func sharedMemory() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return max(limit/memoryShare, minMemory)
	}
	return defaultMemory
}
