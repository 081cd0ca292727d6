// Package work stores the jobs of a project and their progress, which are one item.
package work

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/runner"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// State contains the jobs of a project and their progress. It is one item, so that a job can be created in
// the transaction of the change that requires it. All open jobs share one pass over all issues by number. The
// pass starts when no server can still use a definition from before the change. Meanwhile, other changes of
// issues use the current definition, so that no issue has to be visited twice. Adding a job restarts the
// pass.
type State struct {
	version int64
	Jobs    []tracker.Job // newest first
	// At is the number of the last issue processed.
	At int64
	// Trash is the position in the trash of the next issue to process, nil for the start. TrashOf is the job
	// that is checking the trash, and empty if values are being converted.
	Trash   []byte
	TrashOf string
	// Since is when the owner first saw the newest job, and so after its change was made; zero until then.
	Since time.Time
	Lease runner.Lease
	// Waiting is why the pass has not begun; empty if it has.
	Waiting string
	// tries is how often a server has lost the lease since the last progress of the pass, because it crashed
	// or did not respond. alone is how many of the next issues are processed one by one, to find the one that
	// is the cause.
	tries, alone int64

	Added Added // of the counter, not stored with the work
}

// Added contains when issues were last added to a project: when numbers were last reserved, and when
// issues were last added under older numbers.
type Added struct{ Reserved, Otherwise time.Time }

const (
	// chunkSize is the number of issues that a step processes.
	chunkSize = 50
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

// Crashed is the reason that is recorded after maxTries.
const Crashed = "the server has crashed or stopped responding in 5 attempts to process the issue"

// ErrCrashed is the error of an issue that was left out.
var ErrCrashed = &tracker.Error{Code: tracker.InternalErr, Message: Crashed}

// ErrProjectChanged is returned by a write that requires an outdated version of a project or of its jobs.
var ErrProjectChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "another request is changing the project; try again"}

// Reasons to wait.
const (
	WaitingForServers = "waiting until no server can write with the old definition"
	WaitingForIndex   = "waiting until the index has the issues that were just created"
)

// Open reports whether a job is open.
func (w *State) Open() bool {
	return slices.ContainsFunc(w.Jobs, func(j tracker.Job) bool { return j.Open() })
}

// Idle reports whether there are open jobs that no server is running.
func (w *State) Idle(now time.Time) bool { return w.Open() && w.Lease.Held("", now) == 0 }

// Add adds a job to the work of a project. Then job is as clients see it.
func Add(t *store.Tenant, x *client.Transaction, d *tracker.Definition, w *State, job *tracker.Job) error {
	next := State{}
	if w != nil {
		next = *w
	}
	open := 0
	for i := range next.Jobs {
		if next.Jobs[i].Open() {
			open++
		}
	}
	if open >= maxJobs {
		return &tracker.Error{Code: tracker.Conflict, Message: "the project has " + strconv.Itoa(open) +
			" running jobs; wait until some have ended"}
	}
	job.ID = t.JobID
	if old, err := w.Job(job.ID); err == nil { // of a key that was used again after it has expired
		if next.Jobs = slices.DeleteFunc(slices.Clone(next.Jobs), func(j tracker.Job) bool {
			return j.ID == job.ID && !j.Open()
		}); old.Open() {
			job.ID = ""
		}
	}
	if job.ID == "" {
		id, err := t.NewID()
		if err != nil {
			return err
		}
		job.ID = id
	}
	job.By, job.ByUser, job.Started, job.Total = t.By.Name, t.By.User, t.Time(), d.MaxIssueNum
	if job.Status == "" {
		job.Status = tracker.JobRunning
	}
	next.Jobs = append([]tracker.Job{*job}, next.Jobs...)
	if ended := maxJobs + open + 1; len(next.Jobs) > ended {
		next.Jobs = slices.DeleteFunc(next.Jobs, func(j tracker.Job) bool {
			ended--
			return ended < 0 && !j.Open()
		})
	}
	next.Restart()          // the owner starts over
	if next.TrashOf == "" { // a job that is checking the trash continues
		next.Trash = nil
	}
	Put(t, x, d.Project.ID, w, &next)
	*job = next.show(*job)
	return nil
}

