package graph_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/guard/guardtest"
)

// kind is a kind of value that generated attacks send.
type kind struct {
	name string
	// fits reports whether the kind has values for a spot.
	fits func(g *generator, s spot) bool
	// placements returns the nth placements of the kind for a spot.
	placements func(g *generator, s spot, n int) []placement
}

// kinds are all kinds. A new one is applied to every spot of the schema that it fits.
var kinds = []kind{
	{"a string", func(g *generator, s spot) bool { return g.textual(s) }, texts},
	{"a wrong kind", func(*generator, spot) bool { return true }, wrongKinds},
	{"a long list", func(_ *generator, s spot) bool { return s.typ.Elem != nil }, longLists},
	{"nested", func(g *generator, s spot) bool {
		return g.schema.Types[s.typ.Name()].Kind == ast.InputObject
	}, nestedInputs},
	{"an extreme", func(g *generator, s spot) bool { return len(g.extremes(s)) > 0 }, extremeValues},
	{"an id", func(g *generator, s spot) bool {
		return s.typ.Name() == "ID" || s.typ.Name() == "String"
	}, namedThings},
	{"a large valid input", func(g *generator, s spot) bool { return g.leaf(s) }, muchValid},
	{"a large input that is refused", func(g *generator, s spot) bool { return g.leaf(s) }, muchAndRefused},
}

// leaf reports whether a spot takes values that are not input objects, or lists of such values.
func (g *generator) leaf(s spot) bool { return g.schema.Types[s.typ.Name()].Kind != ast.InputObject }

// textual reports whether the schema accepts a string at a spot.
func (g *generator) textual(s spot) bool {
	d := g.schema.Types[s.typ.Name()]
	return d.Kind == ast.Scalar && !slices.Contains([]string{"Int", "Float", "Boolean"}, d.Name)
}

// put returns a placement of v at a spot, in a list if the spot takes a list.
func put(s spot, v any) []placement {
	if s.typ.Elem != nil {
		v = []any{v}
	}
	return []placement{{s.path, v}}
}

func texts(g *generator, s spot, n int) []placement {
	if n%17 == 16 {
		return put(s, raw(`"`+strings.Repeat(guardtest.Pick(g.Attacker, `\ud800`, `\udc00`, `\u0344`,
			`\ufdfa`, `\u0000`), guardtest.Pick(g.Attacker, lengths[:8]...))+`"`))
	}
	unit := guardtest.Pick(g.Attacker, worst...)
	if n%2 == 0 {
		// a character that normalization expands
		unit = guardtest.Pick(g.Attacker, "\ufdfa", "\u0344", "각", "\u1fb7", "\u302e", "\u0315\u0300\u05ae")
	}
	return put(s, textOf(unit, lengths[g.IntN(len(lengths))]))
}

func wrongKinds(g *generator, s spot, n int) []placement {
	all := []any{nil, []any{}, []any{nil}, []any{[]any{[]any{}}}, object{}, object{{"a", 1}}, true, 1,
		raw("1.5"), raw("-0"), "", "x", word("GARBAGE"), word("$nothing"), guardtest.Many(1000, nil),
		guardtest.Many(1000, object{}),
		object(slices.Repeat(object{{"eq", "x"}}, 500)), raw(strings.Repeat("9", 10_000)),
		raw(strings.Repeat("9", wholeBody)),
		[]any{1, "x", nil, true, object{}}, raw(`"` + strings.Repeat("x", 100_000) + `"`),
		word(strings.Repeat("G", 300)),
		object(slices.Repeat(object{{strings.Repeat("m", 200), 1}}, 300)), []any{object{{"field", nil}}},
		raw("1e5")}
	return []placement{{s.path, all[(n+g.IntN(len(all)))%len(all)]}}
}

