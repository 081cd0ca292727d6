package cli

import (
	"cmp"
	"runtime"
	"time"

	"issuegrid/dynamo"
	"issuegrid/httpd"
	"issuegrid/setting"
	"issuegrid/tracker"
	"issuegrid/traffic"
)

// trafficFlags bound what the server takes on.
type trafficFlags struct {
	TenantRCU   float64
	TenantWCU   float64
	Timeout     time.Duration
	CPU         time.Duration `name:"operation-cpu"`
	Memory      int64         `name:"operation-memory"`
	AllMemory   int64         `name:"memory"`
	Requests    int
	Concurrency int
}

const (
	perCPU      = 16
	perPlace    = 32
	maxCapacity = 1_000_000_000

	// minOperationMemory and minOperationCPU are what a page needs to get on where documents and texts are
	// the largest that there can be: ten documents of 400 KB that are decoded, or 4 MiB of texts that are
	// searched.
	minOperationMemory = 24 << 20
	minOperationCPU    = 500 * time.Millisecond
	// minMemory is the least that all operations may share.
	minMemory = 64 << 20
	maxMemory = 1 << 40
)

func (f *trafficFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "tenant-rcu", Default: 2000, Min: 1, Max: maxCapacity, Zero: "no limit",
			Help: "Read capacity units that a tenant may consume in a second, of each server. What it " +
				"saves up lasts for 10 seconds of it. Its background jobs may consume half as much besides."},
		{Name: "tenant-wcu", Default: 1000, Min: 1, Max: maxCapacity, Zero: "no limit",
			Help: "Write capacity units, likewise."},
		{Name: "timeout", Default: 30 * time.Second, Min: time.Second, Max: 5 * time.Minute,
			Help: "How long an operation may take. What is under way in DynamoDB is ended then."},
		{Name: "operation-cpu", Default: time.Second, Min: minOperationCPU, Max: time.Minute, Rare: true,
			Help: "Most CPU time that an operation may use, as the server counts it. Pages end before it " +
				"is spent, and go on from their cursors."},
		{Name: "operation-memory", Default: 64 << 20, Min: minOperationMemory, Max: maxMemory, Rare: true,
			Help: "Most bytes of data that an operation may hold at a time, and at most three eighths of " +
				"--memory."},
		{Name: "memory", Min: minMemory, Max: maxMemory,
			Unset: "a quarter of the memory limit, which is GOMEMLIMIT's or the container's, or 536870912 " +
				"without one",
			Help: "Bytes of data that all operations together may hold; others wait."},
		{Name: "requests", Min: 1, Max: 10_000_000, Unset: "32 for each of --concurrency", Rare: true,
			Help: "How many requests are under way at a time, those whose body or answer is on its way " +
				"included; others are refused."},
		{Name: "concurrency", Min: 1, Max: 100_000, Unset: "16 for each CPU",
			Help: "How many operations run at a time; as many as half of that wait, and others are refused."},
	}
}

// control is the traffic that the flags let through.
func (f *trafficFlags) control() *httpd.Control {
	places := f.Concurrency
	if places == 0 {
		places = perCPU * runtime.GOMAXPROCS(0)
	}
	return httpd.NewControl(httpd.Bounds{
		Rates:    traffic.Rates{RCU: f.TenantRCU, WCU: f.TenantWCU},
		Requests: cmp.Or(f.Requests, perPlace*places), Operations: places,
		Memory: f.allMemory(), OperationMemory: f.Memory, OperationCPU: f.CPU,
	})
}

// pace gives the jobs of each tenant, in the background, buckets of their own, of half of what it may
// consume: so they keep it from nothing, and it can't have work done for nothing by them.
func (f *trafficFlags) pace(d *dynamo.Settings) {
	d.DefinitionBytes = f.definitionBytes()
	jobs := traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU / 2, WCU: f.TenantWCU / 2}, nil)
	d.Spent = func(t tracker.TenantID, cost dynamo.Cost) { httpd.Charge(jobs, t, cost) }
	d.Pace = jobs.Wait
}

// definitionBytes is how much memory the definitions of projects may take that are kept for a few seconds: a
// quarter of what operations may hold.
func (f *trafficFlags) definitionBytes() int64 {
	return min(dynamo.DefaultDefinitionBytes, f.allMemory()/4)
}

// allMemory is how many bytes all operations may hold together.
func (f *trafficFlags) allMemory() int64 { return cmp.Or(f.AllMemory, sharedMemory()) }