// Job returns a pointer to the job with an id. w may be nil.
func (w *State) Job(id string) (*tracker.Job, error) {
	if w != nil {
		for i := range w.Jobs {
			if w.Jobs[i].ID == id {
				return &w.Jobs[i], nil
			}
		}
	}
	return nil, tracker.Missing("job")
}

// Restart makes the pass start over, after all servers have read the current definition.
func (w *State) Restart() {
	w.At, w.Since, w.Waiting = 0, time.Time{}, WaitingForServers
	w.Lease = runner.Lease{}
	w.tries, w.alone = 0, 0
}

// Lost records that the owner has lost its lease.
func (w *State) Lost() {
	if w.tries++; w.tries >= fewTries {
		w.alone = chunkSize
	}
}

// Progressed records that a step succeeds.
func (w *State) Progressed() { w.tries, w.alone = 0, max(0, w.alone-1) }

// Chunk returns how many issues the next step processes.
func (w *State) Chunk() int {
	if w.alone > 0 {
		return 1
	}
	return chunkSize
}

// Exhausted reports whether the next issue must not be processed.
func (w *State) Exhausted() bool { return w.tries >= maxTries }

// Shown returns the jobs as clients see them.
func (w *State) Shown() []tracker.Job {
	jobs := slices.Clone(w.Jobs)
	for i := range jobs {
		jobs[i] = w.show(jobs[i])
	}
	return jobs
}

// show returns a job of the work as clients see it.
func (w *State) show(j tracker.Job) tracker.Job {
	if j.Open() {
		j.Cancelable = j.Status == tracker.JobChecking
		if w.Waiting != "" {
			j.Status, j.Reason = tracker.JobWaiting, w.Waiting
		}
	}
	return j
}

// Checking returns the job that is checking values: the job that is already in the trash, so that no issue
// there is checked twice, otherwise the newest one. It returns nil if there is none.
func (w *State) Checking() (found *tracker.Job) {
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.Status == tracker.JobChecking && (found == nil || j.ID == w.TrashOf) {
			found = j
		}
	}
	return found
}

// AddProblems adds problems to the newest running job.
func (w *State) AddProblems(problems []tracker.Problem) {
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.Status == tracker.JobRunning {
			j.Add(problems...)
			return
		}
	}
}

// Put adds a write that replaces was, the work that was read, by next.
func Put(t *store.Tenant, x *client.Transaction, p tracker.ProjectID, was, next *State) {
	condition := client.MustNotExist(ErrProjectChanged)
	next.version = 1
	if was != nil {
		condition = client.MustHaveVersion(was.version, ErrProjectChanged)
		next.version = was.version + 1
	}
	if next.Lease.Owner == "" || !next.Open() {
		next.Lease = runner.Lease{}
	} else {
		next.Lease = runner.Take(next.Lease.Owner, t.Now())
	}
	x.Put(t.Table, Encode(t.Keys, p, next), condition)
}

// Save replaces the work in a transaction with no other write.
func Save(ctx context.Context, t *store.Tenant, p tracker.ProjectID, was, next *State) error {
	var x client.Transaction
	Put(t, &x, p, was, next)
	return t.Write(ctx, &x)
}

