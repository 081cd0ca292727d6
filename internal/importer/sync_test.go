package importer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/internal/importer"
)

// metered imports with a meter of its own, without a dry run.
func (f *fixture) metered(opts importer.Options) (*importer.Summary, account.Cost) {
	f.Helper()
	meter := account.NewMeter()
	tenant, err := f.db.Metered(meter).Tenant(f.tenant.ID())
	if err != nil {
		f.Fatal(err)
	}
	s, err := importer.Run(f.Context(), tenant, opts)
	if err != nil {
		f.Fatal(err)
	}
	return s, meter.Cost()
}

// TestSyncWritesOnlyEdits repeats an import of 500 rows after an edit of 1 %. It writes the edited issues,
// each in one transaction, and no more: a repetition writes nothing.
func TestSyncWritesOnlyEdits(t *testing.T) {
	// Definitions are not checked in the background, which would be calls of the import.
	f := setup(t, func(s *dynamo.Settings) { s.DefinitionTTL = time.Hour })
	const rows = 500
	opts := importer.Options{File: f.file("in.csv", synthetic(rows)), Mapping: f.mapping(syntheticMapping),
		Project: "P"}
	f.run(opts)
	const edited = 5
	opts.File = f.file("edited.csv", edits(rows, rows/edited))
	wantSummary(t, f.dry(opts), "added 0, changed 5, unchanged 495, rejected 0")
	s, cost := f.metered(opts)
	wantSummary(t, s, "added 0, changed 5, unchanged 495, rejected 0")
	// The tenant; of two projects the key and the definition, once for the check of the file and once before
	// writing, and the definition once more after it; 100 rows each; and each changed issue.
	wantCalls := map[string]int{
		"BatchGetItem": 1 + 2*2*2 + 2 + rows/100 + edited, "TransactWriteItems": edited}
	if diff := cmp.Diff(wantCalls, cost.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	// In a transaction, each of the document, its history, its activity, and the entries of the name and the
	// time is 2 WCU.
	// The index removes each of the two entries and adds the new one.
	if want := float64(edited * (5*2 + 2*2)); dynamotest.ReportsUnits() && cost.WCU != want ||
		cost.Unreported.WCU != 0 {
		t.Errorf("%g WCU, want %g", cost.All().WCU, want)
	}
	f.wantVersions(2)
	s, cost = f.metered(opts)
	wantSummary(t, s, "added 0, changed 0, unchanged 500, rejected 0")
	if cost.All().WCU != 0 || cost.Calls["TransactWriteItems"] != 0 {
		t.Errorf("the repetition cost %+v", cost)
	}
	f.consistent()
}

// TestSyncWithNumbers does not write the counters of projects again.
func TestSyncWithNumbers(t *testing.T) {
	f := setup(t)
	var in strings.Builder
	in.WriteString("number,title\n")
	for i := range 300 {
		fmt.Fprintf(&in, "%d,issue %d\n", i+1, i)
	}
	opts := importer.Options{File: f.file("in.csv", in.String()), Project: "P"}
	f.run(opts)
	s, cost := f.metered(opts)
	wantSummary(t, s, "added 0, changed 0, unchanged 300, rejected 0")
	if cost.All().WCU != 0 {
		t.Errorf("the repetition cost %+v", cost)
	}
}
