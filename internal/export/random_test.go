package export_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestRandomRoundTrip exports and imports issues with random values, and exports them again (E1, F1, F10). A
// case is a cell: each row has those of five built-in columns, and of up to four fields.
func TestRandomRoundTrip(t *testing.T) {
	f := setup(t)
	rapid.Check(t, func(r *rapid.T) {
		fields := randomFields(r)
		var issues []tracker.Issue
		for n := range (tier.PerCheck(2_000, 100_000) + 4) / 5 {
			i := tracker.Issue{ID: tracker.IssueID{Issue: fmt.Sprint("i", n)}, Num: int64(n + 1), Version: 1,
				Name:        string([]rune(tracker.Shown(text().Draw(r, "name")))),
				State:       rapid.SampledFrom([]tracker.OptionID{"a", "b", "c"}).Draw(r, "state"),
				Created:     moment().Draw(r, "created"),
				Updated:     moment().Draw(r, "updated"),
				Description: tracker.Text(text().Draw(r, "description")),
				Values:      map[tracker.FieldID]tracker.Value{}}
			for _, field := range fields {
				if v := randomValue(r, &field); v.Kind != tracker.KindNone {
					i.Values[field.ID] = v
				}
			}
			issues = append(issues, i)
		}
		f.roundTrip(f.project(fields, issues))
	})
}

// text generates strings of which many are difficult to write, and some are long texts.
func text() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringN(-1, 300, -1),
		rapid.StringOfN(rapid.SampledFrom([]rune("\"\r\n, ;a\x00\ufeffé\u2028\ufffd")), -1, 300, -1))
}

func moment() *rapid.Generator[time.Time] {
	return rapid.Map(rapid.Int64Range(-62135596800e6, 253402300799e6), time.UnixMicro)
}

// name generates a name that an option or a tag can have.
func name() *rapid.Generator[string] {
	letters := rapid.SampledFrom([]rune("\",;|a =[é🙂\\"))
	return rapid.Map(rapid.StringOfN(letters, 1, 20, -1), func(s string) string {
		return "x" + tracker.CleanName(s)
	})
}

func different(names []string) (out []string) {
	for _, n := range names {
		same := func(o string) bool { return tracker.NameKey(o) == tracker.NameKey(n) }
		if !slices.ContainsFunc(out, same) {
			out = append(out, n)
		}
	}
	return out
}

func randomFields(r *rapid.T) (fields []tracker.Field) {
	for i, n := range different(rapid.SliceOfN(name(), 1, 4).Draw(r, "fields")) {
		field := tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", i)), Name: n, Position: int64(i),
			Type: rapid.SampledFrom(tracker.FieldTypes).Draw(r, "type")}
		if field.Type.HasOptions() {
			for i, n := range different(rapid.SliceOfN(name(), 1, 5).Draw(r, "options")) {
				field.Options = append(field.Options, tracker.Option{ID: tracker.OptionID(fmt.Sprint("o", i)),
					Name: n})
			}
		}
		fields = append(fields, field)
	}
	return fields
}

// randomValue draws one of the values of the type, random texts, sets and numbers, or none.
func randomValue(r *rapid.T, f *tracker.Field) tracker.Value {
	if rapid.Bool().Draw(r, "none") {
		return tracker.Value{}
	}
	switch f.Type {
	case tracker.TypeText, tracker.TypeLongText:
		return tracker.Text(text().Draw(r, "text"))
	case tracker.TypeInteger:
		return tracker.Int(rapid.Int64().Draw(r, "integer"))
	case tracker.TypeNumber:
		return tracker.Float(rapid.Float64Range(-1e100, 1e100).Filter(func(x float64) bool {
			return x == 0 || x > tracker.MinNumber || x < -tracker.MinNumber
		}).Draw(r, "number"))
	case tracker.TypeDateTime:
		return tracker.Text(tracker.FormatDateTime(moment().Draw(r, "datetime")))
	case tracker.TypeTags:
		return tracker.Set(different(rapid.SliceOfN(name(), 1, 9).Draw(r, "tags")))
	case tracker.TypeSelect, tracker.TypeMultiSelect:
		var ids []string
		for _, o := range f.Options {
			if len(ids) == 0 || f.Type == tracker.TypeMultiSelect && rapid.Bool().Draw(r, "chosen") {
				ids = append(ids, string(o.ID))
			}
		}
		if f.Type == tracker.TypeSelect {
			return tracker.Text(ids[0])
		}
		return tracker.Set(ids)
	}
	return rapid.SampledFrom(values[f.Type]).Draw(r, "value")
}

// TestLargeTexts exports many large texts in one page, in groups of at most 8 MiB (E3).
func TestLargeTexts(t *testing.T) {
	f := setup(t)
	fields := []tracker.Field{{ID: "l", Name: "Log", Type: tracker.TypeLongText}}
	var issues []tracker.Issue
	for n := range 7 {
		// incompressible, so that each text is stored in several items
		long := strings.Repeat(fmt.Sprint("row ", n, " \"quoted\"\n"), tracker.MaxText)[:tracker.MaxText]
		issues = append(issues, tracker.Issue{ID: tracker.IssueID{Issue: fmt.Sprint("i", n)},
			Num: int64(n + 1), Version: 1, State: "a", Created: time.Unix(1, 0),
			Updated: time.Unix(2, 0), Name: "x",
			Description: tracker.Text("short"), Values: map[tracker.FieldID]tracker.Value{
				"l": tracker.Text(long)}})
	}
	d := f.project(fields, issues)
	f.wire.Reset()
	f.export(d, csvOf(""))
	// a page, and the texts in groups of four and three
	if got := f.wire.Calls(); got["BatchGetItem"] != 3 || got["Query"] != 1 {
		t.Errorf("the calls are %v", got)
	}
	f.roundTrip(d)
}
