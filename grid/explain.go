package grid

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// NodeKind says what a node of a plan does.
type NodeKind string

// The kinds of nodes.
const (
	// KindPage is the page as a whole.
	KindPage NodeKind = "PAGE"
	// KindProbe counts keys with a limit, to estimate.
	KindProbe NodeKind = "PROBE"
	// KindWalk reads the keys of the grid's own order.
	KindWalk NodeKind = "WALK"
	// KindSemiJoin does so, and keeps those of a set that was collected first.
	KindSemiJoin NodeKind = "SEMI_JOIN"
	// KindIntersect reads the keys that several conditions have in common.
	KindIntersect NodeKind = "INTERSECT"
	// KindList collects a set, and yields it in the order of the numbers.
	KindList NodeKind = "LIST"
	// KindSort collects a set, and sorts its documents.
	KindSort NodeKind = "SORT"
	// KindScan reads a range of one index partition.
	KindScan NodeKind = "SCAN"
	// KindCollect reads a range of one index partition to its end, for a set.
	KindCollect NodeKind = "COLLECT"
	// KindFetch fetches documents, and looks at them for what no index tells.
	KindFetch NodeKind = "FETCH"
	// KindEmpty is a filter that nothing can meet.
	KindEmpty NodeKind = "EMPTY"
)

// Node is a part of what was done for a page, with what was expected and what it took. It must not be read before the page is there.
type Node struct {
	Kind NodeKind
	// Label says what of, in words: a partition and its range, or conditions.
	Label string
	// ExpectedKeys and ExpectedDocuments are the planner's estimates; below zero where it made none.
	ExpectedKeys, ExpectedDocuments float64
	// Calls, Keys and Documents are the node's own. RCU are those that the engine tells of Queries; of documents, which grids may fetch together,
	// what their sizes come to.
	Calls, Keys, Documents int
	RCU                    float64
	// Elapsed is the time in the node's own calls, one behind the other.
	Elapsed time.Duration
	// Notes are what is worth knowing besides.
	Notes    []string
	Children []*Node

	keep bool // documents are kept for the page
	mu   sync.Mutex
}

// Rejected is a way to find a region's rows that was not taken.
type Rejected struct {
	Label           string
	Keys, Documents float64
	RCU             float64
	// Steps are calls one behind the other.
	Steps float64
}

func newNode(kind NodeKind, label string) *Node {
	return &Node{Kind: kind, Label: label, ExpectedKeys: -1, ExpectedDocuments: -1}
}

// child finds the child of this kind and label, or makes it: several streams of a page share it.
func (n *Node) child(kind NodeKind, label string) *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.Children {
		if c.Kind == kind && c.Label == label {
			return c
		}
	}
	c := newNode(kind, label)
	n.Children = append(n.Children, c)
	return c
}

func (n *Node) add(c *Node) *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Children = append(n.Children, c)
	return c
}

func (n *Node) queried(keys int, rcu float64, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Calls++
	n.Keys += keys
	n.RCU += rcu
	n.Elapsed += took
}

func (n *Node) fetched(documents int, rcu float64, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Calls += (documents + fetchBatch - 1) / fetchBatch
	n.Documents += documents
	n.RCU += rcu
	n.Elapsed += took
}

func (n *Node) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(n.Notes, text) {
		n.Notes = append(n.Notes, text)
	}
}

// Text is the tree with one node a line, indented by its depth.
func (n *Node) Text() string {
	var b strings.Builder
	n.write(&b, 0)
	return b.String()
}

func (n *Node) write(b *strings.Builder, depth int) {
	fmt.Fprintf(b, "%s%s", strings.Repeat("  ", depth), strings.ToLower(strings.ReplaceAll(string(n.Kind), "_", " ")))
	if n.Label != "" {
		b.WriteString(" " + n.Label)
	}
	var facts []string
	fact := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	if n.Calls > 0 {
		fact("calls %d", n.Calls)
	}
	if n.ExpectedKeys >= 0 {
		fact("about %.0f keys and %.0f documents were expected", n.ExpectedKeys, n.ExpectedDocuments)
	}
	if n.Keys > 0 {
		fact("keys %d", n.Keys)
	}
	if n.Documents > 0 {
		fact("documents %d", n.Documents)
	}
	if n.RCU > 0 {
		fact("RCU %.1f", n.RCU)
	}
	facts = append(facts, n.Notes...)
	if len(facts) > 0 {
		b.WriteString(": " + strings.Join(facts, ", "))
	}
	b.WriteByte('\n')
	for _, c := range n.Children {
		c.write(b, depth+1)
	}
}

