package bench

import (
	"slices"
	"testing"
	"time"
)

// ratio is a ratio of two measurements that are made in each round of a benchmark.
type ratio struct {
	name string
	// target is the largest acceptable median of all rounds; 0 is none.
	target float64
	rounds []float64
}

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
