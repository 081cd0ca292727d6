package graph

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// fieldType describes a custom field type in the API. The GraphQL types of values are in
// graph/model/value.go.
type fieldType struct {
	// member is the name of the member of ValueInput and CustomFieldFilter for this type.
	member string

	object string // GraphQL type of a value
	own    string // its member besides field and display
	// write compiles that member.
	write func(c *rowCompiler, f graphql.CollectedField, field *tracker.Field) cellWriter
	// stored reports whether the display string is the stored one; otherwise Field.Display computes it.
	stored bool
}

// fieldTypes describes each field type. It is read once per input value and once per column of a grid.
var fieldTypes = map[tracker.FieldType]fieldType{
	tracker.TypeText: {member: "text", object: "TextValue", own: "text", write: stored, stored: true},
	tracker.TypeLongText: {member: "text", object: "LongTextValue", own: "text", write: stored,
		stored: true},
	tracker.TypeUser: {member: "user", object: "UserValue", own: "user", write: stored, stored: true},
	tracker.TypeDate: {member: "date", object: "DateValue", own: "date", write: stored, stored: true},
	tracker.TypeDateTime: {member: "dateTime", object: "DateTimeValue", own: "dateTime", write: stored,
		stored: true},
	tracker.TypeInteger: {member: "integer", object: "IntegerValue", own: "integer", write: stored,
		stored: true},
	tracker.TypeNumber:  {member: "number", object: "NumberValue", own: "number", write: number64},
	tracker.TypeBoolean: {member: "boolean", object: "BooleanValue", own: "boolean", write: boolean},
	tracker.TypeSelect:  {member: "option", object: "SelectValue", own: "option", write: selectOption},
	tracker.TypeMultiSelect: {member: "options", object: "MultiSelectValue", own: "options",
		write: selectOptions},
	tracker.TypeTags: {member: "tags", object: "TagsValue", own: "tags", write: tags},
}

// givenValue is a non-null member of ValueInput.
type givenValue struct {
	member string
	value  tracker.Value
}

// given returns the non-null members. The schema allows only one, but the validator does not check variables
// for this. Options are opaque ids.
func given(in *model.ValueInput) []givenValue {
	var out []givenValue
	add := func(member string, v tracker.Value) { out = append(out, givenValue{member, v}) }
	if in.Text != nil {
		add("text", tracker.Text(*in.Text))
	}
	if in.Integer != nil {
		add("integer", tracker.Int(int64(*in.Integer)))
	}
	if in.Number != nil {
		add("number", tracker.Float(*in.Number))
	}
	if in.Date != nil {
		add("date", tracker.Text(string(*in.Date)))
	}
	if in.DateTime != nil {
		add("dateTime", tracker.Text(string(*in.DateTime)))
	}
	if in.Boolean != nil {
		add("boolean", tracker.Bool(*in.Boolean))
	}
	if in.Option != nil {
		add("option", tracker.Text(*in.Option))
	}
	if in.Options != nil {
		add("options", tracker.Set(in.Options))
	}
	if in.Tags != nil {
		add("tags", tracker.Set(in.Tags))
	}
	if in.User != nil {
		add("user", tracker.Text(*in.User))
	}
	return out
}

// filters returns the members of a filter of a custom field.
func (p *filterParser) filters(f *tracker.Field, in *model.CustomFieldFilter) []filterMember {
	column := f.ID.Column()
	return []filterMember{
		p.text("text", column, in.Text),
		ofField(p, "integer", f, in.Integer, plain(func(i model.Int64) tracker.Value {
			return tracker.Int(int64(i))
		})),
		ofField(p, "number", f, in.Number, plain(tracker.Float)),
		p.dates("date", f, in.Date),
		p.times("dateTime", f, in.DateTime),
		ofField(p, "boolean", f, in.Boolean, plain(tracker.Bool)),
		ofField(p, "option", f, in.Option, p.option(f)),
		p.set("options", f, in.Options, p.option(f)),
		p.set("tags", f, in.Tags, plain(tracker.Text)),
		p.user("user", column, in.User),
		isNull(column, in.IsNull),
	}
}

