package importjob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/importer"
	"issuegrid/internal/runner"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const (
	// renewEvery is how often a server renews its lease. If it cannot, it stops before the lease ends, by
	// stopBefore.
	renewEvery = 2 * time.Second
	stopBefore = 10 * time.Second
	// retryAfter is the time before an import is tried again after the database has failed.
	retryAfter = 10 * time.Second
	// maxAttempts is how often an import is begun, without attempts that ended because their server was
	// stopped or had no memory left (U2).
	maxAttempts = 5
	// workers is the number of batches that an import writes in parallel.
	workers = 2
	// maxRecord is the maximum number of bytes of a row. Together with its other limits, an import fits into
	// the memory that it gets.
	maxRecord = 4 << 20
	// maxName is the maximum number of bytes of the name of a column, and maxColumns the maximum number of
	// columns that a result has, so that it can be shown.
	maxName    = 1020 // the longest name of a field
	maxColumns = 1000
)

// Host is the process in which imports run.
type Host interface {
	// Background counts CPU time that a tenant has used, and waits until it may use more.
	Background(ctx context.Context, t tracker.TenantID, cpu time.Duration) error
	// ImportMemory opens the memory of an import of a tenant. The caller must close it.
	ImportMemory(t tracker.TenantID) (memory importer.Memory, closeMemory func())
}

// Service has the imports of all tenants, and runs them.
type Service struct {
	db       *dynamo.DB
	maxBytes int64
	host     Host          // may be nil
	every    time.Duration // renewEvery
	runner   *runner.Runner[tracker.TenantID]
	failed   func(error)
}

// New returns a service for uploads of at most maxBytes. Without a host, imports have no limits.
func New(db *dynamo.DB, maxBytes int64, host Host) *Service {
	return &Service{db: db, maxBytes: maxBytes, host: host, every: renewEvery,
		runner: runner.New[tracker.TenantID](retryAfter)}
}

// Run runs imports in this process until ctx is canceled: those started in this process, abandoned ones that
// clients ask for, and those found by a regular search. An error that does not end an import is passed to
// failed, and the import is tried again. The returned function waits until all imports have stopped.
func (s *Service) Run(ctx context.Context, failed func(error)) (ended func()) {
	s.failed = failed
	return s.runner.Run(ctx, s.find, failed)
}

// find searches all tenants for imports that wait or run.
func (s *Service) find(ctx context.Context) error {
	return s.db.EachTenant(ctx, func(id tracker.TenantID, deleted bool) error {
		if deleted {
			return nil
		}
		i, err := s.Of(s.db, id)
		if err != nil {
			return err
		}
		q, _, err := i.read(ctx, "")
		if err == nil && (q.Running != "" || len(q.Waiting) > 0) {
			s.kick(id)
		}
		return err
	})
}

// kick runs the imports of a tenant in the background, if this process runs imports.
func (s *Service) kick(id tracker.TenantID) {
	s.runner.Kick(id, func(ctx context.Context) (more bool, leased time.Duration, err error) {
		more, leased, err = s.work(ctx, id)
		if tracker.CodeOf(err) == tracker.NotFound { // the tenant was deleted
			return false, 0, nil
		}
		if err != nil {
			err = fmt.Errorf("imports of the tenant %s: %w", id, err)
		}
		return more, leased, err
	})
}

// work runs the next import of a tenant, and reports whether there was one. If another server runs one, it
// also returns how long the lease of that server lasts.
func (s *Service) work(ctx context.Context, id tracker.TenantID) (more bool, leased time.Duration, _ error) {
	here := &place{enter: func(ctx context.Context) (func(), error) { return s.runner.Enter(ctx, id) }}
	if err := here.take(ctx); err != nil {
		return false, 0, err
	}
	defer here.give()
	owner, err := newID()
	if err != nil {
		return false, 0, err
	}
	all, err := s.Of(s.db, id)
	if err != nil {
		return false, 0, err
	}
	all.store = all.store.Background()
	r := &run{Imports: all, owner: owner, place: here}
	err = r.take(ctx)
	switch {
	case err != nil || r.entry == nil:
	case r.canceled:
		err = r.end(ctx, Canceled, &Result{Mapping: r.entry.Mapping})
	case r.exhausted:
		err = r.end(ctx, Failed, &Result{Mapping: r.entry.Mapping, Problems: problemsOf(errExhausted)})
	default:
		err = r.do(ctx)
	}
	if err != nil { // the lease may have been taken nevertheless
		released, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopBefore)
		defer cancel()
		err = errors.Join(err, r.release(released, ctx.Err() != nil || r.starved.Load()))
	}
	return r.entry != nil || r.leased > 0, r.leased, err
}

