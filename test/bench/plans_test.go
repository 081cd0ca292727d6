package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// sequence counts calls, and the steps among them that run one after the other: a call is a new step if it
// begins after the calls of the last step have ended.
type sequence struct {
	mu          sync.Mutex
	ended, last int
}

// latency is the minimum duration of a call, as over a network. It makes concurrent calls overlap and count
// as one step, however fast the engine is.
const latency = 4 * time.Millisecond

func (s *sequence) call() (done func()) {
	s.mu.Lock()
	step := s.ended + 1
	s.last = max(s.last, step)
	s.mu.Unlock()
	time.Sleep(latency)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = max(s.ended, step)
	}
}

// counted is an index that counts its calls.
type counted struct {
	*dynamo.Tenant
	sequence *sequence
}

func (c counted) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	defer c.sequence.call()()
	return c.Tenant.QueryKeys(ctx, q)
}

// planCost is the cost of a page with one plan.
type planCost struct {
	label                  string
	node                   *grid.Node
	nums                   []int64
	more                   bool
	queries, batches       int
	steps, keys, documents int
	rcu                    float64
	// pages is the number of requests that the page took, because each ran out of its budget. gaveUp reports
	// that still more would be needed.
	pages  int
	gaveUp bool
}

// stepRCU is the cost in RCU that the planner assigns to a call in sequence.
const stepRCU = 3

func (c *planCost) score() float64 { return c.rcu + stepRCU*float64(c.steps) }

// readPlan reads a page with the planner's choice if force is 0, or with another plan. Where a budget ends
// the page early, readPlan continues as a client does, up to a limit of RCU.
func readPlan(b *testing.B, db *dynamo.DB, d *tracker.Definition, q *planQuery, force int,
	limit float64) planCost {
	b.Helper()
	meter, order := account.NewMeter(), sequence{}
	t, err := db.Metered(meter).Tenant(tenant)
	check(b, err)
	source := grid.Source{Index: counted{t, &order},
		Fetch: func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
			defer order.call()()
			return t.Issues(ctx, ids)
		},
		Texts: func(ctx context.Context, refs []tracker.LongRef) ([]string, error) {
			defer order.call()()
			texts, errs := t.LongTexts(ctx, refs)
			return texts, errors.Join(errs...)
		}}
	by, err := grid.OrderBy(d, q.by, q.descending, q.nullsFirst)
	check(b, err)
	r := grid.Request{Project: project, Definition: d, Order: by, Where: filter.And(q.where), Size: planPage,
		NeedNext: true, Explain: true, Force: force}
	if q.after != nil {
		r.After, err = by.AtValue(q.after)
		check(b, err)
	}
	var c planCost
	for {
		page, err := grid.Read(context.Background(), source, r)
		check(b, err)
		c.pages++
		if c.pages == 1 {
			c.node, c.label = page.Plan, planLabel(page.Plan)
		}
		for _, row := range page.Rows {
			c.nums = append(c.nums, row.Issue.Num)
		}
		c.keys += page.Work.Keys
		c.documents += page.Work.Documents
		cost := meter.Cost()
		c.rcu, c.queries, c.batches, c.steps = cost.RCU, cost.Calls["Query"], cost.Calls["BatchGetItem"],
			order.last
		c.more = page.HasNext
		if !page.Stopped || page.Position == nil || len(c.nums) == planPage {
			return c
		}
		if c.rcu > limit {
			c.gaveUp = true
			return c
		}
		r.Size, r.After = planPage-len(c.nums), page.Position
	}
}

// planLabel describes the plan that was chosen for each region of the grid.
func planLabel(n *grid.Node) string {
	var all []string
	for _, c := range n.Children {
		if c.Kind != grid.KindProbe && c.Kind != grid.KindFetch {
			all = append(all, string(c.Kind)+" "+c.Label)
		}
	}
	return strings.Join(all, "; ")
}

// tolerated is the largest acceptable ratio of the cost of the planner's choice to that of the cheapest plan,
// in RCU or in calls in sequence.
const tolerated = 1.5

