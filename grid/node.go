package grid

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Method is a way to find the rows of a region. It has the same name in plans, explanations, telemetry and
// the schema.
type Method string

// The methods.
const (
	// Walk reads the region's own keys, in order, and looks at the documents for the rest of the filter.
	Walk Method = "WALK"
	// SemiJoin collects the issues that meet conditions first, and then walks likewise but keeps only those.
	SemiJoin Method = "SEMI_JOIN"
	// Intersect reads the keys that several conditions have in common. All must be in the order of the
	// numbers.
	Intersect Method = "INTERSECT"
	// List collects the issues that meet conditions, and yields them in the order of their numbers.
	List Method = "LIST"
	// Sort does so, and fetches all their documents to sort them.
	Sort Method = "SORT"
)

// String is the method's name in words.
func (m Method) String() string { return words(string(m)) }

func words(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", " ")) }

// NodeKind says what a node of a plan does: it follows a Method, or is one of these.
type NodeKind string

// The other kinds of nodes.
const (
	// KindPage is the page as a whole.
	KindPage NodeKind = "PAGE"
	// KindProbe counts keys with a limit, to estimate.
	KindProbe NodeKind = "PROBE"
	// KindScan reads a range of one index partition.
	KindScan NodeKind = "SCAN"
	// KindCollect reads a range of one index partition to its end, for a set.
	KindCollect NodeKind = "COLLECT"
	// KindFetch fetches documents, and looks at them for what no index tells.
	KindFetch NodeKind = "FETCH"
	// KindEmpty is a filter that nothing can meet.
	KindEmpty NodeKind = "EMPTY"
)

// Node is a part of what was done for a page, with what was expected and what it took. It must not be read
// before the page is there.
type Node struct {
	Kind NodeKind
	// Label says what of, in words: a partition and its range, or conditions.
	Label string
	// ExpectedKeys, ExpectedDocuments, ExpectedRCU and ExpectedSteps, calls one after the other, are the
	// planner's estimates; below zero where it made none.
	ExpectedKeys, ExpectedDocuments, ExpectedRCU, ExpectedSteps float64
	// Calls, Keys and Documents are the node's own. RCU are those that the engine tells of Queries; of
	// documents, which grids may fetch together, what their sizes come to.
	Calls, Keys, Documents int
	RCU                    float64
	// Elapsed is the time in the node's own calls, one after the other.
	Elapsed time.Duration
	// Notes are what is worth knowing besides.
	Notes    []string
	Children []*Node

	keep bool // documents are kept for the page
	mu   sync.Mutex
}

// Rejected is a way to find a region's rows that was not taken, with its estimated cost.
type Rejected struct {
	Label           string
	Keys, Documents float64
	RCU             float64
	// Steps are calls one after the other.
	Steps float64
	// Reason says why it was not taken.
	Reason string
}

func newNode(kind NodeKind, label string) *Node {
	return &Node{Kind: kind, Label: label,
		ExpectedKeys: -1, ExpectedDocuments: -1, ExpectedRCU: -1, ExpectedSteps: -1}
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
	fmt.Fprintf(b, "%s%s", strings.Repeat("  ", depth), words(string(n.Kind)))
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
		fact("estimated at %.1f RCU and %.0f sequential calls", n.ExpectedRCU, n.ExpectedSteps)
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
