package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Inputs of requests can be written as literals of a query or as JSON of its variables. They are bool, int,
// string, nil, []any, and the following types.
type (
	// word is an enum value: a bare word in a query, and a string in JSON.
	word string
	// raw is written unchanged in both: a number, or a string with escapes that no Go string can produce.
	raw string
	// object keeps the order of its members and may have duplicates.
	object []member
	member struct {
		name  string
		value any
	}
)

// literal formats an input as a GraphQL literal.
func literal(v any) string {
	var b strings.Builder
	write(&b, v, false)
	return b.String()
}

// inJSON formats an input as JSON.
func inJSON(v any) string {
	var b strings.Builder
	write(&b, v, true)
	return b.String()
}

func write(b *strings.Builder, v any, asJSON bool) {
	name := func(s string) string {
		if asJSON {
			return quoted(s)
		}
		return s
	}
	switch v := v.(type) {
	case raw:
		b.WriteString(string(v))
	case word:
		b.WriteString(name(string(v)))
	case string:
		b.WriteString(quoted(v))
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, e, asJSON)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(name(m.name) + ":")
			write(b, m.value, asJSON)
		}
		b.WriteByte('}')
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, v)
	}
}

// quoted formats a string as JSON, which is also a GraphQL string.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // can't happen
	}
	return strings.TrimSuffix(b.String(), "\n")
}
