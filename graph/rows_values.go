package graph

import (
	"bytes"
	"context"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// display writes the display string of a value, for the types that compute it.
func display(field *tracker.Field) cellWriter {
	return func(b []byte, r row) ([]byte, error) {
		return appendString(b, field.Display(r.issue.Issue.Values[field.ID])), nil
	}
}

// storedText writes the string stored in the document. For a long text, it writes the loaded string.
func storedText(ctx context.Context, field *tracker.Field) cellWriter {
	return func(b []byte, r row) ([]byte, error) {
		v := r.issue.Issue.Values[field.ID]
		if v.Kind != tracker.KindLong {
			return appendString(b, v.Text()), nil
		}
		s, err := r.issue.LongText(ctx, field.ID.Column(), v)
		return appendString(b, s), err
	}
}

func stored(c *rowCompiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return storedText(c.ctx, field)
}

func number64(_ *rowCompiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return func(b []byte, r row) ([]byte, error) {
		return strconv.AppendFloat(b, r.issue.Issue.Values[field.ID].Float(), 'g', -1, 64), nil
	}
}

func boolean(_ *rowCompiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return func(b []byte, r row) ([]byte, error) {
		return strconv.AppendBool(b, r.issue.Issue.Values[field.ID].Bool()), nil
	}
}

// options returns a function that writes the option with a given id. Each option is encoded when the first
// value refers to it, because a field may have hundreds of options and a page uses few of them. It returns
// nil if the selection is not compiled.
func options(c *rowCompiler, f graphql.CollectedField, field *tracker.Field) func(b []byte,
	id string) ([]byte, error) {
	view := model.CustomField{Field: field, Definition: c.definition}
	if len(field.Options) > 0 && c.option(f, view.Option(field.Options[0].ID)) == nil {
		return nil
	}
	known := map[string][]byte{}
	return func(b []byte, id string) ([]byte, error) {
		option, ok := known[id]
		if !ok {
			o := view.Option(tracker.OptionID(id))
			if o == nil {
				return nil, errNotCompiled
			}
			option = c.option(f, o)
			known[id] = option
		}
		return append(b, option...), nil
	}
}

func selectOption(c *rowCompiler, f graphql.CollectedField, field *tracker.Field) cellWriter {
	write := options(c, f, field)
	if write == nil {
		return nil
	}
	return func(b []byte, r row) ([]byte, error) {
		return write(b, r.issue.Issue.Values[field.ID].Text())
	}
}

func selectOptions(c *rowCompiler, f graphql.CollectedField, field *tracker.Field) cellWriter {
	write := options(c, f, field)
	if write == nil {
		return nil
	}
	return list(field, write)
}

func tags(_ *rowCompiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return list(field, func(b []byte, tag string) ([]byte, error) { return appendString(b, tag), nil })
}

func list(field *tracker.Field, member func(b []byte, item string) ([]byte, error)) cellWriter {
	return func(b []byte, r row) (_ []byte, err error) {
		b = append(b, '[')
		for i, item := range r.issue.Issue.Values[field.ID].Set() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = member(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
}

func stringMember(of func(*model.Issue) string) cellWriter {
	return func(b []byte, r row) ([]byte, error) { return appendString(b, of(r.issue)), nil }
}

func intMember(of func(*model.Issue) int64) cellWriter {
	return func(b []byte, r row) ([]byte, error) { return strconv.AppendInt(b, of(r.issue), 10), nil }
}

func nullableMember(of func(*model.Issue) *string) cellWriter {
	return func(b []byte, r row) ([]byte, error) { return appendNullable(b, of(r.issue)), nil }
}

// appendNullable appends s as a JSON string, or null if it is nil.
func appendNullable(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendString(b, *s)
}

// appendString appends s as a JSON string, encoded as by gqlgen.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			buffer := bytes.NewBuffer(b)
			graphql.MarshalString(s).MarshalGQL(buffer)
			return buffer.Bytes()
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
