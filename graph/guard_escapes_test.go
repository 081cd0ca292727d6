package graph_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"pgregory.net/rapid"

	"issuegrid/graph"
	"issuegrid/tracker"
)

// units are parts of a string, as escapes and as themselves, with the UTF-16 units that they stand for.
var units = []struct {
	written string
	units   []uint16
}{
	{`\ud83d`, []uint16{0xd83d}}, {`\uDBFF`, []uint16{0xdbff}}, {`\ud800`, []uint16{0xd800}}, {`\uD800`, []uint16{0xd800}},
	{`\ude00`, []uint16{0xde00}}, {`\uDFFF`, []uint16{0xdfff}}, {`\udc00`, []uint16{0xdc00}}, {`\uDc00`, []uint16{0xdc00}},
	{`\ud7ff`, []uint16{0xd7ff}}, {`\ue000`, []uint16{0xe000}}, {`\u0041`, []uint16{0x41}}, {`\ufffd`, []uint16{0xfffd}},
	{`\\`, []uint16{'\\'}}, {`\"`, []uint16{'"'}}, {`\n`, []uint16{'\n'}}, {`x`, []uint16{'x'}}, {`u`, []uint16{'u'}}, {`😀`, []uint16{0xd83d, 0xde00}},
}

// whole reports whether UTF-16 is made of whole characters, and returns these. It looks at the units alone.
func whole(all []uint16) (string, bool) {
	for i := 0; i < len(all); i++ {
		switch u := all[i]; {
		case u >= 0xd800 && u < 0xdc00:
			if i++; i == len(all) || all[i] < 0xdc00 || all[i] > 0xdfff {
				return "", false
			}
		case u >= 0xdc00 && u < 0xe000:
			return "", false
		}
	}
	return string(utf16.Decode(all)), true
}

// strung draws a string of units, as it is written and as what it stands for. What is itself and half of a pair beside an escape is no pair.
func strung(t *rapid.T) (written, is string, sound bool) {
	sound = true
	var run []uint16
	flush := func() {
		text, ok := whole(run)
		is, sound, run = is+text, sound && ok, nil
	}
	for range rapid.IntRange(0, 6).Draw(t, "length") {
		u := rapid.SampledFrom(units).Draw(t, "unit")
		written += u.written
		if len(u.units) > 1 {
			flush()
			is += u.written
			continue
		}
		run = append(run, u.units...)
	}
	flush()
	return written, is, sound
}

// TestHalvesOfCharactersInJSON compares with a reading by UTF-16 units, cut anywhere.
func TestHalvesOfCharactersInJSON(t *testing.T) {
	l := graph.DefaultLimits()
	for _, a := range units {
		for _, b := range append(units, units[0]) {
			for _, c := range []string{"", `\ude00`, `\u0041`, `z`, `\\ud800`} {
				text := a.written + b.written + c
				var decoded string
				if err := json.Unmarshal([]byte(`"`+text+`"`), &decoded); err != nil {
					t.Fatal(err)
				}
				// The decoder puts U+FFFD in the place of each half.
				sound := strings.Count(decoded, "\ufffd") == strings.Count(text, `\ufffd`)
				for _, body := range []string{`{"query": "` + text + `"}`, `{"` + text + `": 1}`, `{"variables": {"x": ["` + text + `"]}}`, `{"extensions": {"x": {"` + text + `": null}}}`, `{"other": "` + text + `"}`} {
					_, whole := graph.ReadJSON(strings.NewReader(body), l)
					_, cut := graph.ReadJSON(iotest.OneByteReader(strings.NewReader(body)), l)
					if (whole == nil) != sound || (cut == nil) != sound {
						t.Fatalf("%s: %v, cut %v; is it sound: %v", body, whole, cut, sound)
					}
					if !sound && (tracker.CodeOf(whole) != tracker.BadInput || !strings.Contains(whole.Error(), "lone surrogate")) {
						t.Fatalf("%s: %v", body, whole)
					}
				}
			}
		}
	}
}

