package tracker_test

import (
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestCheck checks values of each field type at the limits, and invalid values.
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
		tracker.TypeUser: {values{text("x"), text(strings.Repeat("é", tracker.MaxUser)),
			tracker.UserValue(strings.Repeat("é", 255), "u1")},
			values{text(strings.Repeat("é", tracker.MaxUser+1)), text("a\xff"),
				text(strings.Repeat("x", 4*tracker.MaxUser+1)), long}},
	}
	kinds := values{text("x"), num("1"), tracker.Bool(true), set("x")}
	for _, kind := range tracker.FieldTypes {
		tt, ok := tests[kind]
		if !ok {
			t.Errorf("tracker/check_test.go: the test has no values of type %s", kind)
			continue
		}
		f := &tracker.Field{Name: "F", Type: kind}
		if kind.HasOptions() {
			f.Options = options
		}
		for _, v := range append(tt.can, tracker.Value{}) {
			if err := f.Check(v); err != nil {
				t.Errorf("Check of a %s rejected %.60s: %v", kind, formatValue(v), err)
			}
		}
		for _, v := range tt.cannot {
			err := f.Check(v)
			if tracker.CodeOf(err) != tracker.BadInput {
				t.Errorf("Check of a %s with %.60s: got %v, want BadInput", kind, formatValue(v), err)
				continue
			}
			for _, e := range tracker.AllOf(err) {
				if e.Path != "" && (kind.Kind() != tracker.KindSet || e.Path[0] != '[') {
					t.Errorf("Check of a %s with %.60s: the error %v has the path %s", kind, formatValue(v),
						e,
						e.Path)
				}
			}
		}
		for _, v := range kinds {
			fits := v.Kind == tt.can[0].Kind
			if kind.Fits(v) != fits {
				t.Errorf("%s.Fits(%s) = %t, want %t", kind, formatValue(v), !fits, fits)
			}
			if err := f.Check(v); !fits &&
				(err == nil || !strings.Contains(err.Error(), "takes values of type "+string(kind))) {
				t.Errorf("Check of a %s with %s: got %v, want an error about the type", kind, formatValue(v),
					err)
			}
		}
		f.Required = true
		if err := f.Check(tracker.Value{}); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("Check of a required %s without a value: got %v, want BadInput", kind, err)
		}
	}
}

// TestUnknownType checks that a field cannot have the type of a later version, and that its stored values are
// kept unchanged.
func TestUnknownType(t *testing.T) {
	f := tracker.Field{ID: "f", Name: "F", Type: "LATER"}
	if err := (&tracker.Definition{}).CheckField(&f); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("CheckField with type LATER: got %v, want BadInput", err)
	}
	if err := f.Check(tracker.Text("x")); err != nil || f.Display(tracker.Text("x")) != "x" {
		t.Errorf("stored value of type LATER: Display = %q, Check error %v", f.Display(tracker.Text("x")),
			err)
	}
	if _, err := tracker.Convert(&tracker.Form{Type: tracker.TypeText}, &f, tracker.Text("x"),
		""); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("Convert to type LATER: got %v, want BadInput", err)
	}
}

// TestWhileTypeChanges checks that a value that cannot be converted is rejected while a job checks the values
// of the field, unless the job removes such values.
func TestWhileTypeChanges(t *testing.T) {
	f := tracker.Field{Name: "F", Type: tracker.TypeText, Next: &tracker.Form{Type: tracker.TypeInteger}}
	if err := f.CheckWrite(tracker.Text("12")); err != nil {
		t.Error(err)
	}
	if err := f.CheckWrite(tracker.Text("x")); err == nil || !strings.Contains(err.Error(), "to INTEGER") {
		t.Errorf("value that cannot be converted: got error %v, want one about INTEGER", err)
	}
	f.Removes = true
	if err := f.CheckWrite(tracker.Text("x")); err != nil {
		t.Error(err)
	}
}
