package importer

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

const (
	// batchRows is the maximum number of rows that are looked up and written together: one BatchGetItem call.
	batchRows = dynamo.MaxBatch
	// batchBytes limits the memory of a batch, and with the number of workers that of the import.
	batchBytes = 4 << 20
	// defaultWorkers is how many batches are written in parallel.
	defaultWorkers = 4
)

// writer is the second pass. One goroutine reads the file and makes batches of rows; workers compare them
// with the stored issues, and write what differs unless the run is dry. Batches wait for a free worker, so
// that the file is read no faster than rows are written.
type writer struct {
	tenant  *dynamo.Tenant // nil for a dry run without a tenant
	dry     bool
	survey  *survey
	rejects *rejects
	opts    Options

	rows    atomic.Int64 // rows read
	cleaned atomic.Int64 // rows not rejected whose name had hidden characters
	// highest are the highest numbers of projects in a dry run, which reserves none. Batches use them in
	// turn.
	highest map[tracker.ProjectID]int64

	known   sync.Mutex // guards targets
	targets map[string]*target

	mu     sync.Mutex // guards done, counts and the progress
	done   int64      // rows that were counted or rejected
	counts map[string]*Counts
}

func newWriter(s *survey, targets map[string]*target, r *rejects, opts Options, dry bool) *writer {
	w := &writer{tenant: s.stored.tenant, dry: dry, survey: s, targets: targets, rejects: r, opts: opts,
		highest: map[tracker.ProjectID]int64{}, counts: map[string]*Counts{}}
	for _, key := range s.order {
		w.counts[key] = &Counts{}
		w.highest[targets[key].id] = max(targets[key].def.MaxIssueNum, s.projects[key].maxNum)
	}
	return w
}

