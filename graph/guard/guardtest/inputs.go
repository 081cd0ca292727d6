package guardtest

import (
	"fmt"
	"strings"
)

// Attacks with inputs, as literals and as variables.

// text returns a long string that repeats one character or escape.
func (a *Attacker) text(bytes int) string {
	unit := Pick(a, "x", "é", "\\", "\"", "𝄞", "\u0000", "<", "\n", "ſ", "a\u0301", " ", "…")
	return strings.Repeat(unit, bytes/len(unit)+1)
}

func deepLiterals(a *Attacker) Attack {
	depth := a.upTo(Pick(a, 39, a.bytes/10))
	leaf := Pick(a, `{name: {eq: "x"}}`, `{num: {eq: 99999999999999999999999}}`, `{}`,
		`{num: {in: [1, 2, 3]}}`, `{nothing: {}}`, `$x`, `"x"`, `null`, `[]`, `{not: {not: {}}}`, `1e999`)
	inner := fill(a.upTo(a.bytes-8*depth), leaf+",")
	if a.IntN(3) == 0 {
		inner += `{name: {contains: "` + strings.Repeat("x", a.upTo(a.bytes/2)) + `"}}`
	}
	levels := Pick(a, Nest(depth, "{and: [", inner, "]}"), Nest(depth, "{or: [", inner, "]}"),
		Nest(depth, "[", inner, "]"), Nest(depth, "{not: ", strings.TrimSuffix(inner, ","), "}"))
	return Query(`query($x: IssueFilter) { project(id: "x") { issues(where: `+levels+`) { nodes { id } } } }`,
		nil)
}

