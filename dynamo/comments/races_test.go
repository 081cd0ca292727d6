package comments_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/dynamo/check"
	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// allowed allows a deletion.
func allowed(*tracker.Comment) error { return nil }

// before calls f once, before the nth transaction from now on.
func (f *fixture) before(nth int, do func()) {
	n := 0
	f.Wire.Intercept(dynamotest.Before("TransactWriteItems", func(*dynamotest.Request) {
		if n++; n == nth {
			f.Wire.Intercept(nil)
			do()
		}
	}))
}

// TestChangesWhileIssueIsDeleted changes a comment between two steps of the deletion of its issue. The change
// is refused, and the restored issue has its comments as before.
func TestChangesWhileIssueIsDeleted(t *testing.T) {
	changes := map[string]func(f *fixture, ref tracker.CommentRef) error{
		"update": func(f *fixture, ref tracker.CommentRef) error {
			_, err := f.update(ref, "", func(c *tracker.Comment) {
				c.Rating, c.Language, c.Body = 2, "de", tracker.BodyOf(strings.Repeat("another ", 1000))
			})
			return err
		},
		"delete": func(f *fixture, ref tracker.CommentRef) error {
			return f.store.DeleteComment(f.Context(), ref, nil, allowed)
		},
		"react": func(f *fixture, ref tracker.CommentRef) error {
			_, err := f.store.React(f.Context(), ref, "HEART", "u1", true)
			return err
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			c := f.add(tracker.Comment{Author: "u1", Rating: 4, Language: "en"})
			f.add(tracker.Comment{Author: "u1", Rating: 2})
			refused := false
			f.before(2, func() { // the first one removes the document, the second makes the comments expire
				f.refused("the change", change(f, c.Ref), tracker.NotFound)
				refused = true
			})
			f.Must(f.Tenant.DeleteIssue(t.Context(), f.i1, nil))
			if !refused {
				t.Fatal("the deletion took one transaction")
			}
			f.refused("a change of a comment in the trash", change(f, c.Ref), tracker.NotFound)
			_, err := f.Tenant.RestoreIssue(t.Context(), f.definition, f.i1)
			f.Must(err)
			f.Same("the comments", 2, len(f.list(comments.Query{Issue: f.i1, Limit: 5})))
			f.Same("the comment", c, f.get(c.Ref))

			f.before(2, func() { f.refused("the change", change(f, c.Ref), tracker.NotFound) })
			f.Must(f.Tenant.PurgeIssue(t.Context(), f.i1, nil))
			f.Same("what is left", []string{}, f.keys())
		})
	}
}

// keys returns the sort keys of the items of comments of i1.
func (f *fixture) keys() (all []string) {
	f.Helper()
	in, err := f.DB.Inside().Tenant("acme")
	f.Must(err)
	at := layout.CommentsOf(in.Keys, f.i1)
	f.Must(in.KeysOf(f.Context(), at.Partition(), at.Prefix(), func(k layout.Key) error {
		all = append(all, k.SK)
		return nil
	}))
	return all
}

// repair repairs the table.
func (f *fixture) repair() {
	f.Helper()
	_, err := check.Run(f.Context(), f.DB, check.Options{Repair: true}, nil)
	f.Must(err)
}

// TestRestoreContinues checks that a restoration that fails has made progress: the next one does only what is
// left.
func TestRestoreContinues(t *testing.T) {
	f := setup(t)
	for range 100 {
		f.add(tracker.Comment{Author: "u1", Rating: 4, Language: "en"})
	}
	f.Must(f.Tenant.DeleteIssue(t.Context(), f.i1, nil))
	all := f.expiring()
	n, limit := 0, 3
	f.Wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if r.Operation == "TransactWriteItems" {
			if n++; n > limit {
				return dynamotest.Refusal("AccessDeniedException", "no more")
			}
		}
		return send(r)
	})
	if _, err := f.Tenant.RestoreIssue(t.Context(), f.definition, f.i1); err == nil {
		t.Fatal("the issue was restored")
	}
	left := f.expiring()
	if left == 0 || left > all-200 {
		t.Errorf("%d of %d items still expire", left, all)
	}
	n, limit = 0, 1000
	_, err := f.Tenant.RestoreIssue(t.Context(), f.definition, f.i1)
	f.Must(err)
	if want := (left+97)/98 + 1; n != want {
		t.Errorf("%d transactions for %d items and the issue, want %d", n, left, want)
	}
	f.Wire.Intercept(nil)
	f.Same("items that expire", 0, f.expiring())
}

