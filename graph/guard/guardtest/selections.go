package guardtest

import (
	"strconv"
	"strings"
)

// Attacks with deep, large and repeated selections.

// paths are paths from the root through the schema, with cycles.
var paths = [][]string{
	{"tenants", "nodes", "projects", "nodes", "issues", "nodes", "values", "field", "project", "tenant"},
	{"tenants", "edges", "node", "projects", "edges", "node", "tenant"},
	{`node(id: "x")`, "... on Project", "issues", "nodes", "project", "issues", "nodes", "project"},
	{`project(id: "x")`, "issues", "nodes", "project", "issues", "edges", "node", "project"},
}

// ValueTypes are the types of values, and their interface at the end.
var ValueTypes = []string{"TextValue", "LongTextValue", "IntegerValue", "NumberValue", "DateValue",
	"DateTimeValue", "BooleanValue", "SelectValue", "MultiSelectValue", "TagsValue", "UserValue",
	"CustomValue"}

func deepSelections(a *Attacker) Attack {
	path := append([]string{"tenants", "nodes"},
		Pick(a, []string{"projects", "nodes", "tenant"}, []string{"..."}, []string{"... on Tenant"},
			[]string{"id"}, []string{"nothing"}, []string{"... @skip(if: false)"})...)
	levels := a.upTo(a.bytes / 4)
	if a.IntN(2) == 0 {
		levels = a.upTo(30)
	}
	var b strings.Builder
	depth := 0
	for ; depth < levels && b.Len()+depth < a.bytes; depth++ {
		i := depth
		if i >= len(path) {
			i = 2 + (depth-2)%(len(path)-2)
		}
		b.WriteString("{" + path[i])
	}
	return Query(b.String()+"{id}"+strings.Repeat("}", depth-a.IntN(10)/9), nil)
}

func inlineFragments(a *Attacker) Attack {
	open := Pick(a, "...{", "... on Query {", "... @include(if: true) {", "... on Tenant {",
		"... on Nothing {")
	if a.IntN(2) == 0 {
		return Query("{"+fill(a.bytes, open+"a~:__typename}")+"}", nil)
	}
	depth := a.upTo(Pick(a, 29, a.bytes/8))
	return Query("{"+Nest(depth, open,
		fill(a.bytes-depth*len(open), Pick(a, " __typename", " a~: __typename", " ...{a~: __typename}")),
		"}")+"}", nil)
}

func aliases(a *Attacker) Attack {
	field := Pick(a, "__typename", "tenants(first: -1){nodes{id}}", `node(id:"x"){id}`, `node(id: $x){id}`,
		"__schema{queryType{name}}", `__type(name:"Issue"){name}`, "nothing")
	return Query(`query($x: ID! = "y") { n: node(id: $x) { id }`+fill(a.upTo(a.bytes), " a~:"+field)+"}", nil)
}

// columns selects cells of grid rows. Up to 400 are realistic.
func columns(a *Attacker) Attack {
	one := Pick(a, ` c~: value(fieldId: "~") { display ... on TextValue { text } }`,
		` c~: value(fieldId: "~") { ...C }`, ` c: value(fieldId: "~") { ...C }`,
		` c~: value(fieldId: $x) { ...C ...C }`, ` c~: values(fieldIds: ["~", $x]) { display }`)
	return Query(`query($x: ID!) { project(id: $x) { issues { nodes {`+Times(a.upTo(a.bytes/len(one)), one)+
		"} } } } fragment C on CustomValue { "+
		"display ... on SelectValue { option { id name } } field { id } }",
		map[string]any{"x": "x"})
}

func sameField(a *Attacker) Attack {
	one := Pick(a, " __typename", " tenants{nodes{id}}", ` node(id:"x"){id}`, " __schema{types{name}}",
		" ...F", " ...{__typename}", " a:__typename", ` nodes(ids: ["x", "y"]) {id}`)
	return Query("{"+fill(a.bytes, one)+"} fragment F on Query { __typename }", nil)
}

// mergedSets generates selection sets that grow when they are merged.
func mergedSets(a *Attacker) Attack {
	set := strings.ReplaceAll(Times(a.upTo(490), " a~_^: __typename"), "^", "~")
	return Query("{"+fill(a.bytes,
		strings.ReplaceAll(Pick(a, "__schema {%}", "... {%}", "... on Query {%}", "tenants { nodes {%}}",
			`a: node(id: "x") {%}`, "... { ... { ... { ... {%}}}}"), "%", set))+"}", nil)
}

