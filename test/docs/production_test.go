package docs

import (
	"os"
	"strings"
	"testing"
)

// TestProductionFigures checks that the figures in docs/production.md agree with the pages that report the
// measurements.
func TestProductionFigures(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile("docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("production.md")
	for _, figure := range []struct{ says, in, where string }{
		{"| 2.8 ms of CPU time of the server, 5% more with gzip; 51.5 RCU |", "| server | 2.8 ms, ",
			"benchmarks.md"},
		{"5% more with gzip", "costs the server 1.05 times the CPU time", "benchmarks.md"},
		{"51.5 RCU |", "| 100 small rows, any column, any depth | 1 | 1 | about 51.5 |", "grid.md"},
		{"1.3 million items are read; at most 84 MiB resident", "The command had at most 84 MiB resident",
			"benchmarks.md"},
		{"`check` of 100,000 issues with eight fields",
			"a check of 100,000 issues with eight fields, 1.3 million items", "benchmarks.md"},
		{"| an update of 1 field of 12 | 14 WCU, 1 RCU |", "| update of 1 field of 12 | 1 | 1 | 6 | 14 | 1 |",
			"writes.md"},
		{"of the 14 of an update of one field, 10 are five items of a transaction",
			"| update of 1 field of 12 that is not sortable | 1 | 1 | 5 | 10 | 1 |", "writes.md"},
		{"| a new issue with 12 fields | 56 WCU |", "| create with 12 fields | 1 | 1 | 20 | 56 | 0 |",
			"writes.md"},
		{"up to 3,200 RCU for a `totalCount`",
			"| ... and `totalCount` of 230,000 issues | + up to 41 | | + up to 3,200 |", "grid.md"},
	} {
		flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		if !strings.Contains(flat(page), figure.says) {
			t.Errorf("docs/production.md does not contain %q", figure.says)
		}
		if !strings.Contains(flat(read(figure.where)), figure.in) {
			t.Errorf("docs/%s does not contain %q", figure.where, figure.in)
		}
	}
}
