package dynamo

import (
	"cmp"
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

// trashMargin is how much longer the long texts and the comments of a deleted issue are kept than the issue,
// because DynamoDB removes expired items in no particular order.
const trashMargin = 24 * time.Hour

// DeleteIssue moves an issue to the trash, from which RestoreIssue can restore it within Settings.KeepTrash.
// It removes all index entries of the issue: those that fit in the transaction of the document, and the
// others after it. Readers skip the entries that a crash leaves. Without an expected version it retries on
// conflict.
func (t *Tenant) DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	return trash(t.scope).delete(ctx, id, expectedVersion, false)
}

// PurgeIssue permanently removes an issue and its history, also one in the trash.
func (t *Tenant) PurgeIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	return trash(t.scope).delete(ctx, id, expectedVersion, true)
}

func (t trash) delete(ctx context.Context, id tracker.IssueID, expectedVersion *int64, forGood bool) error {
	type done struct{}
	load := func(string) (*done, error) { return &done{}, nil }
	_, err := applyOnce(ctx, scope(t), load, func() (*done, error) {
		return &done{}, t.deleteNow(ctx, id, expectedVersion, forGood)
	})
	return err
}

// errIssueChanged is returned by a write that requires an outdated version of an issue or of its item in the
// trash.
var errIssueChanged = &tracker.Error{Code: tracker.Conflict, Message: "another change was made first; " +
	"try again"}

func (t trash) deleteNow(ctx context.Context, id tracker.IssueID, expectedVersion *int64,
	forGood bool) error {
	for try := 1; ; try++ {
		old, err := reader(t).current(ctx, id, expectedVersion, visible{})
		switch {
		case errors.Is(err, errHidden):
			return err
		case err == nil:
			err = t.deleteVersion(ctx, old, forGood)
		case forGood && tracker.CodeOf(err) == tracker.NotFound:
			err = t.purgeTrash(ctx, id, expectedVersion)
		}
		if !errors.Is(err, errIssueChanged) {
			return err
		}
		if err := t.db.afterConflict(ctx, try); err != nil {
			return err
		}
	}
}

// deleteVersion removes a version of an issue. It returns errIssueChanged if the issue has another version.
func (t trash) deleteVersion(ctx context.Context, old *tracker.Issue, forGood bool) error {
	existing, err := reader(t).entriesNow(ctx, old.ID)
	if err != nil {
		return err
	}
	write, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	c := &commit{kind: tracker.Deleted,
		after: &tracker.Issue{ID: old.ID, Num: old.Num, Version: old.Version + 1}}
	var x, rest client.Transaction
	x.Delete(t.db.table, t.keys.IssueItem(old.ID), client.MustHaveVersion(old.Version, errIssueChanged))
	committer(t).record(&x, c, write)
	if !forGood {
		x.Put(t.db.table, t.encodeTrash(old), client.Condition{})
		committer(t).expire(&rest, t.keys.LongKeys(old), t.db.keepTrash+trashMargin)
	}
	idempotency(t).addTo(&x, old.ID.Issue)
	if old.Indexing {
		x.Delete(t.db.table, t.keys.Marker(old.ID), client.Condition{})
	}
	indexer(t).entryWrites(&rest, existing, nil, 0)
	n := min(client.MaxTransaction-len(x.Writes), len(rest.Writes))
	x.Writes, rest.Writes = append(x.Writes, rest.Writes[:n]...), rest.Writes[n:]
	if err := committer(t).resolveError(ctx, c, write, t.db.write(ctx, &x)); err != nil {
		return err
	}
	// The issue is deleted. Remove the rest even if the client disconnects.
	ctx, cancel := completing(ctx)
	defer cancel()
	gone := func(x *client.Transaction) {
		// a job may have converted it
		x.Check(t.db.table, t.keys.Trash(old.ID),
			client.Condition{Expression: "version >= :version AND attribute_not_exists(kept)",
				Values: layout.Item{":version": layout.N(old.Version + 1)}, Otherwise: client.ErrStale})
		t.noDocument(old.ID)(x) // an import may have created it again
	}
	if forGood {
		gone = t.noDocument(old.ID)
	} else if all, err := t.comments(ctx, old.ID); err == nil {
		committer(t).expire(&rest, all[false], t.db.keepTrash+trashMargin)
	}
	if len(rest.Writes) == 0 && !old.Indexing && !forGood {
		return nil
	}
	_ = t.db.writeGuarded(ctx, &rest, gone)
	// entries written while they were being read, and the history
	_ = t.sweep(ctx, old.ID, forGood, gone)
	return nil
}

