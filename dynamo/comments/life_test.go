package comments_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestEdits changes texts that are stored in the comment, and longer ones, and reads all of them back.
func TestEdits(t *testing.T) {
	f := setup(t)
	texts := []string{"short", strings.Repeat("ü", 20_000), strings.Repeat("long ", 10_000), "short again"}
	c := f.add(tracker.Comment{Author: "u1", Body: tracker.BodyOf(texts[0]), Language: "EN-us", Rating: 3,
		Mentions: []tracker.UserID{"u2"}})
	for n, text := range texts[1:] {
		var err error
		version := c.Version
		c, err = f.store.UpdateComment(t.Context(), c.Ref, &version, "u2", func(c *tracker.Comment) error {
			c.Body = tracker.BodyOf(text)
			return nil
		}, nil)
		f.Must(err)
		if c.Version != version+1 || c.Edits != n+1 || c.Edited.IsZero() {
			t.Errorf("version %d after %d edits at %v", c.Version, c.Edits, c.Edited)
		}
		f.Same("the text", text, f.text(c, c.Edits, f.get(c.Ref).Body))
		again, err := f.update(c.Ref, "u2", func(c *tracker.Comment) { c.Body = tracker.BodyOf(text) })
		f.Must(err)
		if again.Version != c.Version {
			t.Errorf("the same text of %d bytes makes version %d", len(text), again.Version)
		}
	}
	edits, err := f.store.Edits(t.Context(), c.Ref)
	f.Must(err)
	var got []string
	for n, e := range edits {
		if e.N != n || e.By != "u2" || e.At.IsZero() {
			t.Errorf("edit %+v", e)
		}
		got = append(got, f.text(c, e.N, e.Body))
	}
	f.Same("the texts before", texts[:3], got)
	stored := f.get(c.Ref)
	f.Same("the rest", []any{tracker.UserID("u1"), "en-US", 3, []tracker.UserID{"u2"}},
		[]any{stored.Author, stored.Language, stored.Rating, stored.Mentions})
	old := int64(1)
	_, err = f.store.UpdateComment(t.Context(), c.Ref, &old, "", allowed, nil)
	var e *tracker.Error
	if !errors.As(err, &e) || e.Code != tracker.Conflict || e.CurrentVersion != c.Version {
		t.Errorf("an outdated version: %v", err)
	}
	for n := c.Edits; n <= tracker.MaxEdits; n++ {
		_, err = f.update(c.Ref, "", func(c *tracker.Comment) {
			c.Body = tracker.BodyOf(fmt.Sprint("edit ", n))
		})
		if n < tracker.MaxEdits {
			f.Must(err)
		}
	}
	f.refused("one edit too many", err, tracker.BadInput)
	f.delete(c.Ref)
}

// text returns the text of a body.
func (f *fixture) text(c *tracker.Comment, n int, b tracker.CommentBody) string {
	f.Helper()
	if b.Inline() {
		return b.Text
	}
	texts, err := f.store.Texts(f.Context(), []comments.TextRef{{Comment: c.Ref, N: n, Bytes: b.Bytes}})
	f.Must(err)
	return texts[0]
}

// TestReactions adds and removes reactions, also those that are already there or not.
func TestReactions(t *testing.T) {
	f := setup(t)
	c := f.add(tracker.Comment{})
	react := func(r tracker.Reaction, by tracker.UserID, add bool) *tracker.Comment {
		t.Helper()
		changed, err := f.store.React(t.Context(), c.Ref, r, by, add)
		f.Must(err)
		f.Same("what is stored", changed, f.get(c.Ref))
		return changed
	}
	for _, by := range []tracker.UserID{"u1", "u2", "u2", "u3"} {
		react("HEART", by, true)
	}
	react("EYES", "u1", true)
	f.Same("counts", map[tracker.Reaction]int{"HEART": 3, "EYES": 1}, react("ROCKET", "u1", false).Reactions)
	users, more, err := f.store.Reactors(t.Context(), c.Ref, "HEART", "", 2)
	f.Must(err)
	f.Same("users", []any{[]tracker.UserID{"u1", "u2"}, true}, []any{users, more})
	users, more, err = f.store.Reactors(t.Context(), c.Ref, "HEART", "u2", 2)
	f.Must(err)
	f.Same("users after u2", []any{[]tracker.UserID{"u3"}, false}, []any{users, more})
	react("EYES", "u1", false)
	for _, by := range []tracker.UserID{"u1", "u2", "u3", "u3"} {
		c := react("HEART", by, false)
		if c.Version != 1 {
			t.Errorf("a reaction makes version %d", c.Version)
		}
	}
	f.Same("no counts", 0, len(f.get(c.Ref).Reactions))
	_, err = f.store.React(t.Context(), c.Ref, "SHRUG", "u1", true)
	f.refused("an unknown reaction", err, tracker.BadInput)
	react("HEART", "u1", true)
	f.delete(c.Ref)
	_, err = f.store.React(t.Context(), c.Ref, "HEART", "u1", true)
	f.refused("a reaction to a deleted comment", err, tracker.NotFound)
}

