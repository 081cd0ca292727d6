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
	"issuegrid/internal/account"
	"issuegrid/internal/sample"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// The tests of checks cover:
//
//	a table with every kind of item has no findings, with any scope and number of segments
//	a check without repair writes nothing
//	each kind of damage is found once, and repaired or not as documented (check_damage_test.go)
//	crashes at each step of a large change, a deletion and a restoration (check_crash_test.go)
//	checks and repairs while other clients write, and concurrent changes (check_races_test.go)
//	changes in progress and recent items are left alone
//	the printed report

// clock is a clock that tests move forward.
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

// checked returns a fixture whose table uses the returned clock.
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

// kindsOf returns, for each kind of finding in a report, how many were found and how many repaired.
func kindsOf(r *check.Report) map[check.FindingKind]string {
	out := map[check.FindingKind]string{}
	for _, k := range r.Kinds {
		out[k.Kind] = fmt.Sprintf("%d found, %d repaired", k.Found, k.Repaired)
	}
	return out
}

// sound fails the test if there is a finding.
func (f *fixture) sound() {
	f.Helper()
	if r := f.check(check.Options{Segments: 1}); len(r.Kinds) > 0 || r.InProgress > 0 {
		f.Errorf("the table is not sound:\n%v", r)
	}
}

// wideProject writes a project with the first n fields of wide to the table, and returns its definition. It
// creates the first field of each type with CreateField, and puts the items of the others directly, because
// each CreateField reads all existing fields.
func (f *fixture) wideProject(n int) *tracker.Definition {
	f.Helper()
	var fields []tracker.Field
	for _, field := range wide().Fields[:n] {
		field := *field
		field.Position++ // 0 means after all other fields
		fields = append(fields, field)
	}
	const kinds = 10
	f.project(f.store, tracker.Project{ID: "wide", Key: "WIDE", Name: "Wide", States: twoStates},
		fields[:min(kinds, n)]...)
	field := func(id tracker.FieldID) key {
		return key{"acme/project-wide", fmt.Sprintf("acme/xattrib-wide.%s", id)}
	}
	guard := func(name string) key {
		return key{"acme/unique-fieldname.wide." + tracker.IDFor(tracker.NameKey(name)), "*"}
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
		f.Fatalf("%d fields, want %d", len(d.Fields), n)
	}
	return tracker.NewDefinition(d.Project, d.Fields)
}

// enough is a number of fields such that changing all of them takes several steps, and several transactions
// of index entries.
const enough = 180

// everything writes every kind of item to the table.
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
		_, err := f.store.As(ada).UpdateIssue(ctx, f.d, changed.ID,
			tracker.Change{Name: ptr("Name"), Description: ptr(fmt.Sprint(n, long)),
				Values: full(fmt.Sprint(long, n))})
		f.must(err)
	}
	f.issue(full(incompressible(1 << 20)))
	f.issue(nil)
	deleted := f.issue(full(long + "deleted"))
	f.must(f.store.As(ada).DeleteIssue(ctx, deleted.ID, nil))
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
	f.comments(gone.ID)
	f.must(f.store.DeleteIssue(ctx, gone.ID, nil))
	f.must(f.store.PutIssues(ctx, f.d,
		[]tracker.Issue{{ID: tracker.IssueID{Project: project, Issue: "imported"}, Num: 1000, State: "open",
			Values: full(long)}}))
	f.must(f.store.RaiseCounter(ctx, project, 1000))
	f.must(sample.Load(ctx, f.db, sample.Worked(), func(int, int) {}))
	f.people()
	f.comments(changed.ID)
	f.comments(restored.ID)
	binned := f.project(f.store, tracker.Project{ID: "binned", Key: "BIN", Name: "Binned", States: twoStates})
	_, err = f.store.TrashProject(ctx, binned.Project.ID, nil)
	f.must(err)
}

