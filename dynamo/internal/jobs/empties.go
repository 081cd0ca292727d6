package jobs

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// The rows without a value in a column are found by one of two methods (tracker.Empties). A project begins
// with the method that writes nothing. A Query that had to pass many keys of issues with a value makes the
// server look at a sample of the project's keys, and if most issues have a value, start a job that adds the
// entries. In the same way, a Query that read many entries makes it start a job that removes them, if few
// issues have a value. The shares leave a margin: a walk by the first method reads at most 4 keys for each
// row as long as at most 3 of 4 issues have a value, and a column does not change back before two of four
// issues have changed.
const (
	// passedKeys is the minimum number of keys that a Query has examined.
	passedKeys = 1000
	// filledShare is the minimum share of issues with a value for adding entries, and sparseShare the maximum
	// for removing them.
	filledShare = 0.75
	sparseShare = 0.25
	// samples and sampleKeys are the number of places that are sampled, and of the keys at each.
	samples    = 20
	sampleKeys = 50
)

// Observe starts the work on a column if a Query for rows without a value in it has passed many keys of
// issues with one, or has read many entries. It does nothing in a process that runs no jobs.
func (r *Runner) Observe(t *store.Tenant, q columns.KeyQuery, page *columns.KeyPage) {
	passed := len(q.Without) == 1 && len(q.With) == 0 &&
		float64(page.Count) <= (1-filledShare)*float64(page.Examined)
	if page.Examined < passedKeys || !passed && !q.Empties {
		return
	}
	c := q.Column
	if passed {
		c = q.Without[0]
	}
	key := t.Keys.Jobs(q.Project)
	key.SK += "." + string(c)
	if r.declined.has(key, t.Now()) {
		return
	}
	r.kick(key, func(ctx context.Context) (bool, error) {
		job, err := r.Of(t).background().SwitchEmpties(ctx, q.Project, c)
		if tracker.CodeOf(err) == tracker.NotFound || tracker.CodeOf(err) == tracker.Conflict {
			err = nil // the project or the field is gone, or a later Query tries it again
		}
		if job == nil && err == nil {
			r.declined.add(key, t.Now())
		}
		return false, err
	})
}

// declined remembers columns that were found to need no other method, so that not every Query looks again.
type declined struct {
	mu sync.Mutex
	at map[layout.Key]time.Time
}

const (
	// declineTime is how long a column is not looked at again, and maxDeclined the number of columns that are
	// remembered.
	declineTime = 10 * time.Minute
	maxDeclined = 10_000
)

func (d *declined) add(column layout.Key, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at == nil || len(d.at) >= maxDeclined {
		d.at = map[layout.Key]time.Time{}
	}
	d.at[column] = now
}

// has reports whether a column was added in the last declineTime.
func (d *declined) has(column layout.Key, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.at[column]
	return ok && now.Sub(at) < declineTime
}

// SwitchEmpties starts the job that adds index entries for the issues without a value in a column, if most
// issues have one, or removes them, if few have. It returns nil if the column has the right method, and while
// another job of the project is open, which would have to start over.
func (s *Store) SwitchEmpties(ctx context.Context, p tracker.ProjectID, c tracker.Column) (*tracker.Job,
	error) {
	d, err := s.definitions.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	if !canSwitchEmpties(d, c) {
		return nil, nil
	}
	share, err := s.filled(ctx, d, c)
	if err != nil {
		return nil, err
	}
	indexed := d.IndexesEmpties(c)
	other := share // of the column that has the same method
	if c.Builtin() && (share <= sparseShare || share >= filledShare) {
		if other, err = s.filled(ctx, d, otherUser(c)); err != nil {
			return nil, err
		}
	}
	to := tracker.EmptiesBuilding
	switch {
	case indexed && max(share, other) <= sparseShare:
		to = tracker.EmptiesLeaving
	case indexed || share < filledShare || other <= sparseShare:
		return nil, nil
	}
	var job *tracker.Job
	change := func(d *tracker.Definition, x *definitions.Redefinition) (*tracker.Job, error) {
		job = nil
		if !canSwitchEmpties(d, c) || d.IndexesEmpties(c) != indexed {
			return nil, nil
		}
		job = &tracker.Job{Kind: tracker.JobIndexEmpties}
		if c.Builtin() {
			d.Project.Empties = to
			return job, nil
		}
		next := *d.Field(c.Field())
		next.Empties = to
		s.definitions.PutField(&x.Transaction, p, &next)
		job.Field, job.Name = next.ID, next.Name
		return job, nil
	}
	return job, s.definitions.Redefine(ctx, p, change)
}

