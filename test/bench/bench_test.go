// Package bench compares the server with bare calls of the SDK: `go test -run '^$' -bench . ./test/bench`.
// The figures that matter are ratios of two measurements from the same run, because machines differ and are
// shared. The targets of ratios are in ratio_test.go. With -short, benchmarks use less data and time.
package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// benchFields holds the custom fields of the measured project, one of each type that is common in grids.
var benchFields = []*tracker.Field{
	{ID: "c1", Name: "Vessel", Type: tracker.TypeText}, {ID: "c2", Name: "Hours", Type: tracker.TypeInteger},
	{ID: "c3", Name: "Cost", Type: tracker.TypeNumber}, {ID: "c4", Name: "Due", Type: tracker.TypeDate},
	{ID: "c5", Name: "Inspected", Type: tracker.TypeDateTime},
	{ID: "c6", Name: "Safety", Type: tracker.TypeBoolean},
	{ID: "c7", Name: "Priority", Type: tracker.TypeSelect,
		Options: []tracker.Option{{ID: "p1", Name: "High"}, {ID: "p2", Name: "Medium"},
			{ID: "p3", Name: "Low"}}},
	{ID: "c8", Name: "Assignee", Type: tracker.TypeUser},
}

func values(n int) map[tracker.FieldID]tracker.Value {
	return map[tracker.FieldID]tracker.Value{
		"c1": tracker.Text(fmt.Sprintf("Vessel %d of the northern fleet", n*7919%1000)),
		"c2": tracker.Int(int64(n * 31 % 5000)),
		"c3": tracker.Float(float64(n*17%100000) / 100),
		"c4": tracker.Text(fmt.Sprintf("2026-%02d-%02d", n%12+1, n%28+1)),
		"c5": tracker.Text(fmt.Sprintf("2026-%02d-%02dT10:%02d:00Z", n%12+1, n%28+1, n%60)),
		"c6": tracker.Bool(n%3 == 0),
		"c7": tracker.Text(fmt.Sprintf("p%d", n%3+1)), "c8": tracker.Text(fmt.Sprintf("Person %d", n%50)),
	}
}

const (
	tenant  = tracker.TenantID("bench")
	project = tracker.ProjectID("b1")
)

// fill creates a project with n issues and the given fields.
func fill(b *testing.B, db *dynamo.DB, n int, fields []*tracker.Field) *dynamo.Tenant {
	b.Helper()
	return fillTenant(b, db, tenant, n, fields)
}

// fillTenant is like fill, for any tenant.
func fillTenant(b *testing.B, db *dynamo.DB, tenant tracker.TenantID, n int,
	fields []*tracker.Field) *dynamo.Tenant {
	b.Helper()
	ctx := context.Background()
	t, err := db.Tenant(tenant)
	check(b, err)
	check(b, db.CreateTenant(ctx, tracker.Tenant{ID: tenant, Name: "Bench " + string(tenant)}))
	_, err = t.CreateProject(ctx, tracker.Project{ID: project, Key: "B", Name: "Bench",
		States: []tracker.State{{ID: "open", Name: "open", Open: true}}})
	check(b, err)
	for _, f := range fields {
		_, err := t.CreateField(ctx, project, *f)
		check(b, err)
	}
	d, err := t.Definition(ctx, project)
	check(b, err)
	const chunk = 200
	for first := 1; first <= n; first += chunk {
		issues := make([]tracker.Issue, 0, chunk)
		for num := first; num < min(first+chunk, n+1); num++ {
			i := tracker.Issue{ID: tracker.IssueID{Project: project,
				Issue: tracker.IDFor("bench", strconv.Itoa(num))}, Num: int64(num),
				Name: fmt.Sprintf("Issue %d: replace the bow ramp hinge", num), State: "open",
				Values: map[tracker.FieldID]tracker.Value{}}
			all := values(num)
			for _, f := range fields {
				i.Values[f.ID] = all[f.ID]
			}
			issues = append(issues, i)
		}
		check(b, t.PutIssues(ctx, d, issues))
	}
	return t
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// grouped makes imports write groups of items in transactions, and nothing count the calls.
func grouped(s *dynamo.Settings) { s.GroupWrites, s.Transport = true, nil }

// built builds the server and returns its path.
func built(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "issuegrid")
	if out, err := exec.Command("go", "build", "-o", binary, "issuegrid").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// server is the built server, run in its own process so that its CPU time is separate from that of its
// clients. The client does not request compression, whose cost is measured separately.
type server struct {
	*harness.Process
	url    string
	client *http.Client
}

// startServer starts a server on a table of the engine of the tests.
func startServer(b *testing.B, table string, flags ...string) *server {
	b.Helper()
	return serve(b, append([]string{"--endpoint", dynamotest.Endpoint(), "--table", table, "--limit-body",
		"8388608"}, flags...)...)
}

func serve(b *testing.B, flags ...string) *server {
	b.Helper()
	harness.Program = built(b)
	p := harness.Start(b, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...))
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	s := &server{p, p.Serving(), &http.Client{Transport: transport}}
	b.Cleanup(func() {
		p.Signal(syscall.SIGTERM)
		<-p.Ended
	})
	return s
}

// cpu returns the CPU time that the server has used.
func (s *server) cpu(b *testing.B) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Cmd.Process.Pid))
	check(b, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(f)
		check(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100 on Linux
}

// ownCPU returns the CPU time that this process has used.
func ownCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// page requests a page of the grid and returns its number of rows and its end cursor. It fails the benchmark
// if the response has no data.
func (s *server) page(b *testing.B, query string, variables map[string]any) (rows int, end string) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	check(b, err)
	response, err := s.client.Post(s.url+"/graphql", "application/json", bytes.NewReader(body))
	check(b, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	check(b, err)
	if !bytes.HasPrefix(answer, []byte(`{"data":`)) {
		b.Fatalf("response: %.500s", answer)
	}
	_, cursor, _ := strings.Cut(string(answer), `"endCursor":"`)
	cursor, _, _ = strings.Cut(cursor, `"`)
	return bytes.Count(answer, []byte(`"num":`)), cursor
}

// run makes n calls from the given number of concurrent clients and returns their latencies.
func run(n, clients int, call func()) []time.Duration {
	latencies := make([]time.Duration, n)
	var wg sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range clients {
		wg.Go(func() {
			for i := range next {
				start := time.Now()
				call()
				latencies[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	return latencies
}

// gridQuery returns a query that selects 8 columns by aliases, as a grid does.
func gridQuery() string { return gridQueryOf(tenant) }

func gridQueryOf(tenant tracker.TenantID) string {
	var cells strings.Builder
	for i, f := range benchFields {
		fmt.Fprintf(&cells, "c%d: value(fieldId: %q) { display } ", i+1,
			model.FieldNodeID(tenant, project, f.ID))
	}
	return fmt.Sprintf(
		`query Grid($after: String) { project(id: %q) { issues(first: 100, after: $after, orderBy: [{column: {fieldId: %q}}]) {
		nodes { id num name %s } pageInfo { hasNextPage endCursor } } } }`,
		model.ProjectNodeID(tenant, project), model.FieldNodeID(tenant, project, "c2"), cells.String())
}
