//go:build unix

package process

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/test/harness"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// These tests check how the reads of one tenant affect others: one tenant sends expensive requests while
// another works normally.

// neighborhood is a server with two tenants. The noisy tenant has the largest data allowed, the quiet one a
// small project.
type neighborhood struct {
	*harness.Process
	address, metrics     string
	noisy, quiet, editor string // tokens of their readers, and of an editor of the noisy tenant
	wide, texts, history string // IDs of two projects and an issue of the noisy tenant
	small                string // ID of a project of the quiet tenant
}

// newNeighborhood starts a server with a memory limit of 512 MiB and no limit on the capacity of a tenant.
// The wide project has the given number of issues.
func newNeighborhood(t *testing.T, wide int) *neighborhood {
	engine := harness.StartEngine(t)
	db, err := dynamo.Open(t.Context(),
		dynamo.Settings{Table: "issuegrid", Endpoint: engine.URL(), Embedded: true, GroupWrites: true,
			NoStream: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	projects := []sample.Project{wideProject(wide), textsProject(), smallProject()}
	if err := sample.Load(t.Context(), db, projects, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	i := harness.NewIssuer(t)
	p := harness.Start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0",
		"--endpoint", engine.URL(), "--table", "issuegrid", "--tenant-rcu", "0", "--tenant-wcu", "0"},
		i.Flags()...), harness.Env("GOMEMLIMIT=512MiB"))
	n := &neighborhood{Process: p, address: p.Serving(), metrics: p.Noted("Metrics on "),
		noisy: i.Token("reader", "noisy"), quiet: i.Token("reader", "quiet"),
		editor: i.Token("editor", "noisy"),
		wide:   model.ProjectNodeID("noisy", projects[0].Project.ID),
		texts:  model.ProjectNodeID("noisy", projects[1].Project.ID),
		small:  model.ProjectNodeID("quiet", projects[2].Project.ID)}
	n.history = model.IssueNodeID("noisy", projects[0].Issues[0].ID)
	return n
}

func project(tenant tracker.TenantID, id tracker.ProjectID, fields []tracker.Field, issues int,
	issue func(n int, i *tracker.Issue)) sample.Project {
	p := sample.Project{Tenant: tracker.Tenant{ID: tenant, Name: string(tenant)}, Fields: fields,
		Project: tracker.Project{ID: id, Key: strings.ToUpper(string(id)), Name: string(id),
			States: []tracker.State{{ID: "open", Name: "open", Open: true}}}}
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range issues {
		i := tracker.Issue{ID: tracker.IssueID{Project: id, Issue: fmt.Sprint(id, n)}, Num: int64(n + 1),
			Name: fmt.Sprint("Issue ", n), State: "open", Created: at, Updated: at,
			Values: map[tracker.FieldID]tracker.Value{}}
		issue(n, &i)
		p.Issues = append(p.Issues, i)
	}
	return p
}

// fieldsOf returns n fields of a type.
func fieldsOf(n int, kind tracker.FieldType) []tracker.Field {
	fields := make([]tracker.Field, n)
	for f := range fields {
		fields[f] = tracker.Field{ID: tracker.FieldID(fmt.Sprintf("f%03d", f)), Name: fmt.Sprint("Field ", f),
			Type: kind, Position: int64(f + 1)}
	}
	return fields
}

// wideProject returns a project with documents of 100 KB, and some of 310 KB.
func wideProject(issues int) sample.Project {
	short, long := tracker.Text(strings.Repeat("x", tracker.MaxInlineText)),
		tracker.Text(strings.Repeat("😀", 195))
	fields := append(fieldsOf(380, tracker.TypeLongText), fieldsOf(395, tracker.TypeUser)[380:]...)
	return project("noisy", "wide", fields, issues, func(_ int, i *tracker.Issue) {
		for _, f := range fields {
			if i.Values[f.ID] = short; f.Type == tracker.TypeUser {
				i.Values[f.ID] = long
			}
		}
	})
}

// textsProject returns a project whose descriptions take many times their size in memory when case-folded.
func textsProject() sample.Project {
	text := tracker.Text(strings.Repeat("\ufdfa", 83_000))
	return project("noisy", "texts", nil, 34, func(_ int, i *tracker.Issue) { i.Description = text })
}

func smallProject() sample.Project {
	fields := fieldsOf(8, tracker.TypeText)
	return project("quiet", "small", fields, 200, func(n int, i *tracker.Issue) {
		for _, f := range fields {
			i.Values[f.ID] = tracker.Text(fmt.Sprintf("%s of %d", f.Name, n))
		}
	})
}

