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
	// Lines are the lines of the rows that are added or changed.
	Added, Changed []int
}

// Journal keeps findings for the attempts of one import. Without it, what an interrupted attempt has written
// would count as unchanged in the next one (R1).
type Journal interface {
	// Keep keeps findings before they are written. Calls can overlap.
	Keep(ctx context.Context, found Findings) error
	// Outcome returns what an earlier attempt has found to do with the row of a line, or Unchanged.
	Outcome(line int) Outcome
	// Definitions returns those that the first attempt has kept, or nil if it has not come so far.
	Definitions() []string
}

// keep keeps what the rows of a batch are about to do, unless an earlier attempt has found it.
func (w *writer) keep(ctx context.Context, added, changed []pending) error {
	if w.opts.Journal == nil {
		return nil
	}
	lines := func(rows []pending) (lines []int) {
		for _, r := range rows {
			if line := r.row.rec.line; w.opts.Journal.Outcome(line) == Unchanged {
				lines = append(lines, line)
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
	if w.opts.Journal != nil {
		if before := w.opts.Journal.Outcome(r.row.rec.line); before != Unchanged {
			now = before
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch c := w.counts[r.row.project]; now {
	case Unchanged:
		c.Unchanged++
	case Added:
		c.Added++
	case Changed:
		c.Changed++
	}
	w.progress(1)
}
