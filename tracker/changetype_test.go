package tracker_test

import (
	"slices"
	"testing"

	"issuegrid/tracker"
)

var texts = []tracker.Value{tracker.Text("1"), tracker.Text("2024-02-29"),
	tracker.Text("2024-02-29T00:00:00Z")}

// examples has values of each type, among them those that are most likely to be converted.
var examples = map[tracker.FieldType][]tracker.Value{
	tracker.TypeText:     texts,
	tracker.TypeLongText: texts,
	tracker.TypeInteger:  {tracker.Int(0), tracker.Int(1), tracker.Int(2024), tracker.Int(20240229)},
	tracker.TypeNumber:   {tracker.Float(0), tracker.Float(1), tracker.Float(2024), tracker.Float(20240229)},
	tracker.TypeDate:     {tracker.Text("2024-02-29"), tracker.Text("0001-01-01")},
	tracker.TypeDateTime: {tracker.Text("2024-02-29T00:00:00Z"), tracker.Text("0001-01-01T00:00:00Z")},
	tracker.TypeBoolean:  {tracker.Bool(false), tracker.Bool(true)},
	tracker.TypeSelect:   {tracker.Text("one"), tracker.Text("date"), tracker.Text("time")},
	tracker.TypeMultiSelect: {tracker.Set([]string{"one"}), tracker.Set([]string{"date"}),
		tracker.Set([]string{"time"})},
	tracker.TypeTags: {tracker.Set([]string{"1"}), tracker.Set([]string{"2024-02-29"}),
		tracker.Set([]string{"2024-02-29T00:00:00Z"})},
	tracker.TypeUser: texts,
}

// TestCheckForm checks that a change of type is refused exactly if no value can be converted.
func TestCheckForm(t *testing.T) {
	options := []tracker.Option{{ID: "one", Name: "1"}, {ID: "date", Name: "2024-02-29"},
		{ID: "time", Name: "2024-02-29T00:00:00Z"}, {ID: "zero", Name: "0"}, {ID: "true", Name: "true"}}
	for _, from := range tracker.FieldTypes {
		for _, to := range tracker.FieldTypes {
			f := &tracker.Field{ID: "f", Name: "F", Type: from}
			if from.HasOptions() {
				f.Options = options
			}
			form := tracker.Form{Type: to}
			if to.HasOptions() {
				form.Options = options
			}
			changed := f.As(form)
			converts := slices.ContainsFunc(examples[from], func(v tracker.Value) bool {
				_, err := tracker.Convert(changed.From, &changed, v, "")
				return err == nil
			})
			if err := f.CheckForm(form, false); (err == nil) != converts {
				t.Errorf("%s to %s: %v, but values can be converted: %t", from, to, err, converts)
			}
			if err := f.CheckForm(form, true); err != nil {
				t.Errorf("%s to %s, removing values: %v", from, to, err)
			}
		}
	}
}
