package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// millionColumn is a custom field of the projects of BenchmarkMillion.
type millionColumn struct {
	name, kind string
	share      int // of the issues that have a value, in tenths of a percent
	cell       func(i int) string
}

// spread returns a number below n that looks random, the same for the same i.
func spread(i, n int) int { return int(uint32(i+1) * 2654435761 >> 8 % uint32(n)) }

// millionColumns has columns of the common types, filled to 0.1, 30, 95 and 100 %. The shares of values do
// not depend on the number of issues.
var millionColumns = []millionColumn{
	{"Vessel", "TEXT", 1000, func(i int) string { return fmt.Sprintf("Vessel %d", spread(i, 10)) }},
	{"Hours", "INTEGER", 1000, func(i int) string { return strconv.Itoa(spread(i, 5000)) }},
	{"Cost", "NUMBER", 950, func(i int) string { return fmt.Sprintf("%d.25", spread(i, 100_000)) }},
	{"Due", "DATE", 300, func(i int) string {
		return time.Date(2024, 1, 1+spread(i, 700), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}},
	{"Inspected", "DATETIME", 1, func(i int) string {
		return time.Date(2024, 1, 1, 0, 0, spread(i, 1e6), 0, time.UTC).Format(time.RFC3339)
	}},
	{"Safety", "BOOLEAN", 1000, func(i int) string { return strconv.FormatBool(spread(i, 3) == 0) }},
	{"Priority", "SELECT", 950, func(i int) string { return fmt.Sprintf("P%d", spread(i, 5)) }},
	{"Assignee", "USER", 300, func(i int) string { return fmt.Sprintf("Person %d", spread(i, 50)) }},
	{"Serial", "TEXT", 1000, func(i int) string { return fmt.Sprintf("SN-%08d", i*7919%10_000_019) }},
	{"Risk", "INTEGER", 300, func(i int) string { return strconv.Itoa(spread(i, 10)) }},
	{"Berth", "TEXT", 1, func(i int) string { return fmt.Sprintf("Berth %d", i) }},
	{"Link", "TEXT", 950, func(i int) string { return fmt.Sprintf("https://example.com/%d", i) }},
}

// millionMapping is the mapping of the files of writeMillion.
func millionMapping() string {
	m := `{"columns": [{"column": "Key", "to": "rowKey"}, {"column": "Name", "to": "name"}, {"column": "State", "to": "state"}`
	for _, c := range millionColumns {
		m += fmt.Sprintf(`, {"column": %q, "to": "field", "type": %q}`, c.name, c.kind)
	}
	return m + "]}"
}

// writeMillion writes a CSV file of n issues, counted from first.
func writeMillion(b *testing.B, name string, first, n int) {
	b.Helper()
	f, err := os.Create(name)
	check(b, err)
	w := bufio.NewWriter(f)
	fmt.Fprint(w, "Key,Name,State")
	for _, c := range millionColumns {
		fmt.Fprint(w, ",", c.name)
	}
	fmt.Fprintln(w)
	for i := first; i < first+n; i++ {
		fmt.Fprintf(w, "K-%d,Replace the %s hinge %d,%s", i, []string{"bow", "stern"}[spread(i, 2)], i,
			[]string{"Open", "Closed"}[spread(i+3, 2)])
		for at, c := range millionColumns {
			cell := ""
			if spread(i+7+at*1013, 1000) < c.share {
				cell = c.cell(i)
			}
			fmt.Fprint(w, ",", cell)
		}
		fmt.Fprintln(w)
	}
	check(b, w.Flush())
	check(b, f.Close())
}

// buildMillion imports n issues into a project of a data directory, with the command that users run.
func buildMillion(b *testing.B, data, key string, n int) {
	b.Helper()
	dir := b.TempDir()
	file, mapping := filepath.Join(dir, "issues.csv"), filepath.Join(dir, "mapping.json")
	writeMillion(b, file, 0, n)
	check(b, os.WriteFile(mapping, []byte(millionMapping()), 0o600))
	cmd := exec.CommandContext(context.Background(), built(b), "import", "--data", data, "--tenant", "Bench",
		"--create-tenant", "--project", key, "--mapping", mapping, file)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	start := time.Now()
	check(b, cmd.Run())
	b.Logf("%d issues in %v, %.0f a second; %d MiB resident", n, time.Since(start).Round(time.Second),
		float64(n)/time.Since(start).Seconds(), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10)
}
