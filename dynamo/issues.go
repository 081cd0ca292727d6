package dynamo

import (
	"bytes"
	"context"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/tracker"
)

// CreateIssue gives a new issue the project's next number and writes it in one transaction. The issue's times are set here unless
// given; its values must have been checked against the definition. Texts of any length up to the limit are taken as they are.
func (t *Tenant) CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error) {
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
		n, err := t.reserveNums(ctx, d.Project.ID, 1)
		if err != nil {
			return nil, err
		}
		i.Num = n
	}
	t.stamp(&i)
	stored, items := t.issueItems(d, i)
	var x transaction
	x.put(t.db, t.keys.encodeIssue(stored), mustNotExist(taken("an issue with this id")))
	for _, m := range items {
		x.put(t.db, m, condition{})
	}
	if err := t.db.write(ctx, &x); err != nil {
		return nil, err
	}
	return stored, nil
}

// checkIssueID refuses an id from which the key of something else could be built (I1), and that of another project.
func checkIssueID(d *tracker.Definition, id tracker.IssueID) error {
	if !id.Valid() || id.Project != d.Project.ID {
		return tracker.Bad("id", "the id of a new issue is its project's and 1 to %d of a-z and 0-9; got %q", tracker.MaxID, id)
	}
	return nil
}

// stamp gives a new issue its version, and the times that it has not.
func (t *Tenant) stamp(i *tracker.Issue) {
	now := t.db.now().UTC().Truncate(time.Microsecond)
	i.Version = 1
	if i.Created.IsZero() {
		i.Created = now
	}
	if i.Updated.IsZero() {
		i.Updated = i.Created
	}
}

// issueItems are all items of a new issue but the issue item itself, and the issue as that holds it.
func (t *Tenant) issueItems(d *tracker.Definition, i tracker.Issue) (*tracker.Issue, []item) {
	items := t.keys.builtinEntries(&d.Project, &i)
	if n := len(i.Description.Text()); n > tracker.MaxInlineText {
		var parts []item
		i.Description, parts = t.keys.longItems(&i, tracker.ColumnDescription, i.Description.Text())
		items = append(items, parts...)
	}
	values := make(map[tracker.FieldID]tracker.Value, len(i.Values))
	for id, v := range i.Values {
		f := d.Field(id)
		if f == nil || v.Kind == tracker.KindNone {
			continue
		}
		stored, entries := t.keys.valueItems(&i, f, v)
		values[id] = stored
		items = append(items, entries...)
	}
	i.Values = values
	return &i, items
}

// reserveNums takes n numbers from the project's counter and returns the first. Numbers taken and not used are not used again.
func (t *Tenant) reserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error) {
	out, err := t.db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.db.table,
		Key:                       keyItem(t.keys.counter(p)),
		UpdateExpression:          aws.String("ADD n :n"),
		ConditionExpression:       aws.String("attribute_exists(" + attrPK + ") AND n <= :most"),
		ExpressionAttributeValues: item{":n": avN(int64(n)), ":most": avN(tracker.MaxNum - int64(n))},
		ReturnValues:              types.ReturnValueUpdatedNew,
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := conditionFailed(err); ok {
		return 0, tracker.Missing("project with numbers left")
	}
	if err != nil {
		return 0, translate(err)
	}
	t.db.meter.write("UpdateItem", 1, out.ConsumedCapacity)
	return getN(out.Attributes, "n") - int64(n) + 1, nil
}

// UpdateIssue reads an issue, merges the change into it, and writes what differs in one transaction. Without an expected version it
// starts again when somebody else was faster, so that two who change different fields both win.
func (t *Tenant) UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID, c tracker.Change) (*tracker.Issue, error) {
	for try := 1; ; try++ {
		found, err := t.issues(ctx, []tracker.IssueID{id}, true)
		if err != nil {
			return nil, err
		}
		old := found[0]
		if old == nil {
			return nil, tracker.Missing("issue")
		}
		if c.ExpectedVersion != nil && *c.ExpectedVersion != old.Version {
			return nil, versionConflict(old.Version)
		}
		var x transaction
		raced := versionConflict(old.Version + 1)
		changed := t.merge(d, old, c, &x)
		if changed == nil {
			return old, nil
		}
		x.put(t.db, t.keys.encodeIssue(changed), mustHaveVersion(old.Version, raced))
		if err = t.db.write(ctx, &x); err == nil {
			return changed, nil
		}
		if err != error(raced) || c.ExpectedVersion != nil || try > maxRetries {
			return nil, err
		}
		if err := pause(ctx, try); err != nil {
			return nil, err
		}
	}
}

func versionConflict(current int64) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "expectedVersion",
		Message: "the issue was changed by somebody else; its version is now " + itoa(int(current)) + " or later"}
}

