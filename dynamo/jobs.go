package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// work is the jobs of a project, and how far they are: one item, so that a job begins with the change that it is about. All open jobs go the same
// way, together: when no server can have a definition from before the change any more, over all issues by number. Who changes an issue meanwhile
// does it by the definition as it is now, so that no issue needs a second look. A job that is added makes it begin again.
type work struct {
	version int64
	jobs    []tracker.Job // the newest first
	// at is the number of the last issue that was dealt with.
	at int64
	// trash is the position in the trash from which on issues are still to be dealt with, nil for all of them; trashOf is the job that is looking there, and empty
	// where values are converted.
	trash   []byte
	trashOf string
	// since is when whoever is at it found the last job, so that its change was made before; zero until then.
	since time.Time
	// owner is who is at it, until that time.
	owner string
	until time.Time
}

const (
	// maxJobs is how many jobs a project keeps that have ended, and how many may be open.
	maxJobs = 20
	// maxProblems is how many problems the jobs of a project keep together, those of the newest first, because they are in one item.
	maxProblems = 300
)

// errJobs tells that the jobs have changed since they were read.
var errJobs = &tracker.Error{Code: tracker.Conflict, Message: "somebody else is changing the project; try again"}

func (w *work) open() bool {
	return slices.ContainsFunc(w.jobs, func(j tracker.Job) bool { return j.Open() })
}

// idle tells that there are jobs which nobody is at.
func (w *work) idle(now time.Time) bool { return w.open() && !w.until.After(now) }

// addJob adds a job to the work of a project.
func (t *Tenant) addJob(x *client.Transaction, d *tracker.Definition, w *work, job *tracker.Job) error {
	next := work{}
	if w != nil {
		next = *w
	}
	open := 0
	for i := range next.jobs {
		if next.jobs[i].Open() {
			open++
		}
	}
	if open >= maxJobs {
		return &tracker.Error{Code: tracker.Conflict, Message: "the project has " + strconv.Itoa(open) + " jobs under way; wait until some have ended"}
	}
	id, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	job.ID, job.Started, job.Total = id, t.time(), d.Highest
	if job.Status == "" {
		job.Status = tracker.JobRunning
	}
	next.jobs = append([]tracker.Job{*job}, next.jobs...)
	if ended := maxJobs + open + 1; len(next.jobs) > ended {
		next.jobs = slices.DeleteFunc(next.jobs, func(j tracker.Job) bool { ended--; return ended < 0 && !j.Open() })
	}
	next.at, next.since, next.owner = 0, time.Time{}, "" // whoever was at it begins again
	if next.trashOf == "" {                              // a job that is looking there goes on
		next.trash = nil
	}
	t.putWork(x, d.Project.ID, w, &next)
	return nil
}

// putWork replaces the work that was read.
func (t *Tenant) putWork(x *client.Transaction, p tracker.ProjectID, was, next *work) {
	is := client.MustNotExist(errJobs)
	next.version = 1
	if was != nil {
		is = client.MustHaveVersion(was.version, errJobs)
		next.version = was.version + 1
	}
	next.until = time.Time{}
	if !next.open() {
		next.owner = ""
	}
	if next.owner != "" {
		next.until = t.db.now().Add(leaseTime)
	}
	x.Put(t.db.table, t.encodeWork(p, next), is)
}

// saveWork does so alone.
func (t *Tenant) saveWork(ctx context.Context, p tracker.ProjectID, was, next *work) error {
	var x client.Transaction
	t.putWork(&x, p, was, next)
	return t.db.write(ctx, &x)
}

func (t *Tenant) encodeWork(p tracker.ProjectID, w *work) layout.Item {
	m := layout.KeyItem(t.keys.Jobs(p))
	if w.open() {
		m[layout.AttrSS] = layout.B(sortkey.Name("", string(p)))
	}
	m["version"] = layout.N(w.version)
	m["at"] = layout.N(w.at)
	m["trashOf"] = layout.S(w.trashOf)
	if w.trash != nil {
		m["trash"] = layout.B(w.trash)
	}
	m["since"] = layout.S(tracker.FormatDateTime(w.since))
	m["owner"] = layout.S(w.owner)
	m["until"] = layout.S(tracker.FormatDateTime(w.until))
	jobs, left := make([]types.AttributeValue, len(w.jobs)), maxProblems
	for i := range w.jobs {
		j := &w.jobs[i]
		told := j.Problems[:min(len(j.Problems), left)]
		left -= len(told)
		problems := make([]types.AttributeValue, len(told))
		for n, p := range told {
			problems[n] = &types.AttributeValueMemberM{Value: layout.Item{"issue": layout.S(p.Issue.Issue), "num": layout.N(p.Num), "why": layout.S(p.Why)}}
		}
		jobs[i] = &types.AttributeValueMemberM{Value: layout.Item{"id": layout.S(j.ID), "kind": layout.S(string(j.Kind)), "status": layout.S(string(j.Status)),
			"field": layout.S(string(j.Field)), "name": layout.S(j.Name), "started": layout.S(tracker.FormatDateTime(j.Started)), "ended": layout.S(tracker.FormatDateTime(j.Ended)),
			"at": layout.N(j.At), "total": layout.N(j.Total),
			"problems": &types.AttributeValueMemberL{Value: problems}, "count": layout.N(j.ProblemCount)}}
	}
	m["jobs"] = &types.AttributeValueMemberL{Value: jobs}
	return m
}

