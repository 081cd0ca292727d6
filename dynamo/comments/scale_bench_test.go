package comments_test

import (
	"fmt"
	"testing"
	"time"

	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// BenchmarkComments measures a page of comments by rating and language, and a new comment, on issues with 100
// and 100,000 comments. Their calls and capacity units must be the same. With -short, the larger one has
// 5,000.
func BenchmarkComments(b *testing.B) {
	f := setup(b)
	large := 100_000
	if testing.Short() {
		large = 5_000
	}
	for id, n := range map[tracker.IssueID]int{f.i1: 100, f.i2: large} {
		f.fill(id, n)
		b.Run(fmt.Sprint(n, " comments"), func(b *testing.B) {
			for range b.N {
				f.cost("a page", 1, 1, 0, func(s *comments.Store) error {
					_, _, err := s.List(b.Context(), comments.Query{Issue: id, Limit: 10, Descending: true})
					return err
				})
				f.cost("a page in a language", 7, 16, 0, func(s *comments.Store) error {
					_, _, err := s.List(b.Context(), comments.Query{Issue: id, Limit: 10,
						After:  tracker.FirstCommentID(time.Unix(int64(n/2), 0)),
						Filter: tracker.CommentFilter{Language: "en"}})
					return err
				})
				f.cost("the number of comments", 1, 1, 0, func(s *comments.Store) error {
					_, _, err := s.Count(b.Context(), comments.Query{Issue: id})
					return err
				})
				f.cost("a comment", 1, 0, 16, func(s *comments.Store) error {
					_, err := s.CreateComment(b.Context(), tracker.Comment{Author: "u1", Rating: 3,
						Language: "en", Body: tracker.BodyOf("text"),
						Ref: tracker.CommentRef{Issue: id}}, 1, nil)
					return err
				})
			}
		})
	}
}

// fill writes n comments of the first n seconds of 1970 without the calls that a change takes.
func (f *fixture) fill(id tracker.IssueID, n int) {
	f.Helper()
	in, err := f.DB.Inside().Tenant("acme")
	f.Must(err)
	at := layout.CommentsOf(in.Keys, id)
	var items []layout.Item
	flush := func() {
		f.Must(in.Put(f.Context(), items...))
		items = nil
	}
	sums := map[layout.Key]*tracker.CommentCounts{}
	for second := range n {
		c := &tracker.Comment{Author: "u1", Rating: 1 + second%tracker.MaxRating, Language: "en", Version: 1,
			Body: tracker.BodyOf("text"), Ref: tracker.CommentRef{Issue: id,
				ID: tracker.FirstCommentID(time.Unix(int64(second), 0))}}
		items = append(items, at.Encode(c))
		for _, k := range at.EntriesOf(c) {
			items = append(items, layout.KeyItem(k))
		}
		for _, k := range at.SumsOf(c) {
			if sums[k] == nil {
				sums[k] = new(tracker.CommentCounts)
			}
			sums[k][c.Rating]++
		}
		if len(items) > 1000 {
			flush()
		}
	}
	for k, counts := range sums {
		language := ""
		if k != at.Sum("") {
			language = "en"
		}
		items = append(items, at.EncodeSum(language, *counts))
	}
	flush()
}