// TestHalvesOfCharacters sends them in each part of a request that has strings, by POST and by GET.
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
			isRefusal(t, s.send(t, http.MethodPost, "", body, "Content-Type", jsonType), http.StatusBadRequest, "lone surrogate")
		})
	}
	for _, parameter := range []string{"variables", "extensions"} {
		v := url.Values{"query": {"{ __typename }"}, parameter: {`{"x": "hunter2\ud800"}`}}
		isRefusal(t, s.send(t, http.MethodGet, "?"+v.Encode(), ""), http.StatusBadRequest, "lone surrogate")
		v.Set(parameter, `{"x": "\ud83d\ude00"}`)
		if a := s.send(t, http.MethodGet, "?"+v.Encode(), ""); a.status != http.StatusOK || a.body != `{"data":{"__typename":"Query"}}` {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	isRefusal(t, s.send(t, http.MethodGet, "?query="+url.QueryEscape(`{ __typename @include(if: "\ud800") }`), "", "Accept", responseType), http.StatusBadRequest, "lone surrogate")
}

// TestHalvesOfCharactersInQueries: the escapes of a string in a query stand for what they stand for in JSON, and halves are refused.
func TestHalvesOfCharactersInQueries(t *testing.T) {
	s := load(t)
	rapid.Check(t, func(t *rapid.T) {
		written, is, sound := strung(t)
		for _, query := range []string{`{ a: node(id: "` + written + `") { id } }`, "# \"\n{ a: node(id: \"" + written + "\")\r\n{ id } }"} {
			joined, err := graph.JoinSurrogates(query)
			if (err == nil) != sound {
				t.Fatalf("%s: %v; is it sound: %v", query, err, sound)
			}
			if !sound {
				return
			}
			if got := firstString(t, joined); got != is {
				t.Fatalf("%q becomes %q, want %q", written, got, is)
			}
			if len([]rune(joined)) != len([]rune(query)) {
				t.Fatalf("%q becomes %q, which moves what follows", query, joined)
			}
		}
	})
	for query, want := range map[string]string{
		`{ a(x: """\ud800 \ud83d\ude00""") }`:         ``, // in which a backslash is a backslash
		`{ a(x: """ \""" \ud800 """, y: "\ud800") }`:  `lone`,
		`{ a(x: """"quoted" \ud800""") }`:             ``,
		`{ a(x: "\ud83d`:                              ``, // which the parser refuses
		"{ a(x: \"\\ud83d\n\\ude00\") }":              ``, // likewise
		`{ a # "\ud800` + "\n}":                       ``,
		`{ a(x: "\\ud800 \\\\ud83d") }`:               ``,
		`{ a(x: "\\\ud800") }`:                        `lone`,
		`{ a(x: "", y: "\udc00") }`:                   `lone`,
		`{ a(x: "\u{1F600}\ud83d\ude00\u{d800}") }`:   ``, // the braces are refused by the parser
		`query($x: String = "\ud800") { __typename }`: `lone`,
	} {
		if _, err := graph.JoinSurrogates(query); (err != nil) != (want != "") {
			t.Errorf("%s: %v", query, err)
		}
	}
	var got struct {
		CreateTenant struct{ Tenant struct{ Name string } }
	}
	s.data(t, `mutation { createTenant(input: {name: "a\ud83d\uDE00b\u00e9"}) { tenant { name } } }`, nil, &got)
	if name := got.CreateTenant.Tenant.Name; name != "a😀bé" {
		t.Errorf("%q", name)
	}
	for query, says := range map[string]string{`mutation { createTenant(input: {name: "a\ud83d"}) { tenant { name } } }`: "lone surrogate", `mutation { createTenant(input: {name: "\u{1F600}"}) { tenant { name } } }`: `Unexpected`} {
		if a := s.ask(t, query, nil); len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.BadInput) || !strings.Contains(a.Errors[0].Message, says) {
			t.Errorf("%s: %+v", query, a)
		}
	}
	a := s.send(t, http.MethodPost, "", request(map[string]any{"query": `{ a: node(id: "\ud83d\ude00") { id } nothing }`}).body, "Content-Type", jsonType)
	if !strings.Contains(a.body, `"locations":[{"line":1,"column":38}]`) {
		t.Errorf("the error is elsewhere: %s", a.body)
	}
}

