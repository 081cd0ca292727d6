// Package guardtest generates hostile requests for tests. New returns a request of one of Families for a
// seed. Each family is a way in which a small request can cause much work. Only tests may import this
// package. It must not import other packages of this module, so that the attacks do not depend on the
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

// Attack is a hostile request: a POST of Body, or a GET of URL if URL is not empty.
type Attack struct {
	Body, URL string
}

// Families maps the names of attack families to their generators.
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
	"variables defined again":   redefinedVariables,
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

// Attacker generates attacks. Equal seeds give equal attacks.
type Attacker struct {
	*rand.Rand
	bytes int // approximate length of a request
}

// New returns the attack of a family for a seed.
func New(family string, seed uint64) Attack {
	h := fnv.New64a()
	h.Write([]byte(family))
	a := &Attacker{Rand: rand.New(rand.NewPCG(h.Sum64(), seed))}
	switch { // a third has the maximum length of a query, or of a body, which takes long
	case seed%36 == 9:
		a.bytes = 3000 << 10
	case seed%3 == 0:
		a.bytes = 250 << 10
	default:
		a.bytes = a.upTo(250 << 10)
	}
	return Families[family](a)
}

// Query returns a POST request with a query and variables.
func Query(text string, variables any) Attack {
	return Request(map[string]any{"query": text, "variables": variables})
}

// Request returns a POST request whose body has the given members.
func Request(members map[string]any) Attack {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(members); err != nil {
		panic(err)
	}
	return Attack{Body: b.String()}
}

// upTo returns a random number from 1 to n with a logarithmic distribution.
func (a *Attacker) upTo(n int) int {
	if n < 2 {
		return 1
	}
	return min(n, int(math.Exp(a.Float64()*math.Log(float64(n+1)))))
}

// Pick returns one of its arguments at random.
func Pick[T any](a *Attacker, of ...T) T { return of[a.IntN(len(of))] }

// fill repeats a text up to size bytes. Each ~ in it is replaced by the number of the repetition.
func fill(size int, text string) string {
	if !strings.Contains(text, "~") {
		return strings.Repeat(text, max(1, size/len(text)))
	}
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(numbered(text, i))
	}
	return b.String()
}

func numbered(text string, n int) string { return strings.ReplaceAll(text, "~", strconv.Itoa(n)) }

// Times repeats a text n times. Each ~ in it is replaced by the number of the repetition.
func Times(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(numbered(text, i))
	}
	return b.String()
}

// within replaces each % in a random one of the templates by text, or by "1" if the result would be too long.
func (a *Attacker) within(text string, of ...string) string {
	outer := Pick(a, of...)
	if n := strings.Count(outer, "%"); n > 1 && n*len(text) > a.bytes {
		text = "1"
	}
	return strings.ReplaceAll(outer, "%", text)
}

// Nest encloses inner in the given number of brackets.
func Nest(levels int, open, inner, closing string) string {
	return strings.Repeat(open, levels) + inner + strings.Repeat(closing, levels)
}

// Many returns a list of n copies of v, at least one.
func Many(n int, v any) []any {
	out := make([]any, max(1, n))
	for i := range out {
		out[i] = v
	}
	return out
}
