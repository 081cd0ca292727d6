package tracker_test

import (
	"slices"
	"testing"

	"issuegrid/tracker"
)

// TestMemberChange checks the value after members are added and removed.
func TestMemberChange(t *testing.T) {
	tags := &tracker.Field{Name: "T", Type: tracker.TypeTags}
	options := &tracker.Field{Name: "O", Type: tracker.TypeMultiSelect,
		Options: []tracker.Option{{ID: "a"}, {ID: "b"}, {ID: "c"}}}
	required := &tracker.Field{Name: "R", Type: tracker.TypeTags, Required: true}
	for _, test := range []struct {
		f                  *tracker.Field
		was, add, gone, to []string
		ok                 bool
	}{
		{tags, nil, []string{"x"}, nil, []string{"x"}, true},
		{tags, []string{"x", "y"}, []string{"Z"}, []string{"X"}, []string{"y", "Z"}, true},
		{tags, []string{"Été"}, []string{"éTÉ"}, nil, []string{"Été"}, true},
		{tags, []string{"Schaden"}, []string{"Schäden"}, nil, []string{"Schaden", "Schäden"}, true},
		{tags, []string{"Maße"}, nil, []string{"Masse"}, []string{"Maße"}, true},
		{tags, []string{"x"}, []string{"X"}, []string{"x"}, []string{"X"}, true},
		{tags, []string{"x"}, nil, []string{"y"}, []string{"x"}, true},
		{tags, []string{"x"}, nil, []string{"x"}, nil, true},
		{required, []string{"x"}, nil, []string{"x"}, nil, false},
		{options, []string{"a"}, []string{"b", "a"}, nil, []string{"a", "b"}, true},
		{options, []string{"a", "b"}, []string{"c"}, []string{"A"}, []string{"a", "b", "c"}, true},
		{options, nil, []string{"x"}, nil, nil, false},
	} {
		was := slices.Clone(test.was)
		got, err := tracker.MemberChange{Add: test.add, Remove: test.gone, Path: "values[3]"}.Apply(test.f,
			tracker.Set(test.was))
		if (err == nil) != test.ok || test.ok && !slices.Equal(got.Set(), test.to) {
			t.Errorf("%q + %q - %q: %q, %v; want %q", test.was, test.add, test.gone, got.Set(), err, test.to)
		}
		for _, e := range tracker.AllOf(err) {
			if e.Path[:9] != "values[3]" {
				t.Errorf("the error %v has the path %q", e, e.Path)
			}
		}
		if !slices.Equal(was, test.was) {
			t.Errorf("the stored value was changed from %q to %q", was, test.was)
		}
	}
}

// TestOptionNamed checks how options are found by their names.
func TestOptionNamed(t *testing.T) {
	f := &tracker.Field{Options: []tracker.Option{{ID: "a", Name: "In progress"}, {ID: "b", Name: "Äpfel"},
		{ID: "c", Name: "Apfel"}}}
	for name, want := range map[string]tracker.OptionID{"In progress": "a", "in Progress": "a",
		" IN PROGRESS ": "a", "inprogress": "", "A\u0308pfel": "b",
		"Apfel": "c", "apfel": "c", "äpfel": "b", "Birne": "", "": ""} {
		o, found := f.OptionNamed(name)
		if o.ID != want || found != (want != "") {
			t.Errorf("%q: the option %q, want %q", name, o.ID, want)
		}
	}
}