func decodeWork(p tracker.ProjectID, m layout.Item) *work {
	at := func(m layout.Item, name string) time.Time {
		at, _ := time.Parse(time.RFC3339Nano, layout.GetS(m, name)) // jobs that are damaged must not keep a project from being read
		return at
	}
	w := &work{version: layout.GetN(m, "version"), at: layout.GetN(m, "at"), since: at(m, "since"), owner: layout.GetS(m, "owner"), until: at(m, "until"),
		trash: layout.GetB(m, "trash"), trashOf: layout.GetS(m, "trashOf")}
	for _, av := range layout.GetL(m, "jobs") {
		jm, ok := av.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		j := tracker.Job{ID: layout.GetS(jm.Value, "id"), Kind: tracker.JobKind(layout.GetS(jm.Value, "kind")), Status: tracker.JobStatus(layout.GetS(jm.Value, "status")),
			Field: tracker.FieldID(layout.GetS(jm.Value, "field")), Name: layout.GetS(jm.Value, "name"), Started: at(jm.Value, "started"), Ended: at(jm.Value, "ended"),
			At: layout.GetN(jm.Value, "at"), Total: layout.GetN(jm.Value, "total"), ProblemCount: layout.GetN(jm.Value, "count")}
		for _, av := range layout.GetL(jm.Value, "problems") {
			if pm, ok := av.(*types.AttributeValueMemberM); ok {
				j.Problems = append(j.Problems, tracker.Problem{Issue: tracker.IssueID{Project: p, Issue: layout.GetS(pm.Value, "issue")}, Num: layout.GetN(pm.Value, "num"), Why: layout.GetS(pm.Value, "why")})
			}
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// jobRunner runs jobs in the background, those of one project at a time each.
type jobRunner struct {
	mu      sync.Mutex
	ctx     context.Context     // nil: none are run here
	running map[layout.Key]bool // whether there may be a job since they were looked for last
	group   sync.WaitGroup
	limit   chan struct{}
	failed  func(error)
}

// jobsAtATime is of how many projects a server does the jobs at a time. Those that wait do not count.
const jobsAtATime = 2

// RunJobs lets jobs run in this process until ctx ends: those that changes made here begin, those of projects that are used and that nobody is at,
// and those that are found at the start. failed is told why one could not go on; it is taken up again. The result waits until all have
// stopped.
func (db *DB) RunJobs(ctx context.Context, failed func(error)) (ended func()) {
	r := db.jobs
	r.mu.Lock()
	r.ctx, r.running, r.limit, r.failed = ctx, map[layout.Key]bool{}, make(chan struct{}, jobsAtATime), failed
	r.mu.Unlock()
	r.group.Go(func() {
		for next := findEvery; ctx.Err() == nil; next = findEvery {
			if err := db.findJobs(ctx); err != nil && ctx.Err() == nil {
				failed(fmt.Errorf("%w: %w", ErrJobsNotFound, err))
				next = db.retryTime()
			}
			_ = client.Wait(ctx, next)
		}
	})
	return r.group.Wait
}

// ErrJobsNotFound is told where it could not be found out which jobs are open; those that run go on.
var ErrJobsNotFound = errors.New("open jobs can't be looked for")

// findEvery is how often a server looks for jobs that it was not told of, because a server that was at them has died.
const findEvery = time.Hour

// retryTime is after how long a server looks again at jobs that could not go on, or that another one is at.
func (db *DB) retryTime() time.Duration { return db.writeTime }

// findJobs looks for open jobs in all tenants.
func (db *DB) findJobs(ctx context.Context) error {
	q := ListQuery{Limit: 100}
	for more := true; more; {
		var page []Listed[tracker.TenantID]
		var err error
		if page, more, err = db.ListTenants(ctx, q); err != nil {
			return err
		}
		for _, found := range page {
			q.From = behindPosition(found.Position)
			t, err := db.Tenant(found.ID)
			if err != nil {
				return err
			}
			projects, _, err := list(ctx, db, t.keys.OpenJobs(), ListQuery{Limit: 1000}, t.keys.ParseProject)
			if err != nil {
				return err
			}
			for _, p := range projects {
				db.jobs.kick(t, p.ID)
			}
		}
	}
	return nil
}

// behindPosition is the smallest position that is greater.
func behindPosition(position []byte) []byte { return append(slices.Clip(position), 0) }

// kick sees to the jobs of a project until there are none, unless somebody here does so already.
func (r *jobRunner) kick(t *Tenant, p tracker.ProjectID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := t.keys.Jobs(p)
	if r.ctx == nil || r.ctx.Err() != nil {
		return
	}
	if _, ok := r.running[key]; ok {
		r.running[key] = true
		return
	}
	r.running[key] = false
	r.group.Go(func() {
		for r.ctx.Err() == nil {
			open, err := t.doJobs(r.ctx, p)
			if err == nil && !open && r.ended(key) {
				return
			}
			if err == nil && !open {
				continue
			}
			if err != nil && r.ctx.Err() == nil {
				r.failed(err)
			}
			_ = client.Wait(r.ctx, t.db.retryTime())
		}
	})
}

// ended forgets a project whose jobs are done, unless there may be one more since they were looked for.
func (r *jobRunner) ended(key layout.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if again := r.running[key]; again {
		r.running[key] = false
		return false
	}
	delete(r.running, key)
	return true
}

// enter waits for its turn at the work, and returns what lets the next one have it.
func (r *jobRunner) enter(ctx context.Context) (leave func(), err error) {
	r.mu.Lock()
	limit := r.limit
	r.mu.Unlock()
	if limit == nil {
		return func() {}, nil
	}
	select {
	case limit <- struct{}{}:
		return func() { <-limit }, nil
	case <-ctx.Done():
		return nil, client.Translate(ctx.Err())
	}
}

// jobsName is who makes the changes that jobs make, in histories.
const jobsName = "job"
