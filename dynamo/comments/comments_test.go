package comments_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// fixture is a table with the tenant acme, its project p1 and the issues i1 and i2.
type fixture struct {
	*dynamotest.Fixture
	store      *comments.Store
	definition *tracker.Definition
	i1, i2     tracker.IssueID
}

func setup(t testing.TB) *fixture {
	t.Helper()
	test, isTest := t.(*testing.T)
	if isTest {
		test.Parallel()
	}
	f := &fixture{Fixture: dynamotest.NewFixture(t, func(s *dynamo.Settings) {
		s.DefinitionTTL = time.Hour
	})}
	f.definition = f.Project("p1", "ONE", 0)
	f.i1, f.i2 = f.issue("i1", 1), f.issue("i2", 2)
	f.store = comments.Of(f.Tenant)
	if isTest {
		t.Cleanup(f.Sound)
	}
	return f
}

// issue creates an issue.
func (f *fixture) issue(id string, num int64) tracker.IssueID {
	f.Helper()
	at := f.definition.Project.IssueID(id)
	_, err := f.Tenant.ReserveNums(f.Context(), "p1", 1)
	f.Must(err)
	f.Must(f.Tenant.PutIssues(f.Context(), f.definition,
		[]tracker.Issue{{ID: at, Num: num, Name: id, State: "open"}}))
	return at
}

// refused checks the code of an error.
func (f *fixture) refused(what string, err error, code tracker.Code) {
	f.Helper()
	if tracker.CodeOf(err) != code {
		f.Errorf("%s: error %v, want %s", what, err, code)
	}
}

// add creates a comment.
func (f *fixture) add(c tracker.Comment) *tracker.Comment {
	f.Helper()
	if c.Ref.Issue.Issue == "" {
		c.Ref.Issue = f.i1
	}
	if c.Body.Bytes == 0 {
		c.Body = tracker.BodyOf("text")
	}
	created, err := f.store.CreateComment(f.Context(), c, 1, nil)
	f.Must(err)
	return created
}

// update changes a comment.
func (f *fixture) update(ref tracker.CommentRef, by tracker.UserID,
	change func(*tracker.Comment)) (*tracker.Comment, error) {
	return f.store.UpdateComment(f.Context(), ref, nil, by, func(c *tracker.Comment) error {
		change(c)
		return nil
	}, nil)
}

func (f *fixture) delete(ref tracker.CommentRef) {
	f.Helper()
	f.Must(f.store.DeleteComment(f.Context(), ref, nil, allowed))
}

// get returns a comment, or nil.
func (f *fixture) get(ref tracker.CommentRef) *tracker.Comment {
	f.Helper()
	all, err := f.store.Get(f.Context(), []tracker.CommentRef{ref})
	f.Must(err)
	return all[0]
}

// list returns the ids of all comments of a list, read in pages of a size.
func (f *fixture) list(q comments.Query) []tracker.CommentID {
	f.Helper()
	var out []tracker.CommentID
	for {
		page, more, err := f.store.List(f.Context(), q)
		f.Must(err)
		for _, c := range page {
			out = append(out, c.Ref.ID)
		}
		if len(page) > q.Limit || more && len(page) < q.Limit {
			f.Fatalf("a page of %d comments of %d, more %v", len(page), q.Limit, more)
		}
		if !more {
			return out
		}
		if q.Descending {
			q.Before = out[len(out)-1]
		} else {
			q.After = out[len(out)-1]
		}
	}
}

func ids(all []*tracker.Comment) []tracker.CommentID {
	out := make([]tracker.CommentID, len(all))
	for i, c := range all {
		out[i] = c.Ref.ID
	}
	return out
}

var (
	authors   = []tracker.UserID{"", "u1", "u2", "u3"}
	languages = []string{"", "en", "de", "pt-BR"}
)

// matches is the meaning of a filter.
func matches(f tracker.CommentFilter, c *tracker.Comment) bool {
	return (f.Ratings == nil || slices.Contains(f.Ratings, c.Rating)) &&
		(f.Language == "" || f.Language == c.Language) && (f.Author == "" || f.Author == c.Author) &&
		(f.Since.IsZero() || !c.Created().Before(f.Since))
}

