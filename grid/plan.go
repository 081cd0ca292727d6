package grid

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"issuegrid/account"
	"issuegrid/dynamo"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// method is a way to find the rows of a region.
type method uint8

const (
	// walkAll reads the region's own keys, in order, and looks at the documents for the rest of the filter.
	walkAll method = iota
	// walkMembers collects the issues that meet conditions first, and then walks likewise but leaves out who is not among them.
	walkMembers
	// intersect reads the keys that several conditions have in common. All must be in the order of the numbers.
	intersect
	// listAll collects the issues that meet conditions, and yields them in the order of their numbers.
	listAll
	// sortAll does so, and fetches all their documents to sort them.
	sortAll
)

func (m method) String() string {
	return [...]string{"walk", "walk members", "intersect", "list", "sort"}[m]
}

// access is how the rows of a region are found: a method, and the conditions that it uses, by their places in the region. For walkAll there
// are none, and for walkMembers they are those beside the region's own.
type access struct {
	method method
	uses   []int
}

func (a access) String() string {
	if len(a.uses) == 0 {
		return a.method.String()
	}
	return a.method.String() + strings.ReplaceAll(fmt.Sprint(a.uses), " ", ",")
}

// condition is what the rows of a region meet, with what the index knows of it.
type condition struct {
	is      filter.Condition
	cover   cover
	covered bool
	trivial bool // every issue meets it
	// base tells that the region's own keys are of issues that meet it.
	base bool
	// tooMany tells that collecting it was tried, and given up.
	tooMany bool
	// asked is what the filter says of the column of the order, of the condition that is the region itself; nil for nothing.
	asked filter.Condition
	// nums are the numbers that it demands, if that is what it is about.
	nums *filter.Values
	estimate
}

// region is a part of a grid whose rows are ordered by the sort strings of one index partition: the rows with a value in the column of the
// order, or the tail of those without.
type region struct {
	query *query
	tail  bool
	// base is what the region's own keys are read from, in ascending order. conditions[0] is what makes an issue a row of this region.
	base       []leaf
	conditions []condition
	// level tells that the rows are in the order of the numbers: in the order of the number, in the tail, and where all have the same value.
	level bool
	value sortkey.Value // that one value

	planning planning
	tallies  []tally
}

// query is a request on its way to an answer.
type query struct {
	source  Source
	request *Request
	form    filter.Form
	work    *work
	regions []*region // in the grid's order
	node    *Node
	matcher *filter.Matcher // of match; nil until there is something to match

	mu    sync.Mutex
	known map[string]*tracker.Issue // documents that planning has fetched, by their ids within the project; nil for one that is gone
}

func newQuery(ctx context.Context, source Source, r *Request) *query {
	q := &query{source: source, request: r, form: filter.Normalize(r.Where), work: newWork(r.Budget, account.From(ctx)), node: newNode(KindPage, "")}
	if q.form.Never {
		return q
	}
	values := q.form.In(r.Order.Column)
	if r.Order.moving && len(values.Ranges) > 0 { // the documents tell, and not the places in the index
		values.Ranges = filter.Any().Ranges
	}
	if len(values.Ranges) > 0 {
		q.regions = append(q.regions, q.newRegion(false, values.Ranges))
	}
	if values.None && r.Order.hasTail() {
		q.regions = append(q.regions, q.newRegion(true, nil))
	}
	if r.Order.NullsFirst {
		slices.Reverse(q.regions)
	}
	return q
}