// rewrite changes every value of the first issue several times, which makes its history long.
func (n *neighborhood) rewrite(p sample.Project) {
	for round := range 6 {
		var values strings.Builder
		for _, f := range p.Fields[:380] {
			fmt.Fprintf(&values, ` {fieldId: %q, value: {text: "%s"}}`,
				model.FieldNodeID("noisy", "wide", f.ID), strings.Repeat(string(rune('a'+round)), 250))
		}
		status, _, answer := harness.As(n.T, n.address, n.editor,
			fmt.Sprintf(`mutation { updateIssue(input: {issue: {id: %q, values: [%s]}}) { issue { version } } }`,
				n.history, &values))
		if status != http.StatusOK || strings.Contains(answer, "errors") {
			n.T.Fatalf("status %d, %.300s", status, answer)
		}
	}
}

// worst returns the most expensive requests of the noisy tenant, by their kind.
func (n *neighborhood) worst() map[string]string {
	aliases := func(count int, one string) string {
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, " a%d: %s", i, one)
		}
		return b.String()
	}
	either := func(terms int) string {
		var b strings.Builder
		for i := range terms {
			fmt.Fprintf(&b, ` {description: {contains: "zz%d"}}`, i)
		}
		return b.String()
	}
	return map[string]string{
		"built-in columns": fmt.Sprintf(`{ project(id: %q) { issues(first: 200) { nodes { num } } } }`,
			n.wide),
		"all values": fmt.Sprintf(
			`{ project(id: %q) { issues(first: 200) { nodes { values { display } } } } }`, n.wide),
		"pages of values": fmt.Sprintf(`{ project(id: %q) { %s } }`, n.wide,
			aliases(3,
				`issues(first: 100, orderBy: [{column: {builtin: NAME}}]) { nodes { values { __typename } } }`)),
		"one text": fmt.Sprintf(
			`{ project(id: %q) { issues(first: 100, where: {description: {contains: "zzz"}}) { nodes { num } incomplete } } }`,
			n.texts),
		"many texts": fmt.Sprintf(
			`{ project(id: %q) { issues(first: 100, where: {or: [%s]}) { nodes { num } } } }`, n.texts,
			either(99)),
		"aliases of a text": fmt.Sprintf(`{ project(id: %q) { %s } }`, n.texts,
			aliases(20, `issues(first: 100, where: {description: {contains: "zzz"}}) { nodes { num } }`)),
		"long texts": fmt.Sprintf(
			`{ project(id: %q) { issues(first: 34) { nodes { description } } } }`, n.texts),
		"counts": fmt.Sprintf(`{ project(id: %q) { %s } }`, n.wide,
			aliases(4, `issues(first: 1, where: {fields: [{fieldId: "`+
				model.FieldNodeID("noisy", "wide", "f001")+`", text: {contains: "zz"}}]}) { totalCount }`)),
		"histories": fmt.Sprintf(`{ %s }`,
			aliases(20,
				fmt.Sprintf(`issue(id: %q) { history(first: 100) { nodes { version columns { before } } } }`,
					n.history))),
		"single issues": fmt.Sprintf(`{ %s }`,
			aliases(50, fmt.Sprintf(`issue(id: %q) { values { display } }`, n.history))),
		"comments": "{ __typename } #" + strings.Repeat("x", 240<<10),
	}
}

// small8 returns a query for a page of the quiet tenant.
func (n *neighborhood) small8() string {
	return fmt.Sprintf(`{ project(id: %q) { issues(first: 50) { nodes { num name values { display } } } } }`,
		n.small)
}

// gauge returns the value of a metric.
func (n *neighborhood) gauge(name string) float64 {
	value, ok := harness.Scrape(n.T, n.metrics)[name]
	if !ok {
		n.T.Fatalf("no metric %s", name)
	}
	return value
}

