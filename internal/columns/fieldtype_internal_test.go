package columns

import (
	"bytes"
	"strings"
	"testing"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// samples has, for each type, two values in order, the displayed form of the second, and the number of
// possible values.
var samples = map[tracker.FieldType]struct {
	less, more tracker.Value
	display    string
	count      int
}{
	tracker.TypeText:     {tracker.Text("B"), tracker.Text("ça"), `"ca"`, 0},
	tracker.TypeLongText: {tracker.Text("B"), tracker.Text("ça"), `"ca"`, 0},
	tracker.TypeUser:     {tracker.Text("B"), tracker.Text("ça"), `"ca"`, 0},
	tracker.TypeInteger:  {tracker.Int(-2), tracker.Int(10), "10", 0},
	tracker.TypeNumber:   {tracker.Float(-1e100), tracker.Float(1.5), "1.5", 0},
	tracker.TypeDate:     {tracker.Text("1960-12-31"), tracker.Text("2024-02-29"), "2024-02-29", 0},
	tracker.TypeDateTime: {tracker.Text("1960-12-31T00:00:00Z"), tracker.Text("2024-02-29T12:00:00.5Z"),
		"2024-02-29T12:00:00.5Z", 0},
	tracker.TypeBoolean: {tracker.Bool(false), tracker.Bool(true), "true", 2},
	tracker.TypeSelect:  {tracker.Text("z"), tracker.Text("a"), `"Late"`, 3},
	// Sets are indexed by member and have no order.
	tracker.TypeMultiSelect: {}, tracker.TypeTags: {},
}

// TestEveryFieldType checks that each type has a rule. Types with a single value must be encoded in the kind
// of their column, in order, and in a form that Display accepts.
func TestEveryFieldType(t *testing.T) {
	for _, kind := range tracker.FieldTypes {
		s, ok := samples[kind]
		if !ok {
			t.Errorf("internal/columns/fieldtype_internal_test.go: no samples of type %s", kind)
			continue
		}
		if rule(kind) == &unknownRule {
			t.Errorf("internal/columns/fieldtype.go: the type %s has no rule", kind)
			continue
		}
		options := []tracker.Option{{ID: "z", Name: "Early"}, {ID: "a", Name: "Late"},
			{ID: "m", Name: "Never"}}
		f := tracker.Field{ID: "f", Name: "F", Type: kind, Options: options}
		d := tracker.NewDefinition(tracker.Project{}, []*tracker.Field{&f})
		if got := Count(d, "f"); got != s.count {
			t.Errorf("internal/columns/fieldtype.go: %d possible values of type %s, want %d", got, kind,
				s.count)
		}
		if kind.Kind() == tracker.KindSet {
			if got := Members(&f, tracker.Set([]string{"z", "a"})); strings.Join(got, "") == "" ||
				Textual(d, "f") || kind.Sortable() {
				t.Errorf("internal/columns/fieldtype.go: type %s: members %q, or it is textual or sortable",
					kind, got)
			}
			continue
		}
		less, more := SortValue(&f, s.less), SortValue(&f, s.more)
		if !sortkey.Valid(Kind(d, "f"), less) || !sortkey.Valid(Kind(d, "f"), more) ||
			bytes.Compare(less, more) >= 0 {
			t.Errorf("internal/columns/fieldtype.go: type %s: encoded values %x and %x are out of order or "+
				"not of kind %d", kind, less, more, Kind(d, "f"))
		}
		if got, ok := Display(d, "f", more); !ok || got != s.display {
			t.Errorf("internal/columns/fieldtype.go: type %s: displayed %s, want %s", kind, got, s.display)
		}
		if _, ok := Display(d, "f", more[:len(more)-1]); ok {
			t.Errorf("internal/columns/fieldtype.go: type %s: a truncated value is accepted", kind)
		}
		if textual := Kind(d, "f") == sortkey.KindText; Textual(d, "f") != textual {
			t.Errorf(
				"internal/columns/fieldtype.go: type %s: encoded as text: %t; compared as text: %t",
				kind, textual, !textual)
		}
	}
}

// TestUnknownType checks that values of types stored by a later version are written and read as strings.
func TestUnknownType(t *testing.T) {
	f := tracker.Field{ID: "f", Name: "F", Type: "LATER"}
	d := tracker.NewDefinition(tracker.Project{}, []*tracker.Field{&f})
	if got, ok := Display(d, "f", SortValue(&f, tracker.Text("x"))); !ok || got != `"x"` ||
		Count(d, "f") != 0 {
		t.Errorf("displayed %s, %t; %d possible values", got, ok, Count(d, "f"))
	}
}

func TestMembers(t *testing.T) {
	tags, options := tracker.Field{Type: tracker.TypeTags}, tracker.Field{Type: tracker.TypeMultiSelect}
	v := tracker.Set([]string{"b", "Ä", "a", "A"})
	if got := strings.Join(Members(&tags, v), " "); got != "a b" {
		t.Errorf("tags are indexed as %s", got)
	}
	if got := strings.Join(Members(&options, v), " "); got != "b Ä a A" {
		t.Errorf("options are indexed as %s", got)
	}
	if got := FoldTag("\u0301"); got != "\u0301" {
		t.Errorf("a tag of a combining mark is indexed as %q", got)
	}
	if long := FoldTag(strings.Repeat("\ufdfa", 100)); len(long) > maxFolded ||
		long == FoldTag(strings.Repeat("\ufdfa", 99)) {
		t.Errorf("a tag with a long folded form is indexed as %q", long)
	}
}

func TestBuiltinColumns(t *testing.T) {
	d := &tracker.Definition{Project: tracker.Project{States: []tracker.State{{ID: "a", Name: "Open"},
		{ID: "b", Name: "Done"}}}}
	at, err := tracker.ParseDateTime("2024-02-29T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	encoded := dateTime(nil, tracker.Text(at))
	issue := &tracker.Issue{Num: 7, Name: "It", State: "b"}
	for c, want := range map[tracker.Column]string{tracker.ColumnNum: "7", tracker.ColumnName: `"it"`,
		tracker.ColumnState: `"Done"`} {
		if got, ok := Display(d, c, BuiltinValue(&d.Project, issue, c)); !ok || got != want {
			t.Errorf("%s: displayed %s, want %s", c, got, want)
		}
	}
	for _, c := range []tracker.Column{tracker.ColumnCreated, tracker.ColumnUpdated} {
		if got, ok := Display(d, c, encoded); !ok || got != at {
			t.Errorf("%s: displayed %s, want %s", c, got, at)
		}
	}
	if n := Count(d, tracker.ColumnState); n != 2 {
		t.Errorf("%d possible states, want 2", n)
	}
}
