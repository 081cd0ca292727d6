package dynamo

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// expiry returns the value of AttrExpires for an item that expires after in.
func (db *DB) expiry(in time.Duration) types.AttributeValue { return layout.N(db.now().Add(in).Unix()) }

// expired reports whether an item has expired, even if DynamoDB has not removed it.
func (db *DB) expired(m layout.Item) bool {
	at := layout.GetN(m, layout.AttrExpires)
	return at > 0 && at <= db.now().Unix()
}

// maxHistoryBytes is the maximum size of the part of a history entry in one item.
const maxHistoryBytes = 300_000

// unrecorded are the columns that follow from the entries of the history.
var unrecorded = []tracker.Column{tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy,
	tracker.ColumnParticipation}

// encodeHistory returns the items of the history entry of a change made at a time. The first one contains the
// ID of the write.
func (t committer) encodeHistory(c *commit, write string, at time.Time) []layout.Item {
	var out []layout.Item
	next := func() layout.Item {
		m := layout.KeyItem(t.keys.History(c.after.ID, c.after.Version, len(out)))
		m[layout.AttrExpires] = t.db.expiry(t.db.keepHistory)
		out = append(out, m)
		return m
	}
	m := next()
	m["write"] = layout.S(write)
	m["kind"] = layout.S(string(c.kind))
	m["at"] = layout.S(tracker.FormatDateTime(at))
	layout.SetActor(m, t.by)
	was, columns := c.before, c.columns
	switch c.kind {
	case tracker.Updated:
	case tracker.Created:
		columns = append(slices.Clone(columns), tracker.ColumnDescription, tracker.ColumnAssignees,
			tracker.ColumnWatchers)
	case tracker.Restored: // the restored issue may have lost values of deleted fields, or have another state
		was, columns = c.trashed, []tracker.Column{tracker.ColumnState}
		for id := range c.trashed.Values {
			columns = append(columns, id.Column())
		}
	default:
		return out
	}
	before, after, bytes := layout.Item{}, layout.Item{}, 0
	set := func() {
		for name, values := range map[string]layout.Item{"before": before, "after": after} {
			if len(values) > 0 {
				m[name] = &types.AttributeValueMemberM{Value: values}
			}
		}
	}
	for _, column := range columns {
		oldValue, newValue := was.Value(column), c.after.Value(column)
		if slices.Contains(unrecorded, column) || oldValue.Equal(newValue) {
			continue
		}
		if bytes > maxHistoryBytes {
			set()
			m, before, after, bytes = next(), layout.Item{}, layout.Item{}, 0
		}
		for values, v := range map[*layout.Item]tracker.Value{&before: oldValue, &after: newValue} {
			if v.Kind != tracker.KindNone {
				av := layout.EncodeValue(v)
				(*values)[string(column)] = av
				bytes += len(column) + layout.ValueBytes(av)
			}
		}
	}
	set()
	return out
}

// record adds to a transaction the history entry of a change, and its entry in the activity of the project,
// unless a job makes the change.
func (t committer) record(x *client.Transaction, c *commit, write string) {
	at := t.db.time()
	items := t.encodeHistory(c, write, at)
	for _, m := range items {
		// No other writer can create this version. A deleted issue with the same id may have left one.
		x.Put(t.db.table, m, client.Condition{})
	}
	if OfJob(t.by) {
		return
	}
	t.addActivity(x, tracker.Activity{At: at, Issue: c.after.ID, Num: c.after.Num, By: t.by, Kind: c.kind,
		Version: c.after.Version, Items: len(items)})
}

// OfJob reports whether an actor is a job. Its changes finish one that was already made.
func OfJob(by tracker.Actor) bool { return by.Kind == tracker.ActorJob }

// addActivity adds to a transaction an entry of the activity of a project.
func (t committer) addActivity(x *client.Transaction, e tracker.Activity) {
	m := layout.ActivityOf(t.keys, e.Issue.Project).Encode(&e)
	m[layout.AttrExpires] = layout.N(e.At.Add(t.db.keepHistory).Unix())
	x.Put(t.db.table, m, client.Condition{})
}

// HistoryQuery selects entries of the history of an issue or a project.
type HistoryQuery struct {
	// From and To are the range of versions, From <= version < To. A To of 0 means no limit.
	From, To int64
	// OldestFirst reverses the order, which is newest first.
	OldestFirst bool
	Limit       int
}

