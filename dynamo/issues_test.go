package dynamo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// written is what an interceptor has seen of transactions and batches: "Put" or "Delete" and the sort key, without the tenant.
type written struct {
	mu   sync.Mutex
	seen []string
}

// watch puts an interceptor on the wire that notes every item written through it.
func watch(wire *dynamotest.Wire) *written {
	w := &written{}
	wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
		w.note(r)
		return send(r)
	})
	return w
}

type wireKey struct{ SK struct{ S string } }

func (w *written) note(r *dynamotest.Request) {
	var request struct {
		TransactItems []struct {
			Put            *struct{ Item wireKey }
			Delete         *struct{ Key wireKey }
			Update         *struct{ Key wireKey }
			ConditionCheck *struct{ Key wireKey }
		}
		RequestItems map[string][]struct {
			PutRequest    *struct{ Item wireKey }
			DeleteRequest *struct{ Key wireKey }
		}
	}
	if r.Operation == "BatchGetItem" || r.Operation == "Query" {
		return
	}
	if err := json.Unmarshal(r.Body, &request); err != nil {
		panic(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	note := func(what string, k wireKey) {
		_, sk, _ := strings.Cut(k.SK.S, "/")
		if rest, ok := strings.CutPrefix(sk, "xtext-"); ok { // the ID of a text is made up
			parts := strings.Split(rest, ".")
			sk = "xtext-" + parts[0] + "." + parts[1] + "." + parts[3]
		}
		w.seen = append(w.seen, what+" "+sk)
	}
	for _, i := range request.TransactItems {
		switch {
		case i.Put != nil:
			note("Put", i.Put.Item)
		case i.Delete != nil:
			note("Delete", i.Delete.Key)
		case i.Update != nil:
			note("Update", i.Update.Key)
		case i.ConditionCheck != nil:
			note("Check", i.ConditionCheck.Key)
		}
	}
	for _, requests := range request.RequestItems {
		for _, i := range requests {
			if i.PutRequest != nil {
				note("Put", i.PutRequest.Item)
			} else {
				note("Delete", i.DeleteRequest.Key)
			}
		}
	}
}

// take returns what was written since the last take, sorted.
func (w *written) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	slices.Sort(seen)
	return seen
}

// TestOnlyWhatChangesIsWritten updates an issue that has everything, and compares the items on the wire.
func TestOnlyWhatChangesIsWritten(t *testing.T) {
	f := setup(t)
	values := fullValues()
	long := strings.Repeat("long ", 200)
	values["flong"] = tracker.Text(long)
	document, updated, history := "Put project-p1", "Put xvalue-p1.updated", "Put xhistory-p1.0000000002.00"
	for _, test := range []struct {
		name   string
		change tracker.Change
		want   []string
	}{
		{"nothing", tracker.Change{}, nil},
		{"name to what it is", tracker.Change{Name: ptr("An issue"), State: ptr(tracker.OptionID("open"))}, nil},
		{"values to what they are", tracker.Change{Values: values}, nil},
		{"values that it has not, removed", tracker.Change{Values: map[tracker.FieldID]tracker.Value{"gone": {}}}, nil},
		{"description that it has not, removed", tracker.Change{Description: ptr("")}, nil},
		{"a field that the project has not", tracker.Change{Values: map[tracker.FieldID]tracker.Value{"gone": tracker.Int(1)}}, nil},
		{"name", tracker.Change{Name: ptr("Another")}, []string{document, history, updated, "Put xvalue-p1.name"}},
		{"name, but for its case", tracker.Change{Name: ptr("AN ISSUE")}, []string{document, history, updated}},
		{"state", tracker.Change{State: ptr(tracker.OptionID("done"))}, []string{document, history, updated, "Put xvalue-p1.state"}},
		{"short description", tracker.Change{Description: ptr("short")}, []string{document, history, updated}},
		{"long description", tracker.Change{Description: &long}, []string{document, history, updated, "Put xtext-p1.description.0"}},
		{"text", one("ftext", tracker.Text("Rejected")), []string{document, history, updated, "Put xvalue-p1.ftext"}},
		{"text, but for its case", one("ftext", tracker.Text("APPROVED")), []string{document, history, updated}},
		{"text removed", one("ftext", tracker.Value{}), []string{document, history, updated, "Delete xvalue-p1.ftext"}},
		{"text that grows", one("ftext", tracker.Text("Approved"+long)), []string{document, history, updated, "Put xtext-p1.ftext.0", "Put xvalue-p1.ftext"}},
		{"long text that shrinks", one("flong", tracker.Text("short")), []string{document, history, updated, "Update xtext-p1.flong.0"}},
		{"long text replaced", one("flong", tracker.Text("Other "+long)), []string{document, history, updated, "Update xtext-p1.flong.0", "Put xtext-p1.flong.0"}},
		{"long text of more parts", one("flong", tracker.Text(incompressible(1<<20))), []string{document, history, updated,
			"Update xtext-p1.flong.0", "Put xtext-p1.flong.0", "Put xtext-p1.flong.1", "Put xtext-p1.flong.2"}},
		{"integer", one("fint", tracker.Int(43)), []string{document, history, updated, "Put xvalue-p1.fint"}},
		{"number", one("fnum", tracker.Float(-2.5)), []string{document, history, updated, "Put xvalue-p1.fnum"}},
		{"boolean", one("fbool", tracker.Bool(false)), []string{document, history, updated, "Put xvalue-p1.fbool"}},
		{"option added", one("fmulti", tracker.Set([]string{"m1", "m0", "m9"})), []string{document, history, updated, "Put xvalue-p1.fmulti.m9"}},
		{"option replaced", one("fmulti", tracker.Set([]string{"m1", "m2"})), []string{document, history, updated, "Put xvalue-p1.fmulti.m2", "Delete xvalue-p1.fmulti.m0"}},
		{"options in another order", one("fmulti", tracker.Set([]string{"m0", "m1"})), []string{document, history, updated}},
		{"tag in another case", one("ftags", tracker.Set([]string{"RED", "blue"})), []string{document, history, updated}},
		{"tags removed", one("ftags", tracker.Value{}), []string{document, history, updated, "Delete xvalue-p1.ftags.blue", "Delete xvalue-p1.ftags.red"}},
		{"two fields", tracker.Change{Values: map[tracker.FieldID]tracker.Value{"fint": {}, "fuser": tracker.Text("Bo")}},
			[]string{document, history, updated, "Delete xvalue-p1.fint", "Put xvalue-p1.fuser"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := f.issue(values)
			meter := dynamo.NewMeter()
			store, err := f.db.Metered(meter).Tenant(acme)
			if err != nil {
				t.Fatal(err)
			}
			w := watch(f.wire)
			defer f.wire.Intercept(nil)
			changed, err := store.UpdateIssue(t.Context(), f.d, i.ID, test.change)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(test.want)
			if diff := cmp.Diff(test.want, w.take()); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			version, transactions := int64(1), 0
			if test.want != nil {
				version, transactions = 2, 1
			}
			if changed.Version != version {
				t.Errorf("version %d, want %d", changed.Version, version)
			}
			cost := meter.Cost()
			if cost.Calls["TransactWriteItems"] != transactions || cost.Items != 1+len(test.want) {
				t.Errorf("%d transactions and %d items, want %d and %d", cost.Calls["TransactWriteItems"], cost.Items, transactions, 1+len(test.want))
			}
			if (cost.WCU > 0) != (test.want != nil) {
				t.Errorf("%g WCU", cost.WCU)
			}
			after := documentOf(acme, changed, "", values)
			if test.change.Description != nil {
				after.description = *test.change.Description
			}
			maps.Copy(after.values, test.change.Values)
			maps.DeleteFunc(after.values, func(id tracker.FieldID, v tracker.Value) bool {
				return f.d.Field(id) == nil || v.Kind == tracker.KindNone
			})
			verify(t, f.raw, f.d, after)
		})
	}
}

func one(id tracker.FieldID, v tracker.Value) tracker.Change {
	return tracker.Change{Values: map[tracker.FieldID]tracker.Value{id: v}}
}

// TestCreateIssue checks the answer, and every item that is there after it.
func TestCreateIssue(t *testing.T) {
	f := setup(t)
	for _, test := range []struct {
		name   string
		values map[tracker.FieldID]tracker.Value
		text   string
	}{
		{"nothing but a name", nil, ""},
		{"every field", fullValues(), "short"},
		{"none among the values", map[tracker.FieldID]tracker.Value{"fint": {}}, ""},
		{"long texts", map[tracker.FieldID]tracker.Value{"ftext": tracker.Text(strings.Repeat("Ab", 600)), "flong": tracker.Text(incompressible(900_000))}, incompressible(2000)},
		{"names that are long in bytes", map[tracker.FieldID]tracker.Value{"fuser": tracker.Text(longUser), "ftags": tracker.Set([]string{
			strings.Repeat("日", tracker.MaxTag), strings.Repeat("\U0001F600", tracker.MaxTag)})}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			created := f.create(f.store, f.d, tracker.Issue{Name: "New", State: "doing", Description: tracker.Text(test.text), Values: test.values})
			if !created.ID.Valid() || created.ID.Project != project || created.Num < 1 || created.Version != 1 || created.Created.IsZero() || !created.Updated.Equal(created.Created) {
				t.Errorf("created %+v", created)
			}
			if diff := cmp.Diff(f.read(created.ID), created, cmp.Comparer(tracker.Value.Equal)); diff != "" {
				t.Errorf("what was answered is not what is read (-read +answered):\n%s", diff)
			}
			values := maps.Clone(test.values)
			maps.DeleteFunc(values, func(_ tracker.FieldID, v tracker.Value) bool { return v.Kind == tracker.KindNone })
			verify(t, f.raw, f.d, documentOf(acme, created, test.text, values))
		})
	}
	t.Run("times that are given are kept", func(t *testing.T) {
		created := f.create(f.store, f.d, tracker.Issue{Name: "Old", State: "open", Created: day(1), Updated: day(2)})
		if !created.Created.Equal(day(1)) || !created.Updated.Equal(day(2)) {
			t.Errorf("times %v, %v", created.Created, created.Updated)
		}
	})
	t.Run("an id that is taken", func(t *testing.T) {
		i := f.issue(nil)
		before := f.raw.items("acme/issue-")
		_, err := f.store.CreateIssue(t.Context(), f.d, tracker.Issue{ID: i.ID, Name: "Again", State: "open"})
		wantCode(t, err, tracker.Conflict, "already")
		if diff := cmp.Diff(before, f.raw.items("acme/issue-")); diff != "" {
			t.Errorf("something was written:\n%s", diff)
		}
	})
	t.Run("a project that is gone", func(t *testing.T) {
		gone := tracker.NewDefinition(tracker.Project{ID: "gone", Tenant: acme}, nil)
		_, err := f.store.CreateIssue(t.Context(), gone, tracker.Issue{Name: "Lost", State: "open"})
		wantCode(t, err, tracker.NotFound, "project")
	})
}

