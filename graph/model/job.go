package model

import "issuegrid/tracker"

// NewJob makes the view of a job of a project.
func NewJob(d *tracker.Definition, j *tracker.Job) *Job {
	out := &Job{ID: j.ID, Kind: JobKind(j.Kind), Status: JobStatus(j.Status), Name: given(j.Name), StartedAt: DateTime(tracker.FormatDateTime(j.Started)),
		ProblemCount: int32(j.ProblemCount), Problems: make([]*JobProblem, len(j.Problems))}
	if j.Total > 0 {
		out.Progress = min(float64(j.At)/float64(j.Total), 1)
	}
	if !j.Open() {
		ended := DateTime(tracker.FormatDateTime(j.Ended))
		out.EndedAt = &ended
	}
	if j.Status == tracker.JobDone {
		out.Progress = 1
	}
	for i, p := range j.Problems {
		out.Problems[i] = &JobProblem{Issue: IssueNodeID(d.Project.Tenant, p.Issue), Num: int32(p.Num), Reason: p.Why}
	}
	return out
}
