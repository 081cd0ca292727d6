package grid

import "time"

// LowMemoryBatch exports lowMemoryBatch.
const LowMemoryBatch = lowMemoryBatch

// ProbeTime exports probeTime.
const ProbeTime = probeTime

// NewProbesAt returns an empty Probes with a time that a test can change.
func NewProbesAt() (*Probes, *time.Time) {
	p, now := NewProbes(), time.Now()
	p.now = func() time.Time { return now }
	return p, &now
}
