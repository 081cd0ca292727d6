package dynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/sample"
	"issuegrid/tracker"
)

// What the tests of checks cover:
//
//	a table with everything has no finding, with any scope and number of segments; a check writes nothing
//	each kind of damage is found once, repaired or not as documented, and then gone (check_damage_test.go)
//	each step of a large change, a deletion and a restoration at which a server dies (check_crash_test.go)
//	writers that go on meanwhile, and repairs beside them; what races leave (check_races_test.go)
//	what is under way, or young, is left alone
//	the report for people

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// checked is a fixture with a clock of its own.
func checked(t *testing.T) (*fixture, *clock) {
	t.Helper()
	c := &clock{now: time.Now().UTC().Truncate(time.Second)}
	return setup(t, func(s *dynamo.Settings) { s.Now = c.time }), c
}

func (f *fixture) check(o check.Options) *check.Report {
	f.Helper()
	report, err := check.Run(f.Context(), f.db, o, nil)
	f.must(err)
	return report
}

// kindsOf are the findings of a report by kind, those that were mended as such.
func kindsOf(r *check.Report) map[check.FindingKind]string {
	out := map[check.FindingKind]string{}
	for _, k := range r.Kinds {
		out[k.Kind] = fmt.Sprintf("%d found, %d mended", k.Found, k.Repaired)
	}
	return out
}

// sound fails the test if there is a finding.
func (f *fixture) sound() {
	f.Helper()
	if r := f.check(check.Options{}); len(r.Kinds) > 0 || r.InProgress > 0 {
		f.Errorf("the table is not sound:\n%v", r)
	}
}

// wideProject is the definition of wide with its first n fields, in the table. The first of each type are
// made as fields are, and the others put there like those, because each reads all that there are.
func (f *fixture) wideProject(n int) *tracker.Definition {
	f.Helper()
	var fields []tracker.Field
	for _, field := range wide().Fields[:n] {
		field := *field
		field.Position++ // 0 is the last
		fields = append(fields, field)
	}
	const kinds = 10
	f.project(f.store, tracker.Project{ID: "wide", Key: "WIDE", Name: "Wide", States: twoStates},
		fields[:min(kinds, n)]...)
	field := func(id tracker.FieldID) key {
		return key{"acme/project-wide", fmt.Sprintf("acme/xattrib-wide.%s", id)}
	}
	guard := func(name string) key {
		return key{"acme/unique-fieldname.wide." + tracker.IDFor(tracker.FoldName(name)), "*"}
	}
	for i := kinds; i < n; i++ {
		like, x := fields[i%kinds], fields[i]
		m := f.raw.get(field(like.ID))
		maps.Copy(m, attributes(item{"SK": field(x.ID).SK, "id": string(x.ID), "name": x.Name,
			"position": number(fmt.Sprint(x.Position))}))
		f.raw.put(m)
		m = f.raw.get(guard(like.Name))
		maps.Copy(m, attributes(item{"PK": guard(x.Name).PK, "owner": string(x.ID)}))
		f.raw.put(m)
	}
	d, err := f.another().Definition(f.Context(), "wide")
	f.must(err)
	if len(d.Fields) != n {
		f.Fatalf("%d fields", len(d.Fields))
	}
	return tracker.NewDefinition(d.Project, d.Fields)
}

// enough is a number of fields with which a change of all takes steps, and more than one transaction of
// entries.
const enough = 180

// everything puts into the table what there can be.
func (f *fixture) everything() {
	f.Helper()
	ctx := f.Context()
	full := func(text string) map[tracker.FieldID]tracker.Value {
		values := fullValues()
		values["ftext"], values["flong"] = tracker.Text(text), tracker.Text(text)
		return values
	}
	long := strings.Repeat("Some words, and more. ", 40)
	changed := f.create(f.store, f.d,
		tracker.Issue{Name: "Changed", State: "open", Description: tracker.Text(long), Values: full(long)})
	for n := range 3 {
		_, err := f.store.As("ada").UpdateIssue(ctx, f.d, changed.ID,
			tracker.Change{Name: ptr("Name"), Description: ptr(fmt.Sprint(n, long)),
				Values: full(fmt.Sprint(long, n))})
		f.must(err)
	}
	f.issue(full(incompressible(1 << 20)))
	f.issue(nil)
	deleted := f.issue(full(long + "deleted"))
	f.must(f.store.DeleteIssue(ctx, deleted.ID, nil))
	restored := f.issue(full(long + "restored"))
	f.must(f.store.DeleteIssue(ctx, restored.ID, nil))
	_, err := f.store.RestoreIssue(ctx, f.d, restored.ID)
	f.must(err)
	purged := f.issue(full(long + "purged"))
	f.must(f.store.PurgeIssue(ctx, purged.ID, nil))
	_, err = f.store.Once(tracker.Once{Key: "once", Fingerprint: "p"}).CreateIssue(ctx, f.d,
		tracker.Issue{Name: "Once", State: "done"})
	f.must(err)
	d := f.wideProject(enough)
	i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
	_, err = f.store.UpdateIssue(ctx, d, i.ID, tracker.Change{Values: stamped(d, 2)})
	f.must(err)
	gone := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
	f.must(f.store.DeleteIssue(ctx, gone.ID, nil))
	f.must(f.store.PutIssues(ctx, f.d,
		[]tracker.Issue{{ID: tracker.IssueID{Project: project, Issue: "imported"}, Num: 1000, State: "open",
			Values: full(long)}}))
	f.must(f.store.RaiseCounter(ctx, project, 1000))
	f.must(sample.Load(ctx, f.db, sample.Worked(), func(int, int) {}))
}

