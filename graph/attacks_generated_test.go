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

// generator makes attacks from the schema. Attacks are of families. Those in `families` are written by hand,
// each a function that makes an attack from a random number: a new one is added to the map.
//
// The others are generated. Each is of an argument of a field, of a kind, which is what is put there, and of
// a manner, which is how the use of the field is repeated: "Project.issues where: a text, aliases". Its
// attacks take turns at the argument and at all members of the inputs in it. So an argument, a field or a
// member that is new in the schema is attacked without a change here, and a new entry of `kinds` or `manners`
// attacks all places that there are. Three things are known by name and not by the schema, and may have to be
// added to: builder.id and builder.plain, which are the ids and scalars that are required beside an attack,
// and companions.
//
// Each value is tried once, and then repeated in one of the manners. One that is refused is repeated as often
// as the limits allow. One that is accepted is repeated as often as its cost allows, so that all attacks take
// a minute.
type generator struct {
	*builder
	*guardtest.Attacker
	foreign *things
	of      map[string][]spot // by Type.field
}

// newGenerator makes attacks on a tenant's own things, with the ids of another tenant's among its values.
func newGenerator(schema *ast.Schema, own, foreign *things) *generator {
	g := &generator{builder: &builder{schema: schema, things: own, ways: waysTo(schema)}, foreign: foreign,
		of: map[string][]spot{}}
	for _, s := range g.spots() {
		name := s.of.Name + "." + s.field.Name
		g.of[name] = append(g.of[name], s)
	}
	return g
}

// manner is how a use of a field is repeated in a request.
type manner struct {
	name string
	// fits reports whether places can be attacked so.
	fits func(g *generator, s spot) bool
	// request makes a request of at most so many uses.
	request func(g *generator, s spot, given []gift, most int) guardtest.Attack
}

// once is the manner of one use, in which what the field leads to is selected as well.
var once = manner{"once", anywhere, func(g *generator, s spot, given []gift, _ int) guardtest.Attack {
	return operationOf(s, "", "", g.along(g.wayTo(s, false), "p", " a: "+g.use(s, given, g.everything(s))),
		"")
}}

// manners are all others.
var manners = []manner{
	{"aliases", anywhere, func(g *generator, s spot, given []gift, most int) guardtest.Attack {
		use := " a~: " + g.use(s, given, g.little(s))
		return operationOf(s, "", "", g.aliased(s, use, min(most, fitting(use))), "")
	}},
	{"one variable", anywhere, func(g *generator, s spot, given []gift, most int) guardtest.Attack {
		argument, _, _ := strings.Cut(s.path, ".")
		typ := s.field.Arguments.ForName(argument).Type
		value := g.value(s.of.Name+"."+s.field.Name, argument, typ, given)
		others := slices.DeleteFunc(slices.Clone(given), func(other gift) bool {
			return len(below([]gift{other}, argument)) > 0
		})
		use := " a~: " + g.use(s, append(others, gift{argument, raw("$v")}), g.little(s))
		n := min(most, fitting(use), guard.DefaultLimits().Values/(3+elements(value)+len(inJSON(value))/128))
		return operationOf(s, "($v: "+typ.String()+")", `{"v":`+inJSON(value)+`}`, g.aliased(s, use, n), "")
	}},
	{"a fragment", func(g *generator, s spot) bool {
		return len(g.wayTo(s, false).steps) > 0
	}, func(g *generator, s spot, given []gift, most int) guardtest.Attack {
		use := " a~: " + g.use(s, given, g.little(s))
		each := max(1, min(most, fitting(use), guardtest.Pick(g.Attacker, 1, 5, 100)))
		var spreads strings.Builder
		for i := range max(1, min(most/each, 450, guard.DefaultLimits().Values/(each*tokens(use)))) {
			spreads.WriteString(" " + g.along(g.wayTo(s, false), fmt.Sprint("p", i), "...F"))
		}
		return operationOf(s, "", "", spreads.String(), " fragment F on "+s.of.Name+" {"+
			guardtest.Times(each, use)+"}")
	}},
	{"in rows", func(g *generator, s spot) bool {
		return g.wayTo(s, true).rows
	}, func(g *generator, s spot, given []gift, most int) guardtest.Attack {
		use := " a~: " + g.use(s, given, g.little(s))
		return operationOf(s, "", "", g.along(g.wayTo(s, true), "p",
			guardtest.Times(max(1, min(most/pageOnWay, fitting(use), 400)), use)), "")
	}},
}

func anywhere(*generator, spot) bool { return true }

// operationOf is the request for an operation at whose selection a place is.
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

// aliased repeats a use, in several sets where one can't have all.
func (g *generator) aliased(s spot, use string, n int) string {
	const inSet = 480 // of the fields that one may have
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

// fitting is how often the limits allow a use.
func fitting(use string) int {
	l := guard.DefaultLimits()
	return max(1, min(l.Aliases-20, (l.Body-2000)/len(quoted(use)), (l.Tokens-100)/tokens(use)))
}

// tokens counts those of a part of a query.
func tokens(part string) (n int) {
	for lex := lexer.New(&ast.Source{Input: part}); ; n++ {
		if t, err := lex.ReadToken(); err != nil || t.Kind == lexer.EOF {
			return max(1, n)
		}
	}
}

// elements counts the values in an input, lists and objects among them.
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

// wayTo leads to where a place is: to one object, or to rows if there is a way.
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

// use is a field with values at its places, and a selection.
func (g *generator) use(s spot, given []gift, selection string) string {
	return s.field.Name + g.arguments(s.of, s.field, given) + selection
}

// little selects what costs nothing of what a field leads to.
func (g *generator) little(s spot) string {
	if g.schema.Types[s.field.Type.Name()].IsCompositeType() {
		return "{ __typename }"
	}
	return ""
}

// everything selects all of it, to some depth.
func (g *generator) everything(s spot) string {
	return (&asker{schema: g.schema}).selection(s.field.Type, max(0, g.IntN(7)-4))
}

// onePage is the gift that keeps a repeated use from reading more than a row, where the field has pages and
// the attack is not about their size.
func onePage(s spot, given []gift) []gift {
	if s.field.Arguments.ForName("first") == nil || slices.ContainsFunc(given, func(g gift) bool {
		return g.path == "first" || g.path == "last" || g.path == "before"
	}) {
		return given
	}
	return append(slices.Clone(given), gift{"first", 1})
}
