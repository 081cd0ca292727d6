package bench

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// wideFields returns the maximum number of integer fields of a project.
func wideFields() []*tracker.Field {
	fields := make([]*tracker.Field, tracker.MaxFields)
	for n := range fields {
		fields[n] = &tracker.Field{ID: tracker.FieldID(fmt.Sprintf("f%d", n)), Name: fmt.Sprint("Field ", n),
			Type: tracker.TypeInteger, Position: int64(n)}
	}
	return fields
}

func integers(n, value int) map[tracker.FieldID]tracker.Value {
	values := make(map[tracker.FieldID]tracker.Value, n)
	for i := range n {
		values[tracker.FieldID(fmt.Sprintf("f%d", i))] = tracker.Int(int64(value))
	}
	return values
}

// BenchmarkWrites prints the cost of changes of one issue: calls and write units as the engine counts them,
// and the latency as a multiple of that of the smallest change.
func BenchmarkWrites(b *testing.B) {
	db, _ := dynamotest.Open(b, func(s *dynamo.Settings) { s.Transport = nil })
	fill(b, db, 0, nil)
	d := tracker.NewDefinition(tracker.Project{ID: project, Tenant: tenant,
		States: []tracker.State{{ID: "open", Name: "open", Open: true}}}, wideFields())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tTransactWriteItems\tother calls\titems\tWCU\tRCU\tlatency\t\n")
	const times = 31
	base := 0.0
	measure := func(name string, write func(t *dynamo.Tenant, n int) error) {
		latencies := make([]time.Duration, times)
		var cost account.Cost
		for n := range times {
			meter := account.NewMeter()
			t, err := db.Metered(meter).Tenant(tenant)
			check(b, err)
			start := time.Now()
			check(b, write(t, n))
			latencies[n], cost = time.Since(start), meter.Cost()
		}
		latency := float64(median(latencies))
		if base == 0 {
			base = latency
		}
		other := 0
		for call, n := range cost.Calls {
			if call != "TransactWriteItems" {
				other += n
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%g\t%g\t%.1f x\t\n", name, cost.Calls["TransactWriteItems"], other,
			cost.Items, cost.WCU, cost.RCU, latency/base)
	}
	for b.Loop() {
		t, err := db.Tenant(tenant)
		check(b, err)
		small, err := t.CreateIssue(b.Context(), d,
			tracker.Issue{Name: "Small", State: "open", Values: integers(12, 0)})
		check(b, err)
		wide, err := t.CreateIssue(b.Context(), d,
			tracker.Issue{Name: "Wide", State: "open", Values: integers(tracker.MaxFields, 0)})
		check(b, err)
		long := &tracker.Field{ID: "f0", Name: "Text", Type: tracker.TypeLongText}
		texts := tracker.NewDefinition(d.Project, append([]*tracker.Field{long}, d.Fields[1:]...))
		update := func(name string, d *tracker.Definition, i *tracker.Issue,
			values func(n int) map[tracker.FieldID]tracker.Value) {
			measure(name, func(t *dynamo.Tenant, n int) error {
				_, err := t.UpdateIssue(b.Context(), d, i.ID, tracker.Change{Values: values(n + 1)})
				return err
			})
		}
		of := func(fields, from int) func(int) map[tracker.FieldID]tracker.Value {
			return func(n int) map[tracker.FieldID]tracker.Value { return integers(fields, from+n) }
		}
		update("update of 1 field of 12", d, small, of(1, 0))
		update("of a field that is not sortable", texts, small,
			func(n int) map[tracker.FieldID]tracker.Value {
				return map[tracker.FieldID]tracker.Value{"f0": tracker.Text(fmt.Sprint(n))}
			})
		update("of 12 fields of 12", d, small, of(12, 0))
		update("of 1 field of 400", d, wide, of(1, 0))
		update("of 96 fields of 400, one transaction", d, wide, of(96, 0))
		update("of 99 fields of 400", d, wide, of(99, 100))
		update("of 400 fields of 400", d, wide, of(tracker.MaxFields, 1000))
		for _, fields := range []int{12, tracker.MaxFields} {
			measure(fmt.Sprintf("create with %d fields", fields), func(t *dynamo.Tenant, n int) error {
				_, err := t.CreateIssue(b.Context(), d,
					tracker.Issue{Name: "New", State: "open", Values: integers(fields, n)})
				return err
			})
		}
		doomed := make([]tracker.IssueID, times)
		for n := range doomed {
			i, err := t.CreateIssue(b.Context(), d,
				tracker.Issue{Name: "New", State: "open", Values: integers(12, n)})
			check(b, err)
			doomed[n] = i.ID
		}
		measure("delete of one with 12 fields", func(t *dynamo.Tenant, n int) error {
			return t.DeleteIssue(b.Context(), doomed[n], nil)
		})
		measure("restore of it", func(t *dynamo.Tenant, n int) error {
			_, err := t.RestoreIssue(b.Context(), d, doomed[n])
			return err
		})
	}
	check(b, w.Flush())
}
