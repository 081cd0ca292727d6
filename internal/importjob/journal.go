package importjob

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// journal keeps what the attempts of an import have found, as parts of a content (U5). It implements
// importer.Journal.
type journal struct {
	run     *run
	content string
	next    atomic.Int64 // the number of the next part

	added, changed lines // what earlier attempts have found
	definitions    []string
}

// findings are a part of the content.
type findings struct {
	Definitions []string `json:"definitions"` // null in all parts but one
	Added       []span   `json:"added,omitempty"`
	Changed     []span   `json:"changed,omitempty"`
}

// span is the first and the last of consecutive lines.
type span [2]int

// maxParts is greater than the number of parts of an attempt: one for each batch of an import.
const maxParts = 1_000_000

// maxDefinitions is the maximum number of bytes of the definitions that are kept: they are in one item.
const maxDefinitions = 100_000

// openJournal reads what the earlier attempts since the import was started have found.
func (r *run) openJournal(ctx context.Context) (*journal, error) {
	j := &journal{run: r, content: content(contentJournal, r.entry.First)}
	j.next.Store(int64(r.entry.Attempts) * maxParts)
	if r.entry.Attempts == r.entry.First+1 {
		return j, nil
	}
	err := r.store.Parts(ctx, r.entry.ID, j.content, func(part []byte) error {
		var f findings
		if err := json.Unmarshal(part, &f); err != nil {
			return tracker.Internal("the journal of an import is damaged", err)
		}
		if j.definitions == nil {
			j.definitions = f.Definitions
		}
		j.added.add(f.Added)
		j.changed.add(f.Changed)
		return nil
	})
	j.added.sort()
	j.changed.sort()
	return j, err
}

// Keep implements importer.Journal.
func (j *journal) Keep(ctx context.Context, found importer.Findings) error {
	bytes := 0
	for i, d := range found.Definitions {
		if bytes += len(d); bytes > maxDefinitions {
			found.Definitions = found.Definitions[:i:i]
			break
		}
	}
	part := encode(findings{found.Definitions, spansOf(found.Added), spansOf(found.Changed)})
	return j.run.store.PutPart(ctx, j.run.entry.ID, j.content, int(j.next.Add(1)), []byte(part),
		j.run.entry.Expires)
}

// Outcome implements importer.Journal.
func (j *journal) Outcome(line int) importer.Outcome {
	switch {
	case j.added.has(line):
		return importer.Added
	case j.changed.has(line):
		return importer.Changed
	}
	return importer.Unchanged
}

// Definitions implements importer.Journal.
func (j *journal) Definitions() []string { return j.definitions }

func spansOf(lines []int) (out []span) {
	slices.Sort(lines)
	for _, line := range lines {
		if n := len(out); n > 0 && out[n-1][1] == line-1 {
			out[n-1][1] = line
		} else {
			out = append(out, span{line, line})
		}
	}
	return out
}

// lines is a set of lines, as spans in their order.
type lines []span

// add adds spans. sort must be called before has.
func (l *lines) add(spans []span) { *l = append(*l, spans...) }

func (l lines) sort() { slices.SortFunc(l, func(a, b span) int { return a[0] - b[0] }) }

func (l lines) has(line int) bool {
	after, _ := slices.BinarySearchFunc(l, line+1, func(s span, line int) int { return s[0] - line })
	return after > 0 && line <= l[after-1][1]
}
