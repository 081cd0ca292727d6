//go:build realdata

package e2e

import (
	"os"
	"slices"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/internal/account"
	"issuegrid/internal/importer"
)

// checkSync edits 1 % of the rows and imports the file again. The dry run says so, the import writes these
// issues and no others, each in one transaction, and a repetition writes nothing.
func checkSync(t *testing.T, db *dynamo.DB, file *table, mapping *importer.Mapping) {
	path, rows, edits := editedCopy(t, file)
	meter := account.NewMeter()
	tenant, err := db.Metered(meter).Tenant("titanium")
	must(t, err)
	opts := importer.Options{File: path, Mapping: mapping, Rejects: t.TempDir() + "/rejects.csv"}
	report, err := importer.Inspect(t.Context(), tenant, opts)
	must(t, err)
	must(t, report.Problem)
	wantEdits := func(what string, s *importer.Summary, changed int64) {
		t.Helper()
		if s.Changed != changed || s.Unchanged != rows-changed || s.Rows != rows {
			t.Errorf("%s: %s, want %d changed of %d", what, s, changed, rows)
		}
	}
	wantEdits("dry run", report.Summary, edits)
	if cost := meter.Cost(); cost.All().WCU != 0 {
		t.Errorf("the dry run cost %+v", cost)
	}
	s, err := importer.Run(t.Context(), tenant, opts)
	must(t, err)
	wantEdits("import", s, edits)
	cost := meter.Cost()
	// The tag that edits add is listed once in each project.
	const projects = 5
	if got := int64(cost.Calls["TransactWriteItems"]); got < edits || got > edits+projects ||
		cost.Calls["UpdateItem"] != 0 {
		t.Errorf("%d transactions for %d edits: %+v", got, edits, cost)
	}
	t.Logf("%d edits of %d rows in %v: %g WCU", edits, rows, s.Elapsed, cost.WCU)
	s, err = importer.Run(t.Context(), tenant, opts)
	must(t, err)
	wantEdits("repetition", s, 0)
	if again := meter.Cost(); again.All().WCU != cost.All().WCU {
		t.Errorf("the repetition cost %g WCU", again.All().WCU-cost.All().WCU)
	}
}

// editedCopy writes a copy of the file with an edit in each hundredth row, of one column after the other.
func editedCopy(t *testing.T, file *table) (path string, rows, edits int64) {
	header := make([]string, len(file.header))
	for name, at := range file.header {
		header[at] = name
	}
	edit := []func(row []string){
		func(row []string) { row[file.header["summary"]] += " (edited)" },
		func(row []string) {
			cell := &row[file.header["priority"]]
			*cell = map[bool]string{true: "Low", false: "High"}[*cell == "High"]
		},
		func(row []string) { row[file.header["labels"]] = "edited" },
		func(row []string) { row[file.header["comment_total"]] = "12345" },
		func(row []string) { row[file.header["description"]] = "An edit.\r\n" },
		func(row []string) { row[file.header["reporter"]] = "" },
	}
	out := [][]string{header}
	for _, project := range file.rows {
		for _, row := range project {
			if rows++; rows%100 == 0 {
				row = slices.Clone(row)
				edit[edits%int64(len(edit))](row)
				edits++
			}
			out = append(out, row)
		}
	}
	path = t.TempDir() + "/edited.csv"
	must(t, os.WriteFile(path, join(out), 0o600))
	return path, rows, edits
}
