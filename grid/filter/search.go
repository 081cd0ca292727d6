package filter

import (
	"bytes"
	"slices"
	"sort"
)

// needles are texts that are searched for all at once, in one pass over a text that comes in pieces. Needles
// are not empty.
//
// A few are searched for one by one in each piece, because nothing is as fast as bytes.Index. With more of
// them a pass would cost a search for each, so it runs through an automaton, which looks at each byte once.
type needles struct {
	texts   [][]byte
	places  map[string]int // of texts
	longest int

	auto *automaton // made by the first pass, for the texts that there are then
	left []int      // of this pass: those that were not found yet
}

// few is how many needles are searched for one by one.
const few = 4

// add takes up a needle, unless it has it.
func (n *needles) add(text string) {
	if _, there := n.places[text]; there {
		return
	}
	if n.places == nil {
		n.places = map[string]int{}
	}
	n.places[text] = len(n.texts)
	n.texts = append(n.texts, []byte(text))
	n.longest = max(n.longest, len(text))
	n.auto = nil
}

// begin begins a pass.
func (n *needles) begin() {
	n.left = n.left[:0]
	for i := range n.texts {
		n.left = append(n.left, i)
	}
	if len(n.texts) <= few {
		return
	}
	if n.auto == nil {
		n.auto = newAutomaton(n.texts)
	}
	n.auto.begin()
}

// weight is how many times as long it takes to search a byte as by bytes.Index.
func (n *needles) weight() int {
	if len(n.texts) <= few {
		return 1
	}
	return 4
}

// overlap is how many bytes before a piece search wants to see again.
func (n *needles) overlap() int {
	if len(n.texts) <= few {
		return n.longest - 1
	}
	return 0
}

// search looks at a piece, of which the first seen bytes were in the piece before it, and calls found with
// the place of each needle that it finds for the first time in this pass. It reports whether needles are left
// to find.
func (n *needles) search(piece []byte, seen int, found func(int)) bool {
	if len(n.texts) > few {
		return n.auto.search(piece[seen:], found)
	}
	n.left = slices.DeleteFunc(n.left, func(i int) bool {
		is := bytes.Contains(piece, n.texts[i])
		if is {
			found(i)
		}
		return is
	})
	return len(n.left) > 0
}

// automaton is that of Aho and Corasick: the states are the beginnings of needles, and the state after some
// text is the longest one that the text ends with. A pass takes time in proportion to the text, however many
// needles there are.
//
// The children of a state stand side by side, in the order of their bytes: those of s are the states from
// first[s] to first[s+1].
type automaton struct {
	first []uint32 // one more than there are states
	bytes []byte   // the last byte of each state
	fall  []uint32 // the longest state that a state ends with, other than itself; 0 for the root
	// the longest state that is a whole needle and that a state ends with, itself included; 0 for none
	ends []uint32
	ids  []int32 // which needle a state is; -1 for none
	root [256]uint32

	needles int

	// Of a pass:
	state  uint32
	missed int      // needles that were not found yet
	pass   uint32   // its number
	passed []uint32 // the last pass that has been in a state of a whole needle
}

func newAutomaton(texts [][]byte) *automaton {
	type node struct{ from, to, depth int } // a state is the first depth bytes of the sorted needles from..to
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return bytes.Compare(texts[i], texts[j]) })
	a := &automaton{needles: len(texts)}
	nodes := []node{{0, len(order), 0}}
	a.bytes, a.fall, a.ends, a.ids = []byte{0}, []uint32{0}, []uint32{0}, []int32{-1}
	for s := 0; s < len(nodes); s++ {
		n := nodes[s]
		a.first = append(a.first, uint32(len(nodes)))
		a.ends[s] = a.ends[a.fall[s]]
		if n.from < n.to && len(texts[order[n.from]]) == n.depth { // the shortest is the first
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
			fall := uint32(0)
			if s == 0 {
				a.root[c] = child
			} else {
				fall = a.next(a.fall[s], c)
			}
			nodes = append(nodes, node{n.from, to, n.depth + 1})
			a.bytes, a.fall, a.ends, a.ids = append(a.bytes, c), append(a.fall, fall), append(a.ends, 0),
				append(a.ids, -1)
			n.from = to
		}
	}
	a.first = append(a.first, uint32(len(nodes)))
	a.passed = make([]uint32, len(nodes))
	return a
}

// next is the state after one more byte.
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
		s = a.fall[s]
	}
	return a.root[c]
}

func (a *automaton) begin() {
	a.state, a.missed = 0, a.needles
	a.pass++
}

// search goes on with more of the text; see needles.search. A needle that was found takes those that it ends
// with along, each once in a pass.
func (a *automaton) search(piece []byte, found func(int)) bool {
	s := a.state
	for _, c := range piece {
		s = a.next(s, c)
		for e := a.ends[s]; e != 0 && a.passed[e] != a.pass; e = a.ends[a.fall[e]] {
			a.passed[e] = a.pass
			found(int(a.ids[e]))
			a.missed--
		}
		if a.missed == 0 {
			break
		}
	}
	a.state = s
	return a.missed > 0
}
