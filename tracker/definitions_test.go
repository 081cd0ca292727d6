package tracker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"issuegrid/tracker"
)

func TestFoldName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,20}`)).Draw(t, "name")
		if got, want := tracker.FoldName(name), cases.Fold().String(norm.NFC.String(name)); got != want {
			t.Errorf("%q folds to %q, want %q", name, got, want)
		}
	})
}

func TestCheckFieldRefusesATakenName(t *testing.T) {
	d := tracker.NewDefinition(tracker.Project{}, []*tracker.Field{{ID: "a", Name: "Größe"}, {ID: "b", Name: "Due"}})
	for _, test := range []struct {
		id    tracker.FieldID
		name  string
		taken bool
	}{
		{"c", "GRÖSSE", true}, {"c", "gro\u0308ße", true}, {"c", "due", true}, {"c", "Dué", false}, {"c", "Groesse", false},
		{"a", "größe", false}, {"b", "DUE", false}, {"b", "Größe", true},
	} {
		err := d.CheckField(&tracker.Field{ID: test.id, Name: test.name, Type: tracker.TypeText})
		e, _ := errors.AsType[*tracker.Error](err)
		if taken := e != nil && e.Code == tracker.Conflict && e.Path == "name"; taken != test.taken || err != nil && !taken {
			t.Errorf("%s with the name %q: %v", test.id, test.name, err)
		}
	}
}

// TestCheckFieldFoldsEachNameOnce counts allocations, of which folding a name with a letter outside of ASCII makes at least one.
func TestCheckFieldFoldsEachNameOnce(t *testing.T) {
	fields := make([]*tracker.Field, tracker.MaxFields-1)
	for i := range fields {
		fields[i] = &tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", i)), Name: fmt.Sprint(strings.Repeat("\u0344", 240), i)}
	}
	d := tracker.NewDefinition(tracker.Project{}, fields)
	another := &tracker.Field{ID: "new", Name: strings.Repeat("\u0344", 240), Type: tracker.TypeText}
	if got := testing.AllocsPerRun(5, func() {
		if err := d.CheckField(another); err != nil {
			t.Error(err)
		}
	}); got >= tracker.MaxFields {
		t.Errorf("%g allocations to check one name against %d others", got, len(fields))
	}
}
