package importjob

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
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

	earlier     map[string]*outcomes // what earlier attempts have found, by project
	definitions []string

	mu   sync.Mutex
	rest map[string]importer.Counts // what this attempt has not counted of it
}

// outcomes are the lines of a project that are added or changed.
type outcomes struct{ added, changed lines }

// findings are a part of the content.
type findings struct {
	Definitions []string          `json:"definitions"` // null in all parts but one
	Added       map[string][]span `json:"addedIn,omitempty"`
	Changed     map[string][]span `json:"changedIn,omitempty"`
}

// span is the first and the last of consecutive lines.
type span [2]int

// maxParts is greater than the number of parts of an attempt: one for each batch of an import.
const maxParts = 1_000_000

// maxDefinitions is the maximum number of bytes of the definitions that are kept: they are in one item.
const maxDefinitions = 100_000

// openJournal reads what the earlier attempts since the import was started have found.
func (r *run) openJournal(ctx context.Context) (*journal, error) {
	j := &journal{run: r, content: content(contentJournal, r.entry.First),
		earlier: map[string]*outcomes{}, rest: map[string]importer.Counts{}}
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
		for key, spans := range f.Added {
			o := j.of(key)
			o.added = append(o.added, spans...)
		}
		for key, spans := range f.Changed {
			o := j.of(key)
			o.changed = append(o.changed, spans...)
		}
		return nil
	})
	for key, o := range j.earlier {
		o.added.sort()
		o.changed.sort()
		j.rest[key] = importer.Counts{Added: o.added.len(), Changed: o.changed.len()}
	}
	return j, err
}

// of returns what earlier attempts have found in a project.
func (j *journal) of(key string) *outcomes {
	if j.earlier[key] == nil {
		j.earlier[key] = &outcomes{}
	}
	return j.earlier[key]
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
	part := encode(findings{found.Definitions, spansIn(found.Added), spansIn(found.Changed)})
	return j.run.store.PutPart(ctx, j.run.entry.ID, j.content, int(j.next.Add(1)), []byte(part),
		j.run.entry.Expires)
}

// Outcome implements importer.Journal.
func (j *journal) Outcome(project string, line int) importer.Outcome {
	switch o := j.earlier[project]; {
	case o == nil:
	case o.added.has(line):
		return importer.Added
	case o.changed.has(line):
		return importer.Changed
	}
	return importer.Unchanged
}

// Counted implements importer.Journal.
func (j *journal) Counted(project string, found importer.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.rest[project]
	c.Count(found, -1)
	j.rest[project] = c
}

// Rest implements importer.Journal.
func (j *journal) Rest() map[string]importer.Counts {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.rest)
}

// Definitions implements importer.Journal.
func (j *journal) Definitions() []string { return j.definitions }

func spansIn(lines map[string][]int) map[string][]span {
	out := map[string][]span{}
	for key, in := range lines {
		out[key] = spansOf(in)
	}
	return out
}

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

// lines is a set of lines, as spans. sort must be called before has and len.
type lines []span

// sort sorts the spans, and merges those that overlap: two attempts can find the same rows if one of them was
// cut off from the table.
func (l *lines) sort() {
	slices.SortFunc(*l, func(a, b span) int { return a[0] - b[0] })
	var out lines
	for _, s := range *l {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
		} else {
			out = append(out, s)
		}
	}
	*l = out
}

func (l lines) has(line int) bool {
	after, _ := slices.BinarySearchFunc(l, line+1, func(s span, line int) int { return s[0] - line })
	return after > 0 && line <= l[after-1][1]
}

func (l lines) len() (n int64) {
	for _, s := range l {
		n += int64(s[1] - s[0] + 1)
	}
	return n
}
