package importer_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// budget is a budget of so many bytes, or without a limit if that is 0.
type budget struct {
	limit int64

	mu         sync.Mutex
	held, most int64
}

func (b *budget) Hold(_ context.Context, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit > 0 && b.held+bytes > b.limit {
		return tracker.Bad("", "more than the limit")
	}
	b.held += bytes
	b.most = max(b.most, b.held)
	return nil
}

func (b *budget) Release(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= bytes
}

// TestMemory checks that all that grows with a file is in the memory of the import, and that an import with
// less memory is refused.
func TestMemory(t *testing.T) {
	f := setup(t)
	rows := func(n int, cells func(n int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(cells(i) + "\n")
		}
		return b.String()
	}
	names := func(i int) string { return fmt.Sprintf("%d,n", i) }
	var columns strings.Builder
	for n := range 9_900 {
		fmt.Fprintf(&columns, ",c%d", n)
	}
	const selects = `, {"column": "a", "type": "SELECT"}, {"column": "b", "type": "MULTI_SELECT", "separator": "|"}`
	for _, c := range []struct {
		name, text, mapping string
		least, most         int64
	}{
		{"row keys", "key,name\n" + rows(20_000, names), "", 20_000 * 40, 2 << 20},
		{"row keys and numbers", "key,name,num\n" + rows(20_000, func(i int) string {
			return fmt.Sprintf("%d,n,%[1]d", i+1)
		}), `, {"column": "num", "to": "num"}`, 20_000 * 80, 4 << 20},
		{"columns", "key,name" + columns.String() + "\n1,n" + strings.Repeat(",x", 9_900) + "\n", "",
			9_900 * (200 + 64), 32 << 20},
		{"options", "key,name,a,b\n" + rows(450, func(i int) string {
			return fmt.Sprintf("%d,n,%[1]d%s,%[1]d%[2]s", i, strings.Repeat("a", 200))
		}), selects, 2 * 450 * (200 + 3*200), 3 << 20},
		{"projects", "key,name,p\n" + rows(500, func(i int) string { return fmt.Sprintf("%d,n,P%[1]d", i) }),
			`, {"column": "p", "to": "projectKey"}`, 500 * 200, 2 << 20},
		{"a long row", `{"key": "1", "name": "n", "x": "` + strings.Repeat("x", 2<<20) + `"}`,
			`, {"column": "x", "type": "LONG_TEXT"}`, 4 * 2 << 20, 40 << 20},
		{"long lists", `{"key": "1", "name": "n", "x": [1` + strings.Repeat(",1", 1<<20-10) + "]}",
			`, {"column": "x", "type": "TAGS"}`, 4 * 2 << 20, 16 << 20},
	} {
		options := importer.Options{Project: "P", File: f.file("in", c.text), Mapping: f.mapping(
			`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"}` + c.mapping +
				`], "rest": "skip"}`)}
		all := &budget{}
		options.Memory = all
		if report, err := importer.Inspect(t.Context(), nil, options); err != nil || report.Problem != nil {
			t.Fatalf("%s: %+v, %v", c.name, report, err)
		}
		if all.most < c.least || all.most > c.most || all.held < 0 || all.held > all.most {
			t.Errorf("%s: %d bytes at most, %d at the end; want %d to %d", c.name, all.most, all.held,
				c.least, c.most)
		}
		options.Memory = &budget{limit: all.most / 2}
		report, err := importer.Inspect(t.Context(), nil, options)
		if err == nil && report != nil {
			err = report.Problem
		}
		if e := tracker.AllOf(err); len(e) != 1 || e[0].Code != tracker.BadInput || e[0].Path != "file" ||
			!strings.Contains(e[0].Message, "more memory than an import has") {
			t.Errorf("%s, with half of the memory: %v", c.name, err)
		}
	}
}
