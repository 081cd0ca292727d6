package importer_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestRoundTrip imports random cells and reads them back from the database: byte for byte, except for
// characters not allowed in names (R2).
func TestRoundTrip(t *testing.T) {
	f := setup(t)
	m := f.mapping(
		`{"columns": [{"column": "k", "to": "rowKey"}, {"column": "n", "to": "name"}, {"column": "d", "to": "description"}, {"column": "t", "type": "TEXT"}, {"column": "l", "type": "LONG_TEXT"}]}`)
	var projects atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.StringN(-1, 500, -1),
			rapid.StringOfN(rapid.SampledFrom([]rune("\"\r\n, ;a\x00\ufeffé\u2028\ufffd")), -1, 300, -1),
			rapid.Map(rapid.IntRange(200, 70_000), func(n int) string {
				return strings.Repeat("abcdefg\r\n", n/9) + strings.Repeat("x", n%9)
			}))
		want := rapid.SliceOfN(rapid.SliceOfN(cell, 4, 4), 1, 5).Draw(t, "rows")
		in := "k,n,d,t,l\r\n"
		cleaned := int64(0)
		for i, row := range want {
			row[0] = string([]rune(row[0])[:min(len([]rune(row[0])), 1000)])
			in += fmt.Sprint(i)
			for _, c := range row {
				if strings.ContainsAny(c, ",\r\n\"") || rapid.Bool().Draw(t, "quoted") {
					c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
				}
				in += "," + c
			}
			name := tracker.Shown(row[0])
			if name != tracker.CleanName(row[0]) {
				cleaned++
			}
			row[0] = name
			in += rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		}
		if rapid.Bool().Draw(t, "zipped") {
			in = zipped(in)
		}
		key := fmt.Sprint("R", projects.Add(1))
		if s := f.run(importer.Options{File: f.file("in", in), Mapping: m, Project: key}); s.Cleaned !=
			cleaned {
			t.Errorf("%d names were cleaned, want %d", s.Cleaned, cleaned)
		}
		d := f.definition(key)
		var got [][]string
		for _, i := range f.issues(d) {
			got = append(got, []string{i.Name, dynamotest.Text(f, f.tenant, i, "description", i.Description),
				f.shown(d.Fields[0], i), f.shown(d.Fields[1], i)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cells (-written +read):\n%s", diff)
		}
	})
}

// TestReadsNoFasterThanItWrites checks that no batch is looked up before a worker is free.
func TestReadsNoFasterThanItWrites(t *testing.T) {
	f := setup(t)
	const workers = 2
	var done, asked, most atomic.Int64
	f.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if r.Operation == "BatchGetItem" && strings.Contains(string(r.Body), "/issue-") {
			if open := asked.Add(1)*100 - done.Load(); open > most.Load() {
				most.Store(open)
			}
		}
		return nil
	}))
	var stages []importer.Stage
	f.run(importer.Options{File: f.file("in.csv", synthetic(1200)), Mapping: f.mapping(syntheticMapping),
		Workers: workers, Progress: func(p importer.Progress) {
			if !slices.Contains(stages, p.Stage) {
				stages = append(stages, p.Stage)
			}
			if p.Done > p.Total {
				t.Errorf("%d of %d are done", p.Done, p.Total)
			}
			if p.Stage == importer.Writing {
				done.Store(p.Done)
			}
		}})
	if done.Load() != 1200 || !slices.Equal(stages, []importer.Stage{importer.Checking, importer.Writing}) {
		t.Errorf("%d rows are done in the stages %q", done.Load(), stages)
	}
	if got := most.Load(); got > workers*100 {
		t.Errorf("%d rows were under way at a time, want at most %d", got, workers*100)
	}
}
