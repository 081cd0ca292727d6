package grid

import (
	"context"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// maxTexts is how many bytes of texts stored outside of documents are read to sort the groups of a window.
const maxTexts = 1 << 20

// sortable reports whether groups of the column after level others can be sorted in memory: not while a job
// rebuilds the index entries of the last column, in whose order rows are read from the index. Those of the
// other columns are not used then (see ranks).
func (p *columnsReader) sortable(level int) bool {
	last := len(p.order) - 1
	return level == last || !p.order[last].moving
}

// sort sorts the rows of each group by the columns after that of the groups, by the values in the documents.
// It returns fewer groups if more than maxTexts of long texts are needed for all.
func (p *columnsReader) sort(ctx context.Context, leading Cursor, groups [][]Row) ([][]Row, error) {
	if !p.sortable(len(leading)) {
		return nil, nil
	}
	texts, groups, err := p.texts(ctx, p.order[len(leading)+1:], groups)
	if err != nil {
		return nil, err
	}
	rest := p.order[len(leading):]
	out := make([][]Row, len(groups))
	for i, group := range groups {
		at := make([]Cursor, len(group))
		rows := make([]int, len(group))
		for n := range group {
			rows[n] = n
			at[n], err = rest[1:].AtIssue(ctx, p.request.Definition, group[n].Issue, texts)
			if err != nil {
				return nil, err
			}
			last := &at[n][len(rest)-2]
			// instead of the position before the row
			last.Num, last.Issue = group[n].Issue.Num, group[n].Issue.ID.Issue
		}
		slices.SortFunc(rows, func(a, b int) int { return rest[1:].compare(at[a], at[b]) })
		c, err := group[0].Position()
		if err != nil {
			return nil, err
		}
		own := join(leading, c.anchor())
		last := len(rest) - 2
		for _, n := range rows {
			lead := append(slices.Clip(own), at[n][:last]...)
			out[i] = append(out[i], Row{Issue: group[n].Issue, lead: lead, last: &at[n][last]})
		}
	}
	return out, nil
}

// texts reads the texts stored outside of documents that an order needs, for as many of the first groups as
// maxTexts allows.
func (p *columnsReader) texts(ctx context.Context, o Order, groups [][]Row) (Texts, [][]Row, error) {
	type text struct {
		issue  string
		column tracker.Column
	}
	var refs []tracker.LongRef
	bytes := 0
	for n, group := range groups {
		before := len(refs)
		for _, column := range o {
			for i := range group {
				refs = append(refs, filter.LongTexts(group[i].Issue, filter.In{Column: column.Column})...)
			}
		}
		for _, r := range refs[before:] {
			bytes += r.Long.Bytes
		}
		if bytes > maxTexts {
			refs, groups = refs[:before], groups[:n]
			break
		}
	}
	known := map[text]string{}
	if len(refs) > 0 {
		if p.source.Texts == nil {
			return nil, nil, tracker.Internal("an order has long texts, and there is no way to read them",
				nil)
		}
		texts, err := p.source.Texts(ctx, refs)
		if err != nil {
			return nil, nil, err
		}
		for i, r := range refs {
			units := textCost(r)
			p.spend(units)
			p.work.Documents += units
			known[text{r.Issue.Issue, r.Column}] = texts[i]
		}
	}
	return func(_ context.Context, refs []tracker.LongRef) ([]string, error) {
		out := make([]string, len(refs))
		for i, r := range refs {
			out[i] = known[text{r.Issue.Issue, r.Column}]
		}
		return out, nil
	}, groups, nil
}
