package filter

import (
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Matcher evaluates conditions on the issues of a project. Make one with NewMatcher for each page, and a
// Subject from it for each issue. A Matcher must be used by one goroutine only.
//
// Its law of cost: for each issue, whatever the conditions and the number of calls of Meets, each text is
// folded at most once for searching, in one pass for all strings to find in the column. The first few hundred
// bytes of the text are folded at most once for comparing. Each value is encoded once, and each tag is folded
// once. A pass ends when it has found all strings. It takes time proportional to the length of the text.
type Matcher struct {
	// Work receives the number of bytes of text that were folded, and of folded bytes that were searched,
	// since its last call. It is called at least once for each text and for each 64 KiB. If it returns an
	// error, the matching stops and returns the error. Work may be nil.
	Work func(folded, searched int) error

	definition *tracker.Definition
	columns    []tracker.Column
	index      map[tracker.Column]int // indexes in columns
	needles    []needles              // by index in columns
	folder     fold.Folder
	buffer     []byte
}

// chunkSize is the number of bytes of a text that are folded at a time. The folded form is up to 11 times as
// long.
const chunkSize = 8 << 10

// NewMatcher returns a Matcher for the issues of a project. The strings in conditions are searched for in one
// pass. A Subject also accepts other conditions; each string in them costs an additional pass.
func NewMatcher(d *tracker.Definition, conditions ...Condition) *Matcher {
	m := &Matcher{definition: d, index: map[tracker.Column]int{}}
	for _, c := range conditions {
		visit(c, func(leaf Condition) {
			if c, ok := leaf.(Contains); ok && c.Folded != "" {
				at := m.columnIndex(c.Column)
				m.needles[at].add(c.Folded)
			}
		})
	}
	return m
}

// Subject returns a Subject for an issue.
func (m *Matcher) Subject(i *tracker.Issue) Subject { return Subject{Issue: i, matcher: m} }

// columnIndex returns the index of a column in m.columns. It adds the column if it is missing.
func (m *Matcher) columnIndex(c tracker.Column) int {
	at, ok := m.index[c]
	if !ok {
		at = len(m.columns)
		m.index[c] = at
		m.columns, m.needles = append(m.columns, c), append(m.needles, needles{})
	}
	return at
}

func (m *Matcher) reportWork(folded, searched int) error {
	if m.Work == nil {
		return nil
	}
	return m.Work(folded, searched)
}

// search returns the set of needles that occur in a text.
func (m *Matcher) search(text string, n *needles) (set, error) {
	var found set
	take := func(i int) { found.add(i) }
	f, buffer, seen := &m.folder, m.buffer[:0], 0
	f.Reset(text)
	n.begin()
	for more := true; more; {
		var read int
		buffer, read = f.Append(buffer, chunkSize)
		more = n.search(buffer, seen, take) && !f.Done()
		if err := m.reportWork(read, n.weight()*(len(buffer)-seen)); err != nil {
			return nil, err
		}
		seen = min(n.overlap(), len(buffer))
		buffer = buffer[:copy(buffer, buffer[len(buffer)-seen:])]
	}
	m.buffer = buffer
	return found, nil
}

// encode returns sortkey.Text(text), and reports the work.
func (m *Matcher) encode(text string) (sortkey.Value, error) {
	const few = 256 // bytes to fold at a time
	f, buffer, reported := &m.folder, m.buffer[:0], 0
	f.Reset(text)
	read := 0
	for !f.Done() && len(buffer) < sortkey.MaxFolded {
		var n int
		buffer, n = f.Append(buffer, few)
		if read += n; read-reported >= 32<<10 {
			if err := m.reportWork(read-reported, 0); err != nil {
				return nil, err
			}
			reported = read
		}
	}
	m.buffer = buffer
	return sortkey.FoldedText(string(buffer)), m.reportWork(read-reported, 0)
}

// foldTags returns the folded form of tags, under which they are indexed.
func (m *Matcher) foldTags(tags []string) ([]string, error) {
	out, bytes := make([]string, len(tags)), 0
	for i, tag := range tags {
		out[i] = columns.FoldTag(tag)
		bytes += len(tag)
	}
	return out, m.reportWork(bytes, 0)
}

// set is a set of small non-negative integers.
type set []uint64

func (s *set) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s set) has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }
