package graph

import (
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// givenValue is a non-null member of ValueInput.
type givenValue struct {
	member string
	value  tracker.Value
}

// byID is the member of ValueInput that takes ids, for the member that takes names.
var byID = map[string]string{"option": "optionId", "options": "optionIds", "user": "userId"}

// given returns the non-null members. The schema allows only one, but the validator does not check variables
// for this. Options are opaque ids or names.
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
	if in.OptionID != nil {
		add("optionId", tracker.Text(*in.OptionID))
	}
	if in.Option != nil {
		add("option", tracker.Text(*in.Option))
	}
	if in.OptionIds != nil {
		add("optionIds", tracker.Set(in.OptionIds))
	}
	if in.Options != nil {
		add("options", tracker.Set(in.Options))
	}
	if in.Tags != nil {
		add("tags", tracker.Set(in.Tags))
	}
	if in.UserID != nil {
		add("userId", tracker.Text(*in.UserID))
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
		p.option("option", column, in.Option, operandOf(f, p.optionValue(f, p.optionNamed)),
			operandOf(f, p.optionValue(f, p.choices.option))),
		p.options("options", f, in.Options),
		p.tags("tags", f, in.Tags),
		p.userField("user", f, in.User),
		isNull(column, in.IsNull),
	}
}

// optionValue returns a function that converts a reference to an option of a field to a value.
func (p *filterParser) optionValue(f *tracker.Field,
	find func(*tracker.Field, string) (tracker.OptionID, error)) func(string) (tracker.Value, error) {
	return func(given string) (tracker.Value, error) {
		option, err := find(f, given)
		return tracker.Text(string(option)), err
	}
}
