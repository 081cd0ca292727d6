package bench

import (
	"fmt"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
)

// BenchmarkDepth compares pages of 100 rows at the start, in the middle, and near the end of a grid of
// 100,000 issues (10,000 with -short) sorted by a custom column. A single client reads pages from the three
// depths in turn. It fails if a page takes 15% longer in the middle or near the end than at the start. The
// last page is not compared, because it also searches for rows without a value.
func BenchmarkDepth(b *testing.B) {
	const pages = 100
	issues := 100_000
	if testing.Short() {
		issues = 10_000
	}
	db, _ := dynamotest.Open(b, grouped)
	fill(b, db, issues, benchFields[1:2])
	s := startServer(b, db.Table())
	query := func(size int) string {
		return fmt.Sprintf(
			`query($after: String) { project(id: %q) { issues(first: %d, after: $after, orderBy: [{column: {fieldId: %q}}]) {
			nodes { num name value(fieldId: %[3]q) { display } } pageInfo { hasNextPage endCursor } } } }`,
			model.ProjectNodeID(tenant, project), size, model.FieldNodeID(tenant, project, "c2"))
	}
	depths := []struct {
		name  string
		skip  int
		after any
	}{{"0", 0, nil}, {"50%", issues / 2, nil}, {"99%", issues*99/100 - 100, nil}}
	cursor, at := any(nil), 0
	for i := range depths {
		for ; at < depths[i].skip; at += 100 {
			_, end := s.page(b, query(100), map[string]any{"after": cursor})
			cursor = end
		}
		depths[i].after = cursor
	}
	middle, end := newRatio("ratio-50%"), newRatio("ratio-99%")
	var first []time.Duration
	for b.Loop() {
		hold(b, 3, func() {
			times := make([][]time.Duration, len(depths))
			for range pages {
				for i, d := range depths {
					start := time.Now()
					if rows, _ := s.page(b, query(100), map[string]any{"after": d.after}); rows != 100 {
						b.Fatalf("%d rows at depth %s", rows, d.name)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			first = append(first, median(times[0]))
			middle.add(float64(median(times[1])) / float64(median(times[0])))
			end.add(float64(median(times[2])) / float64(median(times[0])))
		}, middle, end)
	}
	b.ReportMetric(float64(median(first))/1e6, "ms/page")
}
