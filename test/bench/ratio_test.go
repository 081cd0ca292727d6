package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// targets has the largest acceptable median of ratios, by name.
var targets = map[string]float64{
	"cpu-ratio": 1.5, "latency-ratio": 1.3, // of a page, to the bare calls
	"ratio-50%": 1.15, "ratio-99%": 1.15, // of pages at these depths, to the first page
	"rejected/health-p99": 2,   // of rejections, to health checks under the same load
	"neighbors-p99":       1.2, // of tenants next to one that sends ten times its share, to that without
}

// ratio is a ratio of two measurements that are made in each round of a benchmark.
type ratio struct {
	name   string
	target float64 // 0 is none
	rounds []float64
}

// newRatio returns a ratio with the target of its name, if it has one.
func newRatio(name string) *ratio { return &ratio{name: name, target: targets[name]} }

func (r *ratio) add(value float64) { r.rounds = append(r.rounds, value) }

func (r *ratio) holds() bool { return r.target == 0 || median(r.rounds) <= r.target }

// patience is how many times as many rounds as planned a benchmark makes, at most, while a target is missed.
// The machine is shared: what else runs on it may disturb half of the rounds, but rarely most of them.
const patience = 3

// hold makes the planned number of rounds, and more while the median of a ratio is above its target. It
// reports the medians, and fails the benchmark if one is above its target in the end.
func hold(b *testing.B, planned int, round func(), all ...*ratio) {
	b.Helper()
	missed := func(r *ratio) bool { return !r.holds() }
	for n := 0; n < planned || n < patience*planned && slices.ContainsFunc(all, missed); n++ {
		round()
	}
	for _, r := range all {
		b.ReportMetric(median(r.rounds), r.name)
		if missed(r) {
			b.Errorf("the median of %s is %.2f, the target %.2f; all rounds: %.2f", r.name, median(r.rounds),
				r.target, r.rounds)
		}
	}
}

func median[T float64 | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// TestTargets checks that docs/benchmarks.md has the targets.
func TestTargets(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.HasPrefix(cells[2], " `") {
			continue
		}
		rows++
		name := strings.Split(cells[2], "`")[1]
		if got, want := strings.TrimSpace(cells[4]), fmt.Sprint(targets[name]); got != want {
			t.Errorf("the target of %s is %s, but %s in docs/benchmarks.md", name, want, got)
		}
	}
	if rows != len(targets) {
		t.Errorf("docs/benchmarks.md has %d targets, want %d", rows, len(targets))
	}
}
