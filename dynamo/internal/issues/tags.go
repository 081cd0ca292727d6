package issues

import (
	"context"
	"strconv"
	"time"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// tagsKnown is how long after a server has listed a tag it does not do so again. It is much less than the age
// from which `check --repair` removes a tag that no issue has.
const tagsKnown = 10 * time.Minute

// listedBytes is the memory of a listed tag in addition to its key.
const listedBytes = 200

// list lists the tags that this server has not listed lately. That is not part of the transaction of a
// change, because changes that add the same tag would fail each other; a tag that is listed in vain does no
// harm.
func (s *Store) list(ctx context.Context, d *tracker.Definition, tags []layout.Key) error {
	t, now := s.t, s.t.Now()
	// A project that is imported again after its deletion has the ids of before.
	of := strconv.FormatInt(d.Project.Created.UnixMicro(), 36) + " "
	var added []layout.Key
	seen := map[layout.Key]bool{}
	for _, k := range tags {
		at, ok := t.Listed.Get(of + k.PK + k.SK)
		if !seen[k] && (!ok || now.Sub(at).Abs() > tagsKnown) {
			added = append(added, k)
		}
		seen[k] = true
	}
	if len(added) == 0 {
		return nil
	}
	if err := t.Put(ctx, layout.ListTags(added, now)...); err != nil {
		return err
	}
	for _, k := range added {
		t.Listed.Add(string(t.ID), of+k.PK+k.SK, now, int64(len(k.PK)+len(k.SK)+listedBytes))
	}
	return nil
}

// Tags returns the tags of a field, and whether there are more. It sends one Query.
func (s *Store) Tags(ctx context.Context, q columns.TagQuery) (tags []string, more bool, err error) {
	if !tracker.ValidID(string(q.Project)) {
		return nil, false, tracker.Missing("project")
	}
	list := layout.TagsOf(s.t.Keys, q.Project, q.Field)
	first, last := list.Key(q.From), list.End()
	if q.To != "" {
		last = list.Key(q.To).SK
	}
	if first.SK > last {
		return nil, false, nil
	}
	items, more, err := s.t.Between(ctx, first.PK, first.SK, last, q.Descending, q.Limit)
	for _, m := range items {
		if _, tag, ok := layout.ParseTag(s.t.Keys, q.Project, layout.GetS(m, layout.AttrSK)); ok {
			tags = append(tags, tag)
		}
	}
	return tags, more, err
}
