package cli

import (
	"cmp"
	"math"
	"runtime"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/account"
	"issuegrid/internal/httpd"
	"issuegrid/internal/operation"
	"issuegrid/internal/setting"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// trafficFlags limit the load of the server.
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
	operationsPerCPU     = 16
	requestsPerOperation = 32
	maxCapacity          = 1_000_000_000

	// minOperationMemory and minOperationCPU are the minimum for a page to make progress with the largest
	// documents and texts: decoding ten documents of 400 KB, or searching 4 MiB of texts.
	minOperationMemory = 24 << 20
	minOperationCPU    = 500 * time.Millisecond
	// minMemory is the minimum for all operations together.
	minMemory = 64 << 20
	maxMemory = 1 << 40
)

func (f *trafficFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "tenant-rcu", Default: 2000, Min: 1, Max: maxCapacity, ZeroMeans: "no limit",
			Help: "Read capacity units per second that a tenant may consume on each server. Unused " +
				"units are saved for up to 10 seconds. Background jobs may consume half as much in " +
				"addition."},
		{Name: "tenant-wcu", Default: 1000, Min: 1, Max: maxCapacity, ZeroMeans: "no limit",
			Help: "Write capacity units per second that a tenant may consume on each server, under " +
				"the same rules as --tenant-rcu."},
		{Name: "timeout", Default: 30 * time.Second, Min: time.Second, Max: 5 * time.Minute,
			Help: "Timeout of an operation, including its calls to DynamoDB."},
		{Name: "operation-cpu", Default: time.Second, Min: minOperationCPU, Max: time.Minute, Rare: true,
			Help: "Maximum CPU time of an operation, as counted by the server. A page ends before " +
				"the limit and continues from its cursor."},
		{Name: "operation-memory", Default: 64 << 20, Min: minOperationMemory, Max: maxMemory, Rare: true,
			Help: "Maximum bytes of data that an operation may hold at a time, and at most three " +
				"eighths of --memory."},
		{Name: "memory", Min: minMemory, Max: maxMemory,
			UnsetMeans: "a quarter of GOMEMLIMIT or of nine tenths of the container's memory limit, " +
				"but at least 67108864; 536870912 without a limit",
			Help: "Bytes of data that all operations together may hold; others wait."},
		{Name: "requests", Min: 1, Max: 10_000_000, UnsetMeans: "32 for each of --concurrency", Rare: true,
			Help: "Maximum number of requests in progress, including those whose body or response is " +
				"being transferred; others are rejected."},
		{Name: "concurrency", Min: 1, Max: 100_000, UnsetMeans: "16 for each CPU",
			Help: "Maximum number of operations that run at a time. Half as many may wait; others " +
				"are rejected."},
	}
}

// control returns the admission control that the flags configure.
func (f *trafficFlags) control() *httpd.Control {
	operations := f.Concurrency
	if operations == 0 {
		operations = operationsPerCPU * runtime.GOMAXPROCS(0)
	}
	return httpd.NewControl(httpd.Bounds{
		Rates:    traffic.Rates{RCU: f.TenantRCU, WCU: f.TenantWCU},
		Requests: cmp.Or(f.Requests, requestsPerOperation*operations), Operations: operations,
		Memory: f.allMemory(), OperationMemory: f.Memory, OperationCPU: f.CPU, Timeout: f.Timeout,
	})
}

const (
	// callsAtOnce is how many calls to DynamoDB are in progress at a time, and embeddedCalls how many to the
	// embedded engine, which works on one after the other. The next call is of the tenant with the fewest.
	callsAtOnce   = 256
	embeddedCalls = 8
)

// pace gives the background jobs of each tenant separate buckets with half of the tenant's rates. Jobs
// therefore do not use up the capacity of the tenant's requests, and their own use is limited. Calls of all
// tenants take turns.
func (f *trafficFlags) pace(d *dynamo.Settings) {
	d.DefinitionBytes = f.definitionBytes()
	jobs := traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU / 2, WCU: f.TenantWCU / 2}, nil)
	calls := callsAtOnce
	if d.Embedded {
		calls = embeddedCalls
	}
	d.Turn = traffic.NewQueue(calls, math.MaxInt32).Enter
	d.Spent = func(t tracker.TenantID, cost account.Cost) { operation.Charge(jobs, t, cost) }
	d.Pace = jobs.Wait
}

// definitionBytes returns the maximum memory of the cache of definitions, at most a quarter of the memory of
// operations.
func (f *trafficFlags) definitionBytes() int64 {
	return min(dynamo.DefaultDefinitionBytes, f.allMemory()/4)
}

// allMemory returns the number of bytes that all operations together may hold.
func (f *trafficFlags) allMemory() int64 { return cmp.Or(f.AllMemory, sharedMemory()) }
