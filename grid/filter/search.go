package filter

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"issuegrid/tracker"
)

// needles are non-empty strings that are searched for in one pass over a text, which arrives in chunks.
//
// Up to maxSequential needles are searched for one after the other in each chunk, because bytes.Index is the
// fastest search. More needles are searched for with an automaton, which reads each byte once.
type needles struct {
	texts   [][]byte
	index   map[string]int // indexes in texts
	longest int

	auto      *automaton // built by the first pass after the last add
	remaining []int      // the needles that the current pass has not found
}

const (
	// maxSequential is the maximum number of needles that are searched for one after the other.
	maxSequential = 4
	// automatonWeight is the time in which the automaton reads a byte, relative to bytes.Index.
	automatonWeight = 4
)

// add adds a needle unless it is present.
func (n *needles) add(text string) {
	if _, ok := n.index[text]; ok {
		return
	}
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.index[text] = len(n.texts)
	n.texts = append(n.texts, []byte(text))
	n.longest = max(n.longest, len(text))
	n.auto = nil
}

// begin starts a pass.
func (n *needles) begin() {
	n.remaining = n.remaining[:0]
	for i := range n.texts {
		n.remaining = append(n.remaining, i)
	}
	if len(n.texts) <= maxSequential {
		return
	}
	if n.auto == nil {
		n.auto = newAutomaton(n.texts)
	}
	n.auto.begin()
}

// weight returns the time to search a byte, relative to bytes.Index.
func (n *needles) weight() int {
	if len(n.texts) <= maxSequential {
		return 1
	}
	return automatonWeight
}

// overlap returns how many bytes at the end of a chunk must be repeated at the beginning of the next chunk.
func (n *needles) overlap() int {
	if len(n.texts) <= maxSequential {
		return n.longest - 1
	}
	return 0
}

// search searches a chunk, whose first seen bytes were the end of the previous chunk. It calls found with the
// index of each needle that this pass finds for the first time. It reports whether there are needles that it
// has not found.
func (n *needles) search(chunk []byte, seen int, found func(int)) bool {
	if len(n.texts) > maxSequential {
		return n.auto.search(chunk[seen:], found)
	}
	n.remaining = slices.DeleteFunc(n.remaining, func(i int) bool {
		is := bytes.Contains(chunk, n.texts[i])
		if is {
			found(i)
		}
		return is
	})
	return len(n.remaining) > 0
}

// Strings are folded strings, of which a text contains at least one or none. They do not change, and are safe
// for concurrent use.
type Strings struct {
	texts []string
	auto  func() *automaton // of more than maxSequential, built by the first search; nil otherwise
}

// Key returns what identifies the strings; "" for nil.
func (s *Strings) Key() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%q", s.texts)
}

// StringsOf returns the strings of which the text in a column contains at least one if an issue meets a
// condition, and only then: those of a Contains, or of an Or of such on one column. It returns nil for other
// conditions.
func StringsOf(c Condition) (tracker.Column, *Strings) {
	switch c := c.(type) {
	case Contains:
		return c.Column, &Strings{texts: []string{c.Folded}}
	case Or:
		var t Strings
		var column tracker.Column
		for i, m := range c {
			text, ok := m.(Contains)
			if !ok || i > 0 && text.Column != column {
				return "", nil
			}
			column = text.Column
			if !slices.Contains(t.texts, text.Folded) {
				t.texts = append(t.texts, text.Folded)
			}
		}
		if len(t.texts) == 0 {
			return "", nil
		}
		if len(t.texts) > maxSequential && !slices.Contains(t.texts, "") {
			t.auto = sync.OnceValue(func() *automaton {
				needles := make([][]byte, len(t.texts))
				for i, s := range t.texts {
					needles[i] = []byte(s)
				}
				return newAutomaton(needles)
			})
		}
		return column, &t
	}
	return "", nil
}

// In reports whether a folded text contains one of the strings.
func (t *Strings) In(text string) bool {
	if t.auto != nil {
		return t.auto().any(text)
	}
	return slices.ContainsFunc(t.texts, func(s string) bool { return strings.Contains(text, s) })
}

// Weight returns the time to search a text, relative to that for one string. It is 1 for nil.
func (t *Strings) Weight() int {
	if t == nil || t.auto == nil {
		return 1
	}
	return automatonWeight
}

