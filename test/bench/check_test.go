package bench

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	tablecheck "issuegrid/dynamo/check" // this package already has a function named check
	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/harness"
)

// BenchmarkCheck compares a check of 100,000 issues with eight fields (1.3 million items) with a bare Scan of
// the same table with the same number of segments, in alternating runs. It reports the time and the CPU time
// of the calling process. The peak memory is that of the check command, which runs in a separate process.
func BenchmarkCheck(b *testing.B) {
	const issues = 100_000
	db, _ := dynamotest.Open(b, grouped)
	store := fill(b, db, issues, benchFields)
	check(b, store.RaiseCounter(context.Background(), project, issues))
	var bare, checked measured
	items := 0
	for b.Loop() {
		for range 2 {
			bare.add(b, func() { items = bareScan(b, db.Table()) })
			checked.add(b, func() {
				r, err := tablecheck.Run(context.Background(), db, tablecheck.Options{}, nil)
				if check(b, err); len(r.Kinds) > 0 || r.Items != items || r.Issues != issues {
					b.Fatalf("%d items: %v", items, r)
				}
			})
		}
	}
	b.ReportMetric(float64(bare.time)/float64(bare.runs*items)/1e3, "bare-µs/item")
	b.ReportMetric(float64(checked.time)/float64(bare.time), "ratio")
	b.ReportMetric(float64(checked.cpu)/float64(bare.cpu), "cpu-ratio")
	b.ReportMetric(commandPeak(b, db.Table()), "peak-MiB")
}

// measured is the sum of the time and CPU time of several runs.
type measured struct {
	runs      int
	time, cpu time.Duration
}

func (m *measured) add(b *testing.B, run func()) {
	cpu, start := ownCPU(b), time.Now()
	run()
	m.runs++
	m.time += time.Since(start)
	m.cpu += ownCPU(b) - cpu
}

// bareScan reads the table with the SDK alone and returns the number of its items.
func bareScan(b *testing.B, table string) int {
	client := bareClient()
	counts := make([]int, tablecheck.DefaultSegments)
	var group errgroup.Group
	for n := range counts {
		group.Go(func() error {
			in := &dynamodb.ScanInput{TableName: &table, Segment: aws.Int32(int32(n)),
				TotalSegments: aws.Int32(int32(len(counts)))}
			for {
				out, err := client.Scan(context.Background(), in)
				if err != nil {
					return err
				}
				counts[n] += len(out.Items)
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
					return nil
				}
			}
		})
	}
	check(b, group.Wait())
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

// commandPeak returns the peak resident memory of the check command, in MiB.
func commandPeak(b *testing.B, table string) float64 {
	harness.Program = built(b)
	p := harness.Start(b, []string{"check", "--endpoint", dynamotest.Endpoint(), "--table", table})
	<-p.Ended
	if !strings.Contains(p.Stdout.String(), "No damage was found") {
		b.Fatal(p.Stdout.String())
	}
	return float64(p.Cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024 // in KB on Linux
}
