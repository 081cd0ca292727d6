package issues

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
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// trashMargin is how much longer the long texts and the comments of a deleted issue are kept than the issue,
// because DynamoDB removes expired items in no particular order.
const trashMargin = 24 * time.Hour

// TrashList returns the list of a project's deleted issues, the most recently deleted first.
func (s *Store) TrashList(p tracker.ProjectID) store.List[tracker.IssueID] {
	l := store.List[tracker.IssueID]{DB: s.t.DB, Partition: s.t.Keys.TrashOf(p), Parse: s.t.Keys.ParseIssue,
		End: func() []byte { return layout.TrashSort(s.t.Now().Add(-s.t.KeepTrash), 0) }}
	if !tracker.ValidID(string(p)) {
		l.Invalid = tracker.Missing("project")
	}
	return l
}

// DeleteIssue moves an issue to the trash, from which RestoreIssue can restore it within KeepTrash.
// It removes all index entries of the issue: those that fit in the transaction of the document, and the
// others after it. Readers skip the entries that a crash leaves. Without an expected version it retries on
// conflict.
func (s *Store) DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	return s.delete(ctx, id, expectedVersion, false)
}

// PurgeIssue permanently removes an issue and its history, also one in the trash.
func (s *Store) PurgeIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	return s.delete(ctx, id, expectedVersion, true)
}

func (s *Store) delete(ctx context.Context, id tracker.IssueID, expectedVersion *int64, forGood bool) error {
	return store.DoOnce(ctx, s.t, func() error { return s.deleteNow(ctx, id, expectedVersion, forGood) })
}

// errIssueChanged is returned by a write that requires an outdated version of an issue or of its item in the
// trash.
var errIssueChanged = &tracker.Error{Code: tracker.Conflict, Message: "another change was made first; " +
	"try again"}

func (s *Store) deleteNow(ctx context.Context, id tracker.IssueID, expectedVersion *int64,
	forGood bool) error {
	for try := 1; ; try++ {
		old, err := s.current(ctx, id, expectedVersion, visible{})
		switch {
		case errors.Is(err, errHidden):
			return err
		case err == nil:
			err = s.deleteVersion(ctx, old, forGood)
		case forGood && tracker.CodeOf(err) == tracker.NotFound:
			err = s.purgeTrash(ctx, id, expectedVersion)
		}
		if !errors.Is(err, errIssueChanged) {
			return err
		}
		if err := s.afterConflict(ctx, try); err != nil {
			return err
		}
	}
}

// deleteVersion removes a version of an issue. It returns errIssueChanged if the issue has another version.
func (s *Store) deleteVersion(ctx context.Context, old *tracker.Issue, forGood bool) error {
	existing, err := s.entriesNow(ctx, old.ID)
	if err != nil {
		return err
	}
	write, err := s.t.NewID()
	if err != nil {
		return err
	}
	c := &commit{kind: tracker.Deleted, at: s.t.Time(), by: s.t.By,
		after: &tracker.Issue{ID: old.ID, Num: old.Num, Version: old.Version + 1}}
	var x, rest client.Transaction
	x.Delete(s.t.Table, s.t.Keys.IssueItem(old.ID), client.MustHaveVersion(old.Version, errIssueChanged))
	s.record(&x, c, write)
	if !forGood {
		x.Put(s.t.Table, s.encodeTrash(old, c.at), client.Condition{})
		s.expire(&rest, s.t.Keys.LongKeys(old), s.t.KeepTrash+trashMargin)
	}
	s.t.AddOnce(&x, old.ID.Issue)
	if old.Indexing {
		x.Delete(s.t.Table, s.t.Keys.Marker(old.ID), client.Condition{})
	}
	s.entryWrites(&rest, existing, nil, 0)
	n := min(client.MaxTransaction-len(x.Writes), len(rest.Writes))
	x.Writes, rest.Writes = append(x.Writes, rest.Writes[:n]...), rest.Writes[n:]
	if err := s.resolveError(ctx, c, write, s.t.Write(ctx, &x)); err != nil {
		return err
	}
	// The issue is deleted. Remove the rest even if the client disconnects.
	ctx, cancel := store.Completing(ctx)
	defer cancel()
	gone := func(x *client.Transaction) {
		// a job may have converted it
		x.Check(s.t.Table, s.t.Keys.Trash(old.ID),
			client.Condition{Expression: "version >= :version AND attribute_not_exists(kept)",
				Values: layout.Item{":version": layout.N(old.Version + 1)}, Otherwise: client.ErrStale})
		s.noDocument(old.ID)(x) // an import may have created it again
	}
	if forGood {
		gone = s.noDocument(old.ID)
	} else if all, err := s.comments(ctx, old.ID); err == nil {
		s.expire(&rest, all[false], s.t.KeepTrash+trashMargin)
	}
	if len(rest.Writes) == 0 && !old.Indexing && !forGood {
		return nil
	}
	_ = s.t.WriteGuarded(ctx, &rest, gone)
	// entries written while they were being read, and the history
	_ = s.sweep(ctx, old.ID, forGood, gone)
	return nil
}

