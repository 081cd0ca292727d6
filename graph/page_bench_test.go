package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/sample"
)

// BenchmarkHandler serves a page of 100 rows and 8 columns in one process, for profiling. Package bench has
// the official figures.
func BenchmarkHandler(b *testing.B) {
	db, _ := dynamotest.Open(b, func(s *dynamo.Settings) { s.GroupWrites = true })
	p := sample.Generated()
	p.Issues = p.Issues[:400]
	if err := sample.Load(context.Background(), db, []sample.Project{p}, func(int, int) {}); err != nil {
		b.Fatal(err)
	}
	var cells strings.Builder
	for i, f := range []int{0, 2, 3, 4, 5, 6, 7, 10} {
		fmt.Fprintf(&cells, "c%d: value(field: %q) { display } ", i,
			model.FieldNodeID(p.Tenant.ID, p.Project.ID, p.Fields[f].ID))
	}
	query := fmt.Sprintf(
		`{ project(id: %q) { issues(first: 100) { nodes { id num name %s } pageInfo { hasNextPage endCursor } } } }`,
		model.ProjectNodeID(p.Tenant.ID, p.Project.ID), cells.String())
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		b.Fatal(err)
	}
	h := handler(db)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if n := strings.Count(w.Body.String(), `"num"`); n != 100 {
			b.Fatalf("%d rows: %.300s", n, w.Body.String())
		}
	}
}
