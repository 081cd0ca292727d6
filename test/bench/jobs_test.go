package bench

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// BenchmarkJobs measures how much a running job slows down clients that read grid pages or change issues.
// Rounds with and without a job alternate.
func BenchmarkJobs(b *testing.B) {
	settings, _ := dynamotest.Settings(b)
	settings.Transport = nil
	open := func() *dynamo.DB {
		db, err := dynamo.Open(b.Context(), settings)
		check(b, err)
		return db
	}
	db := open()
	_, err := db.CreateTable(b.Context())
	check(b, err)
	const issues = 1000
	t := fill(b, db, issues, benchFields)
	settings.DefinitionTTL, settings.WriteTime = time.Millisecond, time.Millisecond // the job starts at once
	settings.IndexLag = time.Millisecond
	worker, err := open().Tenant(tenant)
	check(b, err)
	s := startServer(b, settings.Table)
	query := gridQuery()
	s.page(b, query, nil)
	var changed atomic.Int64
	foreground := map[string]func(){
		"pages": func() { s.page(b, query, nil) },
		"changes": func() {
			n := changed.Add(1)
			d, err := t.Definition(b.Context(), project)
			check(b, err)
			_, err = t.UpdateIssue(b.Context(), d,
				tracker.IssueID{Project: project, Issue: tracker.IDFor("bench", fmt.Sprint(n%issues+1))},
				tracker.Change{Values: map[tracker.FieldID]tracker.Value{"c2": tracker.Int(n)}})
			check(b, err)
		},
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tat 1 client\tat 8 clients\tissues/s of the job\t\n")
	for b.Loop() {
		for _, what := range []string{"pages", "changes"} {
			fmt.Fprint(w, what)
			worked := 0.0
			for _, clients := range []int{1, 8} {
				var alone, beside []time.Duration
				for range 3 {
					alone = append(alone, run(200*clients, clients, foreground[what])...)
					_, err := worker.UpdateField(b.Context(), project, "c7", func(f *tracker.Field) error {
						slices.Reverse(f.Options)
						return nil
					})
					check(b, err)
					var ended atomic.Bool
					start := time.Now()
					job := make(chan error)
					go func() {
						err := worker.RunJobs(b.Context(), project)
						ended.Store(true)
						job <- err
					}()
					for !ended.Load() {
						beside = append(beside, run(10*clients, clients, foreground[what])...)
					}
					check(b, <-job)
					worked = issues / time.Since(start).Seconds()
				}
				fmt.Fprintf(w, "\t%.2f x", float64(median(beside))/float64(median(alone)))
			}
			fmt.Fprintf(w, "\t%.0f\t\n", worked)
		}
	}
	check(b, w.Flush())
}
