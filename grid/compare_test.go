package grid

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestComparePositions compares random positions of rows and groups: the order is total, its reverse is exact
// (G1), and cursors mean the same in all directions (G2).
func TestComparePositions(t *testing.T) {
	d := tracker.NewDefinition(tracker.Project{ID: "p"}, []*tracker.Field{
		{ID: "a", Name: "A", Type: tracker.TypeInteger}, {ID: "b", Name: "B", Type: tracker.TypeInteger},
		{ID: "c", Name: "C", Type: tracker.TypeInteger}})
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var columns []OrderColumn
		for _, c := range []tracker.Column{"a", "b", "c"}[:1+r.IntN(3)] {
			o, err := NewOrderColumn(d, c, r.IntN(2) == 0, r.IntN(2) == 0)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, o)
		}
		o, err := NewOrder(columns...)
		if err != nil {
			t.Fatal(err)
		}
		position := func() Cursor {
			c := make(Cursor, 1+r.IntN(len(o)))
			for i := range c {
				part := Position{Column: o[i].Column, Num: int64(1 + r.IntN(2)), Issue: "i"}
				if part.HasValue = r.IntN(3) > 0; part.HasValue {
					part.Value = sortkey.Int(int64(r.IntN(2)))
				}
				switch {
				case i < len(c)-1:
					part = part.anchor()
				case i < len(o)-1 && r.IntN(2) == 0:
					part = o[i].start(part)
				case i < len(o)-1:
					part = o[i].End(part)
				}
				c[i] = part
			}
			parsed, err := ParseCursor(c.String(), o)
			if err != nil || parsed.String() != c.String() {
				t.Fatalf("%+v was parsed as %+v: %v", c, parsed, err)
			}
			return c
		}
		a, b, c := position(), position(), position()
		ab := o.compare(a, b)
		if ab != -o.compare(b, a) || ab <= 0 && o.compare(b, c) <= 0 && o.compare(a, c) > 0 {
			t.Fatalf("%+v: no order of %v, %v, %v", o, a, b, c)
		}
		if (ab == 0) != (a.String() == b.String()) {
			t.Fatalf("%+v: %v and %v are compared as %d", o, a, b, ab)
		}
		if back := o.reversed(); back.compare(a, b) != -ab {
			t.Fatalf("%+v: %v and %v are not reversed", o, a, b)
		}
		if !reflect.DeepEqual(o.reversed().reversed(), o) {
			t.Fatalf("%+v: the reverse of the reverse is another order", o)
		}
	}
}
