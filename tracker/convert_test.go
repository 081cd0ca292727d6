package tracker_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"issuegrid/test/tier"
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
	const (
		text, longText, user    = tracker.TypeText, tracker.TypeLongText, tracker.TypeUser
		integer, number         = tracker.TypeInteger, tracker.TypeNumber
		date, dateTime, boolean = tracker.TypeDate, tracker.TypeDateTime, tracker.TypeBoolean
		option, options, tags   = tracker.TypeSelect, tracker.TypeMultiSelect, tracker.TypeTags
	)
	type results map[tracker.FieldType]string
	forms := map[string]results{ // of values that people read so, beside the types that take any text
		"Red":        {option: `"R"`, options: `["R"]`},
		"12":         {integer: "12", number: "12", option: `"T"`, options: `["T"]`},
		"1.5":        {number: "1.5", option: `"F"`, options: `["F"]`},
		"0":          {integer: "0", number: "0", boolean: "false"},
		"1":          {integer: "1", number: "1", boolean: "true"},
		"yes":        {boolean: "true", option: `"Y"`, options: `["Y"]`},
		"Yes":        {boolean: "true", option: `"Y"`, options: `["Y"]`},
		"No":         {boolean: "false"},
		"true":       {boolean: "true", option: `"B"`, options: `["B"]`},
		"false":      {boolean: "false"},
		"2024-02-29": {date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"D"`, options: `["D"]`},
		"2024-02-29T00:00:00Z": {date: `"2024-02-29"`, dateTime: `"2024-02-29T00:00:00Z"`, option: `"I"`,
			options: `["I"]`},
		"2024-02-29T12:30:00.5Z": {date: `"2024-02-29"`, dateTime: `"2024-02-29T12:30:00.5Z"`},
		"9007199254740993":       {integer: "9007199254740993"},
		"1234567.89":             {number: "1234567.89"},
		"-0.000001":              {number: "-0.000001"},
		"1e+100":                 {number: "1e+100"},
		"Red, 12":                {tags: `["Red" "12"]`, option: `"L"`, options: `["R" "T"]`},
		"red, RED":               {tags: `["red" "RED"]`, options: `["R"]`},
	}
	type test struct {
		from  tracker.FieldType
		value tracker.Value
		long  string
		want  results
	}
	as := func(from tracker.FieldType, value tracker.Value, shown string) test {
		quoted := fmt.Sprintf("%q", shown)
		want := results{text: quoted, longText: quoted, user: quoted, tags: "[" + quoted + "]"}
		maps.Copy(want, forms[shown])
		return test{from, value, "", want}
	}
	long := tracker.LongText(tracker.Long{ID: "it", Bytes: 300, Parts: 1})
	tests := []test{
		{text, long, "Red", results{text: "long it", longText: "long it", user: `"Red"`, tags: `["Red"]`,
			option: `"R"`, options: `["R"]`}},
		{text, long, strings.Repeat("x", 300), results{text: "long it", longText: "long it"}},
		{longText, tracker.Text(" 0 "), "", results{text: `" 0 "`, longText: `" 0 "`, user: `"0"`,
			tags: `["0"]`, integer: "0", number: "0", boolean: "false"}},
		{longText, tracker.Text(" "), "", results{text: `" "`, longText: `" "`, user: "none", tags: "none"}},
		{longText, long, "12", results{text: "long it", longText: "long it", user: `"12"`, tags: `["12"]`,
			integer: "12", number: "12", option: `"T"`, options: `["T"]`}},
		{tags, tracker.Set([]string{" 12 "}), "", results{text: `" 12 "`, longText: `" 12 "`, user: `"12"`,
			tags: `["12"]`, integer: "12", number: "12", option: `"T"`, options: `["T"]`}},
		as(integer, tracker.Int(0), "0"), as(integer, tracker.Int(12), "12"),
		as(integer, tracker.Int(1<<53+1), "9007199254740993"),
		as(number, tracker.Float(1), "1"), as(number, tracker.Float(1.5), "1.5"),
		as(number, tracker.Float(12), "12"), as(number, tracker.Float(1234567.89), "1234567.89"),
		as(number, tracker.Float(-0.000001), "-0.000001"), as(number, tracker.Float(1e100), "1e+100"),
		as(number, tracker.NumLiteral("1.50"), "1.5"),
		as(boolean, tracker.Bool(true), "true"), as(boolean, tracker.Bool(false), "false"),
		as(option, tracker.Text("gone"), "gone"), as(option, tracker.Text("red"), "Red"),
		as(options, tracker.Set([]string{"red"}), "Red"),
		as(options, tracker.Set([]string{"red", "n12"}), "Red, 12"),
		as(tags, tracker.Set([]string{"red", "RED"}), "red, RED"),
		as(tags, tracker.Set([]string{"2024-02-29"}), "2024-02-29"),
		as(tags, tracker.Set([]string{"yes"}), "yes"),
	}
	for from, all := range map[tracker.FieldType][]string{text: {"Red", "12", "1.5", "No", "1", "2024-02-29"},
		longText: {"2024-02-29"}, user: {"Red", "yes", "12", "2024-02-29"}, date: {"2024-02-29"},
		dateTime: {"2024-02-29T00:00:00Z", "2024-02-29T12:30:00.5Z"}} {
		for _, s := range all {
			tests = append(tests, as(from, tracker.Text(s), s))
		}
	}
	for id, name := range map[string]string{"n12": "12", "yes": "Yes", "day": "2024-02-29"} {
		tests = append(tests, as(option, tracker.Text(id), name),
			as(options, tracker.Set([]string{id}), name))
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
		to := &tracker.Field{Name: "F", Type: tt.to, Options: renamed}
		got, err := tracker.Convert(from, to, tt.value, "")
		refused := tracker.CodeOf(err) == tracker.BadInput
		if refused != (tt.want == "") || !refused && (err != nil || formatValue(got) != tt.want) {
			t.Errorf("%s %s as %s: %s, %v; want %q or an error", tt.from, formatValue(tt.value), tt.to,
				formatValue(got), err, tt.want)
		}
	}
	to := &tracker.Field{Name: "F", Type: tracker.TypeMultiSelect, Options: renamed, Required: true}
	if _, err := tracker.Convert(&tracker.Form{Type: tracker.TypeTags}, to, tracker.Set([]string{"none"}),
		""); err == nil {
		t.Error("a tag was converted to an option that does not exist")
	}
}

// TestNoWordsAreMerged: a change of type that creates options from texts gives two texts the same option
// only if they differ in nothing but case, white space at their ends, and the form in Unicode (F4). So do new
// and renamed options. A case is a field with up to 12 texts.
func TestNoWordsAreMerged(t *testing.T) {
	letters := []rune("aAäÄsSßẞ m2²²\u0308\u00a0eéEÉиЙйハバパ\u3099１1-ﬁfi")
	text := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom(letters), 1, 6, -1), rapid.StringN(1, 5, -1),
		rapid.SampledFrom([]string{"Schaden", "Schäden", "Masse", "Maße", "m2", "m²", "database",
			"data base"}))
	merged, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range tier.PerCheck(2_000, 100_000) {
			to := &tracker.Field{ID: "f", Name: "F", Type: tracker.TypeSelect,
				From: &tracker.Form{Type: tracker.TypeText}}
			texts := map[tracker.OptionID]string{}
			for _, name := range rapid.SliceOfN(text, 1, 12).Draw(t, "texts") {
				err := to.CreateOptions(tracker.Text(name), "")
				invalid := tracker.CheckNewName("", tracker.CleanName(name)) != nil
				if (err != nil) != invalid {
					t.Fatalf("%q: %v", name, err)
				} else if invalid {
					continue
				}
				v, err := tracker.Convert(to.From, to, tracker.Text(name), "")
				if err != nil {
					t.Fatalf("%q: %v", name, err)
				}
				id := tracker.OptionID(v.Text())
				letters := norm.NFD.String(tracker.CleanName(name))
				other, taken := texts[id]
				if taken && !strings.EqualFold(other, letters) {
					t.Fatalf("%q and %q are the same option", other, letters)
				} else if taken && other != letters {
					merged++
				}
				texts[id] = letters
			}
			if len(to.Options) > 0 && edited(t, to, text) {
				refused++
			}
		}
	})
	if merged == 0 || refused == 0 {
		t.Errorf("%d texts that differ were one option, %d edits were refused", merged, refused)
	}
}

// edited adds an option or gives one another name, which is refused exactly if another option has the name,
// and reports whether it was.
func edited(t *rapid.T, f *tracker.Field, text *rapid.Generator[string]) bool {
	name := tracker.CleanName(text.Draw(t, "new name"))
	if tracker.CheckNewName("", name) != nil {
		return false
	}
	others := f.Options
	edit := func() error { return f.AddOption(tracker.Option{ID: "new", Name: name}) }
	if rapid.Bool().Draw(t, "rename") {
		n := rapid.IntRange(0, len(others)-1).Draw(t, "renamed")
		id := others[n].ID
		others = slices.Delete(slices.Clone(others), n, n+1)
		edit = func() error { return f.ChangeOption(tracker.Option{ID: id, Name: name}) }
	}
	isTaken := slices.ContainsFunc(others, func(o tracker.Option) bool {
		return strings.EqualFold(norm.NFD.String(o.Name), norm.NFD.String(name))
	})
	if err := edit(); (err != nil) != isTaken {
		t.Fatalf("%q beside %q: %v", name, others, err)
	}
	return isTaken
}
