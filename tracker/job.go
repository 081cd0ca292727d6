package tracker

import "time"

// JobKind is the kind of a job.
type JobKind string

// The kinds of jobs.
const (
	// JobMoveOptions updates the index to a new order of a field's options.
	JobMoveOptions JobKind = "MOVE_OPTIONS"
	// JobMergeOptions replaces options with another option, or removes them.
	JobMergeOptions JobKind = "MERGE_OPTIONS"
	// JobMoveStates updates the index to a new order of the project's states, or after one was opened or
	// closed.
	JobMoveStates JobKind = "MOVE_STATES"
	// JobMergeStates replaces states with another state.
	JobMergeStates JobKind = "MERGE_STATES"
	// JobDeleteField removes all values of a deleted field.
	JobDeleteField JobKind = "DELETE_FIELD"
	// JobChangeType converts the values of a field.
	JobChangeType JobKind = "CHANGE_FIELD_TYPE"
	// JobLinkNames makes values of a field that are only names refer to users.
	JobLinkNames JobKind = "LINK_USER_NAMES"
	// JobIndexEmpties adds index entries for the issues that have no value in a column, or removes them.
	JobIndexEmpties JobKind = "INDEX_EMPTY_VALUES"
	// JobDeleteProject removes all data of a deleted project.
	JobDeleteProject JobKind = "DELETE_PROJECT"
)

// JobStatus is the progress of a job.
type JobStatus string

// The statuses of jobs. JobChecking is before any change; JobDone, JobFailed and JobCanceled are final.
// JobWaiting is the status of a job that will be JobChecking or JobRunning, as shown to clients.
const (
	JobWaiting  JobStatus = "WAITING"
	JobChecking JobStatus = "CHECKING"
	JobRunning  JobStatus = "RUNNING"
	JobDone     JobStatus = "DONE"
	JobFailed   JobStatus = "FAILED"
	JobCanceled JobStatus = "CANCELED"
)

// Job applies a change of a project's definition to its issues, in the background.
type Job struct {
	ID     string
	Kind   JobKind
	Status JobStatus
	// Reason is why the job waits or has failed, if its problems do not say it.
	Reason string
	// By is the name of the user that started the job, or empty if unknown, and ByUser its id.
	By     string
	ByUser UserID
	// Cancelable reports whether the job can be canceled: it has changed nothing yet.
	Cancelable bool
	// Field is the changed field, and Name is its name. They are empty if the states were changed.
	Field FieldID
	Name  string
	// Ended is zero until the job ends.
	Started, Ended time.Time
	// At is the number of the last issue that the job has processed. Total is the estimated highest number.
	At, Total int64
	// Options are the options that a change of type has created from the values so far, or those of a deleted
	// field. They are removed when the job ends.
	Options []Option
	// Problems are the first MaxProblems of the ProblemCount values that cannot be converted and issues that
	// cannot be processed. They are removed some time after the job ends.
	Problems     []Problem
	ProblemCount int64
}

// Open reports whether the job has not ended.
func (j *Job) Open() bool {
	return j.Status == JobWaiting || j.Status == JobChecking || j.Status == JobRunning
}

// Add adds problems to the job. Problems keeps the first MaxProblems; ProblemCount counts all.
func (j *Job) Add(all ...Problem) {
	j.ProblemCount += int64(len(all))
	j.Problems = append(j.Problems, all[:min(len(all), max(0, MaxProblems-len(j.Problems)))]...)
}

// Problem is an issue that a job could not process completely.
type Problem struct {
	Issue  IssueID
	Num    int64
	Reason string
	// By is the name of the user that started the job, or empty if unknown.
	By string
}

// MaxProblems is the maximum length of Job.Problems.
const MaxProblems = 100