// TestCheckFindsNothing checks a table with everything that there can be, in all ways.
func TestCheckFindsNothing(t *testing.T) {
	f, c := checked(t)
	f.everything()
	before := f.raw.items("")
	for _, o := range []check.Options{{}, {Segments: 1}, {Segments: 7}, {Repair: true}, {Tenant: acme},
		{Tenant: rival, Project: project}, {Tenant: acme, Project: "wide"}} {
		r := f.check(o)
		if len(r.Kinds) > 0 || r.InProgress > 0 {
			t.Errorf("%+v: %v", o, r)
		}
		if o.Tenant == "" && r.Items != len(before) {
			t.Errorf("%+v: %d items of %d", o, r.Items, len(before))
		}
		if o.Project == "wide" && (r.Projects != 1 || r.Issues != 1) {
			t.Errorf("%+v: %v", o, r)
		}
	}
	for _, later := range []time.Duration{2 * time.Hour, dynamo.DefaultKeepTrash, dynamo.DefaultKeepHistory} {
		c.add(later)
		f.sound()
	}
	if diff := cmp.Diff(before, f.raw.items("")); diff != "" {
		t.Errorf("a check has changed the table:\n%s", diff)
	}
}

// TestCheckProgress looks at what a check tells while it runs, and at what it costs.
func TestCheckProgress(t *testing.T) {
	f, _ := checked(t)
	f.issue(fullValues())
	items := len(f.raw.items(""))
	var told []check.Progress
	meter := dynamo.NewMeter()
	if _, err := check.Run(t.Context(), f.db.Metered(meter),
		check.Options{Segments: 1}, func(p check.Progress) {
			told = append(told, p)
		}); err != nil {
		t.Fatal(err)
	}
	want := check.Progress{Stage: check.StageScan, Done: items, Total: items}
	if len(told) < 2 || told[len(told)-1] != want {
		t.Errorf("progress %v, in the end there should be %v", told, want)
	}
	if cost := meter.Cost(); cost.Calls["Scan"] != 1 || cost.RCU == 0 || cost.WCU != 0 {
		t.Errorf("cost %+v", cost)
	}
}

// TestCheckLeavesWhatIsUnderWay finds nothing wrong with a change that may still be going on, nor with the
// texts of one.
func TestCheckLeavesWhatIsUnderWay(t *testing.T) {
	f, c := checked(t)
	d := f.wideProject(enough)
	lagging := f.create(f.store, d, tracker.Issue{Name: "Lagging", State: "open", Values: stamped(d, 1)})
	gone := f.create(f.store, d, tracker.Issue{Name: "Gone", State: "open", Values: stamped(d, 1)})
	halves := f.create(f.store, d, tracker.Issue{Name: "Texts", State: "open", Values: stamped(d, 1)})
	c.add(2 * time.Hour)
	undo := f.cut(3)
	_, err := f.store.UpdateIssue(t.Context(), d, lagging.ID, tracker.Change{Values: stamped(d, 2)})
	f.must(err)
	undo()
	undo = f.cut(1)
	f.must(f.store.DeleteIssue(t.Context(), gone.ID, nil))
	undo()
	undo = f.cut(1)
	_, err = f.store.UpdateIssue(t.Context(), d, halves.ID, tracker.Change{Values: stamped(d, 2)})
	undo()
	wantCode(t, err, tracker.InternalErr)
	before := f.raw.items("")
	for _, later := range []time.Duration{0, time.Minute} {
		c.add(later)
		if r := f.check(check.Options{Repair: true}); len(r.Kinds) > 0 || r.InProgress != 2 {
			t.Errorf("%v", r)
		}
	}
	if diff := cmp.Diff(before, f.raw.items("")); diff != "" {
		t.Errorf("a check has changed the table:\n%s", diff)
	}
	c.add(2 * time.Minute)
	got := kindsOf(f.check(check.Options{}))
	if got[check.KindIndexing] != "1 found, 0 mended" || got[check.KindGhost] == "" ||
		got[check.KindTextStays] == "" || len(got) != 3 {
		t.Errorf("some minutes later: %v", got)
	}
	c.add(time.Hour)
	if got := kindsOf(f.check(check.Options{})); got[check.KindOrphan] == "" || len(got) != 4 {
		t.Errorf("an hour later: %v", got)
	}
	f.mended("in the end")
}

