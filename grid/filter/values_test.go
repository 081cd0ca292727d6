package filter_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
)

// domain is a model of the values of one kind: Go values with an order, and their encoding.
type domain struct {
	name    string
	kind    sortkey.Kind
	pool    []any                 // few values, so that bounds coincide with values and each other
	wide    *rapid.Generator[any] // nil if there are no values outside of pool
	encode  func(any) sortkey.Value
	compare func(a, b any) int
}

func (d *domain) draw(t *rapid.T, label string) any {
	if d.wide != nil && rapid.IntRange(0, 3).Draw(t, label+" wide") == 0 {
		return d.wide.Draw(t, label)
	}
	return rapid.SampledFrom(d.pool).Draw(t, label)
}

// maxComparable is the number of bytes of a folded text that are compared. NUL and 0xff count twice.
const maxComparable = 958

// comparablePart returns the part of the folded text that is compared. It does not depend on the
// implementation in sortkey.
func comparablePart(s string) string {
	folded, remaining := fold.String(s), maxComparable
	for i := range len(folded) {
		if remaining--; folded[i] == 0 || folded[i] == 0xff {
			remaining--
		}
		if remaining < 0 {
			return folded[:i]
		}
	}
	return folded
}

// alphabet has every class of character that the order of texts treats specially. It includes U+FDFA because
// it folds to 18 characters.
var alphabet = []rune("aAbBÉé\x00\x01\u0301ßﬁ日ÿ\ufdfa\U0010ffff")

var texts = &domain{
	name: "text", kind: sortkey.KindText,
	pool: []any{"", "a", "A", "á", "a\x00", "a\x00\x01", "ab", "Éclair", "\x00", "\u0301", "\xff", "a\xff",
		"\x01", "ß", "\U0010ffff",
		strings.Repeat("x", maxComparable), strings.Repeat("x", maxComparable-1),
		strings.Repeat("x", maxComparable) + "y",
		strings.Repeat("\x00", maxComparable/2), strings.Repeat("x", maxComparable-1) + "é",
		strings.Repeat("x", maxComparable-1) + "\x00"},
	wide: rapid.OneOf(rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 5, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string {
			return string(b)
		}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"a", "\x00", "日", "é", "\ufdfa"}).Draw(t,
				"unit"), rapid.IntRange(310, 970).Draw(t, "times")) +
				rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 3, -1).Draw(t, "end")
		})).AsAny(),
	encode: func(v any) sortkey.Value { return sortkey.Text(v.(string)) },
	compare: func(a, b any) int {
		return strings.Compare(comparablePart(a.(string)), comparablePart(b.(string)))
	},
}

// The pool has values on both sides of every point where the encoding becomes longer or its last byte wraps
// around.
var ints = &domain{
	name: "int", kind: sortkey.KindInt,
	pool: []any{int64(math.MinInt64), int64(-8193), int64(-8192), int64(-257), int64(-256), int64(-65),
		int64(-64), int64(-1), int64(0), int64(1), int64(2),
		int64(63), int64(64), int64(255), int64(256), int64(8191), int64(8192), int64(math.MaxInt64 - 1),
		int64(math.MaxInt64)},
	wide:    rapid.Int64().AsAny(),
	encode:  func(v any) sortkey.Value { return sortkey.Int(v.(int64)) },
	compare: func(a, b any) int { return cmp.Compare(a.(int64), b.(int64)) },
}

var floats = &domain{
	name: "float", kind: sortkey.KindFloat,
	pool: []any{-math.MaxFloat64, -1e9, -1.0, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0.0,
		math.SmallestNonzeroFloat64, 0.25, 1.0,
		math.Nextafter(1, 2), 3e40, math.MaxFloat64},
	wide: rapid.Float64().Filter(func(f float64) bool {
		return !math.IsNaN(f) && !math.IsInf(f, 0)
	}).AsAny(),
	encode:  func(v any) sortkey.Value { return sortkey.Float(v.(float64)) },
	compare: func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) },
}

var domains = []*domain{texts, ints, floats}

// set is a set of values together with its model.
type set struct {
	values filter.Values
	has    func(v any) bool // including nil, which is "no value"
	text   string
	bounds []any // the values in the definition of the set
}

func show(v any) string {
	if s, ok := v.(string); ok && len(s) > 20 {
		return fmt.Sprintf("%.10q...%q (%d bytes)", s, s[len(s)-5:], len(s))
	}
	return fmt.Sprintf("%#v", v)
}

func (d *domain) set(t *rapid.T, depth int) set {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return d.simple(t)
	}
	a := d.set(t, depth-1)
	op := rapid.SampledFrom([]string{"and", "or", "not"}).Draw(t, "op")
	if op == "not" {
		return set{a.values.Not(), func(v any) bool { return !a.has(v) }, "not " + a.text, a.bounds}
	}
	b := d.set(t, depth-1)
	out := set{text: "(" + a.text + " " + op + " " + b.text + ")", bounds: slices.Concat(a.bounds, b.bounds)}
	if op == "and" {
		out.values, out.has = a.values.And(b.values), func(v any) bool { return a.has(v) && b.has(v) }
	} else {
		out.values, out.has = a.values.Or(b.values), func(v any) bool { return a.has(v) || b.has(v) }
	}
	return out
}

