package dynamo

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// CreateIssue writes a new issue atomically, regardless of the number of values, and assigns the project's
// next number unless it has one. It sets the times unless they are given. The values must have been checked
// against the definition.
func (t *Tenant) CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue,
	error) {
	ctx, b, cancel := reader(t.scope).basedOn(ctx, d)
	defer cancel()
	load := idempotency(t.scope).loadIssue(ctx, d.Project.ID)
	return applyOnce(ctx, t.scope, load, func() (*tracker.Issue, error) { return t.create(ctx, d, i, b) })
}

func (t *Tenant) create(ctx context.Context, d *tracker.Definition, i tracker.Issue,
	b *basis) (*tracker.Issue, error) {
	if i.ID.Issue == "" {
		id, err := tracker.NewID(t.db.random)
		if err != nil {
			return nil, err
		}
		i.ID = d.Project.IssueID(id)
	}
	if err := checkIssueID(d, i.ID); err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.Go(func() error { return b.renew(ctx) })
	var err error
	if i.Num == 0 {
		i.Num, err = t.ReserveNums(ctx, d.Project.ID, 1)
	}
	if changed := group.Wait(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
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
	migrator(t.scope).landed(ctx, b, c.after.ID)
	return c.after, nil
}

// changeTime limits the time of a change of issues.
const changeTime = 30 * time.Second

// basis is the definition that a change of issues was checked with.
//
// Law: a change is checked with a definition that was the current one at a time since its request began. It
// is sent to the engine at most Settings.WriteTime after a time at which the definition was the current one,
// so that jobs need to wait only a short time until no change with an older definition can follow. A change
// that takes longer, because of retries or long texts, reads the version of the project again before each
// attempt. If the definition has changed, it returns ErrDefinitionChanged.
//
// The version is read at most once for a request and each half of the WriteTime. It is 1 RCU. To check it in
// the transaction would cost 2 WCU for each change, and concurrent changes of a project would conflict.
type basis struct {
	reader     reader
	definition *tracker.Definition
	since      time.Time // when the request began

	mu sync.Mutex
	at time.Time // when the definition was known to be the current one
}

// basedOn returns a context for a change that was checked with d. The basis is nil if d does not come from
// the table.
func (t reader) basedOn(ctx context.Context, d *tracker.Definition) (context.Context, *basis,
	context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	if d.Read.IsZero() {
		return ctx, nil, cancel
	}
	b := &basis{reader: t, definition: d, at: d.Read, since: t.db.began}
	if b.since.IsZero() {
		b.since = t.db.now()
	}
	if c, ok := t.db.definitions.cache.Get(t.keys.Project(d.Project.ID)); ok && c.definition == d {
		b.at = c.checked
	}
	return client.BeforeWrites(ctx, b.check), b, cancel
}

// known returns when the definition was known to be the current one.
func (b *basis) known() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// required returns the time since which the definition must have been the current one.
func (b *basis) required() time.Time {
	if recently := b.reader.db.now().Add(-b.reader.db.writeTime / 2); recently.After(b.since) {
		return recently
	}
	return b.since
}

// stale reports whether the version must be read. It is false for a nil basis.
func (b *basis) stale() bool { return b != nil && b.known().Before(b.required()) }

// found records the version that the project had at a time, 0 if it did not exist.
func (b *basis) found(version int64, at time.Time) error {
	if version != b.definition.Project.Version {
		return tracker.ErrDefinitionChanged
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = at
	return nil
}

// read records the item of the project that was read at a time, nil if there is none.
func (b *basis) read(m layout.Item, at time.Time) error {
	p, version := b.definition.Project.ID, layout.GetN(m, "version")
	b.reader.db.definitions.confirm(b.reader.id, b.reader.keys.Project(p), version, at)
	return b.found(version, at)
}

// renew reads the version of the project if the basis is stale.
func (b *basis) renew(ctx context.Context) error {
	if !b.stale() {
		return nil
	}
	c, err := b.reader.currentSince(ctx, b.definition.Project.ID, b.required())
	if tracker.CodeOf(err) == tracker.NotFound {
		return tracker.ErrDefinitionChanged // the project was deleted
	}
	if err != nil {
		return err
	}
	return b.found(c.definition.Project.Version, c.checked)
}

// maxRenewals is the maximum number of times that a change reads the version before one attempt.
const maxRenewals = 3

// check returns nil if a change may be sent now.
func (b *basis) check(ctx context.Context) error {
	for range maxRenewals {
		if b.reader.db.now().Sub(b.known()) < b.reader.db.writeTime {
			return nil
		}
		if err := b.renew(ctx); err != nil {
			return err
		}
	}
	return client.Unavailable("the database responds too slowly to change issues; try again", nil)
}

// checkIssueID rejects an id that belongs to another project or to a shard that it does not have, or from
// which the key of another item could be built (I1).
func checkIssueID(d *tracker.Definition, id tracker.IssueID) error {
	if !id.Valid() || id.Project != d.Project.ID || id.Shard() >= d.Project.ShardCount() {
		return tracker.Bad("id", "the id of a new issue is its project's, 1 to %d characters from a-z "+
			"and 0-9, and a shard of the project; got %q", tracker.MaxID, id)
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
		UpdateExpression:    aws.String("ADD n :n SET reserved = :now"),
		ConditionExpression: aws.String("attribute_exists(" + layout.AttrPK + ") AND n <= :most"),
		ExpressionAttributeValues: layout.Item{":n": layout.N(int64(n)), ":now": layout.N(t.db.now().Unix()),
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

// noteAdded records in the counter that issues are about to be added under numbers that were reserved
// earlier, by an import or from the trash. Jobs then wait until the index has them.
func (t reader) noteAdded(ctx context.Context, p tracker.ProjectID) error {
	_, err := t.db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.db.table,
		Key:                       layout.KeyItem(t.keys.Counter(p)),
		UpdateExpression:          aws.String("SET added = :now"),
		ConditionExpression:       aws.String("attribute_exists(" + layout.AttrPK + ")"),
		ExpressionAttributeValues: layout.Item{":now": layout.N(t.db.now().Unix())},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return tracker.Missing("project")
	}
	return client.Translate(err)
}

// UpdateIssue reads an issue, merges the change into it, and writes the differences atomically, regardless of
// their size. Without an expected version it retries on conflict, so that concurrent changes of different
// fields both succeed.
func (t *Tenant) UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
	change tracker.Change) (*tracker.Issue, error) {
	ctx, b, cancel := reader(t.scope).basedOn(ctx, d)
	defer cancel()
	load := idempotency(t.scope).loadIssue(ctx, id.Project)
	return applyOnce(ctx, t.scope, load, func() (*tracker.Issue, error) {
		return t.update(ctx, d, id, change, b)
	})
}

func (t *Tenant) update(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
	change tracker.Change, b *basis) (*tracker.Issue, error) {
	for try := 1; ; try++ {
		old, err := reader(t.scope).current(ctx, id, change.ExpectedVersion, b)
		if err != nil {
			return nil, err
		}
		if d.Current(old) != old { // a job would convert it later
			if err := migrator(t.scope).migrate(ctx, d, nil, id); err != nil {
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
		c.conflict = errIssueChanged
		err = committer(t.scope).commit(ctx, c)
		if err == nil {
			migrator(t.scope).landed(ctx, b, id)
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

// projectCheck examines the item of a project that is read together with an issue.
type projectCheck interface {
	// stale reports whether the project must be read.
	stale() bool
	// read returns an error if the issue must not be changed. m is nil if there is no project.
	read(m layout.Item, at time.Time) error
}

// visible is the check of a change that depends on no definition: the project must not be in the trash.
type visible struct{}

func (visible) stale() bool { return true }

func (visible) read(m layout.Item, _ time.Time) error {
	if m["trash"] != nil || m["deleted"] != nil {
		return errHidden
	}
	return nil
}

// errHidden is the error of a change of an issue whose project clients do not see.
var errHidden = tracker.Missing("issue")

// current returns the document of an issue. Indexing is set only if the issue has a marker. It returns
// Conflict if the issue does not have the expected version. If b requires the project, it is read in the same
// call.
func (t reader) current(ctx context.Context, id tracker.IssueID, expected *int64,
	b projectCheck) (*tracker.Issue, error) {
	keys := t.issueKeys([]tracker.IssueID{id})
	if id.Valid() && b.stale() {
		keys = append(keys, t.keys.ProjectItem(id.Project))
	}
	began := t.db.now()
	items, err := t.db.get(ctx, keys, reading{consistent: true, documents: true})
	if err != nil {
		return nil, err
	}
	if len(items) > 1 {
		if err := b.read(items[1], began); err != nil {
			return nil, err
		}
	}
	if items[0] == nil {
		return nil, tracker.Missing("issue")
	}
	doc, err := t.keys.DecodeIssue(items[0])
	if err != nil {
		return nil, err
	}
	if expected != nil && *expected != doc.Version {
		return nil, versionConflict(doc)
	}
	doc.Indexing, err = t.marked(ctx, doc)
	return doc, err
}

// versionConflict returns the error of a change that expects another version than that of current.
func versionConflict(current *tracker.Issue) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "expectedVersion",
		Conflict: &tracker.VersionConflict{Issue: current},
		Message: "the issue has been changed; its version is " + strconv.FormatInt(current.Version, 10) +
			" now"}
}