// TestCheckBesideWriters checks and mends again and again while others create, change, delete and restore
// issues, large and small. There is nothing to be found, and nothing is mended that was not broken.
func TestCheckBesideWriters(t *testing.T) {
	f, _ := checked(t)
	d := f.wideProject(enough)
	const writers, rounds = 3, 6
	var writing, checking errgroup.Group
	stop := make(chan struct{})
	for w := range writers {
		writing.Go(func() error {
			for n := range rounds {
				i, err := f.store.CreateIssue(t.Context(), d,
					tracker.Issue{Name: fmt.Sprint("Wide ", w), State: "open", Values: stamped(d, 1)})
				if err != nil {
					return err
				}
				small, err := f.store.CreateIssue(t.Context(), f.d,
					tracker.Issue{Name: "Small", State: "open", Values: fullValues()})
				if err != nil {
					return err
				}
				for s := range 4 {
					if _, err := f.store.UpdateIssue(t.Context(), d, i.ID,
						tracker.Change{Values: stamped(d, 2+s)}); err != nil {
						return err
					}
					if _, err := f.store.UpdateIssue(t.Context(), f.d, small.ID,
						one("fint", tracker.Int(int64(s+100)))); err != nil {
						return err
					}
				}
				bulk := tracker.Issue{ID: tracker.IssueID{Project: project,
					Issue: fmt.Sprintf("bulk%dx%d", w, n)}, Num: int64(1000 + 100*w +
					n), State: "open", Values: fullValues()}
				if err := f.store.PutIssues(t.Context(), f.d, []tracker.Issue{bulk}); err != nil {
					return err
				}
				if err := f.store.DeleteIssue(t.Context(), i.ID, nil); err != nil {
					return err
				}
				if n%2 == 0 {
					if _, err := f.store.RestoreIssue(t.Context(), d, i.ID); err != nil {
						return err
					}
				} else if err := f.store.PurgeIssue(t.Context(), i.ID, nil); err != nil {
					return err
				}
			}
			return nil
		})
	}
	f.must(f.store.RaiseCounter(t.Context(), project, 5000))
	for _, repair := range []bool{false, true} {
		checking.Go(func() error {
			for n := 0; ; n++ {
				select {
				case <-stop:
					if n == 0 {
						return fmt.Errorf("no check has run beside the writers")
					}
					return nil
				default:
				}
				r, err := check.Run(t.Context(), f.db, check.Options{Repair: repair, Segments: 2}, nil)
				if err != nil {
					return err
				}
				if len(r.Kinds) > 0 {
					return fmt.Errorf("beside writers: %v", r)
				}
			}
		})
	}
	f.must(writing.Wait())
	close(stop)
	f.must(checking.Wait())
	f.soundNow()
}

// soundNow fails the test if there is a finding, and leaves it open whether changes have been made just now.
func (f *fixture) soundNow() {
	f.Helper()
	if r := f.check(check.Options{}); len(r.Kinds) > 0 {
		f.Errorf("the table is not sound:\n%v", r)
	}
}

// TestCheckReport is the report for people.
func TestCheckReport(t *testing.T) {
	r := &check.Report{Items: 12, Projects: 1, Issues: 3, InProgress: 1}
	want := "Checked 12 items in 1 project and 3 issues.\nNo damage was found.\n\nChanges of 1 issue " +
		"were in progress, or were interrupted within the last 2 minutes; check again after that."
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r = &check.Report{Items: 12, Projects: 2, Issues: 3, Kinds: []check.KindReport{
		{Kind: check.KindText, Means: "A.", Found: 1,
			Examples: []check.Finding{{Kind: check.KindText,
				Key: dynamo.Key{PK: "a/issue-p.1", SK: "a/project-p"}, Column: "f1", Detail: "why"}}},
		{Kind: check.KindGhost, Means: "B.", Repairable: true, Found: 7,
			Examples: slices.Repeat([]check.Finding{{Key: dynamo.Key{PK: "a", SK: "b"}}}, 5)},
		{Kind: check.KindHas, Means: "C.", Repairable: true, Found: 2, Repaired: 2},
		{Kind: check.KindOrphan, Means: "D.", Repairable: true, Found: 2, Repaired: 1},
	}}
	want = "Checked 12 items in 2 projects and 3 issues.\n\nlost long text: 1 (--repair cannot repair " +
		"it)\n  A.\n    a/issue-p.1 a/project-p f1: why\n\nindex entry without issue: 7 (--repair " +
		"repairs it)\n  B.\n    a b\n    a b\n    a b\n    a b\n    a b\n    and 2 more\n\n`has` does " +
		"not match the values: 2 (mended)\n  C.\n    and 2 more\n\nunreferenced long text: 2 (1 " +
		"mended)\n  D.\n    and 2 more"
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Left() != 9 {
		t.Errorf("%d are left", r.Left())
	}
}
