package graph_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
)

// generator generates attacks from the schema.
//
// Attacks belong to families. The families in `families` are hand-written, each a function that makes an
// attack from a random number; to add one, add it to the map.
//
// The others are generated. Each has an argument of a field, a kind of value, and a manner, which is how the
// use of the field is repeated: "Project.issues where: a string, aliases". Its attacks cycle through the
// argument and all input members in it. An argument, a field or a member that is added to the schema is thus
// attacked without a change here, and a new entry of `kinds` or `manners` is applied to the whole schema.
// Three things depend on names and may need additions: builder.id and builder.plain, which return the IDs and
// scalars that an attack requires, and companions.
//
// Each value is tried once and then repeated in one of the manners: as often as the limits allow if it was
// refused, or as often as its cost allows if it was accepted, so that all attacks take a minute. One body in
// four may be as large as the limits allow, the others have at most smallBody bytes.
type generator struct {
	*builder
	*guardtest.Attacker
	foreign *things
	of      map[string][]spot // keyed by Type.field
	body    int               // the largest body in bytes
}

// newGenerator returns a generator of attacks on a tenant's own things. The values include the IDs of another
// tenant's things.
func newGenerator(schema *ast.Schema, own, foreign *things) *generator {
	g := &generator{builder: &builder{schema: schema, things: own, ways: waysTo(schema)}, foreign: foreign,
		of: map[string][]spot{}, body: guard.DefaultLimits().Body}
	for _, s := range g.spots() {
		name := s.of.Name + "." + s.field.Name
		g.of[name] = append(g.of[name], s)
	}
	return g
}

// manner is a way to repeat the use of a field in a request.
type manner struct {
	name string
	// fits reports whether the spot can be attacked in this manner.
	fits func(g *generator, s spot) bool
	// request returns a request with at most the given number of uses.
	request func(g *generator, s spot, given []placement, most int) guardtest.Attack
}

// once is the manner with a single use. It also selects everything below the field.
var once = manner{"once", anywhere, func(g *generator, s spot, given []placement, _ int) guardtest.Attack {
	return operationOf(s, "", "", g.along(g.wayTo(s, false), "p", " a: "+g.use(s, given, g.everything(s))),
		"")
}}

// manners are all other manners.
var manners = []manner{
	{"aliases", anywhere, func(g *generator, s spot, given []placement, most int) guardtest.Attack {
		use := " a~: " + g.use(s, given, g.little(s))
		return operationOf(s, "", "", g.aliased(s, use, min(most, g.fitting(use))), "")
	}},
	{"one variable", anywhere, func(g *generator, s spot, given []placement, most int) guardtest.Attack {
		argument, _, _ := strings.Cut(s.path, ".")
		typ := s.field.Arguments.ForName(argument).Type
		value := g.value(s.of.Name+"."+s.field.Name, argument, typ, given)
		others := slices.DeleteFunc(slices.Clone(given), func(other placement) bool {
			return len(below([]placement{other}, argument)) > 0
		})
		use := " a~: " + g.use(s, append(others, placement{argument, raw("$v")}), g.little(s))
		values := 3 + elements(value) + len(inJSON(value))/128
		n := min(most, g.fitting(use), guard.DefaultLimits().Values/values)
		return operationOf(s, "($v: "+typ.String()+")", `{"v":`+inJSON(value)+`}`, g.aliased(s, use, n), "")
	}},
	{"a fragment", func(g *generator, s spot) bool {
		return len(g.wayTo(s, false).steps) > 0
	}, func(g *generator, s spot, given []placement, most int) guardtest.Attack {
		use := " a~: " + g.use(s, given, g.little(s))
		each := max(1, min(most, g.fitting(use), guardtest.Pick(g.Attacker, 1, 5, 100)))
		var spreads strings.Builder
		for i := range max(1, min(most/each, 450, guard.DefaultLimits().Values/(each*tokens(use)))) {
			spreads.WriteString(" " + g.along(g.wayTo(s, false), fmt.Sprint("p", i), "...F"))
		}
		return operationOf(s, "", "", spreads.String(), " fragment F on "+s.of.Name+" {"+
			guardtest.Times(each, use)+"}")
	}},
	{"in rows", func(g *generator, s spot) bool {
		return g.wayTo(s, true).rows
	}, func(g *generator, s spot, given []placement, most int) guardtest.Attack {
		use := " a~: " + g.use(s, given, g.little(s))
		return operationOf(s, "", "", g.along(g.wayTo(s, true), "p",
			guardtest.Times(max(1, min(most/pageOnWay, g.fitting(use), 400)), use)), "")
	}},
}

