package dynamo

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/runner"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// work contains the jobs of a project and their progress. It is one item, so that a job can be created in the
// transaction of the change that requires it. All open jobs share one pass over all issues by number. The
// pass starts when no server can still use a definition from before the change. Meanwhile, other changes of
// issues use the current definition, so that no issue has to be visited twice. Adding a job restarts the
// pass.
type work struct {
	version int64
	jobs    []tracker.Job // newest first
	// at is the number of the last issue processed.
	at int64
	// trash is the position in the trash of the next issue to process, nil for the start. trashOf is the job
	// that is checking the trash, and empty if values are being converted.
	trash   []byte
	trashOf string
	// since is when the owner first saw the newest job, and so after its change was made; zero until then.
	since time.Time
	lease runner.Lease
	// waiting is why the pass has not begun; empty if it has.
	waiting string
	// tries is how often a server has lost the lease since the last progress of the pass, because it crashed
	// or did not respond. alone is how many of the next issues are processed one by one, to find the one that
	// is the cause.
	tries, alone int64

	added lastAdded // of the counter, not stored with the work
}

// lastAdded contains when issues were last added to a project: when numbers were last reserved, and when
// issues were last added under older numbers.
type lastAdded struct{ reserved, otherwise time.Time }

const (
	// maxJobs is the maximum number of finished jobs that a project keeps, and of open jobs.
	maxJobs = 20
	// maxProblems is the maximum number of problems that the jobs of a project keep together, those of the
	// newest jobs first. It is limited because they share one item.
	maxProblems = 300
	// After fewTries, issues are processed one by one. After maxTries, the next issue is left out as a
	// problem, or the job fails if it only checks issues, so that an issue that ends its servers does not do
	// so for ever.
	fewTries, maxTries = 3, 5
)

// crashed is the reason that is recorded after maxTries, and errCrashed is its error.
const crashed = "the server has crashed or stopped responding in 5 attempts to process the issue"

var errCrashed = &tracker.Error{Code: tracker.InternalErr, Message: crashed}

// errProjectChanged is returned by a write that requires an outdated version of a project or of its jobs.
var errProjectChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "another request is changing the project; try again"}

func (w *work) open() bool {
	return slices.ContainsFunc(w.jobs, func(j tracker.Job) bool { return j.Open() })
}

// idle reports whether there are open jobs that no server is running.
func (w *work) idle(now time.Time) bool { return w.open() && w.lease.Held("", now) == 0 }

// addJob adds a job to the work of a project. Then job is as clients see it.
func (t definer) addJob(x *client.Transaction, d *tracker.Definition, w *work, job *tracker.Job) error {
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
		return &tracker.Error{Code: tracker.Conflict, Message: "the project has " + strconv.Itoa(open) +
			" running jobs; wait until some have ended"}
	}
	id, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	job.ID, job.By, job.Started, job.Total = id, t.by.Name, t.db.time(), d.MaxIssueNum
	if job.Status == "" {
		job.Status = tracker.JobRunning
	}
	next.jobs = append([]tracker.Job{*job}, next.jobs...)
	if ended := maxJobs + open + 1; len(next.jobs) > ended {
		next.jobs = slices.DeleteFunc(next.jobs, func(j tracker.Job) bool {
			ended--
			return ended < 0 && !j.Open()
		})
	}
	next.restart()          // the owner starts over
	if next.trashOf == "" { // a job that is checking the trash continues
		next.trash = nil
	}
	putWork(scope(t), x, d.Project.ID, w, &next)
	*job = next.show(*job)
	return nil
}

// job returns a pointer to the job with an id. w may be nil.
func (w *work) job(id string) (*tracker.Job, error) {
	if w != nil {
		for i := range w.jobs {
			if w.jobs[i].ID == id {
				return &w.jobs[i], nil
			}
		}
	}
	return nil, tracker.Missing("job")
}

// restart makes the pass start over, after all servers have read the current definition.
func (w *work) restart() {
	w.at, w.since, w.waiting = 0, time.Time{}, waitingForServers
	w.lease = runner.Lease{}
	w.tries, w.alone = 0, 0
}

// lost records that the owner has lost its lease.
func (w *work) lost() {
	if w.tries++; w.tries >= fewTries {
		w.alone = jobChunk
	}
}

// progressed records that a step succeeds.
func (w *work) progressed() { w.tries, w.alone = 0, max(0, w.alone-1) }

// chunk returns how many issues the next step processes.
func (w *work) chunk() int {
	if w.alone > 0 {
		return 1
	}
	return jobChunk
}

// exhausted reports whether the next issue must not be processed.
func (w *work) exhausted() bool { return w.tries >= maxTries }

// Reasons to wait.
const (
	waitingForServers = "waiting until no server can write with the old definition"
	waitingForIndex   = "waiting until the index has the issues that were just created"
)

// shown returns the jobs as clients see them.
func (w *work) shown() []tracker.Job {
	jobs := slices.Clone(w.jobs)
	for i := range jobs {
		jobs[i] = w.show(jobs[i])
	}
	return jobs
}

// show returns a job of the work as clients see it.
func (w *work) show(j tracker.Job) tracker.Job {
	if j.Open() {
		j.Cancelable = j.Status == tracker.JobChecking
		if w.waiting != "" {
			j.Status, j.Reason = tracker.JobWaiting, w.waiting
		}
	}
	return j
}