// TestConcurrentChanges makes replies, reactions and edits of one comment at the same time.
func TestConcurrentChanges(t *testing.T) {
	f := setup(t)
	c := f.add(tracker.Comment{})
	var group sync.WaitGroup
	for n := range 6 {
		by := tracker.UserID(fmt.Sprint("u", n))
		for _, make := range []func() error{
			func() error { _, err := f.store.React(t.Context(), c.Ref, "HEART", by, true); return err },
			func() error {
				_, err := f.store.CreateComment(t.Context(), tracker.Comment{Body: tracker.BodyOf("re"),
					Ref: tracker.CommentRef{Issue: f.i1, Parent: c.Ref.ID}}, 1, nil)
				return err
			},
			func() error {
				_, err := f.update(c.Ref, by, func(c *tracker.Comment) { c.Rating = 1 + n%5 })
				return err
			},
		} {
			group.Go(func() {
				if err := make(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	got := f.get(c.Ref)
	f.Same("counts", []int{6, 6}, []int{got.Reactions["HEART"], got.Replies})
}

// TestTrash checks that comments of an issue in the trash expire with it, that they are there when it is
// restored, and that they are removed when it is purged.
func TestTrash(t *testing.T) {
	f := setup(t)
	c := f.add(tracker.Comment{Author: "u1", Rating: 4, Language: "en",
		Body: tracker.BodyOf(strings.Repeat("long", 5000))})
	_, err := f.store.React(t.Context(), c.Ref, "HEART", "u1", true)
	f.Must(err)
	f.Must(f.Tenant.DeleteIssue(t.Context(), f.i1, nil))
	if expiring := f.expiring(); expiring != 9 { // the comment, its text, 4 entries, 2 counts, a reaction
		t.Errorf("%d items of comments expire, want 9", expiring)
	}
	_, err = f.store.CreateComment(t.Context(), tracker.Comment{Body: tracker.BodyOf("late"),
		Ref: tracker.CommentRef{Issue: f.i1}}, 1, nil)
	f.refused("a comment on an issue in the trash", err, tracker.NotFound)
	f.Sound()
	_, err = f.Tenant.RestoreIssue(t.Context(), f.definition, f.i1)
	f.Must(err)
	if expiring := f.expiring(); expiring != 0 {
		t.Errorf("%d items of comments expire after the issue was restored", expiring)
	}
	f.Same("the text", strings.Repeat("long", 5000), f.text(c, 0, f.get(c.Ref).Body))
	f.Must(f.Tenant.PurgeIssue(t.Context(), f.i1, nil))
	if f.get(c.Ref) != nil {
		t.Error("a purged issue has comments")
	}
	f.Must(f.Tenant.DeleteIssue(t.Context(), f.i2, nil))
	_, err = f.Tenant.RestoreIssue(t.Context(), f.definition, f.i2)
	f.Must(err)
}

// expiring returns the number of items of comments of i1 that expire.
func (f *fixture) expiring() (n int) {
	f.Helper()
	in, err := f.DB.Inside().Tenant("acme")
	f.Must(err)
	at := layout.CommentsOf(in.Keys, f.i1)
	f.Must(in.Prefix(f.Context(), at.Partition(), at.Prefix(), func(m layout.Item) error {
		if m[layout.AttrExpires] != nil {
			n++
		}
		return nil
	}))
	return n
}

// TestCosts checks the costs in docs/comments.md. A page costs the same with 12 and with many comments, and
// the last comment costs the same as the first.
func TestCosts(t *testing.T) {
	f := setup(t)
	if !dynamotest.ReportsUnits() {
		return
	}
	var first *tracker.Comment
	create := func(c tracker.Comment) func(*comments.Store) error {
		return func(s *comments.Store) error {
			c.Body, c.Ref.Issue = tracker.BodyOf("text"), f.i1
			made, err := s.CreateComment(t.Context(), c, 1, nil)
			if first == nil {
				first = made
			}
			return err
		}
	}
	page := func(filter tracker.CommentFilter) func(*comments.Store) error {
		return func(s *comments.Store) error {
			got, _, err := s.List(t.Context(), comments.Query{Issue: f.i1, Filter: filter, Limit: 10,
				Descending: true})
			if err == nil && len(got) != 10 {
				t.Errorf("a page of %d comments", len(got))
			}
			return err
		}
	}
	full := tracker.Comment{Author: "u1", Rating: 3, Language: "en"}
	many := tier.Cases(150, 20_000)
	for n := range many {
		if n == 12 || n == many-1 {
			f.cost("a page", 1, 1, 0, page(tracker.CommentFilter{}))
			f.cost("of one rating", 2, 11, 0, page(tracker.CommentFilter{Ratings: []int{3}}))
			f.cost("of five ratings", 6, 15, 0, page(tracker.CommentFilter{Ratings: []int{1, 2, 3, 4, 5}}))
			f.cost("of an author in a language", 7, 16, 0,
				page(tracker.CommentFilter{Author: "u1", Language: "en"}))
			f.cost("the counts", 1, 1, 0, func(s *comments.Store) error {
				_, err := s.Counts(t.Context(), []tracker.IssueID{f.i1}, "")
				return err
			})
		}
		if n < 150 || n == many-1 {
			f.cost(fmt.Sprint("comment ", n), 1, 0, 18, create(full))
		} else {
			f.Must(create(full)(f.store))
		}
	}
	f.cost("without rating and language", 1, 0, 10, create(tracker.Comment{Author: "u1"}))
	f.cost("a reply", 2, 1, 8, create(tracker.Comment{Author: "u1",
		Ref: tracker.CommentRef{Parent: first.Ref.ID}}))
	f.cost("a reaction", 2, 2, 6, func(s *comments.Store) error {
		_, err := s.React(t.Context(), first.Ref, "HEART", "u1", true)
		return err
	})
	f.cost("an edit", 2, 1, 6, func(s *comments.Store) error {
		_, err := s.UpdateComment(t.Context(), first.Ref, nil, "u1", func(c *tracker.Comment) error {
			c.Body = tracker.BodyOf("another text")
			return nil
		}, nil)
		return err
	})
}

// cost checks the number of calls and the capacity units of an operation.
func (f *fixture) cost(what string, calls int, rcu, wcu float64, make func(*comments.Store) error) {
	f.Helper()
	tenant, m := f.Metered()
	f.Wire.Reset()
	f.Must(make(comments.Of(tenant)))
	n := 0
	for _, of := range f.Wire.Calls() {
		n += of
	}
	if c := m.Cost(); n != calls || c.RCU != rcu || c.WCU != wcu {
		f.Errorf("%s: %d calls, %v RCU, %v WCU, want %d, %v, %v", what, n, c.RCU, c.WCU, calls, rcu, wcu)
	}
}

// TestFaults makes random changes while calls fail and responses are lost. The lists have every comment that
// was acknowledged and not deleted, and the table is sound, which setup checks.
func TestFaults(t *testing.T) {
	f := setup(t)
	chaos := dynamotest.NewChaos(7)
	f.Wire.Intercept(chaos.Inject)
	chaos.SetFaults(dynamotest.Faults{DropBefore: 0.05, DropAfter: 0.1, ErrorAfter: 0.05, Throttle: 0.05,
		Conflict: 0.1})
	known := map[tracker.CommentID]int{}
	for n := range 80 {
		c, err := f.store.CreateComment(t.Context(), tracker.Comment{Author: "u1", Rating: 1 + n%5,
			Body: tracker.BodyOf("text"), Ref: tracker.CommentRef{Issue: f.i1}}, 1, nil)
		if err != nil {
			continue
		}
		known[c.Ref.ID] = c.Rating
		switch n % 4 {
		case 0:
			_ = f.store.DeleteComment(t.Context(), c.Ref, nil, allowed)
			delete(known, c.Ref.ID)
		case 1:
			changed, err := f.update(c.Ref, "", func(c *tracker.Comment) { c.Rating = 1 + (n+1)%5 })
			if delete(known, c.Ref.ID); err == nil {
				known[c.Ref.ID] = changed.Rating
			}
		}
	}
	chaos.SetFaults(dynamotest.Faults{})
	if injected := chaos.Injected(); len(known) < 30 || injected[dynamotest.DropAfter] == 0 {
		t.Errorf("%d comments, faults %v", len(known), injected)
	}
	for rating := 1; rating <= tracker.MaxRating; rating++ {
		list := f.list(comments.Query{Issue: f.i1, Limit: 7,
			Filter: tracker.CommentFilter{Ratings: []int{rating}}})
		for id, of := range known {
			if slices.Contains(list, id) != (of == rating) {
				t.Errorf("the comment %s of rating %d in the list of %d: %v", id, of, rating, of != rating)
			}
		}
	}
}