func conflicts(a *Attacker) Attack {
	return Query("{"+fill(a.bytes,
		Pick(a, ` a: node(id: "~") { id }`, ` a: n~ { id }`, ` a: tenants(first: ~) { nodes { id } }`,
			` a: nodes(ids: ["~"]) { id }`, ` tenants { nodes { a: projects(first: ~) { nodes { id } } } }`,
			` tenants { nodes { id: name a~: id a~: name } }`,
			` a: __typename a: node(id: "~") { id }`))+"}", nil)
}

// closeToLimits generates the most expensive queries just below or above the limits.
func closeToLimits(a *Attacker) Attack {
	n := 1 + a.IntN(Pick(a, 20, 60, 500, 1000, 5000))
	inline := ""
	for i := range n {
		inline += " ... on " + ValueTypes[i%len(ValueTypes)] + Pick(a, " { display }", " { x: field { id } }")
	}
	var chain strings.Builder
	for i := range 27 {
		chain.WriteString(" fragment F" + strconv.Itoa(i) + " on Query {" + Times(n, " a~: __typename") +
			" ...F" + strconv.Itoa(i+1) + "}")
	}
	text := Pick(a,
		Times(50, "query Q~($x: ID!) { ...F }")+" fragment F on Query {"+Times(n, " a~: node(id: $x) { id }")+
			"}",
		"{ ...F0 }"+chain.String()+" fragment F27 on Query { __typename }",
		"{"+Times(99, " ...F~")+"}"+strings.ReplaceAll(Times(99, " fragment F~ on Query { % }"), "%",
			strings.Repeat(" ...F99", n))+" fragment F99 on Query { __typename }",
		"{"+strings.Repeat(" ...F98", n)+Times(98, " ...F~")+"}"+
			Times(99, " fragment F~ on Query { __typename }"),
		"query("+Times(500, "$v~: ID! ")+") { nodes(ids: ["+Times(500, " $v~")+strings.Repeat(" $v499", n)+
			"]) { id } }",
		`{ project(id: "x") { issues(where: `+Nest(1+a.IntN(18), "{and: [",
			strings.Repeat(Pick(a, "{} ", `{name: {eq: "x", contains: "y"}} `), n),
			"]}")+") { totalCount } } }",
		`{ project(id: "x") { issues { nodes { values {`+inline+"} } } } }",
		"{"+Times(498, " a~: __typename")+strings.Repeat(" a497: __typename", min(n, 500))+
			strings.Repeat(" __typename", n)+"}",
		"{"+Times(30, " s~: __schema { ... { ... { ...F } } }")+"} fragment F on __Schema {"+
			Times(n, " a~: __typename")+"}",
		"{ __schema { types {"+Times(n,
			Pick(a, " a~: __typename", " a~: name", " a~: fields { __typename }",
				" a~: possibleTypes { __typename }", " a~: enumValues { __typename }",
				" a~: inputFields { defaultValue }"))+"} } }",
		"{"+Times(n, Pick(a, " a~: __schema { types { __typename } }",
			" a~: __schema { directives { locations } }",
			` a~: __type(name: "Project") { fields { __typename } }`))+"}",
		"{"+Times(1+n/500, " a~: nodes(ids: ["+strings.Repeat(`"x" `, min(n, 500))+"]) { id }")+"}",
		"{"+strings.Repeat(Pick(a, " __typename @skip(if: false)", " nodes(ids: {a: 1}) { id }",
			" nodes(ids: 1.5, first: RED) { id { x } }", " ... on Issue { a }"), n)+"}",
	)
	return Query(text, map[string]any{"x": "x", "v0": "x"})
}

// nestedOverlaps generates trees of fields with equal names, which the library compares in pairs at each
// level.
func nestedOverlaps(a *Attacker) Attack {
	path := Pick(a, paths...)
	width, levels := 2+a.IntN(4), 2+a.IntN(len(path))
	tree := Pick(a, "id", "__typename", "id name", "id: __typename", `a: issueByNum(num: 1) { id }`)
	for level := min(levels, len(path)) - 1; level >= 0; level-- {
		one := path[level] + "{" + tree + "} "
		tree = strings.Repeat(one, max(1, min(width, a.bytes/len(one))))
	}
	return Query("{"+fill(a.bytes, tree)+"}", nil)
}

// overlapsOfTypes selects the same fields of a type and its interface, at every level.
func overlapsOfTypes(a *Attacker) Attack {
	tree := "x: field { id }"
	for range 1 + a.IntN(4) {
		var b strings.Builder
		for range 1 + a.IntN(12) {
			if b.Len() < a.bytes/2 {
				b.WriteString("... on " + Pick(a, ValueTypes...) +
					" { x: field { project { issues { nodes { values {" + tree + "} } } } } }")
			}
		}
		tree = b.String() + " x: field { " + Pick(a, "id", "name", "x: id") + " }"
	}
	return Query(`{ project(id: "x") { issues { nodes { values { `+tree+` } } } } }`, nil)
}
