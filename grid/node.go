package grid

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"issuegrid/internal/columns"
)

// Method is a method of finding the rows of a region. It has the same name in plans, explanations, telemetry
// and the schema.
type Method string

// The methods.
const (
	// Walk reads the region's own keys in order, and checks the rest of the filter on the documents.
	Walk Method = "WALK"
	// SemiJoin collects the issues that match conditions first, then walks like Walk but keeps only those
	// issues.
	SemiJoin Method = "SEMI_JOIN"
	// Intersect reads the keys that several conditions have in common. All conditions must be in the order of
	// the numbers.
	Intersect Method = "INTERSECT"
	// List collects the issues that match conditions, and yields them in the order of their numbers.
	List Method = "LIST"
	// Sort collects the issues that match conditions, and fetches all their documents to sort them.
	Sort Method = "SORT"
)

// String returns the method's name in lower-case words.
func (m Method) String() string { return words(string(m)) }

func words(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", " ")) }

// NodeKind is the kind of a node of a plan: the name of a Method or one of the constants.
type NodeKind string

// The other kinds of nodes.
const (
	// KindPage is the page as a whole.
	KindPage NodeKind = "PAGE"
	// KindProbe counts keys with a limit, to estimate statistics.
	KindProbe NodeKind = "PROBE"
	// KindScan reads a range of one index partition.
	KindScan NodeKind = "SCAN"
	// KindCollect reads a range of one index partition to its end, for a set.
	KindCollect NodeKind = "COLLECT"
	// KindFetch fetches documents and checks the conditions that no index decides.
	KindFetch NodeKind = "FETCH"
	// KindEmpty is a filter that no issue can match.
	KindEmpty NodeKind = "EMPTY"
)

// Node is a step of an executed plan, with its estimated and actual work. It must not be read before Read has
// returned.
type Node struct {
	Kind NodeKind
	// Label describes what the node reads, in words: a partition and its range, or conditions.
	Label string
	// ExpectedKeys, ExpectedDocuments, ExpectedRCU and ExpectedSteps, the sequential calls, are the planner's
	// estimates; negative if there are none.
	ExpectedKeys, ExpectedDocuments, ExpectedRCU, ExpectedSteps float64
	// Calls, Keys and Documents are the node's own. RCU is reported by DynamoDB for Queries. For documents,
	// which several grids may fetch together, it is computed from their sizes.
	Calls, Keys, Documents int
	RCU                    float64
	// Elapsed is the total time of the node's own calls.
	Elapsed time.Duration
	// Notes has additional remarks.
	Notes    []string
	Children []*Node

	keep bool // keep documents for the page
	mu   sync.Mutex
}

// Rejected is a candidate that was not chosen for a region, with its estimated cost.
type Rejected struct {
	Label           string
	Keys, Documents float64
	RCU             float64
	// Steps is the number of sequential calls.
	Steps float64
	// Reason says why it was not chosen.
	Reason string
}

func newNode(kind NodeKind, label string) *Node {
	return &Node{Kind: kind, Label: label,
		ExpectedKeys: -1, ExpectedDocuments: -1, ExpectedRCU: -1, ExpectedSteps: -1}
}

// child returns the child of this kind and label, and creates it if needed. Several streams of a page share
// it.
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

func (n *Node) queried(page *columns.KeyPage, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Calls += page.Queries
	n.Keys += page.Examined
	n.RCU += page.RCU
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

// Text formats the tree with one node per line, indented by depth.
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
