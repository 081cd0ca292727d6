package bench

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	tablecheck "issuegrid/dynamo/check" // this package already has a function named check
	"issuegrid/dynamo/dynamotest"
)

// BenchmarkCheck compares a check of 100,000 issues with eight fields (1.3 million items) with a bare Scan of
// the same table with the same number of segments, in alternating runs. It reports the time and the CPU time
// of the calling process. The peak memory is that of the check command, which runs in a separate process.
func BenchmarkCheck(b *testing.B) {
	const issues = 100_000
	db, _ := dynamotest.Open(b, func(s *dynamo.Settings) { s.GroupWrites, s.Transport = true, nil })
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
	client := dynamodb.NewFromConfig(aws.Config{Region: "us-east-1",
		BaseEndpoint: aws.String(dynamotest.Endpoint()),
		Credentials:  credentials.NewStaticCredentialsProvider("embedded", "embedded", "")})
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
	binary := filepath.Join(b.TempDir(), "issuegrid")
	if out, err := exec.Command("go", "build", "-o", binary, "issuegrid").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, "check", "--endpoint", dynamotest.Endpoint(), "--table", table)
	cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=bench", "AWS_SECRET_ACCESS_KEY=bench",
		"AWS_REGION=us-east-1")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	check(b, cmd.Run())
	if !strings.Contains(stdout.String(), "No damage was found") {
		b.Fatal(stdout.String())
	}
	return float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024 // in KB on Linux
}
