package groups

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

const (
	// tagsAtOnce is the number of tags that are listed at a time.
	tagsAtOnce = 50
	// tagsPerDocument is the number of listed tags that count as one document of the budget. A tag that has
	// no issue counts as tagCost documents, and with a filter, which takes several calls, as filteredTagCost.
	tagsPerDocument = 40
	tagCost         = 1
	filteredTagCost = 4
	// fewIssues is the maximum number of issues with tags whose documents are read to find all their tags.
	fewIssues = 200
)

// tags finds the groups of a TAGS field. If the filter leaves few issues, their documents have them all.
// Otherwise those of the listed tags are groups that have issues.
func (f *finder) tags(ctx context.Context) error {
	cost := tagCost
	if f.request.Where != nil {
		if done, err := f.ofFew(ctx); done || err != nil {
			return err
		}
		cost = filteredTagCost
	}
	t := &tagLister{finder: f, none: f.request.Prefix == ""}
	return f.list(ctx, &candidates{more: t.next, cost: cost})
}

// tagLister lists the groups of tags, in the direction of paging.
type tagLister struct {
	*finder
	none  bool   // the group of the issues without a tag is to come
	begun bool   // tags were listed
	last  string // the last tag that was listed
}

// next returns the next groups, and whether there are more.
func (t *tagLister) next(ctx context.Context) (all []Group, more bool, err error) {
	if t.none && t.nullsFirst {
		t.none = false
		return t.bounded([]Group{{None: true}}), true, nil
	}
	p := t.request.Prefix
	switch {
	case t.near != nil && t.near.group.None && !t.nullsFirst,
		t.far != nil && t.far.group.None && t.nullsFirst:
		return nil, false, nil // all tags are beyond the bounds
	case p != "" && columns.FoldTag(p) != p:
		return nil, false, nil // it is longer than tags in keys can be
	}
	q := columns.TagQuery{Project: t.definition.Project.ID, Field: t.field, Descending: t.descending,
		Limit: tagsAtOnce}
	near, far := &q.From, &q.To
	if t.descending {
		near, far = far, near
	}
	if t.near != nil {
		*near = t.near.group.Tag
	}
	if t.far != nil {
		*far = t.far.group.Tag
	}
	if t.begun {
		*near = t.last
	}
	if p != "" {
		q.From = max(q.From, p)
		if end := afterPrefix(p); end != "" && (q.To == "" || end < q.To) {
			q.To = end
		}
	}
	tags, more, err := t.request.Tags(ctx, q)
	if err != nil {
		return nil, false, err
	}
	t.left = max(0, t.left-(len(tags)+tagsPerDocument-1)/tagsPerDocument)
	for _, tag := range tags {
		if (!t.begun || tag != t.last) && strings.HasPrefix(tag, t.request.Prefix) {
			all = append(all, Group{Tag: tag})
		}
	}
	if len(tags) > 0 {
		t.begun, t.last = true, tags[len(tags)-1]
	}
	if !more && t.none {
		all = append(all, Group{None: true})
	}
	return t.bounded(all), more, nil
}

// afterSurrogates is the least character after those that strings cannot have.
const afterSurrogates = 0xe000

// afterPrefix returns the least string after all strings with a prefix, or "" if there is none.
func afterPrefix(prefix string) string {
	all := []rune(prefix)
	for n := len(all) - 1; n >= 0; n-- {
		if all[n]++; all[n] > utf8.MaxRune {
			continue
		}
		if !utf8.ValidRune(all[n]) {
			all[n] = afterSurrogates
		}
		return string(all[:n+1])
	}
	return ""
}

// ignoreMemory returns an error, unless what failed can be done in a way that needs less memory.
func ignoreMemory(err error) error {
	if errors.Is(err, account.ErrMemory) {
		return nil
	}
	return err
}

// ofFew finds all groups if at most fewIssues match the filter and have tags. Otherwise it reports false.
func (f *finder) ofFew(ctx context.Context) (done bool, err error) {
	q := f.query(filter.In{Column: f.column, Values: filter.Any()})
	if q.Order, err = grid.OrderBy(f.definition, tracker.ColumnNum, false, false); err != nil {
		return false, err
	}
	q.Budget = max(1, f.left/4) // what is left is for the list
	q.Size = min(fewIssues, q.Budget) + 1
	page, err := grid.Read(ctx, f.source.KeysOnly(), q)
	if err != nil {
		return false, ignoreMemory(err)
	}
	if f.spend(&page); page.Position != nil || len(page.Rows) == q.Size || len(page.Rows) > f.left {
		return false, nil
	}
	var issues []Group
	for i := range page.Rows {
		if x := page.Rows[i].Issue; i == 0 || x.ID != page.Rows[i-1].Issue.ID { // else of an outdated key
			issues = append(issues, Group{First: x})
		}
	}
	docs, err := f.documents(ctx, issues)
	if err != nil {
		return false, ignoreMemory(err)
	}
	found, m := map[string]*Group{}, filter.NewMatcher(f.definition, q.Where)
	for _, i := range docs {
		if i == nil {
			continue
		}
		s := m.Subject(i)
		if truth, err := s.Meets(q.Where); err != nil {
			return false, err
		} else if truth == filter.No {
			continue
		}
		for _, tag := range columns.Members(f.field, i.Values[f.field.ID]) {
			if !strings.HasPrefix(tag, f.request.Prefix) {
				continue
			}
			if found[tag] == nil {
				found[tag] = &Group{Tag: tag, First: i, Counted: true}
			}
			found[tag].Count++
		}
	}
	var all []Group
	for _, x := range found {
		all = append(all, *x)
	}
	if f.request.Prefix == "" {
		all = append(all, Group{None: true})
	}
	slices.SortFunc(all, func(a, b Group) int { return f.compare(&a, &b) })
	return true, f.list(ctx, &candidates{all: f.bounded(all)})
}
