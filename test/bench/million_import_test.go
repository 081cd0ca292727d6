package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/internal/local"
	"issuegrid/tracker"
)

// BenchmarkMillionImport imports rows into the project of 1,000,000 issues that BenchmarkMillion has built in
// the directory BENCH_MILLION. It compares the time with that of bare BatchWriteItem calls that write as many
// items of the same sizes to the same table. The imports write with BatchWriteItem too, as on Amazon
// DynamoDB. Then it measures imports that write with transactions, as the command does on the embedded
// engine.
func BenchmarkMillionImport(b *testing.B) {
	data := os.Getenv("BENCH_MILLION")
	if data == "" {
		b.Skip("BENCH_MILLION names no directory")
	}
	if _, err := os.Stat(data); err != nil {
		b.Skip("BenchmarkMillion builds the data first")
	}
	engine, err := local.Start(context.Background(), local.Options{DataDir: data})
	check(b, err)
	defer func() { check(b, engine.Stop(context.Background())) }()
	const rows, rounds = 2000, 5
	tape := &dynamotest.Tape{}
	next := int(time.Now().UnixMilli()) // rows with new keys; an earlier run had lower ones
	into := func(settings dynamo.Settings) (id string, imports func() time.Duration) {
		settings.Table, settings.Endpoint, settings.Embedded = "issuegrid", engine.URL(), true
		db, err := dynamo.Open(context.Background(), settings)
		check(b, err)
		b.Cleanup(db.Close)
		bench := benchTenant(b, db)
		t, err := db.Tenant(bench)
		check(b, err)
		mapping, err := importer.ParseMapping([]byte(millionMapping()))
		check(b, err)
		return string(bench), func() time.Duration {
			file := filepath.Join(b.TempDir(), fmt.Sprint(next, ".csv"))
			writeMillion(b, file, next, rows)
			next += rows
			start := time.Now()
			s, err := importer.Run(b.Context(), t, importer.Options{File: file, Project: "LARGE",
				Mapping: mapping})
			check(b, err)
			if s.Added != rows {
				b.Fatalf("%d rows added, want %d: %s", s.Added, rows, s)
			}
			return time.Since(start)
		}
	}
	id, batches := into(dynamo.Settings{Transport: tape.Around})
	_, groups := into(dynamo.Settings{GroupWrites: true})
	tape.Record()
	batches()
	items := tape.Stop()
	groups()
	batched, grouped := newRatio("import/bare"), newRatio("import in transactions/bare")
	for b.Loop() {
		for range rounds {
			other := fmt.Sprintf("%0*d", len(id), next) // a tenant that does not exist
			other = other[len(other)-len(id):]
			tape.Rename(id+"/", other+"/")
			start := time.Now()
			tape.Replay(b, engine.URL())
			bare := time.Since(start)
			tape.Rename(other+"/", id+"/")
			of := func(d time.Duration) float64 { return d.Seconds() / bare.Seconds() }
			batch, group := batches(), groups()
			batched.add(of(batch))
			grouped.add(of(group))
			b.Logf("%d items: bare %v; imports %v, in transactions %v", items, bare, batch, group)
		}
	}
	b.ReportMetric(1/median(batched.rounds), "of-bare")
	b.ReportMetric(1/median(grouped.rounds), "transactions-of-bare")
	if !batched.holds() {
		b.Errorf("an import takes %.2f times as long as bare calls, want at most %.2f",
			median(batched.rounds), batched.target)
	}
}

// benchTenant returns the id of the tenant of buildMillion.
func benchTenant(b *testing.B, db *dynamo.DB) (found tracker.TenantID) {
	b.Helper()
	check(b, db.EachTenant(b.Context(), func(id tracker.TenantID, _ bool) error {
		tenants, err := db.Tenants(b.Context(), []tracker.TenantID{id})
		if err == nil && tenants[0] != nil && tenants[0].Name == "Bench" {
			found = id
		}
		return err
	}))
	if found == "" {
		b.Fatal("there is no tenant Bench")
	}
	return found
}
