package guardtest

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Introspection is the introspection query of common clients.
const Introspection = `{ __schema { queryType { name } mutationType { name } subscriptionType { name } directives { name locations args { name } }
	types { kind name description specifiedByURL isOneOf interfaces { name } possibleTypes { name }
		fields(includeDeprecated: true) { name description isDeprecated type { ...T } args { name description defaultValue type { ...T } } }
		inputFields { name description defaultValue type { ...T } } enumValues(includeDeprecated: true) { name description isDeprecated } } } }
	fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`

const wholeValue = `{ __typename field { id name } display ... on TextValue { text } ... on LongTextValue { text bytes } ... on IntegerValue { integer } ... on NumberValue { number }
	... on DateValue { date } ... on DateTimeValue { dateTime } ... on BooleanValue { boolean } ... on SelectValue { option { id name } } ... on MultiSelectValue { options { id name } }
	... on TagsValue { tags } ... on UserValue { user: name } }`

// WholeIssue selects all fields of an issue except nodes and connections.
const WholeIssue = `{ id num name createdAt updatedAt version description state { id name } project { id } values ` + wholeValue + ` }`

// Attacks with introspection, with invalid queries and with invalid requests.

func introspections(a *Attacker) Attack {
	selection := "name"
	for range a.upTo(25) {
		if len(selection) > a.bytes/4 {
			break
		}
		selection = strings.ReplaceAll(Pick(a, "fields { name description type { kind ofType { % } } }",
			"fields(includeDeprecated: true) { args { type { % } } }",
			"fields { type { % } args { name type { % } } }", "inputFields { name type { % } }",
			"enumValues { name description isDeprecated } %", "interfaces { % }", "possibleTypes { % }",
			"ofType { % } %"), "%", selection)
	}
	return Query(a.within(selection, "{ __schema { types { % } } }",
		"{ __schema { queryType { % } mutationType { % } } }", `{ __type(name: "Query") { % } }`,
		`{ __type(name: "Node") { % } }`, "{ __schema { directives { args { type { % } } } } }"), nil)
}

func aliasedIntrospections(a *Attacker) Attack {
	one := Pick(a, " a~: __schema { types { name } }",
		" a~: __schema { types { description fields { name description } } }",
		` a~: __type(name: "Project") { fields { name args { name } } }`,
		" __schema { a~: types { name description } }",
		` __type(name: "Query") { a~: description b~: fields { a~: description } }`,
		" a~: __schema { directives { locations args { name defaultValue } } }",
		" __schema { types { a~: name } }", " __schema { types { fields { a~: description } } }")
	return Query("{"+fill(a.upTo(a.bytes), one)+"}", nil)
}

func introspectionFragments(a *Attacker) Attack {
	n := a.upTo(40)
	var b strings.Builder
	for i := range n {
		one := Pick(a, "ofType { ...T~ }", "fields { type { ...T~ } }", "...T~ interfaces { name ...T~ }",
			"a^: fields { a^: args { type { ...T~ } } type { ...T~ } }",
			"possibleTypes { ...T~ } ofType { ...T~ }")
		b.WriteString(" fragment T" + strconv.Itoa(i) + " on __Type { kind name " +
			strings.ReplaceAll(numbered(one, i+1), "^", strconv.Itoa(i)) + " }")
	}
	return Query("{ __schema { types { ...T0 } queryType { ...T0 } } }"+b.String()+" fragment T"+
		strconv.Itoa(n)+" on __Type { name "+fill(a.upTo(a.bytes/2), " d~: description")+" }", nil)
}

func blanks(a *Attacker) Attack {
	all := fill(a.bytes, Pick(a, "#\n", "# x\n", ",", " ", "\n", "\r\n", "\ufeff", "\t", "#", ",,\n",
		"# é\r"))
	return Query(Pick(a, all+"{ __typename }", "{"+all+" __typename }", "{ __typename }"+all, all,
		"{ __typename"+all+"}"), nil)
}

