package model

import "issuegrid/tracker"

// NewJob returns the view of a job of a project.
func NewJob(t tracker.TenantID, p tracker.ProjectID, j *tracker.Job) *Job {
	out := &Job{ID: JobID(t, p, j.ID), Kind: JobKind(j.Kind), Status: JobStatus(j.Status),
		Reason:     nonEmpty(j.Reason),
		Cancelable: j.Cancelable, FieldName: nonEmpty(j.Name),
		CreatedAt:    DateTime(tracker.FormatDateTime(j.Started)),
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
	for i, problem := range j.Problems {
		out.Problems[i] = &JobProblem{IssueID: IssueNodeID(t, problem.Issue), Num: int32(problem.Num),
			Reason: problem.Reason}
	}
	return out
}
