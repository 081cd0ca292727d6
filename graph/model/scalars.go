package model

import (
	"encoding/json"
	"io"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// Date is a calendar date in canonical form.
type Date string

// DateTime is an instant in canonical form.
type DateTime string

// Int64 is an integer that is encoded as a string.
type Int64 int64

// Scalars has a function for each scalar. It returns an error if a value is not one of the scalar.
var Scalars = map[string]func(any) error{
	"Date":        func(v any) error { return new(Date).UnmarshalGQL(v) },
	"DateTime":    func(v any) error { return new(DateTime).UnmarshalGQL(v) },
	"Int64":       func(v any) error { return new(Int64).UnmarshalGQL(v) },
	"TimeZone":    text("TimeZone takes a string, such as Europe/Berlin"),
	"Color":       text("Color takes a string, such as #1f883d"),
	"LanguageTag": text("LanguageTag takes a string, such as en or pt-BR"),
}

// text returns the function of a scalar that is a string. Its value is checked with the other inputs.
func text(takes string) func(any) error {
	return func(v any) error {
		if _, ok := v.(string); !ok {
			return tracker.Bad("", "%s", takes)
		}
		return nil
	}
}

// MarshalGQL writes the date.
func (d Date) MarshalGQL(w io.Writer) { graphql.MarshalString(string(d)).MarshalGQL(w) }

// UnmarshalGQL parses a date of the form 2026-01-31.
func (d *Date) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return tracker.Bad("", "Date takes a string of the form YYYY-MM-DD, such as 2026-01-31")
	}
	canonical, err := tracker.ParseDate(s)
	*d = Date(canonical)
	return err
}

// MarshalGQL writes the datetime in UTC.
func (d DateTime) MarshalGQL(w io.Writer) { graphql.MarshalString(string(d)).MarshalGQL(w) }

// UnmarshalGQL parses an RFC 3339 datetime.
func (d *DateTime) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return tracker.Bad("", "DateTime takes an RFC 3339 string, such as 2026-01-31T09:30:00Z")
	}
	canonical, err := tracker.ParseDateTime(s)
	*d = DateTime(canonical)
	return err
}

// UnmarshalJSON parses the integer in the JSON of a filter, as UnmarshalGQL does.
func (i *Int64) UnmarshalJSON(b []byte) error {
	var digits string
	if err := json.Unmarshal(b, &digits); err != nil {
		return err
	}
	return i.UnmarshalGQL(digits)
}

// MarshalGQL writes the integer as a string of digits.
func (i Int64) MarshalGQL(w io.Writer) {
	var b [22]byte
	w.Write(append(strconv.AppendInt(append(b[:0], '"'), int64(i), 10), '"'))
}

// UnmarshalGQL parses a string of digits or an integer.
func (i *Int64) UnmarshalGQL(v any) error {
	var literal string
	switch v := v.(type) {
	case string:
		literal = v
	case json.Number:
		literal = v.String()
	case int64:
		literal = strconv.FormatInt(v, 10)
	case int:
		literal = strconv.Itoa(v)
	}
	n, err := strconv.ParseInt(literal, 10, 64)
	if err != nil {
		return tracker.Bad("", "Int64 takes an integer from -9223372036854775808 to 9223372036854775807, "+
			"or a string of its digits")
	}
	*i = Int64(n)
	return nil
}