// GroupTexts returns an Or in which the Contains on each column are one member.
func GroupTexts(c Or) Or {
	var out Or
	at := map[tracker.Column]int{}
	for _, m := range c {
		text, ok := m.(Contains)
		if !ok {
			out = append(out, m)
			continue
		}
		if n, known := at[text.Column]; known {
			out[n] = append(out[n].(Or), m)
			continue
		}
		at[text.Column] = len(out)
		out = append(out, Or{m})
	}
	return out
}

// automaton is an Aho-Corasick automaton. Its states are the prefixes of the needles. After reading a text,
// it is in the longest state that is a suffix of the text. A pass takes time proportional to the length of
// the text, independent of the number of needles.
//
// The children of a state s are adjacent and sorted by their byte: they are the states from first[s] up to,
// but not including, first[s+1].
type automaton struct {
	first []uint32 // one entry more than there are states
	bytes []byte   // the last byte of each state
	fail  []uint32 // the failure link: the longest proper suffix of a state that is a state; 0 is the root
	// the longest suffix of a state, which may be the state itself, that is a needle; 0 if none
	ends []uint32
	ids  []int32 // the index of the needle that the state equals; -1 if none
	root [256]uint32

	needles int

	// The state of a pass:
	state   uint32
	missing int      // number of needles not found yet
	pass    uint32   // number of the pass
	passed  []uint32 // for each state that is a needle, the last pass that found it
}

func newAutomaton(texts [][]byte) *automaton {
	// a state is the first depth bytes of the sorted needles from to to-1
	type node struct{ from, to, depth int }
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return bytes.Compare(texts[i], texts[j]) })
	a := &automaton{needles: len(texts)}
	nodes := []node{{0, len(order), 0}}
	a.bytes, a.fail, a.ends, a.ids = []byte{0}, []uint32{0}, []uint32{0}, []int32{-1}
	for s := 0; s < len(nodes); s++ {
		n := nodes[s]
		a.first = append(a.first, uint32(len(nodes)))
		a.ends[s] = a.ends[a.fail[s]]
		if n.from < n.to && len(texts[order[n.from]]) == n.depth { // the shortest needle comes first
			a.ids[s] = int32(order[n.from])
			a.ends[s] = uint32(s)
			n.from++
		}
		for n.from < n.to {
			c := texts[order[n.from]][n.depth]
			to := n.from + sort.Search(n.to-n.from, func(i int) bool {
				return texts[order[n.from+i]][n.depth] > c
			})
			child := uint32(len(nodes))
			fail := uint32(0)
			if s == 0 {
				a.root[c] = child
			} else {
				fail = a.next(a.fail[s], c)
			}
			nodes = append(nodes, node{n.from, to, n.depth + 1})
			a.bytes, a.fail, a.ends, a.ids = append(a.bytes, c), append(a.fail, fail), append(a.ends, 0),
				append(a.ids, -1)
			n.from = to
		}
	}
	a.first = append(a.first, uint32(len(nodes)))
	a.passed = make([]uint32, len(nodes))
	return a
}

// next returns the state after reading c in state s.
func (a *automaton) next(s uint32, c byte) uint32 {
	for s != 0 {
		from, to := a.first[s], a.first[s+1]
		for to-from > 8 {
			if middle := (from + to) / 2; a.bytes[middle] <= c {
				from = middle
			} else {
				to = middle
			}
		}
		for ; from < to; from++ {
			if a.bytes[from] == c {
				return from
			}
		}
		s = a.fail[s]
	}
	return a.root[c]
}

func (a *automaton) begin() {
	a.state, a.missing = 0, a.needles
	a.pass++
}

// any reports whether a text contains a needle. It is no pass.
func (a *automaton) any(text string) bool {
	s := uint32(0)
	for i := range len(text) {
		if s = a.next(s, text[i]); a.ends[s] != 0 {
			return true
		}
	}
	return false
}

// search continues a pass with a chunk; see needles.search. Finding a needle also finds all needles that are
// suffixes of it. found is called once for each needle in a pass.
func (a *automaton) search(chunk []byte, found func(int)) bool {
	s := a.state
	for _, c := range chunk {
		s = a.next(s, c)
		for e := a.ends[s]; e != 0 && a.passed[e] != a.pass; e = a.ends[a.fail[e]] {
			a.passed[e] = a.pass
			found(int(a.ids[e]))
			a.missing--
		}
		if a.missing == 0 {
			break
		}
	}
	a.state = s
	return a.missing > 0
}
