package guardtest

import (
	"strconv"
	"strings"
)

// Attacks with fragments, operations, directives and names.

func overlappingFragments(a *Attacker) Attack {
	n := a.upTo(Pick(a, 99, 1000))
	body := fill(a.bytes/n/2, Pick(a, " x~: id", " x: name", " id", " x: projects(first: ~) { nodes { id } }",
		" projects{nodes{x~: id}}"))
	var b strings.Builder
	for i := range n {
		b.WriteString(" fragment F" + strconv.Itoa(i) + " on Tenant {" + body +
			Pick(a, "", " ...F"+strconv.Itoa(min(i+1, n-1))) + "}")
	}
	return Query("{ tenants { nodes {"+Times(n, " ...F~")+"} } }"+b.String(), nil)
}

func fragmentCycles(a *Attacker) Attack {
	n := a.upTo(Pick(a, 99, a.bytes/40))
	each := max(1, a.bytes/n/10)
	var b strings.Builder
	for i := range n {
		b.WriteString(" fragment F" + strconv.Itoa(i) + " on Tenant {")
		for range a.upTo(each) {
			b.WriteString(" ...F" + strconv.Itoa(Pick(a, (i+1)%n, 0, i, a.IntN(n))))
		}
		b.WriteString(" }")
	}
	return Query("{ tenants { nodes { ...F0 } } }"+b.String(), nil)
}

// fragmentBombs generates fragments that expand exponentially.
func fragmentBombs(a *Attacker) Attack {
	n, each := a.upTo(99), 1+a.IntN(4)
	root := Pick(a, "{ ...F0 } Query", "{ __schema { ...F0 } } __Schema",
		`{ __type(name: "Issue") { ...F0 } } __Type`, "{ tenants { nodes { ...F0 } } } Tenant")
	operation, kind := root[:strings.LastIndex(root, " ")], root[strings.LastIndex(root, " ")+1:]
	one := Pick(a, " ...F~", " a^: __typename ...F~", " ...{ ...F~ }")
	if kind == "__Type" && a.IntN(2) == 0 {
		one = Pick(a, " fields { type { ...F~ } }", " a^: ofType { ...F~ }", " interfaces { ...F~ }",
			" possibleTypes { a^: name ...F~ }")
	}
	var b strings.Builder
	for i := range n {
		b.WriteString(" fragment F" + strconv.Itoa(i) + " on " + kind + " {")
		for k := range each {
			b.WriteString(strings.ReplaceAll(numbered(one, i+1), "^", strconv.Itoa(i*each+k)))
		}
		b.WriteString(" }")
	}
	return Query(operation+b.String()+" fragment F"+strconv.Itoa(n)+" on "+kind+" { __typename }", nil)
}

// fragmentChains generates fragments that each spread the next one. The last one is large.
func fragmentChains(a *Attacker) Attack {
	n := a.upTo(99)
	var b strings.Builder
	for i := range n {
		b.WriteString(" fragment F" + strconv.Itoa(i) + " on Query {" +
			strings.Repeat(" __typename", a.IntN(3)) + " ...F" + strconv.Itoa(i+1) + " }")
	}
	last := fill(a.upTo(a.bytes), Pick(a, " __typename", " a~: __typename", " node(id: $x) { id }",
		" __typename @skip(if: false)", " a: node(id: \"~\") { id }",
		` nodes(ids: [`+fill(4000, `"x" `)+`]) { id }`))
	return Query(Pick(a, "query($x: ID!) { ...F0 }", "query($x: ID!) { ...F0 ...F1 ...F2 }",
		fill(4000, "query Q~($x: ID!) { ...F0 }"))+b.String()+" fragment F"+strconv.Itoa(
		n)+" on Query {"+last+" }", map[string]any{"x": "x"})
}

