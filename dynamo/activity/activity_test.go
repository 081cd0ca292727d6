package activity_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/activity"
	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// fixture is a table with the tenant acme and its project p1.
type fixture struct {
	*dynamotest.Fixture
	comments *comments.Store
	d        *tracker.Definition

	issues  []tracker.IssueID // that were ever created
	written []tracker.CommentRef
}

func setup(t testing.TB, shards int, options ...func(*dynamo.Settings)) *fixture {
	t.Helper()
	f := &fixture{Fixture: dynamotest.NewFixture(t, append(options, func(s *dynamo.Settings) {
		s.DefinitionTTL = cmp.Or(s.DefinitionTTL, time.Hour)
	})...)}
	f.Tenant = f.Tenant.As(tracker.Actor{Kind: tracker.ActorUser, Name: "ada", User: "ada"})
	f.comments, f.d = comments.Of(f.Tenant), f.Project("p1", "ONE", shards)
	return f
}

// change makes a random change. It may be refused, because of what earlier ones did.
func (f *fixture) change(r *rand.Rand) {
	f.Helper()
	ctx := f.Context()
	name := fmt.Sprint("Name ", r.IntN(1000))
	var of tracker.IssueID
	if len(f.issues) > 0 {
		of = f.issues[r.IntN(len(f.issues))]
	}
	var err error
	switch n := r.IntN(20); {
	case n < 4 || len(f.issues) == 0:
		var i *tracker.Issue
		i, err = f.Tenant.CreateIssue(ctx, f.d, tracker.Issue{Name: name, State: "open"})
		f.Must(err)
		f.issues = append(f.issues, i.ID)
	case n < 11:
		_, err = f.Tenant.UpdateIssue(ctx, f.d, of, tracker.Change{Name: &name})
	case n < 15:
		c := tracker.Comment{Ref: tracker.CommentRef{Issue: of}, Body: tracker.BodyOf(name)}
		if len(f.written) > 0 && r.IntN(2) == 0 {
			if on := f.written[r.IntN(len(f.written))]; !on.Reply() {
				c.Ref = tracker.CommentRef{Issue: on.Issue, Parent: on.ID}
			}
		}
		var made *tracker.Comment
		if made, err = f.comments.CreateComment(ctx, c, 1, nil); err == nil {
			f.written = append(f.written, made.Ref)
		}
	case n < 16 && len(f.written) > 0:
		err = f.comments.DeleteComment(ctx, f.written[r.IntN(len(f.written))], nil,
			func(*tracker.Comment) error { return nil })
	case n < 18:
		err = f.Tenant.DeleteIssue(ctx, of, nil)
	case n < 19:
		_, err = f.Tenant.RestoreIssue(ctx, f.d, of)
	default:
		err = f.Tenant.PurgeIssue(ctx, of, nil)
	}
	if code := tracker.CodeOf(err); err != nil && code != tracker.NotFound {
		f.Fatal(err)
	}
}

// entry is what the test compares of an entry.
type entry struct {
	At      time.Time
	Issue   tracker.IssueID
	Kind    tracker.ChangeKind
	Version int64
	By      tracker.Actor
	Comment tracker.CommentRef
}

// want returns the entries that follow from the histories and the comments, newest first.
func (f *fixture) want() (all []entry) {
	f.Helper()
	for _, id := range f.issues {
		changes, more, err := f.Tenant.History(f.Context(), id, dynamo.HistoryQuery{Limit: 1000})
		f.Must(err)
		if more {
			f.Fatal("the history has more changes")
		}
		for _, c := range changes {
			if !c.By.OfJob() {
				all = append(all, entry{At: c.At, Issue: id, Kind: c.Kind, Version: c.Version, By: c.By})
			}
		}
	}
	found, err := f.comments.Get(f.Context(), f.written)
	f.Must(err)
	for _, c := range found {
		if c != nil {
			all = append(all, entry{At: c.Ref.ID.Time(), Issue: c.Ref.Issue, Comment: c.Ref})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.At.Compare(a.At) })
	return all
}

