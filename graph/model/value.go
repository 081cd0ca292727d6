package model

import (
	"slices"

	"context"

	"issuegrid/tracker"
)

// CustomValue is an issue's value of a custom field.
type CustomValue interface{ IsCustomValue() }

// ValueType names what the schema has for a type of custom fields.
type ValueType struct {
	// Object is the GraphQL type of a value.
	Object string
	// Member is the member of ValueInput and CustomFieldFilter for values of the type.
	Member string
	// Selected is the member of the object with the value.
	Selected string
	// Operators are those of the filter for values of the type, besides isNull.
	Operators []FilterOperator
}

// The operators of the filters for the types.
var (
	ofMembers = []FilterOperator{FilterOperatorHasAny, FilterOperatorHasAll, FilterOperatorHasNone}
	ofBoolean = []FilterOperator{FilterOperatorEq, FilterOperatorNeq}
	ofOption  = []FilterOperator{FilterOperatorEq, FilterOperatorNeq, FilterOperatorIn, FilterOperatorNotIn}
	ofNumber  = append(slices.Clone(ofOption), FilterOperatorLt, FilterOperatorLte, FilterOperatorGt,
		FilterOperatorGte, FilterOperatorBetween)
	ofTime = append(slices.Clone(ofNumber), FilterOperatorRelative)
	ofText = append(slices.Clone(ofNumber), FilterOperatorStartsWith, FilterOperatorContains,
		FilterOperatorIs)
	ofUser = append(slices.Clone(ofText), FilterOperatorIsMe, FilterOperatorIsNameOnly)
)

// ValueTypes has what the schema has for each type.
var ValueTypes = map[tracker.FieldType]ValueType{
	tracker.TypeText:        {"TextValue", "text", "text", ofText},
	tracker.TypeLongText:    {"LongTextValue", "text", "text", ofText},
	tracker.TypeUser:        {"UserValue", "user", "name", ofUser},
	tracker.TypeDate:        {"DateValue", "date", "date", ofTime},
	tracker.TypeDateTime:    {"DateTimeValue", "dateTime", "dateTime", ofTime},
	tracker.TypeInteger:     {"IntegerValue", "integer", "integer", ofNumber},
	tracker.TypeNumber:      {"NumberValue", "number", "number", ofNumber},
	tracker.TypeBoolean:     {"BooleanValue", "boolean", "boolean", ofBoolean},
	tracker.TypeSelect:      {"SelectValue", "option", "option", ofOption},
	tracker.TypeMultiSelect: {"MultiSelectValue", "options", "options", ofMembers},
	tracker.TypeTags:        {"TagsValue", "tags", "tags", ofMembers},
}

// cell holds what all value types share.
type cell struct {
	issue *Issue
	field *tracker.Field
	value tracker.Value
}

// IsCustomValue implements CustomValue.
func (cell) IsCustomValue() {}

// Field returns the field that the value belongs to.
func (c cell) Field() *CustomField {
	return &CustomField{Field: c.field, Definition: c.issue.Definition, Loaders: c.issue.Loaders}
}

// Display formats the value for people. Types with possibly long texts override it.
func (c cell) Display() string { return c.field.Display(c.value) }

// View returns the issue's value of f, or nil if it has none.
func (i *Issue) View(f *tracker.Field) CustomValue { return i.view(f, i.Issue.Values[f.ID]) }

// view returns the view of v, a current or former value of f.
func (i *Issue) view(f *tracker.Field, v tracker.Value) CustomValue {
	if v.Kind == tracker.KindNone {
		return nil
	}
	c := cell{issue: i, field: f, value: v}
	switch f.Type {
	case tracker.TypeText:
		return &TextValue{c}
	case tracker.TypeLongText:
		return &LongTextValue{c}
	case tracker.TypeInteger:
		return &IntegerValue{c}
	case tracker.TypeNumber:
		return &NumberValue{c}
	case tracker.TypeDate:
		return &DateValue{c}
	case tracker.TypeDateTime:
		return &DateTimeValue{c}
	case tracker.TypeBoolean:
		return &BooleanValue{c}
	case tracker.TypeSelect:
		return &SelectValue{c}
	case tracker.TypeMultiSelect:
		return &MultiSelectValue{c}
	case tracker.TypeTags:
		return &TagsValue{c}
	case tracker.TypeUser:
		return &UserValue{c}
	}
	return nil
}

