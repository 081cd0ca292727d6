package tracker_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

func TestEmailKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		email := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,20}`)).Draw(t, "email")
		if got, want := tracker.EmailKey(email), cases.Fold().String(norm.NFC.String(email)); got != want {
			t.Errorf("EmailKey(%q) = %q, want %q", email, got, want)
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
		{"c", "GRÖẞE", true}, {"c", "gro\u0308ße", true}, {"c", "due", true}, {"c", "Dué", false},
		{"c", "D ue", false}, {"c", "Grosse", false}, {"c", "Dues", false},
		{"a", "größe", false}, {"b", "DUE", false}, {"b", "Größe", true}, {"c", "ＤＵＥ", false},
	} {
		err := d.CheckField(&tracker.Field{ID: test.id, Name: test.name, Type: tracker.TypeText})
		e, _ := errors.AsType[*tracker.Error](err)
		if taken := e != nil && e.Code == tracker.Conflict && e.Path == "name"; taken != test.taken ||
			err != nil && !taken {
			t.Errorf("%s with the name %q: %v", test.id, test.name, err)
		}
	}
}

// TestNameKey checks which names are the same: those that differ only in case, in white space at their ends,
// or in the form in Unicode (F3, F4). A case is a pair of names.
func TestNameKey(t *testing.T) {
	for _, same := range [][]string{{"Due Date", "due date", " DUE DATE\u00a0", "Due Date\r\n"},
		{"Prüfung", norm.NFD.String("Prüfung"), "PRÜFUNG"}, {"groß", "GROẞ"}, {"ΟΔΟΣ", "οδοσ", "οδος"},
		{"Ёлка", "ёлка"}, {"\u0390", "Ϊ́"}, {"ǰ", "J̌"}, {"ᾳ", "ᾼ"}, {"ΚΑΙ", "και"},
		{"한글", norm.NFD.String("한글")}, {"ｄｕｅ", "ＤＵＥ"}, {"K", "k", "\u212a"}} {
		for _, name := range same {
			if got, want := tracker.NameKey(name), tracker.NameKey(same[0]); got != want {
				t.Errorf("NameKey(%q) = %q, want %q", name, got, want)
			}
		}
	}
	for _, differ := range [][]string{{"Schaden", "Schäden", "Sch äden"}, {"Masse", "Maße"}, {"m2", "m²"},
		{"database", "data base", "data  base"}, {"fix", "ﬁx"}, {"10", "１０"}, {"Ёлка", "Елка"},
		{"バス", "パス", "ハス"}, {"мой", "мои"}, {"kış", "kis"}, {"İzmir", "Izmir"}, {"ᾳ", "αι"},
		{"a", "b", ""}} {
		keys := map[string]string{}
		for _, name := range differ {
			if other, taken := keys[tracker.NameKey(name)]; taken {
				t.Errorf("%q and %q are the same", name, other)
			}
			keys[tracker.NameKey(name)] = name
		}
	}
	letters := []rune(" aAäÄsSßẞſσςΣkK\u212a\u0308иИйЙ한")
	name := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom(letters)))
	rapid.Check(t, func(t *rapid.T) {
		for range tier.PerCheck(2_000, 100_000) {
			a := name.Draw(t, "a")
			b := rapid.OneOf(name, rapid.Just(strings.ToUpper(a)), rapid.Just(norm.NFD.String(a)),
				rapid.Just(strings.ToLower(a)+" ")).Draw(t, "b")
			if strings.ContainsRune(norm.NFD.String(a+b), '\u0345') {
				continue
			}
			want := strings.EqualFold(norm.NFD.String(tracker.CleanName(a)),
				norm.NFD.String(tracker.CleanName(b)))
			if got := tracker.NameKey(a) == tracker.NameKey(b); got != want {
				t.Errorf("%q and %q: same %v, want %v", a, b, got, want)
			}
		}
	})
}

// TestLookalike checks which names people do not tell apart.
func TestLookalike(t *testing.T) {
	for _, same := range [][]string{{"Due Date", "due date", "DueDate", "Due  Date", "Due\u2003Date",
		"Düé Daté"},
		{"Äpfel", "Apfel", "A\u0308pfel"}, {"Straße", "STRASSE"}, {"ﬁx", "fix"}, {"１０", "10"},
		{"한글", norm.NFD.String("한글")}, {"क़लम", norm.NFD.String("क़लम")},
		{"שָׁלוֹם", norm.NFD.String("שָׁלוֹם")},
		{"Ωμέγα", "ωμεγα"}, {"Ёлка", "елка"}, {"é", "\u0301e\u0301"}} {
		for _, name := range same {
			if got, want := tracker.Lookalike(name), tracker.Lookalike(same[0]); got != want {
				t.Errorf("Lookalike(%q) = %q, want %q", name, got, want)
			}
		}
	}
	for _, differ := range [][2]string{{"कल", "कुल"}, {"かき", "かぎ"}, {"ハハ", "パパ"}, {"a", "b"}, {"Due", "Due-"},
		{"\u00b4", "`"}, {"กา", "กี"}, {"a.b", "ab"}} {
		if tracker.Lookalike(differ[0]) == tracker.Lookalike(differ[1]) {
			t.Errorf("Lookalike of %q and %q: both %q", differ[0], differ[1], tracker.Lookalike(differ[0]))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		for _, same := range []string{norm.NFC.String(name), norm.NFD.String(name), strings.ToUpper(name),
			name + " "} {
			iota := strings.ContainsRune(norm.NFD.String(name), '\u0345')
			if a, b := tracker.Lookalike(name), tracker.Lookalike(same); a != b && !iota &&
				cases.Fold().String(same) == cases.Fold().String(name) {
				t.Errorf("Lookalike(%q) = %q, Lookalike(%q) = %q", name, a, same, b)
			}
			if norm.NFC.String(same) == norm.NFC.String(name) &&
				tracker.Lookalike(name) != tracker.Lookalike(same) {
				t.Errorf("equivalent: Lookalike(%q) = %q, Lookalike(%q) = %q", name, tracker.Lookalike(name),
					same,
					tracker.Lookalike(same))
			}
		}
		if got := tracker.Lookalike(name); got == "" && strings.TrimSpace(name) != "" &&
			!tracker.Blank(name) {
			t.Errorf("Lookalike(%q) is empty", name)
		}
	})
}

