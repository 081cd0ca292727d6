package tracker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// formatValue formats a value so that its kind is visible: a string in quotes, a literal, true or false, or a
// set in brackets.
func formatValue(v tracker.Value) string {
	switch v.Kind {
	case tracker.KindNone:
		return "none"
	case tracker.KindText:
		return fmt.Sprintf("%q", v.Text())
	case tracker.KindSet:
		return fmt.Sprintf("%q", v.Set())
	case tracker.KindLong:
		return "long " + v.Long().ID
	}
	return v.Literal()
}

var (
	oldOptions = []tracker.Option{{ID: "red", Name: "Red"}, {ID: "n12", Name: "12"}, {ID: "yes", Name: "Yes"},
		{ID: "day", Name: "2024-02-29"}}
	newOptions = []tracker.Option{{ID: "R", Name: "RED"}, {ID: "T", Name: "12"}, {ID: "Y", Name: "yes"},
		{ID: "D", Name: "2024-02-29"},
		{ID: "I", Name: "2024-02-29T00:00:00Z"}, {ID: "F", Name: "1.5"}, {ID: "B", Name: "true"},
		{ID: "L", Name: "Red, 12"}}
)

// TestConvert converts values of each type to each type. A type that is missing in want rejects the value.
func TestConvert(t *testing.T) {
	type results map[tracker.FieldType]string
	texts := func(text string, more results) results {
		out := results{}
		for _, to := range []tracker.FieldType{tracker.TypeText, tracker.TypeLongText, tracker.TypeUser} {
			out[to] = fmt.Sprintf("%q", text)
		}
		out[tracker.TypeTags] = fmt.Sprintf("%q", []string{text})
		for to, want := range more {
			out[to] = want
		}
		return out
	}
	const (
		integer, number, date, dateTime = tracker.TypeInteger, tracker.TypeNumber, tracker.TypeDate,
			tracker.TypeDateTime
		boolean, option, options = tracker.TypeBoolean, tracker.TypeSelect, tracker.TypeMultiSelect
	)
	long := tracker.LongText(tracker.Long{ID: "it", Bytes: 300, Parts: 1})
	tests := []struct {
		from  tracker.FieldType
		value tracker.Value
		long  string
		want  results
	}{
		{tracker.TypeText, tracker.Text("Red"), "", texts("Red", results{option: `"R"`, options: `["R"]`})},
		{tracker.TypeText, tracker.Text("12"), "",
			texts("12", results{integer: "12", number: "12", option: `"T"`, options: `["T"]`})},
		{tracker.TypeText, tracker.Text("1.5"), "",
			texts("1.5", results{number: "1.5", option: `"F"`, options: `["F"]`})},
		{tracker.TypeText, tracker.Text("No"), "", texts("No", results{boolean: "false"})},
		{tracker.TypeText, tracker.Text("1"), "",
			texts("1", results{integer: "1", number: "1", boolean: "true"})},
		{tracker.TypeText, long, "Red",
			results{tracker.TypeText: "long it", tracker.TypeLongText: "long it", tracker.TypeUser: `"Red"`,
				tracker.TypeTags: `["Red"]`, option: `"R"`, options: `["R"]`}},
		{tracker.TypeText, long, strings.Repeat("x", 300),
			results{tracker.TypeText: "long it", tracker.TypeLongText: "long it"}},
		{tracker.TypeLongText, tracker.Text(" 0 "), "",
			results{tracker.TypeText: `" 0 "`, tracker.TypeLongText: `" 0 "`, tracker.TypeUser: `"0"`,
				tracker.TypeTags: `["0"]`, integer: "0", number: "0", boolean: "false"}},
		{tracker.TypeLongText, tracker.Text(" "), "",
			results{tracker.TypeText: `" "`, tracker.TypeLongText: `" "`,
				tracker.TypeUser: "none", tracker.TypeTags: "none"}},
		{tracker.TypeLongText, tracker.Text("2024-02-29"), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
		{tracker.TypeLongText, long, "12",
			results{tracker.TypeText: "long it", tracker.TypeLongText: "long it", tracker.TypeUser: `"12"`,
				tracker.TypeTags: `["12"]`, integer: "12", number: "12", option: `"T"`, options: `["T"]`}},
		{integer, tracker.Int(12), "",
			texts("12", results{integer: "12", number: "12", option: `"T"`, options: `["T"]`})},
		{integer, tracker.Int(1<<53 + 1), "",
			texts("9007199254740993", results{integer: "9007199254740993"})},
		{number, tracker.Float(1.5), "",
			texts("1.5", results{number: "1.5", option: `"F"`, options: `["F"]`})},
		{number, tracker.Float(12), "",
			texts("12", results{integer: "12", number: "12", option: `"T"`, options: `["T"]`})},
		{number, tracker.Float(1234567.89), "",
			texts("1234567.89", results{number: "1234567.89"})},
		{number, tracker.Float(-0.000001), "", texts("-0.000001", results{number: "-0.000001"})},
		{number, tracker.Float(1e100), "", texts("1e+100", results{number: "1e+100"})},
		{number, tracker.NumLiteral("1.50"), "",
			texts("1.5", results{number: "1.5", option: `"F"`, options: `["F"]`})},
		{date, tracker.Text("2024-02-29"), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
		{dateTime, tracker.Text("2024-02-29T00:00:00Z"), "", texts("2024-02-29T00:00:00Z",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"I"`,
				options: `["I"]`})},
		{dateTime, tracker.Text("2024-02-29T12:30:00.5Z"), "", texts("2024-02-29T12:30:00.5Z",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T12:30:00.5Z"`})},
		{boolean, tracker.Bool(true), "",
			texts("true", results{boolean: "true", option: `"B"`, options: `["B"]`})},
		{boolean, tracker.Bool(false), "", texts("false", results{boolean: "false"})},
		{option, tracker.Text("red"), "", texts("Red", results{option: `"R"`, options: `["R"]`})},
		{option, tracker.Text("n12"), "",
			texts("12", results{integer: "12", number: "12", option: `"T"`, options: `["T"]`})},
		{option, tracker.Text("yes"), "",
			texts("Yes", results{boolean: "true", option: `"Y"`, options: `["Y"]`})},
		{option, tracker.Text("day"), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
		{option, tracker.Text("gone"), "", texts("gone", nil)},
		{options, tracker.Set([]string{"red"}), "", texts("Red", results{option: `"R"`, options: `["R"]`})},
		{options, tracker.Set([]string{"red", "n12"}), "", texts("Red, 12",
			results{tracker.TypeTags: `["Red" "12"]`, option: `"L"`, options: `["R" "T"]`})},
		{tracker.TypeTags, tracker.Set([]string{"red", "RED"}), "", texts("red, RED",
			results{tracker.TypeTags: `["red" "RED"]`, options: `["R"]`})},
		{tracker.TypeTags, tracker.Set([]string{" 12 "}), "",
			results{tracker.TypeText: `" 12 "`, tracker.TypeLongText: `" 12 "`,
				tracker.TypeUser: `"12"`, tracker.TypeTags: `["12"]`, integer: "12", number: "12",
				option:  `"T"`,
				options: `["T"]`}},
		{tracker.TypeUser, tracker.Text("Red"), "", texts("Red", results{option: `"R"`, options: `["R"]`})},
		{tracker.TypeUser, tracker.Text("yes"), "",
			texts("yes", results{boolean: "true", option: `"Y"`, options: `["Y"]`})},
		{tracker.TypeText, tracker.Text("2024-02-29"), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
		{integer, tracker.Int(0), "", texts("0",
			results{integer: "0", number: "0", boolean: "false"})},
		{number, tracker.Float(1), "", texts("1",
			results{integer: "1", number: "1", boolean: "true"})},
		{options, tracker.Set([]string{"n12"}), "", texts("12",
			results{integer: "12", number: "12", option: `"T"`, options: `["T"]`})},
		{options, tracker.Set([]string{"day"}), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
		{options, tracker.Set([]string{"yes"}), "", texts("Yes",
			results{boolean: "true", option: `"Y"`, options: `["Y"]`})},
		{tracker.TypeTags, tracker.Set([]string{"2024-02-29"}), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
		{tracker.TypeTags, tracker.Set([]string{"yes"}), "", texts("yes",
			results{boolean: "true", option: `"Y"`, options: `["Y"]`})},
		{tracker.TypeUser, tracker.Text("12"), "", texts("12",
			results{integer: "12", number: "12", option: `"T"`, options: `["T"]`})},
		{tracker.TypeUser, tracker.Text("2024-02-29"), "", texts("2024-02-29",
			results{date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`,
				options: `["D"]`})},
	}
	// whether a pair of types had a value that converts, and one that does not
	reached := map[[2]tracker.FieldType][2]bool{}
	for _, tt := range tests {
		for _, to := range tracker.FieldTypes {
			from := &tracker.Form{Type: tt.from}
			if tt.from.HasOptions() {
				from.Options = oldOptions
			}
			field := &tracker.Field{Name: "F", Type: to}
			if to.HasOptions() {
				field.Options = newOptions
			}
			got, err := tracker.Convert(from, field, tt.value, tt.long)
			want, can := tt.want[to]
			pair := [2]tracker.FieldType{tt.from, to}
			seen := reached[pair]
			seen[0], seen[1] = seen[0] || can, seen[1] || !can
			reached[pair] = seen
			switch {
			case !can && tracker.CodeOf(err) != tracker.BadInput:
				t.Errorf("%s %s as %s: %s, %v; want an error", tt.from, formatValue(tt.value), to,
					formatValue(got), err)
			case can && (err != nil || formatValue(got) != want):
				t.Errorf("%s %s as %s: %s, %v; want %s", tt.from, formatValue(tt.value), to, formatValue(got),
					err, want)
			}
		}
	}
	never := func(from, to tracker.FieldType) bool { // whether no value of the type can be converted
		numbers, times := []tracker.FieldType{integer, number}, []tracker.FieldType{date, dateTime}
		return slices.Contains(numbers, from) && slices.Contains(times, to) || slices.Contains(times, from) &&
			slices.Contains(numbers, to) ||
			from == boolean && (slices.Contains(numbers, to) || slices.Contains(times, to)) ||
			to == boolean && slices.Contains(times, from)
	}
	for _, from := range tracker.FieldTypes {
		for _, to := range tracker.FieldTypes {
			if seen := reached[[2]tracker.FieldType{from, to}]; !seen[0] && !never(from, to) {
				t.Errorf("the test has no value of type %s that converts to type %s", from, to)
			}
		}
	}
}

// TestConvertOptions checks that values keep their option ids if the new field has all options of the old
// one, even if they are renamed.
func TestConvertOptions(t *testing.T) {
	renamed := []tracker.Option{{ID: "b", Name: "Two"}, {ID: "a", Name: "One"}, {ID: "c", Name: "Three"}}
	one, many := tracker.TypeSelect, tracker.TypeMultiSelect
	for _, tt := range []struct {
		from, to tracker.FieldType
		value    tracker.Value
		want     string // empty for an error
	}{
		{one, one, tracker.Text("a"), `"a"`},
		{one, many, tracker.Text("a"), `["a"]`},
		{many, one, tracker.Set([]string{"b"}), `"b"`},
		{many, one, tracker.Set([]string{"b", "a"}), ""},
		{many, many, tracker.Set([]string{"b", "a"}), `["b" "a"]`},
		{one, one, tracker.Text("gone"), ""},
		{one, one, tracker.Value{}, "none"},
	} {
		from := &tracker.Form{Type: tt.from,
			Options: []tracker.Option{{ID: "a", Name: "A"}, {ID: "b", Name: "B"}}}
		got, err := tracker.Convert(from, &tracker.Field{Name: "F", Type: tt.to, Options: renamed}, tt.value,
			"")
		if tt.want == "" {
			if tracker.CodeOf(err) != tracker.BadInput {
				t.Errorf("%s %s as %s: %s, %v; want an error", tt.from, formatValue(tt.value), tt.to,
					formatValue(got),
					err)
			}
		} else if err != nil || formatValue(got) != tt.want {
			t.Errorf("%s %s as %s: %s, %v; want %s", tt.from, formatValue(tt.value), tt.to, formatValue(got),
				err, tt.want)
		}
	}
	to := &tracker.Field{Name: "F", Type: tracker.TypeMultiSelect, Options: renamed, Required: true}
	if _, err := tracker.Convert(&tracker.Form{Type: tracker.TypeTags}, to, tracker.Set([]string{"none"}),
		""); err == nil {
		t.Error("a tag was converted to an option that does not exist")
	}
}
