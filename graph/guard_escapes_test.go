package graph_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// TestHalvesOfCharacters sends unpaired surrogates by POST and by GET. TestLoneSurrogatesInJSON of package
// guard has all parts of a body.
func TestHalvesOfCharacters(t *testing.T) {
	s := load(t)
	isRefusal(t, s.send(t, http.MethodPost, "",
		`{"query": "{ __typename }", "variables": {"x": "hunter2 \ud800"}}`, "Content-Type", jsonType),
		http.StatusBadRequest, "lone surrogate")
	for _, parameter := range []string{"variables", "extensions"} {
		v := url.Values{"query": {"{ __typename }"}, parameter: {`{"x": "hunter2\ud800"}`}}
		isRefusal(t, s.send(t, http.MethodGet, "?"+v.Encode(), ""), http.StatusBadRequest, "lone surrogate")
		v.Set(parameter, `{"x": "\ud83d\ude00"}`)
		isTypename(t, s.send(t, http.MethodGet, "?"+v.Encode(), ""))
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
	for name, c := range map[string]struct{ members, says string }{
		"two queries":              {query, "two members of the same name, `query`"},
		"two queries, one escaped": {`"\u0071uery": "{ hunter2 }"`, "two members of the same name, `query`"},
		"two variables":            {`"variables": null, "variables": {"hunter2": 1}`, "`variables`"},
		"two ignored members":      {`"hunter2": 1, "hunter2": 1`, "two members"},
		"a variable twice": {`"variables": {"hunter2": 1, "hunter2": 2}`,
			"in `variables` of the request has two members"},
		"a member of an input twice": {
			`"variables": {"x": [{"a": {}}, {"hunter2": 1, "b": {"hunter2": 1}, "hunter2": 2}]}`,
			"in `variables`"},
		"a long name": {`"variables": {"` + strings.Repeat("hunter2", 600) + `": 1}`,
			"a member whose name has more than 4096 bytes"},
		"a long name of a member of the body": {`"` + strings.Repeat(`\u006b`, 700) + `": 1`,
			"more than 4096 bytes"},
		"an extension twice": {`"extensions": {"a": 1, "": 2, "": 2}`, "in `extensions`"},
		"more members than are compared one by one": {`"variables": {` + guardtest.Times(40, `"v~": 1, `) +
			`"v7": 2}`, "in `variables`"},
		"QUERY beside query":                     {`"Query": "{ hunter2 }"`, "differs from `query`"},
		"operationname":                          {`"operationname": "x"`, "`operationName`"},
		"a letter that folds to an ASCII letter": {`"exten\u017fions": {}`, "`extensions`"},
		"a name that is a number": {`"operationName": 5`,
			"`operationName` of the request must be a string"},
		"variables that are a string": {`"variables": "{\"hunter2\": 1}"`,
			"`variables` of the request must be a JSON object"},
		"extensions that are a list": {`"extensions": [{"hunter2": 1}]`,
			"`extensions` of the request must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			isRefusal(t, s.send(t, http.MethodPost, "", "{"+query+", "+c.members+"}", "Content-Type",
				jsonType), http.StatusBadRequest, c.says)
		})
	}
	for parameters, says := range map[string]string{
		`&query={hunter2}`:                                   "`query` more than once",
		`&variables={}&variables={}`:                         "`variables` more than once",
		`&operationName=&operationName=hunter2`:              "`operationName` more than once",
		`&extensions={}&extensions={}`:                       "`extensions` more than once",
		`&variables={"hunter2":1,"hunter2":2}`:               "`variables` of the URL has two members",
		`&extensions={"x":{"a":1,"a":1}}`:                    "`extensions` of the URL has two members",
		`&variables=[]`:                                      "`variables` of the URL is not a JSON object",
		`&extensions="x"`:                                    "`extensions` of the URL is not a JSON object",
		`&variables={"x":` + strings.Repeat("[", 100) + `1}`: "`variables` of the URL has more than 40 lists",
	} {
		escaped := strings.NewReplacer(`"`, "%22", "{", "%7b", "}", "%7d", "[", "%5b").Replace(parameters)
		isRefusal(t, s.send(t, http.MethodGet, "?query=%7b__typename%7d"+escaped, ""), http.StatusBadRequest,
			says)
	}
	for _, members := range []string{
		`"variables": {"query": 1, "QUERY": 2, "Query": {"query": 1}}, "other": {"query": "x"},
			"extensions": {"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]}`,
		`"x": {"a": 1}, "y": {"a": 1}, "a": [{"a": 1}, {"a": 1}]`,
		`"variables": {` + strings.TrimSuffix(guardtest.Times(40, `"v~": {"v~": 1, "v": 1}, `), ", ") + `}`,
	} {
		isTypename(t, s.send(t, http.MethodPost, "", "{"+query+", "+members+"}", "Content-Type", jsonType))
	}
}