// TestTagsOfMarks has tags of which folding leaves nothing: they keep their own names.
func TestTagsOfMarks(t *testing.T) {
	f := setup(t)
	tags := []string{"\u0301", "\u0301\u0308", "\u0308"}
	i := f.issue(map[tracker.FieldID]tracker.Value{"ftags": tracker.Set(tags)})
	for _, tag := range tags {
		page, err := f.store.QueryKeys(t.Context(), dynamo.KeyQuery{Project: project, Column: "ftags", Member: dynamo.FoldTag(tag)})
		if f.must(err); len(page.Keys) != 1 {
			t.Errorf("%d issues have the tag %q", len(page.Keys), tag)
		}
	}
	if entries := f.raw.partition("acme/issue-p1." + i.ID.Issue); len(entries) != 6+len(tags) {
		t.Errorf("entries %v", entries)
	}
}

// TestTagsThatFoldLong has tags whose folded form is many times longer than they are: U+FDFA stands for 18 characters.
func TestTagsThatFoldLong(t *testing.T) {
	f := setup(t)
	long := strings.Repeat("\ufdfa", tracker.MaxTag)
	alike, other := long[:len(long)-3]+"\ufdfa", long[:len(long)-3]+"!"
	i := f.issue(map[tracker.FieldID]tracker.Value{"ftags": tracker.Set([]string{long, other})})
	for _, tag := range []string{long, alike, other} {
		page, err := f.store.QueryKeys(t.Context(), dynamo.KeyQuery{Project: project, Column: "ftags", Member: dynamo.FoldTag(tag)})
		f.must(err)
		if diff := cmp.Diff([]string{i.ID.Issue}, ids(page.Keys)); diff != "" {
			t.Errorf("issues with the tag %.20q (-want +got):\n%s", tag, diff)
		}
	}
	if dynamo.FoldTag(long) == dynamo.FoldTag(other) {
		t.Error("two tags have one name")
	}
	f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
	if left := f.raw.items("acme/issue-"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestUpdateIssueConflicts(t *testing.T) {
	f := setup(t)
	t.Run("another version than expected", func(t *testing.T) {
		i := f.issue(fullValues())
		before := f.raw.items("acme/")
		w := watch(f.wire)
		defer f.wire.Intercept(nil)
		for _, version := range []int64{0, 2} {
			c := one("fint", tracker.Int(7))
			c.ExpectedVersion = &version
			_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, c)
			wantCode(t, err, tracker.Conflict, "changed by somebody else", "version is 1 now")
		}
		if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" || w.take() != nil {
			t.Errorf("something was written:\n%s", diff)
		}
	})
	// between lets the first transaction wait until another update was made.
	between := func(t *testing.T, id tracker.IssueID, other func(*dynamo.Tenant) error) {
		t.Helper()
		store, err := f.db.Tenant(acme)
		if err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
			if r.Operation == "TransactWriteItems" {
				once.Do(func() {
					f.wire.Intercept(nil)
					if err := other(store); err != nil {
						t.Error(err)
					}
				})
			}
			return send(r)
		})
	}
	t.Run("somebody is faster and the version is expected", func(t *testing.T) {
		i := f.issue(fullValues())
		between(t, i.ID, func(other *dynamo.Tenant) error {
			_, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			return err
		})
		c := one("fint", tracker.Int(2))
		c.ExpectedVersion = ptr(int64(1))
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, c)
		wantCode(t, err, tracker.Conflict, "version is 2 now")
		if got := f.read(i.ID); got.Version != 2 || got.Values["fint"].Int() != 1 {
			t.Errorf("version %d with %v", got.Version, got.Values["fint"])
		}
	})
	t.Run("somebody is faster", func(t *testing.T) {
		i := f.issue(fullValues())
		between(t, i.ID, func(other *dynamo.Tenant) error {
			_, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			return err
		})
		changed, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fnum", tracker.Float(2)))
		f.must(err)
		want := fullValues()
		want["fint"], want["fnum"] = tracker.Int(1), tracker.Float(2)
		if changed.Version != 3 {
			t.Errorf("version %d, want 3", changed.Version)
		}
		verify(t, f.raw, f.d, documentOf(acme, changed, "", want))
	})
	t.Run("somebody deletes it", func(t *testing.T) {
		i := f.issue(fullValues())
		between(t, i.ID, func(other *dynamo.Tenant) error { return other.PurgeIssue(t.Context(), i.ID, nil) })
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(2)))
		wantCode(t, err, tracker.NotFound, "issue")
		if left := f.raw.partition("acme/issue-p1." + i.ID.Issue); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("somebody adds an entry while it is deleted", func(t *testing.T) {
		i := f.issue(nil)
		between(t, i.ID, func(other *dynamo.Tenant) error {
			_, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			return err
		})
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
		if left := f.raw.partition("acme/issue-p1." + i.ID.Issue); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("many change different fields", func(t *testing.T) {
		i := f.issue(nil)
		var group errgroup.Group
		want := map[tracker.FieldID]tracker.Value{"fint": tracker.Int(5), "fuser": tracker.Text("Bo"), "ftags": tracker.Set([]string{"x"}), "fbool": tracker.Bool(true)}
		for id, v := range want {
			group.Go(func() error {
				_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one(id, v))
				return err
			})
		}
		f.must(group.Wait())
		got := f.read(i.ID)
		if got.Version != 5 {
			t.Errorf("version %d after 4 updates", got.Version)
		}
		verify(t, f.raw, f.d, documentOf(acme, got, "", want))
	})
	t.Run("somebody is always faster", func(t *testing.T) {
		i := f.issue(nil)
		other := f.grouping(false)
		races := 0
		f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
			if r.Operation == "TransactWriteItems" {
				races++
				if _, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(int64(races)))); err != nil {
					t.Error(err)
				}
			}
			return send(r)
		})
		defer f.wire.Intercept(nil)
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fnum", tracker.Float(2)))
		wantCode(t, err, tracker.Conflict, "too many others")
		if got := f.read(i.ID); got.Version != int64(races+1) || races < 3 || got.Values["fnum"].Kind != tracker.KindNone {
			t.Errorf("version %d after %d races, values %v", got.Version, races, got.Values)
		}
		err = f.store.DeleteIssue(t.Context(), i.ID, nil)
		wantCode(t, err, tracker.Conflict, "too many others")
		f.wire.Intercept(nil)
		got := f.read(i.ID)
		verify(t, f.raw, f.d, documentOf(acme, got, "", map[tracker.FieldID]tracker.Value{"fint": tracker.Int(int64(races))}))
	})
	t.Run("an issue that is not there", func(t *testing.T) {
		_, err := f.store.UpdateIssue(t.Context(), f.d, tracker.IssueID{Project: project, Issue: "nowhere"}, one("fint", tracker.Int(1)))
		wantCode(t, err, tracker.NotFound, "issue")
	})
}

