package rows

import (
	"testing"

	"issuegrid/tracker"
)

// TestValueTypes checks that every type of custom fields is written, and that those whose stored string is
// shown are displayed as they are stored.
func TestValueTypes(t *testing.T) {
	samples := map[tracker.FieldType]tracker.Value{tracker.TypeInteger: tracker.Int(12),
		tracker.TypeDate:     tracker.Text("2024-02-29"),
		tracker.TypeDateTime: tracker.Text("2024-02-29T12:00:00Z")}
	for _, kind := range tracker.FieldTypes {
		known, ok := valueTypes[kind]
		if !ok || known.write == nil {
			t.Errorf("values of the type %s are not written", kind)
		}
		v, ok := samples[kind]
		if !ok {
			v = tracker.Text("x")
		}
		f := tracker.Field{Type: kind}
		if got := f.Display(v); known.stored && got != v.Text() {
			t.Errorf("a value of the type %s is stored as %q and displayed as %q", kind, v.Text(), got)
		}
	}
}