// walk reads all pages of a size in one direction, and returns the entries newest first.
func (f *fixture) walk(s *activity.Store, size int, oldestFirst bool) (all []entry) {
	f.Helper()
	q := activity.Query{Project: &f.d.Project, OldestFirst: oldestFirst, Limit: size}
	for more := true; more; {
		var page []activity.Listed
		var err error
		page, more, err = s.List(f.Context(), q)
		f.Must(err)
		if len(page) > size || len(page) == 0 && more || len(page) < size && more {
			f.Fatalf("a page of %d entries, more %t, want %d", len(page), more, size)
		}
		for _, e := range page {
			all = append(all, entry{e.At, e.Issue, e.Kind, e.Version, e.By, e.Comment})
			if q.Older = e.Position; oldestFirst {
				q.Older, q.Newer = "", e.Position
			}
			if !activity.Valid(&f.d.Project, e.Position) {
				f.Errorf("the position %q is not valid", e.Position)
			}
		}
	}
	if oldestFirst {
		slices.Reverse(all)
	}
	return all
}

// TestActivity makes random changes and compares all pages, of all sizes and in both directions, with the
// histories and the comments (L1, L2).
func TestActivity(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 3} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			t.Parallel()
			f := setup(t, shards)
			s, r := activity.Of(f.Tenant), rand.New(rand.NewPCG(1, uint64(shards)))
			for range 4 {
				for range 60 {
					f.change(r)
				}
				want := f.want()
				for _, size := range []int{1, 2, 7, 100} {
					for _, oldestFirst := range []bool{false, true} {
						if diff := gocmp.Diff(want, f.walk(s, size, oldestFirst)); diff != "" {
							t.Fatalf("pages of %d, oldest first %t (-want +got):\n%s", size,
								oldestFirst, diff)
						}
					}
				}
				n, exact, err := s.Count(t.Context(), &f.d.Project)
				if err != nil || !exact || n != len(want) {
					t.Errorf("counted %d, exact %t, %v; want %d", n, exact, err, len(want))
				}
			}
			f.contents(s)
			f.Sound()
		})
	}
}

// contents compares the changes of all entries with the histories.
func (f *fixture) contents(s *activity.Store) {
	f.Helper()
	page, _, err := s.List(f.Context(), activity.Query{Project: &f.d.Project, Limit: 100})
	f.Must(err)
	entries := make([]tracker.Activity, len(page))
	for n, e := range page {
		entries[n] = *e.Activity
	}
	changes, err := s.Changes(f.Context(), entries)
	f.Must(err)
	some := 0
	for n, e := range entries {
		if e.OfComment() {
			if changes[n] != nil {
				f.Errorf("a comment has the change %+v", changes[n])
			}
			continue
		}
		want, _, err := f.Tenant.History(f.Context(), e.Issue,
			dynamo.HistoryQuery{From: e.Version, To: e.Version + 1, Limit: 1})
		f.Must(err)
		if diff := gocmp.Diff(&want[0], changes[n], gocmp.AllowUnexported(tracker.Value{})); diff != "" {
			f.Errorf("the change of %v (-want +got):\n%s", e, diff)
		}
		some++
	}
	if some == 0 {
		f.Error("there are no changes")
	}
}

// TestJobsHaveNoActivity removes a field with values: the changes that the job makes are in the histories,
// and not in the activity.
func TestJobsHaveNoActivity(t *testing.T) {
	t.Parallel()
	f := setup(t, 2, func(s *dynamo.Settings) {
		s.DefinitionTTL, s.WriteTime = time.Millisecond, 100*time.Millisecond
	})
	_, err := f.Tenant.CreateField(t.Context(), "p1", tracker.Field{ID: "f1", Name: "Text",
		Type: tracker.TypeText})
	f.Must(err)
	f.d, err = f.Tenant.Definition(t.Context(), "p1")
	f.Must(err)
	i, err := f.Tenant.CreateIssue(t.Context(), f.d, tracker.Issue{Name: "One", State: "open",
		Values: map[tracker.FieldID]tracker.Value{"f1": tracker.Text("value")}})
	f.Must(err)
	f.issues = append(f.issues, i.ID)
	f.Must(f.Tenant.DeleteField(t.Context(), "p1", "f1", nil))
	f.Must(f.Tenant.RunJobs(t.Context(), "p1"))
	changes, _, err := f.Tenant.History(t.Context(), i.ID, dynamo.HistoryQuery{Limit: 10})
	f.Must(err)
	if len(changes) != 2 || !changes[0].By.OfJob() {
		t.Fatalf("the job has not changed the issue: %+v", changes)
	}
	got := f.walk(activity.Of(f.Tenant), 10, false)
	if diff := gocmp.Diff(f.want(), got); diff != "" || len(got) != 1 {
		t.Errorf("activity (-want +got):\n%s", diff)
	}
}