func (c cell) text(ctx context.Context) (string, error) {
	return c.issue.LongText(ctx, c.field.ID.Column(), c.value)
}

// TextValue is the value of a TEXT field.
type TextValue struct{ cell }

// Display returns the text.
func (v *TextValue) Display(ctx context.Context) (string, error) { return v.text(ctx) }

// Text returns the text.
func (v *TextValue) Text(ctx context.Context) (string, error) { return v.text(ctx) }

// LongTextValue is the value of a LONG_TEXT field.
type LongTextValue struct{ cell }

// Display returns the text.
func (v *LongTextValue) Display(ctx context.Context) (string, error) { return v.text(ctx) }

// Text returns the text.
func (v *LongTextValue) Text(ctx context.Context) (string, error) { return v.text(ctx) }

// Bytes returns the length of the text in bytes.
func (v *LongTextValue) Bytes() int32 {
	if v.value.Kind == tracker.KindLong {
		return int32(v.value.Long().Bytes)
	}
	return int32(len(v.value.Text()))
}

// Excerpt returns the beginning of the text, or nil if the document does not have it.
func (v *LongTextValue) Excerpt() *string {
	if v.value.Kind != tracker.KindLong {
		s := tracker.Excerpt(v.value.Text())
		return &s
	}
	if s := v.value.Long().Excerpt; s != "" {
		return &s
	}
	return nil
}

// IntegerValue is the value of an INTEGER field.
type IntegerValue struct{ cell }

// Integer returns the integer.
func (v *IntegerValue) Integer() Int64 { return Int64(v.value.Int()) }

// NumberValue is the value of a NUMBER field.
type NumberValue struct{ cell }

// Number returns the number.
func (v *NumberValue) Number() float64 { return v.value.Float() }

// DateValue is the value of a DATE field.
type DateValue struct{ cell }

// Date returns the date.
func (v *DateValue) Date() Date { return Date(v.value.Text()) }

// DateTimeValue is the value of a DATETIME field.
type DateTimeValue struct{ cell }

// DateTime returns the instant.
func (v *DateTimeValue) DateTime() DateTime { return DateTime(v.value.Text()) }

// BooleanValue is the value of a BOOLEAN field.
type BooleanValue struct{ cell }

// Boolean returns the value.
func (v *BooleanValue) Boolean() bool { return v.value.Bool() }

// SelectValue is the value of a SELECT field.
type SelectValue struct{ cell }

// Option returns the selected option.
func (v *SelectValue) Option() *Option { return v.option(v.value.Text()) }

// option returns an option. If the field lacks it, its name is its id.
func (c cell) option(id string) *Option {
	o, ok := c.field.Option(tracker.OptionID(id))
	if !ok {
		o = tracker.Option{ID: tracker.OptionID(id), Name: id}
	}
	return &Option{Option: o, field: c.field, project: &c.issue.Definition.Project}
}

// MultiSelectValue is the value of a MULTI_SELECT field.
type MultiSelectValue struct{ cell }

// Options returns the selected options.
func (v *MultiSelectValue) Options() []*Option {
	out := make([]*Option, len(v.value.Set()))
	for i, id := range v.value.Set() {
		out[i] = v.option(id)
	}
	return out
}

// TagsValue is the value of a TAGS field.
type TagsValue struct{ cell }

// Tags returns the tags.
func (v *TagsValue) Tags() []string { return v.value.Set() }

// UserValue is the value of a USER field.
type UserValue struct{ cell }

// Name returns the user's name.
func (v *UserValue) Name() string { return v.value.Text() }

// User returns the user that the value refers to, or nil.
func (v *UserValue) User(ctx context.Context) (*User, error) {
	return v.issue.user(ctx, v.value.User())
}
