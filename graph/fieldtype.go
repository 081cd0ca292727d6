package graph

import (
	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// fieldType is what the API adds to a type of field. The view of a value is in graph/model/value.go.
type fieldType struct {
	// member is the name of the type's member of ValueInput and of CustomFieldFilter.
	member string

	object string // the name of the GraphQL type of a value
	own    string // the name of its own member, beside field and display
	// write makes the writer of that member in a compiled row.
	write func(c *rowCompiler, f graphql.CollectedField, field *tracker.Field) cellWriter
	// stored reports whether the text for people is the one that is stored; otherwise Field.Display makes it.
	stored bool
}

// fieldTypes are looked up once for a value of an input, and once for a column of a grid.
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
	tracker.TypeSelect:  {member: "option", object: "SelectValue", own: "option", write: selected1},
	tracker.TypeMultiSelect: {member: "options", object: "MultiSelectValue", own: "options",
		write: selectedN},
	tracker.TypeTags: {member: "tags", object: "TagsValue", own: "tags", write: tags},
}

// givenValue is a member of ValueInput that is not null.
type givenValue struct {
	member string
	value  tracker.Value
}

// given lists the members that are not null. The schema says that there is one, but the validator does not
// look into variables. Options have their opaque ids.
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

// filters are the members of a filter of a custom field.
func (p *filterParser) filters(f *tracker.Field, in *model.CustomFieldFilter) []filterMember {
	column := f.ID.Column()
	return []filterMember{
		p.text("text", column, in.Text),
		ofField(p, "integer", f, in.Integer, plain(func(i model.Int64) tracker.Value {
			return tracker.Int(int64(i))
		})),
		ofField(p, "number", f, in.Number, plain(tracker.Float)),
		ofField(p, "date", f, in.Date, plain(func(d model.Date) tracker.Value {
			return tracker.Text(string(d))
		})),
		ofField(p, "dateTime", f, in.DateTime,
			plain(func(t model.DateTime) tracker.Value { return tracker.Text(string(t)) })),
		ofField(p, "boolean", f, in.Boolean, plain(tracker.Bool)),
		ofField(p, "option", f, in.Option, p.option(f)),
		p.set("options", f, in.Options, p.option(f)),
		p.set("tags", f, in.Tags, plain(tracker.Text)),
		p.text("user", column, in.User),
		isNull(column, in.IsNull),
	}
}

// option makes values of the opaque ids of options.
func (p *filterParser) option(f *tracker.Field) func(id string) (tracker.Value, error) {
	return func(id string) (tracker.Value, error) {
		option, err := parseOption(&p.definition.Project, f, id)
		return tracker.Text(string(option)), err
	}
}
