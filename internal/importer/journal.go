package importer

import "context"

// Outcome is what an import does with a row.
type Outcome uint8

// The outcomes of rows that are not rejected.
const (
	Unchanged Outcome = iota
	Added
	Changed
)

// Findings are what an import has found that it is about to write.
type Findings struct {
	// Definitions describe what projects get before the rows.
	Definitions []string
	// Added and Changed are the lines of the rows that are added or changed, by project.
	Added, Changed map[string][]int
}

// Journal keeps findings for the attempts of one import. Without it, what an interrupted attempt has written
// would count as unchanged in the next one (R1).
type Journal interface {
	// Keep keeps findings before they are written. Calls can overlap.
	Keep(ctx context.Context, found Findings) error
	// Outcome returns what an earlier attempt has found to do with the row of a line, or Unchanged.
	Outcome(project string, line int) Outcome
	// Counted is called when this attempt counts a row that an earlier one has found, or rejects it.
	Counted(project string, found Outcome)
	// Rest returns the counts of the rows that earlier attempts have found, by project, without those for
	// which Counted was called.
	Rest() map[string]Counts
	// Definitions returns those that the first attempt has kept, or nil if it has not come so far.
	Definitions() []string
}

// keep keeps what the rows of a batch are about to do, unless an earlier attempt has found it.
func (w *writer) keep(ctx context.Context, added, changed []pending) error {
	if w.opts.Journal == nil {
		return nil
	}
	lines := func(rows []pending) map[string][]int {
		lines := map[string][]int{}
		for _, r := range rows {
			key, line := r.row.project, r.row.rec.line
			if w.opts.Journal.Outcome(key, line) == Unchanged {
				lines[key] = append(lines[key], line)
			}
		}
		return lines
	}
	found := Findings{Added: lines(added), Changed: lines(changed)}
	if len(found.Added)+len(found.Changed) == 0 {
		return nil
	}
	return w.opts.Journal.Keep(ctx, found)
}

// count counts a row. What an earlier attempt has found comes before what is found now.
func (w *writer) count(r pending, now Outcome) {
	if before := w.counted(r.row); before != Unchanged {
		now = before
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[r.row.project].Count(now, 1)
	w.progress(1)
}

// rejectRow rejects a row that an earlier attempt may have found.
func (w *writer) rejectRow(r *row, f *fault) error {
	w.counted(r)
	return w.reject(r.rec, f)
}

// counted returns what an earlier attempt has found to do with a row, or Unchanged.
func (w *writer) counted(r *row) Outcome {
	if w.opts.Journal == nil {
		return Unchanged
	}
	before := w.opts.Journal.Outcome(r.project, r.rec.line)
	if before != Unchanged {
		w.opts.Journal.Counted(r.project, before)
	}
	return before
}
