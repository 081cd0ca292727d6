package tracker_test

import (
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestCheck has values of each type that a field can have, at the limits, and values that it can't.
func TestCheck(t *testing.T) {
	tooLong := strings.Repeat("x", tracker.MaxText+1)
	options := make([]tracker.Option, tracker.MaxOptions)
	ids := make([]string, len(options)+1)
	for i := range ids {
		if ids[i] = "o" + strings.Repeat("i", i); i < len(options) {
			options[i].ID = tracker.OptionID(ids[i])
		}
	}
	tags := make([]string, tracker.MaxTags+1)
	for i := range tags {
		tags[i] = strings.Repeat("é", i+1)
	}
	text, num, set := tracker.Text, tracker.NumLiteral, func(of ...string) tracker.Value {
		return tracker.Set(of)
	}
	long := tracker.LongText(tracker.Long{ID: "it", Bytes: 300, Parts: 1})
	type values []tracker.Value
	tests := map[tracker.FieldType]struct{ can, cannot values }{
		tracker.TypeText: {values{text("x"), text(" "), text("a\x00b"), long, text(tooLong[1:])},
			values{text(tooLong), text("a\xff")}},
		tracker.TypeLongText: {values{text("x"), long, text(tooLong[1:])},
			values{text(tooLong), text("a\xff")}},
		tracker.TypeInteger: {values{tracker.Int(0), num("9223372036854775807"), num("-9223372036854775808")},
			values{num("9223372036854775808"), num("1.5"), num("1e3"), num("007"), num("-0"), num("")}},
		tracker.TypeNumber: {values{num("0"), num("9.9e125"), num("-9.9e125"), num("1e-130"), num("1.50")},
			values{num("1e126"), num("-1e126"), num("1e-131"), num("NaN"), num("Inf"), num("x")}},
		tracker.TypeDate: {values{text("0001-01-01"), text("2024-02-29"), text("9999-12-31")},
			values{text("0000-01-01"), text("2023-02-29"), text("2024-2-29"), text("10000-01-01"),
				text("2024-02-29T00:00:00Z"), long}},
		tracker.TypeDateTime: {values{text("0001-01-01T00:00:00Z"), text("9999-12-31T23:59:59.999999Z"),
			text("2024-02-29T12:00:00.5Z")},
			values{text("0000-12-31T00:00:00Z"), text("2024-02-29"), text("2024-02-29T12:00:00+01:00"),
				text("2024-02-29T12:00:00.50Z"),
				text("2024-02-29T12:00:00.1234567Z"), text("2024-02-29T24:00:00Z"), long}},
		tracker.TypeBoolean: {values{tracker.Bool(true), tracker.Bool(false)}, nil},
		tracker.TypeSelect:  {values{text("o"), text("oi")}, values{text("x"), text("O"), long}},
		tracker.TypeMultiSelect: {values{set("o"), set(ids[:tracker.MaxOptions]...)},
			values{set("o", "o"), set("o", "x"), set(""), set(ids...)}},
		tracker.TypeTags: {values{set("x", "X"), set(tags[:tracker.MaxTags]...)},
			values{set("x", "x"), set(""), set(tags...), set(strings.Repeat("é", tracker.MaxTag+1)),
				set("a\xff"),
				set(strings.Repeat("x", 4*tracker.MaxTag+1))}},
		tracker.TypeUser: {values{text("x"), text(strings.Repeat("é", tracker.MaxUser))},
			values{text(strings.Repeat("é", tracker.MaxUser+1)), text("a\xff"),
				text(strings.Repeat("x", 4*tracker.MaxUser+1)), long}},
	}
	kinds := values{text("x"), num("1"), tracker.Bool(true), set("x")}
	for _, kind := range tracker.FieldTypes {
		tt, ok := tests[kind]
		if !ok {
			t.Errorf("tracker/check_test.go: there are no values of type %s to be checked", kind)
			continue
		}
		f := &tracker.Field{Name: "F", Type: kind}
		if kind.HasOptions() {
			f.Options = options
		}
		for _, v := range append(tt.can, tracker.Value{}) {
			if err := f.Check(v); err != nil {
				t.Errorf("%s can't be %.60s: %v", kind, said(v), err)
			}
		}
		for _, v := range tt.cannot {
			if err := f.Check(v); tracker.CodeOf(err) != tracker.BadInput ||
				tracker.AllOf(err)[0].Path != "" {
				t.Errorf("%s can be %.60s: %v", kind, said(v), err)
			}
		}
		for _, v := range kinds {
			fits := v.Kind == tt.can[0].Kind
			if kind.Fits(v) != fits {
				t.Errorf("%s fits %s: %t", kind, said(v), !fits)
			}
			if err := f.Check(v); !fits &&
				(err == nil || !strings.Contains(err.Error(), "takes values of type "+string(kind))) {
				t.Errorf("%s can be %s: %v", kind, said(v), err)
			}
		}
		f.Required = true
		if err := f.Check(tracker.Value{}); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("a required %s can be without a value: %v", kind, err)
		}
	}
}

// TestUnknownType: a type that a later version has stored is none that a field can be given, and has values
// that stay as they are.
func TestUnknownType(t *testing.T) {
	f := tracker.Field{ID: "f", Name: "F", Type: "LATER"}
	if err := (&tracker.Definition{}).CheckField(&f); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("a field can have the type LATER: %v", err)
	}
	if err := f.Check(tracker.Text("x")); err != nil || f.Display(tracker.Text("x")) != "x" {
		t.Errorf("%q, %v", f.Display(tracker.Text("x")), err)
	}
	if _, err := tracker.Convert(&tracker.Form{Type: tracker.TypeText}, &f, tracker.Text("x"),
		""); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("a text becomes a value of type LATER: %v", err)
	}
}

// TestWhileTypeChanges: while a job looks whether all values can be converted, a value that can't be is
// refused, unless the job removes such values.
func TestWhileTypeChanges(t *testing.T) {
	f := tracker.Field{Name: "F", Type: tracker.TypeText, Next: &tracker.Form{Type: tracker.TypeInteger}}
	if err := f.CheckWrite(tracker.Text("12")); err != nil {
		t.Error(err)
	}
	if err := f.CheckWrite(tracker.Text("x")); err == nil || !strings.Contains(err.Error(), "to INTEGER") {
		t.Errorf("a value that can't be converted: %v", err)
	}
	f.Removes = true
	if err := f.CheckWrite(tracker.Text("x")); err != nil {
		t.Error(err)
	}
}