// TestUnchangedNames checks that stored names that are the same do not prevent other changes, and that a new
// name must not be the same as another.
func TestUnchangedNames(t *testing.T) {
	stored := tracker.Project{Key: "K", Name: " K\x00",
		States: []tracker.State{{ID: "a", Name: "äpfel", Open: true},
			{ID: "b", Name: "Äpfel"}, {ID: "c", Name: "x\u200b"}}}
	changed := stored
	changed.Key = "KEY"
	if err := changed.Check(&stored); err != nil {
		t.Errorf("a change of the key: %v", err)
	}
	changed.States = append(changed.States[:2:2], tracker.State{ID: "c", Name: "ÄPFEL"})
	want := `the names "äpfel" and "ÄPFEL" differ only in case`
	if err := changed.Check(&stored); err == nil || err.Error() != want {
		t.Errorf("a new name that differs only in case: %v, want %s", err, want)
	}
	f := &tracker.Field{ID: "f", Name: "State", Type: tracker.TypeText}
	d := tracker.NewDefinition(stored, []*tracker.Field{f})
	if err := d.CheckField(&tracker.Field{ID: "f", Name: "State", Type: tracker.TypeText}); err != nil {
		t.Errorf("a change of a field with a reserved name: %v", err)
	}
	for _, name := range []string{"state", "Name ", "DESCRIPTION"} {
		if err := d.CheckField(&tracker.Field{ID: "g", Name: name, Type: tracker.TypeText}); err == nil {
			t.Errorf("a new field was named %q", name)
		}
	}
}

// TestAnOpenState checks that a project keeps an open state, and that new issues start in the first one.
func TestAnOpenState(t *testing.T) {
	closed := tracker.Project{Key: "K", Name: "K", States: []tracker.State{{ID: "a", Name: "Done"}}}
	open := closed
	open.States = append(open.States[:1:1], tracker.State{ID: "b", Name: "To do", Open: true})
	for _, test := range []struct {
		from *tracker.Project
		to   tracker.Project
		ok   bool
	}{{nil, open, true}, {nil, closed, false}, {&open, closed, false}, {&open, open, true},
		{&closed, closed, true},
		{&closed, open, true}} {
		if err := test.to.Check(test.from); (err == nil) != test.ok {
			t.Errorf("from %v to %v: %v", test.from, test.to.States, err)
		}
	}
	if got := open.FirstState(); got != "b" {
		t.Errorf("new issues start in %s", got)
	}
	if got := closed.FirstState(); got != "a" {
		t.Errorf("without an open state, new issues start in %s", got)
	}
}

// TestAllThatIsWrongWithDefinitions checks that all invalid parts are reported, each with its path.
func TestAllThatIsWrongWithDefinitions(t *testing.T) {
	paths := func(err error) (out []string) {
		for _, e := range tracker.AllOf(err) {
			out = append(out, e.Path)
		}
		return out
	}
	p := tracker.Project{Key: "k", States: []tracker.State{{ID: "a", Open: true}, {ID: "b", Name: "x"},
		{ID: "c", Name: "X"}}}
	if got, want := paths(p.Check(nil)), []string{"key", "name", "states[0].name",
		"states[2].name"}; !slices.Equal(got, want) {
		t.Errorf("a project: %q, want %q", got, want)
	}
	d := tracker.NewDefinition(p, []*tracker.Field{{ID: "taken", Name: "Taken"}})
	f := tracker.Field{ID: "f", Name: "taken", Description: strings.Repeat("x", 2001),
		Type: tracker.TypeSelect,
		Options: []tracker.Option{{ID: "a", Name: strings.Repeat("x", 256)}, {ID: "b", Name: ""},
			{ID: "c", Name: "ä"}, {ID: "d", Name: "Ä"}}}
	if got, want := paths(d.CheckField(&f)), []string{"description", "options[0].name", "options[1].name",
		"options[3].name", "name"}; !slices.Equal(got, want) {
		t.Errorf("a field: %q, want %q", got, want)
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
