package check

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// keptTags is the number of listed tags that a check remembers.
const keptTags = 50_000

// tagSeen is an item of a list of tags, and when it was listed.
type tagSeen struct {
	list layout.Tags
	tag  string
	at   int64
}

var tagAttributes = attributes{layout.AttrAt: "N"}

// addTag adds an item of a list of tags.
func (p *projectPartition) addTag(list layout.Tags, tag string, m layout.Item) {
	p.damage = append(p.damage, damaged(m, tagAttributes.unexpected(m))...)
	p.tags = append(p.tags, tagSeen{list, tag, layout.GetN(m, layout.AttrAt)})
}

// usesAtOnce is the number of tags that are looked for in the index in parallel.
const usesAtOnce = 8

// checkTags returns findings for tags listed over an hour ago that no issue has, or whose project does not
// exist: then d is nil. They are no damage, so only a repair finds them. A job removes the lists of fields
// that are deleted or have another type.
func (p *projectPartition) checkTags(ctx context.Context, d *tracker.Definition) ([]Finding, error) {
	if !p.c.options.Repair || d != nil && d.Rebuilding() {
		return nil, nil
	}
	unused := make([]bool, len(p.tags))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(usesAtOnce)
	for n, seen := range p.tags {
		if p.t.Now().Sub(time.Unix(seen.at, 0)) < unusedAge {
			continue
		}
		var f *tracker.Field
		if d != nil {
			f = d.Field(seen.list.Field)
		}
		if unused[n] = !seen.list.Of(f); unused[n] {
			continue
		}
		group.Go(func() error {
			page, err := p.t.Issues.QueryKeys(ctx, columns.KeyQuery{Project: p.id, Shards: d.Project.Shards,
				Column: f.ID.Column(), Gen: f.Gen, Member: seen.tag, Limit: 1})
			unused[n] = err == nil && len(page.Keys) == 0
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var out []Finding
	for n, seen := range p.tags {
		if unused[n] {
			out = append(out, Finding{Kind: KindTagUnused, Key: seen.list.Key(seen.tag)})
		}
	}
	return out, nil
}

// removeTags removes tags from lists, unless they were listed again.
func (p *projectPartition) removeTags(ctx context.Context, all []Finding) error {
	at := make(map[layout.Key]int64, len(p.tags))
	for _, seen := range p.tags {
		at[seen.list.Key(seen.tag)] = seen.at
	}
	for chunk := range slices.Chunk(all, client.MaxTransaction) {
		var x client.Transaction
		for _, f := range chunk {
			was := layout.Item{layout.AttrAt: layout.N(at[f.Key])}
			x.Delete(p.t.Table, f.Key, client.Unchanged(was, client.ErrStale, layout.AttrAt))
		}
		if err := p.t.Write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}

// checkTags returns a finding if tags of entries are not listed (I7).
func (p *issuePartition) checkTags(ctx context.Context, fresh bool) ([]Finding, error) {
	p.unlisted = nil
	if p.lagging {
		return nil, nil // listed with the entries
	}
	var all []layout.Key
	for _, e := range p.want {
		if fresh || !p.c.listed.Contains(e.List) {
			all = e.AppendTag(all)
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