// longLists returns lists as long as the limits allow, and longer ones: of equal values, of different ones,
// and of IDs of existing and missing things.
func longLists(g *generator, s spot, n int) []placement {
	size := guardtest.Pick(g.Attacker, 2, 99, 100, 101, 400, 500, 501, 2000, 5000, 14_000)
	one := func(int) any { return g.required(s) }
	if g.leaf(s) {
		unit, length := guardtest.Pick(g.Attacker, worst...), guardtest.Pick(g.Attacker, 1, 27, 100, 255)
		switch n % 4 {
		case 0:
			one = func(i int) any { return g.valid(s, i) }
		case 1:
			one = func(i int) any { return textOf(unit, length) + fmt.Sprint(i) }
		case 2:
			same := textOf(unit, length)
			one = func(int) any { return same }
		}
	}
	list := make([]any, 0, size)
	for space := guardtest.Pick(g.Attacker, longest, wholeBody); len(list) < size && space > 0; {
		v := one(len(list))
		list = append(list, v)
		space -= len(inJSON(v))
	}
	return []placement{{s.path, list}}
}

// required returns the required value of a spot, without a list around it.
func (g *generator) required(s spot) any {
	typ := s.typ
	for typ.Elem != nil {
		typ = typ.Elem
	}
	return g.value(s.of.Name+"."+s.field.Name, s.path, typ, nil)
}

// nestedInputs returns inputs nested in themselves, as deep as the limits allow and deeper, or lists of lists
// where an input can't be nested.
func nestedInputs(g *generator, s spot, n int) []placement {
	depth := guardtest.Pick(g.Attacker, 2, 9, 10, 11, 19, 39, 41, 500)
	d := g.schema.Types[s.typ.Name()]
	inner := g.required(s)
	var v any = inner
	for range depth {
		f := d.Fields[(n+g.IntN(len(d.Fields)))%len(d.Fields)]
		for _, candidate := range d.Fields {
			if candidate.Type.Name() == d.Name && (n%2 == 0 || candidate.Type.Elem == nil) {
				f = candidate
			}
		}
		if v = any(object{{f.Name, v}}); f.Type.Elem != nil {
			v = object{{f.Name, guardtest.Many(1+g.IntN(2), v.(object)[0].value)}}
		}
		if len(inJSON(v)) > longest/4 {
			break
		}
	}
	if s.typ.Elem != nil {
		v = []any{v}
	}
	return []placement{{s.path, v}}
}

// extremes returns the smallest and largest values of a spot's type, and values beyond them.
func (g *generator) extremes(s spot) []any {
	d := g.schema.Types[s.typ.Name()]
	if d.Kind == ast.Enum {
		var all []any
		for _, v := range d.EnumValues {
			all = append(all, word(v.Name))
		}
		return all
	}
	return map[string][]any{
		"Int": {0, -1, 1, 100, 101, 500, 501, 1_000_000, 2147483647, 2147483648, -2147483648,
			raw("99999999999999999999"), raw("1e400"), raw(strings.Repeat("9", 100_000))},
		"Float": {0, raw("-0.0"), raw("1e-400"), raw("1e-131"), raw("9.9e125"), raw("1e126"), raw("1e308"),
			raw("1e400"), raw("0." + strings.Repeat("0", 100_000) + "1"), raw(strings.Repeat("9", 300)),
			"NaN", "Infinity"},
		"Boolean": {true, false},
		"Int64": {"0", "-0", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
			raw("9007199254740993"), strings.Repeat("0", 100_000) + "1", "1e3", "+1", " 1", "٣"},
		"Date": {"0001-01-01", "9999-12-31", "0000-01-01", "2024-02-30", "10000-01-01", "2024-1-1",
			strings.Repeat("9", 100_000) + "-01-01", "２０２４-01-01"},
		"DateTime": {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2024-06-30T23:59:60Z",
			"2024-01-01T00:00:00." + strings.Repeat("1", 100_000) + "Z", "2024-01-01T00:00:00+99:99",
			"2024-01-01T00:00:00-23:59"},
	}[d.Name]
}

func extremeValues(g *generator, s spot, n int) []placement {
	all := g.extremes(s)
	if s.typ.Elem != nil && n%3 == 0 {
		return []placement{{s.path, all}}
	}
	return put(s, all[(n+g.IntN(len(all)))%len(all)])
}

