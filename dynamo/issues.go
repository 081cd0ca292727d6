package dynamo

import (
	"context"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// CreateIssue writes a new issue as a whole or not at all, however many values it has, and gives it the project's next number unless it has
// one. Its times are set here unless given; its values must have been checked against the definition.
func (t *Tenant) CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue, error) {
	ctx, cancel, err := t.inTime(ctx, d)
	if err != nil {
		return nil, err
	}
	defer cancel()
	if made, err := t.madeIssue(ctx, d.Project.ID); made != nil || err != nil {
		return made, err
	}
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
	t.stamp(&i)
	once, err := tracker.NewID(t.db.random)
	if err != nil {
		return nil, err
	}
	c := t.newDocument(d, i, once)
	c.kind, c.raced = tracker.Created, taken("an issue with this id")
	return t.commitOnce(ctx, c)
}

// inTime bounds a change by the time in which the definition that it was checked with may be used: jobs rely on that nobody uses it after it.
func (t *Tenant) inTime(ctx context.Context, d *tracker.Definition) (context.Context, context.CancelFunc, error) {
	if d.Read.IsZero() {
		return ctx, func() {}, nil
	}
	left := t.db.ttl + t.db.writeTime - t.db.now().Sub(d.Read)
	if left <= 0 {
		return nil, nil, &tracker.Error{Code: tracker.Conflict, Message: "the project may have been changed meanwhile; try again"}
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	return ctx, cancel, nil
}

// madeIssue returns the issue that the handle's one change was about, if it was made before; nil if it was not.
func (t *Tenant) madeIssue(ctx context.Context, p tracker.ProjectID) (*tracker.Issue, error) {
	id, ok, err := t.madeBefore(ctx)
	if err != nil || !ok {
		return nil, err
	}
	found, err := t.issues(ctx, []tracker.IssueID{{Project: p, Issue: id}}, true)
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, tracker.Missing("issue; the change was made before, and the issue was deleted after it")
	}
	return found[0], nil
}

// commitOnce makes a change, or returns what there is if somebody has made it under the same key meanwhile.
func (t *Tenant) commitOnce(ctx context.Context, c *commit) (*tracker.Issue, error) {
	err := t.commit(ctx, c)
	if err == error(errTwice) {
		made, readErr := t.madeIssue(ctx, c.after.ID.Project)
		if made != nil || readErr != nil {
			return made, readErr
		}
	}
	if err != nil {
		return nil, err
	}
	return c.after, nil
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
	i.Version = 1
	if i.Created.IsZero() {
		i.Created = t.time()
	}
	if i.Updated.IsZero() {
		i.Updated = i.Created
	}
}

func (t *Tenant) time() time.Time { return t.db.now().UTC().Truncate(time.Microsecond) }

// newDocument makes the commit of a document that there is not yet. once makes the IDs of its long texts their own.
func (t *Tenant) newDocument(d *tracker.Definition, i tracker.Issue, once string) *commit {
	given := i.Values
	i.Values, i.Gens = make(map[tracker.FieldID]tracker.Value, len(given)), nil
	c := &commit{definition: d, after: &i, columns: layout.BuiltinColumns(), full: map[tracker.Column]string{}}
	i.Description = t.shorten(c, tracker.ColumnDescription, i.Description, once)
	for id, v := range given {
		if d.Field(id) != nil && v.Kind != tracker.KindNone {
			i.Values[id] = t.shorten(c, id.Column(), v, once)
			c.columns = append(c.columns, id.Column())
			setGen(&i, d.Field(id))
		}
	}
	return c
}

// setGen notes of which generation a value is that is being set.
func setGen(i *tracker.Issue, f *tracker.Field) {
	if f.Gen == 0 {
		delete(i.Gens, f.ID) // who writes with an older definition writes a value of an older generation
		return
	}
	if i.Gens == nil {
		i.Gens = map[tracker.FieldID]int64{}
	}
	i.Gens[f.ID] = f.Gen
}

// shorten returns a value as the document holds it: of a long text, where it is.
func (t *Tenant) shorten(c *commit, column tracker.Column, v tracker.Value, once string) tracker.Value {
	if !layout.IsLong(c.definition, column, v) {
		return v
	}
	l, parts := t.keys.LongParts(c.after.ID, column, v.Text(), once, t.db.now())
	c.parts = append(c.parts, parts...)
	c.full[column] = v.Text()
	return tracker.LongText(l)
}

// ReserveNums takes n numbers from the project's counter and returns the first. Numbers taken and not used are not used again.
func (t *Tenant) ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error) {
	out, err := t.db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.db.table,
		Key:                       layout.KeyItem(t.keys.Counter(p)),
		UpdateExpression:          aws.String("ADD n :n"),
		ConditionExpression:       aws.String("attribute_exists(" + layout.AttrPK + ") AND n <= :most"),
		ExpressionAttributeValues: layout.Item{":n": layout.N(int64(n)), ":most": layout.N(tracker.MaxNum - int64(n))},
		ReturnValues:              types.ReturnValueUpdatedNew,
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return 0, tracker.Missing("project with numbers left")
	}
	if err != nil {
		return 0, client.Translate(err)
	}
	return layout.GetN(out.Attributes, "n") - int64(n) + 1, nil
}

