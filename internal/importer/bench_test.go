package importer_test

import (
	"net/http"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
)

// BenchmarkImportAgainstBareWrites imports a file, and then repeats the recorded BatchWriteItem requests of
// that import against the same empty table: bare calls without a file, lookups, encoding or signing. The
// import must reach a third of their rate.
func BenchmarkImportAgainstBareWrites(b *testing.B) {
	const rows = 2000
	tape := &dynamotest.Tape{}
	f := setup(b, func(s *dynamo.Settings) {
		s.DefinitionTTL = time.Millisecond // the table is recreated without its knowledge
		inner := s.Transport
		s.Transport = func(next http.RoundTripper) http.RoundTripper { return tape.Around(inner(next)) }
	})
	opts := importer.Options{File: f.file("in.csv", synthetic(rows)), Mapping: f.mapping(syntheticMapping)}
	tape.Record()
	f.run(opts)
	items := tape.Stop()
	var imported, bare time.Duration
	for b.Loop() {
		f.empty()
		start := time.Now()
		tape.Replay(b, dynamotest.Endpoint())
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
