package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

const (
	// neighborTime is for how long a noisy neighbor does its worst.
	neighborTime = 30 * time.Second
	// neighborPause is between the pages of the quiet tenant, which uses a small part of the server.
	neighborPause = 20 * time.Millisecond
	// noisy and quiet are the tenants, of those that share the server.
	noisy, quiet = 0, 1
	// texts is the project of the noisy tenant whose descriptions are costly to search, and wide the one with the largest documents.
	texts, wide = tracker.ProjectID("texts"), tracker.ProjectID("wide")
)

// fillNoisy makes the projects of the noisy tenant.
func (s *shared) fillNoisy(b *testing.B) {
	ctx := context.Background()
	t, err := s.db.Tenant(tracker.TenantID(fmt.Sprint(tenant, noisy)))
	check(b, err)
	states := []tracker.State{{ID: "open", Name: "open", Open: true}}
	for id, fields := range map[tracker.ProjectID]int{texts: 0, wide: 395} {
		_, err := t.CreateProject(ctx, tracker.Project{ID: id, Key: strings.ToUpper(string(id)), Name: string(id), States: states})
		check(b, err)
		for f := range fields {
			_, err := t.CreateField(ctx, id, tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", f)), Name: fmt.Sprint("Field ", f), Type: tracker.TypeLongText})
			check(b, err)
		}
		d, err := t.Definition(ctx, id)
		check(b, err)
		var issues []tracker.Issue
		for n := range 34 + fields/2 {
			i := tracker.Issue{ID: tracker.IssueID{Project: id, Issue: fmt.Sprint("i", n)}, Num: int64(n + 1), Name: "Noise", State: "open", Values: map[tracker.FieldID]tracker.Value{}}
			if fields == 0 {
				i.Description = tracker.Text(strings.Repeat("\ufdfa", 83_000))
			}
			for f := range fields {
				i.Values[tracker.FieldID(fmt.Sprint("f", f))] = tracker.Text(strings.Repeat("x", tracker.MaxInlineText))
			}
			issues = append(issues, i)
		}
		for part := range slices.Chunk(issues, 20) {
			check(b, t.PutIssues(ctx, d, part))
		}
	}
}

// post sends a query of the noisy tenant, whatever becomes of it.
func (s *shared) post(ctx context.Context, query string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/graphql", strings.NewReader(fmt.Sprintf(`{"query":%q}`, query)))
	if err != nil {
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.tokens[noisy])
	s.discard(r)
}

func (s *shared) discard(r *http.Request) {
	response, err := s.client.Do(r)
	if err != nil {
		return
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	if response.StatusCode == http.StatusServiceUnavailable { // as a client does that reads Retry-After, if an impatient one
		select {
		case <-r.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// noises are what neighbors do, each in so many goroutines until the context ends.
func (s *shared) noises(b *testing.B) map[string]struct {
	clients int
	work    func(context.Context)
} {
	id := tracker.TenantID(fmt.Sprint(tenant, noisy))
	var either strings.Builder
	for n := range 99 {
		fmt.Fprintf(&either, ` {description: {contains: "zz%d"}}`, n)
	}
	search := fmt.Sprintf(`{ project(id: %q) { issues(first: 100, where: {or: [%s]}) { nodes { num } } } }`, model.ProjectNodeID(id, texts), &either)
	pages := fmt.Sprintf(`{ project(id: %q) { issues(first: 200) { nodes { values { display } } } } }`, model.ProjectNodeID(id, wide))
	index, err := s.client.Get(s.url + "/")
	check(b, err)
	html, err := io.ReadAll(index.Body)
	check(b, err)
	index.Body.Close()
	asset := regexp.MustCompile(`/assets/grid-[^"]+\.js`).FindString(string(html))
	if asset == "" {
		b.Fatalf("the grid has no script: %.300s", html)
	}
	ranges := "bytes=" + strings.Repeat("-1,", 20_000) + "-1"
	return map[string]struct {
		clients int
		work    func(context.Context)
	}{
		"CPU: filters of texts":       {24, func(ctx context.Context) { s.post(ctx, search) }},
		"memory: pages of all values": {64, func(ctx context.Context) { s.post(ctx, pages) }},
		"files: many ranges": {20, func(ctx context.Context) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+asset, nil)
			if err != nil {
				return
			}
			r.Header.Set("Range", ranges)
			s.discard(r)
		}},
		"connections: opened and left": {300, func(ctx context.Context) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", asset)
			bufio.NewReader(conn).ReadString('\n') // and no more
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}},
	}
}

// pages asks for pages of the quiet tenant for a time, one after the other, and makes the two bare calls of a page between them. It returns how long they took,
// sorted. What the bare calls lose beside a neighbor they lose in the engine, which runs on the same CPUs here.
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

// BenchmarkNeighbors prints how long the pages of one tenant take while another, or somebody without a token, does its worst, and how long they take alone just
// before.
func BenchmarkNeighbors(b *testing.B) {
	s := newShared(b)
	s.fillNoisy(b)
	s.pages(b, time.Second) // warm up
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\talone p50\tp99\tbeside p50\tp99\tratio p50\tp99\tbare calls p50\tp99\tMB\t\n")
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
	for b.Loop() {
		for name, noise := range s.noises(b) {
			alone, bareAlone := s.pages(b, neighborTime)
			ctx, cancel := context.WithCancel(b.Context())
			var all sync.WaitGroup
			for range noise.clients {
				all.Go(func() {
					for ctx.Err() == nil {
						noise.work(ctx)
					}
				})
			}
			beside, bareBeside := s.pages(b, neighborTime)
			cancel()
			all.Wait()
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f x\t%.2f x\t%.2f x\t%.2f x\t%.0f\t\n", name, ms(at(alone, 0.5)), ms(at(alone, 0.99)), ms(at(beside, 0.5)), ms(at(beside, 0.99)),
				float64(at(beside, 0.5))/float64(at(alone, 0.5)), float64(at(beside, 0.99))/float64(at(alone, 0.99)),
				float64(at(bareBeside, 0.5))/float64(at(bareAlone, 0.5)), float64(at(bareBeside, 0.99))/float64(at(bareAlone, 0.99)), s.resident(b))
		}
	}
	check(b, w.Flush())
}