// TestLists compares lists by every combination of ratings, languages and authors, in both directions and
// several page sizes, with the comments that were made, changed and deleted.
func TestLists(t *testing.T) {
	f := setup(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var all []*tracker.Comment
	for range 60 {
		all = append(all, f.add(tracker.Comment{Author: authors[rng.IntN(4)], Rating: rng.IntN(6),
			Language: languages[rng.IntN(4)]}))
		f.add(tracker.Comment{Ref: tracker.CommentRef{Issue: f.i2}, Author: "u1", Rating: 5, Language: "en"})
	}
	for range 30 {
		at := rng.IntN(len(all))
		changed, err := f.update(all[at].Ref, "u1", func(c *tracker.Comment) {
			c.Rating, c.Language = rng.IntN(6), languages[rng.IntN(4)]
		})
		f.Must(err)
		all[at] = changed
	}
	for range 10 {
		at := rng.IntN(len(all))
		f.delete(all[at].Ref)
		all = slices.Delete(all, at, at+1)
	}
	for set := range 1 << tracker.MaxRating {
		for _, author := range authors {
			for _, language := range languages {
				filter := tracker.CommentFilter{Author: author, Language: language}
				for rating := 1; rating <= tracker.MaxRating; rating++ {
					if set>>(rating-1)&1 == 1 {
						filter.Ratings = append(filter.Ratings, rating)
					}
				}
				if rng.IntN(3) == 0 {
					filter.Since = all[rng.IntN(len(all))].Created()
				}
				f.compare(all, filter, 1+rng.IntN(20))
			}
		}
	}
}

// compare compares a list in both directions, and its count.
func (f *fixture) compare(all []*tracker.Comment, filter tracker.CommentFilter, size int) {
	f.Helper()
	var want []tracker.CommentID
	for _, c := range all {
		if matches(filter, c) {
			want = append(want, c.Ref.ID)
		}
	}
	slices.Sort(want)
	q := comments.Query{Issue: f.i1, Filter: filter, Limit: size}
	name := fmt.Sprintf("%+v in pages of %d", filter, size)
	f.Same(name, want, f.list(q))
	n, exact, err := f.store.Count(f.Context(), q)
	f.Must(err)
	if n != len(want) || !exact {
		f.Errorf("%s: count %d, exact %v, want %d", name, n, exact, len(want))
	}
	q.Descending = true
	slices.Reverse(want)
	f.Same(name+", descending", want, f.list(q))
}

// TestCounts compares the counts of an issue, and of each language, with its comments.
func TestCounts(t *testing.T) {
	f := setup(t)
	f.add(tracker.Comment{Rating: 5, Language: "en"})
	f.add(tracker.Comment{Rating: 2, Language: "en"})
	c := f.add(tracker.Comment{Rating: 2, Language: "de"})
	parent := f.add(tracker.Comment{})
	f.add(tracker.Comment{Ref: tracker.CommentRef{Issue: f.i1, Parent: parent.Ref.ID}, Language: "en"})
	counts := func(language string) tracker.CommentCounts {
		t.Helper()
		got, err := f.store.Counts(t.Context(), []tracker.IssueID{f.i1, f.i2}, language)
		f.Must(err)
		f.Same("the other issue", tracker.CommentCounts{}, got[1])
		return got[0]
	}
	f.Same("all", tracker.CommentCounts{1, 0, 2, 0, 0, 1}, counts(""))
	f.Same("EN", tracker.CommentCounts{0, 0, 1, 0, 0, 1}, counts("EN"))
	if mean, ok := counts("").Mean(); mean != 3 || !ok {
		t.Errorf("mean %v, %v, want 3", mean, ok)
	}
	if _, ok := (tracker.CommentCounts{7}).Mean(); ok {
		t.Error("comments without a rating have a mean")
	}
	_, err := f.update(c.Ref, "", func(c *tracker.Comment) { c.Language, c.Rating = "en", 0 })
	f.Must(err)
	f.Same("after a change", tracker.CommentCounts{2, 0, 1, 0, 0, 1}, counts(""))
	f.Same("de is no longer used", tracker.CommentCounts{}, counts("de"))
	languages, err := f.store.Languages(t.Context(), f.i1, 100)
	f.Must(err)
	f.Same("languages", []comments.LanguageCounts{{"en", tracker.CommentCounts{1, 0, 1, 0, 0, 1}}}, languages)
	if _, err := f.store.Counts(t.Context(), []tracker.IssueID{f.i1}, "no language"); err == nil {
		t.Error("an invalid language is accepted")
	}
	f.add(tracker.Comment{Language: "aa"})
	f.add(tracker.Comment{Language: "zu"})
	languages, err = f.store.Languages(t.Context(), f.i1, 2)
	f.Must(err)
	f.Same("two languages", []string{"aa", "en"}, []string{languages[0].Language, languages[1].Language})
}

// TestReplies checks that replies are in the list of their comment only, and are deleted with it.
func TestReplies(t *testing.T) {
	f := setup(t)
	parent, other := f.add(tracker.Comment{}), f.add(tracker.Comment{})
	var replies []*tracker.Comment
	for range 5 {
		replies = append(replies, f.add(tracker.Comment{Author: "u1",
			Ref: tracker.CommentRef{Issue: f.i1, Parent: parent.Ref.ID}}))
	}
	f.Same("replies", ids(replies), f.list(comments.Query{Issue: f.i1, Parent: parent.Ref.ID, Limit: 2}))
	f.Same("since", ids(replies[3:]), f.list(comments.Query{Issue: f.i1, Parent: parent.Ref.ID, Limit: 2,
		Filter: tracker.CommentFilter{Since: replies[3].Created()}}))
	f.Same("comments", ids([]*tracker.Comment{parent, other}), f.list(comments.Query{Issue: f.i1, Limit: 2}))
	f.Same("comments of the author", 0, len(f.list(comments.Query{Issue: f.i1, Limit: 2,
		Filter: tracker.CommentFilter{Author: "u1"}})))
	if n := f.get(parent.Ref).Replies; n != 5 {
		t.Errorf("%d replies, want 5", n)
	}
	f.delete(replies[0].Ref)
	n, exact, err := f.store.Count(t.Context(), comments.Query{Issue: f.i1, Parent: parent.Ref.ID})
	f.Must(err)
	if got := f.get(parent.Ref).Replies; got != 4 || n != 4 || !exact {
		t.Errorf("%d replies, counted %d, %v, want 4", got, n, exact)
	}
	f.delete(parent.Ref)
	if f.get(replies[1].Ref) != nil || f.get(parent.Ref) != nil || f.get(other.Ref) == nil {
		t.Error("not exactly the comment and its replies were deleted")
	}
	_, err = f.store.CreateComment(t.Context(), tracker.Comment{Body: tracker.BodyOf("late"),
		Ref: tracker.CommentRef{Issue: f.i1, Parent: parent.Ref.ID}}, 1, nil)
	f.refused("a reply to a deleted comment", err, tracker.NotFound)
	_, err = f.store.CreateComment(t.Context(), tracker.Comment{Body: tracker.BodyOf("rated"), Rating: 1,
		Ref: tracker.CommentRef{Issue: f.i1, Parent: other.Ref.ID}}, 1, nil)
	f.refused("a reply with a rating", err, tracker.BadInput)
}

// TestIDs checks that ids sort by time and contain it.
func TestIDs(t *testing.T) {
	t.Parallel()
	var all []tracker.CommentID
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC)
	for n := range 100 {
		id, err := tracker.NewCommentID(at.Add(time.Duration(n)*time.Microsecond),
			strings.NewReader("12345678"))
		if err != nil {
			t.Fatal(err)
		}
		if !id.Valid() || !id.Time().Equal(at.Add(time.Duration(n)*time.Microsecond)) {
			t.Errorf("id %s of %v, valid %v", id, id.Time(), id.Valid())
		}
		all = append(all, id)
	}
	if !slices.IsSortedFunc(all, cmp.Compare[tracker.CommentID]) {
		t.Error("ids are not in the order of time")
	}
	if first := tracker.FirstCommentID(at); first > all[0] || first <= tracker.FirstCommentID(at.Add(-1000)) {
		t.Errorf("the first id is %s, and the one made then %s", first, all[0])
	}
	for _, id := range []tracker.CommentID{"", "x", "all", all[0] + "0", all[0][1:], "UPPER" + all[0][5:]} {
		if id.Valid() {
			t.Errorf("%q is valid", id)
		}
	}
}
