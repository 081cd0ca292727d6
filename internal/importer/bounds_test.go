package importer_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestManyCells imports files with more columns, or more cells in a row, than are kept in memory.
func TestManyCells(t *testing.T) {
	const most = 10_000
	f := setup(t)
	names := func(n int) string {
		var b strings.Builder
		b.WriteString("key,name")
		for i := 2; i < n; i++ {
			fmt.Fprintf(&b, ",c%d", i)
		}
		return b.String() + "\n"
	}
	mapping := f.mapping(`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"}],
		"rest": "skip"}`)
	_, err := importer.Run(t.Context(), f.tenant, importer.Options{
		File: f.file("wide.csv", names(most+1)), Project: "P", Mapping: mapping})
	wantBad(t, err, "more than 10000 cells")
	cells := strings.Repeat(",", most-2)
	got := f.rejected(importer.Options{Project: "P", Mapping: mapping, File: f.file("in.csv", names(most)+
		"1,fits"+cells+"\n2,long"+cells+strings.Repeat(",", 1<<20)+"\n3,fits too"+cells+"\n")})
	if fmt.Sprint(got) != fmt.Sprint(map[string]string{"2": "wrong number of cells"}) {
		t.Errorf("rejected %q", got)
	}
	f.want("P", "1 fits", "2 fits too")
	var lines strings.Builder
	lines.WriteString(`{"key": "4", "name": "an object"`)
	for i := range most - 2 {
		fmt.Fprintf(&lines, `, "c%d": 1`, i)
	}
	lines.WriteString("}\n" + `{"key": "5", "name": "another column", "more": 1}` + "\n" +
		`{"key": "6", "name": "no other column"}` + "\n")
	summary, err := importer.Run(t.Context(), f.tenant, importer.Options{Project: "P", Mapping: mapping,
		File: f.file("in.jsonl", lines.String())})
	if err != nil || summary.Rejected != 1 || summary.Rejects[0].Line != 2 ||
		summary.Rejects[0].Reason != importer.BadJSON {
		t.Errorf("%+v, %v", summary, err)
	}
}

// TestPace checks that the CPU time of every byte is passed to Pace in each pass, and that an error of Pace
// ends the import.
func TestPace(t *testing.T) {
	f := setup(t)
	var text strings.Builder
	text.WriteString("key,name\n")
	for n := range 300 {
		fmt.Fprintf(&text, "%d,%s\n", n, strings.Repeat("n", 900))
	}
	file := f.file("in.csv", text.String())
	var cpu atomic.Int64
	options := importer.Options{File: file, Project: "P", Mapping: f.keyed(),
		Pace: func(_ context.Context, d time.Duration) error {
			cpu.Add(int64(d))
			return nil
		}}
	if _, err := importer.Run(t.Context(), f.tenant, options); err != nil {
		t.Fatal(err)
	}
	// What was counted since the last call of Pace is not among it.
	if most, got := int64(text.Len())*708, cpu.Load(); got > most || got < most*2/3 {
		t.Errorf("%v for %d bytes, want about %v", time.Duration(got), text.Len(), time.Duration(most))
	}
	options.Pace = func(context.Context, time.Duration) error {
		return &tracker.Error{Code: tracker.Unavailable, Message: "no capacity"}
	}
	if _, err := importer.Run(t.Context(), f.tenant, options); tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("an error of Pace: %v", err)
	}
}

// TestCountedWork checks that the CPU time of an import is counted by its work and not only by its bytes: by
// the formats that are tried for the cells, and by the cells that a row does not have. cell and format are
// the prices of these.
func TestCountedWork(t *testing.T) {
	const cell, format, passes, rest = 6 * time.Nanosecond, 60 * time.Nanosecond, 2, 10 * time.Millisecond
	f := setup(t)
	count := func(name, text, columns string) time.Duration {
		t.Helper()
		var cpu atomic.Int64
		_, err := importer.Run(t.Context(), f.tenant, importer.Options{Project: "P", File: f.file(name, text),
			Mapping: f.mapping(fmt.Sprintf(`{"columns": [{"column": "key", "to": "rowKey"},
				{"column": "name", "to": "name"}%s], "rest": "skip"}`, columns)),
			Pace: func(_ context.Context, d time.Duration) error {
				cpu.Add(int64(d))
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(cpu.Load())
	}
	const rows = 20_000
	dates := "key,name,day\n" + strings.Repeat("k,n,x\n", rows)
	formats := func(n int) string {
		return `, {"column": "day", "to": "field", "type": "DATE", "formats": ["M/D/YYYY"` +
			strings.Repeat(`, "M/D/YYYY"`, n-1) + "]}"
	}
	more := count("20.csv", dates, formats(20)) - count("1.csv", dates, formats(1))
	if want := 19 * rows * passes * format; more < want-rest || more > want+rest {
		t.Errorf("19 more formats of %d cells count as %v, want about %v", rows, more, want)
	}
	const columns, empty = 9_990, 1_000
	var line strings.Builder
	for n := range columns {
		fmt.Fprintf(&line, `"c%d": 1, `, n)
	}
	got := count("wide.jsonl", "{"+line.String()+`"key": "1", "name": "n"}`+strings.Repeat("\n"+`{"key": "1"}`, empty), "")
	if want := empty * columns * passes * cell; got < want-rest || got > want+want/2 {
		t.Errorf("%d rows without cells of %d columns count as %v, want about %v", empty, columns, got, want)
	}
}

// TestCanceledWhileRejecting checks that an import whose rows are all rejected, so that it calls nothing that
// waits, ends at the next row when its context ends.
func TestCanceledWhileRejecting(t *testing.T) {
	f := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := "key,name,day\n" + strings.Repeat("k,n,x\n", 5000)
	summary, err := importer.Run(ctx, f.tenant, importer.Options{Project: "P", File: f.file("in.csv", text),
		Mapping: f.mapping(`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"},
			{"column": "day", "to": "field", "type": "DATE"}]}`),
		Progress: func(p importer.Progress) {
			if p.Stage == importer.Writing && p.Done == 10 {
				cancel()
			}
		}})
	if tracker.CodeOf(err) != tracker.Unavailable || summary == nil || summary.Rows != 10 {
		t.Errorf("%+v, %v; want 10 rows", summary, err)
	}
}
