package columns_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestJoin joins responses of shards, each of which may have stopped anywhere. The keys are those of all
// shards up to the returned position, or to the end.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := columns.KeyQuery{Shards: rapid.IntRange(2, tracker.MaxShards).Draw(t, "shards"),
			Descending: rapid.Bool().Draw(t, "descending"), Limit: rapid.IntRange(0, 40).Draw(t, "limit"),
			CountOnly: rapid.Bool().Draw(t, "count")}
		order := func(a, b columns.IndexKey) int {
			if q.Descending {
				return bytes.Compare(b.SS, a.SS)
			}
			return bytes.Compare(a.SS, b.SS)
		}
		p := tracker.Project{ID: "p", Shards: q.Shards}
		shards := make([][]columns.IndexKey, q.Shards)
		var all []columns.IndexKey
		for num := range int64(rapid.IntRange(0, 60).Draw(t, "issues")) {
			k := columns.IndexKey{Issue: p.IssueID(fmt.Sprint("i", num)), SS: sortkey.Num(num)}
			all, shards[k.Issue.Shard()] = append(all, k), append(shards[k.Issue.Shard()], k)
		}
		slices.SortFunc(all, order)
		pages, stopped, examined := make([]columns.KeyPage, q.Shards), 0, 0
		for i, of := range q.Split() {
			if of.Shard != i || of.Shards != 1 || of.CountOnly || of.Limit <= 0 ||
				q.Limit > 0 && of.Limit > q.Limit {
				t.Fatalf("the query of shard %d of %+v is %+v", i, q, of)
			}
			slices.SortFunc(shards[i], order)
			n := rapid.IntRange(0, len(shards[i])).Draw(t, "read")
			pages[i] = columns.KeyPage{Keys: shards[i][:n], Count: n, Examined: n + i, Queries: 1, RCU: 0.5}
			examined += n + i
			if n < len(shards[i]) && n > 0 {
				pages[i].Last, pages[i].LastIssue = shards[i][n-1].SS, shards[i][n-1].Issue
				stopped++
			} else {
				pages[i].Keys = shards[i]
			}
		}
		got := q.Join(pages)
		want := all
		if got.Last != nil {
			n := slices.IndexFunc(all, func(k columns.IndexKey) bool { return bytes.Equal(k.SS, got.Last) })
			if want = all[:n+1]; got.LastIssue != all[n].Issue {
				t.Errorf("the last key is of %v, want %v", got.LastIssue, all[n].Issue)
			}
		}
		if q.Limit > 0 && len(want) > q.Limit || got.Last == nil && stopped > 0 ||
			len(want) == 0 && len(all) > 0 {
			t.Errorf("%d keys of %d, the last is %x, with a limit of %d", len(want), len(all), got.Last,
				q.Limit)
		}
		if got.Count != len(want) || got.Queries != q.Shards || got.RCU != float64(q.Shards)/2 ||
			got.Examined != examined {
			t.Errorf("%+v, want %d keys of %d Queries", got, len(want), q.Shards)
		}
		if q.CountOnly {
			want = nil
		}
		if !slices.EqualFunc(want, got.Keys, func(a, b columns.IndexKey) bool {
			return a.Issue == b.Issue && bytes.Equal(a.SS, b.SS)
		}) {
			t.Errorf("keys %v, want %v", got.Keys, want)
		}
	})
}

// TestSplit checks that a shard's share of a page is rarely more than its limit, and that the limits together
// are not much more than that of the page.
func TestSplit(t *testing.T) {
	for _, shards := range []int{2, 7, tracker.MaxShards} {
		p := tracker.Project{ID: "p", Shards: shards}
		q := columns.KeyQuery{Shards: shards, Limit: 105}
		limit, short := q.Split()[0].Limit, 0
		const pages = 1000
		for page := range pages {
			seen := make([]int, shards)
			for n := range q.Limit {
				seen[p.IssueID(tracker.IDFor(fmt.Sprint(page), fmt.Sprint(n))).Shard()]++
			}
			if slices.Max(seen) > limit {
				short++
			}
		}
		if short > pages/100 {
			t.Errorf("%d of %d pages are short with %d shards", short, pages, shards)
		}
		if most := 3 * q.Limit; shards*limit > most {
			t.Errorf("%d shards read %d keys each, together more than %d", shards, limit, most)
		}
	}
}