// TestChangeBetweenRanges changes the rating of a comment while a page reads the ranges of both ratings: the
// page has it once. A comment that no longer has one of the ratings is not on the page.
func TestChangeBetweenRanges(t *testing.T) {
	for to, want := range map[int]int{4: 1, 5: 0} {
		t.Run(fmt.Sprint("to ", to), func(t *testing.T) { testChangeBetweenRanges(t, to, want) })
	}
}

func testChangeBetweenRanges(t *testing.T, to, want int) {
	f := setup(t)
	c := f.add(tracker.Comment{Rating: 3})
	read := make(chan bool)
	f.Wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		switch {
		case r.Operation != "Query":
			return send(r)
		case strings.Contains(string(r.Body), "rated.3."):
			out := send(r)
			close(read)
			return out
		}
		<-read
		f.Wire.Intercept(nil)
		_, err := f.update(c.Ref, "", func(c *tracker.Comment) { c.Rating = to })
		f.Must(err)
		return send(r)
	})
	page, _, err := f.store.List(t.Context(), comments.Query{Issue: f.i1, Limit: 5,
		Filter: tracker.CommentFilter{Ratings: []int{3, 4}}})
	f.Must(err)
	f.Same(fmt.Sprint("comments on the page after a change to ", to), want, len(page))
}

// TestDeleteManyReplies checks the calls that the deletion of a comment with replies takes, and that replies
// do not exist when a crash leaves them.
func TestDeleteManyReplies(t *testing.T) {
	f := setup(t)
	var replies []*tracker.Comment
	add := func() *tracker.Comment {
		parent := f.add(tracker.Comment{})
		replies = nil
		for range 60 {
			r := f.add(tracker.Comment{Author: "u1",
				Ref: tracker.CommentRef{Issue: f.i1, Parent: parent.Ref.ID}})
			_, err := f.store.React(t.Context(), r.Ref, "HEART", "u1", true)
			f.Must(err)
			replies = append(replies, r)
		}
		return parent
	}
	parent := add()
	f.Wire.Reset()
	f.delete(parent.Ref)
	// the comment and its deletion, two lists of keys, and 120 items in two transactions
	f.Same("calls", map[string]int{"BatchGetItem": 1, "TransactWriteItems": 3, "Query": 2}, f.Wire.Calls())
	f.Same("items that are left", 1, len(f.keys())) // the counts

	parent = add()
	f.Wire.Intercept(crashAt(2))
	f.delete(parent.Ref)
	f.Wire.Intercept(nil)
	if left := len(f.keys()); left < 120 {
		t.Fatalf("%d items are left", left)
	}
	reply := replies[7].Ref
	if f.get(reply) != nil {
		t.Error("a reply to a deleted comment exists")
	}
	_, err := f.update(reply, "u1", func(c *tracker.Comment) { c.Body = tracker.BodyOf("new") })
	f.refused("a change of it", err, tracker.NotFound)
	_, err = f.store.React(t.Context(), reply, "EYES", "u1", true)
	f.refused("a reaction to it", err, tracker.NotFound)
	f.refused("a deletion of it", f.store.DeleteComment(t.Context(), reply, nil, allowed), tracker.NotFound)
	f.repair()
	f.Same("items that are left after a repair", 1, len(f.keys()))
}

// crashAt refuses all transactions from the nth one on.
func crashAt(nth int) dynamotest.Interceptor {
	n := 0
	return func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if r.Operation == "TransactWriteItems" {
			if n++; n >= nth {
				return dynamotest.Refusal("AccessDeniedException", "crash")
			}
		}
		return send(r)
	}
}

