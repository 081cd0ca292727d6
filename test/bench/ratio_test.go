package bench

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// target is the largest acceptable value of a ratio, in full runs and with -short.
type target struct{ full, short float64 }

// targets has the targets by the names of their ratios. With -short, a load takes 2 s: a 99th percentile is
// then the second or third largest of 250 latencies, and the targets of these ratios are 1.5 times as high.
var targets = map[string]target{
	"cpu-ratio": {1.5, 1.5}, "latency-ratio": {1.3, 1.3}, // of a page, to the bare calls
	"ratio-50%": {1.15, 1.15}, "ratio-99%": {1.15, 1.15}, // of pages at these depths, to the first page
	"rejected/health-p99": {2, 3},       // of rejections, to health checks under the same load
	"neighbors-p99":       {1.2, 1.8},   // of tenants, next to one with ten times its share to without
	"import/bare":         {1.25, 1.25}, // of the time of an import, to that of bare writes
}

// ratio is a ratio of two measurements that are made in each round of a benchmark.
type ratio struct {
	name   string
	target float64 // 0 is none
	rounds []float64
}

// newRatio returns a ratio with the target of its name, if it has one.
func newRatio(name string) *ratio {
	r := &ratio{name: name, target: targets[name].full}
	if testing.Short() {
		r.target = targets[name].short
	}
	return r
}

func (r *ratio) add(value float64) { r.rounds = append(r.rounds, value) }

// holds reports whether the median is at most the target.
func (r *ratio) holds() bool { return r.target == 0 || median(r.rounds) <= r.target }

// above returns how many rounds are above the target.
func (r *ratio) above() (n int) {
	for _, value := range r.rounds {
		if value > r.target {
			n++
		}
	}
	return n
}

// missed reports whether so many rounds are above the target that it is not by chance: by a one-sided sign
// test at 5 %, over at least minRounds.
func (r *ratio) missed() bool {
	return r.target != 0 && len(r.rounds) >= minRounds && byChance(r.above(), len(r.rounds)) <= 0.05
}

// byChance returns the probability that at least n of all rounds are above the target if each is above it
// with a probability of one half, as they are if the true median is the target.
func byChance(n, all int) float64 {
	sum, ways := 0.0, 1.0 // ways to choose k of all
	for k := range all + 1 {
		if k >= n {
			sum += ways
		}
		ways *= float64(all-k) / float64(k+1)
	}
	return math.Ldexp(sum, -all)
}

const (
	// patience is how many times as many rounds as planned a benchmark makes, at most, while a median is
	// above its target. The machine is shared: what else runs on it may disturb half of the rounds, but
	// rarely most of them.
	patience = 3
	// minRounds is the smallest number of rounds that can show that a target is missed: 8 of 9.
	minRounds = 9
)

// hold makes the planned number of rounds, and more while the median of a ratio is above its target. It
// reports the medians, and fails the benchmark if a target is missed in the end.
func hold(b *testing.B, planned int, round func(), all ...*ratio) {
	b.Helper()
	high := func(r *ratio) bool { return !r.holds() }
	most := max(minRounds, patience*planned)
	for n := 0; n < planned || n < most && slices.ContainsFunc(all, high); n++ {
		round()
	}
	for _, r := range all {
		b.ReportMetric(median(r.rounds), r.name)
		report := b.Logf
		if r.missed() {
			report = b.Errorf
		}
		if !r.holds() {
			report("%s is above its target, %.2f, in %d of %d rounds; the median is %.2f; all rounds: %.2f",
				r.name, r.target, r.above(), len(r.rounds), median(r.rounds), r.rounds)
		}
	}
}

func median[T float64 | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// TestMissed checks that noise in half of the rounds does not miss a target, and a regression does.
func TestMissed(t *testing.T) {
	t.Parallel()
	noisy := []float64{1.36, 1.37, 0.89, 1.04, 1.41, 0.92, 1.70, 1.65, 1.17} // of a busy machine
	regressed := []float64{2.4, 2.4, 2.4, 1.1, 2.4, 2.4, 2.4, 2.4, 2.4}
	of := func(above, all int) []float64 {
		return append(slices.Repeat([]float64{1.3}, above), slices.Repeat([]float64{1.1}, all-above)...)
	}
	for _, tt := range []struct {
		rounds []float64
		target float64
		missed bool
	}{
		{noisy, targets["neighbors-p99"].full, false},
		{noisy, targets["neighbors-p99"].short, false},
		{regressed, targets["neighbors-p99"].full, true},
		{regressed, targets["neighbors-p99"].short, true},
		{of(7, 9), 1.2, false},
		{of(8, 9), 1.2, true},
		{of(14, 21), 1.2, false},
		{of(15, 21), 1.2, true},
		{of(8, 8), 1.2, false},
		{of(9, 9), 1.3, false}, // the target itself is acceptable
		{regressed, 0, false},  // without a target
	} {
		r := &ratio{target: tt.target, rounds: tt.rounds}
		if r.missed() != tt.missed {
			t.Errorf("%d of %d rounds above %g, missed: %t", r.above(), len(r.rounds), r.target, r.missed())
		}
		if tt.missed && r.holds() {
			t.Errorf("%.2f with the target %g: missed, though the median holds", r.rounds, r.target)
		}
	}
	for n, want := range map[int]float64{0: 512, 5: 256, 7: 46, 8: 10, 9: 1} {
		if got := byChance(n, 9) * 512; got != want {
			t.Errorf("%d of 9 by chance: %g in 512, want %g", n, got, want)
		}
	}
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
		if len(cells) != 8 || !strings.HasPrefix(cells[2], " `") {
			continue
		}
		rows++
		name := strings.Split(cells[2], "`")[1]
		want := fmt.Sprintf("%g, %g", targets[name].full, targets[name].short)
		if got := strings.TrimSpace(cells[4]) + "," + cells[5]; strings.TrimSpace(got) != want {
			t.Errorf("the targets of %s are %s, but %s in docs/benchmarks.md", name, want, got)
		}
	}
	if rows != len(targets) {
		t.Errorf("docs/benchmarks.md has %d targets, want %d", rows, len(targets))
	}
}