// TestActivityExpires moves the clock: the activity goes back as far as the history is kept.
func TestActivityExpires(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := setup(t, 1, func(s *dynamo.Settings) {
		s.Now, s.KeepHistory = func() time.Time { return now }, 24*time.Hour
	})
	s := activity.Of(f.Tenant)
	for _, want := range []int{1, 2, 2, 2} {
		_, err := f.Tenant.CreateIssue(t.Context(), f.d, tracker.Issue{Name: "One", State: "open"})
		f.Must(err)
		if got := f.walk(s, 10, false); len(got) != want {
			t.Errorf("%d entries, want %d", len(got), want)
		}
		if n, _, err := s.Count(t.Context(), &f.d.Project); err != nil || n != want {
			t.Errorf("counted %d, %v, want %d", n, err, want)
		}
		now = now.Add(13 * time.Hour)
	}
}

// TestCost counts the calls of pages: one Query for each shard, whatever the number of entries and the
// position of the page.
func TestCost(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		f := setup(t, shards)
		for n := range 130 {
			_, err := f.Tenant.CreateIssue(t.Context(), f.d,
				tracker.Issue{Name: fmt.Sprint(n), State: "open"})
			f.Must(err)
		}
		tenant, meter := f.Metered()
		s, q := activity.Of(tenant), activity.Query{Project: &f.d.Project, Limit: 20}
		var rcu []float64
		for range 6 {
			before := meter.Cost()
			page, _, err := s.List(t.Context(), q)
			f.Must(err)
			after := meter.Cost()
			rcu = append(rcu, after.RCU-before.RCU)
			calls := after.Calls["Query"] - before.Calls["Query"]
			if calls != shards || len(after.Calls) != 1 {
				t.Errorf("%d shards: %d Queries, calls %v", shards, calls, after.Calls)
			}
			q.Older = page[len(page)-1].Position
		}
		if slices.Max(rcu) > float64(shards) {
			t.Errorf("%d shards: pages of 20 cost %v RCU, want at most 1 for each shard", shards, rcu)
		}
	}
}

// TestPages compares random pages with a slice of all positions: in both directions, after one and before
// another, which need not exist.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 5} {
		f, r := setup(t, shards), rand.New(rand.NewPCG(7, uint64(shards)))
		for range 120 {
			f.change(r)
		}
		s := activity.Of(f.Tenant)
		all, _, err := s.List(t.Context(), activity.Query{Project: &f.d.Project, Limit: 1000})
		f.Must(err)
		var positions, limits []string
		for _, e := range all {
			positions = append(positions, e.Position)
			at, rest, _ := strings.Cut(e.Position, ".")
			limits = append(limits, "", e.Position, at[:15]+"5."+rest)
		}
		limits = append(limits, "0000000000000000.x.version.0000000001",
			"9223372036854775807.x.version.0000000001")
		for range 1000 {
			q := activity.Query{Project: &f.d.Project, Limit: 1 + r.IntN(20), OldestFirst: r.IntN(2) == 0,
				Older: limits[r.IntN(len(limits))], Newer: limits[r.IntN(len(limits))]}
			var want, got []string
			for _, p := range positions {
				if (q.Older == "" || p < q.Older) && (q.Newer == "" || p > q.Newer) {
					want = append(want, p)
				}
			}
			if q.OldestFirst {
				slices.Reverse(want)
			}
			page, more, err := s.List(t.Context(), q)
			f.Must(err)
			for _, e := range page {
				got = append(got, e.Position)
			}
			n := min(len(want), q.Limit)
			if !slices.Equal(want[:n], got) || more != (len(want) > n) {
				t.Fatalf("%+v: %v, more %t; want %v of %d", q, got, more, want[:n], len(want))
			}
		}
	}
}