// putWork adds a write that replaces was, the work that was read, by next.
func putWork(t scope, x *client.Transaction, p tracker.ProjectID, was, next *work) {
	condition := client.MustNotExist(errProjectChanged)
	next.version = 1
	if was != nil {
		condition = client.MustHaveVersion(was.version, errProjectChanged)
		next.version = was.version + 1
	}
	if next.lease.Owner == "" || !next.open() {
		next.lease = runner.Lease{}
	} else {
		next.lease = runner.Take(next.lease.Owner, t.db.now())
	}
	x.Put(t.db.table, encodeWork(t.keys, p, next), condition)
}

// saveWork replaces the work in a transaction with no other write.
func saveWork(ctx context.Context, t scope, p tracker.ProjectID, was, next *work) error {
	var x client.Transaction
	putWork(t, &x, p, was, next)
	return t.db.write(ctx, &x)
}

func encodeWork(k layout.Keys, p tracker.ProjectID, w *work) layout.Item {
	m := layout.KeyItem(k.Jobs(p))
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
	m["owner"] = layout.S(w.lease.Owner)
	m["waiting"] = layout.S(w.waiting)
	m["until"] = layout.S(tracker.FormatDateTime(w.lease.Until))
	if w.tries > 0 || w.alone > 0 {
		m["tries"], m["alone"] = layout.N(w.tries), layout.N(w.alone)
	}
	jobs, left := make([]types.AttributeValue, len(w.jobs)), maxProblems
	for i := range w.jobs {
		j := &w.jobs[i]
		kept := j.Problems[:min(len(j.Problems), left)]
		left -= len(kept)
		problems := make([]types.AttributeValue, len(kept))
		for n, p := range kept {
			problems[n] = &types.AttributeValueMemberM{Value: layout.Item{"issue": layout.S(p.Issue.Issue),
				"num": layout.N(p.Num), "why": layout.S(p.Reason)}}
		}
		jm := layout.Item{"id": layout.S(j.ID),
			"kind": layout.S(string(j.Kind)), "status": layout.S(string(j.Status)),
			"field": layout.S(string(j.Field)), "name": layout.S(j.Name),
			"started": layout.S(tracker.FormatDateTime(j.Started)),
			"ended":   layout.S(tracker.FormatDateTime(j.Ended)),
			"reason":  layout.S(j.Reason),
			"at":      layout.N(j.At), "total": layout.N(j.Total),
			"problems": &types.AttributeValueMemberL{Value: problems}, "count": layout.N(j.ProblemCount)}
		if j.By != "" {
			jm["by"] = layout.S(j.By)
		}
		if len(j.Options) > 0 {
			jm["options"] = layout.EncodeOptions(j.Options)
		}
		jobs[i] = &types.AttributeValueMemberM{Value: jm}
	}
	m["jobs"] = &types.AttributeValueMemberL{Value: jobs}
	return m
}

func decodeWork(p tracker.ProjectID, m layout.Item) *work {
	at := func(m layout.Item, name string) time.Time {
		// damaged jobs must not make a project unreadable
		at, _ := time.Parse(time.RFC3339Nano, layout.GetS(m, name))
		return at
	}
	w := &work{version: layout.GetN(m, "version"), at: layout.GetN(m, "at"), since: at(m, "since"),
		lease:   runner.Lease{Owner: layout.GetS(m, "owner"), Until: at(m, "until")},
		waiting: layout.GetS(m, "waiting"),
		trash:   layout.GetB(m, "trash"), trashOf: layout.GetS(m, "trashOf"),
		tries: layout.GetN(m, "tries"), alone: layout.GetN(m, "alone")}
	for _, av := range layout.GetL(m, "jobs") {
		jm, ok := av.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		j := tracker.Job{ID: layout.GetS(jm.Value, "id"),
			Kind:   tracker.JobKind(layout.GetS(jm.Value, "kind")),
			Status: tracker.JobStatus(layout.GetS(jm.Value, "status")),
			By:     layout.GetS(jm.Value, "by"),
			Field:  tracker.FieldID(layout.GetS(jm.Value, "field")), Name: layout.GetS(jm.Value, "name"),
			Started: at(jm.Value, "started"), Ended: at(jm.Value, "ended"),
			At: layout.GetN(jm.Value, "at"), Total: layout.GetN(jm.Value, "total"),
			Reason: layout.GetS(jm.Value, "reason"), Options: layout.DecodeOptions(jm.Value),
			ProblemCount: layout.GetN(jm.Value, "count")}
		for _, av := range layout.GetL(jm.Value, "problems") {
			if pm, ok := av.(*types.AttributeValueMemberM); ok {
				j.Problems = append(j.Problems,
					tracker.Problem{Issue: tracker.IssueID{Project: p, Issue: layout.GetS(pm.Value, "issue")},
						Num: layout.GetN(pm.Value, "num"), Reason: layout.GetS(pm.Value, "why")})
			}
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// checking returns the job that is checking values: the job that is already in the trash, so that no issue
// there is checked twice, otherwise the newest one. It returns nil if there is none.
func (w *work) checking() (found *tracker.Job) {
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Status == tracker.JobChecking && (found == nil || j.ID == w.trashOf) {
			found = j
		}
	}
	return found
}

// addProblems adds problems to the newest running job.
func (w *work) addProblems(problems []tracker.Problem) {
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Status == tracker.JobRunning {
			j.Add(problems...)
			return
		}
	}
}
