package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

// lines shows changes, one in each line.
func lines(all []tracker.PartChange) (out []string) {
	for _, c := range all {
		line := fmt.Sprintf("%s %s %s", c.Part, c.Change, c.Name)
		if c.FieldName != "" {
			line += " of " + c.FieldName
		}
		for _, p := range c.Properties {
			line += fmt.Sprintf(", %s %q to %q", p.Property, p.Before, p.After)
		}
		out = append(out, line)
	}
	return out
}

func options(names ...string) (all []tracker.Option) {
	for _, name := range names {
		all = append(all, tracker.Option{ID: tracker.OptionID(strings.ToLower(name)), Name: name})
	}
	return all
}

func TestChangesOfProjects(t *testing.T) {
	states := []tracker.State{{ID: "o", Name: "Open", Open: true, Color: "red"}, {ID: "c", Name: "Closed"}}
	old := &tracker.Project{Key: "ONE", Name: "One", States: states}
	merged := *old
	merged.States, merged.Merged = states[:1], map[tracker.OptionID]tracker.OptionID{"c": "o"}
	renamed := *old
	renamed.Key, renamed.Name = "TWO", "Two"
	closed := *old
	closed.States = []tracker.State{{ID: "o", Name: "Done"}, states[1]}
	for _, test := range []struct {
		name     string
		old, new *tracker.Project
		want     []string
	}{
		{"created", nil, old, []string{`PROJECT CREATED One, KEY "" to "ONE", NAME "" to "One"`,
			`STATE CREATED Open, NAME "" to "Open", OPEN "" to "true", COLOR "" to "red"`,
			`STATE CREATED Closed, NAME "" to "Closed", OPEN "" to "false"`}},
		{"the same", old, old, nil},
		{"renamed", old, &renamed, []string{`PROJECT UPDATED Two, KEY "ONE" to "TWO", NAME "One" to "Two"`}},
		{"a state", old, &closed, []string{
			`STATE UPDATED Done, NAME "Open" to "Done", OPEN "true" to "false", COLOR "red" to ""`}},
		{"merged", old, &merged, []string{`STATE MERGED Closed, INTO "" to "Open"`}},
	} {
		if diff := cmp.Diff(test.want, lines(test.new.ChangesOf(test.old))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestChangesOfFields(t *testing.T) {
	old := &tracker.Field{ID: "f", Name: "Size", Type: tracker.TypeSelect, Position: 1,
		Options: options("A", "B", "C", "D")}
	with := func(change func(*tracker.Field)) *tracker.Field {
		f := *old
		change(&f)
		return &f
	}
	long := strings.Repeat("ä", 300)
	for _, test := range []struct {
		name     string
		old, new *tracker.Field
		want     []string
	}{
		{"created", nil, with(func(f *tracker.Field) { f.Options = options("A") }), []string{
			`FIELD CREATED Size, NAME "" to "Size", TYPE "" to "SELECT", REQUIRED "" to "false", ` +
				`ARCHIVED "" to "false", POSITION "" to "1"`,
			`OPTION CREATED A of Size, NAME "" to "A"`}},
		{"the same", old, old, nil},
		{"archived", old, with(func(f *tracker.Field) { f.Archived, f.Required = true, true }),
			[]string{`FIELD UPDATED Size, REQUIRED "false" to "true", ARCHIVED "false" to "true"`}},
		{"a long description", old, with(func(f *tracker.Field) { f.Description = long }),
			[]string{`FIELD UPDATED Size, DESCRIPTION "" to "` + long[:254*2] + `…"`}},
		{"another type", old, with(func(f *tracker.Field) { f.Type, f.Options = tracker.TypeText, nil }),
			[]string{`FIELD UPDATED Size, TYPE "SELECT" to "TEXT"`, "OPTION DELETED A of Size",
				"OPTION DELETED B of Size", "OPTION DELETED C of Size", "OPTION DELETED D of Size"}},
		{"moved back", old, with(func(f *tracker.Field) { f.Options = options("B", "C", "D", "A") }),
			[]string{`OPTION MOVED A of Size, PLACE "1" to "4"`}},
		{"moved forward", old, with(func(f *tracker.Field) { f.Options = options("A", "D", "B", "C") }),
			[]string{`OPTION MOVED D of Size, PLACE "4" to "2"`}},
		{"swapped", old, with(func(f *tracker.Field) { f.Options = options("A", "C", "B", "D") }),
			[]string{`OPTION MOVED B of Size, PLACE "2" to "3"`}},
		{"reversed", old, with(func(f *tracker.Field) { f.Options = options("D", "C", "B", "A") }),
			[]string{`OPTION MOVED D of Size, PLACE "4" to "1"`, `OPTION MOVED C of Size, PLACE "3" to "2"`,
				`OPTION MOVED B of Size, PLACE "2" to "3"`, `OPTION MOVED A of Size, PLACE "1" to "4"`}},
		{"added in between", old,
			with(func(f *tracker.Field) { f.Options = options("A", "X", "B", "C", "D") }),
			[]string{`OPTION CREATED X of Size, NAME "" to "X"`}},
		{"merged and removed", old, with(func(f *tracker.Field) {
			f.Options = options("B", "D")
			f.Merged = map[tracker.OptionID]tracker.OptionID{"a": "d", "c": ""}
		}), []string{`OPTION MERGED A of Size, INTO "" to "D"`, "OPTION DELETED C of Size"}},
	} {
		if diff := cmp.Diff(test.want, lines(test.new.ChangesOf(test.old))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	want := []string{`FIELD DELETED Size, TYPE "SELECT" to ""`}
	if diff := cmp.Diff(want, lines(old.Deletion())); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
}

// TestProjectChangesAreBounded checks the limits of an entry, with the longest names.
func TestProjectChangesAreBounded(t *testing.T) {
	for _, name := range []string{"x", strings.Repeat("𝔛", tracker.MaxName)} {
		f := &tracker.Field{ID: "f", Name: name, Type: tracker.TypeSelect}
		for n := range tracker.MaxOptions {
			f.Options = append(f.Options, tracker.Option{ID: tracker.OptionID(fmt.Sprint(n)), Name: name})
		}
		var c tracker.ProjectChange
		c.SetParts(f.ChangesOf(nil))
		bytes := 0
		for _, p := range c.Parts {
			bytes += len(fmt.Sprint(p))
		}
		if n := len(c.Parts); n == 0 || n > tracker.MaxPartChanges || n+c.Omitted != tracker.MaxOptions+1 ||
			bytes > 250_000 {
			t.Errorf("names of %d bytes: %d parts of %d bytes, %d omitted", len(name), n, bytes, c.Omitted)
		}
	}
}
