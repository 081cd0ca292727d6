package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
)

func TestManifests(t *testing.T) {
	schema, l := guardtest.SchemaFile(t, "../../schema.graphqls"), guard.DefaultLimits()
	const apollo = `{"format": "apollo-persisted-query-manifest", "version": 1`
	operation := func(id, body string) string {
		return fmt.Sprintf(apollo+`, "operations": [{"id": "a", "body": "{ __typename }"}, {"id": %q, "body": %q}]}`,
			id, body)
	}
	for name, c := range map[string]struct{ text, says string }{
		"no JSON":        {`{`, "JSON"},
		"a list":         {`[]`, "JSON"},
		"nothing":        {`{}`, "no operations"},
		"no operations":  {apollo + `, "operations": []}`, "no operations"},
		"another format": {`{"format": "x", "version": 1, "operations": []}`, `"x"`},
		"another version": {
			`{"format": "apollo-persisted-query-manifest", "version": 2, "operations": []}`, "version 2"},
		"other operations":     {apollo + `, "operations": 5}`, "operations"},
		"neither":              {apollo + `}`, "Relay"},
		"no id":                {operation("", "{ __typename }"), "`id`"},
		"no body":              {operation("b", ""), "`body`"},
		"an id twice":          {operation("a", "{ b: __typename }"), `"a"`},
		"a syntax error":       {operation("b", "{ __typename"), `"b"`},
		"no operation":         {operation("b", "fragment F on Query { __typename }"), "no operation"},
		"an unknown field":     {operation("b", "{ nothing }"), "nothing"},
		"fields that conflict": {operation("b", `{ a: __typename a: node(id: "x") { id } }`), "conflict"},
		"beyond a limit":       {operation("b", "{"+strings.Repeat(" __typename", 20_000)+"}"), "Tokens"},
		"in Relay's format":    {`{"a": "{ nothing }"}`, `"a"`},
	} {
		if _, err := guard.ParseManifest([]byte(c.text), schema, l); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", name, err, c.says)
		}
	}
	for _, l := range []guard.Limits{l, {}} {
		if _, err := guard.ParseManifest([]byte(operation("a", "{ __typename }")), schema, l); err != nil {
			t.Errorf("the same operation twice: %v", err)
		}
	}
}
