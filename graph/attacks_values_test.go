package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Inputs of requests, which are written as literals of a query or as JSON of its variables. They are bool,
// int, string, nil, []any, and:
type (
	// word is what stands in a query as it is, and is a string in JSON: a member of an enum.
	word string
	// raw is written as it is in both: a number, or a text with escapes that no text has.
	raw string
	// object keeps the order of its members, and may have one twice.
	object []member
	member struct {
		name  string
		value any
	}
)

// literal is an input as a query has it.
func literal(v any) string {
	var b strings.Builder
	write(&b, v, false)
	return b.String()
}

// inJSON is an input as the variables of a request have it.
func inJSON(v any) string {
	var b strings.Builder
	write(&b, v, true)
	return b.String()
}

func write(b *strings.Builder, v any, asJSON bool) {
	switch v := v.(type) {
	case raw:
		b.WriteString(string(v))
	case word:
		if asJSON {
			b.WriteString(quoted(string(v)))
		} else {
			b.WriteString(string(v))
		}
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
			if asJSON {
				b.WriteString(quoted(m.name))
			} else {
				b.WriteString(m.name)
			}
			b.WriteByte(':')
			write(b, m.value, asJSON)
		}
		b.WriteByte('}')
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, v)
	}
}

// quoted is a text as JSON has it, which is also a string of GraphQL.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // there is no such text
	}
	return strings.TrimSuffix(b.String(), "\n")
}
