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

	// What earlier attempts have found.
	added, changed lines
	definitions    []string
}

// findings are a part of the content.
type findings struct {
	Definitions []string `json:"definitions,omitempty"`
	Added       []span   `json:"added,omitempty"`
	Changed     []span   `json:"changed,omitempty"`
}

// span is the first and the last of consecutive lines.
type span [2]int

// maxParts is greater than the number of parts of an attempt: one for each batch of an import.
const maxParts = 1_000_000

// openJournal reads what the earlier attempts since the import was started have found.
func (r *run) openJournal(ctx context.Context) (*journal, error) {
	j := &journal{run: r, content: content(contentJournal, r.entry.First)}
	j.next.Store(int64(r.entry.Attempts) * maxParts)
	if r.entry.Attempts == r.entry.First+1 {
		return j, nil
	}
	return j, r.store.Parts(ctx, r.entry.ID, j.content, func(part []byte) error {
		var f findings
		if err := json.Unmarshal(part, &f); err != nil {
			return tracker.Internal("the journal of an import is damaged", err)
		}
		j.definitions = append(j.definitions, f.Definitions...)
		j.added.add(f.Added)
		j.changed.add(f.Changed)
		return nil
	})
}

// Keep implements importer.Journal.
func (j *journal) Keep(ctx context.Context, found importer.Findings) error {
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

// lines is a set of lines, as bits.
type lines []uint64

func (l *lines) add(spans []span) {
	for _, s := range spans {
		for line := s[0]; line <= s[1]; line++ {
			for line/64 >= len(*l) {
				*l = append(*l, 0)
			}
			(*l)[line/64] |= 1 << (line % 64)
		}
	}
}

func (l lines) has(line int) bool { return line/64 < len(l) && l[line/64]&(1<<(line%64)) != 0 }