func (d *domain) simple(t *rapid.T) set {
	ops := []string{"eq", "lt", "gt", "lte", "gte", "eq", "null", "any", "nothing"}
	if d.kind == sortkey.KindText {
		ops = append([]string{"startsWith"}, ops...)
	}
	op := rapid.SampledFrom(ops).Draw(t, "simple")
	switch op {
	case "any":
		return set{filter.Any(), func(v any) bool { return v != nil }, op, nil}
	case "null":
		return set{filter.NoValue(), func(v any) bool { return v == nil }, op, nil}
	case "nothing":
		return set{filter.Values{}, func(any) bool { return false }, op, nil}
	}
	x := d.draw(t, "bound")
	out := set{text: op + " " + show(x), bounds: []any{x}}
	compared := func(want func(int) bool) func(any) bool { // the x of the model is never "no value"
		return func(v any) bool { return v != nil && want(d.compare(v, x)) }
	}
	switch op {
	case "eq":
		out.values, out.has = filter.Equal(d.encode(x)), compared(func(c int) bool { return c == 0 })
	case "lt":
		out.values, out.has = filter.Less(d.encode(x), false), compared(func(c int) bool { return c < 0 })
	case "lte":
		out.values, out.has = filter.Less(d.encode(x), true), compared(func(c int) bool { return c <= 0 })
	case "gt":
		out.values, out.has = filter.Greater(d.encode(x), false), compared(func(c int) bool { return c > 0 })
	case "gte":
		out.values, out.has = filter.Greater(d.encode(x), true), compared(func(c int) bool { return c >= 0 })
	case "startsWith":
		out.values = filter.StartsWith(fold.String(x.(string)))
		out.has = func(v any) bool {
			return v != nil && strings.HasPrefix(comparablePart(v.(string)), comparablePart(x.(string)))
		}
	}
	return out
}

// probes returns values at and around the bounds of a set, and others.
func (d *domain) probes(t *rapid.T, s set) []any {
	out := slices.Concat(d.pool, s.bounds)
	for range 2 {
		out = append(out, d.draw(t, "probe"))
	}
	for _, b := range s.bounds {
		switch b := b.(type) {
		case int64:
			out = append(out, b-1, b+1)
		case float64:
			for _, towards := range []float64{-math.MaxFloat64, math.MaxFloat64} {
				out = append(out, math.Nextafter(b, towards))
			}
		case string:
			out = append(out, b+"\x00", b+"a", b+"\U0010ffff")
		}
	}
	return out
}

// sameBytes compares Values. It treats a nil and an empty From as equal.
var sameBytes = cmpopts.EquateEmpty()

// checkRanges checks that the ranges are not empty, sorted, and separate.
func checkRanges(v filter.Values) error {
	for i, r := range v.Ranges {
		switch {
		case r.To != nil && bytes.Compare(r.From, r.To) >= 0:
			return fmt.Errorf("range %d is empty", i)
		case i > 0 && v.Ranges[i-1].To == nil:
			return fmt.Errorf("range %d follows an unbounded range", i)
		case i > 0 && bytes.Compare(v.Ranges[i-1].To, r.From) >= 0:
			return fmt.Errorf("range %d touches range %d or is out of order", i, i-1)
		}
	}
	return nil
}

// TestValues compares sets with their models. Each set has one representation: ranges that are sorted and
// separate.
func TestValues(t *testing.T) {
	for _, d := range domains {
		t.Run(d.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := d.set(t, 4)
				num := rapid.Int64().Draw(t, "num")
				if err := checkRanges(s.values); err != nil {
					t.Fatalf("%s: %v: %x", s.text, err, s.values.Ranges)
				}
				if got, want := s.values.None, s.has(nil); got != want {
					t.Fatalf("%s: contains no value = %v, want %v", s.text, got, want)
				}
				point, single := s.values.Point(d.kind)
				if single && (s.values.None || !s.values.Contains(point)) {
					t.Fatalf("%s: Point is %x, which is not all of it", s.text, point)
				}
				for _, v := range d.probes(t, s) {
					want, enc := s.has(v), d.encode(v)
					if got := s.values.Contains(enc); got != want {
						t.Fatalf("%s: contains %s = %v, want %v: %x", s.text, show(v), got, want,
							s.values.Ranges)
					}
					for _, n := range []int64{num, math.MinInt64, math.MaxInt64} {
						if got := s.values.Contains(sortkey.Join(enc, n)); got != want {
							t.Fatalf("%s: contains the sort string of %s and %d = %v, want %v: %x", s.text,
								show(v), n, got, want, s.values.Ranges)
						}
					}
					if single && want != bytes.Equal(enc, point) {
						t.Fatalf("%s: Point is %x, but contains %s (%x) = %v", s.text, point, show(v), enc,
							want)
					}
				}
			})
		})
	}
}

func TestPointIsFoundOfOneValue(t *testing.T) {
	for _, d := range domains {
		t.Run(d.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := d.draw(t, "v")
				one := filter.Equal(d.encode(v))
				found := func(name string, values filter.Values) {
					if got, ok := values.Point(d.kind); !ok || !bytes.Equal(got, d.encode(v)) {
						t.Fatalf("%s: Point = %x, %v; want the encoding of %s", name, got, ok, show(v))
					}
				}
				found("eq", one)
				found("gte and lte", filter.Greater(d.encode(v), true).And(filter.Less(d.encode(v), true)))
				found("neither lt nor gt nor null",
					filter.Less(d.encode(v), false).Or(filter.Greater(d.encode(v), false)).Or(
						filter.NoValue()).Not())
				if s := d.set(t, 3); s.has(v) {
					found("eq and "+s.text, one.And(s.values))
				}
				if got, ok := one.Or(filter.NoValue()).Point(d.kind); ok {
					t.Fatalf("%s or no value: Point = %x, want none", show(v), got)
				}
			})
		})
	}
}
