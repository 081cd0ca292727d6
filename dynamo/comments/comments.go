// Package comments stores the comments of issues.
//
// The comments of an issue are in its partition, in the order of creation. A list is a range of sort keys, or
// a merge of up to six ranges of entries, whose keys contain what a filter compares. So a page costs the same
// at any depth and number of comments, and no comment is read that a filter does not select. All reads are
// consistent.
//
// The laws are:
//
//	K1 A comment has exactly the entries that follow from its author, language and rating (EntriesOf), at
//	   most four. They are written in the transaction that writes the comment.
//	K2 The counts of an issue, and those of each language, are the numbers of comments by rating. They
//	   change in the same transaction.
//	K3 A text of more than tracker.MaxInlineBody bytes is an item of its own, is written in the transaction
//	   that writes the comment or before, and is never overwritten.
//	K4 A comment has the number of its replies, and for each reaction the number of the users that have it.
//	   They change in the transaction that adds or removes one.
//	K5 Nothing changes in the comments of an issue that does not exist: each transaction checks it. An issue
//	   in the trash keeps its comments, which expire with it.
//
// Deleting a comment removes it, its entries and its share of the counts in one transaction, and then its
// replies, texts and reactions. A reply does not exist without its parent, so that what a crash leaves of
// those is not seen; `check` removes it.
package comments

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Store has the comments of the issues of one tenant.
type Store struct{ t *store.Tenant }

// Of returns the comments of a tenant.
func Of(t *dynamo.Tenant) *Store { return &Store{t.Inside().Tenant} }

func (s *Store) at(id tracker.IssueID) layout.Comments { return layout.CommentsOf(s.t.Keys, id) }

// Get returns comments in the order of refs, nil for those that do not exist. A reply exists as long as its
// parent does, which is read with it.
func (s *Store) Get(ctx context.Context, refs []tracker.CommentRef) ([]*tracker.Comment, error) {
	keys := make([]layout.Key, len(refs), 2*len(refs))
	for i, ref := range refs {
		if ref.Valid() {
			keys[i] = s.at(ref.Issue).Comment(ref)
		}
	}
	parents := map[layout.Key]int{}
	for i, ref := range refs {
		if k := s.parent(ref); keys[i].PK != "" && ref.Reply() {
			if _, ok := parents[k]; !ok {
				parents[k], keys = len(keys), append(keys, k)
			}
		}
	}
	all, err := store.DecodeAll(ctx, s.t.DB, keys, store.Consistent, s.decode)
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		if n, ok := parents[s.parent(ref)]; ok && ref.Reply() && all[n] == nil {
			all[i] = nil
		}
	}
	return all[:len(refs)], nil
}

// parent returns the key of the parent of a reply.
func (s *Store) parent(ref tracker.CommentRef) layout.Key {
	return s.at(ref.Issue).Comment(tracker.CommentRef{Issue: ref.Issue, ID: ref.Parent})
}

// decode decodes a comment, or returns nil if it is one of an issue in the trash that has expired.
func (s *Store) decode(m layout.Item) (*tracker.Comment, error) {
	id, ok := s.t.Keys.ParseIssue(layout.GetS(m, layout.AttrPK))
	if !ok {
		return nil, tracker.Internal("a comment is not in the partition of an issue", nil)
	}
	if s.t.Expired(m) {
		return nil, nil
	}
	return s.at(id).Decode(m)
}

// Query selects a page of a list of comments.
type Query struct {
	Issue tracker.IssueID
	// Parent selects the replies to a comment. A list of replies has no filter but Since.
	Parent tracker.CommentID
	Filter tracker.CommentFilter
	// After and Before limit the page to the comments between them, which are not in it; empty for no limit.
	After, Before tracker.CommentID
	// Descending reads the newest comments first.
	Descending bool
	Limit      int
}

// ranges returns the ranges of sort keys of the list. They are disjoint.
func (s *Store) ranges(q Query) []layout.CommentRange {
	at := s.at(q.Issue)
	if q.Parent == "" {
		if entries := at.Entries(q.Filter); entries != nil {
			return entries
		}
	}
	return []layout.CommentRange{at.List(q.Parent)}
}