// comments returns the keys of the items of the comments of an issue, by whether they expire. No item is
// added to those of an issue without a document.
func (s *Store) comments(ctx context.Context, id tracker.IssueID) (all map[bool][]layout.Key, err error) {
	at := layout.CommentsOf(s.t.Keys, id)
	all = map[bool][]layout.Key{}
	err = s.t.Select(ctx, at.Partition(), at.Prefix(),
		layout.AttrPK+","+layout.AttrSK+","+layout.AttrExpires, func(m layout.Item) error {
			expires := m[layout.AttrExpires] != nil
			all[expires] = append(all[expires], layout.KeyOf(m))
			return nil
		})
	return all, err
}

// RemoveEntries removes the entries of an issue without a document, unless it has a document again.
func (s *Store) RemoveEntries(ctx context.Context, id tracker.IssueID) error {
	return s.sweep(ctx, id, false, s.noDocument(id))
}

// noDocument returns a guard for removals that require that the issue does not exist.
func (s *Store) noDocument(id tracker.IssueID) func(*client.Transaction) {
	return func(x *client.Transaction) {
		x.Check(s.t.Table, s.t.Keys.IssueItem(id), client.MustNotExist(client.ErrStale))
	}
}

// sweep removes the entries of an issue that has no document, and if forGood is set, all its other items and
// the entries of the project's activity that refer to them.
func (s *Store) sweep(ctx context.Context, id tracker.IssueID, forGood bool,
	gone func(*client.Transaction)) error {
	prefix, projection := s.t.Keys.EntryPrefix(), layout.AttrPK+","+layout.AttrSK
	if forGood {
		prefix, projection = "", projection+",at"
	}
	activity := layout.ActivityOf(s.t.Keys, id.Project)
	var x client.Transaction
	err := s.t.Select(ctx, s.t.Keys.Issue(id), prefix, projection, func(m layout.Item) error {
		x.Delete(s.t.Table, layout.KeyOf(m), client.Condition{})
		if e, ok := activity.EntryFor(id, m); ok {
			x.Delete(s.t.Table, activity.Key(&e), client.Condition{})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.t.WriteGuarded(ctx, &x, gone)
}

// purgeTrash permanently removes an issue from the trash. It returns NotFound if it is not there, and
// errIssueChanged if it was restored or removed meanwhile. The item in the trash is removed first, because an
// issue restored while its long texts are being removed would lose them. What remains after a crash expires.
//
// The item in the trash has the version after the one that a client knows.
func (s *Store) purgeTrash(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	old, err := s.trashed(ctx, id)
	if err != nil {
		return err
	}
	if expectedVersion != nil && *expectedVersion != old.Version-1 {
		deleted := *old
		deleted.Version--
		return versionConflict(&deleted)
	}
	write, err := s.t.NewID()
	if err != nil {
		return err
	}
	c := &commit{kind: tracker.Deleted, at: s.t.Time(), by: s.t.By,
		after: &tracker.Issue{ID: id, Num: old.Num, Version: old.Version + 1}}
	var x client.Transaction
	x.Delete(s.t.Table, s.t.Keys.Trash(id), client.MustHaveVersion(old.Version, errIssueChanged))
	s.record(&x, c, write)
	s.t.AddOnce(&x, id.Issue)
	if err := s.resolveError(ctx, c, write, s.t.Write(ctx, &x)); err != nil {
		return err
	}
	ctx, cancel := store.Completing(ctx)
	defer cancel()
	_ = s.sweep(ctx, id, true, s.noDocument(id))
	return nil
}

// encodeTrash returns the item of a deleted issue in the trash, with the version created by the deletion.
func (s *Store) encodeTrash(old *tracker.Issue, at time.Time) layout.Item {
	m := s.t.Keys.EncodeIssue(old)
	m[layout.AttrSK] = layout.S(s.t.Keys.Trash(old.ID).SK)
	m[layout.AttrSS] = layout.B(layout.TrashSort(at, old.Num))
	m["version"] = layout.N(old.Version + 1)
	m["deleted"] = layout.S(tracker.FormatDateTime(at))
	m[layout.AttrExpires] = s.t.Expiry(s.t.KeepTrash)
	layout.SetActor(m, s.t.By)
	delete(m, "indexing")
	return m
}

// trashed returns a deleted issue. It returns NotFound if the issue is not in the trash.
func (s *Store) trashed(ctx context.Context, id tracker.IssueID) (*tracker.Issue, error) {
	if !id.Valid() {
		return nil, tracker.Missing("issue in the trash")
	}
	found, err := s.t.Get(ctx, []layout.Key{s.t.Keys.Trash(id)}, true)
	if err != nil {
		return nil, err
	}
	if found[0] == nil || s.t.Expired(found[0]) {
		return nil, tracker.Missing("issue in the trash")
	}
	return s.t.Keys.DecodeIssue(found[0])
}

var errRestored = &tracker.Error{Code: tracker.Conflict, Message: "the issue was already restored"}

// RestoreIssue restores an issue from the trash. Values of deleted fields are lost. It returns NotFound if
// the issue is not in the trash or has expired.
func (s *Store) RestoreIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue,
	error) {
	ctx, cancel := context.WithTimeout(ctx, definitions.ChangeTime)
	defer cancel()
	load := s.loadIssue(ctx, id.Project)
	return store.ApplyOnce(ctx, s.t, load, func() (*tracker.Issue, error) {
		return s.restoreNow(ctx, d, id)
	})
}

func (s *Store) restoreNow(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue,
	error) {
	for try := 1; ; try++ {
		restored, err := s.restore(ctx, d, id)
		if !errors.Is(err, errRestored) {
			return restored, err
		}
		found, readErr := s.issues(ctx, []tracker.IssueID{id}, true)
		if readErr != nil || found[0] != nil {
			return nil, cmp.Or(readErr, err)
		}
		if err := s.afterConflict(ctx, try); err != nil { // a job has converted it meanwhile
			return nil, err
		}
	}
}

func (s *Store) restore(ctx context.Context, d *tracker.Definition, id tracker.IssueID) (*tracker.Issue,
	error) {
	old, err := s.trashed(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.keepTexts(ctx, old); err != nil {
		return nil, err
	}
	left, err := s.entriesNow(ctx, id) // left by a crash during the deletion
	if err != nil {
		return nil, err
	}
	if err := s.checkNumberFree(ctx, &d.Project, old); err != nil {
		return nil, err
	}
	if !d.Read.IsZero() { // must not lose the value of a field that another server has just created
		if d, err = s.definitions.Read(ctx, id.Project); err != nil {
			return nil, err
		}
		var cancel context.CancelFunc
		ctx, _, cancel = s.definitions.BasedOn(ctx, d)
		defer cancel()
		if err := s.definitions.NoteAdded(ctx, id.Project); err != nil {
			return nil, err
		}
	}
	named, err := s.namingThose(ctx, old)
	if err != nil {
		return nil, err
	}
	now, err := named.converted(ctx, d, nil, old)
	if err != nil {
		return nil, err
	}
	restored := *now
	restored.Version++
	restored.Updated, restored.UpdatedBy, restored.Editor = s.t.Time(), s.t.By.Name, s.t.By.User
	c := s.newDocument(d, restored, restored.Updated, "")
	c.kind, c.conflict, c.unsure, c.trashed = tracker.Restored, errRestored, len(left) > 0, old
	for f, v := range old.Values {
		if v.Kind == tracker.KindLong && !c.after.Values[f].Equal(v) {
			c.unused = append(c.unused, s.t.Keys.PartKeys(id, f.Column(), v.Long())...)
		}
	}
	c.extra.Delete(s.t.Table, s.t.Keys.Trash(id), client.MustHaveVersion(old.Version, c.conflict))
	if c.full, c.lost, err = s.sortedTexts(ctx, d, c.after, c.full); err != nil {
		return nil, err
	}
	if err := s.commit(ctx, c); err != nil {
		return nil, err
	}
	return c.after, nil
}

// checkNumberFree returns Conflict if another issue has the number of a deleted one. Only an import can
// assign it again.
func (s *Store) checkNumberFree(ctx context.Context, p *tracker.Project, old *tracker.Issue) error {
	keys, err := s.WithNumber(ctx, p, old.Num)
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
func (s *Store) keepTexts(ctx context.Context, old *tracker.Issue) error {
	comments, err := s.comments(ctx, old.ID)
	if err != nil {
		return err
	}
	all := s.t.Keys.LongKeys(old)
	if len(all)+len(comments) == 0 {
		return nil
	}
	_, err = s.t.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.t.Table,
		Key:                       layout.KeyItem(s.t.Keys.Trash(old.ID)),
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
		if comments, err = s.comments(ctx, old.ID); err != nil {
			return err
		}
	}
	var x client.Transaction
	for _, k := range append(all, comments[true]...) {
		x.Update(s.t.Table, k, "REMOVE "+layout.AttrExpires, nil)
	}
	return s.t.WriteGuarded(ctx, &x, func(x *client.Transaction) {
		x.Check(s.t.Table, s.t.Keys.Trash(old.ID), client.MustHaveVersion(old.Version, errRestored))
	})
}

// Trash returns deleted issues in the order of ids, nil for those that are not in the trash.
func (s *Store) Trash(ctx context.Context, ids []tracker.IssueID, consistent bool) ([]*tracker.Trashed,
	error) {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if id.Valid() {
			all[i] = s.t.Keys.Trash(id)
		}
	}
	how := store.Reading{}
	if consistent {
		how = store.Consistent
	}
	return store.DecodeAll(ctx, s.t.DB, all, how, func(m layout.Item) (*tracker.Trashed, error) {
		if s.t.Expired(m) {
			return nil, nil
		}
		i, err := s.t.Keys.DecodeIssue(m)
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