// kinds of the nodes of the methods.
var methodKinds = [...]NodeKind{walkAll: KindWalk, walkMembers: KindSemiJoin, intersect: KindIntersect, listAll: KindList, sortAll: KindSort}

// describe makes the node of an access.
func (g *region) describe(a access, c cost) *Node {
	n := g.query.node.add(newNode(methodKinds[a.method], g.label(a)))
	n.ExpectedKeys, n.ExpectedDocuments = c.keys, c.documents
	n.keep = a.method == sortAll
	return n
}

// label says what an access does, in words.
func (g *region) label(a access) string {
	q := g.query
	if !q.request.Explain {
		return ""
	}
	order := filter.Name(q.request.Definition, q.request.Order.Column)
	where := "by " + order
	if g.tail {
		where = "without " + order + ", by number"
	}
	var uses []string
	for _, i := range a.uses {
		uses = append(uses, filter.Describe(q.request.Definition, g.conditions[i].is))
	}
	if len(uses) > 0 {
		where += ", of " + strings.Join(uses, " and ")
	}
	return where
}

// explainRejected remembers what else could have been done; before is what has been done so far, if the decision is revised.
func (g *region) explainRejected(all []access, rows float64, before access) {
	g.planning.rejected = nil
	if !g.query.request.Explain {
		return
	}
	for _, a := range all {
		if a.String() == g.planning.access.String() || g.planning.revised && a.String() == before.String() {
			continue
		}
		c := g.cost(a, rows)
		g.planning.rejected = append(g.planning.rejected, Rejected{Label: a.method.String() + " " + g.label(a), Keys: c.keys, Documents: c.documents, RCU: c.rcu, Steps: c.steps})
	}
}

// documentRCU is what documents cost, by DynamoDB's rule: half a unit for each 4 KB, one that is gone like a small one.
func (q *query) documentRCU(docs []*tracker.Issue) float64 {
	if !q.request.Explain {
		return 0
	}
	halves := 0
	for _, doc := range docs {
		bytes := 0
		if doc != nil {
			bytes = 300 + len(doc.Name) + len(doc.Description.Text()) // keys, times and names of attributes
			for f, v := range doc.Values {
				bytes += 2*len(f) + len(v.Text()) + 5
				for _, member := range v.Set() {
					bytes += len(member) + 1
				}
			}
		}
		halves += max(1, (bytes+4095)/4096)
	}
	return float64(halves) / 2
}

// where names what a leaf reads.
func (q *query) where(l *leaf) string {
	if !q.request.Explain {
		return ""
	}
	d := q.request.Definition
	name := func(what string) string {
		if len(l.with)+len(l.without) == 0 {
			return what
		}
		var has []string
		for _, f := range l.with {
			has = append(has, "with "+filter.Name(d, f.Column()))
		}
		for _, f := range l.without {
			has = append(has, "without "+filter.Name(d, f.Column()))
		}
		return what + " " + strings.Join(has, ", ")
	}
	if l.member != "" {
		return filter.Describe(d, filter.Has{Column: l.column, Member: l.member})
	}
	return name(filter.Describe(d, filter.In{Column: l.column, Values: filter.Values{Ranges: []filter.Range{l.values}}}))
}

// fetchNode counts the documents of rows.
func (q *query) fetchNode() *Node {
	if !q.request.Explain {
		return q.node
	}
	var rest []string
	for _, g := range q.regions {
		for i, check := range g.planning.check {
			if words := filter.Describe(q.request.Definition, g.conditions[i].is); check && !slices.Contains(rest, words) {
				rest = append(rest, words)
			}
		}
	}
	if len(rest) > 0 {
		return q.node.child(KindFetch, "to look at "+strings.Join(rest, " and "))
	}
	return q.node.child(KindFetch, "")
}

// explained is the plan as it was done.
func (q *query) explained() *Node {
	if q.form.Never {
		q.node.child(KindEmpty, "the filter can't be met")
	}
	if n := q.work; n.over() {
		q.node.note("the work budget was spent")
	}
	return q.node
}