// option returns a function that converts the id or name of an option to a value.
func (p *filterParser) option(f *tracker.Field) func(given string) (tracker.Value, error) {
	return func(given string) (tracker.Value, error) {
		option, err := parseOption(&p.definition.Project, f, given)
		if err == nil {
			return tracker.Text(string(option)), nil
		}
		option, ok, err := p.names.option(p.account, f, given)
		if ok || err != nil {
			return tracker.Text(string(option)), err
		}
		return tracker.Value{}, tracker.Bad("", "the field %q has no option with the id or name %q", f.Name,
			given).MayBeOutdated()
	}
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

// Definitions are the same in every row, so their JSON is encoded once.

// field encodes the definition of a field.
func (c *rowCompiler) field(f graphql.CollectedField, field *tracker.Field) cellWriter {
	view := model.CustomField{Field: field, Definition: c.definition}
	write := c.object(f, "CustomField", []string{"Node"}, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "id":
			return constant(appendString(nil, view.ID()))
		case "name":
			return constant(appendString(nil, view.Name()))
		case "description":
			return constant(appendString(nil, view.Description()))
		case "type":
			return constant(appendString(nil, string(view.Type())))
		case "required":
			return constant(strconv.AppendBool(nil, view.Required()))
		case "sortable":
			return constant(strconv.AppendBool(nil, view.Sortable()))
		case "filterable":
			return constant(strconv.AppendBool(nil, view.Filterable()))
		case "position":
			return constant(strconv.AppendInt(nil, int64(view.Position()), 10))
		case "options":
			return c.options(f, view.Options())
		case "archived":
			return constant(strconv.AppendBool(nil, view.Archived()))
		case "rebuilding":
			return constant(strconv.AppendBool(nil, view.Rebuilding()))
		}
		return nil
	})
	if write == nil {
		return nil
	}
	b, _ := write(nil, row{})
	return constant(b)
}

func (c *rowCompiler) options(f graphql.CollectedField, all []*model.Option) cellWriter {
	answer := &session(c.ctx).answer
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
		if answer.countRow(c.ctx, len(b), len(list)); len(list) > c.maxBytes || !answer.active(c.ctx) {
			return nil // the executor reaches the same limit
		}
	}
	return constant(append(list, ']'))
}

// option encodes an option of a field. It returns nil if the selection is not compiled.
func (c *rowCompiler) option(f graphql.CollectedField, o *model.Option) []byte {
	write := c.object(f, "Option", nil, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "id":
			return constant(appendString(nil, o.ID()))
		case "name":
			return constant(appendString(nil, o.Name()))
		case "color":
			return constant(appendNullable(nil, o.Color()))
		}
		return nil
	})
	if write == nil {
		return nil
	}
	b, _ := write(nil, row{})
	return b
}

func (c *rowCompiler) description(b []byte, r row) ([]byte, error) {
	d, err := r.issue.Description(c.ctx)
	if d == nil {
		return append(b, "null"...), err
	}
	return appendString(b, *d), err
}

var errNotCompiled = errors.New("not compiled")

// state encodes each state of the project once; rows copy the JSON.
func (c *rowCompiler) state(f graphql.CollectedField) cellWriter {
	states := map[tracker.OptionID][]byte{}
	for _, s := range (model.Project{Project: &c.definition.Project}).States() {
		write := c.object(f, "State", nil, func(f graphql.CollectedField) cellWriter {
			switch f.Name {
			case "id":
				return constant(appendString(nil, s.ID()))
			case "name":
				return constant(appendString(nil, s.Name()))
			case "open":
				return constant(strconv.AppendBool(nil, s.Open()))
			case "color":
				return constant(appendNullable(nil, s.Color()))
			}
			return nil
		})
		if write == nil {
			return nil
		}
		states[s.State.ID], _ = write(nil, row{})
	}
	return func(b []byte, r row) ([]byte, error) {
		state, ok := states[r.issue.Issue.State]
		if !ok {
			return nil, errNotCompiled
		}
		return append(b, state...), nil
	}
}
