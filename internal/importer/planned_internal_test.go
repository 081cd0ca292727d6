package importer

import (
	"strings"
	"testing"

	"issuegrid/tracker"
)

// plannedImport is what an import of a file into the project P would do, without a database.
type plannedImport struct {
	mapping    *Mapping
	definition *tracker.Definition // of the project after the import
	issues     map[int]tracker.Issue
	faults     map[int]*fault
	rows       []int // the lines of all rows
	highest    int64 // the number to which the import raises the counter, 0 if it does not
	last       int64 // the highest number that the project has given after it
}

// planImport reads a file as an import does, and makes its issues and their numbers. have is the project
// before, or nil.
func planImport(t testing.TB, text string, opts Options, have *tracker.Definition) *plannedImport {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v in the file\n%s", err, text)
		}
	}
	ctx := t.Context()
	opts.Source, opts.Size, opts.File, opts.Project = strings.NewReader(text), int64(len(text)), "file", "P"
	opts.meter = newMeter(&opts)
	in, err := openInput(opts)
	must(err)
	defer in.close()
	before := newStored(nil)
	before.projects["P"] = have
	if opts.infers() {
		p, err := profileFile(ctx, in, opts)
		must(err)
		must(p.infer(ctx, before, &opts))
	}
	must(opts.check())
	opts.units, err = unitsIn(ctx, in, opts)
	must(err)
	found, err := check(ctx, in, opts, before)
	must(err)
	targets, err := prepare(ctx, found, opts, true)
	must(err)
	w := newWriter(found, targets, nil, opts, true)
	out := &plannedImport{mapping: opts.Mapping, definition: have, issues: map[int]tracker.Issue{},
		faults: map[int]*fault{}}
	taken := newClaims(func(int) {})
	var rows []pending
	_, err = eachRecord(ctx, in, opts, "", found.columns, func(_ *pass, rec *record) error {
		r, f := found.plan.row(rec)
		if f == nil {
			f = w.refused(r)
		}
		if f == nil {
			f = taken.take(found.plan, r)
		}
		var issue tracker.Issue
		if f == nil {
			issue, f = w.issue(r)
		}
		if out.rows = append(out.rows, rec.line); f != nil {
			out.faults[rec.line] = f
			return nil
		}
		rows = append(rows, pending{row: r, issue: issue})
		return nil
	})
	must(err)
	p := found.projects["P"]
	if p == nil {
		return out
	}
	if out.definition = targets["P"].def; have == nil || p.maxNum > have.MaxIssueNum {
		out.highest = p.maxNum
	}
	for _, group := range byProject(rows) {
		must(w.number(ctx, group))
		for _, r := range group {
			out.issues[r.row.rec.line] = r.issue
		}
	}
	out.last = w.highest[targets["P"].id]
	return out
}

// quotedCells returns the line of a CSV file with cells.
func quotedCells(cells ...string) string {
	for i, c := range cells {
		cells[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
	}
	return strings.Join(cells, ",") + "\r\n"
}
