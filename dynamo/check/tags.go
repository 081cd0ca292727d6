package check

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// keptTags is the number of listed tags that a check remembers.
const keptTags = 50_000

// tagSeen is an item of a list of tags.
type tagSeen struct {
	list layout.Tags
	tag  string
	item layout.Item
}

var tagAttributes = attributes{layout.AttrAt: "N"}

// addTag adds an item of a list of tags.
func (p *projectPartition) addTag(list layout.Tags, tag string, m layout.Item) {
	p.damage = append(p.damage, damaged(m, tagAttributes.unexpected(m))...)
	p.tags = append(p.tags, tagSeen{list, tag, m})
}

// checkTags returns findings for tags listed over an hour ago that no issue has. They are no damage, so only
// a repair finds them. A job removes the lists of fields that are deleted or have another type.
func (p *projectPartition) checkTags(ctx context.Context, d *tracker.Definition) ([]Finding, error) {
	if !p.c.options.Repair || d.Rebuilding() {
		return nil, nil
	}
	var out []Finding
	for _, seen := range p.tags {
		listed := time.Unix(layout.GetN(seen.item, layout.AttrAt), 0)
		if p.t.Now().Sub(listed) < unusedAge {
			continue
		}
		f := d.Field(seen.list.Field)
		if seen.list.Of(f) {
			used, err := p.used(ctx, d, f, seen.tag)
			if err != nil {
				return nil, err
			}
			if used {
				continue
			}
		}
		out = append(out, Finding{Kind: KindTagUnused, Key: layout.KeyOf(seen.item)})
	}
	return out, nil
}

// used reports whether the index has an issue with a tag.
func (p *projectPartition) used(ctx context.Context, d *tracker.Definition, f *tracker.Field,
	tag string) (bool, error) {
	page, err := p.t.Issues.QueryKeys(ctx, columns.KeyQuery{Project: p.id, Shards: d.Project.Shards,
		Column: f.ID.Column(), Gen: f.Gen, Member: tag, Limit: 1})
	return len(page.Keys) > 0, err
}

// removeTags removes tags from lists, unless they were listed again.
func (p *projectPartition) removeTags(ctx context.Context, all []Finding) error {
	var first error
	for _, f := range all {
		n := slices.IndexFunc(p.tags, func(seen tagSeen) bool { return layout.KeyOf(seen.item) == f.Key })
		if n < 0 {
			return client.ErrStale
		}
		var x client.Transaction
		x.Delete(p.t.Table, f.Key, client.Unchanged(p.tags[n].item, client.ErrStale, layout.AttrAt))
		if err := p.t.Write(ctx, &x); err != nil && !errors.Is(err, client.ErrStale) {
			return err
		} else if first == nil {
			first = err
		}
	}
	return first
}

// checkTags returns a finding if tags of entries are not listed (I7).
func (p *issuePartition) checkTags(ctx context.Context, fresh bool) ([]Finding, error) {
	p.unlisted = nil
	if p.lagging {
		return nil, nil // listed with the entries
	}
	var all []layout.Key
	for _, e := range p.want {
		if e.List != (layout.Key{}) && (fresh || !p.c.listed.Contains(e.List)) {
			all = append(all, e.List)
		}
	}
	found, err := p.t.Get(ctx, all, fresh)
	if err != nil {
		return nil, err
	}
	var tags []string
	for n, m := range found {
		if m != nil {
			p.c.listed.Add(all[n], struct{}{})
			continue
		}
		p.unlisted = append(p.unlisted, all[n])
		_, tag, _ := layout.ParseTag(p.t.Keys, p.id.Project, all[n].SK)
		tags = append(tags, tag)
	}
	if len(tags) == 0 {
		return nil, nil
	}
	slices.Sort(tags)
	return []Finding{{Kind: KindTag, Key: p.t.Keys.IssueItem(p.id), Detail: strings.Join(tags, ", ")}}, nil
}