// beginRemoval changes the definition so that entries of empty values are removed, if readers no longer use
// them, and reports whether it has. The work then starts over.
func (s *Store) beginRemoval(ctx context.Context, d *tracker.Definition, w, next *work.State) (bool, error) {
	var x client.Transaction
	for _, f := range d.Fields {
		if isLeaving(f) && len(x.Writes) < maxFieldWrites {
			changed := *f
			changed.Empties = tracker.EmptiesRemoving
			s.definitions.PutField(&x, d.Project.ID, &changed)
		}
	}
	if len(x.Writes) == 0 && d.Project.Empties != tracker.EmptiesLeaving {
		return false, nil
	}
	if d.Project.Empties == tracker.EmptiesLeaving {
		d.Project.Empties = tracker.EmptiesRemoving
	}
	next.Restart()
	work.Put(s.t, &x, d.Project.ID, w, next)
	return true, s.definitions.WriteProject(ctx, &x, d)
}

// addsEmpties reports whether a job adds the entries of empty values.
func addsEmpties(j tracker.Job) bool { return j.Open() && j.Kind == tracker.JobIndexEmpties }

// CompleteEmpties makes readers use the entries of the empty values in a project that has no issue yet, and
// whose fields were created to have them (tracker.EmptiesBuilding). Before, it waits until no server can add
// an issue without them. If the project has issues then, it starts a job, unless one adds the entries.
func (s *Store) CompleteEmpties(ctx context.Context, p tracker.ProjectID) error {
	d, err := s.definitions.Current(ctx, p)
	if err != nil || !slices.ContainsFunc(d.Fields, isBuilding) || slices.ContainsFunc(d.Jobs, addsEmpties) {
		return err
	}
	if err := client.Wait(ctx, s.settleTime()); err != nil {
		return client.Translate(err)
	}
	var fields []tracker.FieldID // those that had entries of their empty values before the first issue
	for _, f := range d.Fields {
		if isBuilding(f) {
			fields = append(fields, f.ID)
		}
	}
	for first := true; len(fields) > 0; first = false {
		some := fields[:min(len(fields), maxFieldWrites)]
		started := false
		err := s.definitions.Redefine(ctx, p, func(d *tracker.Definition, x *definitions.Redefinition) (
			*tracker.Job, error) {
			if started = first && (d.MaxIssueNum > 0 || d.HasOpenJobs()); started {
				return &tracker.Job{Kind: tracker.JobIndexEmpties}, nil
			}
			for _, id := range some {
				if f := d.Field(id); f != nil && isBuilding(f) {
					done := *f
					done.Empties = tracker.EmptiesIndexed
					s.definitions.PutField(&x.Transaction, p, &done)
				}
			}
			return nil, nil
		})
		if err != nil || started {
			return err
		}
		fields = fields[len(some):]
	}
	return nil
}

// maxFieldWrites is the number of fields that are changed in one transaction, together with their project.
const maxFieldWrites = client.MaxTransaction - 10

func isBuilding(f *tracker.Field) bool { return f.Empties == tracker.EmptiesBuilding }

// otherUser returns the other column of users. Both have the same method.
func otherUser(c tracker.Column) tracker.Column {
	if c == tracker.ColumnCreatedBy {
		return tracker.ColumnUpdatedBy
	}
	return tracker.ColumnCreatedBy
}

func isLeaving(f *tracker.Field) bool { return f.Empties == tracker.EmptiesLeaving }

// canSwitchEmpties reports whether a job can add or remove entries of the empty values of a column now.
func canSwitchEmpties(d *tracker.Definition, c tracker.Column) bool {
	if d.HasOpenJobs() {
		return false
	}
	if c.Builtin() {
		return c.Nullable() && slices.Contains(layout.BuiltinColumns(), c)
	}
	f := d.Field(c.Field())
	return f != nil && f.Type.Indexed()
}

// filled estimates the share of a project's issues that have a value in a column, by the keys in places that
// are evenly distributed over the numbers.
func (s *Store) filled(ctx context.Context, d *tracker.Definition, c tracker.Column) (float64, error) {
	q := columns.KeyQuery{Project: d.Project.ID, Column: tracker.ColumnNum, Limit: 1} // of the first shard
	first, err := s.issues.QueryKeys(ctx, q)
	if err != nil || len(first.Keys) == 0 {
		return 0, err
	}
	lowest, err := sortkey.ParseNum(first.Keys[0].SS)
	if err != nil {
		return 0, tracker.Internal("the index has a sort string that is no number", err)
	}
	with, seen := 0, 0
	q.With, q.CountOnly, q.Limit = []tracker.Column{c}, true, sampleKeys
	for i := range int64(samples) {
		from := sortkey.Num(lowest + i*(d.MaxIssueNum+1-lowest)/samples)
		if bytes.Compare(from, q.From) > 0 { // otherwise the numbers up to there were just sampled
			q.From = from
		}
		page, err := s.issues.QueryKeys(ctx, q)
		if err != nil {
			return 0, err
		}
		with, seen = with+page.Count, seen+page.Examined
		if page.Last == nil {
			break
		}
		q.From = sortkey.After(page.Last)
	}
	return float64(with) / float64(max(seen, 1)), nil
}
