package columns

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// responseKeys is about how many keys a response of 1 MB holds.
const responseKeys = 10_000

// Split returns a query of each shard of a query. Together their responses probably have the keys that the
// query requests, or about as many as one response holds: a shard has its share of any range with a deviation
// of less than the square root, since ids are random, and so the limits have a margin of three times that.
func (q KeyQuery) Split() []KeyQuery {
	n := max(q.Shards, 1)
	out := make([]KeyQuery, n)
	for i := range out {
		out[i] = q
		out[i].Shard, out[i].Shards = q.Shard+i, 1
		if n > 1 {
			keys := cmp.Or(q.Limit, responseKeys)
			share := float64(keys) / float64(n)
			out[i].Limit = min(keys, int(share+3*math.Sqrt(share))+3)
			out[i].CountOnly = false // Join needs the keys
		}
	}
	return out
}

// Join joins the responses to the queries of Split to one: the keys up to the first position at which a shard
// has more that were not read. Those after it are dropped.
func (q KeyQuery) Join(pages []KeyPage) KeyPage {
	if len(pages) == 1 {
		return pages[0]
	}
	order := func(a, b []byte) int {
		if q.Descending {
			a, b = b, a
		}
		return bytes.Compare(a, b)
	}
	var out KeyPage
	n := 0
	for i := range pages {
		p := &pages[i]
		out.Queries, out.Examined, out.RCU = out.Queries+p.Queries, out.Examined+p.Examined, out.RCU+p.RCU
		n += len(p.Keys)
		if p.Last != nil && (out.Last == nil || order(p.Last, out.Last) < 0) {
			out.Last, out.LastIssue = p.Last, p.LastIssue
		}
	}
	out.Keys = make([]IndexKey, 0, n)
	for i := range pages {
		for _, k := range pages[i].Keys {
			if out.Last != nil && order(k.SS, out.Last) > 0 {
				break
			}
			out.Keys = append(out.Keys, k)
		}
	}
	slices.SortFunc(out.Keys, func(a, b IndexKey) int {
		return cmp.Or(order(a.SS, b.SS), cmp.Compare(a.Issue.Issue, b.Issue.Issue))
	})
	if q.Limit > 0 && len(out.Keys) > q.Limit {
		out.Keys = out.Keys[:q.Limit]
		out.Last, out.LastIssue = out.Keys[q.Limit-1].SS, out.Keys[q.Limit-1].Issue
	}
	if out.Count = len(out.Keys); q.CountOnly {
		out.Keys = nil
	}
	return out
}