// Encode returns the item of the work of a project.
func Encode(k layout.Keys, p tracker.ProjectID, w *State) layout.Item {
	m := layout.KeyItem(k.Jobs(p))
	if w.Open() {
		m[layout.AttrSS] = layout.B(sortkey.Name("", string(p)))
	}
	m["version"] = layout.N(w.version)
	m["at"] = layout.N(w.At)
	m["trashOf"] = layout.S(w.TrashOf)
	if w.Trash != nil {
		m["trash"] = layout.B(w.Trash)
	}
	m["since"] = layout.S(tracker.FormatDateTime(w.Since))
	m["owner"] = layout.S(w.Lease.Owner)
	m["waiting"] = layout.S(w.Waiting)
	m["until"] = layout.S(tracker.FormatDateTime(w.Lease.Until))
	if w.tries > 0 || w.alone > 0 {
		m["tries"], m["alone"] = layout.N(w.tries), layout.N(w.alone)
	}
	jobs, left := make([]types.AttributeValue, len(w.Jobs)), maxProblems
	for i := range w.Jobs {
		j := &w.Jobs[i]
		kept := j.Problems[:min(len(j.Problems), left)]
		left -= len(kept)
		problems := make([]types.AttributeValue, len(kept))
		for n, p := range kept {
			problems[n] = &types.AttributeValueMemberM{Value: layout.Item{"issue": layout.S(p.Issue.Issue),
				"num": layout.N(p.Num), "why": layout.S(p.Reason)}}
		}
		jm := layout.Item{"id": layout.S(j.ID),
			"kind": layout.S(encodeKind(j.Kind)), "status": layout.S(string(j.Status)),
			"field": layout.S(string(j.Field)), "name": layout.S(j.Name),
			"started": layout.S(tracker.FormatDateTime(j.Started)),
			"ended":   layout.S(tracker.FormatDateTime(j.Ended)),
			"reason":  layout.S(j.Reason),
			"at":      layout.N(j.At), "total": layout.N(j.Total),
			"problems": &types.AttributeValueMemberL{Value: problems}, "count": layout.N(j.ProblemCount)}
		if j.By != "" {
			jm["by"] = layout.S(j.By)
		}
		if j.ByUser != "" {
			jm[layout.AttrByUser] = layout.S(string(j.ByUser))
		}
		if len(j.Options) > 0 {
			jm["options"] = layout.EncodeOptions(j.Options)
		}
		jobs[i] = &types.AttributeValueMemberM{Value: jm}
	}
	m["jobs"] = &types.AttributeValueMemberL{Value: jobs}
	return m
}

// changeType is how a tracker.JobChangeType is stored. The other kinds are stored as they are.
const changeType = "CHANGE_TYPE"

func encodeKind(k tracker.JobKind) string {
	if k == tracker.JobChangeType {
		return changeType
	}
	return string(k)
}

func decodeKind(stored string) tracker.JobKind {
	if stored == changeType {
		return tracker.JobChangeType
	}
	return tracker.JobKind(stored)
}

// Decode returns the work of a project from its item.
func Decode(p tracker.ProjectID, m layout.Item) *State {
	at := func(m layout.Item, name string) time.Time {
		// damaged jobs must not make a project unreadable
		at, _ := time.Parse(time.RFC3339Nano, layout.GetS(m, name))
		return at
	}
	w := &State{version: layout.GetN(m, "version"), At: layout.GetN(m, "at"), Since: at(m, "since"),
		Lease:   runner.Lease{Owner: layout.GetS(m, "owner"), Until: at(m, "until")},
		Waiting: layout.GetS(m, "waiting"),
		Trash:   layout.GetB(m, "trash"), TrashOf: layout.GetS(m, "trashOf"),
		tries: layout.GetN(m, "tries"), alone: layout.GetN(m, "alone")}
	for _, av := range layout.GetL(m, "jobs") {
		jm, ok := av.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		j := tracker.Job{ID: layout.GetS(jm.Value, "id"),
			Kind:   decodeKind(layout.GetS(jm.Value, "kind")),
			Status: tracker.JobStatus(layout.GetS(jm.Value, "status")),
			By:     layout.GetS(jm.Value, "by"),
			ByUser: tracker.UserID(layout.GetS(jm.Value, layout.AttrByUser)),
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
		w.Jobs = append(w.Jobs, j)
	}
	return w
}
