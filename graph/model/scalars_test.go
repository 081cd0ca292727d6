package model_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// scalar is a scalar of the schema.
type scalar interface {
	UnmarshalGQL(v any) error
	MarshalGQL(w io.Writer)
}

// reads checks what a scalar accepts and how it is written. Inputs are mapped to JSON, empty if refused.
type reads struct {
	input any
	want  string
}

func (c reads) check(t *testing.T, into scalar) {
	t.Helper()
	err := into.UnmarshalGQL(c.input)
	if c.want == "" {
		if tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("%T %v: want BAD_USER_INPUT, got %v", c.input, c.input, err)
		}
		return
	}
	var got bytes.Buffer
	if into.MarshalGQL(&got); err != nil || got.String() != c.want {
		t.Errorf("%T %v: %v, got %s, want %s", c.input, c.input, err, &got, c.want)
	}
}

func TestInt64(t *testing.T) {
	for _, c := range []reads{
		{"9223372036854775807", `"9223372036854775807"`}, {"-9223372036854775808", `"-9223372036854775808"`},
		{"0", `"0"`}, {"-0", `"0"`}, {"007", `"7"`},
		{json.Number("9007199254740993"), `"9007199254740993"`}, {int64(-1 << 63), `"-9223372036854775808"`},
		{5, `"5"`},
		{"9223372036854775808", ""}, {"-9223372036854775809", ""}, {json.Number("9223372036854775808"), ""},
		{json.Number("1.0"), ""}, {json.Number("1e3"), ""},
		{1.0, ""}, {"", ""}, {" 1", ""}, {"1e3", ""}, {"1_000", ""}, {"0x1", ""}, {"one", ""}, {true, ""},
		{nil, ""},
		{[]any{"1"}, ""}, {map[string]any{}, ""},
	} {
		c.check(t, new(model.Int64))
	}
}

func TestDate(t *testing.T) {
	for _, c := range []reads{
		{"2024-02-29", `"2024-02-29"`}, {"0001-01-01", `"0001-01-01"`}, {"9999-12-31", `"9999-12-31"`},
		{"2023-02-29", ""}, {"0000-12-31", ""}, {"10000-01-01", ""}, {"2024-2-9", ""},
		{"2024-02-29T00:00:00Z", ""}, {"2024-02-29 ", ""}, {"", ""}, {20240229, ""}, {nil, ""},
		{json.Number("1"), ""},
	} {
		c.check(t, new(model.Date))
	}
}

func TestDateTime(t *testing.T) {
	for _, c := range []reads{
		{"2024-02-29T12:00:00Z", `"2024-02-29T12:00:00Z"`},
		{"2024-02-29T12:00:00.120Z", `"2024-02-29T12:00:00.12Z"`},
		{"2024-02-29T12:00:00.1234567Z", `"2024-02-29T12:00:00.123456Z"`},
		{"2024-02-29T00:30:00+01:00", `"2024-02-28T23:30:00Z"`},
		{"2024-02-28T23:30:00-23:59", `"2024-02-29T23:29:00Z"`},
		{"0001-01-01T00:00:00Z", `"0001-01-01T00:00:00Z"`},
		{"9999-12-31T23:59:59.999999Z", `"9999-12-31T23:59:59.999999Z"`},
		{"9999-12-31T23:59:59-00:01", ""}, {"0001-01-01T00:00:00+00:01", ""}, {"0000-06-01T00:00:00Z", ""},
		{"2024-02-30T12:00:00Z", ""}, {"2024-02-29T24:00:00Z", ""}, {"2024-02-29T25:00:00Z", ""},
		{"2024-02-29T12:00:00", ""}, {"2024-02-29 12:00:00Z", ""}, {"2024-02-29", ""}, {"", ""},
		{1709208000, ""}, {nil, ""}, {true, ""},
	} {
		c.check(t, new(model.DateTime))
	}
}
