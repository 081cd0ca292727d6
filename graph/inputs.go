package graph

import (
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// maxValues is the maximum number of values of one input: the maximum number of fields of a project.
const maxValues = tracker.MaxFields

// parseValues converts values and checks them against the definition of the project. A field whose value is
// to be removed has the zero Value in the result.
func parseValues(d *tracker.Definition, inputs []*model.CustomValueInput) (map[tracker.FieldID]tracker.Value,
	error) {
	if len(inputs) > maxValues {
		return nil, tracker.Bad("values", "%d values; the limit is %d", len(inputs), maxValues)
	}
	values := make(map[tracker.FieldID]tracker.Value, len(inputs))
	var wrong []error
	for i, in := range inputs {
		at := "values" + index(i)
		f, err := givenField(d, at+".field", in.Field)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		if _, twice := values[f.ID]; twice {
			wrong = append(wrong, tracker.Bad(at+".field", "the field %q is given twice", f.Name))
			continue
		}
		if values[f.ID], err = parseValue(d, f, in.Value); err == nil {
			err = tracker.At(fieldTypes[f.Type].member, f.CheckNames(values[f.ID]))
		}
		if err == nil {
			err = f.CheckWrite(values[f.ID])
		}
		wrong = append(wrong, tracker.At(at+".value", err))
	}
	return values, tracker.Join(wrong...)
}

// givenField returns the field with an id. Its error has the given path.
func givenField(d *tracker.Definition, path, id string) (*tracker.Field, error) {
	f, err := model.FieldOf(d, id)
	if err != nil {
		return nil, tracker.Bad(path, "the project has no such field; give the id of one of its own fields")
	}
	return f, nil
}

// parseValue converts the given member of in. Exactly one member must be given, and it must fit the type of
// the field. If in is nil, it returns the zero Value.
func parseValue(d *tracker.Definition, f *tracker.Field, in *model.ValueInput) (tracker.Value, error) {
	if in == nil {
		return tracker.Value{}, f.Check(tracker.Value{})
	}
	if f.Archived {
		return tracker.Value{}, tracker.Bad("", "the field %q is archived, and takes no values", f.Name)
	}
	given := given(in)
	if len(given) != 1 {
		return tracker.Value{}, tracker.Bad("", "give exactly one of the members of ValueInput; %d are given",
			len(given))
	}
	if fits := fieldTypes[f.Type].member; given[0].member != fits {
		return tracker.Value{}, tracker.Bad(given[0].member, "the field %q is of type %s and takes `%s`",
			f.Name, f.Type, fits)
	}
	v := given[0].value
	var err error
	switch {
	case f.Type.HasOptions() && f.Type.Kind() == tracker.KindSet:
		v, err = parseOptions(&d.Project, f, v.Set())
	case f.Type.HasOptions():
		var option tracker.OptionID
		option, err = parseOption(&d.Project, f, v.Text())
		v = tracker.Text(string(option))
	}
	if err == nil {
		err = f.Check(v)
	}
	return v, tracker.At(given[0].member, err)
}

// parseNewIssue converts and checks a new issue. The error joins all problems found.
func parseNewIssue(d *tracker.Definition, in *model.NewIssueInput) (tracker.Issue, error) {
	issue := tracker.Issue{Name: in.Name, State: d.Project.States[0].ID}
	wrong := []error{tracker.CheckIssueName("name", in.Name)}
	var err error
	if in.State != nil {
		issue.State, err = parseState(&d.Project, *in.State)
		wrong = append(wrong, tracker.At("state", err))
	}
	if in.Description != nil {
		issue.Description = tracker.Text(*in.Description)
		wrong = append(wrong, checkDescription(*in.Description))
	}
	issue.Values, err = parseValues(d, in.Values)
	wrong = append(wrong, err)
	for _, f := range d.Fields {
		if _, given := issue.Values[f.ID]; f.Required && !f.Archived && !given {
			wrong = append(wrong, tracker.Bad("values", "the field %q is required and must have a value",
				f.Name))
		}
	}
	return issue, tracker.Join(wrong...)
}

// parseChange converts and checks a change of issues. The error joins all problems found.
func parseChange(d *tracker.Definition, in *model.IssueChangeInput) (tracker.Change, error) {
	c := tracker.Change{Name: in.Name, Description: in.Description}
	var wrong []error
	if in.Name != nil {
		wrong = append(wrong, tracker.CheckIssueName("name", *in.Name))
	}
	if in.State != nil {
		state, err := parseState(&d.Project, *in.State)
		c.State = &state
		wrong = append(wrong, tracker.At("state", err))
	}
	if in.Description != nil {
		wrong = append(wrong, checkDescription(*in.Description))
	}
	var err error
	c.Values, err = parseValues(d, in.Values)
	return c, tracker.Join(append(wrong, err)...)
}

func checkDescription(text string) error {
	if len(text) > tracker.MaxText {
		return tracker.Bad("description", "the description has %d bytes; the limit is %d", len(text),
			tracker.MaxText)
	}
	return nil
}

func int64Of(n *int32) *int64 {
	if n == nil {
		return nil
	}
	wide := int64(*n)
	return &wide
}