func oddFragments(a *Attacker) Attack {
	one := Pick(a, " fragment F~ on Tenant { id }", " fragment F on Tenant { id }",
		" fragment F~ on Nothing { id }", " fragment F~ on ID { id }", " fragment F~ on IssueFilter { id }",
		" fragment F~ on Query { ...G~ }", " fragment F~($x: ID) on Tenant { id }")
	room := a.upTo(a.bytes / 2)
	return Query("{ tenants { nodes {"+fill(room, Pick(a, " ...F~", " ...F", " ...F99"))+" } } }"+
		fill(room, one), nil)
}

func operations(a *Attacker) Attack {
	one := Pick(a, " query A~ { __typename }", " { __typename }", " query A { __typename }",
		" query A~ { ...F }", " mutation A~ { ...F }", " subscription A~ { ...F }",
		" query A~($x: ID!) { ...F }", ` mutation A~ { createTenant(input: {name: ""}) { tenant { id } } }`)
	fragment := " fragment F on Query {" + fill(a.bytes/2, Pick(a, " __typename", " a~: __typename")) + " }"
	return Request(map[string]any{"query": fill(a.upTo(a.bytes/2), one) + fragment,
		"operationName": Pick(a, "A0", "A1", "", "none", strings.Repeat("A", a.bytes/8))})
}

func directives(a *Attacker) Attack {
	one := Pick(a, " @skip(if: false)", " @include(if: true)", " @skip(if: $x)", " @deprecated", " @skip",
		` @skip(if: "x")`, " @skip(if: false, if: false)", ` @specifiedBy(url: "x")`, " @oneOf")
	all := fill(a.upTo(a.bytes), one)
	return Query("query($x: Boolean = false)"+Pick(a, "{ __typename"+all+" }", all+" { __typename }",
		"{"+fill(a.bytes, " __typename"+one)+" }", "{ ..."+all+" { __typename } }"), nil)
}

func unknownDirectives(a *Attacker) Attack {
	all := fill(a.upTo(a.bytes), Pick(a, " @a", " @a~", ` @b(x: "~")`, " @stream(initialCount: ~)",
		" @defer"))
	return Query(a.within(all, "query% { __typename }", "{ __typename% }", "query($x: Int%) { __typename }",
		"{ ...% { __typename } }", "{ ...F } fragment F on Query% { __typename }",
		"{ ...F% } fragment F on Query { __typename }"), nil)
}

func unknownNames(a *Attacker) Attack {
	return Query("{"+fill(a.bytes,
		Pick(a, " f~", " a~: nothing", ` node(x~: 1) { id }`, " ... on T~ { id }", " ...G~",
			` tenants(first: $v~) { nodes { id } }`, " tenants { n~ }", " tenants { nodes { nam~ } }",
			" tenants(frst: ~) { nodes { id } }", " tenants",
			" __typename { id~ }", " ... on Isue { id }", " __typename(a~: 1)",
			` nodes(`+Times(300, "ids~: 1 ")+`) { id }`))+"}", nil)
}

func longNames(a *Attacker) Attack {
	name := strings.Repeat(Pick(a, "a", "_", "Z", "ab"), a.upTo(a.bytes/4))
	if a.IntN(4) == 0 {
		return Query(`query($w: IssueFilter) { project(id: "x") { issues(where: $w) { totalCount } } }`,
			map[string]any{"w": map[string]any{name: 1}})
	}
	more := ""
	if a.IntN(2) == 0 {
		name = name[:min(len(name), 250)]
		more = fill(a.upTo(a.bytes/2), " "+name+`~: nodes(ids: ["x"]) { id }`)
	}
	return Query(strings.ReplaceAll(Pick(a, "{ % }", "{ %: __typename }", "query % { x }", "{ ...% }",
		"fragment % on Query { id }", "{ __typename @% }", "query($%: %) { __typename }",
		"{ node(%: 1) { id } }", "{ ... on % { id } }",
		`{ %: node(id: "x") { id } M: nodes(ids: ["x", "y"]) { id } }`,
		"{ tenants(first: %) { nodes { id } } }",
		`{ project(id: "x") { issues(where: {%: 1}) { totalCount } } }`), "%", name)+"{ "+more+" __typename }",
		nil)
}
