package issues

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// maxHistoryBytes is the maximum size of the part of a history entry in one item.
const maxHistoryBytes = 300_000

// maxWordBytes is the maximum number of bytes of the names of choices in a history entry, about those of
// 1,000 options. It keeps a transaction with extreme sets from being too large.
const maxWordBytes = 64_000

// unrecorded are the columns that follow from the entries of the history.
var unrecorded = []tracker.Column{tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy,
	tracker.ColumnParticipation}

// encodeHistory returns the items of the history entry of a change. The first one contains the ID of the
// write.
func (s *Store) encodeHistory(c *commit, write string) []layout.Item {
	var out []layout.Item
	next := func() layout.Item {
		m := layout.KeyItem(s.t.Keys.History(c.after.ID, c.after.Version, len(out)))
		m[layout.AttrExpires] = s.t.Expiry(s.t.KeepHistory)
		out = append(out, m)
		return m
	}
	m := next()
	m["write"] = layout.S(write)
	m["kind"] = layout.S(string(c.kind))
	m["at"] = layout.S(tracker.FormatDateTime(c.at))
	layout.SetActor(m, c.by)
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
	bytes, names := 0, 0
	for _, column := range columns {
		oldValue, newValue := was.Value(column), c.after.Value(column)
		if slices.Contains(unrecorded, column) || oldValue.Equal(newValue) {
			continue
		}
		adds := layout.Item{}
		for name, v := range map[string]tracker.Value{"before": oldValue, "after": newValue} {
			if v.Kind != tracker.KindNone {
				adds[name] = layout.EncodeValue(v)
			}
		}
		w := c.words(column, oldValue, newValue)
		for id, name := range w.Choices {
			if names += len(id) + len(name); names > maxWordBytes {
				w.Choices = nil
				break
			}
		}
		if of := layout.EncodeWords(w); of != nil {
			adds["words"] = &types.AttributeValueMemberM{Value: of}
		}
		more := layout.ItemBytes(adds) + len(adds)*len(column)
		if bytes > 0 && bytes+more > maxHistoryBytes {
			m, bytes = next(), 0
		}
		bytes += more
		for name, av := range adds {
			if m[name] == nil {
				m[name] = &types.AttributeValueMemberM{Value: layout.Item{}}
			}
			layout.GetM(m, name)[string(column)] = av
		}
	}
	return out
}

// words returns what a column and its choices are called. If a job may have ended since the change was begun,
// only the older definition knows what it has removed.
func (c *commit) words(column tracker.Column, values ...tracker.Value) tracker.Words {
	w := c.definition.Words(column, values...)
	if c.was != nil {
		w = c.was.Words(column, values...).And(w)
	}
	return w
}

// record adds to a transaction the history entry of a change, and its entry in the activity of the project,
// unless a job makes the change.
func (s *Store) record(x *client.Transaction, c *commit, write string) {
	items := s.encodeHistory(c, write)
	for _, m := range items {
		// No other writer can create this version. A deleted issue with the same id may have left one.
		x.Put(s.t.Table, m, client.Condition{})
	}
	if c.by.OfJob() {
		return
	}
	s.t.AddActivity(x, tracker.Activity{At: c.at, Issue: c.after.ID, Num: c.after.Num, By: c.by, Kind: c.kind,
		Version: c.after.Version, Items: len(items)})
}

// History returns the changes of an issue, as far back as they are kept. Versions that the issue has not
// reached yet belong to a deleted issue with the same id; the caller must exclude them by q.To. more reports
// whether there may be more entries within the range.
func (s *Store) History(ctx context.Context, id tracker.IssueID, q store.HistoryQuery) (
	page []tracker.Changed, more bool, err error) {
	if !id.Valid() {
		return nil, false, tracker.Missing("issue")
	}
	to := cmp.Or(q.To, tracker.MaxVersion+1)
	if q.From >= to || q.Limit <= 0 {
		return nil, q.Limit <= 0, nil
	}
	in := &dynamodb.QueryInput{
		TableName: &s.t.Table,
		KeyConditionExpression: aws.String(layout.AttrPK + " = :pk AND " + layout.AttrSK +
			" BETWEEN :from AND :to"),
		ExpressionAttributeValues: layout.Item{":pk": layout.S(s.t.Keys.Issue(id)),
			":from": layout.S(s.t.Keys.History(id, q.From, 0).SK),
			":to":   layout.S(s.t.Keys.History(id, to-1, maxHistoryItems).SK)},
		ScanIndexForward:       aws.Bool(q.OldestFirst),
		ConsistentRead:         aws.Bool(true),
		Limit:                  aws.Int32(int32(q.Limit + 1)),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	for {
		out, err := s.t.Client.Query(ctx, in)
		if err != nil {
			return nil, false, client.Translate(err)
		}
		for _, m := range out.Items {
			version, _, ok := s.t.Keys.ParseHistory(id, layout.GetS(m, layout.AttrSK))
			if !ok {
				return nil, false, tracker.Internal("an item of the history has an invalid key",
					nil)
			}
			if s.t.Expired(m) {
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
