package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

// problems returns the codes, the paths and the messages of errors.
func problems(err error) (out []string) {
	for _, e := range tracker.AllOf(err) {
		out = append(out, fmt.Sprintf("%s %s: %s", e.Code, e.Path, e.Message))
	}
	return out
}

// TestViewCheck checks that a view may have anything up to the limits, and that all that is beyond them is
// reported with its path.
func TestViewCheck(t *testing.T) {
	columns := make([]tracker.ViewColumn, tracker.MaxViewColumns)
	for i := range columns {
		columns[i].Column = tracker.Column(fmt.Sprint("f", i))
		columns[i].Width = tracker.MaxViewWidth
	}
	columns[0].Width, columns[1].Width = 0, tracker.MinViewWidth
	most := tracker.View{Name: strings.Repeat("n", tracker.MaxName), Shared: true, Default: true,
		Columns: columns, Filter: strings.Repeat("x", tracker.MaxViewFilter)}
	if err := most.Check(nil); err != nil {
		t.Errorf("a view at the limits: %v", err)
	}
	wrong := tracker.View{Name: "", Default: true, Filter: strings.Repeat("x", tracker.MaxViewFilter+1),
		Columns: []tracker.ViewColumn{{Column: "name", Width: tracker.MinViewWidth - 1}, {Column: "f1"},
			{Column: "name", Width: tracker.MaxViewWidth + 1}},
		Summaries: []tracker.ViewSummary{{Column: "f1"}, {Column: "name"}, {Column: "f1"}}}
	want := []string{
		"BAD_USER_INPUT name: a name must not be empty",
		"BAD_USER_INPUT isDefault: a private view can't be the default of its project; share it first",
		"BAD_USER_INPUT columns[0].width: 19 is out of range: a column is 20 to 2000 pixels wide",
		"BAD_USER_INPUT columns[2].column: the view has this column twice",
		"BAD_USER_INPUT columns[2].width: 2001 is out of range: a column is 20 to 2000 pixels wide",
		"BAD_USER_INPUT summaries[2].column: the view has a summary of this column already",
		"BAD_USER_INPUT filter: the filter has 16385 bytes, with ids for names; the limit is 16384",
	}
	if diff := cmp.Diff(want, problems(wrong.Check(nil))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	more := tracker.View{Name: "a", Columns: append(columns, tracker.ViewColumn{Column: "name"}),
		Summaries: make([]tracker.ViewSummary, tracker.MaxViewColumns+1)}
	for i := range more.Summaries {
		more.Summaries[i].Column = tracker.Column(fmt.Sprint("f", i))
	}
	want = []string{"BAD_USER_INPUT columns: 101 columns; the limit is 100",
		"BAD_USER_INPUT summaries: 101 summaries; the limit is 100"}
	if diff := cmp.Diff(want, problems(more.Check(nil))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	stored := tracker.View{Name: "a\u202e"} // before the law of names was as strict
	if err := stored.Check(&stored); err != nil {
		t.Errorf("a stored name: %v", err)
	}
}

// TestViewCheckAmong checks that names are unique in their list, and its limit.
func TestViewCheckAmong(t *testing.T) {
	others := []*tracker.View{{Name: "My bugs"}}
	for _, test := range []struct {
		name   string
		shared bool
		want   []string
	}{
		{"Bugs", false, nil},
		{"my BUGS ", false, []string{`CONFLICT name: you have a private view named "My bugs" already`}},
		{"My bugs", true, []string{`CONFLICT name: the project has a shared view named "My bugs" already`}},
	} {
		v := tracker.View{Name: test.name, Shared: test.shared}
		if diff := cmp.Diff(test.want, problems(v.CheckAmong(others))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", v, diff)
		}
	}
	others = nil
	for i := range tracker.MaxViews {
		if err := (&tracker.View{Name: "new"}).CheckAmong(others); err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
		others = append(others, &tracker.View{Name: fmt.Sprint("view ", i)})
	}
	want := []string{"BAD_USER_INPUT : you have 100 private views in the project already, which is the limit"}
	if diff := cmp.Diff(want, problems((&tracker.View{Name: "new"}).CheckAmong(others))); diff != "" {
		t.Errorf("one more (-want +got):\n%s", diff)
	}
}

// TestViewNoteName checks that long names are cut between characters.
func TestViewNoteName(t *testing.T) {
	var v tracker.View
	v.NoteName("a", strings.Repeat("é", 50))
	v.NoteName("b", strings.Repeat("é", 51))
	want := map[string]string{"a": strings.Repeat("é", 50), "b": strings.Repeat("é", 49) + "…"}
	if diff := cmp.Diff(want, v.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