// TestMemoryIsBounded sends 64 requests of one tenant in parallel, some from clients that read slowly. With a
// memory limit of 512 MiB, the process must stay below 768 MiB, every page of another tenant must be correct,
// and in the end no memory may be reserved.
func TestMemoryIsBounded(t *testing.T) {
	tier.Verify(t, "it asserts resident memory, and how many pages a client gets meanwhile")
	t.Parallel()
	n := newNeighborhood(t, 260)
	n.rewrite(wideProject(1))
	begun := n.PeakResident()
	const parallel, rounds = 64, 3
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var names []string
	worst := n.worst()
	for name := range worst {
		names = append(names, name)
	}
	var mu sync.Mutex
	statuses := map[string]int{}
	for w := range parallel {
		all.Go(func() {
			for r := range rounds {
				name := names[(w+r)%len(names)]
				if w%8 == 7 { // a client that requests much data and does not read it
					n.neglect(ctx, worst["all values"])
					continue
				}
				response, text, err := harness.Exchange(ctx, http.DefaultClient, n.address, n.noisy,
					worst[name], nil)
				mu.Lock()
				switch {
				case err != nil:
					t.Errorf("%s: %v", name, err)
				case response.StatusCode != http.StatusOK &&
					response.StatusCode != http.StatusServiceUnavailable ||
					strings.Contains(string(text), "INTERNAL"):
					t.Errorf("%s: status %d, %.300s", name, response.StatusCode, text)
				default:
					code := ""
					if found := regexp.MustCompile(`"code":"([A-Z_]+)"`).FindSubmatch(text); found != nil {
						code = " " + string(found[1])
					}
					statuses[fmt.Sprint(name, ": ", response.StatusCode, code)]++
				}
				mu.Unlock()
			}
		})
	}
	served := atomic.Int64{}
	over := make(chan struct{})
	var neighbor sync.WaitGroup
	neighbor.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			response, text, err := harness.Exchange(ctx, http.DefaultClient, n.address, n.quiet, n.small8(),
				nil)
			if err != nil || response.StatusCode != http.StatusOK ||
				strings.Count(string(text), `"num"`) != 50 || strings.Contains(string(text), "errors") {
				t.Errorf("another tenant's page: %v, %.300s", err, text)
				return
			}
			served.Add(1)
		}
	})
	all.Wait()
	close(over)
	neighbor.Wait()
	cancel()
	most := n.PeakResident()
	t.Logf("%d MiB before, %d MiB at most; %d pages of another tenant; %v", begun>>20, most>>20,
		served.Load(), statuses)
	if most > 768<<20 {
		t.Errorf("the process had %d MiB, want at most 768", most>>20)
	}
	if served.Load() < 20 {
		t.Errorf("only %d pages were served to another tenant", served.Load())
	}
	harness.Eventually(t, "nothing is held", func() bool {
		return n.gauge("issuegrid_memory_held_bytes") == 0
	})
	if waiting := n.gauge("issuegrid_memory_waiting") + n.gauge("issuegrid_cpu_waiting") +
		n.gauge("issuegrid_queue_running"); waiting != 0 {
		t.Errorf("%g operations are still waiting", waiting)
	}
	if size := n.gauge("issuegrid_memory_budget_bytes"); size != 128<<20 {
		t.Errorf("the budget is %g MiB, want a quarter of the limit", size/(1<<20))
	}
}

// neglect sends a query, reads the first bytes of the response, and then stops reading for a time that is
// long for a server.
func (n *neighborhood) neglect(ctx context.Context, query string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(n.address, "http://"))
	if err != nil {
		n.T.Error(err)
		return
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	body := fmt.Sprintf(`{"query": %q}`, query)
	fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+
		"%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", n.noisy, len(body), body)
	bufio.NewReaderSize(conn, 16).ReadString('\n')
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Second):
	}
}

// TestCPUIsShared checks that another tenant's pages are all served while operations of one tenant that
// search long texts wait for CPU time, and that an operation that needs many seconds is ended at its limit of
// CPU time.
func TestCPUIsShared(t *testing.T) {
	tier.Verify(t, "it asserts how many operations wait at certain moments")
	t.Parallel()
	n := newNeighborhood(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			for ctx.Err() == nil {
				response, text, err := harness.Exchange(ctx, http.DefaultClient, n.address, n.noisy,
					n.worst()["many texts"], nil)
				if ctx.Err() == nil && (err != nil || response.StatusCode != http.StatusOK &&
					response.StatusCode != http.StatusServiceUnavailable) {
					t.Errorf("%v, %.300s", err, text)
				}
			}
		})
	}
	// A tenant does not wait while all others are idle. On a slow machine, the pages of one client would
	// leave gaps that are long enough for that.
	var served atomic.Int64
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				response, answer, err := harness.Exchange(ctx, http.DefaultClient, n.address, n.quiet,
					n.small8(), nil)
				if ctx.Err() != nil {
					return
				}
				if err != nil || response.StatusCode != http.StatusOK ||
					bytes.Count(answer, []byte(`"num"`)) != 50 {
					t.Errorf("%v, %.300s", err, answer)
					return
				}
				served.Add(1)
			}
		})
	}
	wait := func() {
		t.Helper()
		harness.Eventually(t, "operations of the noisy tenant wait for their turns", func() bool {
			return n.gauge("issuegrid_cpu_waiting") >= 4
		})
	}
	wait()
	before := served.Load()
	harness.Eventually(t, "50 pages are served to the quiet tenant", func() bool {
		return t.Failed() || served.Load() >= before+50
	})
	wait()
	cancel()
	all.Wait()
	if _, _, answer := harness.As(t, n.address, n.noisy,
		n.worst()["aliases of a text"]); !strings.Contains(answer, "of CPU time; the limit is 1s") {
		t.Errorf("%.300s", answer)
	}
}
