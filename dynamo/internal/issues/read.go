package issues

import (
	"context"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Issues returns the documents of ids in their order, nil for those that do not exist. It uses parallel
// BatchGetItem calls of up to 100 keys.
func (s *Store) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return s.issues(ctx, ids, false)
}

// Heads is Issues with only the built-in columns; the issues are Partial. It consumes the same read units,
// because DynamoDB charges for what it reads, not for what it returns, but it saves the CPU time and memory
// of the values.
func (s *Store) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return store.DecodeAll(ctx, s.t.DB, s.issueKeys(ids),
		store.Reading{Attributes: headAttributes}, func(m layout.Item) (*tracker.Issue, error) {
			i, err := s.t.Keys.DecodeIssue(m)
			if i != nil {
				i.Partial = true
			}
			return i, err
		})
}

// headAttributes are the key attributes and those of the built-in columns of an issue.
var headAttributes = []string{layout.AttrPK, layout.AttrSK, "num", "name", "state", "created", "updated",
	"createdby", "updatedby", "assignees", "watchers", "author", "editor", "version", "description",
	"indexing"}

// IssuesConsistent is Issues with consistent reads, at twice the read units.
func (s *Store) IssuesConsistent(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return s.issues(ctx, ids, true)
}

func (s *Store) issues(ctx context.Context, ids []tracker.IssueID, consistent bool) ([]*tracker.Issue,
	error) {
	return store.DecodeAll(ctx, s.t.DB, s.issueKeys(ids),
		store.Reading{Consistent: consistent, Documents: true}, s.t.Keys.DecodeIssue)
}

func (s *Store) issueKeys(ids []tracker.IssueID) []layout.Key {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if id.Valid() {
			all[i] = s.t.Keys.IssueItem(id)
		}
	}
	return all
}

// entriesNow reads the keys and sort strings of all entries of an issue consistently.
func (s *Store) entriesNow(ctx context.Context, id tracker.IssueID) (map[layout.Key][]byte, error) {
	existing := map[layout.Key][]byte{}
	err := s.t.Select(ctx, s.t.Keys.Issue(id), s.t.Keys.EntryPrefix(),
		layout.AttrPK+","+layout.AttrSK+","+layout.AttrSS, func(m layout.Item) error {
			existing[layout.KeyOf(m)] = layout.GetB(m, layout.AttrSS)
			return nil
		})
	return existing, err
}

// marked reports whether an issue has a marker with the version of its document, so that its entries may be
// outdated.
func (s *Store) marked(ctx context.Context, doc *tracker.Issue) (bool, error) {
	if !doc.Indexing {
		return false, nil
	}
	found, err := s.t.Get(ctx, []layout.Key{s.t.Keys.Marker(doc.ID)}, true)
	return err == nil && found[0] != nil, err
}

// WithNumber returns the keys of the index entries with a number.
func (s *Store) WithNumber(ctx context.Context, p *tracker.Project, num int64) ([]columns.IndexKey, error) {
	at := sortkey.Num(num)
	page, err := s.QueryKeys(ctx, columns.KeyQuery{Project: p.ID, Shards: p.Shards, Column: tracker.ColumnNum,
		From: at, To: sortkey.After(at), Limit: store.MaxBatch})
	return page.Keys, err
}