// run is an attempt of an import.
type run struct {
	*Imports
	owner  string
	entry  *Import       // nil if there is nothing to run
	leased time.Duration // how long the lease of another server lasts
	// exhausted is set if the import must not be begun again, because the last of maxAttempts did not end:
	// its server crashed or lost the lease.
	exhausted bool
	// canceled is set if the import was canceled while no server ran it.
	canceled bool
	place    *place
	// starved is set if other imports hold the memory that the attempt needed.
	starved atomic.Bool

	mu       sync.Mutex
	progress Progress
	rejects  *rejectsFile
}

// take takes the lease of the queue and its next import.
func (r *run) take(ctx context.Context) error {
	var id string
	if _, err := r.update(ctx, "", func(q *queue, _ *Import) error {
		id = ""
		if r.leased = q.Held(r.owner, r.now()); r.leased > 0 {
			return errNothing
		}
		if q.Running == "" {
			if len(q.Waiting) == 0 {
				return errNothing
			}
			q.Running, q.Waiting = q.Waiting[0], q.Waiting[1:]
			q.Cancel, q.Progress = false, Progress{}
		}
		id, q.Lease = q.Running, runner.Take(r.owner, r.now())
		return nil
	}); err != nil || id == "" {
		return err
	}
	found, err := r.update(ctx, id, func(q *queue, m *Import) error {
		if q.Owner != r.owner || q.Running != id {
			return errLost
		}
		m.Status, r.canceled = Running, q.Cancel
		if r.exhausted = m.attempts() >= maxAttempts; !r.exhausted {
			m.Attempts++
		}
		if m.Started.IsZero() {
			m.Started = r.now()
		}
		return nil
	})
	if tracker.CodeOf(err) == tracker.NotFound { // it has expired
		_, err = r.update(ctx, "", func(q *queue, _ *Import) error {
			q.remove(id)
			return nil
		})
		if err == nil {
			return r.take(ctx)
		}
	}
	if err == nil {
		r.entry = found
	}
	return err
}

// errExhausted is why an import fails whose attempts did not end.
var errExhausted = &tracker.Error{Code: tracker.Unavailable, Message: fmt.Sprintf("the server has crashed "+
	"or stopped responding in %d attempts of this import; divide the file into smaller ones", maxAttempts)}

// The reasons for which an attempt is stopped.
var (
	errLost     = errors.New("another server has taken over")
	errCanceled = errors.New("the import was canceled")
)

// do runs the import, and writes its result.
func (r *run) do(ctx context.Context) error {
	attempt, stop := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { r.renew(attempt, stop) })
	result, err := r.imported(attempt)
	reason := context.Cause(attempt)
	stop(nil)
	renewing.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopBefore)
	defer cancel()
	status := Done
	switch {
	case errors.Is(reason, errLost):
		return nil
	case errors.Is(reason, errCanceled):
		status = Canceled
	case reason != nil: // the server stops
		return reason
	case tracker.CodeOf(err) == tracker.Unavailable && r.starved.Load():
		return err
	case r.entry.attempts() < maxAttempts && (tracker.Outdated(err) ||
		tracker.CodeOf(err) == tracker.Unavailable):
		return err
	case err != nil:
		status = Failed
		if tracker.CodeOf(err) == tracker.InternalErr {
			r.service.failed(err)
		}
	}
	if status != Canceled {
		result.Problems = append(result.Problems, problemsOf(err)...)
	}
	return r.end(ctx, status, result)
}

// renew renews the lease and saves the progress until ctx ends. It stops the attempt if the lease is lost or
// the import is canceled.
func (r *run) renew(ctx context.Context, stop context.CancelCauseFunc) {
	held := runner.Take(r.owner, r.now())
	for traffic.Sleep(ctx, r.service.every) == nil {
		r.mu.Lock()
		progress := r.progress
		r.mu.Unlock()
		next, canceled := runner.Take(r.owner, r.now()), false
		_, err := r.update(ctx, "", func(q *queue, _ *Import) error {
			if q.Owner != r.owner || q.Running != r.entry.ID {
				return errLost
			}
			q.Lease, q.Progress, canceled = next, progress, q.Cancel
			return nil
		})
		switch {
		case errors.Is(err, errLost) || err != nil && r.now().After(held.Until.Add(-stopBefore)):
			stop(errLost)
			return
		case canceled:
			stop(errCanceled)
			return
		case err == nil:
			held = next
		}
	}
}

// release gives up the lease, so that another server, or this one, can begin the import again. If uncounted
// is set, because the server stops or has no memory, the attempt does not count as one of maxAttempts.
func (r *run) release(ctx context.Context, uncounted bool) error {
	id := ""
	if uncounted && r.entry != nil {
		id = r.entry.ID
	}
	_, err := r.update(ctx, id, func(q *queue, m *Import) error {
		if q.Owner != r.owner {
			return errNothing
		}
		if q.Lease = (runner.Lease{}); m != nil {
			m.Uncounted++
		}
		return nil
	})
	return err
}

