package definitions

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Record adds an entry to the history of a project, for the version that a change creates. Each version has
// at most one, which no other writer can have written.
func (s *Store) Record(x *client.Transaction, p *tracker.Project, version int64,
	parts []tracker.PartChange) {
	if len(parts) == 0 {
		return
	}
	c := &tracker.ProjectChange{Version: version, At: s.t.Time(), By: s.t.By}
	c.SetParts(parts)
	m := layout.HistoryOf(s.t.Keys, p.ID).Encode(c)
	m[layout.AttrExpires] = s.t.Expiry(s.t.KeepHistory)
	x.Put(s.t.Table, m, client.Condition{})
}

// ProjectHistory returns changes of the definition of a project, as far back as they are kept. more reports
// whether there may be more within the range.
func (s *Store) ProjectHistory(ctx context.Context, p tracker.ProjectID, q store.HistoryQuery) (
	page []tracker.ProjectChange, more bool, err error) {
	in, err := s.projectHistory(p, q.From, q.To)
	if err != nil || in == nil {
		return nil, false, err
	}
	if q.Limit <= 0 {
		return nil, true, nil
	}
	in.ScanIndexForward, in.Limit = aws.Bool(q.OldestFirst), aws.Int32(int32(q.Limit+1))
	for {
		out, err := s.t.Client.Query(ctx, in)
		if err != nil {
			return nil, false, client.Translate(err)
		}
		for _, m := range out.Items {
			if s.t.Expired(m) {
				continue
			}
			if len(page) == q.Limit {
				return page, true, nil
			}
			c, err := layout.HistoryOf(s.t.Keys, p).Decode(m)
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
func (s *Store) CountProjectHistory(ctx context.Context, p tracker.ProjectID) (n int, exact bool,
	err error) {
	in, err := s.projectHistory(p, 0, 0)
	if err != nil {
		return 0, false, err
	}
	in.FilterExpression = aws.String(layout.AttrExpires + " > :now")
	in.ExpressionAttributeValues[":now"] = s.t.Expiry(0)
	return s.t.Count(ctx, in)
}

// projectHistory returns a query of the entries with From <= version < To; 0 means no limit. It returns nil
// if the range is empty.
func (s *Store) projectHistory(p tracker.ProjectID, from, to int64) (*dynamodb.QueryInput, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	to = cmp.Or(to, tracker.MaxVersion+1)
	if from >= to {
		return nil, nil
	}
	in, history := s.t.QueryOf(s.t.Keys.Project(p)), layout.HistoryOf(s.t.Keys, p)
	*in.KeyConditionExpression += " AND " + layout.AttrSK + " BETWEEN :from AND :to"
	in.ExpressionAttributeValues[":from"] = layout.S(history.Key(from).SK)
	in.ExpressionAttributeValues[":to"] = layout.S(history.Key(to - 1).SK)
	return in, nil
}
