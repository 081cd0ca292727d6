package tracker

import "time"

// JobKind says what a job does.
type JobKind string

// The kinds of jobs.
const (
	// JobMoveOptions puts the index in the new order of a field's options.
	JobMoveOptions JobKind = "MOVE_OPTIONS"
	// JobMergeOptions replaces options by another one, or by none.
	JobMergeOptions JobKind = "MERGE_OPTIONS"
	// JobDeleteField removes all values of a field that was deleted.
	JobDeleteField JobKind = "DELETE_FIELD"
	// JobChangeType converts the values of a field.
	JobChangeType JobKind = "CHANGE_TYPE"
	// JobDeleteProject removes everything of a project that was deleted.
	JobDeleteProject JobKind = "DELETE_PROJECT"
)

// JobStatus says how far a job is.
type JobStatus string

// The statuses of jobs. JobChecking changes nothing yet; the last two are final.
const (
	JobChecking JobStatus = "CHECKING"
	JobRunning  JobStatus = "RUNNING"
	JobDone     JobStatus = "DONE"
	JobFailed   JobStatus = "FAILED"
)

// Job brings the issues of a project up to a change of its definition, in the background.
type Job struct {
	ID     string
	Kind   JobKind
	Status JobStatus
	// Field is the field that was changed, and Name is its name.
	Field FieldID
	Name  string
	// Started, and Ended of one that has.
	Started, Ended time.Time
	// At is the number of the last issue that was looked at, of about Total.
	At, Total int64
	// Problems are values that can't be converted, and issues that can't be dealt with, the first
	// MaxProblems, of ProblemCount. Of jobs that ended long ago they are not kept.
	Problems     []Problem
	ProblemCount int64
}

// Open tells that a job has not ended.
func (j *Job) Open() bool { return j.Status == JobChecking || j.Status == JobRunning }

// Add adds problems.
func (j *Job) Add(all ...Problem) {
	j.ProblemCount += int64(len(all))
	j.Problems = append(j.Problems, all[:min(len(all), max(0, MaxProblems-len(j.Problems)))]...)
}

// Problem is something of an issue that a job can't do.
type Problem struct {
	Issue IssueID
	Num   int64
	Why   string
}

// MaxProblems is how many problems a job tells.
const MaxProblems = 100