// end saves the result and the status, and removes the import from the queue. Without a summary, the result
// gets what earlier attempts have done.
func (r *run) end(ctx context.Context, status Status, result *Result) error {
	if result.Summary == nil && !r.entry.DryRun {
		switch earlier, err := r.openJournal(ctx); {
		case err == nil:
			result.Summary = summaryOf(importer.Interrupted(earlier))
		case tracker.CodeOf(err) == tracker.Unavailable: // otherwise, the import must end nevertheless
			return err
		}
	}
	if len(encode(result.Mapping)) > MaxMapping {
		result.Mapping = nil // nobody could send it again
	}
	id, text := r.entry.ID, []byte(encode(result))
	w := r.store.Create(ctx, id, content(contentResult, r.entry.Attempts), r.entry.Expires)
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_, err := r.update(ctx, id, func(q *queue, m *Import) error {
		if q.Owner != r.owner || q.Running != id {
			return errLost
		}
		m.Status, m.Ended, m.Result = status, r.now(), int64(len(text))
		if r.rejects != nil && r.rejects.closed {
			m.Rejects, m.RejectsName = r.rejects.stored.Size(), r.rejects.name
		}
		q.remove(id)
		return nil
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// imported runs package importer, and returns the result as far as there is one.
func (r *run) imported(ctx context.Context) (*Result, error) {
	m := r.entry
	o := importer.Options{File: m.Name, Size: m.Stored,
		Source:  r.store.Open(ctx, m.ID, contentFile, m.Stored),
		Project: m.Project, Mapping: m.Mapping, NewOptions: m.NewOptions, OnlyNew: m.OnlyNew,
		RemoveApostrophes: m.RemoveApostrophes, IssuesOnly: m.IssuesOnly, User: m.User, UserID: m.UserID,
		Workers: workers, Pace: r.pace,
		MaxBytes: Unpacked * r.service.maxBytes, MaxRows: MaxRows, MaxRecord: maxRecord, MaxName: maxName,
		Progress: r.report}
	if host := r.service.host; host != nil {
		memory, closeMemory := host.ImportMemory(r.tenant)
		defer closeMemory()
		o.Memory = budget{memory, &r.starved}
	}
	o.OpenRejects = func(name string) (io.WriteCloser, error) {
		r.rejects = r.newRejects(ctx, name)
		return r.rejects, nil
	}
	result := &Result{Mapping: m.Mapping}
	if m.DryRun {
		report, err := importer.Inspect(ctx, r.store.Tenant(), o)
		if err != nil {
			return result, err
		}
		result.Summary, result.Mapping = summaryOf(report.Summary), report.Mapping
		result.Reading = &report.Reading
		result.Columns = columnsOf(report.Columns[:min(len(report.Columns), maxColumns)])
		return result, report.Problem
	}
	var err error
	if o.Journal, err = r.openJournal(ctx); err != nil {
		return result, err
	}
	summary, err := importer.Run(ctx, r.store.Tenant(), o)
	if summary != nil {
		result.Summary, result.Mapping, result.Reading = summaryOf(summary), summary.Mapping, &summary.Reading
	}
	return result, err
}

// pace waits for the CPU, and for the tenant's capacity of background work, without the place of the import.
func (r *run) pace(ctx context.Context, cpu time.Duration) error {
	r.place.give()
	if host := r.service.host; host != nil {
		if err := host.Background(ctx, r.tenant, cpu); err != nil {
			return err
		}
	}
	if err := r.store.Pace(ctx); err != nil {
		return err
	}
	return r.place.take(ctx)
}

// budget notes that the memory of a server was spent.
type budget struct {
	importer.Memory
	starved *atomic.Bool
}

func (b budget) Hold(ctx context.Context, bytes int64) error {
	err := b.Memory.Hold(ctx, bytes)
	if tracker.CodeOf(err) == tracker.Unavailable {
		b.starved.Store(true)
	}
	return err
}

// place is the place of an import among those that work at a time. Its goroutines share it.
type place struct {
	enter func(ctx context.Context) (leave func(), err error)
	mu    sync.Mutex
	leave func() // nil while the import waits
}

// take waits for the place, unless the import has it.
func (p *place) take(ctx context.Context) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leave == nil {
		p.leave, err = p.enter(ctx)
	}
	return err
}

// give gives the place to another import.
func (p *place) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leave != nil {
		p.leave()
		p.leave = nil
	}
}

func (r *run) report(p importer.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = Progress(p)
}