func TestDeleteIssue(t *testing.T) {
	f := setup(t)
	stays := f.issue(fullValues())
	t.Run("with more entries than a transaction takes", func(t *testing.T) {
		values := fullValues()
		all := make([]string, 200)
		for n := range all {
			all[n] = fmt.Sprintf("m%d", n)
		}
		values["fmulti"], values["flong"] = tracker.Set(all), tracker.Text(incompressible(1<<20))
		i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "large"}, Num: 77, Name: "Large", State: "open", Values: values}
		f.must(f.store.PutIssues(t.Context(), f.d, []tracker.Issue{i}))
		verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", values))
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
		if left := f.raw.partition("acme/issue-p1.large"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
		wantCode(t, err, tracker.NotFound, "issue")
	})
	t.Run("in groups", func(t *testing.T) {
		store := f.grouping(true)
		all := make([]string, 200)
		for n := range all {
			all[n] = fmt.Sprintf("m%d", n)
		}
		i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "large"}, Num: 78, Name: "Large", State: "open",
			Values: map[tracker.FieldID]tracker.Value{"fmulti": tracker.Set(all)}}
		f.must(store.PutIssues(t.Context(), f.d, []tracker.Issue{i}))
		verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", i.Values))
		f.must(store.PurgeIssue(t.Context(), i.ID, ptr(int64(1))))
		if left := f.raw.partition("acme/issue-p1.large"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("another version than expected", func(t *testing.T) {
		before := f.raw.items("acme/")
		err := f.store.DeleteIssue(t.Context(), stays.ID, ptr(int64(2)))
		wantCode(t, err, tracker.Conflict, "version")
		if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
			t.Errorf("something was written:\n%s", diff)
		}
	})
	t.Run("that is not there", func(t *testing.T) {
		for _, version := range []*int64{nil, ptr(int64(1))} {
			err := f.store.DeleteIssue(t.Context(), tracker.IssueID{Project: project, Issue: "nowhere"}, version)
			wantCode(t, err, tracker.NotFound, "issue")
		}
	})
	verify(t, f.raw, f.d, documentOf(acme, stays, "", fullValues()))
	verifyIndex(t, f.raw, f.d, []*document{documentOf(acme, stays, "", fullValues())}, ofAcme)
}