// ofComments reports whether the items of the list are comments, and not entries.
func (q Query) ofComments() bool {
	f := q.Filter
	return q.Parent != "" || f.Ratings == nil && f.Language == "" && f.Author == ""
}

// bounds returns the lowest and the highest id of the page, which may be in it; empty for no limit. It
// returns false if there is none between After and Before.
func (q Query) bounds() (from, to tracker.CommentID, some bool) {
	from, to = q.After, q.Before
	if since := q.Filter.Since; !since.IsZero() {
		from = max(from, tracker.FirstCommentID(since))
	}
	return from, to, to == "" || from <= to
}

// List returns a page of comments in the order of creation, or the reverse if Descending is set. more reports
// whether there are others in this direction. The error is BadInput for an invalid filter.
func (s *Store) List(ctx context.Context, q Query) (page []*tracker.Comment, more bool, err error) {
	if err := s.check(&q); err != nil {
		return nil, false, err
	}
	ranges := s.ranges(q)
	parts, more, err := s.read(ctx, q, ranges)
	if err != nil {
		return nil, false, err
	}
	if q.ofComments() {
		for _, m := range parts[0] {
			c, err := s.decode(m)
			if err != nil {
				return nil, false, err
			}
			if c != nil {
				page = append(page, c)
			}
		}
		return page, more, nil
	}
	ids := merge(ranges, parts, q.Descending)
	if len(ids) > q.Limit {
		ids, more = ids[:q.Limit], true
	}
	refs := make([]tracker.CommentRef, len(ids))
	for i, id := range ids {
		refs[i] = tracker.CommentRef{Issue: q.Issue, ID: id}
	}
	page, err = s.Get(ctx, refs)
	// a comment that was deleted or changed since its entry was read
	return slices.DeleteFunc(page, func(c *tracker.Comment) bool {
		return c == nil || !q.Filter.Matches(c)
	}), more, err
}

// check checks a query. Ids from which keys are built must be valid, so that they name no other items.
func (s *Store) check(q *Query) error {
	for _, id := range []tracker.CommentID{q.Parent, q.After, q.Before} {
		if id != "" && !id.Valid() {
			return tracker.Missing("comment")
		}
	}
	if !q.Issue.Valid() {
		return tracker.Missing("issue")
	}
	if q.Filter.Author != "" && !tracker.ValidID(string(q.Filter.Author)) {
		return tracker.Missing("user")
	}
	return q.Filter.Check()
}

// read reads up to q.Limit items of each range in parallel. more reports whether any range has others.
func (s *Store) read(ctx context.Context, q Query, ranges []layout.CommentRange) (parts [][]layout.Item,
	more bool, err error) {
	parts, mores := make([][]layout.Item, len(ranges)), make([]bool, len(ranges))
	from, to, some := q.bounds()
	if !some {
		return parts, false, nil
	}
	pk := s.at(q.Issue).Partition()
	group, reading := errgroup.WithContext(ctx)
	for i, r := range ranges {
		group.Go(func() (err error) {
			// The bounds may be among the items.
			extra := 0
			if q.After != "" {
				extra++
			}
			if q.Before != "" {
				extra++
			}
			first, last := r.Bounds(from, to)
			parts[i], mores[i], err = s.t.Between(reading, pk, first, last, q.Descending,
				q.Limit+extra)
			parts[i] = slices.DeleteFunc(parts[i], func(m layout.Item) bool {
				id := r.ID(layout.GetS(m, layout.AttrSK))
				return id == q.After || id == q.Before
			})
			if len(parts[i]) > q.Limit {
				parts[i], mores[i] = parts[i][:q.Limit], true
			}
			return err
		})
	}
	err = group.Wait()
	return parts, slices.Contains(mores, true), err
}

