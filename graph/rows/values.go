package rows

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// valueType says how the values of a type of custom fields are written.
type valueType struct {
	// write compiles the member of the value that model.ValueTypes names.
	write func(c *compiler, f graphql.CollectedField, field *tracker.Field) cellWriter
	// stored reports whether the display string is the stored one; otherwise Field.Display computes it.
	stored bool
}

var valueTypes = map[tracker.FieldType]valueType{
	tracker.TypeText:        {write: stored, stored: true},
	tracker.TypeLongText:    {write: stored, stored: true},
	tracker.TypeUser:        {write: stored, stored: true},
	tracker.TypeDate:        {write: stored, stored: true},
	tracker.TypeDateTime:    {write: stored, stored: true},
	tracker.TypeInteger:     {write: stored, stored: true},
	tracker.TypeNumber:      {write: number64},
	tracker.TypeBoolean:     {write: boolean},
	tracker.TypeSelect:      {write: selectOption},
	tracker.TypeMultiSelect: {write: selectOptions},
	tracker.TypeTags:        {write: tags},
}

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

func stored(c *compiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return storedText(c.ctx, field)
}

func number64(_ *compiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return func(b []byte, r row) ([]byte, error) {
		return strconv.AppendFloat(b, r.issue.Issue.Values[field.ID].Float(), 'g', -1, 64), nil
	}
}

func boolean(_ *compiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
	return func(b []byte, r row) ([]byte, error) {
		return strconv.AppendBool(b, r.issue.Issue.Values[field.ID].Bool()), nil
	}
}

// options returns a function that writes the option with a given id. Each option is encoded when the first
// value refers to it, because a field may have hundreds of options and a page uses few of them. It returns
// nil if the selection is not compiled.
func options(c *compiler, f graphql.CollectedField, field *tracker.Field) func(b []byte,
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

func selectOption(c *compiler, f graphql.CollectedField, field *tracker.Field) cellWriter {
	write := options(c, f, field)
	if write == nil {
		return nil
	}
	return func(b []byte, r row) ([]byte, error) {
		return write(b, r.issue.Issue.Values[field.ID].Text())
	}
}

func selectOptions(c *compiler, f graphql.CollectedField, field *tracker.Field) cellWriter {
	write := options(c, f, field)
	if write == nil {
		return nil
	}
	return list(field, write)
}

func tags(_ *compiler, _ graphql.CollectedField, field *tracker.Field) cellWriter {
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

// field encodes the definition of a field.
func (c *compiler) field(f graphql.CollectedField, field *tracker.Field) cellWriter {
	view := model.CustomField{Field: field, Definition: c.definition}
	json := c.shared(f, "CustomField", []string{"Node"}, func(f graphql.CollectedField) []byte {
		switch f.Name {
		case "id":
			return appendString(nil, view.ID())
		case "name":
			return appendString(nil, view.Name())
		case "description":
			return appendNullable(nil, view.Description())
		case "type":
			return appendString(nil, string(view.Type()))
		case "required":
			return strconv.AppendBool(nil, view.Required())
		case "sortable":
			return strconv.AppendBool(nil, view.Sortable())
		case "operators":
			return Operators(view.Operators())
		case "position":
			return strconv.AppendInt(nil, int64(view.Position()), 10)
		case "options":
			return c.options(f, view.Options())
		case "archived":
			return strconv.AppendBool(nil, view.Archived())
		case "version":
			return strconv.AppendInt(nil, int64(view.Version()), 10)
		case "rebuilding":
			return strconv.AppendBool(nil, view.Rebuilding())
		}
		return nil
	})
	if json == nil {
		return nil
	}
	return constant(json)
}

// Operators encodes a list of operators.
func Operators(all []model.FilterOperator) []byte {
	list := []byte{'['}
	for i, o := range all {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendString(list, string(o))
	}
	return append(list, ']')
}

func (c *compiler) options(f graphql.CollectedField, all []*model.Option) []byte {
	list := []byte{'['}
	for i, o := range all {
		if i > 0 {
			list = append(list, ',')
		}
		b := c.option(f, o)
		if b == nil {
			return nil
		}
		list = append(list, b...)
		if c.answer.Count(c.ctx, len(b), len(list)); len(list) > c.room || !c.answer.Active(c.ctx) {
			return nil // the executor reaches the same limit
		}
	}
	return append(list, ']')
}

// option encodes an option of a field. It returns nil if the selection is not compiled.
func (c *compiler) option(f graphql.CollectedField, o *model.Option) []byte {
	return c.shared(f, "Option", nil, func(f graphql.CollectedField) []byte {
		switch f.Name {
		case "id":
			return appendString(nil, o.ID())
		case "name":
			return appendString(nil, o.Name())
		case "color":
			return appendNullable(nil, o.Color())
		}
		return nil
	})
}

func (c *compiler) description(b []byte, r row) ([]byte, error) {
	d, err := r.issue.Description(c.ctx)
	if d == nil {
		return append(b, "null"...), err
	}
	return appendString(b, *d), err
}

var errNotCompiled = errors.New("not compiled")

// state encodes each state of the project once; rows copy the JSON.
func (c *compiler) state(f graphql.CollectedField) cellWriter {
	states := map[tracker.OptionID][]byte{}
	for _, s := range (model.Project{Project: &c.definition.Project}).States() {
		json := c.shared(f, "State", nil, func(f graphql.CollectedField) []byte {
			switch f.Name {
			case "id":
				return appendString(nil, s.ID())
			case "name":
				return appendString(nil, s.Name())
			case "open":
				return strconv.AppendBool(nil, s.Open())
			case "color":
				return appendNullable(nil, s.Color())
			}
			return nil
		})
		if json == nil {
			return nil
		}
		states[s.State.ID] = json
	}
	return func(b []byte, r row) ([]byte, error) {
		state, ok := states[r.issue.Issue.State]
		if !ok {
			return nil, errNotCompiled
		}
		return append(b, state...), nil
	}
}
