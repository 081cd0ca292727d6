package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/internal/local"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

const (
	// neighborTime is how long each kind of noise lasts.
	neighborTime = 30 * time.Second
	// neighborPause is the pause between pages of the quiet tenant, which uses a small part of the server.
	neighborPause = 20 * time.Millisecond
	// noisy and quiet are the indexes of the two tenants.
	noisy, quiet = 0, 1
	// texts is the project of the noisy tenant whose descriptions are costly to search. wide is the project
	// with the largest documents.
	texts, wide = tracker.ProjectID("texts"), tracker.ProjectID("wide")
)

// fillNoisy creates the projects of the noisy tenant.
func fillNoisy(b *testing.B, db *dynamo.DB) {
	ctx := context.Background()
	id := tracker.TenantID(fmt.Sprint(tenant, noisy))
	check(b, db.CreateTenant(ctx, tracker.Tenant{ID: id, Name: "Noisy"}))
	t, err := db.Tenant(id)
	check(b, err)
	states := []tracker.State{{ID: "open", Name: "open", Open: true}}
	for id, fields := range map[tracker.ProjectID]int{texts: 0, wide: 395} {
		_, err := t.CreateProject(ctx,
			tracker.Project{ID: id, Key: strings.ToUpper(string(id)), Name: string(id), States: states})
		check(b, err)
		for f := range fields {
			_, err := t.CreateField(ctx, id,
				tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", f)), Name: fmt.Sprint("Field ", f),
					Type: tracker.TypeLongText})
			check(b, err)
		}
		d, err := t.Definition(ctx, id)
		check(b, err)
		var issues []tracker.Issue
		for n := range 34 + fields/2 {
			i := tracker.Issue{ID: tracker.IssueID{Project: id, Issue: fmt.Sprint("i", n)}, Num: int64(n + 1),
				Name: "Noise", State: "open", Values: map[tracker.FieldID]tracker.Value{}}
			if fields == 0 {
				i.Description = tracker.Text(strings.Repeat("\ufdfa", 83_000))
			}
			for f := range fields {
				i.Values[tracker.FieldID(fmt.Sprint("f", f))] = tracker.Text(
					strings.Repeat("x", tracker.MaxInlineText))
			}
			issues = append(issues, i)
		}
		for part := range slices.Chunk(issues, 20) {
			check(b, t.PutIssues(ctx, d, part))
		}
	}
}

// apart returns the URL of an endpoint that keeps the noisy tenant's items in a separate engine with the
// lowest priority, and all other items in the engine of the benchmark. This is closer to DynamoDB, which does
// not share the server's CPUs and in which large batches of one tenant do not delay small batches of another.
func apart(b *testing.B) (url string, noisyEngine *local.Engine) {
	e, err := local.Start(b.Context(), local.Options{})
	check(b, err)
	b.Cleanup(func() { e.Stop(context.Background()) })
	pids := harness.EnginePIDs(b, e.URL())
	for _, pid := range pids {
		check(b, syscall.Setpriority(syscall.PRIO_PROCESS, pid, 19))
	}
	proxies := map[bool]*httputil.ReverseProxy{}
	for isNoisy, target := range map[bool]string{true: e.URL(), false: dynamotest.Endpoint()} {
		u, err := neturl.Parse(target)
		check(b, err)
		proxies[isNoisy] = httputil.NewSingleHostReverseProxy(u)
	}
	name := []byte(fmt.Sprint(tenant, noisy))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxies[bytes.Contains(body, name)].ServeHTTP(w, r)
	}))
	b.Cleanup(server.Close)
	return server.URL, e
}

// noise describes the load of a noisy neighbor. A separate process with the lowest priority generates it, so
// that the quiet tenant's client does not share a scheduler with the noisy clients, which stand for other
// machines.
type noise struct {
	Name    string
	Clients int    // in parallel
	URL     string // base URL of the server
	Token   string // no Authorization header if empty
	Query   string // posted to /graphql; if empty, Asset is requested
	Asset   string // path of a file
	Ranges  string // Range header; omitted if empty
	Leaves  bool   // opens a connection, requests Asset, and does not read it
}

// noiseVariable is the environment variable that turns this test binary into a noise generator. It reads a
// noise as JSON from its standard input and generates it until the input ends.
const noiseVariable = "ISSUEGRID_BENCH_NOISE"

// TestMain runs the benchmarks, or generates noise for them if noiseVariable is set.
func TestMain(m *testing.M) {
	if os.Getenv(noiseVariable) == "" {
		dynamotest.Main(m)
	}
	var n noise
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	made := n.make()
	in.Decode(&n) // returns at the end of the input
	fmt.Print(made.Load())
	os.Exit(0)
}

// start generates the noise until stop is called. stop returns the number of requests that got a response.
func (n noise) start(b *testing.B) (stop func() (answered int)) {
	c := exec.Command("nice", "-n", "19", os.Args[0])
	var out bytes.Buffer
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), noiseVariable+"=1"), &out, os.Stderr
	in, err := c.StdinPipe()
	check(b, err)
	check(b, c.Start())
	end := sync.OnceValue(func() error { return errors.Join(in.Close(), c.Wait()) })
	b.Cleanup(func() { end() })
	check(b, json.NewEncoder(in).Encode(n))
	return func() int {
		check(b, end())
		answered, err := strconv.Atoi(out.String())
		check(b, err)
		return answered
	}
}

// make starts the clients. It returns a counter of the responses with status 200, 206 or, while the server is
// busy, 503.
func (n noise) make() *atomic.Int64 {
	var made atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n.Clients}}
	work := func() bool { return n.ask(client) }
	if n.Leaves {
		work = n.connect
	}
	for range n.Clients {
		go func() {
			for {
				if work() {
					made.Add(1)
				}
			}
		}()
	}
	return &made
}

