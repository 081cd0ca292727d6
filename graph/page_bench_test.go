package graph_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHandler serves a page of 100 rows and 8 columns in one process, for profiling. Package bench has
// the official figures.
func BenchmarkHandler(b *testing.B) {
	p := generated(400)
	h := handler(load(b, p).db)
	var cells strings.Builder
	for i, f := range []int{0, 2, 3, 4, 5, 6, 7, 10} {
		fmt.Fprintf(&cells, "c%d: value(fieldId: %q) { display } ", i, fieldID(&p, string(p.Fields[f].ID)))
	}
	query := pageQuery(&p, "first: 100", "name "+cells.String())
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if body := serve(h, query, nil); bytes.Count(body, []byte(`"num"`)) != 100 {
			b.Fatalf("%.300s", body)
		}
	}
}