// BenchmarkPlans reads a page of filtered grids of 100,000 issues with the planner's choice and with every
// other plan, and prints the cost of each. The grids are twelve common ones and some with unevenly
// distributed values. The benchmark fails if another plan is much cheaper than the planner's choice (probes
// included) in both RCU and calls in sequence, if plans find different rows, or if the number of calls
// exceeds its limit. It spends most of its time loading the issues.
func BenchmarkPlans(b *testing.B) {
	db, _ := dynamotest.Open(b, grouped)
	d := fillPlans(b, db)
	worst := 0.0
	for b.Loop() {
		worst = 0
		for n, q := range planQueries(b, d) {
			worst = max(worst, comparePlans(b, db, d, n+1, &q))
		}
	}
	b.ReportMetric(worst, "worst-ratio")
}

// comparePlans prints all plans of a query. It returns the ratio of the cost of the planner's choice to that
// of the cheapest plan: the smaller of the ratios in RCU and in calls.
func comparePlans(b *testing.B, db *dynamo.DB, d *tracker.Definition, number int, q *planQuery) float64 {
	b.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "\nquery %d: %s\n", number, q.name)
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\trows\tQueries\tbatches\tin sequence\tkeys\tdocuments\tRCU\tscore\tpages\t  plan\n")
	line := func(name string, c *planCost) {
		mark := ""
		if c.gaveUp {
			mark = ">"
		}
		fmt.Fprintf(w, "%s\t%d\t%s%d\t%s%d\t%s%d\t%s%d\t%s%d\t%s%.1f\t%s%.1f\t%s%d\t  %s\n", name,
			len(c.nums), mark, c.queries, mark, c.batches, mark, c.steps, mark, c.keys,
			mark, c.documents, mark, c.rcu, mark, c.score(), mark, c.pages, c.label)
	}
	chosen := readPlan(b, db, d, q, 0, math.Inf(1))
	line("chosen", &chosen)
	limit := 10 * chosen.rcu // a plan that needs more is not the cheapest
	rcu, steps, score := math.Inf(1), math.Inf(1), math.Inf(1)
	var seen []string
	for force := 1; ; force++ {
		c := readPlan(b, db, d, q, force, limit)
		if slices.Contains(seen, c.label) {
			break
		}
		seen = append(seen, c.label)
		line(fmt.Sprint("forced ", force), &c)
		if c.gaveUp {
			continue
		}
		rcu, steps, score = min(rcu, c.rcu), min(steps, float64(c.steps)), min(score, c.score())
		if !slices.Equal(c.nums, chosen.nums) || c.more != chosen.more {
			b.Errorf("query %d: %s finds other rows than the planner's choice", number, c.label)
		}
	}
	check(b, w.Flush())
	inRCU, inSteps := chosen.rcu/rcu, float64(chosen.steps)/steps
	fmt.Fprintf(&out, "chosen / cheapest: RCU %.2f, calls in sequence %.2f, score %.2f\n%s", inRCU, inSteps,
		chosen.score()/score, chosen.node.Text())
	fmt.Print(out.String()) // b.Log would truncate it after ten lines
	ratio := min(inRCU, inSteps)
	if ratio > tolerated {
		b.Errorf("query %d: the planner's choice costs %.2f times the cheapest plan in RCU, and %.2f times "+
			"in calls in sequence", number, inRCU, inSteps)
	}
	q.bars(b, number, &chosen)
	return ratio
}

// bars fails the benchmark if the planner's choice exceeds the limits of the query.
func (q *planQuery) bars(b *testing.B, number int, c *planCost) {
	b.Helper()
	if q.exactQueries > 0 && (c.queries != q.exactQueries || c.batches != q.exactBatches) {
		b.Errorf("query %d: %d Queries and %d BatchGetItem calls, want %d and %d", number,
			c.queries, c.batches, q.exactQueries, q.exactBatches)
	}
	if q.queries > 0 && c.queries >= q.queries {
		b.Errorf("query %d: %d Queries, want fewer than %d", number, c.queries, q.queries)
	}
	if q.calls > 0 && c.queries+c.batches >= q.calls {
		b.Errorf("query %d: %d calls, want fewer than %d", number, c.queries+c.batches, q.calls)
	}
	if most := q.rcu + 0.5*float64(len(c.nums)); q.rcu > 0 && c.rcu >= most {
		b.Errorf("query %d: %.1f RCU, want fewer than %.1f", number, c.rcu, most)
	}
}
