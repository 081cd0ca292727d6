package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestHistoryOfCreation checks that the creation of an issue is recorded with all its values, including long
// ones, and that the record is the same after the values were replaced.
//
//test:engine
func TestHistoryOfCreation(t *testing.T) {
	f := setup(t)
	values := fullValues()
	i := f.create(f.store, f.d, tracker.Issue{Name: "First", State: "doing", Values: values,
		Description: tracker.Text(strings.Repeat("long ", 100))})
	want := []tracker.ChangedColumn{{Column: tracker.ColumnName, After: tracker.Text("First")},
		{Column: tracker.ColumnState, After: tracker.Text("doing")},
		{Column: tracker.ColumnDescription, After: i.Description}}
	for id, v := range i.Values {
		want = append(want, tracker.ChangedColumn{Column: id.Column(), After: v})
	}
	for n := range want {
		want[n].Words = f.d.Words(want[n].Column, want[n].After)
	}
	slices.SortFunc(want, func(a, b tracker.ChangedColumn) int {
		return strings.Compare(string(a.Column), string(b.Column))
	})
	if len(want) != 3+len(values) || i.Description.Kind != tracker.KindLong {
		t.Fatalf("%d columns for %d values; the description is %v", len(want), len(values), i.Description)
	}
	recorded := func() tracker.Changed {
		page, _, err := f.store.History(t.Context(), i.ID, dynamo.HistoryQuery{OldestFirst: true, Limit: 1})
		f.must(err)
		return page[0]
	}
	first := recorded()
	if first.Kind != tracker.Created || first.Version != 1 {
		t.Errorf("version %d is %s", first.Version, first.Kind)
	}
	if diff := cmp.Diff(want, first.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	name, description := "Second", "short"
	f.update(f.d, i.ID,
		tracker.Change{Name: &name, Description: &description})
	if diff := cmp.Diff(first, recorded()); diff != "" {
		t.Errorf("after a change (-before +after):\n%s", diff)
	}
}

// TestCostOfCreation checks that recording the values of a new issue costs no call, and nothing up to 1 KB.
// The limits are what the embedded engine reports; one engine does not report the capacity of index writes.
func TestCostOfCreation(t *testing.T) {
	f := setup(t)
	fields := make([]*tracker.Field, tracker.MaxFields)
	for n := range fields {
		fields[n] = &tracker.Field{ID: tracker.FieldID(fmt.Sprintf("f%d", n)), Name: fmt.Sprint("Field ", n),
			Type: tracker.TypeInteger, Position: int64(n)}
	}
	d := tracker.NewDefinition(f.d.Project, fields)
	for _, test := range []struct {
		values, transactions, items int
		wcu                         float64
	}{{12, 1, 20, 56}, {tracker.MaxFields, 6, 414, 1263}} {
		values := map[tracker.FieldID]tracker.Value{}
		for _, field := range fields[:test.values] {
			values[field.ID] = tracker.Int(7)
		}
		store, meter := f.metered(acme)
		f.create(store, d, tracker.Issue{Name: "New", State: "open", Values: values})
		if cost := meter.Cost(); cost.Calls["TransactWriteItems"] != test.transactions ||
			cost.Items != test.items || cost.WCU > test.wcu || cost.WCU == 0 {
			t.Errorf("%d values: %+v, want %+v", test.values, cost, test)
		}
	}
}
