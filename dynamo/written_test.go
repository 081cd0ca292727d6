package dynamo_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// written records the items in transactions and batches: "Put" or "Delete" and the sort key, without the
// tenant.
type written struct {
	mu   sync.Mutex
	seen []string
}

// watch installs an interceptor that records every item written through the wire.
func watch(wire *dynamotest.Wire) *written {
	w := &written{}
	wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		w.note(r)
	}))
	return w
}

// note records the items that the request writes.
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
		if rest, ok := strings.CutPrefix(sk, "xtext-"); ok { // the ID of a text is random
			parts := strings.Split(rest, ".")
			sk = "xtext-" + parts[0] + "." + parts[1] + "." + parts[3]
		}
		if rest, ok := strings.CutPrefix(sk, "xactivity-"); ok { // so are the time and the id of the issue
			parts := strings.SplitN(rest, ".", 3)
			sk = "xactivity-*." + parts[2]
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

// take returns what was written since the last call, sorted.
func (w *written) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	slices.Sort(seen)
	return seen
}

// TestOnlyWhatChangesIsWritten updates an issue that has values in all columns and compares the items on the
// wire.
func TestOnlyWhatChangesIsWritten(t *testing.T) {
	f := setup(t)
	values := fullValues()
	long := strings.Repeat("long ", 200)
	values["flong"] = tracker.Text(long)
	always := []string{"Put project-p1", "Put xvalue-p1.updated", "Put xhistory-p1.0000000002.00",
		"Put xactivity-*.version.0000000002"}
	for _, test := range []struct {
		name   string
		change tracker.Change
		more   []string // written besides the document and what every change has; nil if nothing is
	}{
		{"nothing", tracker.Change{}, nil},
		{"name and state unchanged", tracker.Change{Name: ptr("An issue"),
			State: ptr(tracker.OptionID("open"))}, nil},
		{"values unchanged", tracker.Change{Values: values}, nil},
		{"missing value removed", one("gone", tracker.Value{}), nil},
		{"missing description removed", tracker.Change{Description: ptr("")}, nil},
		{"unknown field", one("gone", tracker.Int(1)), nil},
		{"name", tracker.Change{Name: ptr("Another")}, []string{"Put xvalue-p1.name"}},
		{"name in another case", tracker.Change{Name: ptr("AN ISSUE")}, []string{}},
		{"state", tracker.Change{State: ptr(tracker.OptionID("done"))}, []string{"Put xvalue-p1.state"}},
		{"short description", tracker.Change{Description: ptr("short")}, []string{}},
		{"long description", tracker.Change{Description: &long}, []string{"Put xtext-p1.description.0"}},
		{"text", one("ftext", tracker.Text("Rejected")), []string{"Put xvalue-p1.ftext"}},
		{"text in another case", one("ftext", tracker.Text("APPROVED")), []string{}},
		{"text removed", one("ftext", tracker.Value{}), []string{"Delete xvalue-p1.ftext"}},
		{"text that grows", one("ftext", tracker.Text("Approved"+long)),
			[]string{"Put xtext-p1.ftext.0", "Put xvalue-p1.ftext"}},
		{"long text that shrinks", one("flong", tracker.Text("short")),
			[]string{"Update xtext-p1.flong.0"}},
		{"long text replaced", one("flong", tracker.Text("Other "+long)),
			[]string{"Update xtext-p1.flong.0", "Put xtext-p1.flong.0"}},
		{"long text of more parts", one("flong", tracker.Text(incompressible(1<<20))),
			[]string{"Update xtext-p1.flong.0", "Put xtext-p1.flong.0", "Put xtext-p1.flong.1",
				"Put xtext-p1.flong.2"}},
		{"integer", one("fint", tracker.Int(43)), []string{"Put xvalue-p1.fint"}},
		{"number", one("fnum", tracker.Float(-2.5)), []string{"Put xvalue-p1.fnum"}},
		{"boolean", one("fbool", tracker.Bool(false)), []string{"Put xvalue-p1.fbool"}},
		{"option added", one("fmulti", tracker.Set([]string{"m1", "m0", "m9"})),
			[]string{"Put xvalue-p1.fmulti.m9"}},
		{"option replaced", one("fmulti", tracker.Set([]string{"m1", "m2"})),
			[]string{"Put xvalue-p1.fmulti.m2", "Delete xvalue-p1.fmulti.m0"}},
		{"options in another order", one("fmulti", tracker.Set([]string{"m0", "m1"})), []string{}},
		{"tag in another case", one("ftags", tracker.Set([]string{"RED", "blue"})), []string{}},
		{"tags removed", one("ftags", tracker.Value{}),
			[]string{"Delete xvalue-p1.ftags.blue", "Delete xvalue-p1.ftags.red"}},
		{"two fields", tracker.Change{Values: map[tracker.FieldID]tracker.Value{"fint": {},
			"fuser": tracker.Text("Bo")}},
			[]string{"Delete xvalue-p1.fint", "Put xvalue-p1.fuser"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := f.issue(values)
			store, meter := f.metered(acme)
			w := watch(f.wire)
			defer f.wire.Intercept(nil)
			changed, err := store.UpdateIssue(t.Context(), f.d, i.ID, test.change)
			ok(t, err)
			var want []string
			if test.more != nil {
				want = slices.Sorted(slices.Values(slices.Concat(always, test.more)))
			}
			if diff := cmp.Diff(want, w.take()); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			version, transactions := int64(1), 0
			if want != nil {
				version, transactions = 2, 1
			}
			if changed.Version != version {
				t.Errorf("version %d, want %d", changed.Version, version)
			}
			cost := meter.Cost()
			if cost.Calls["TransactWriteItems"] != transactions || cost.Items != 1+len(want) {
				t.Errorf("%d transactions and %d items, want %d and %d", cost.Calls["TransactWriteItems"],
					cost.Items, transactions, 1+len(want))
			}
			if (cost.WCU > 0) != (want != nil) {
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
