package dynamo

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// work is the jobs of a project, and how far they are: one item, so that a job begins with the change that it
// is about. All open jobs go the same way, together: when no server can have a definition from before the
// change any more, over all issues by number. Who changes an issue meanwhile does it by the definition as it
// is now, so that no issue needs a second look. A job that is added makes it begin again.
type work struct {
	version int64
	jobs    []tracker.Job // the newest first
	// at is the number of the last issue that was dealt with.
	at int64
	// trash is the position in the trash from which on issues are still to be dealt with, nil for all of
	// them; trashOf is the job that is looking there, and empty where values are converted.
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
	// maxProblems is how many problems the jobs of a project keep together, those of the newest first,
	// because they are in one item.
	maxProblems = 300
)

// leaseTime is how long a server that is at the jobs of a project may be silent before another one takes them
// over.
const leaseTime = 30 * time.Second

// errProjectChanged is the refusal of a write that follows from a version of a project, or of its jobs,
// that is not the one there any more.
var errProjectChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "another request is changing the project; try again"}

func (w *work) open() bool {
	return slices.ContainsFunc(w.jobs, func(j tracker.Job) bool { return j.Open() })
}

// idle tells that there are jobs which nobody is at.
func (w *work) idle(now time.Time) bool { return w.open() && !w.until.After(now) }

// addJob adds a job to the work of a project.
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
	job.ID, job.Started, job.Total = id, t.db.time(), d.Highest
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
	next.at, next.since, next.owner = 0, time.Time{}, "" // whoever was at it begins again
	if next.trashOf == "" {                              // a job that is looking there goes on
		next.trash = nil
	}
	putWork(scope(t), x, d.Project.ID, w, &next)
	return nil
}

// putWork replaces the work that was read.
func putWork(t scope, x *client.Transaction, p tracker.ProjectID, was, next *work) {
	is := client.MustNotExist(errProjectChanged)
	next.version = 1
	if was != nil {
		is = client.MustHaveVersion(was.version, errProjectChanged)
		next.version = was.version + 1
	}
	next.until = time.Time{}
	if !next.open() {
		next.owner = ""
	}
	if next.owner != "" {
		next.until = t.db.now().Add(leaseTime)
	}
	x.Put(t.db.table, encodeWork(t.keys, p, next), is)
}

// saveWork does so alone.
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
	m["owner"] = layout.S(w.owner)
	m["until"] = layout.S(tracker.FormatDateTime(w.until))
	jobs, left := make([]types.AttributeValue, len(w.jobs)), maxProblems
	for i := range w.jobs {
		j := &w.jobs[i]
		kept := j.Problems[:min(len(j.Problems), left)]
		left -= len(kept)
		problems := make([]types.AttributeValue, len(kept))
		for n, p := range kept {
			problems[n] = &types.AttributeValueMemberM{Value: layout.Item{"issue": layout.S(p.Issue.Issue),
				"num": layout.N(p.Num), "why": layout.S(p.Why)}}
		}
		jobs[i] = &types.AttributeValueMemberM{Value: layout.Item{"id": layout.S(j.ID),
			"kind": layout.S(string(j.Kind)), "status": layout.S(string(j.Status)),
			"field": layout.S(string(j.Field)), "name": layout.S(j.Name),
			"started": layout.S(tracker.FormatDateTime(j.Started)),
			"ended":   layout.S(tracker.FormatDateTime(j.Ended)),
			"at":      layout.N(j.At), "total": layout.N(j.Total),
			"problems": &types.AttributeValueMemberL{Value: problems}, "count": layout.N(j.ProblemCount)}}
	}
	m["jobs"] = &types.AttributeValueMemberL{Value: jobs}
	return m
}

func decodeWork(p tracker.ProjectID, m layout.Item) *work {
	at := func(m layout.Item, name string) time.Time {
		// jobs that are damaged must not keep a project from being read
		at, _ := time.Parse(time.RFC3339Nano, layout.GetS(m, name))
		return at
	}
	w := &work{version: layout.GetN(m, "version"), at: layout.GetN(m, "at"), since: at(m, "since"),
		owner: layout.GetS(m, "owner"), until: at(m, "until"),
		trash: layout.GetB(m, "trash"), trashOf: layout.GetS(m, "trashOf")}
	for _, av := range layout.GetL(m, "jobs") {
		jm, ok := av.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		j := tracker.Job{ID: layout.GetS(jm.Value, "id"),
			Kind:   tracker.JobKind(layout.GetS(jm.Value, "kind")),
			Status: tracker.JobStatus(layout.GetS(jm.Value, "status")),
			Field:  tracker.FieldID(layout.GetS(jm.Value, "field")), Name: layout.GetS(jm.Value, "name"),
			Started: at(jm.Value, "started"), Ended: at(jm.Value, "ended"),
			At: layout.GetN(jm.Value, "at"), Total: layout.GetN(jm.Value, "total"),
			ProblemCount: layout.GetN(jm.Value, "count")}
		for _, av := range layout.GetL(jm.Value, "problems") {
			if pm, ok := av.(*types.AttributeValueMemberM); ok {
				j.Problems = append(j.Problems,
					tracker.Problem{Issue: tracker.IssueID{Project: p, Issue: layout.GetS(pm.Value, "issue")},
						Num: layout.GetN(pm.Value, "num"), Why: layout.GetS(pm.Value, "why")})
			}
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

// checking is the job that is looking at values: the one that is in the trash already, so that nothing there
// is looked at twice, else the newest. Nil if there is none.
func (w *work) checking() (found *tracker.Job) {
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Status == tracker.JobChecking && (found == nil || j.ID == w.trashOf) {
			found = j
		}
	}
	return found
}

// addProblems adds problems to a job that is running, the newest.
func (w *work) addProblems(problems []tracker.Problem) {
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Status == tracker.JobRunning {
			j.Add(problems...)
			return
		}
	}
}