func wrongValues(a *Attacker) Attack {
	long := fill(a.upTo(a.bytes), Pick(a, "x", `\"`, "é", `\u00e9`))
	value := Pick(a, "{a: 1}", "[1]", "RED", `"`+long+`"`, `"""`+strings.ReplaceAll(long, `\`, "")+`"""`,
		"[["+fill(a.upTo(a.bytes/2), "[],")+"]]", "{"+fill(a.upTo(a.bytes/2), "a: 1 ")+"}",
		"{"+fill(a.upTo(a.bytes/2), "a~: 1 ")+"}", "true", "null", "1.5", "$none",
		"["+fill(a.upTo(a.bytes/2), "RED ")+"]")
	return Query("{"+a.within(value, `tenants(first: %) { nodes { id } }`, `node(id: %) { id }`,
		`nodes(ids: %) { id }`, `project(id: "x") { issues(orderBy: %) { nodes { id } } }`,
		`project(id: "x") { issues(where: %) { nodes { id } } }`,
		`project(id: "x") { fields(includeArchived: %) { id } }`, `project(id: "x") { cursorAt(value: {date: %}) }`,
		`__type(name: %) { name }`, `a: node(id: %) { id } a: node(id: %) { id }`)+"}", nil)
}

func longStrings(a *Attacker) Attack {
	text := `"` + fill(a.bytes, Pick(a, "x", "é", `\n`, `\u0041`, `\u0000`, `\ud800`, `\"`, `\\`, "𝄞", `\q`,
		"\t")) + `"`
	if a.IntN(3) == 0 {
		text = `"""` + fill(a.bytes, Pick(a, "x", "\n", "\n ", ` \"""`, `"" `, "\r", "\r\n", "  \n", `\`)) +
			`"""`
	}
	if a.IntN(8) == 0 {
		text = strings.TrimSuffix(text, `"`)
	}
	return Query(a.within(text, `{ node(id: %) { id } }`, `{ nodes(ids: [%]) { id } }`,
		`{ __type(name: %) { name } }`, `mutation { createTenant(input: {name: %}) { tenant { id } } }`,
		`{ tenants(after: %) { nodes { id } } }`, `{ tenants(first: %) { nodes { id } } }`, `{ % }`), nil)
}

func numbers(a *Attacker) Attack {
	digits := strings.Repeat(Pick(a, "9", "1", "0", "12"), a.upTo(a.bytes))
	n := Pick(a, digits, "-"+digits, "1."+digits, "1e"+digits, "1e-"+digits, "0."+digits+"e9", "-0", "00",
		"1.", "9223372036854775807", "9223372036854775808", "1e400", "-1e400")
	if a.IntN(2) == 0 {
		return Query("{"+a.within(n, `tenants(first: %) { nodes { id } }`, `node(id: %) { id }`,
			`nodes(ids: [%]) { id }`, `project(id: "x") { issue: issueByNum(num: %) { id } }`,
			`project(id: "x") { issues(where: {and: [{or: [{num: {eq: %}}]}]}) { totalCount } }`)+"}", nil)
	}
	kind := Pick(a, "Int", "Int!", "Float", "ID!", "[ID!]!", "Boolean!", "DateTime", "IssueFilter")
	return Attack{Body: fmt.Sprintf(
		`{"query": "query($x: %s) { tenants(first: $x) { nodes { id } } node(id: $x) { id } }", "variables": {"x": %s}}`,
		kind, n)}
}

// nested returns deeply nested JSON.
func (a *Attacker) nested(depth int) string {
	inner := Pick(a, "1", "{}", "null", `""`, "[]")
	return Pick(a, Nest(depth, "[", inner, "]"), Nest(depth, `{"and":[`, inner, `]}`),
		Nest(depth, `{"not":`, inner, `}`), Nest(depth, `[{"":`, inner, `}]`))
}

func deepVariables(a *Attacker) Attack {
	value := a.nested(a.upTo(Pick(a, 50, a.bytes/10)))
	if a.IntN(4) == 0 {
		depth := a.upTo(a.bytes / 3)
		return Query("query($x: "+Nest(depth, "[", "ID!", Pick(a, "]", "]!"))+") { nodes(ids: $x) { id } }",
			map[string]any{"x": Pick[any](a, "x", []any{"x"}, nil, 1)})
	}
	text := Pick(a, `query($w: IssueFilter) { project(id: \"x\") { issues(where: $w) { nodes { id } } } }`,
		`query($w: [ID!]!) { nodes(ids: $w) { id } }`, `{ __typename }`,
		`mutation($w: CreateIssueInput!) { createIssue(input: $w) { issue { id } } }`)
	return Attack{Body: fmt.Sprintf(`{"query": "%s", "variables": {"w": %s}, "extensions": {"x": %s}}`, text,
		value, Pick(a, "null", "1", value))}
}

func wideVariables(a *Attacker) Attack {
	list := "[" + strings.TrimSuffix(
		fill(a.bytes, Pick(a, "1,", `"",`, "{},", "[],", "null,", "true,", `"x",`, "1e9,", `{"a":1},`, "[1],",
			`{"":{}},`)), ",") + "]"
	text := Pick(a, `query($x: [ID!]!) { nodes(ids: $x) { id } }`, `query($x: [ID!]) { __typename }`,
		`{ __typename }`,
		`query($x: IssueFilter) { project(id: \"x\") { issues(where: $x) { totalCount } } }`,
		`query($x: [ID!]!) { __typename nodes(ids: $x) @skip(if: true) { id } }`,
		`query($x: ID!) { node(id: $x) { id } }`, `query($x: CustomFieldType) { __typename @skip(if: $x) }`)
	return Attack{Body: fmt.Sprintf(`{"query": "%s", "variables": {"x": %s}}`, text, list)}
}

// jsonMembers generates JSON objects with many members.
func jsonMembers(a *Attacker) Attack {
	one := `,"` + Pick(a, "x", "", "~", "k~", "\\u0061", "ſ~") + `":` +
		Pick(a, "1", "{}", "[]", "null", `"x"`, `{"x":[{}]}`)
	return Attack{Body: a.within(fill(a.bytes, one), `{"query": "{ __typename }", "variables": {"v": 1%}}`,
		`{"query": "{ __typename }", "extensions": {"v": 1%}}`, `{"query": "{ __typename }"%}`,
		`{"query": "{ __typename }", "other": {"v": 1%}}`,
		`{"query": "query($w: IssueFilter) { project(id: \"x\") { issues(where: $w) { totalCount } } }", "variables": {"w": {"and": []%}}}`)}
}

func definedVariables(a *Attacker) Attack {
	defined := fill(a.upTo(a.bytes),
		Pick(a, "$v~: ID ", "$v: ID ", "$v~: Nothing ", "$v~: Issue ", `$v~: ID = "x" `,
			"$v~: IssueFilter = {and: [{}, {}]} ", "$v~: [Int!]! = [1, 2, 3] ", `$v~: Int = "x" `,
			"$v~: Int @a ", "$v~: CustomFieldType = NOTHING ", "$v~: [Int] = ["+fill(1000, "1 ")+"] "))
	return Query("query("+defined+") { __typename "+Pick(a, "", "node(id: $v0) { id }")+"}",
		map[string]any{"v0": "x", "v1": nil, "v": 1})
}

// redefinedVariables generates many definitions of one large variable, also as lists in lists.
func redefinedVariables(a *Attacker) Attack {
	levels := Pick(a, 1, 2, 38)
	kind := strings.Repeat("[", levels) + Pick(a, "ID", "IssueFilter", "Int!") + strings.Repeat("]", levels)
	element := Pick(a, any("x"), any(map[string]any{}), any(1))
	return Query("query("+fill(a.upTo(a.bytes/2), "$x: "+kind+" ")+") { __typename "+
		Pick(a, "", "nodes(ids: $x) { id }")+"}",
		map[string]any{"x": Many(min(a.bytes/8, 14_900), element)})
}

func usedVariables(a *Attacker) Attack {
	n := a.upTo(600)
	last := fmt.Sprint("$v", n-1)
	uses := fill(a.bytes-12*n, strings.ReplaceAll(Pick(a, ` a~: node(id: %) { id }`, ` node(id: %) { id }`,
		` b~: nodes(ids: [%, %, %, %, %]) { id }`, ` nodes(ids: [`+strings.Repeat("%", 500)+`]) { id }`,
		" tenants(first: %) { nodes { id } }", " __typename @skip(if: %)"), "%", last))
	return Query("query("+Times(n, "$v~: ID! ")+") {"+uses+"}", map[string]any{"v0": "x"})
}

// reusedVariables generates large variables that many fields use.
func reusedVariables(a *Attacker) Attack {
	use, kind, value := " a~: nodes(ids: $x) { id }", "[ID!]!", any(Many(a.bytes/4, "x"))
	switch a.IntN(5) {
	case 0:
		use, kind, value = " a~: node(id: $x) { id }", "ID!", strings.Repeat("x", a.bytes)
	case 1:
		use, kind, value = " a~: createIssues(input: $x) { results { errors { code } } }",
			"CreateIssuesInput!", map[string]any{"projectId": "x",
				"issues": Many(a.upTo(a.bytes/20), map[string]any{"name": "x"})}
	case 2:
		use, kind, value = ` a~: project(id: "x") { issues(where: $x) { nodes { id } } }`, "IssueFilter",
			map[string]any{"and": Many(a.upTo(a.bytes/10), map[string]any{})}
	case 3:
		use, kind, value = " a~: tenants(after: $x) { nodes { id } }", "String", strings.Repeat("x", a.bytes)
	}
	root := "query"
	if strings.Contains(use, "create") {
		root = "mutation"
	}
	return Query(root+"($x: "+kind+") {"+Times(a.upTo(490), use)+" }", map[string]any{"x": value})
}

func nulls(a *Attacker) Attack {
	kind := Pick(a, "Boolean = true", "Boolean! = true", "Boolean", `ID = "x"`,
		`CreateTenantInput = {name: "x"}`, `[ID!] = ["x"]`, "Int = 1", "IssueFilter = {}",
		`CreateIssueInput = {project: "x", issue: {name: "x"}}`, `String = "x"`)
	use := Pick(a, "{ __typename @skip(if: $x) }", "{ ... @include(if: $x) { __typename } }",
		"{ ...F @skip(if: $x) } fragment F on Query { __typename }",
		"{ ...F } fragment F on Query { __typename @include(if: $x) }", "{ node(id: $x) { id } }",
		"{ nodes(ids: $x) { id } }", "{ nodes(ids: [$x, $x]) { id } }",
		"{ tenants(first: $x) { nodes { id } } }", "{ createTenant(input: $x) { tenant { id } } }",
		"{ createTenant(input: {name: $x}) { tenant { id } } }",
		"{ createIssue(input: $x) { issue { id } } }",
		`{ project(id: "x") { issues(where: $x) { nodes { id } } } }`, `{ __type(name: $x) { name } }`,
		`{ __type(name: "Issue") { fields(includeDeprecated: $x) { name } } }`)
	root := "query"
	if strings.HasPrefix(use, "{ create") {
		root = "mutation"
	}
	return Query(root+"($x: "+kind+") "+use,
		Pick[any](a, map[string]any{"x": nil}, nil, map[string]any{}, map[string]any{"x": []any{nil}},
			map[string]any{"x": map[string]any{"name": nil}}, map[string]any{"x": []any{[]any{nil}}}))
}

func bulkInputs(a *Attacker) Attack {
	values := make([]any, a.upTo(a.bytes/50))
	for i := range values {
		values[i] = map[string]any{"fieldId": Pick(a, "x", "", "eA"),
			"value": Pick(a, map[string]any{"text": ""}, map[string]any{"date": "x"},
				map[string]any{"tags": []any{"a", "b"}}, map[string]any{"number": 1.5}, map[string]any{},
				map[string]any{"text": "a", "date": "2020-01-01"})}
	}
	issue := map[string]any{"name": "x", "values": values}
	switch a.IntN(4) {
	case 0:
		return Query(`mutation { createIssues(input: {projectId: "x", issues: [`+
			fill(a.bytes, `{name: "x", values: [{fieldId: "x", value: {text: ""}}]} `)+
			`]}) { results { errors { code } } } }`, nil)
	case 1:
		return Query(`mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
			map[string]any{"i": map[string]any{"projectId": "x", "issue": issue}})
	case 2:
		return Query(
			`mutation($i: DeleteIssuesInput!) { deleteIssues(input: $i) { results { errors { code } } } }`,
			map[string]any{"i": map[string]any{"ids": Many(a.bytes/4, "x")}})
	}
	return Query(
		`mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { errors { code } } } }`,
		map[string]any{"i": map[string]any{"projectId": "x",
			"issues": Many(a.upTo(a.bytes/60/len(values)), issue)}})
}

func filters(a *Attacker) Attack {
	left := a.bytes / 30
	var condition func(depth int) any
	condition = func(depth int) any {
		left--
		if depth == 0 || left < 0 {
			return Pick[any](a, map[string]any{"name": map[string]any{"contains": a.text(a.upTo(100))}},
				map[string]any{}, map[string]any{"num": map[string]any{"in": Many(a.upTo(100), 1)}}, nil, 1,
				"x", []any{})
		}
		list := []any{}
		for range a.upTo(left) {
			if left > 0 {
				list = append(list, condition(depth-1))
			}
		}
		return Pick[any](a, map[string]any{"and": list}, map[string]any{"or": list},
			map[string]any{"not": condition(depth - 1)})
	}
	return Query(
		`query($w: IssueFilter, $p: ID!) { project(id: $p) { issues(where: $w) { nodes { id } totalCount } } }`,
		map[string]any{"w": condition(a.upTo(20)), "p": "x"})
}