// run compares and writes all rows. If it returns an error, the summary has the progress so far.
func (w *writer) run(ctx context.Context, in *input) error {
	group, running := errgroup.WithContext(ctx)
	batches := make(chan *batch)
	group.Go(func() error {
		defer close(batches)
		return w.read(running, in, batches)
	})
	for range w.workers() {
		group.Go(func() error {
			for b := range batches {
				w.opts.meter.spend(time.Duration(b.bytes) * writeByteCPU)
				if err := w.opts.meter.pause(running); err != nil {
					return err
				}
				if err := w.write(running, b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if stopped := interrupted(ctx); stopped != nil {
		err = stopped
	}
	if err == nil {
		return nil
	}
	return w.stopped(err)
}

func (w *writer) workers() int {
	if w.opts.Workers <= 0 {
		return defaultWorkers
	}
	return w.opts.Workers
}

// read makes batches of the valid rows, in the order of the file.
func (w *writer) read(ctx context.Context, in *input, batches chan<- *batch) error {
	taken := newClaims(func(int) {}) // in the memory of those of the first pass
	// The workers have a batch each, one waits, and one is made.
	next, most := newBatch(nil), 0 // most is the memory of the largest
	send := func() error {
		if len(next.rows) == 0 {
			return nil
		}
		select {
		case batches <- next:
			next = newBatch(next)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err := eachRecord(ctx, in, w.opts, "", w.survey.columns, func(_ *pass, rec *record) error {
		w.rows.Add(1)
		r, f := w.survey.plan.row(rec)
		if f != nil && r != nil {
			f = f.and(w.refused(r))
		}
		if f == nil {
			f = taken.take(w.survey.plan, r)
		}
		var issue tracker.Issue
		if f == nil {
			if issue, f = w.issue(r); f != nil {
				f = cmp.Or(w.refused(r), f)
			}
		}
		if f != nil && r != nil {
			return w.rejectRow(r, f)
		} else if f != nil {
			return w.reject(rec, f)
		}
		if r.cleaned {
			w.cleaned.Add(1)
		}
		next.add(pending{row: r, issue: issue})
		if next.memory > most {
			w.opts.meter.grow((next.memory - most) * (w.workers() + 2))
			most = next.memory
			if err := w.opts.meter.hold(ctx); err != nil {
				return err
			}
		}
		if len(next.rows) < batchRows && next.memory < batchBytes {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}

// refused returns the faults of the states and options that a row cannot use, or nil.
func (w *writer) refused(r *row) *fault {
	if p := w.survey.projects[r.project]; p != nil {
		return w.survey.refused(p, r)
	}
	return nil
}

// issue makes the issue of a row. Its number is 0 if the row has none.
func (w *writer) issue(r *row) (tracker.Issue, *fault) {
	p := w.survey.plan
	t := w.target(r.project)
	if t == nil {
		return tracker.Issue{}, &fault{reason: NoProject,
			detail: "the row was added after the file was checked"}
	}
	i := tracker.Issue{ID: t.def.Project.IssueID(tracker.IDFor(string(t.id), r.key)),
		Num: r.num, Name: r.name, State: t.start,
		Created: r.created, Updated: r.updated, Description: r.description,
		Values: make(map[tracker.FieldID]tracker.Value, len(t.fields))}
	if r.state != "" {
		var f *fault
		if i.State, f = t.states.find(r.state); f != nil {
			return i, f.in(p.builtins[ToState])
		}
	}
	for at, field := range t.fields {
		v := r.values[at].value
		if r.values[at].names != nil {
			names := r.values[at].namesIn(t.options[at].like)
			ids := make([]string, len(names))
			for n, name := range names {
				id, f := t.options[at].find(name)
				if f != nil {
					return i, f.in(p.fields[at])
				}
				ids[n] = string(id)
			}
			if v = tracker.Set(ids); field.Type.Kind() == tracker.KindText {
				v = tracker.Text(ids[0])
			}
		}
		if v.Kind == tracker.KindNone {
			continue
		}
		if err := field.Check(v); err != nil {
			return i, (&fault{reason: BadValue, detail: err.Error()}).in(p.fields[at])
		}
		i.Values[field.ID] = v
	}
	return i, nil
}

// target returns a project that receives rows, nil for one that the first pass did not find.
func (w *writer) target(key string) *target {
	w.known.Lock()
	defer w.known.Unlock()
	return w.targets[key]
}

func (w *writer) reject(rec *record, f *fault) error {
	err := w.rejects.add(rec, f)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.progress(1)
	return err
}

// progress reports that some more rows are done. w.mu must be locked.
func (w *writer) progress(rows int64) {
	w.done += rows
	stage := Writing
	if w.dry {
		stage = Comparing
	}
	if w.opts.Progress != nil {
		w.opts.Progress(Progress{Stage: stage, Done: w.done, Total: w.survey.rows})
	}
}

// stopped adds the progress of an interrupted import to its error.
func (w *writer) stopped(err error) error {
	if w.dry {
		return err
	}
	s := w.summary(false)
	why := ""
	if all := tracker.AllOf(err); len(all) > 0 && !errors.Is(err, context.Canceled) {
		why = ": " + all[0].Message
	}
	return &tracker.Error{Code: tracker.CodeOf(err), Cause: err, Message: "the import stopped after " +
		s.progress(w.survey.rows) + why + "; what was written is complete and is kept; the same import, " +
		"started again, continues with the rest"}
}

// summary returns what was done. Of an import that is not complete, this includes what earlier attempts have
// found and this one has not reached.
func (w *writer) summary(complete bool) *Summary {
	s := &Summary{Dry: w.dry, Rows: w.rows.Load(), Blank: w.survey.blank,
		Skipped: w.survey.skipped, Cleaned: w.cleaned.Load(),
		Rejected: w.rejects.count,
		Reasons:  reasonCounts(w.rejects.counts), Rejects: w.rejects.shown()}
	if w.rejects.file != nil {
		s.RejectsFile = w.rejects.path
	}
	var rest map[string]Counts
	if w.opts.Journal != nil && !complete {
		rest = w.opts.Journal.Rest()
	}
	for _, key := range w.survey.order {
		counts := *w.counts[key]
		s.add(key, counts.plus(rest[key]))
	}
	s.Definitions = w.survey.additions()
	if w.opts.Journal != nil && w.opts.Journal.Definitions() != nil {
		s.Definitions = w.opts.Journal.Definitions()
	}
	return s
}
