package filter

import (
	"issuegrid/columns"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Matcher is what the issues of a project are held against: conditions, in a form that is made once and
// serves for all of them. It is for one goroutine. Make it with NewMatcher, once for a page, and from it a
// Subject for each issue.
//
// Its law of cost: whatever the conditions are, and however often a Subject is asked, each text of the issue
// is folded at most once to be searched, in one pass for all texts that its column is searched for, and its
// first few hundred bytes at most once to be compared; each value is encoded once, and each tag folded once.
// A pass ends when all has been found. It takes time in proportion to the length of the text.
type Matcher struct {
	// Work is told of the bytes of texts that were folded, and the folded bytes that were searched, since it
	// was told last: at least once for each text and for each 64 KiB. Its error ends the matching and is what
	// the caller gets. Nil is nobody.
	Work func(folded, searched int) error

	definition *tracker.Definition
	columns    []tracker.Column
	places     map[tracker.Column]int // of columns
	needles    []needles              // by column
	folder     sortkey.Folder
	buffer     []byte
}

// piece is how many bytes of a text are folded at a time. What they fold to has at most 11 times as many.
const piece = 8 << 10

// NewMatcher makes a Matcher of issues of a project. What is searched for in one pass are the texts of the
// conditions given here. A Subject can be asked about others, which cost a pass each.
func NewMatcher(d *tracker.Definition, conditions ...Condition) *Matcher {
	m := &Matcher{definition: d, places: map[tracker.Column]int{}}
	for _, c := range conditions {
		visit(c, func(leaf Condition) {
			if c, ok := leaf.(Contains); ok && c.Folded != "" {
				at := m.place(c.Column)
				m.needles[at].add(c.Folded)
			}
		})
	}
	return m
}

// Subject makes a Subject of an issue.
func (m *Matcher) Subject(i *tracker.Issue) Subject { return Subject{Issue: i, matcher: m} }

// place is the column's place in what is known by column.
func (m *Matcher) place(c tracker.Column) int {
	at, ok := m.places[c]
	if !ok {
		at = len(m.columns)
		m.places[c] = at
		m.columns, m.needles = append(m.columns, c), append(m.needles, needles{})
	}
	return at
}

func (m *Matcher) worked(folded, searched int) error {
	if m.Work == nil {
		return nil
	}
	return m.Work(folded, searched)
}

// search looks for needles in a text, and returns the set of those that it has.
func (m *Matcher) search(text string, n *needles) (set, error) {
	var found set
	take := func(i int) { found.add(i) }
	f, buffer, seen := &m.folder, m.buffer[:0], 0
	f.Reset(text)
	n.begin()
	for more := true; more; {
		var read int
		buffer, read = f.Append(buffer, piece)
		more = n.search(buffer, seen, take) && !f.Done()
		if err := m.worked(read, n.weight()*(len(buffer)-seen)); err != nil {
			return nil, err
		}
		seen = min(n.overlap(), len(buffer))
		buffer = buffer[:copy(buffer, buffer[len(buffer)-seen:])]
	}
	m.buffer = buffer
	return found, nil
}

// encode is sortkey.Text, and tells Work.
func (m *Matcher) encode(text string) (sortkey.Value, error) {
	const few = 256 // bytes that are folded at a time
	f, buffer, told := &m.folder, m.buffer[:0], 0
	f.Reset(text)
	read := 0
	for !f.Done() && len(buffer) < sortkey.MaxFolded {
		var n int
		buffer, n = f.Append(buffer, few)
		if read += n; read-told >= 32<<10 {
			if err := m.worked(read-told, 0); err != nil {
				return nil, err
			}
			told = read
		}
	}
	m.buffer = buffer
	return sortkey.FoldedText(string(buffer)), m.worked(read-told, 0)
}

// foldTags returns the names under which tags are indexed.
func (m *Matcher) foldTags(tags []string) ([]string, error) {
	out, bytes := make([]string, len(tags)), 0
	for i, tag := range tags {
		out[i] = columns.FoldTag(tag)
		bytes += len(tag)
	}
	return out, m.worked(bytes, 0)
}

// set is a set of small numbers.
type set []uint64

func (s *set) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s set) has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }
