package graph_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

const (
	jsonType     = "application/json"
	responseType = "application/graphql-response+json"
)

// isRefusal checks that a response is a GraphQL response with one request error and no data, and does not
// repeat the request.
func isRefusal(t *testing.T, a plain, status int, says string) {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d: %.300s", a.status, status, a.body)
	}
	var got struct {
		Data   *json.RawMessage
		Errors []apiError
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatalf("%v: %.300s", err, a.body)
	}
	if strings.Contains(a.body, `"data"`) {
		t.Errorf("the response has data: %.300s", a.body)
	}
	if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != string(tracker.BadInput) ||
		!strings.Contains(got.Errors[0].Message, says) {
		t.Errorf("%.500s", a.body)
	}
	if strings.Contains(a.body, "hunter2") {
		t.Errorf("the response repeats the request: %.500s", a.body)
	}
}

// isTypename checks that a response is that to the query { __typename }.
func isTypename(t *testing.T, a plain) {
	t.Helper()
	if a.status != http.StatusOK || a.body != `{"data":{"__typename":"Query"}}` {
		t.Errorf("%d %.300s", a.status, a.body)
	}
}

// TestBodies has bodies that are not requests; TestRequestsThatReadersReadDifferently has more, and
// TestLimitsOfRequests those that are too large.
func TestBodies(t *testing.T) {
	s := load(t)
	notJSON := "not a JSON object"
	for _, c := range []struct{ name, body, says string }{
		{"nothing", "", notJSON},
		{"blanks", " \n", notJSON},
		{"half an object", `{"query": "{ hunter2 }`, notJSON},
		{"a list", `[{"query": "{ __typename hunter2 }"}]`, notJSON},
		{"a text", `"hunter2"`, notJSON},
		{"a number", `5`, notJSON},
		{"no JSON", `query=hunter2`, notJSON},
		{"a query that is not a string", `{"query": {"hunter2": 1}}`,
			"`query` of the request must be a string"},
		{"QUERY", `{"QUERY": "{ __typename }"}`, "differs from `query`"},
		{"text after the object", `{"query": "{ __typename }"} hunter2`, notJSON},
		{"another object after it", `{"query": "{ __typename }"}{"query": "{ hunter2 }"}`, notJSON},
		{"a brace after it", `{"query": "{ __typename }"}}`, notJSON},
		{"Latin-1", "{\"query\": \"{ __typename }\", \"variables\": {\"hunter2\": \"M\xfcller\"}}", "UTF-8"},
		{"UTF-16", "{\x00}\x00", notJSON},
		{"null", `null`, "no query"},
		{"an empty object", `{}`, "no query"},
		{"an empty query", `{"query": "", "variables": {"hunter2": 1}}`, "no query"},
		{"a query that is null", `{"query": null}`, "no query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, accept := range []string{jsonType, responseType} {
				a := s.send(t, http.MethodPost, "", c.body, "Content-Type", jsonType, "Accept", accept)
				isRefusal(t, a, http.StatusBadRequest, c.says)
				if got := a.header.Get("Content-Type"); got != accept+"; charset=utf-8" {
					t.Errorf("Content-Type %q", got)
				}
			}
		})
	}
	t.Run("well formed", func(t *testing.T) {
		for _, body := range []string{
			`{"query": "{ __typename }"}`, " {\"query\": \"{ __typename }\"}\n\n",
			`{"query": "{ __typename }", "variables": null, "operationName": null, "extensions": null}`,
			`{"query": "query A { __typename } query B { a: __typename }", "operationName": "A", "variables": {"unused": 1}, "extensions": {"any": [1]}, "other": true}`,
		} {
			isTypename(t, s.send(t, http.MethodPost, "", body, "Content-Type", jsonType))
		}
	})
	t.Run("too large", func(t *testing.T) {
		isRefusal(t, s.send(t, http.MethodPost, "", `{"query": "{ __typename }"}`+strings.Repeat(" ", 3<<20),
			"Content-Type", jsonType), http.StatusRequestEntityTooLarge, fmt.Sprint(3<<20))
	})
	t.Run("other media types", func(t *testing.T) {
		for _, media := range []string{"", "text/plain", "application/graphql",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json5",
			"application/", ";",
			"application/json; charset=iso-8859-1"} {
			isRefusal(t, s.send(t, http.MethodPost, "", `{"query": "{ __typename hunter2 }"}`, "Content-Type",
				media), http.StatusUnsupportedMediaType, jsonType)
		}
		isRefusal(t, s.send(t, http.MethodPost, "", "hunter2", "Content-Type", jsonType, "Content-Encoding",
			"gzip"), http.StatusUnsupportedMediaType, "not compressed")
		for _, media := range []string{"application/json; charset=utf-8", "Application/JSON",
			"application/json;charset=UTF-8"} {
			isTypename(t, s.send(t, http.MethodPost, "", `{"query": "{ __typename }"}`, "Content-Type", media))
		}
	})
	t.Run("a client that offers another protocol", func(t *testing.T) {
		isTypename(t, s.send(t, http.MethodPost, "", `{"query": "{ __typename }"}`, "Content-Type", jsonType,
			"Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABk"))
		isTypename(t, s.send(t, http.MethodGet, "?query={__typename}", "", "Connection", "Upgrade", "Upgrade",
			"websocket", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version", "13"))
	})
	t.Run("other methods", func(t *testing.T) {
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete, "PROPFIND"} {
			a := s.send(t, method, "", `{"query": "{ __typename hunter2 }"}`, "Content-Type", jsonType)
			isRefusal(t, a, http.StatusMethodNotAllowed, "GET and POST")
			if allow := a.header.Get("Allow"); allow != "GET, POST, OPTIONS" {
				t.Errorf("Allow: %q", allow)
			}
		}
		for method, status := range map[string]int{http.MethodOptions: http.StatusNoContent,
			http.MethodHead: http.StatusMethodNotAllowed} {
			if a := s.send(t, method, "?query={__typename}", ""); a.status != status || a.body != "" ||
				a.header.Get("Allow") != "GET, POST, OPTIONS" {
				t.Errorf("%s: %d %q %v", method, a.status, a.body, a.header)
			}
		}
	})
}

func TestRequestErrors(t *testing.T) {
	s := load(t)
	for _, c := range []struct{ name, query, says string }{
		{"syntax", `{ tenants { nodes { id }`, "Expected Name"},
		{"no operation", `fragment F on Tenant { id }`, "operation"},
		{"only a comment", `# nothing`, "operation"},
		{"an unknown field", `{ nothing }`, "nothing"},
		{"an unknown argument", `{ tenants(limit: 5) { nodes { id } } }`, "limit"},
		{"an unknown type", `{ node(id: "x") { ... on Nothing { id } } }`, "Nothing"},
		{"no selection of an object", `{ tenants }`, "selection"},
		{"an argument of a scalar", `{ tenants { nodes { id(x: 1) } } }`, "x"},
		{"a missing argument", `{ node { id } }`, "id"},
		{"a wrong type", `{ tenants(first: "five") { nodes { id } } }`, "Int"},
		{"an unknown operation", `query A { __typename } query B { __typename }`, "operation"},
		{"a subscription", `subscription { issues }`, "ubscription"},
		{"an unused variable", `query($x: Int) { __typename }`, "$x"},
		{"an undefined variable", `{ node(id: $x) { id } }`, "$x"},
		{"a missing variable", `query($x: ID!) { node(id: $x) { id } }`,
			"the variable $x of the type ID! must be given"},
		{"@defer", `{ ... @defer { __typename } }`, "defer"},
		{"a fragment that contains itself", `{ tenants { nodes { ...F } } } fragment F on Tenant { ...F }`,
			"F"},
		{"an unused fragment", `{ __typename } fragment F on Tenant { id }`, "F"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, _ := json.Marshal(map[string]any{"query": c.query,
				"variables": map[string]any{"unrelated": "hunter2"}})
			for accept, status := range map[string]int{jsonType: http.StatusOK,
				responseType: http.StatusBadRequest} {
				isRefusal(t, s.send(t, http.MethodPost, "", string(body), "Content-Type", jsonType, "Accept",
					accept), status, c.says)
				isRefusal(t, s.send(t, http.MethodGet, "?query="+url.QueryEscape(c.query), "", "Accept",
					accept), status, c.says)
			}
		})
	}
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v, want none", calls)
	}
}

func TestAccept(t *testing.T) {
	s := load(t, sample.Worked()...)
	field := `{"query": "{ node(id: \"x\") { id } }"}`
	for _, c := range []struct {
		accept []string
		want   string // "" if the client accepts no available media type
	}{
		{nil, jsonType}, {[]string{""}, jsonType}, {[]string{"*/*"}, jsonType},
		{[]string{"application/*"}, jsonType}, {[]string{jsonType}, jsonType}, {[]string{";;"}, jsonType},
		{[]string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, jsonType},
		{[]string{responseType}, responseType},
		{[]string{responseType + "; charset=utf-8, " + jsonType + "; q=0.9"}, responseType},
		{[]string{jsonType + "; q=0.5, " + responseType}, responseType},
		{[]string{jsonType, responseType}, responseType},
		{[]string{strings.ToUpper(responseType)}, responseType},
		{[]string{responseType + ";q=0, " + jsonType}, jsonType},
		{[]string{responseType + ";q=0.4, " + jsonType + ";q=0.5"}, jsonType},
		{[]string{responseType + ";q=0.5, */*;q=0.8"}, jsonType},
		{[]string{responseType + ";q=0.8, */*;q=0.5"}, responseType},
		{[]string{responseType + ";Q=0.001, " + jsonType + ";q=0"}, responseType},
		{[]string{jsonType + ";q=0, */*"}, responseType},
		{[]string{jsonType + ";q=0", "application/*;q=0.1"}, responseType},
		{[]string{responseType + ", application/graphql+json, " + jsonType + ", text/event-stream"},
			responseType},
		{[]string{jsonType + ", multipart/mixed"}, jsonType},
		{[]string{responseType + ";q=2"}, jsonType}, {[]string{responseType + ";q=NaN"}, jsonType},
		{[]string{responseType + ";q=x, " + jsonType}, jsonType},
		{[]string{"text/html"}, ""}, {[]string{"application/graphql+json, text/*"}, ""},
		{[]string{jsonType + ";q=0"}, ""}, {[]string{"*/*;q=0.0"}, ""},
		{[]string{"*/*, " + jsonType + ";q=0, " + responseType + ";q=0.000"}, ""},
	} {
		t.Run(strings.Join(c.accept, " and "), func(t *testing.T) {
			var headers []string
			for _, a := range c.accept {
				headers = append(headers, "Accept", a)
			}
			for _, a := range []plain{
				s.send(t, http.MethodPost, "", field, append(headers, "Content-Type", jsonType)...),
				s.send(t, http.MethodGet, "?query="+url.QueryEscape(`{ node(id: "x") { id } }`), "", headers...),
			} {
				if got, want := a.header.Get("Content-Type"), cmp.Or(c.want, jsonType)+
					"; charset=utf-8"; got != want {
					t.Errorf("Content-Type %q, want %q", got, want)
				}
				if c.want == "" {
					isRefusal(t, a, http.StatusNotAcceptable, jsonType+" or "+responseType)
					continue
				}
				// A field error is not a request error.
				if a.status != http.StatusOK || !strings.Contains(a.body, `"data":{"node":null}`) ||
					!strings.Contains(a.body, string(tracker.NotFound)) {
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		})
	}
	t.Run("a mutation without an acceptable media type is not executed", func(t *testing.T) {
		s.wire.Reset()
		a := s.send(t, http.MethodPost, "",
			`{"query": "mutation { createTenant(input: {name: \"hunter2\"}) { tenant { id } } }"}`,
			"Content-Type", jsonType, "Accept", "text/html")
		isRefusal(t, a, http.StatusNotAcceptable, jsonType)
		if calls := s.wire.Calls(); len(calls) > 0 {
			t.Errorf("calls %v, want none", calls)
		}
	})
}

func TestGet(t *testing.T) {
	projects := sample.Worked()
	s := load(t, projects...)
	get := func(t *testing.T, parameters url.Values, headers ...string) plain {
		t.Helper()
		return s.send(t, http.MethodGet, "?"+parameters.Encode(), "", headers...)
	}
	query :=
		`query A($p: ID!, $n: Int) { project(id: $p) { issues(first: $n) { nodes { num name } } } } query B { __typename }`
	variables := fmt.Sprintf(`{"p": %q, "n": 2}`, projectID(&projects[0]))
	t.Run("a query with variables, by name", func(t *testing.T) {
		a := get(t, url.Values{"query": {query}, "variables": {variables}, "operationName": {"A"},
			"extensions": {`{"any": 1}`}})
		want :=
			`{"data":{"project":{"issues":{"nodes":[{"num":1,"name":"Needs Painting"},{"num":2,"name":"Check for rust"}]}}}}`
		if a.status != http.StatusOK || a.body != want {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("a mutation is refused and not executed", func(t *testing.T) {
		s.wire.Reset()
		for _, parameters := range []url.Values{
			{"query": {`mutation { createTenant(input: {name: "hunter2"}) { tenant { id } } }`}},
			{
				"query": {
					`query A { __typename } mutation M { createTenant(input: {name: "hunter2"}) { tenant { id } } }`},
				"operationName": {"M"}},
		} {
			a := get(t, parameters)
			isRefusal(t, a, http.StatusMethodNotAllowed, "POST")
			if allow := a.header.Get("Allow"); allow != http.MethodPost {
				t.Errorf("Allow: %q", allow)
			}
		}
		if calls := s.wire.Calls(); len(calls) > 0 {
			t.Errorf("calls %v, want none", calls)
		}
	})
	t.Run("a query next to a mutation is executed", func(t *testing.T) {
		a := get(t, url.Values{"query": {
			`query A { __typename } mutation M { createTenant(input: {name: "x"}) { tenant { id } } }`}, "operationName": {"A"}})
		isTypename(t, a)
	})
	t.Run("malformed", func(t *testing.T) {
		for url, says := range map[string]string{
			"": "`query`", "?": "`query`", "?query=": "`query`", "?variables={}": "`query`",
			"?query=%zz&x=hunter2": "query string", "?query={__typename};hunter2": "query string",
			"?query={__typename}&variables={%22hunter2%22:%22M%fcller%22}": "query string",
			"?query={__typename}&variables=hunter2":                        "`variables`",
			"?query={__typename}&extensions={hunter2":                      "`extensions`",
			"?query={__typename}&variables={}hunter2":                      "`variables`",
		} {
			isRefusal(t, s.send(t, http.MethodGet, url, ""), http.StatusBadRequest, says)
		}
	})
	t.Run("its cost", func(t *testing.T) {
		a := get(t, url.Values{"query": {`{ tenants { nodes { id } } }`}}, "X-Show-Cost", "1")
		got := decode[answer](t, []byte(a.body))
		if got.Extensions.Cost == nil || got.Extensions.Cost.Calls["Query"] != 1 {
			t.Errorf("%s", a.body)
		}
	})
}

// TestWhatFiltersShouldKnow checks the statements of docs/http.md about requests that a filtering proxy may
// interpret differently.
func TestWhatFiltersShouldKnow(t *testing.T) {
	s := load(t)
	const body = `{"query": "{ __typename }"}`
	const ours, length = "Content-Type: application/json\r\n", "Content-Length: 27\r\n"
	for name, c := range map[string]struct{ headers, body, status string }{
		"lines that end in LF": {ours + length, body, "200"},
		"a length and chunks": {ours + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
			"1b\r\n" + body + "\r\n0\r\n\r\n", "200"},
		"two media types, the first ours":  {ours + "Content-Type: text/plain\r\n" + length, body, "200"},
		"two media types, the second ours": {"Content-Type: text/plain\r\n" + ours + length, body, "415"},
		"two encodings, the first identity": {
			ours + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n" + length, body, "200"},
	} {
		request := "POST / HTTP/1.1\r\nHost: x\r\n" + c.headers + "Connection: close\r\n\r\n" + c.body
		if name == "lines that end in LF" {
			request = strings.ReplaceAll(request, "\r\n", "\n")
		}
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+c.status) || c.status == "200" &&
			!strings.Contains(string(answer), `{"data":{"__typename":"Query"}}`) {
			t.Errorf("%s: %v %.300s", name, err, answer)
		}
	}
}

func TestOperationsThatAreNotNamed(t *testing.T) {
	s := load(t)
	for body, want := range map[string]string{
		`{"query": "query A { __typename } query B { __typename }"}`: "the query has 2 operations; " +
			"`operationName` must name one of them: \"A\", \"B\"",
		`{"query": "query A { __typename }", "operationName": "B"}`: "the query has no operation \"B\"; it has \"A\"",
	} {
		a := s.send(t, http.MethodPost, "", body, "Content-Type", jsonType)
		isRefusal(t, a, http.StatusOK, want)
	}
}