// merge returns the issue as it will be, and adds the entries that differ to the transaction; nil when nothing changes.
func (t *Tenant) merge(d *tracker.Definition, old *tracker.Issue, c tracker.Change, x *transaction) *tracker.Issue {
	next := *old
	next.Version++
	next.Updated = t.db.now().UTC().Truncate(time.Microsecond)
	if c.Name != nil {
		next.Name = *c.Name
	}
	if c.State != nil {
		next.State = *c.State
	}
	differs := next.Name != old.Name || next.State != old.State
	diff := entryDiff{old: map[Key][]byte{}}
	if c.Description != nil && !sameText(old.Description, *c.Description) {
		differs = true
		if old.Description.Kind == tracker.KindLong {
			diff.remove(t.keys.partKeys(old.ID, tracker.ColumnDescription, old.Description.Long()))
		}
		next.Description = tracker.Text(*c.Description)
		if len(*c.Description) > tracker.MaxInlineText {
			var parts []item
			next.Description, parts = t.keys.longItems(&next, tracker.ColumnDescription, *c.Description)
			diff.add(parts)
		}
	}
	next.Values = maps.Clone(old.Values)
	for id, v := range c.Values {
		f := d.Field(id)
		was := old.Values[id]
		if f == nil || sameValue(f, was, v) {
			continue
		}
		differs = true
		if was.Kind == tracker.KindLong {
			diff.remove(t.keys.partKeys(old.ID, f.ID.Column(), was.Long()))
		} else {
			_, items := t.keys.valueItems(old, f, was)
			diff.replace(items)
		}
		stored, items := t.keys.valueItems(&next, f, v)
		diff.add(items)
		if next.Values[id] = stored; v.Kind == tracker.KindNone {
			delete(next.Values, id)
		}
	}
	if !differs {
		return nil
	}
	diff.replace(t.keys.builtinEntries(&d.Project, old))
	diff.add(t.keys.builtinEntries(&d.Project, &next))
	diff.into(t.db, x)
	return &next
}

func sameText(stored tracker.Value, text string) bool {
	return stored.Kind != tracker.KindLong && stored.Text() == text
}

// sameValue tells whether a stored value is the one that is given. Numbers are compared as such, because DynamoDB gives back another
// literal than it was given. A long text is not known here, and so never the same.
func sameValue(f *tracker.Field, stored, v tracker.Value) bool {
	if stored.Kind == tracker.KindNum && v.Kind == tracker.KindNum && f.Type == tracker.TypeNumber {
		return stored.Float() == v.Float()
	}
	return stored.Equal(v)
}

// entryDiff collects which entries an update writes, those that differ from what the issue had, and which it deletes, those that it no
// longer has.
type entryDiff struct {
	old  map[Key][]byte // the sort strings of entries that hold nothing else; nil for other items
	next []item
}

// remove tells of items that the issue had.
func (d *entryDiff) remove(all []Key) {
	for _, k := range all {
		d.old[k] = nil
	}
}

// replace tells of entries that the issue had.
func (d *entryDiff) replace(items []item) {
	for _, m := range items {
		d.old[keyOf(m)] = getB(m, attrSS)
	}
}

func (d *entryDiff) add(items []item) { d.next = append(d.next, items...) }

func (d *entryDiff) into(db *DB, x *transaction) {
	for _, m := range d.next {
		was := d.old[keyOf(m)]
		delete(d.old, keyOf(m))
		if _, holds := m["v"]; holds || was == nil || !bytes.Equal(was, getB(m, attrSS)) {
			x.put(db, m, condition{})
		}
	}
	for k := range d.old {
		x.delete(db, k, condition{})
	}
}

// DeleteIssue removes an issue and all its entries: the issue item and as many entries as one transaction takes, then the rest. An entry
// that a crash leaves behind is a ghost, which readers skip. Without an expected version it starts again when somebody else changes the
// issue meanwhile, so that no entry of that change is left behind.
func (t *Tenant) DeleteIssue(ctx context.Context, id tracker.IssueID, expectedVersion *int64) error {
	for try := 1; ; try++ {
		version, entries, err := t.entriesOf(ctx, id)
		if err != nil {
			return err
		}
		if expectedVersion != nil && *expectedVersion != version {
			return versionConflict(version)
		}
		var x transaction
		raced := versionConflict(version + 1)
		x.delete(t.db, t.keys.issueItem(id), mustHaveVersion(version, raced))
		n := min(len(entries), maxTransaction-1)
		for _, k := range entries[:n] {
			x.delete(t.db, k, condition{})
		}
		if err = t.db.write(ctx, &x); err == nil {
			return t.db.deleteAll(ctx, entries[n:])
		}
		if err != error(raced) || expectedVersion != nil || try > maxRetries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// entriesOf returns the version of an issue, and the keys of all its items but the issue item, which comes first in its partition, so
// that what is read after it is of this version or a later one. NotFound if there is no such issue.
func (t *Tenant) entriesOf(ctx context.Context, id tracker.IssueID) (version int64, entries []Key, err error) {
	if !id.Valid() {
		return 0, nil, tracker.Missing("issue")
	}
	doc := t.keys.issueItem(id)
	exists := false
	err = t.partition(ctx, doc.PK, attrPK+","+attrSK+",version", func(m item) error {
		if k := keyOf(m); k == doc {
			exists, version = true, getN(m, "version")
		} else {
			entries = append(entries, k)
		}
		return nil
	})
	if err == nil && !exists {
		err = tracker.Missing("issue")
	}
	return version, entries, err
}

func (db *DB) deleteAll(ctx context.Context, all []Key) error {
	deletes := make([]types.WriteRequest, len(all))
	for i, k := range all {
		deletes[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyItem(k)}}
	}
	return db.batchWrite(ctx, deletes)
}
