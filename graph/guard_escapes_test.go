package graph_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// TestHalvesOfCharacters sends unpaired surrogates in each part of a request that has strings, by POST and by
// GET.
func TestHalvesOfCharacters(t *testing.T) {
	s := load(t)
	for name, body := range map[string]string{
		"the query":                `{"query": "{ __typename } # \ud800"}`,
		"an operation's name":      `{"query": "{ __typename }", "operationName": "\udfff"}`,
		"a variable":               `{"query": "{ __typename }", "variables": {"x": "hunter2 \ud800"}}`,
		"a variable deep inside":   `{"query": "{ __typename }", "variables": {"x": [{"y": ["\udc00\ud800"]}]}}`,
		"the name of a variable":   `{"query": "{ __typename }", "variables": {"\udbff": 1}}`,
		"an extension":             `{"query": "{ __typename }", "extensions": {"x": "\ud83d \ude00"}}`,
		"a member that is ignored": `{"query": "{ __typename }", "other": "\ud800"}`,
		"the name of a member":     `{"query": "{ __typename }", "\ud800": 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			isRefusal(t, s.send(t, http.MethodPost, "", body, "Content-Type", jsonType),
				http.StatusBadRequest, "lone surrogate")
		})
	}
	for _, parameter := range []string{"variables", "extensions"} {
		v := url.Values{"query": {"{ __typename }"}, parameter: {`{"x": "hunter2\ud800"}`}}
		isRefusal(t, s.send(t, http.MethodGet, "?"+v.Encode(), ""), http.StatusBadRequest, "lone surrogate")
		v.Set(parameter, `{"x": "\ud83d\ude00"}`)
		if a := s.send(t, http.MethodGet, "?"+v.Encode(), ""); a.status != http.StatusOK ||
			a.body != `{"data":{"__typename":"Query"}}` {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	isRefusal(t, s.send(t, http.MethodGet, "?query="+url.QueryEscape(`{ __typename @include(if: "\ud800") }`),
		"", "Accept", responseType), http.StatusBadRequest, "lone surrogate")
}

// TestHalvesOfCharactersInQueries checks that a mutation stores surrogate pairs as characters, and that an
// error has the location in the query as sent.
func TestHalvesOfCharactersInQueries(t *testing.T) {
	s := load(t)
	var got struct {
		CreateTenant struct{ Tenant struct{ Name string } }
	}
	s.data(t, `mutation { createTenant(input: {name: "a\ud83d\uDE00b\u00e9"}) { tenant { name } } }`, nil,
		&got)
	if name := got.CreateTenant.Tenant.Name; name != "a😀bé" {
		t.Errorf("%q", name)
	}
	for query, says := range map[string]string{
		`mutation { createTenant(input: {name: "a\ud83d"}) { tenant { name } } }`:   "lone surrogate",
		`mutation { createTenant(input: {name: "\u{1F600}"}) { tenant { name } } }`: `Unexpected`} {
		if a := s.ask(t, query, nil); len(a.Errors) != 1 ||
			a.Errors[0].Extensions["code"] != string(tracker.BadInput) ||
			!strings.Contains(a.Errors[0].Message, says) {
			t.Errorf("%s: %+v", query, a)
		}
	}
	a := s.send(t, http.MethodPost, "",
		guardtest.Request(map[string]any{"query": `{ a: node(id: "\ud83d\ude00") { id } nothing }`}).Body,
		"Content-Type", jsonType)
	if !strings.Contains(a.body, `"locations":[{"line":1,"column":38}]`) {
		t.Errorf("the error has another location: %s", a.body)
	}
}

// TestRequestsThatReadersReadDifferently checks that requests that different parsers interpret differently
// are refused.
func TestRequestsThatReadersReadDifferently(t *testing.T) {
	s := load(t)
	const query = `"query": "{ __typename }"`
	for name, c := range map[string]struct{ body, says string }{
		"two queries": {`{` + query + `, ` + query + `}`,
			"two members of the same name, `query`"},
		"two queries, one escaped": {`{` + query + `, "\u0071uery": "{ hunter2 }"}`,
			"two members of the same name, `query`"},
		"two variables": {`{` + query +
			`, "variables": null, "variables": {"hunter2": 1}}`, "`variables`"},
		"two ignored members": {`{` + query + `, "hunter2": 1, "hunter2": 1}`, "two members"},
		"a variable twice": {`{` + query + `, "variables": {"hunter2": 1, "hunter2": 2}}`,
			"in `variables` of the request has two members"},
		"a member of an input twice": {`{` + query +
			`, "variables": {"x": [{"a": {}}, {"hunter2": 1, "b": {"hunter2": 1}, "hunter2": 2}]}}`,
			"in `variables`"},
		"a long name": {`{` + query + `, "variables": {"` + strings.Repeat("hunter2", 600) + `": 1}}`,
			"a member whose name has more than 4096 bytes"},
		"a long name of a member of the body": {`{"` + strings.Repeat(`\u006b`, 700) + `": 1, ` + query + `}`,
			"more than 4096 bytes"},
		"an extension twice": {`{` + query + `, "extensions": {"a": 1, "": 2, "": 2}}`,
			"in `extensions`"},
		"more members than are compared one by one": {`{` + query + `, "variables": {` +
			guardtest.Times(40, `"v~": 1, `) + `"v7": 2}}`, "in `variables`"},
		"QUERY": {`{"QUERY": "{ __typename }"}`, "differs from `query`"},
		"QUERY beside query": {`{` + query + `, "Query": "{ hunter2 }"}`,
			"differs from `query`"},
		"operationname": {`{` + query + `, "operationname": "x"}`,
			"`operationName`"},
		"a letter that folds to an ASCII letter": {`{` + query + `, "exten\u017fions": {}}`, "`extensions`"},
		"a query that is a list": {`{"query": ["hunter2"]}`,
			"`query` of the request must be a string"},
		"a name that is a number": {`{` + query + `, "operationName": 5}`,
			"`operationName` of the request must be a string"},
		"variables that are a string": {`{` + query + `, "variables": "{\"hunter2\": 1}"}`,
			"`variables` of the request must be a JSON object"},
		"extensions that are a list": {`{` + query + `, "extensions": [{"hunter2": 1}]}`,
			"`extensions` of the request must be a JSON object"},
		"extensions that are true": {`{` + query + `, "extensions": true}`,
			"`extensions` of the request must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			isRefusal(t, s.send(t, http.MethodPost, "", c.body, "Content-Type", jsonType),
				http.StatusBadRequest, c.says)
		})
	}
	for parameters, says := range map[string]string{
		`query={__typename}&query={hunter2}`:           "`query` more than once",
		`query={__typename}&variables={}&variables={}`: "`variables` more than once",
		`query={__typename}&operationName=&operationName=hunter2`: "`operationName` more than " +
			"once",
		`query={__typename}&extensions={}&extensions={}`: "`extensions` more than once",
		`query={__typename}&variables={"hunter2":1,"hunter2":2}`: "`variables` of the URL " +
			"has two members",
		`query={__typename}&extensions={"x":{"a":1,"a":1}}`: "`extensions` of the URL " +
			"has two members",
		`query={__typename}&variables=[]`: "`variables` of the URL is " +
			"not a JSON object",
		`query={__typename}&extensions="x"`: "`extensions` of the URL " +
			"is not a JSON object",
		`query={__typename}&variables={"x":` + strings.Repeat("[", 100) +
			`1}`: "`variables` of the URL has more than 40 lists",
	} {
		isRefusal(t, s.send(t, http.MethodGet,
			"?"+strings.NewReplacer(`"`, "%22", "{", "%7b", "}", "%7d", "[", "%5b").Replace(parameters),
			""), http.StatusBadRequest, says)
	}
	for _, body := range []string{
		`{` + query +
			`, "variables": {"query": 1, "QUERY": 2, "Query": {"query": 1}}, "extensions": {"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]}, "other": {"query": "x"}}`,
		`{` + query + `, "x": {"a": 1}, "y": {"a": 1}, "a": [{"a": 1}, {"a": 1}]}`,
		`{` + query + `, "variables": {` +
			strings.TrimSuffix(guardtest.Times(40, `"v~": {"v~": 1, "v": 1}, `), ", ") + `}}`,
	} {
		if a := s.send(t, http.MethodPost, "", body, "Content-Type", jsonType); a.status != http.StatusOK ||
			a.body != `{"data":{"__typename":"Query"}}` {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
}
