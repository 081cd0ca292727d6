package cli

import (
	"cmp"
	"runtime"
	"time"

	"issuegrid/dynamo"
	"issuegrid/httpd"
	"issuegrid/tracker"
	"issuegrid/traffic"
)

// trafficFlags bound what the server takes on.
type trafficFlags struct {
	TenantRCU   float64       `name:"tenant-rcu" help:"Read capacity units that a tenant may consume in a second, of each server; ${default} if not set, 0 is no limit. What it saves up lasts for 10 seconds of it. Its background jobs may consume half as much besides." default:"2000" placeholder:"N"`
	TenantWCU   float64       `name:"tenant-wcu" help:"Write capacity units, likewise; ${default} if not set." default:"1000" placeholder:"N"`
	Timeout     time.Duration `help:"How long an operation may take, 1s to 5m; ${default} if not set. What is under way in DynamoDB is ended then." default:"30s" placeholder:"TIME"`
	CPU         time.Duration `name:"operation-cpu" help:"Most CPU time that an operation may use, as the server counts it, 500ms to 1m; ${default} if not set. Pages end before it is spent, and go on from their cursors." default:"1s" placeholder:"TIME"`
	Memory      int64         `name:"operation-memory" help:"Most bytes of data that an operation may hold at a time, at least 25165824; ${default} if not set, and at most three eighths of --memory." default:"67108864" placeholder:"N"`
	AllMemory   int64         `name:"memory" help:"Bytes of data that all operations together may hold; others wait. If not set, a quarter of the memory limit, which is GOMEMLIMIT's or the container's, or 536870912 without one." placeholder:"N"`
	Requests    int           `help:"How many requests are under way at a time, those whose body or answer is on its way included; others are refused. If not set, 32 for each of --concurrency." placeholder:"N"`
	Concurrency int           `help:"How many operations run at a time; as many as half of that wait, and others are refused. If not set, 16 for each CPU." placeholder:"N"`
}

const (
	perCPU      = 16
	perPlace    = 32
	maxCapacity = 1e9

	// minOperationMemory and minOperationCPU are what a page needs to get on where documents and texts are the largest that there can be: ten documents of 400 KB
	// that are decoded, or 4 MiB of texts that are searched.
	minOperationMemory = 24 << 20
	minOperationCPU    = 500 * time.Millisecond
	// minMemory is the least that all operations may share.
	minMemory = 64 << 20
)

func (f *trafficFlags) check() error {
	for flag, n := range map[string]float64{"--tenant-rcu": f.TenantRCU, "--tenant-wcu": f.TenantWCU} {
		if !(n == 0 || n >= 1 && n <= maxCapacity) {
			return tracker.Bad(flag, "%g is out of range: 1 to %g capacity units, or 0 for no limit", n, float64(maxCapacity))
		}
	}
	if f.Timeout < time.Second || f.Timeout > 5*time.Minute {
		return tracker.Bad("--timeout", "%s is out of range: 1s to 5m", f.Timeout)
	}
	if f.CPU < minOperationCPU || f.CPU > time.Minute {
		return tracker.Bad("--operation-cpu", "%s is out of range: %s to 1m", f.CPU, minOperationCPU)
	}
	if f.Memory < minOperationMemory || f.Memory > 1<<40 {
		return tracker.Bad("--operation-memory", "%d is out of range: %d to %d bytes", f.Memory, minOperationMemory, int64(1)<<40)
	}
	if f.AllMemory != 0 && (f.AllMemory < minMemory || f.AllMemory > 1<<40) {
		return tracker.Bad("--memory", "%d is out of range: %d to %d bytes", f.AllMemory, minMemory, int64(1)<<40)
	}
	if f.Concurrency < 0 || f.Concurrency > 100_000 {
		return tracker.Bad("--concurrency", "%d is out of range: 1 to 100000", f.Concurrency)
	}
	if f.Requests < 0 || f.Requests > 10_000_000 {
		return tracker.Bad("--requests", "%d is out of range: 1 to 10000000", f.Requests)
	}
	return nil
}

// control is the traffic that the flags let through.
func (f *trafficFlags) control() *httpd.Control {
	places := f.Concurrency
	if places == 0 {
		places = perCPU * runtime.GOMAXPROCS(0)
	}
	return httpd.NewControl(httpd.Bounds{
		Rates: traffic.Rates{RCU: f.TenantRCU, WCU: f.TenantWCU}, Requests: cmp.Or(f.Requests, perPlace*places), Operations: places,
		Memory: f.allMemory(), OperationMemory: f.Memory, OperationCPU: f.CPU,
	})
}

// pace gives the jobs of each tenant, in the background, buckets of their own, of half of what it may consume: so they keep it from nothing, and it can't have work
// done for nothing by them.
func (f *trafficFlags) pace(d *dynamo.Settings) {
	d.DefinitionBytes = f.definitionBytes()
	jobs := traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU / 2, WCU: f.TenantWCU / 2}, nil)
	d.Spent = func(t tracker.TenantID, cost dynamo.Cost) { httpd.Charge(jobs, t, cost) }
	d.Pace = jobs.Wait
}

// definitionBytes is how much memory the definitions of projects may take that are kept for a few seconds: a quarter of what operations may hold.
func (f *trafficFlags) definitionBytes() int64 {
	return min(dynamo.DefaultDefinitionBytes, f.allMemory()/4)
}

// allMemory is how many bytes all operations may hold together.
func (f *trafficFlags) allMemory() int64 { return cmp.Or(f.AllMemory, sharedMemory()) }
