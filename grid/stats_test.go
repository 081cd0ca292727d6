package grid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"issuegrid/tracker"
)

// TestShareOf compares the estimated share of the issues that match several conditions with the sum over all
// combinations of the ranges that the conditions consist of. Ranges of several columns are independent of
// each other; those of one column, here two halves, exclude each other.
func TestShareOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const issues = 1000
	for n := range 2000 {
		var s Stats
		var shares []float64 // by column
		var bits []uint64    // the ranges of each column
		for c := range 1 + r.IntN(6) {
			shares, bits = append(shares, r.Float64()), append(bits, 0)
			halves := 1 + r.IntN(2)
			for range halves {
				bits[c] |= 1 << len(s.ranges)
				s.ranges = append(s.ranges, rangeShare{tracker.Column(fmt.Sprint(c)),
					shares[c] / float64(halves)})
			}
		}
		// share returns the share of the issues with keys in ranges of each of some conditions.
		share := func(conditions ...uint64) (sum float64) {
			for combination := range 1 << len(shares) {
				p, in := 1.0, uint64(0)
				for c := range shares {
					if combination>>c&1 == 1 {
						p, in = p*shares[c], in|bits[c]
					} else {
						p *= 1 - shares[c]
					}
				}
				for _, ranges := range conditions {
					if ranges&in == 0 {
						p = 0
					}
				}
				sum += p
			}
			return sum
		}
		var all []int
		var conditions []uint64
		for i := range 1 + r.IntN(5) {
			ranges := bits[r.IntN(len(bits))]
			for range r.IntN(3) {
				ranges |= bits[r.IntN(len(bits))]
			}
			all, conditions = append(all, i), append(conditions, ranges)
			s.conditions = append(s.conditions, estimate{ranges: ranges, count: issues * share(ranges)})
		}
		if got, want := s.shareOf(issues, all...), share(conditions...); math.Abs(got-want) > 1e-9 {
			t.Fatalf("case %d: the share of %b is %g, want %g: %+v", n, conditions, got, want, s.ranges)
		}
	}
}