func (q *query) newRegion(tail bool, ranges []filter.Range) *region {
	order := &q.request.Order
	g := &region{query: q, tail: tail}
	own := condition{is: filter.In{Column: order.Column, Values: filter.Values{Ranges: ranges, None: tail}}, base: true}
	byNum := tail || order.byNum()
	if tail {
		g.base = []leaf{{column: tracker.ColumnNum, without: []tracker.FieldID{order.Column.Field()}}}
	} else {
		for _, r := range ranges {
			g.base = append(g.base, leaf{column: order.Column, gen: order.gen, kind: order.kind, values: r})
		}
		own.trivial = !order.hasTail() && len(ranges) == 1 && len(ranges[0].From) == 0 && ranges[0].To == nil
	}
	g.level = byNum
	if len(g.base) == 1 && !byNum {
		g.value, g.level = g.base[0].point()
	}
	own.cover, own.covered = cover{leaves: g.base, exact: true}, true
	if g.level {
		own.cover.points = g.base
	}
	g.conditions = []condition{own}
	for _, c := range q.form.All {
		in, isIn := c.(filter.In)
		if isIn && in.Column == order.Column && !order.moving {
			g.conditions[0].asked = c
			continue // it is the region itself
		}
		one := condition{is: c}
		one.cover, one.covered = coverOf(q.request.Definition, c)
		if isIn && in.Column == tracker.ColumnNum {
			one.nums = &in.Values // every key tells its number
		} else if f := hasField(&one); byNum && f != nil {
			one.base = true
			for i := range g.base {
				g.base[i].with = append(slices.Clip(g.base[i].with), f.with...)
				g.base[i].without = append(slices.Clip(g.base[i].without), f.without...)
			}
		}
		g.conditions = append(g.conditions, one)
	}
	return g
}

// hasField is the one leaf of a condition on what an issue has.
func hasField(c *condition) *leaf {
	if !c.covered || !c.cover.exact || len(c.cover.leaves) != 1 {
		return nil
	}
	if l := &c.cover.leaves[0]; len(l.with)+len(l.without) > 0 {
		return l
	}
	return nil
}

// bounds are those of an iterator's sort strings, half-open, with the direction of reading.
type bounds struct {
	from, to   []byte
	descending bool
	seen       bool // see scan
}

// maxUses is how many conditions beside the region's own are considered for a plan, the most selective ones first.
const maxUses = 4

// filtered tells that DynamoDB filters the region's own keys by what issues have.
func (g *region) filtered() bool {
	return len(g.base) > 0 && len(g.base[0].with)+len(g.base[0].without) > 0
}

// useful lists the conditions that an access can use beside the region's own.
func (g *region) useful() []int {
	var out []int
	for i := range g.conditions {
		c := &g.conditions[i]
		if i > 0 && c.covered && !c.base && (c.nums == nil || !g.level) { // in the order of the numbers they are bounds
			out = append(out, i)
		}
	}
	return out
}

// accesses lists the ways in which the region's rows can be found. Every one of them finds the same rows.
func (g *region) accesses() []access {
	out := []access{{method: walkAll}}
	useful := g.useful()
	slices.SortStableFunc(useful, func(a, b int) int { return cmp.Compare(g.conditions[a].count, g.conditions[b].count) })
	useful = useful[:min(len(useful), maxUses)]
	for bits := 1; bits < 1<<len(useful); bits++ {
		var uses []int
		level := true
		for i, c := range useful {
			if bits>>i&1 == 1 {
				uses = append(uses, c)
				level = level && g.conditions[c].cover.points != nil
			}
		}
		slices.Sort(uses)
		out = append(out, access{walkMembers, uses})
		if !g.level {
			if !g.tail {
				out = append(out, access{sortAll, uses})
			}
			continue
		}
		out = append(out, access{listAll, uses})
		if level {
			out = append(out, access{intersect, uses})
			if !g.conditions[0].trivial || g.filtered() {
				out = append(out, access{intersect, append([]int{0}, uses...)})
			}
		}
	}
	return out
}

// residual lists the conditions that only the documents can tell, when an access is used. Of the others the keys tell already.
func (g *region) residual(a access) []int {
	var out []int
	walks := a.method == walkAll || a.method == walkMembers
	for i := range g.conditions {
		c := &g.conditions[i]
		switch {
		case c.trivial, c.nums != nil, c.base && walks, slices.Contains(a.uses, i) && c.cover.exact:
		case c.base && slices.Contains(a.uses, 0) && a.method == intersect:
			// the region's own keys are among those that are read
		default:
			out = append(out, i)
		}
	}
	return out
}

// within bounds the region's own sort strings.
func (l *leaf) within(p tracker.ProjectID, b bounds) (dynamo.KeyQuery, bool) {
	q := l.query(p)
	q.Descending = b.descending
	if b.from != nil && bytes.Compare(b.from, q.From) > 0 {
		q.From = b.from
	}
	if b.to != nil && (q.To == nil || bytes.Compare(b.to, q.To) < 0) {
		q.To = b.to
	}
	return q, !empty(q)
}