// ask sends a request and reports whether it got a response with a status that make counts.
func (n noise) ask(client *http.Client) bool {
	method, path, body := http.MethodGet, n.Asset, ""
	if n.Query != "" {
		method, path, body = http.MethodPost, "/graphql", fmt.Sprintf(`{"query":%q}`, n.Query)
	}
	r, err := http.NewRequest(method, n.URL+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if n.Token != "" {
		r.Header.Set("Authorization", "Bearer "+n.Token)
	}
	if n.Ranges != "" {
		r.Header.Set("Range", n.Ranges)
	}
	response, err := client.Do(r)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	if response.StatusCode == http.StatusServiceUnavailable {
		time.Sleep(50 * time.Millisecond) // like an impatient client that reads Retry-After
	}
	return response.StatusCode < 300 || response.StatusCode == http.StatusServiceUnavailable
}

// connect opens a connection, requests a file, reads one line, and holds the connection for a second. It
// reports whether it read a line, or the server closed the connection because the client had too many.
func (n noise) connect() bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(n.URL, "http://"))
	if err != nil {
		return false
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", n.Asset)
	_, err = bufio.NewReader(conn).ReadString('\n')
	time.Sleep(time.Second)
	return err == nil || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// noises returns the worst known load for each of CPU time, memory, files and connections.
func (s *shared) noises(b *testing.B) []noise {
	id := tracker.TenantID(fmt.Sprint(tenant, noisy))
	var either strings.Builder
	for n := range 99 {
		fmt.Fprintf(&either, ` {description: {contains: "zz%d"}}`, n)
	}
	search := fmt.Sprintf(`{ project(id: %q) { issues(first: 100, where: {or: [%s]}) { nodes { num } } } }`,
		model.ProjectNodeID(id, texts), &either)
	pages := fmt.Sprintf(`{ project(id: %q) { issues(first: 200) { nodes { values { display } } } } }`,
		model.ProjectNodeID(id, wide))
	index, err := s.client.Get(s.url + "/")
	check(b, err)
	html, err := io.ReadAll(index.Body)
	check(b, err)
	index.Body.Close()
	asset := regexp.MustCompile(`/assets/grid-[^"]+\.js`).FindString(string(html))
	if asset == "" {
		b.Fatalf("the grid has no script: %.300s", html)
	}
	return []noise{
		{Name: "CPU: filters of texts", Clients: 24, URL: s.url, Token: s.tokens[noisy], Query: search},
		{Name: "memory: pages of all values", Clients: 64, URL: s.url, Token: s.tokens[noisy], Query: pages},
		{Name: "files: many ranges", Clients: 20, URL: s.url, Asset: asset,
			Ranges: "bytes=" + strings.Repeat("-1,", 20_000) + "-1"},
		{Name: "connections: opened and left", Clients: 300, URL: s.url, Asset: asset, Leaves: true},
	}
}

// pages requests pages of the quiet tenant one after the other for the duration d, and makes the two bare
// calls of a page between them. It returns the latencies of both, sorted. Any slowdown of the bare calls is
// in the engine, which runs on the same CPUs here.
func (s *shared) pages(b *testing.B, d time.Duration) (pages, bare []time.Duration) {
	l, client := &load{}, bareClient()
	for end := time.Now().Add(d); time.Now().Before(end); <-time.After(neighborPause) {
		s.ask(b, l, quiet)
		start := time.Now()
		barePage(b, client, s.table, tracker.TenantID(fmt.Sprint(tenant, quiet)))
		bare = append(bare, time.Since(start))
	}
	slices.Sort(bare)
	if refused := l.latencies(http.StatusServiceUnavailable, quiet); len(refused) > 0 {
		b.Errorf("%d pages of the quiet tenant were refused", len(refused))
	}
	return l.latencies(http.StatusOK, quiet), bare
}

// BenchmarkNeighbors prints the latency of one tenant's pages while another tenant, or a client without a
// token, generates noise, and the latency without noise just before.
func BenchmarkNeighbors(b *testing.B) {
	url, engine := apart(b)
	s := newShared(b, "--endpoint", url)
	db, _ := dynamotest.Open(b, func(o *dynamo.Settings) {
		o.Table, o.Endpoint, o.GroupWrites, o.Transport = s.table, engine.URL(), true, nil
	})
	fillNoisy(b, db)
	s.pages(b, time.Second) // warm up
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\talone p50\tp99\tbeside p50\tp99\tratio p50\tp99\tbare calls p50\tp99\tMB\tanswered\t\n")
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
	for b.Loop() {
		for _, n := range s.noises(b) {
			alone, bareAlone := s.pages(b, neighborTime)
			stop := n.start(b)
			beside, bareBeside := s.pages(b, neighborTime)
			answered := stop()
			if answered < n.Clients {
				b.Errorf("%s: only %d requests got a response", n.Name, answered)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f x\t%.2f x\t%.2f x\t%.2f x\t%d\t%d\t\n", n.Name,
				ms(at(alone, 0.5)), ms(at(alone, 0.99)), ms(at(beside, 0.5)), ms(at(beside, 0.99)),
				float64(at(beside, 0.5))/float64(at(alone, 0.5)),
				float64(at(beside, 0.99))/float64(at(alone, 0.99)),
				float64(at(bareBeside, 0.5))/float64(at(bareAlone, 0.5)),
				float64(at(bareBeside, 0.99))/float64(at(bareAlone, 0.99)), s.PeakResident()>>20, answered)
		}
	}
	check(b, w.Flush())
}
