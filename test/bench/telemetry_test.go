package bench

import (
	"testing"

	"issuegrid/dynamo/dynamotest"
)

// BenchmarkTelemetry compares the server's CPU time for a page of 100 rows and 8 columns with logs and
// metrics enabled and disabled.
func BenchmarkTelemetry(b *testing.B) {
	const clients, pages, rounds = 8, 200, 7
	db, _ := dynamotest.Open(b, grouped)
	fill(b, db, 1000, benchFields)
	off, on := startServer(b, db.Table(), "--log-level", "error"),
		startServer(b, db.Table(), "--log-format", "json", "--metrics-addr", "127.0.0.1:0")
	query := gridQuery()
	page := func(s *server) func() {
		return func() {
			if rows, _ := s.page(b, query, nil); rows != 100 {
				b.Errorf("%d rows", rows)
			}
		}
	}
	run(pages, clients, page(off)) // warm up
	run(pages, clients, page(on))
	var ratios []float64
	for b.Loop() {
		for range rounds {
			before := off.cpu(b)
			run(pages, clients, page(off))
			silent := off.cpu(b) - before
			before = on.cpu(b)
			run(pages, clients, page(on))
			ratios = append(ratios, float64(on.cpu(b)-before)/float64(silent))
		}
	}
	b.ReportMetric(median(ratios), "cpu-ratio")
}
