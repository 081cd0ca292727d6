package dynamo

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// CreateIssue writes a new issue atomically, regardless of the number of values, and assigns the project's
// next number unless it has one. It sets the times unless they are given. The values must have been checked
// against the definition.
func (t *Tenant) CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue,
	error) {
	ctx, cancel, err := t.db.inTime(ctx, d)
	if err != nil {
		return nil, err
	}
	defer cancel()
	load := idempotency(t.scope).loadIssue(ctx, d.Project.ID)
	return applyOnce(ctx, t.scope, load, func() (*tracker.Issue, error) { return t.create(ctx, d, i) })
}

func (t *Tenant) create(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error) {
	if i.ID.Issue == "" {
		id, err := tracker.NewID(t.db.random)
		if err != nil {
			return nil, err
		}
		i.ID = tracker.IssueID{Project: d.Project.ID, Issue: id}
	}
	if err := checkIssueID(d, i.ID); err != nil {
		return nil, err
	}
	if i.Num == 0 {
		n, err := t.ReserveNums(ctx, d.Project.ID, 1)
		if err != nil {
			return nil, err
		}
		i.Num = n
	}
	drafter(t.scope).stamp(&i)
	once, err := tracker.NewID(t.db.random)
	if err != nil {
		return nil, err
	}
	c := drafter(t.scope).newDocument(d, i, once)
	c.kind, c.conflict = tracker.Created, taken("an issue with this id")
	if err := committer(t.scope).commit(ctx, c); err != nil {
		return nil, err
	}
	return c.after, nil
}

// inTime limits a change to the time in which the definition used for it is valid. Jobs rely on no server
// using the definition after that.
func (db *DB) inTime(ctx context.Context, d *tracker.Definition) (context.Context, context.CancelFunc,
	error) {
	if d.Read.IsZero() {
		return ctx, func() {}, nil
	}
	left := db.ttl + db.writeTime - db.now().Sub(d.Read)
	if left <= 0 {
		return nil, nil, &tracker.Error{Code: tracker.Conflict,
			Message: "the project may have been changed meanwhile; try again"}
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	return ctx, cancel, nil
}

// checkIssueID rejects an id that belongs to another project, or from which the key of another item could be
// built (I1).
func checkIssueID(d *tracker.Definition, id tracker.IssueID) error {
	if !id.Valid() || id.Project != d.Project.ID {
		return tracker.Bad("id", "the id of a new issue is its project's and 1 to %d characters from a-z "+
			"and 0-9; got %q", tracker.MaxID, id)
	}
	return nil
}

func (db *DB) time() time.Time { return db.now().UTC().Truncate(time.Microsecond) }

// ReserveNums takes n numbers from the project's counter and returns the first. Unused numbers are not
// reused.
func (t *Tenant) ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error) {
	out, err := t.db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           &t.db.table,
		Key:                 layout.KeyItem(t.keys.Counter(p)),
		UpdateExpression:    aws.String("ADD n :n"),
		ConditionExpression: aws.String("attribute_exists(" + layout.AttrPK + ") AND n <= :most"),
		ExpressionAttributeValues: layout.Item{":n": layout.N(int64(n)),
			":most": layout.N(tracker.MaxNum - int64(n))},
		ReturnValues:           types.ReturnValueUpdatedNew,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return 0, tracker.Missing("project with numbers left")
	}
	if err != nil {
		return 0, client.Translate(err)
	}
	return layout.GetN(out.Attributes, "n") - int64(n) + 1, nil
}

// UpdateIssue reads an issue, merges the change into it, and writes the differences atomically, regardless of
// their size. Without an expected version it retries on conflict, so that concurrent changes of different
// fields both succeed.
func (t *Tenant) UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
	change tracker.Change) (*tracker.Issue, error) {
	ctx, cancel, err := t.db.inTime(ctx, d)
	if err != nil {
		return nil, err
	}
	defer cancel()
	load := idempotency(t.scope).loadIssue(ctx, id.Project)
	return applyOnce(ctx, t.scope, load, func() (*tracker.Issue, error) {
		return t.update(ctx, d, id, change)
	})
}

func (t *Tenant) update(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
	change tracker.Change) (*tracker.Issue, error) {
	for try := 1; ; try++ {
		old, err := reader(t.scope).current(ctx, id, change.ExpectedVersion)
		if err != nil {
			return nil, err
		}
		if d.Current(old) != old { // a job would convert it later
			if err := migrator(t.scope).migrate(ctx, d, id); err != nil {
				return nil, err
			}
			if change.ExpectedVersion != nil {
				migrated := *change.ExpectedVersion + 1
				change.ExpectedVersion = &migrated
			}
			continue
		}
		c, err := drafter(t.scope).merge(d, old, change)
		if err != nil {
			return nil, err
		}
		if d.Rebuilding() && len(c.columns) > 0 { // the index may have other entries than those of old
			if c.existing, err = reader(t.scope).entriesNow(ctx, id); err != nil {
				return nil, err
			}
			if c.full, c.lost, err = indexer(t.scope).sortedTexts(ctx, d, c.after, c.full); err != nil {
				return nil, err
			}
		}
		if len(c.columns) == 0 {
			return old, idempotency(t.scope).remember(ctx, id)
		}
		c.conflict = versionConflict(old.Version + 1)
		err = committer(t.scope).commit(ctx, c)
		if err == nil {
			return c.after, nil
		}
		if !errors.Is(err, c.conflict) {
			return nil, err
		}
		if err := t.db.afterConflict(ctx, try); err != nil {
			return nil, err
		}
	}
}

// afterConflict waits before a change of an issue is retried after a conflict. It returns Conflict after too
// many tries.
func (db *DB) afterConflict(ctx context.Context, try int) error {
	return db.client.AfterConflict(ctx, try,
		&tracker.Error{Code: tracker.Conflict,
			Message: "too many requests are changing the issue; try again"})
}

// current returns the document of an issue. Indexing is set only if the issue has a marker. It returns
// Conflict if the issue does not have the expected version.
func (t reader) current(ctx context.Context, id tracker.IssueID, expected *int64) (*tracker.Issue, error) {
	found, err := t.issues(ctx, []tracker.IssueID{id}, true)
	if err != nil {
		return nil, err
	}
	doc := found[0]
	if doc == nil {
		return nil, tracker.Missing("issue")
	}
	if expected != nil && *expected != doc.Version {
		return nil, versionConflict(doc.Version)
	}
	doc.Indexing, err = t.marked(ctx, doc)
	return doc, err
}

func versionConflict(current int64) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "expectedVersion", Version: current,
		Message: "the issue has been changed; its version is " + strconv.Itoa(int(current)) + " now"}
}