func garbage(a *Attacker) Attack {
	var b strings.Builder
	for room := a.upTo(a.bytes); b.Len() < room; {
		b.WriteString(Pick(a, "{", "}", "(", ")", "[", "]", ":", "$", "@", "...", "!", "=", "|", "&", "query",
			"mutation", "fragment", "on", "x", "__typename", `"x"`, `"""x"""`, "1", "1.5", "null", "true",
			"#\n", "\u0000", "\u0001", "é", `\`, "'", "\xff", "-", "0x",
			"1e", `"`, "subscription", "schema", "type", "extend") + Pick(a, "", " "))
	}
	return Query(b.String(), nil)
}

func malformed(a *Attacker) Attack {
	good := Query(`query($x: ID!) { node(id: $x) { id } }`,
		map[string]any{"x": a.text(a.upTo(a.bytes / 8))}).Body
	switch a.IntN(8) {
	case 0:
		return Attack{Body: good[:a.IntN(len(good))]}
	case 1:
		return Attack{Body: "[" + fill(a.bytes-len(good), good+",") + good + "]"}
	case 2:
		b := []byte(good)
		for range a.upTo(20) {
			b[a.IntN(len(b))] = byte(a.IntN(256))
		}
		return Attack{Body: string(b)}
	case 3:
		return Attack{Body: strings.Repeat(Pick(a, "[", "{", `{"a":`, `[{"a":`, `"`, "1", " ", "\x00", "\xff",
			"\ufeff", `{"query":`), a.upTo(a.bytes/9))}
	case 4:
		return Attack{Body: good + Pick(a, good, " ", "}", "\x00", "null")}
	case 5:
		return Attack{Body: fmt.Sprintf(
			`{"query": %s, "variables": %s, "operationName": %s, "extensions": %s}`,
			Pick(a, `"{ __typename }"`, "1", "null", "{}", "[]", `""`),
			Pick(a, "1", "null", "{}", "[]", `""`), Pick(a, "1", "null", "{}", `""`),
			Pick(a, "1", "null", "{}", "[]"))}
	case 6:
		return Attack{Body: `{"` + strings.Repeat(Pick(a, "k", `\u006b`, "ſ", "é"), a.bytes/8) +
			`": 1, "query": "{ __typename }"}`}
	}
	return Attack{Body: "{" + fill(a.bytes, `"query": "{ __typename }", "QUERY": "{ nothing }", `) +
		`"query": "{ __typename }"}`}
}

func persistedHashes(a *Attacker) Attack {
	hash := Pick[any](a, strings.Repeat("a", 64), "", nil, 1, a.text(a.upTo(a.bytes/8)), map[string]any{},
		[]any{})
	extension := Pick[any](a, map[string]any{"version": 1, "sha256Hash": hash},
		map[string]any{"version": 2, "sha256Hash": hash}, map[string]any{"version": "1", "sha256Hash": hash},
		map[string]any{}, 1, "x", nil, []any{hash})
	return Request(map[string]any{"query": Pick(a, "", "{ __typename }", strings.Repeat(" ", a.bytes/2)),
		"extensions": map[string]any{"persistedQuery": extension}})
}

func urls(a *Attacker) Attack {
	room := min(a.bytes, 60<<10) / 4
	values := url.Values{
		"query": {Pick(a, "{ __typename }", "query($x: [ID!]!) { nodes(ids: $x) { id } }",
			`query($x: IssueFilter) { project(id: "x") { issues(where: $x) { totalCount } } }`,
			`mutation { createTenant(input: {name: "x"}) { tenant { id } } }`,
			"{"+fill(room, " __typename @a")+"}", "")},
		"variables": {Pick(a, "", "{}", "[]", `{"x": `+a.nested(a.upTo(room/10))+"}",
			`{"x": [`+strings.TrimSuffix(fill(room, "1,"), ",")+"]}", "{", strings.Repeat("[", room))},
		"extensions": {Pick(a, "", "{}", a.nested(a.upTo(room/10)),
			`{"persistedQuery": {"version": 1, "sha256Hash": "x"}}`)},
	}
	return Attack{URL: "/?" + values.Encode() + Pick(a, "", "&%zz", "&"+fill(room, "a&"), ";")}
}

// changedQueries takes clients' queries and removes, moves or repeats parts of them.
func changedQueries(a *Attacker) Attack {
	pieces := strings.Fields(Pick(a, Introspection, "query ( $p : ID! ) { issue ( id : $p ) "+WholeIssue+" }",
		`query ( $p: ID! , $w : IssueFilter ) { project ( id: $p ) { issues ( first : 5 , where : $w ) { edges { cursor node { ... I } } pageInfo { hasNextPage } } } } fragment I on Issue { id num values { display ... on SelectValue { option { name } } } }`))
	for range a.upTo(30) {
		from := a.IntN(len(pieces))
		to := min(from+a.IntN(12), len(pieces)-1)
		part := strings.Join(pieces[from:to+1], " ")
		switch a.IntN(3) {
		case 0:
			pieces[from] = fill(a.upTo(a.bytes/30), part+" ")
		case 1:
			pieces[a.IntN(len(pieces))] = part
		default:
			if len(pieces) > to-from+2 {
				pieces = append(pieces[:from:from], pieces[to+1:]...)
			}
		}
	}
	text := strings.Join(pieces, " ")
	return Query(text[:min(len(text), a.bytes)], map[string]any{"p": "x", "w": map[string]any{}})
}