// TestCheckFindsNothing checks a sound table with every kind of item, with various options.
//
//test:engine
func TestCheckFindsNothing(t *testing.T) {
	f, c := checked(t)
	f.everything()
	before := f.raw.items("")
	for in := range before {
		if !strings.Contains(in.SK, "/xtrash-") {
			continue
		}
		for k, m := range before {
			if k.PK == in.PK && m["expires"] == nil {
				t.Errorf("%s does not expire with its issue in the trash: issues.Store.comments must find it",
					k)
			}
		}
	}
	for _, o := range []check.Options{{}, {Segments: 1}, {Segments: 7}, {Repair: true}, {Tenant: acme},
		{Tenant: rival, Project: project}, {Tenant: acme, Project: "wide"}} {
		r := f.check(o)
		if len(r.Kinds) > 0 || r.InProgress > 0 {
			t.Errorf("%+v: %v", o, r)
		}
		if o.Tenant == "" && r.Items != len(before) {
			t.Errorf("%+v: %d items, want %d", o, r.Items, len(before))
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
		t.Errorf("a check changed the table:\n%s", diff)
	}
}

// TestCheckProgress checks the progress that a check reports, and its cost.
func TestCheckProgress(t *testing.T) {
	f, _ := checked(t)
	f.issue(fullValues())
	items := len(f.raw.items(""))
	var reported []check.Progress
	meter := account.NewMeter()
	if _, err := check.Run(t.Context(), f.db.Metered(meter),
		check.Options{Segments: 1}, func(p check.Progress) {
			reported = append(reported, p)
		}); err != nil {
		t.Fatal(err)
	}
	want := check.Progress{Stage: check.StageScan, Done: items, Total: items}
	if len(reported) < 2 || reported[len(reported)-1] != want {
		t.Errorf("progress %v, want %v last", reported, want)
	}
	if cost := meter.Cost(); cost.Calls["Scan"] != 1 || cost.RCU == 0 || cost.WCU != 0 {
		t.Errorf("cost %+v, want one Scan, some RCUs and no WCUs", cost)
	}
}

// TestCheckLeavesChangesInProgress checks that a change that may still be in progress, and its long texts,
// cause no findings.
func TestCheckLeavesChangesInProgress(t *testing.T) {
	f, c := checked(t)
	d := f.wideProject(enough)
	lagging := f.create(f.store, d, tracker.Issue{Name: "Lagging", State: "open", Values: stamped(d, 1)})
	gone := f.create(f.store, d, tracker.Issue{Name: "Gone", State: "open", Values: stamped(d, 1)})
	halves := f.create(f.store, d, tracker.Issue{Name: "Texts", State: "open", Values: stamped(d, 1)})
	c.add(2 * time.Hour)
	undo := f.cut(3)
	f.update(d, lagging.ID, tracker.Change{Values: stamped(d, 2)})
	undo()
	undo = f.cut(1)
	f.must(f.store.DeleteIssue(t.Context(), gone.ID, nil))
	undo()
	undo = f.cut(1)
	_, err := f.store.UpdateIssue(t.Context(), d, halves.ID, tracker.Change{Values: stamped(d, 2)})
	undo()
	wantCode(t, err, tracker.InternalErr)
	before := f.raw.items("")
	for _, later := range []time.Duration{0, time.Minute} {
		c.add(later)
		if r := f.check(check.Options{Repair: true}); len(r.Kinds) > 0 || r.InProgress != 2 {
			t.Errorf("report %v, want no findings and 2 changes in progress", r)
		}
	}
	if diff := cmp.Diff(before, f.raw.items("")); diff != "" {
		t.Errorf("a check changed the table:\n%s", diff)
	}
	c.add(2 * time.Minute)
	got := kindsOf(f.check(check.Options{}))
	if got[check.KindIndexing] != "1 found, 0 repaired" || got[check.KindGhost] == "" ||
		got[check.KindTextStays] == "" || len(got) != 3 {
		t.Errorf("some minutes later: %v", got)
	}
	c.add(time.Hour)
	if got := kindsOf(f.check(check.Options{})); got[check.KindOrphan] == "" || len(got) != 4 {
		t.Errorf("an hour later: %v", got)
	}
	f.repairAll("in the end")
}

// TestCheckDuringWrites checks and repairs repeatedly while other clients create, change, delete and restore
// large and small issues. No check finds anything, so no repair changes a sound item.
func TestCheckDuringWrites(t *testing.T) {
	f, _ := checked(t)
	d := f.wideProject(enough)
	writers, rounds := tier.Cases(2, 3), tier.Cases(1, 4)
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
				if (w+n)%2 == 0 { // the last round of another writer ends otherwise
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
			for {
				r, err := check.Run(t.Context(), f.db, check.Options{Repair: repair, Segments: 2}, nil)
				if err != nil {
					return err
				}
				if len(r.Kinds) > 0 {
					return fmt.Errorf("findings during writes: %v", r)
				}
				select {
				case <-stop:
					return nil
				default:
				}
			}
		})
	}
	f.must(writing.Wait())
	close(stop)
	f.must(checking.Wait())
	f.soundNow()
}

// soundNow fails the test if there is a finding. Unlike sound, it accepts changes in progress.
func (f *fixture) soundNow() {
	f.Helper()
	if r := f.check(check.Options{}); len(r.Kinds) > 0 {
		f.Errorf("the table is not sound:\n%v", r)
	}
}

// TestCheckReport checks the printed report.
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
		"not match the values: 2 (repaired)\n  C.\n    and 2 more\n\nunreferenced long text: 2 (1 " +
		"repaired)\n  D.\n    and 2 more"
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Left() != 9 || !r.Repairable() {
		t.Errorf("%d findings are left, want 9; repairable: %t", r.Left(), r.Repairable())
	}
	r.Kinds = []check.KindReport{r.Kinds[0], r.Kinds[2]}
	if r.Left() != 1 || r.Repairable() {
		t.Errorf("%d findings are left, want 1; repairable: %t", r.Left(), r.Repairable())
	}
}