// comments returns the keys of the items of the comments of an issue, by whether they expire. No item is
// added to those of an issue without a document.
func (t trash) comments(ctx context.Context, id tracker.IssueID) (all map[bool][]layout.Key, err error) {
	at := layout.CommentsOf(t.keys, id)
	all = map[bool][]layout.Key{}
	err = t.db.queryPrefix(ctx, at.Partition(), at.Prefix(),
		layout.AttrPK+","+layout.AttrSK+","+layout.AttrExpires, func(m layout.Item) error {
			expires := m[layout.AttrExpires] != nil
			all[expires] = append(all[expires], layout.KeyOf(m))
			return nil
		})
	return all, err
}

// noDocument returns a guard for removals that require that the issue does not exist.
func (t trash) noDocument(id tracker.IssueID) func(*client.Transaction) {
	return func(x *client.Transaction) {
		x.Check(t.db.table, t.keys.IssueItem(id), client.MustNotExist(client.ErrStale))
	}
}

// sweep removes the entries of an issue that has no document, and if forGood is set, all its other items and
// the entries of the project's activity that refer to them.
func (t trash) sweep(ctx context.Context, id tracker.IssueID, forGood bool,
	gone func(*client.Transaction)) error {
	prefix, projection := t.keys.EntryPrefix(), layout.AttrPK+","+layout.AttrSK
	if forGood {
		prefix, projection = "", projection+",at"
	}
	activity := layout.ActivityOf(t.keys, id.Project)
	var x client.Transaction
	err := t.db.queryPrefix(ctx, t.keys.Issue(id), prefix, projection, func(m layout.Item) error {
		x.Delete(t.db.table, layout.KeyOf(m), client.Condition{})
		if e, ok := activity.EntryFor(id, m); ok {
			x.Delete(t.db.table, activity.Key(&e), client.Condition{})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.db.writeGuarded(ctx, &x, gone)
}

// purgeTrash permanently removes an issue from the trash. It returns NotFound if it is not there, and
// errIssueChanged if it was restored or removed meanwhile. The item in the trash is removed first, because an
// issue restored while its long texts are being removed would lose them. What remains after a crash expires.
//
// The item in the trash has the version after the one that a client knows.
func (t trash) purgeTrash(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	old, err := reader(t).trashed(ctx, id)
	if err != nil {
		return err
	}
	if expectedVersion != nil && *expectedVersion != old.Version-1 {
		deleted := *old
		deleted.Version--
		return versionConflict(&deleted)
	}
	write, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	c := &commit{kind: tracker.Deleted, after: &tracker.Issue{ID: id, Num: old.Num, Version: old.Version + 1}}
	var x client.Transaction
	x.Delete(t.db.table, t.keys.Trash(id), client.MustHaveVersion(old.Version, errIssueChanged))
	committer(t).record(&x, c, write)
	idempotency(t).addTo(&x, id.Issue)
	if err := committer(t).resolveError(ctx, c, write, t.db.write(ctx, &x)); err != nil {
		return err
	}
	ctx, cancel := completing(ctx)
	defer cancel()
	_ = t.sweep(ctx, id, true, t.noDocument(id))
	return nil
}

// encodeTrash returns the item of a deleted issue in the trash, with the version created by the deletion.
func (t trash) encodeTrash(old *tracker.Issue) layout.Item {
	m := t.keys.EncodeIssue(old)
	m[layout.AttrSK] = layout.S(t.keys.Trash(old.ID).SK)
	at := t.db.time()
	m[layout.AttrSS] = layout.B(layout.TrashSort(at, old.Num))
	m["version"] = layout.N(old.Version + 1)
	m["deleted"] = layout.S(tracker.FormatDateTime(at))
	m[layout.AttrExpires] = t.db.expiry(t.db.keepTrash)
	layout.SetActor(m, t.by)
	delete(m, "indexing")
	return m
}

// trashed returns a deleted issue. It returns NotFound if the issue is not in the trash.
func (t reader) trashed(ctx context.Context, id tracker.IssueID) (*tracker.Issue, error) {
	if !id.Valid() {
		return nil, tracker.Missing("issue in the trash")
	}
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.Trash(id)}, true)
	if err != nil {
		return nil, err
	}
	if found[0] == nil || t.db.expired(found[0]) {
		return nil, tracker.Missing("issue in the trash")
	}
	return t.keys.DecodeIssue(found[0])
}

var errRestored = &tracker.Error{Code: tracker.Conflict, Message: "the issue was already restored"}

// RestoreIssue restores an issue from the trash. Values of deleted fields are lost. It returns NotFound if
// the issue is not in the trash or has expired.
func (t *Tenant) RestoreIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue,
	error) {
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	load := idempotency(t.scope).loadIssue(ctx, id.Project)
	return applyOnce(ctx, t.scope, load, func() (*tracker.Issue, error) {
		return trash(t.scope).restoreNow(ctx, d, id)
	})
}

func (t trash) restoreNow(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue,
	error) {
	for try := 1; ; try++ {
		restored, err := t.restore(ctx, d, id)
		if !errors.Is(err, errRestored) {
			return restored, err
		}
		found, readErr := reader(t).issues(ctx, []tracker.IssueID{id}, true)
		if readErr != nil || found[0] != nil {
			return nil, cmp.Or(readErr, err)
		}
		if err := t.db.afterConflict(ctx, try); err != nil { // a job has converted it meanwhile
			return nil, err
		}
	}
}

