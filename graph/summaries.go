package graph

import (
	"context"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/sync/errgroup"

	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/sortkey"
	"issuegrid/internal/summaries"
	"issuegrid/tracker"
)

// scanBudget is the work budget of a summary without a filter, in documents: as many keys as a count may
// read. Documents are not read then.
const scanBudget = 6000

// summarizer computes the summary of a column over the issues that match the filter of a request.
type summarizer struct {
	source  grid.Source
	request grid.Request
	column  tracker.Column
	scans   bool // a part is selected that needs all values
	scan    func() (summaries.Values, error)
	checked func() (grid.Counted, error)

	mu      sync.Mutex
	parts   map[string]model.SummaryPartValue
	atLeast bool // a count is a lower bound, or another part is not known
}

// summarize computes the selected parts of a summary. They are read in parallel, and those that need all
// values share one scan.
func (r *Resolver) summarize(ctx context.Context, l model.Reads, q grid.Request,
	in model.IssueColumn) (*model.ColumnSummary, error) {
	column, err := parseColumn(q.Definition, &in)
	if err != nil {
		return nil, err
	}
	leave, err := session(ctx).scans.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	s := &summarizer{source: r.source(ctx, l, l.Issues), request: q, column: column,
		parts: map[string]model.SummaryPartValue{}}
	s.scan = sync.OnceValues(func() (summaries.Values, error) { return s.scanned(ctx) })
	s.checked = sync.OnceValues(func() (grid.Counted, error) {
		return s.count(ctx, filter.Equal(sortkey.Bool(true)))
	})
	at := model.DateTime(tracker.FormatDateTime(session(ctx).began().UTC()))
	var names []string
	for _, f := range graphql.CollectFieldsCtx(ctx, []string{"ColumnSummary"}) {
		names = append(names, f.Name)
		s.scans = s.scans || summaries.Part(f.Name).NeedsAll()
	}
	slices.Sort(names)
	var group errgroup.Group
	for _, name := range slices.Compact(names) {
		group.Go(func() error {
			value, err := s.part(ctx, name)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.parts[name] = model.SummaryPartValue{Value: value, Err: err}
			return nil
		})
	}
	_ = group.Wait() // errors are those of the parts
	out := &model.ColumnSummary{Parts: s.parts, Precision: model.CountPrecisionExact, ReadAt: at}
	if s.atLeast {
		out.Precision = model.CountPrecisionAtLeast
	}
	return out, nil
}

// part computes the part of a field of ColumnSummary: a pointer, or nil if it is not known.
func (s *summarizer) part(ctx context.Context, name string) (any, error) {
	if err := summaries.Part(name).Check(s.request.Definition, s.column); err != nil {
		return nil, err
	}
	switch name {
	case "filled":
		return s.counted(s.filled(ctx))
	case "empty":
		return s.counted(s.count(ctx, filter.NoValue()))
	case "distinct":
		v, err := s.scan()
		return s.counted(grid.Counted{N: v.Distinct, Exact: v.Complete}, err)
	case "sum", "average", "median":
		return s.number(name)
	case "min":
		return s.bound(ctx, false)
	case "max":
		return s.bound(ctx, true)
	case "checked":
		return s.counted(s.checked())
	case "percentChecked":
		return s.percent(ctx)
	}
	return nil, nil
}

// filled counts the issues with a value. If all values are read anyway, they are counted by that, so that the
// parts of a summary agree.
func (s *summarizer) filled(ctx context.Context) (grid.Counted, error) {
	var v summaries.Values
	if s.scans {
		var err error
		if v, err = s.scan(); err == nil && v.Complete {
			return grid.Counted{N: v.Filled, Exact: true}, nil
		}
	}
	c, err := s.count(ctx, filter.Any())
	c.N = max(c.N, v.Filled)
	return c, err
}

// count counts the issues with values of the column.
func (s *summarizer) count(ctx context.Context, values filter.Values) (grid.Counted, error) {
	q := s.request
	switch {
	case s.column.Nullable():
		q.Where = filter.Both(q.Where, filter.In{Column: s.column, Values: values})
	case values.None:
		return grid.Counted{Exact: true}, nil
	}
	return countNow(ctx, s.source, q)
}

// counted returns a count, and remembers whether it is a lower bound.
func (s *summarizer) counted(c grid.Counted, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if !c.Exact {
		s.unknown()
	}
	out := int32(c.N)
	return &out, nil
}

func (s *summarizer) unknown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atLeast = true
}

// percent returns the percentage of checked issues, or nil if it is not known.
func (s *summarizer) percent(ctx context.Context) (any, error) {
	checked, err := s.checked()
	if err != nil {
		return nil, err
	}
	all, err := countNow(ctx, s.source, s.request)
	exact := checked.Exact && all.Exact
	if !exact {
		s.unknown()
	}
	if err != nil || !exact || all.N == 0 {
		return nil, err
	}
	out := min(100*float64(checked.N)/float64(all.N), 100)
	return &out, nil
}

// scanned reads all values of the column.
func (s *summarizer) scanned(ctx context.Context) (summaries.Values, error) {
	if account.From(ctx).ReadingOver() {
		return summaries.Values{}, nil
	}
	q := s.request
	var err error
	if q.Order, err = grid.OrderBy(q.Definition, s.column, false, false); err != nil {
		return summaries.Values{}, err
	}
	if q.Where == nil {
		q.Budget = scanBudget
	}
	return summaries.Scan(ctx, s.source, q, summaries.Numeric(q.Definition, s.column))
}

// number returns the sum, the average or the median, or nil if it is not known.
func (s *summarizer) number(name string) (any, error) {
	v, err := s.scan()
	if v.Numbers == nil {
		s.unknown()
	}
	if err != nil || v.Numbers == nil || name != "sum" && v.Filled == 0 {
		return nil, err
	}
	out := map[string]float64{"sum": v.Numbers.Sum, "average": v.Numbers.Mean,
		"median": v.Numbers.Median}[name]
	return &out, nil
}

// bound returns the least or the greatest value, or nil if there is none or it is not known.
func (s *summarizer) bound(ctx context.Context, greatest bool) (any, error) {
	if account.From(ctx).ReadingOver() {
		s.unknown()
		return nil, nil
	}
	q := s.request
	var err error
	if q.Order, err = grid.OrderBy(q.Definition, s.column, greatest, false); err != nil {
		return nil, err
	}
	found, known, err := summaries.Least(ctx, s.source, q)
	if !known {
		s.unknown()
	}
	if err != nil || found == nil {
		return nil, err
	}
	subject := filter.NewMatcher(q.Definition).Subject(found)
	v, ok, err := subject.SortValue(s.column)
	if err != nil || !ok {
		return nil, err
	}
	shown, ok := model.ShowValue(q.Definition, s.column, v)
	if !ok {
		return nil, nil
	}
	return &shown, nil
}