func TestNumbersAreUnique(t *testing.T) {
	f := setup(t)
	const creates = 20
	created := make([]*tracker.Issue, creates)
	var group errgroup.Group
	for n := range created {
		group.Go(func() (err error) {
			created[n], err = f.store.CreateIssue(t.Context(), f.d, tracker.Issue{Name: "One of many", State: "open"})
			return err
		})
	}
	f.must(group.Wait())
	want := make([]int64, creates)
	for n := range want {
		want[n] = int64(n + 1)
	}
	if diff := cmp.Diff(want, nums(created)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if n, err := f.store.Counter(t.Context(), project); n != creates || err != nil {
		t.Errorf("the counter is at %d, %v", n, err)
	}
}

func TestCounter(t *testing.T) {
	f := setup(t)
	first, err := f.store.ReserveNums(t.Context(), project, 5)
	if f.must(err); first != 1 {
		t.Errorf("first number %d, want 1", first)
	}
	for _, test := range []struct{ raise, want int64 }{{3, 5}, {5, 5}, {9, 9}, {2, 9}} {
		f.must(f.store.RaiseCounter(t.Context(), project, test.raise))
		if n, err := f.store.Counter(t.Context(), project); n != test.want || err != nil {
			t.Errorf("raised to %d the counter is at %d, %v, want %d", test.raise, n, err, test.want)
		}
	}
	if i := f.issue(nil); i.Num != 10 {
		t.Errorf("next number %d, want 10", i.Num)
	}
	_, err = f.store.Counter(t.Context(), "gone")
	wantCode(t, err, tracker.NotFound, "project")
	_, err = f.store.ReserveNums(t.Context(), "gone", 1)
	wantCode(t, err, tracker.NotFound, "project")

	t.Run("ends at the greatest number", func(t *testing.T) {
		f.must(f.store.RaiseCounter(t.Context(), project, tracker.MaxNum-1))
		_, err := f.store.ReserveNums(t.Context(), project, 2)
		wantCode(t, err, tracker.NotFound, "numbers left")
		if i := f.issue(nil); i.Num != tracker.MaxNum {
			t.Errorf("last number %d, want %d", i.Num, tracker.MaxNum)
		}
		_, err = f.store.CreateIssue(t.Context(), f.d, tracker.Issue{Name: "One too many", State: "open"})
		wantCode(t, err, tracker.NotFound, "numbers left")
	})
}

// TestTransactionsThatCollide are sent again; what is refused for another reason is not.
func TestTransactionsThatCollide(t *testing.T) {
	f := setup(t)
	cancelled := func(codes ...string) *dynamotest.Answer {
		reasons := make([]map[string]string, len(codes))
		for i, code := range codes {
			reasons[i] = map[string]string{"Code": code, "Message": "internal-detail"}
		}
		body, err := json.Marshal(map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
			"Message": "Transaction cancelled, internal-detail", "CancellationReasons": reasons})
		if err != nil {
			t.Fatal(err)
		}
		return &dynamotest.Answer{Status: 400, Body: body}
	}
	for _, test := range []struct {
		name  string
		codes []string
		times int
		want  tracker.Code
		sent  int
	}{
		{"a conflict, twice", []string{"None", "TransactionConflict"}, 2, "", 3},
		{"throttled, twice", []string{"ThrottlingError", "None"}, 2, "", 3},
		{"over the throughput, once", []string{"ProvisionedThroughputExceeded"}, 1, "", 2},
		{"a conflict that does not end", []string{"TransactionConflict"}, 1000, tracker.Conflict, 9},
		{"throttling that does not end", []string{"ThrottlingError", "TransactionConflict"}, 1000, tracker.Unavailable, 9},
		{"something else", []string{"ValidationError"}, 1000, tracker.InternalErr, 1},
		{"something else beside a conflict", []string{"TransactionConflict", "ItemCollectionSizeLimitExceeded"}, 1000, tracker.InternalErr, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := f.issue(nil)
			sent := 0
			f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
				if r.Operation != "TransactWriteItems" {
					return send(r)
				}
				if sent++; sent <= test.times {
					return cancelled(test.codes...)
				}
				return send(r)
			})
			defer f.wire.Intercept(nil)
			_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(3)))
			wantCode(t, err, test.want)
			if sent != test.sent {
				t.Errorf("sent %d times, want %d", sent, test.sent)
			}
			values := map[tracker.FieldID]tracker.Value{}
			if test.want == "" {
				values["fint"] = tracker.Int(3)
			}
			f.wire.Intercept(nil)
			verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", values))
		})
	}
}

// TestIssuesWithInvalidIDs are refused before anything is sent.
func TestIssuesWithInvalidIDs(t *testing.T) {
	f := setup(t)
	for _, id := range []tracker.IssueID{
		{Project: project, Issue: "a.b"}, {Project: project, Issue: "a/b"}, {Project: project, Issue: "UP"}, {Project: project, Issue: "~0"},
		{Project: project, Issue: strings.Repeat("a", 33)}, {Project: "other", Issue: "a"}, {Project: "p1.x", Issue: "a"}, {Project: "", Issue: "a"},
	} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			f.wire.Reset()
			i := tracker.Issue{ID: id, Num: 5, Name: "x", State: "open"}
			_, err := f.store.CreateIssue(t.Context(), f.d, i)
			wantCode(t, err, tracker.BadInput, "a-z and 0-9")
			wantCode(t, f.store.PutIssues(t.Context(), f.d, []tracker.Issue{i}), tracker.BadInput, "a-z and 0-9")
			if calls := f.wire.Calls(); len(calls) > 0 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
	if _, ok := errors.AsType[*tracker.Error](f.store.PutIssues(t.Context(), f.d, nil)); ok {
		t.Error("no issues at all are an error")
	}
}