// TestRequestsThatReadersReadDifferently are refused.
func TestRequestsThatReadersReadDifferently(t *testing.T) {
	s := load(t)
	const query = `"query": "{ __typename }"`
	for name, c := range map[string]struct{ body, says string }{
		"two queries":                      {`{` + query + `, ` + query + `}`, "two members of the same name, `query`"},
		"two queries, one escaped":         {`{` + query + `, "\u0071uery": "{ hunter2 }"}`, "two members of the same name, `query`"},
		"two variables":                    {`{` + query + `, "variables": null, "variables": {"hunter2": 1}}`, "`variables`"},
		"two of what is ignored":           {`{` + query + `, "hunter2": 1, "hunter2": 1}`, "two members"},
		"a variable twice":                 {`{` + query + `, "variables": {"hunter2": 1, "hunter2": 2}}`, "in `variables` of the request has two members"},
		"a member of an input twice":       {`{` + query + `, "variables": {"x": [{"a": {}}, {"hunter2": 1, "b": {"hunter2": 1}, "hunter2": 2}]}}`, "in `variables`"},
		"an extension twice":               {`{` + query + `, "extensions": {"a": 1, "": 2, "": 2}}`, "in `extensions`"},
		"beyond what is compared singly":   {`{` + query + `, "variables": {` + times(40, `"v~": 1, `) + `"v7": 2}}`, "in `variables`"},
		"QUERY":                            {`{"QUERY": "{ __typename }"}`, "differs from `query`"},
		"QUERY beside query":               {`{` + query + `, "Query": "{ hunter2 }"}`, "differs from `query`"},
		"operationname":                    {`{` + query + `, "operationname": "x"}`, "`operationName`"},
		"a letter that folds to one of it": {`{` + query + `, "exten\u017fions": {}}`, "`extensions`"},
		"a query that is a list":           {`{"query": ["hunter2"]}`, "`query` of the request must be a string"},
		"a name that is a number":          {`{` + query + `, "operationName": 5}`, "`operationName` of the request must be a string"},
		"variables that are a string":      {`{` + query + `, "variables": "{\"hunter2\": 1}"}`, "`variables` of the request must be a JSON object"},
		"extensions that are a list":       {`{` + query + `, "extensions": [{"hunter2": 1}]}`, "`extensions` of the request must be a JSON object"},
		"extensions that are true":         {`{` + query + `, "extensions": true}`, "`extensions` of the request must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			isRefusal(t, s.send(t, http.MethodPost, "", c.body, "Content-Type", jsonType), http.StatusBadRequest, c.says)
		})
	}
	for parameters, says := range map[string]string{
		`query={__typename}&query={hunter2}`:                                   "`query` more than once",
		`query={__typename}&variables={}&variables={}`:                         "`variables` more than once",
		`query={__typename}&operationName=&operationName=hunter2`:              "`operationName` more than once",
		`query={__typename}&extensions={}&extensions={}`:                       "`extensions` more than once",
		`query={__typename}&variables={"hunter2":1,"hunter2":2}`:               "`variables` of the URL has two members",
		`query={__typename}&extensions={"x":{"a":1,"a":1}}`:                    "`extensions` of the URL has two members",
		`query={__typename}&variables=[]`:                                      "`variables` of the URL is not a JSON object",
		`query={__typename}&extensions="x"`:                                    "`extensions` of the URL is not a JSON object",
		`query={__typename}&variables={"x":` + strings.Repeat("[", 100) + `1}`: "`variables` of the URL has more than 40 lists",
	} {
		isRefusal(t, s.send(t, http.MethodGet, "?"+strings.NewReplacer(`"`, "%22", "{", "%7b", "}", "%7d", "[", "%5b").Replace(parameters), ""), http.StatusBadRequest, says)
	}
	for _, body := range []string{
		`{` + query + `, "variables": {"query": 1, "QUERY": 2, "Query": {"query": 1}}, "extensions": {"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]}, "other": {"query": "x"}}`,
		`{` + query + `, "x": {"a": 1}, "y": {"a": 1}, "a": [{"a": 1}, {"a": 1}]}`,
		`{` + query + `, "variables": {` + strings.TrimSuffix(times(40, `"v~": {"v~": 1, "v": 1}, `), ", ") + `}}`,
	} {
		if a := s.send(t, http.MethodPost, "", body, "Content-Type", jsonType); a.status != http.StatusOK || a.body != `{"data":{"__typename":"Query"}}` {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
}

// TestTwiceInJSON compares with maps, on random objects.
func TestTwiceInJSON(t *testing.T) {
	l := graph.DefaultLimits()
	rapid.Check(t, func(t *rapid.T) {
		twice := false
		var object func(depth int) string
		object = func(depth int) string {
			seen, out := map[string]bool{}, []string{}
			for range rapid.IntRange(0, 24).Draw(t, "members") {
				name := fmt.Sprint(rapid.IntRange(0, 150).Draw(t, "name"))
				twice = twice || seen[name]
				seen[name] = true
				value := rapid.SampledFrom([]string{"1", "null", `"x"`, `"\"a\":"`, "[]", "{}"}).Draw(t, "value")
				if depth > 0 && rapid.IntRange(0, 5).Draw(t, "deep") == 0 {
					value = "[" + object(depth-1) + "," + object(depth-1) + "]"
				}
				out = append(out, `"`+name+`": `+value)
			}
			return "{" + strings.Join(out, ",") + "}"
		}
		body := object(2)
		_, err := graph.ReadJSON(strings.NewReader(body), l)
		if (err != nil) != twice {
			t.Fatalf("%v: %s", err, body)
		}
	})
}

// firstString is the value of the first string of a query, as the library reads it.
func firstString(t *rapid.T, query string) string {
	lex := lexer.New(&ast.Source{Input: query})
	for {
		token, err := lex.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			t.Fatalf("%q has no string: %v", query, err)
		}
		if token.Kind == lexer.String {
			return token.Value
		}
	}
}