// merge returns the ids of the entries of disjoint ranges in one order.
func merge(ranges []layout.CommentRange, parts [][]layout.Item, descending bool) []tracker.CommentID {
	var ids []tracker.CommentID
	for i, part := range parts {
		for _, m := range part {
			ids = append(ids, ranges[i].ID(layout.GetS(m, layout.AttrSK)))
		}
	}
	slices.SortFunc(ids, func(a, b tracker.CommentID) int {
		if descending {
			a, b = b, a
		}
		return cmp.Compare(a, b)
	})
	return slices.Compact(ids) // a change between two reads may have moved an entry to the second range
}

// Count returns the number of comments of a list, whose After, Before and Limit are ignored. If exact is
// false, there are more. Without an author and Since it reads one item.
func (s *Store) Count(ctx context.Context, q Query) (n int, exact bool, err error) {
	q.After, q.Before = "", ""
	if err := s.check(&q); err != nil {
		return 0, false, err
	}
	if q.Parent == "" && q.Filter.Author == "" && q.Filter.Since.IsZero() {
		counts, err := s.Counts(ctx, []tracker.IssueID{q.Issue}, q.Filter.Language)
		if err != nil {
			return 0, false, err
		}
		if q.Filter.Ratings == nil {
			return counts[0].Total(), true, nil
		}
		for _, rating := range q.Filter.Ratings {
			n += counts[0][rating]
		}
		return n, true, nil
	}
	if q.Parent != "" && q.Filter.Since.IsZero() {
		all, err := s.Get(ctx, []tracker.CommentRef{{Issue: q.Issue, ID: q.Parent}})
		if err != nil || all[0] == nil {
			return 0, err == nil, err
		}
		return all[0].Replies, true, nil
	}
	from, to, _ := q.bounds()
	exact = true
	for _, r := range s.ranges(q) {
		first, last := r.Bounds(from, to)
		more, all, err := s.t.CountBetween(ctx, s.at(q.Issue).Partition(), first, last)
		if err != nil {
			return 0, false, err
		}
		n, exact = n+more, exact && all
	}
	return n, exact, nil
}

// Counts returns the numbers of the comments of issues, in their order: of those in a language, or of all if
// it is empty. Comments are counted without replies.
func (s *Store) Counts(ctx context.Context, issues []tracker.IssueID, language string) (
	[]tracker.CommentCounts, error) {
	if language != "" {
		var err error
		if language, err = tracker.ParseLanguage(language); err != nil {
			return nil, err
		}
	}
	keys := make([]layout.Key, len(issues))
	for i, id := range issues {
		if id.Valid() {
			keys[i] = s.at(id).Sum(language)
		}
	}
	items, err := s.t.Get(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	out := make([]tracker.CommentCounts, len(issues))
	for i, m := range items {
		_, out[i] = s.at(issues[i]).DecodeSum(m)
	}
	return out, nil
}

// LanguageCounts has the counts of the comments in a language.
type LanguageCounts struct {
	Language string
	Counts   tracker.CommentCounts
}

// maxLanguageQueries is the maximum number of Queries for the languages of an issue.
const maxLanguageQueries = 3

// Languages returns the counts of the languages of an issue's comments, at most limit, by language. It may
// miss some if there were comments in several times as many languages, because their counts stay.
func (s *Store) Languages(ctx context.Context, id tracker.IssueID, limit int) ([]LanguageCounts, error) {
	if !id.Valid() {
		return nil, tracker.Missing("issue")
	}
	at := s.at(id)
	var out []LanguageCounts
	first, more := at.Languages()+"0", true
	for query := 0; more && len(out) < limit && query < maxLanguageQueries; query++ {
		var found []layout.Item
		var err error
		found, more, err = s.t.Between(ctx, at.Partition(), first, at.Languages()+"~", false, limit)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			language, counts := at.DecodeSum(m)
			if counts.Total() > 0 && len(out) < limit { // those of languages that are no longer used stay
				out = append(out, LanguageCounts{language, counts})
			}
			first = layout.GetS(m, layout.AttrSK) + " "
		}
	}
	return out, nil
}
