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
			t.Errorf("FoldName(%q) = %q, want %q", name, got, want)
		}
	})
}

func TestCheckFieldRefusesATakenName(t *testing.T) {
	d := tracker.NewDefinition(tracker.Project{},
		[]*tracker.Field{{ID: "a", Name: "Größe"}, {ID: "b", Name: "Due"}})
	for _, test := range []struct {
		id    tracker.FieldID
		name  string
		taken bool
	}{
		{"c", "GRÖSSE", true}, {"c", "gro\u0308ße", true}, {"c", "due", true}, {"c", "Dué", false},
		{"c", "Groesse", false},
		{"a", "größe", false}, {"b", "DUE", false}, {"b", "Größe", true},
		{"c", "ＤＵＥ", true}, {"c", "Ｇröße", true}, {"c", "ᴰᵘᵉ", true}, {"b", "ＤＵＥ", false},
	} {
		err := d.CheckField(&tracker.Field{ID: test.id, Name: test.name, Type: tracker.TypeText})
		e, _ := errors.AsType[*tracker.Error](err)
		if taken := e != nil && e.Code == tracker.Conflict && e.Path == "name"; taken != test.taken ||
			err != nil && !taken {
			t.Errorf("%s with the name %q: %v", test.id, test.name, err)
		}
	}
}

// TestCheckFieldFoldsEachNameOnce counts allocations. Folding a name that is not ASCII makes at least one.
func TestCheckFieldFoldsEachNameOnce(t *testing.T) {
	fields := make([]*tracker.Field, tracker.MaxFields-1)
	for i := range fields {
		fields[i] = &tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", i)),
			Name: fmt.Sprint(strings.Repeat("\u0344", 240), i)}
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

// TestNamesThatLookAlike checks that names of states and options that differ only in compatibility variants
// are duplicates.
func TestNamesThatLookAlike(t *testing.T) {
	p := tracker.Project{Key: "K", Name: "K",
		States: []tracker.State{{ID: "a", Name: "Office"}, {ID: "b", Name: "O\ufb03ce"}}}
	if err := p.Check(); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("states: %v", err)
	}
	f := &tracker.Field{ID: "f", Name: "F", Type: tracker.TypeSelect,
		Options: []tracker.Option{{ID: "a", Name: "10"}, {ID: "b", Name: "１０"}}}
	if err := tracker.NewDefinition(p, nil).CheckField(f); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("options: %v", err)
	}
}

// TestDefinitionsAreBounded checks that a field is rejected if it grows the definition beyond MaxDefinition,
// and accepted if it shrinks the definition.
func TestDefinitionsAreBounded(t *testing.T) {
	options := func(n int) (out []tracker.Option) {
		for i := range n {
			out = append(out, tracker.Option{ID: tracker.OptionID(fmt.Sprint("o", i)),
				Name: fmt.Sprint(strings.Repeat("x", 240), i)})
		}
		return out
	}
	var fields []*tracker.Field
	for n := range 53 { // about 150 KB each
		fields = append(fields, &tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", n)),
			Name: fmt.Sprint("F", n), Type: tracker.TypeSelect, Options: options(500)})
	}
	d := tracker.NewDefinition(tracker.Project{}, fields)
	if d.Bytes() > tracker.MaxDefinition || d.Bytes() < tracker.MaxDefinition-200<<10 {
		t.Fatalf("the definition has %d bytes, want slightly less than MaxDefinition", d.Bytes())
	}
	for n, ok := range map[int]bool{10: true, 500: false} {
		err := d.CheckField(&tracker.Field{ID: "new", Name: "New", Type: tracker.TypeSelect,
			Options: options(n)})
		if e, bad := errors.AsType[*tracker.Error](err); bad == ok || bad &&
			(e.Code != tracker.BadInput || e.Path != "options" || !strings.Contains(e.Message, "8388608")) {
			t.Errorf("%d options: %v", n, err)
		}
	}
	full := tracker.NewDefinition(tracker.Project{}, append(fields, fields...))
	if err := full.CheckField(&tracker.Field{ID: "f1", Name: "F1", Type: tracker.TypeSelect,
		Options: options(499)}); err != nil {
		t.Errorf("a field that shrinks was rejected: %v", err)
	}
}