func (t trash) restore(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue,
	error) {
	old, err := reader(t).trashed(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := t.keepTexts(ctx, old); err != nil {
		return nil, err
	}
	left, err := reader(t).entriesNow(ctx, id) // left by a crash during the deletion
	if err != nil {
		return nil, err
	}
	if err := t.checkNumberFree(ctx, &d.Project, old); err != nil {
		return nil, err
	}
	if !d.Read.IsZero() { // must not lose the value of a field that another server has just created
		if d, err = reader(t).readDefinition(ctx, id.Project); err != nil {
			return nil, err
		}
		var cancel context.CancelFunc
		ctx, _, cancel = reader(t).basedOn(ctx, d)
		defer cancel()
		if err := reader(t).noteAdded(ctx, id.Project); err != nil {
			return nil, err
		}
	}
	now, err := migrator(t).converted(ctx, d, nil, old)
	if err != nil {
		return nil, err
	}
	restored := *now
	restored.Version++
	restored.Updated, restored.UpdatedBy = t.db.time(), userOf(t.by)
	c := drafter(t).newDocument(d, restored, "")
	c.kind, c.conflict, c.unsure, c.trashed = tracker.Restored, errRestored, len(left) > 0, old
	for f, v := range old.Values {
		if v.Kind == tracker.KindLong && !c.after.Values[f].Equal(v) {
			c.unused = append(c.unused, t.keys.PartKeys(id, f.Column(), v.Long())...)
		}
	}
	c.extra.Delete(t.db.table, t.keys.Trash(id), client.MustHaveVersion(old.Version, c.conflict))
	if c.full, c.lost, err = indexer(t).sortedTexts(ctx, d, c.after, c.full); err != nil {
		return nil, err
	}
	if err := committer(t).commit(ctx, c); err != nil {
		return nil, err
	}
	return c.after, nil
}

// checkNumberFree returns Conflict if another issue has the number of a deleted one. Only an import can
// assign it again.
func (t trash) checkNumberFree(ctx context.Context, p *tracker.Project, old *tracker.Issue) error {
	keys, err := reader(t).withNumber(ctx, p, old.Num)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Issue != old.ID {
			return &tracker.Error{Code: tracker.Conflict, Message: "another issue has the number " +
				strconv.Itoa(int(old.Num)) + " now"}
		}
	}
	return nil
}

// keepTexts makes sure that the long texts and the comments of an issue in the trash do not expire (I6). It
// first sets an attribute of the trash item that prevents the deletion, which may still be running, from
// making them expire.
func (t trash) keepTexts(ctx context.Context, old *tracker.Issue) error {
	comments, err := t.comments(ctx, old.ID)
	if err != nil {
		return err
	}
	all := t.keys.LongKeys(old)
	if len(all)+len(comments) == 0 {
		return nil
	}
	_, err = t.db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.db.table,
		Key:                       layout.KeyItem(t.keys.Trash(old.ID)),
		UpdateExpression:          aws.String("SET kept = :true"),
		ConditionExpression:       aws.String("version = :version"),
		ExpressionAttributeValues: layout.Item{":true": layout.Bool(true), ":version": layout.N(old.Version)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return errRestored
	}
	if err != nil {
		return client.Translate(err)
	}
	if len(comments) > 0 { // the deletion may have made others expire until now
		if comments, err = t.comments(ctx, old.ID); err != nil {
			return err
		}
	}
	var x client.Transaction
	for _, k := range append(all, comments[true]...) {
		x.Update(t.db.table, k, "REMOVE "+layout.AttrExpires, nil)
	}
	return t.db.writeGuarded(ctx, &x, func(x *client.Transaction) {
		x.Check(t.db.table, t.keys.Trash(old.ID), client.MustHaveVersion(old.Version, errRestored))
	})
}

// Trash returns deleted issues in the order of ids, nil for those that are not in the trash.
func (t *Tenant) Trash(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Trashed, error) {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if id.Valid() {
			all[i] = t.keys.Trash(id)
		}
	}
	return decodeAll(ctx, t.db, all, reading{}, func(m layout.Item) (*tracker.Trashed, error) {
		if t.db.expired(m) {
			return nil, nil
		}
		i, err := t.keys.DecodeIssue(m)
		if err != nil {
			return nil, err
		}
		at, err := time.Parse(time.RFC3339Nano, layout.GetS(m, "deleted"))
		if err != nil {
			return nil, tracker.Internal("an issue in the trash has no time of deletion", err)
		}
		return &tracker.Trashed{Issue: i, At: at, By: layout.GetActor(m),
			Expires: time.Unix(layout.GetN(m, layout.AttrExpires), 0).UTC()}, nil
	})
}