// History returns the changes of an issue, as far back as they are kept. Versions that the issue has not
// reached yet belong to a deleted issue with the same id; the caller must exclude them by q.To. more reports
// whether there may be more entries within the range.
func (t *Tenant) History(ctx context.Context, id tracker.IssueID, q HistoryQuery) (page []tracker.Changed,
	more bool, err error) {
	if !id.Valid() {
		return nil, false, tracker.Missing("issue")
	}
	to := cmp.Or(q.To, tracker.MaxVersion+1)
	if q.From >= to || q.Limit <= 0 {
		return nil, q.Limit <= 0, nil
	}
	in := &dynamodb.QueryInput{
		TableName: &t.db.table,
		KeyConditionExpression: aws.String(layout.AttrPK + " = :pk AND " + layout.AttrSK +
			" BETWEEN :from AND :to"),
		ExpressionAttributeValues: layout.Item{":pk": layout.S(t.keys.Issue(id)),
			":from": layout.S(t.keys.History(id, q.From, 0).SK),
			":to":   layout.S(t.keys.History(id, to-1, maxHistoryItems).SK)},
		ScanIndexForward:       aws.Bool(q.OldestFirst),
		ConsistentRead:         aws.Bool(true),
		Limit:                  aws.Int32(int32(q.Limit + 1)),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	for {
		out, err := t.db.client.Query(ctx, in)
		if err != nil {
			return nil, false, client.Translate(err)
		}
		for _, m := range out.Items {
			version, _, ok := t.keys.ParseHistory(id, layout.GetS(m, layout.AttrSK))
			if !ok {
				return nil, false, tracker.Internal("an item of the history has an invalid key",
					nil)
			}
			if t.db.expired(m) {
				continue
			}
			if n := len(page); n == 0 || page[n-1].Version != version {
				if n == q.Limit {
					return page, true, nil
				}
				page = append(page, tracker.Changed{Version: version})
			}
			if err := layout.DecodeHistory(m, &page[len(page)-1]); err != nil {
				return nil, false, err
			}
		}
		if out.LastEvaluatedKey == nil {
			return page, false, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// maxHistoryItems is larger than the number of items of an entry.
const maxHistoryItems = 99

// ProjectRecords are the histories and the trash of a tenant's projects.
type ProjectRecords struct{ scope }

// Records returns the histories and the trash of the tenant's projects.
func (t *Tenant) Records() ProjectRecords { return ProjectRecords{t.scope} }

// ProjectHistory returns changes of the definition of a project, as far back as they are kept. more reports
// whether there may be more within the range.
func (r ProjectRecords) ProjectHistory(ctx context.Context, p tracker.ProjectID, q HistoryQuery) (
	page []tracker.ProjectChange, more bool, err error) {
	in, err := r.projectHistory(p, q.From, q.To)
	if err != nil || in == nil {
		return nil, false, err
	}
	if q.Limit <= 0 {
		return nil, true, nil
	}
	in.ScanIndexForward, in.Limit = aws.Bool(q.OldestFirst), aws.Int32(int32(q.Limit+1))
	for {
		out, err := r.db.client.Query(ctx, in)
		if err != nil {
			return nil, false, client.Translate(err)
		}
		for _, m := range out.Items {
			if r.db.expired(m) {
				continue
			}
			if len(page) == q.Limit {
				return page, true, nil
			}
			c, err := layout.HistoryOf(r.keys, p).Decode(m)
			if err != nil {
				return nil, false, err
			}
			page = append(page, *c)
		}
		if out.LastEvaluatedKey == nil {
			return page, false, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// CountProjectHistory returns the number of entries in the history of a project. If exact is false, there are
// more, which would have taken more than MaxCountQueries.
func (r ProjectRecords) CountProjectHistory(ctx context.Context, p tracker.ProjectID) (n int, exact bool,
	err error) {
	in, err := r.projectHistory(p, 0, 0)
	if err != nil {
		return 0, false, err
	}
	in.FilterExpression = aws.String(layout.AttrExpires + " > :now")
	in.ExpressionAttributeValues[":now"] = r.db.expiry(0)
	return r.db.count(ctx, in)
}

// projectHistory returns a query of the entries with From <= version < To; 0 means no limit. It returns nil
// if the range is empty.
func (r ProjectRecords) projectHistory(p tracker.ProjectID, from, to int64) (*dynamodb.QueryInput, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	to = cmp.Or(to, tracker.MaxVersion+1)
	if from >= to {
		return nil, nil
	}
	in, history := r.db.queryOf(r.keys.Project(p)), layout.HistoryOf(r.keys, p)
	*in.KeyConditionExpression += " AND " + layout.AttrSK + " BETWEEN :from AND :to"
	in.ExpressionAttributeValues[":from"] = layout.S(history.Key(from).SK)
	in.ExpressionAttributeValues[":to"] = layout.S(history.Key(to - 1).SK)
	return in, nil
}
