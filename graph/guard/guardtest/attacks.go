// Package guardtest makes hostile requests for tests. Start with New, which makes one of a family from a seed,
// and with Families. The families are written by hand, each for a way in which a small request can be much work.
// Only tests may import the package, and nothing in it may import the product: an attack does not know the
// defense.
package guardtest

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Attack is a hostile request: the body of a POST or, if there is a URL, a GET.
type Attack struct {
	Body, URL string
}

// Families are the kinds of attacks, by their names.
var Families = map[string]func(a *Attacker) Attack{
	"deep selections":           deepSelections,
	"inline fragments":          inlineFragments,
	"aliases":                   aliases,
	"columns":                   columns,
	"the same field":            sameField,
	"merged sets":               mergedSets,
	"conflicts":                 conflicts,
	"close to the limits":       closeToLimits,
	"nested overlaps":           nestedOverlaps,
	"overlaps of types":         overlapsOfTypes,
	"overlapping fragments":     overlappingFragments,
	"fragment cycles":           fragmentCycles,
	"fragment bombs":            fragmentBombs,
	"fragment chains":           fragmentChains,
	"odd fragments":             oddFragments,
	"operations":                operations,
	"directives":                directives,
	"unknown directives":        unknownDirectives,
	"unknown names":             unknownNames,
	"long names":                longNames,
	"deep literals":             deepLiterals,
	"wrong values":              wrongValues,
	"strings":                   longStrings,
	"numbers":                   numbers,
	"deep variables":            deepVariables,
	"wide variables":            wideVariables,
	"members of objects":        jsonMembers,
	"defined variables":         definedVariables,
	"used variables":            usedVariables,
	"variables again and again": reusedVariables,
	"nulls":                     nulls,
	"bulk inputs":               bulkInputs,
	"filters":                   filters,
	"introspection":             introspections,
	"aliased introspection":     aliasedIntrospections,
	"introspection fragments":   introspectionFragments,
	"comments and blanks":       blanks,
	"garbage":                   garbage,
	"malformed JSON":            malformed,
	"persisted queries":         persistedHashes,
	"URLs":                      urls,
	"changed queries":           changedQueries,
}

// Attacker makes attacks; from the same seed always the same.
type Attacker struct {
	*rand.Rand
	bytes int // about how long a request should be
}

// New makes an attack of a family.
func New(family string, seed uint64) Attack {
	h := fnv.New64a()
	h.Write([]byte(family))
	a := &Attacker{Rand: rand.New(rand.NewPCG(h.Sum64(), seed))}
	if a.bytes = 250 << 10; seed%3 > 0 { // a third is as large as it can be
		a.bytes = a.upTo(a.bytes)
	}
	return Families[family](a)
}

// Query is a request for a query.
func Query(text string, variables any) Attack {
	return Request(map[string]any{"query": text, "variables": variables})
}

// Request is a request with these members of its body.
func Request(members map[string]any) Attack {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(members); err != nil {
		panic(err)
	}
	return Attack{Body: b.String()}
}

// upTo is a number from 1 to n, in whose digits any number of them is as likely.
func (a *Attacker) upTo(n int) int {
	if n < 2 {
		return 1
	}
	return min(n, int(math.Exp(a.Float64()*math.Log(float64(n+1)))))
}

// Pick is one of several.
func Pick[T any](a *Attacker, of ...T) T { return of[a.IntN(len(of))] }

// fill repeats a text as often as there is room, with its number in the place of each ~.
func fill(room int, text string) string {
	if !strings.Contains(text, "~") {
		return strings.Repeat(text, max(1, room/len(text)))
	}
	var b strings.Builder
	for i := 0; b.Len() < room; i++ {
		b.WriteString(numbered(text, i))
	}
	return b.String()
}

func numbered(text string, n int) string { return strings.ReplaceAll(text, "~", strconv.Itoa(n)) }

// Times repeats a text, with its number in the place of each ~.
func Times(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(numbered(text, i))
	}
	return b.String()
}

// within puts a text in the place of each % of others, as often as there is room for.
func (a *Attacker) within(text string, of ...string) string {
	outer := Pick(a, of...)
	if n := strings.Count(outer, "%"); n > 1 && n*len(text) > a.bytes {
		text = "1"
	}
	return strings.ReplaceAll(outer, "%", text)
}

// Nest puts a text into as many levels of brackets.
func Nest(levels int, open, inner, closing string) string {
	return strings.Repeat(open, levels) + inner + strings.Repeat(closing, levels)
}

// Many is a list of the same.
func Many(n int, v any) []any {
	out := make([]any, max(1, n))
	for i := range out {
		out[i] = v
	}
	return out
}