// UpdateIssue reads an issue, merges the change into it, and writes what differs, as a whole or not at all, however much it is. Without an
// expected version it starts again when somebody else was faster, so that two who change different fields both win.
func (t *Tenant) UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID, change tracker.Change) (*tracker.Issue, error) {
	ctx, cancel, err := t.inTime(ctx, d)
	if err != nil {
		return nil, err
	}
	defer cancel()
	if made, err := t.madeIssue(ctx, id.Project); made != nil || err != nil {
		return made, err
	}
	changed, err := t.update(ctx, d, id, change)
	return t.issueOrMade(ctx, id.Project, changed, err)
}

func (t *Tenant) update(ctx context.Context, d *tracker.Definition, id tracker.IssueID, change tracker.Change) (*tracker.Issue, error) {
	for try := 1; ; try++ {
		old, err := t.current(ctx, id, change.ExpectedVersion)
		if err != nil {
			return nil, err
		}
		if d.Current(old) != old { // a job would come to it later
			if err := t.migrate(ctx, d, id); err != nil {
				return nil, err
			}
			if change.ExpectedVersion != nil {
				migrated := *change.ExpectedVersion + 1
				change.ExpectedVersion = &migrated
			}
			continue
		}
		c, err := t.merge(d, old, change)
		if err != nil {
			return nil, err
		}
		if d.Rebuilding() && len(c.columns) > 0 { // the index may have other entries than old says
			if c.had, err = t.entriesNow(ctx, id); err != nil {
				return nil, err
			}
			if c.full, c.lost, err = t.sortedTexts(ctx, d, c.after, c.full); err != nil {
				return nil, err
			}
		}
		if len(c.columns) == 0 {
			return old, t.remember(ctx, id)
		}
		c.raced = versionConflict(old.Version + 1)
		changed, err := t.commitOnce(ctx, c)
		if err != c.raced {
			return changed, err
		}
		if err := t.db.raced(ctx, try); err != nil {
			return nil, err
		}
	}
}

// raced waits before a change is tried again because somebody else was faster. Conflict when that was too often.
func (db *DB) raced(ctx context.Context, try int) error {
	return db.client.AfterConflict(ctx, try, &tracker.Error{Code: tracker.Conflict, Message: "too many others are changing the issue; try again"})
}

// current reads the document of an issue, Indexing only if it has a marker. Conflict if it has not the expected version.
func (t *Tenant) current(ctx context.Context, id tracker.IssueID, expected *int64) (*tracker.Issue, error) {
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
		Message: "the issue was changed by somebody else; its version is " + strconv.Itoa(int(current)) + " now"}
}

// remember keeps a change that changes nothing from being made again.
func (t *Tenant) remember(ctx context.Context, id tracker.IssueID) error {
	var x client.Transaction
	if t.onceInto(&x, id.Issue); len(x.Writes) == 0 {
		return nil
	}
	if err := t.db.write(ctx, &x); err != error(errTwice) {
		return err
	}
	return nil
}

// merge makes the commit of a change. It has no columns when nothing changes.
func (t *Tenant) merge(d *tracker.Definition, old *tracker.Issue, change tracker.Change) (*commit, error) {
	once, err := tracker.NewID(t.db.random)
	if err != nil {
		return nil, err
	}
	next := *old
	next.Version++
	next.Updated = t.time()
	next.Indexing = false
	next.Values, next.Gens = maps.Clone(old.Values), maps.Clone(old.Gens)
	c := &commit{definition: d, before: old, after: &next, unsure: old.Indexing, kind: tracker.Updated, full: map[tracker.Column]string{}}
	if change.Name != nil && *change.Name != old.Name {
		next.Name = *change.Name
		c.columns = append(c.columns, tracker.ColumnName)
	}
	if change.State != nil && *change.State != old.State {
		next.State = *change.State
		c.columns = append(c.columns, tracker.ColumnState)
	}
	if change.Description != nil {
		next.Description = t.replace(c, tracker.ColumnDescription, old.Description, tracker.Text(*change.Description), once)
	}
	for id, v := range change.Values {
		if d.Field(id) == nil {
			continue
		}
		if next.Values[id] = t.replace(c, id.Column(), old.Values[id], v, once); v.Kind == tracker.KindNone {
			delete(next.Values, id)
			delete(next.Gens, id)
		} else {
			setGen(&next, d.Field(id))
		}
	}
	if len(c.columns) > 0 {
		c.columns = append(c.columns, tracker.ColumnUpdated)
	}
	return c, nil
}

// replace returns the new value of a column as the document holds it, or the old one if they are the same.
func (t *Tenant) replace(c *commit, column tracker.Column, was, v tracker.Value, once string) tracker.Value {
	if sameValue(c.definition, column, was, v) {
		return was
	}
	c.columns = append(c.columns, column)
	if was.Kind == tracker.KindLong {
		c.unused = append(c.unused, t.keys.PartKeys(c.after.ID, column, was.Long())...)
	}
	return t.shorten(c, column, v, once)
}

// sameValue tells whether a stored value is the one that is given. Numbers are compared as such, because DynamoDB gives back another
// literal than it was given.
func sameValue(d *tracker.Definition, column tracker.Column, stored, v tracker.Value) bool {
	if stored.Kind == tracker.KindLong && v.Kind == tracker.KindText {
		return stored.Long().Holds(v.Text())
	}
	if stored.Kind == tracker.KindNum && v.Kind == tracker.KindNum && d.Field(column.Field()).Type == tracker.TypeNumber {
		return stored.Float() == v.Float()
	}
	return stored.Equal(v)
}