// TestTextsAreHeld checks that the texts of a page count toward the memory of the operation (M1).
func TestTextsAreHeld(t *testing.T) {
	f := setup(t)
	var refs []comments.TextRef
	const bytes, texts = 256 << 10, 10
	for range texts {
		c := f.add(tracker.Comment{Body: tracker.BodyOf(strings.Repeat("x", bytes))})
		refs = append(refs, comments.TextRef{Comment: c.Ref, Bytes: bytes})
	}
	for limit, code := range map[int64]tracker.Code{1 << 20: tracker.BadInput, 1 << 23: ""} {
		a := account.New("acme", account.Limits{Memory: limit}, nil, nil)
		all, err := f.store.Texts(account.With(t.Context(), a), refs)
		if tracker.CodeOf(err) != code || err == nil && len(all[texts-1]) != bytes {
			t.Errorf("with %d bytes: %d texts, %v", limit, len(all), err)
		}
		if _, peak := a.Held(); err == nil && peak < texts*bytes {
			t.Errorf("%d bytes of texts are held as %d", texts*bytes, peak)
		}
		a.Close()
	}
}

// TestManyLanguages checks that languages that are no longer used cost a limited number of calls.
func TestManyLanguages(t *testing.T) {
	f := setup(t)
	for n := range 120 {
		c := f.add(tracker.Comment{Language: fmt.Sprintf("en-x-a%03d", n)})
		f.delete(c.Ref)
	}
	f.add(tracker.Comment{Language: "en-x-a000"})
	f.Wire.Reset()
	all, err := f.store.Languages(t.Context(), f.i1, 20)
	f.Must(err)
	f.Same("languages", []string{"en-x-a000"}, languagesOf(all))
	f.Same("calls", map[string]int{"Query": 3}, f.Wire.Calls())
}

func languagesOf(all []comments.LanguageCounts) (out []string) {
	for _, c := range all {
		out = append(out, c.Language)
	}
	return slices.Sorted(slices.Values(out))
}

// TestNoMentions checks that setting no mentions to none is no change.
func TestNoMentions(t *testing.T) {
	f := setup(t)
	c := f.add(tracker.Comment{})
	same, err := f.store.UpdateComment(t.Context(), c.Ref, nil, "u1", func(c *tracker.Comment) error {
		c.Mentions = []tracker.UserID{}
		return nil
	}, nil)
	f.Must(err)
	f.Same("the version", int64(1), same.Version)
}

// TestPrepare checks when the preparation of a change is made: not if the change cannot be made or was made
// already, and its error prevents the change.
func TestPrepare(t *testing.T) {
	f := setup(t)
	calls := 0
	failed := tracker.Bad("mentions", "no")
	var fails error
	prepare := func(context.Context) error {
		calls++
		return fails
	}
	create := func(key string, parent tracker.CommentID) error {
		s := comments.Of(f.Tenant.Once(tracker.Once{Key: key, Fingerprint: key}))
		_, err := s.CreateComment(t.Context(), tracker.Comment{Body: tracker.BodyOf("text"),
			Ref: tracker.CommentRef{Issue: f.i1, Parent: parent}}, 1, prepare)
		return err
	}
	gone := f.add(tracker.Comment{})
	f.delete(gone.Ref)
	f.refused("a reply to a deleted comment", create("a", gone.Ref.ID), tracker.NotFound)
	f.Same("calls", 0, calls)
	f.Must(create("b", ""))
	f.Must(create("b", ""))
	f.Same("calls for one comment that is sent twice", 1, calls)
	fails = failed
	f.refused("a failed preparation", create("c", ""), tracker.BadInput)
	f.Must(create("b", ""))
	f.Same("comments", 1, len(f.list(comments.Query{Issue: f.i1, Limit: 5})))
	c := f.add(tracker.Comment{})
	old := int64(7)
	_, err := f.store.UpdateComment(t.Context(), c.Ref, &old, "", allowed, prepare)
	f.refused("an outdated version", err, tracker.Conflict)
	f.Same("calls", 2, calls)
}