func anywhere(*generator, spot) bool { return true }

// operationOf returns the request for an operation with a selection that uses the spot.
func operationOf(s spot, variables, values, selection, fragment string) guardtest.Attack {
	root := "query"
	if s.mutates() {
		root = "mutation"
	}
	if values == "" {
		values = "null"
	}
	return guardtest.Attack{Body: `{"query":` + quoted(root+variables+" {"+selection+"}"+fragment) +
		`,"variables":` + values + `}`}
}

// aliased repeats a use under aliases, in several selection sets if one can't have all.
func (g *generator) aliased(s spot, use string, n int) string {
	const inSet = 480 // of the number of fields allowed in a set
	way := g.wayTo(s, false)
	if len(way.steps) == 0 {
		return guardtest.Times(max(1, min(n, inSet)), use)
	}
	var b strings.Builder
	for set := 0; set == 0 || n > 0; set++ {
		b.WriteString(" " + g.along(way, fmt.Sprint("p", set), guardtest.Times(max(1, min(n, inSet)), use)))
		n -= inSet
	}
	return b.String()
}

// fitting returns how often the limits allow a use, in a body of at most g.body bytes.
func (g *generator) fitting(use string) int {
	l := guard.DefaultLimits()
	return max(1, min(l.Aliases-20, (g.body-2000)/len(quoted(use)), (l.Tokens-100)/tokens(use)))
}

// tokens returns the number of tokens of a part of a query.
func tokens(part string) (n int) {
	for lex := lexer.New(&ast.Source{Input: part}); ; n++ {
		if t, err := lex.ReadToken(); err != nil || t.Kind == lexer.EOF {
			return max(1, n)
		}
	}
}

// elements returns the number of values in an input, including lists and objects.
func elements(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += elements(e)
		}
	case object:
		for _, m := range v {
			n += elements(m.value)
		}
	}
	return n
}

// wayTo returns a way to the spot's object: to a single object, or to rows if there is a way.
func (g *generator) wayTo(s spot, rows bool) way {
	all := g.ways[s.of.Name]
	if len(all) == 0 {
		panic("no way leads to " + s.String())
	}
	for _, w := range all {
		if w.rows == rows {
			return w
		}
	}
	return all[0]
}

// use returns the field with values at its spots, and a selection.
func (g *generator) use(s spot, given []placement, selection string) string {
	return s.field.Name + g.arguments(s.of, s.field, given) + selection
}

// little selects what costs nothing below a field.
func (g *generator) little(s spot) string {
	if g.schema.Types[s.field.Type.Name()].IsCompositeType() {
		return "{ __typename }"
	}
	return ""
}

// everything selects everything below a field, to a maximum depth.
func (g *generator) everything(s spot) string {
	return (&asker{schema: g.schema}).selection(s.field.Type, max(0, g.IntN(7)-4))
}

// onePage returns the placement that limits a repeated use to one row, if the field has pages and the attack
// is not about their size.
func onePage(s spot, given []placement) []placement {
	if s.field.Arguments.ForName("first") == nil || slices.ContainsFunc(given, func(g placement) bool {
		return g.path == "first" || g.path == "last" || g.path == "before"
	}) {
		return given
	}
	return append(slices.Clone(given), placement{"first", 1})
}
