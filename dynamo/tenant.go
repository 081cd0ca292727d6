package dynamo

import (
	"context"
	"time"

	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/issues"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Tenant is a handle on the data of one tenant. It cannot build a key of another tenant (I1).
type Tenant struct {
	ProjectStore
	IssueStore
	JobStore
	db     *DB
	inside Inside
}

// ProjectStore has the projects of a tenant, with their fields. Package internal/definitions implements it.
type ProjectStore interface {
	ProjectList() List[tracker.ProjectID]
	Projects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error)
	ProjectByKey(ctx context.Context, key string) (tracker.ProjectID, error)
	CreateProject(ctx context.Context, p tracker.Project) (*tracker.Project, error)
	UpdateProject(ctx context.Context, id tracker.ProjectID,
		change func(*tracker.Project) error) (*tracker.Project, error)
	TrashProject(ctx context.Context, p tracker.ProjectID,
		confirm func(*tracker.Project) error) (*tracker.Project, error)
	RestoreProject(ctx context.Context, p tracker.ProjectID) (*tracker.Project, error)
	DeleteProject(ctx context.Context, p tracker.ProjectID, confirm func(*tracker.Project) error) error
	DeletedList() List[tracker.ProjectID]
	DeletedProjects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error)
	ProjectHistory(ctx context.Context, p tracker.ProjectID,
		q HistoryQuery) (page []tracker.ProjectChange, more bool, err error)
	CountProjectHistory(ctx context.Context, p tracker.ProjectID) (n int, exact bool, err error)
	Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error)
	Current(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error)
	Renewed(ctx context.Context, p tracker.ProjectID, since time.Time) (*tracker.Definition, error)
	CreateField(ctx context.Context, p tracker.ProjectID, f tracker.Field) (*tracker.Field, error)
	UpdateField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
		change func(*tracker.Field) error) (*tracker.Field, error)
	ChangeFieldType(ctx context.Context, p tracker.ProjectID, id tracker.FieldID, to tracker.Form,
		remove bool, confirm func(*tracker.Field) error) (*tracker.Job, error)
	DeleteField(ctx context.Context, p tracker.ProjectID, id tracker.FieldID,
		confirm func(*tracker.Field) error) error
	CancelJob(ctx context.Context, p tracker.ProjectID, id string) (*tracker.Job, error)
	StartedJob(ctx context.Context, p tracker.ProjectID) (*tracker.Job, error)
	ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error)
	RaiseCounter(ctx context.Context, p tracker.ProjectID, num int64) error
	Counter(ctx context.Context, p tracker.ProjectID) (int64, error)
}

// IssueStore has the issues of a tenant. Package internal/issues implements it.
type IssueStore interface {
	Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)
	IssuesConsistent(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)
	Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error)
	LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, []error)
	History(ctx context.Context, id tracker.IssueID, q HistoryQuery) (page []tracker.Changed, more bool,
		err error)
	Tags(ctx context.Context, q columns.TagQuery) (tags []string, more bool, err error)
	CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error)
	UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
		change tracker.Change) (*tracker.Issue, error)
	DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	PurgeIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error
	RestoreIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue, error)
	TrashList(p tracker.ProjectID) List[tracker.IssueID]
	Trash(ctx context.Context, ids []tracker.IssueID, consistent bool) ([]*tracker.Trashed, error)
	PutIssues(ctx context.Context, d *tracker.Definition, issues []tracker.Issue) error
	CheckFits(d *tracker.Definition, i tracker.Issue) error
	Changes(d *tracker.Definition, stored *tracker.Issue, change tracker.Change) (bool, error)
}

// JobStore has the jobs of a tenant. Package internal/jobs implements it.
type JobStore interface {
	RunJobs(ctx context.Context, p tracker.ProjectID) error
	RenameUser(ctx context.Context, id tracker.UserID) error
	SwitchEmpties(ctx context.Context, p tracker.ProjectID, c tracker.Column) (*tracker.Job, error)
	CompleteEmpties(ctx context.Context, p tracker.ProjectID) error
}

// Inside is what the packages below dynamo use of a tenant, with methods that check nothing. No other package
// may use it, which test/rooms_test.go enforces.
type Inside struct {
	*store.Tenant
	Definitions *definitions.Store
	Issues      *issues.Store
	// Renamed starts the job of a user that was renamed.
	Renamed func(tracker.UserID)
}

// Tenant returns a handle on a tenant, which need not exist. It returns NotFound for an invalid id.
func (db *DB) Tenant(id tracker.TenantID) (*Tenant, error) {
	in, err := db.store.Tenant(id)
	if err != nil {
		return nil, err
	}
	return db.of(in), nil
}

func (db *DB) of(in *store.Tenant) *Tenant {
	d := definitions.Of(in, db.definitions)
	i := issues.Of(in, d)
	return &Tenant{d, i, db.jobs.Of(in), db, Inside{in, d, i,
		func(id tracker.UserID) { db.jobs.Rename(in, id) }}}
}

// As returns a handle whose changes are shown in histories as made by an actor.
func (t *Tenant) As(by tracker.Actor) *Tenant {
	in := *t.inside.Tenant
	in.By = by
	return t.db.of(&in)
}

// Once returns a handle for one change that is made at most once: a second change under the same key within
// 24 hours returns the result of the first. Fingerprint identifies the change; a change returns BadInput if
// its key was used with another one.
func (t *Tenant) Once(o tracker.Once) *Tenant {
	in := *t.inside.Tenant
	in.Once = &o
	return t.db.of(&in)
}

// Starting returns a handle for one change, which starts its job under an id. If the change has an
// idempotency key, the id is derived from it, so that a repeated change finds the job.
func (t *Tenant) Starting() (*Tenant, error) {
	in := *t.inside.Tenant
	if in.Once != nil {
		in.JobID = tracker.IDFor("job", in.Once.Key, in.Once.Fingerprint)
		return t.db.of(&in), nil
	}
	var err error
	in.JobID, err = in.NewID()
	return t.db.of(&in), err
}

// Claim records that the idempotency key of the handle is that of one call, which makes several changes with
// keys of their own. It returns BadInput if the key was used for another call. It does nothing without a key.
func (t *Tenant) Claim(ctx context.Context) error { return t.inside.Claim(ctx) }

// Repeated reports whether the change that the handle is for was already made under its idempotency key. It
// returns BadInput if the key was used for another change.
func (t *Tenant) Repeated(ctx context.Context) (bool, error) { return t.inside.Repeated(ctx) }

// Applied reports for each idempotency key whether a change was made under it in the last 24 hours.
func (t *Tenant) Applied(ctx context.Context, keys []string) ([]bool, error) {
	return t.inside.Applied(ctx, keys)
}

// Background returns a handle whose cost is charged to the tenant's background work, as that of jobs is. It
// has neither an actor nor an idempotency key.
func (t *Tenant) Background() *Tenant { return t.db.of(t.inside.Background(tracker.Actor{})) }

// ID returns the id of the tenant.
func (t *Tenant) ID() tracker.TenantID { return t.inside.ID }

// QueryKeys is issues.Store.QueryKeys for the pages of clients: the jobs learn from it which columns need
// entries of empty values.
func (t *Tenant) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	page, err := t.inside.Issues.QueryKeys(ctx, q)
	if err == nil {
		t.db.jobs.Observe(t.inside.Tenant, q, &page)
	}
	return page, err
}

// Inside returns the handle for the packages below dynamo.
func (t *Tenant) Inside() Inside { return t.inside }