// namedThings returns IDs and cursors: of the tenant's own things, of another tenant's, of nothing, of
// another kind, and nearly valid ones.
func namedThings(g *generator, s spot, n int) []placement {
	all := append(g.things.all(), g.foreign.all()...)
	own := all[g.IntN(len(all))]
	v := guardtest.Pick(g.Attacker, own, own, own[:len(own)-1], own+"A", own+"=", strings.ToLower(own), "",
		encoded("Iground1/nothing/no"), encoded(strings.Repeat("\x00", 100)),
		encoded(strings.Repeat("/", 20_000)), strings.Repeat(own, 1000),
		encoded("I"+textOf("\ufdfa", 1000)), strings.Repeat("A", 176), strings.Repeat("_-", 10_000))
	if s.typ.Elem == nil || n%2 == 0 {
		return put(s, v)
	}
	size := guardtest.Pick(g.Attacker, 2, 100, 400, 500, 501)
	if n%4 == 1 {
		return []placement{{s.path, guardtest.Many(size, any(v))}}
	}
	list := make([]any, size)
	for i := range list {
		list[i] = all[(i+n)%len(all)]
	}
	return []placement{{s.path, list}}
}

// all returns the IDs of the things. It begins with one of each kind.
func (o *things) all() []string {
	all := []string{o.tenant, o.project, o.issue, o.deleted, o.state}
	for _, of := range o.fields {
		all = append(all, of)
	}
	for _, of := range o.options {
		all = append(all, of...)
	}
	slices.Sort(all)
	return append(all, o.issues...)
}

// valid returns the ith of the largest valid values of a spot.
func (g *generator) valid(s spot, i int) any {
	if !g.textual(s) || s.typ.Name() != "String" {
		if s.typ.Name() == "Int" || s.typ.Name() == "Int64" {
			return 1 + i
		}
		if all := g.alike(s); len(all) > 0 {
			return all[i%len(all)]
		}
		return g.required(s)
	}
	return exactly(guardtest.Pick(g.Attacker, "\ufdfa", "\u1fb7", "각", "x\u0344"),
		guardtest.Pick(g.Attacker, 24, 24, 95, 200)) + fmt.Sprint(i)
}

// alike returns the IDs of things of the kind that a spot takes.
func (g *generator) alike(s spot) []string {
	id, _ := g.required(s).(string)
	if s.typ.Name() != "ID" {
		return nil
	}
	for _, all := range g.things.options {
		if slices.Contains(all, id) {
			return all
		}
	}
	if slices.Contains(g.things.issues, id) {
		return g.things.issues
	}
	return nil
}

// muchValid returns the largest valid input of a spot.
func muchValid(g *generator, s spot, n int) []placement {
	if s.typ.Elem == nil {
		return []placement{{s.path, g.valid(s, n)}}
	}
	list := make([]any, guardtest.Pick(g.Attacker, 2, 50, 98))
	for i := range list {
		list[i] = g.valid(s, i)
	}
	return []placement{{s.path, list}}
}

// muchAndRefused returns a large valid input and, in another spot of the same field, a value that the schema
// accepts and the server refuses.
func muchAndRefused(g *generator, s spot, n int) []placement {
	var others []spot
	for _, other := range g.of[s.of.Name+"."+s.field.Name] {
		apart := !strings.HasPrefix(other.path+".", s.path+".") &&
			!strings.HasPrefix(s.path+".", other.path+".")
		if apart && g.leaf(other) && g.refusable(other) != nil {
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return put(s, g.refusable(s))
	}
	other := others[g.IntN(len(others))]
	return append(muchValid(g, s, n), put(other, g.refusable(other))...)
}

// refusable returns a value that the schema accepts at a spot and the server refuses, or nil.
func (g *generator) refusable(s spot) any {
	return map[string]any{"ID": encoded("nothing"), "String": strings.Repeat("x", 20_000), "Int": -1,
		"Int64": "99999999999999999999", "Float": raw("1e300"), "Date": "2024-02-30",
		"DateTime": "2024-02-30T00:00:00Z"}[s.typ.Name()]
}
