package importer_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/importer"
)

// BenchmarkImportAgainstBareWrites imports a file, and then repeats the recorded BatchWriteItem requests of
// that import against the same empty table: bare calls without a file, lookups, encoding or signing. The
// import must reach a third of their rate.
func BenchmarkImportAgainstBareWrites(b *testing.B) {
	const rows = 2000
	tape := &tape{}
	f := setup(b, func(s *dynamo.Settings) {
		s.DefinitionTTL = time.Millisecond // the table is recreated without its knowledge
		inner := s.Transport
		s.Transport = func(next http.RoundTripper) http.RoundTripper {
			tape.next = inner(next)
			return tape
		}
	})
	opts := importer.Options{File: f.file("in.csv", synthetic(rows)), Mapping: f.mapping(syntheticMapping)}
	tape.record()
	f.run(opts)
	requests, items := tape.stop()
	var imported, bare time.Duration
	for b.Loop() {
		f.empty()
		start := time.Now()
		replay(b, requests)
		bare += time.Since(start)
		f.empty()
		start = time.Now()
		if s := f.run(opts); s.Added != rows {
			b.Fatalf("%d rows added, want %d", s.Added, rows)
		}
		imported += time.Since(start)
	}
	rate := func(d time.Duration) float64 { return float64(items*b.N) / d.Seconds() }
	b.ReportMetric(rate(imported), "items/s")
	b.ReportMetric(rate(bare), "bare-items/s")
	b.ReportMetric(rate(imported)/rate(bare), "of-bare")
	if rate(imported)*3 < rate(bare) {
		b.Errorf("the import writes %.0f items/s, less than a third of the %.0f of bare calls",
			rate(imported), rate(bare))
	}
}

// empty recreates the table.
func (f *fixture) empty() {
	f.Helper()
	if err := f.db.DeleteTable(f.Context()); err != nil {
		f.Fatal(err)
	}
	if _, err := f.db.CreateTable(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.tenant = f.open("rival")
	f.run(importer.Options{File: f.file("rival.csv", rivalRows)})
	f.tenant = f.open("acme")
}

// tape records BatchWriteItem requests. It is switched on and off only between imports.
type tape struct {
	next     http.RoundTripper
	on       bool
	mu       sync.Mutex
	requests []recorded
}

type recorded struct {
	header http.Header
	body   []byte
}

func (t *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.on && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchWriteItem") {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		t.mu.Lock()
		t.requests = append(t.requests, recorded{header: r.Header.Clone(), body: body})
		t.mu.Unlock()
	}
	return t.next.RoundTrip(r)
}

func (t *tape) record() { t.on = true }

// stop returns the recorded requests and the number of items that they write.
func (t *tape) stop() (requests []recorded, items int) {
	t.on = false
	for _, r := range t.requests {
		items += bytes.Count(r.body, []byte(`"PutRequest"`))
	}
	return t.requests, items
}

// bareClients is the number of parallel calls, the maximum of an import.
const bareClients = 16

func replay(b *testing.B, requests []recorded) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bareClients}}
	defer client.CloseIdleConnections()
	next := make(chan recorded)
	var group sync.WaitGroup
	for range bareClients {
		group.Go(func() {
			for r := range next {
				request, err := http.NewRequest(http.MethodPost, dynamotest.Endpoint(),
					bytes.NewReader(r.body))
				if err != nil {
					b.Error(err)
					continue
				}
				request.Header = r.header
				answer, err := client.Do(request)
				if err != nil {
					b.Error(err)
					continue
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK ||
					bytes.Contains(body, []byte(`"PutRequest"`)) {
					b.Errorf("a bare call failed: %d %v %s", answer.StatusCode, err, body)
				}
			}
		})
	}
	for _, r := range requests {
		next <- r
	}
	close(next)
	group.Wait()
}
