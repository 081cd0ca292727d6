// Package summaries computes summaries of a column over the issues of a grid: how many have a value, the sum,
// the median, the least and the greatest value, and so on. Start with Least and Scan.
//
// A summary is computed from index keys, which contain the values; documents are read only if the keys do not
// decide the filter. The package must not import the AWS SDK, GraphQL, or a dataloader.
//
// The code and the tests cite these laws:
//
//   - Z1, set. A summary covers the issues that match the filter, each once. As in a count, index keys of
//     issues that are gone may be included until they are removed.
//   - Z2, numbers. Sums and means are those of the exact values, rounded once, so they do not depend on the
//     order of the issues.
//   - Z3, unknown. If the budget ends before all values are read, what depends on all of them is not known.
//     It is never computed from a part.
package summaries

import (
	"context"
	"errors"
	"math/big"
	"time"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Values summarizes the values of a column.
type Values struct {
	// Filled is the number of issues with a value, and Distinct the number of different values.
	Filled, Distinct int
	// Complete reports whether all values were read. If not, Filled and Distinct are lower bounds.
	Complete bool
	// Numbers is nil unless the column has numbers and Complete is set.
	Numbers *Numbers
}

// Numbers summarizes numbers. Its fields are 0 if there are none.
type Numbers struct{ Sum, Mean, Median float64 }

// pageRows is the number of rows that are read at a time.
const pageRows = 5000

// Scan summarizes the values of the column of r.Order, which must be ascending, over the issues that match
// r.Where. It uses the fields Project, Definition, Order, Where, Budget, Sharers, Planned and Force of the
// request. numbers reports whether the values are numbers to be added.
func Scan(ctx context.Context, source grid.Source, r grid.Request, numbers bool) (Values, error) {
	var out Values
	var all total
	var last sortkey.Value
	left := grid.Budget(r.Budget)
	kind := columns.Kind(r.Definition, r.Order[0].Column)
	r = grid.Request{Project: r.Project, Definition: r.Definition, Order: r.Order, Sharers: r.Sharers,
		Planned: r.Planned, Force: r.Force, Where: withValue(r.Where, r.Order[0].Column), Size: pageRows}
	for {
		r.Budget = max(1, left)
		page, err := grid.Read(ctx, source.KeysOnly(), r)
		if errors.Is(err, account.ErrMemory) && r.After != nil {
			return out, nil
		}
		if err != nil {
			return Values{}, err
		}
		account.From(ctx).Spend(time.Duration(len(page.Rows)) * account.ValueCPU)
		left = max(0, left-page.Spent)
		for i := range page.Rows {
			at, err := page.Rows[i].Position()
			if err != nil {
				return Values{}, err
			}
			r.After = grid.Cursor{at}
			v := at.SortValue()
			if out.Filled == 0 || string(v) != string(last) {
				out.Distinct++
				last = v
			}
			out.Filled++
			if numbers {
				if err := all.add(kind, v); err != nil {
					return Values{}, err
				}
			}
		}
		switch {
		case page.Position == nil && len(page.Rows) < r.Size:
			if out.Complete = true; numbers {
				out.Numbers = all.numbers()
			}
			return out, nil
		case page.Position != nil || left == 0:
			return out, nil
		}
	}
}

// withValue returns the condition of the issues that match where and have a value in a column.
func withValue(where filter.Condition, c tracker.Column) filter.Condition {
	if !c.Nullable() {
		return where
	}
	return filter.Both(where, filter.In{Column: c, Values: filter.Any()})
}

// Least returns an issue with the least value in the column of r.Order among the issues that match r.Where,
// or with the greatest if the order is descending; nil if none has a value. known is false if the budget
// ended before one was found. It uses the same fields of the request as Scan.
func Least(ctx context.Context, source grid.Source, r grid.Request) (found *tracker.Issue, known bool,
	_ error) {
	page, err := grid.Read(ctx, source, grid.Request{Project: r.Project, Definition: r.Definition,
		Order: r.Order, Sharers: r.Sharers, Planned: r.Planned, Force: r.Force, Budget: r.Budget,
		Where: withValue(r.Where, r.Order[0].Column), Size: 1})
	if err != nil || len(page.Rows) == 0 {
		return nil, page.Position == nil, err
	}
	return page.Rows[0].Issue, true, nil
}

// total collects numbers, in ascending order.
type total struct {
	runs []run
	n    int
}

// run is a number that occurs n times.
type run struct {
	value any // int64 or float64
	n     int
}

// precision is a number of bits that suffices for the exact sum of 2^31 doubles.
const precision = 2200

func (t *total) add(kind sortkey.Kind, v sortkey.Value) error {
	number, ok := sortkey.Decode(kind, v)
	if !ok {
		return tracker.Internal("the index has a value of another column", nil)
	}
	if t.n++; len(t.runs) > 0 && t.runs[len(t.runs)-1].value == number {
		t.runs[len(t.runs)-1].n++
		return nil
	}
	t.runs = append(t.runs, run{value: number, n: 1})
	return nil
}

func exact(number any) *big.Float {
	out := new(big.Float).SetPrec(precision)
	if n, ok := number.(int64); ok {
		return out.SetInt64(n)
	}
	return out.SetFloat64(number.(float64))
}

func (t *total) numbers() *Numbers {
	out := &Numbers{}
	if t.n == 0 {
		return out
	}
	sum := new(big.Float).SetPrec(precision)
	for _, r := range t.runs {
		sum.Add(sum, new(big.Float).SetPrec(precision).Mul(exact(r.value), exact(int64(r.n))))
	}
	out.Sum, _ = sum.Float64()
	mean := new(big.Float).SetPrec(precision).Quo(sum, exact(int64(t.n)))
	out.Mean, _ = mean.Float64()
	middle := new(big.Float).SetPrec(precision).Add(t.at((t.n-1)/2), t.at(t.n/2))
	out.Median, _ = middle.Quo(middle, exact(int64(2))).Float64()
	return out
}

// at returns the number at a position in the order.
func (t *total) at(position int) *big.Float {
	for _, r := range t.runs {
		if position < r.n {
			return exact(r.value)
		}
		position -= r.n
	}
	return nil
}
