package graph

import (
	"cmp"
	"context"
	"strings"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// maxValues is the maximum number of values of one input: the maximum number of fields of a project.
const maxValues = tracker.MaxFields

// valueParser converts a list of values of custom fields and checks them against the definition of the
// project. Its errors are relative to the list.
type valueParser struct {
	choices
	seen  map[tracker.FieldID]bool
	wrong []error
}

func newValueParser(c choices, n int) *valueParser {
	return &valueParser{choices: c, seen: make(map[tracker.FieldID]bool, n)}
}

// tooMany returns an error if a list has too many values; the values are then not examined.
func tooMany(n int) error {
	if n > maxValues {
		return tracker.Bad("values", "%d values; the limit is %d", n, maxValues)
	}
	return nil
}

// field returns the field of an element of the list, or nil if it is invalid.
func (p *valueParser) field(at, id string) *tracker.Field {
	f, err := givenField(p.definition, at+".fieldId", id)
	if err == nil && p.seen[f.ID] {
		err = tracker.Bad(at+".fieldId", "the field %q is given twice", f.Name)
	}
	if err != nil {
		p.wrong = append(p.wrong, err)
		return nil
	}
	p.seen[f.ID] = true
	return f
}

// value converts the value of a field, which is the zero Value for nil. at is the path of the input.
func (p *valueParser) value(at string, f *tracker.Field, in *model.ValueInput) tracker.Value {
	v, err := p.parse(f, in)
	if err == nil {
		err = tracker.At(model.ValueTypes[f.Type].Member, tracker.Join(f.CheckNames(v), f.CheckDistinct(v)))
	}
	if err == nil {
		err = f.CheckWrite(v)
	}
	p.add(at, err)
	return v
}

func (p *valueParser) add(at string, err error) { p.wrong = append(p.wrong, tracker.At(at, err)) }

func (p *valueParser) err() error { return tracker.At("values", tracker.Join(p.wrong...)) }

// parseValues converts the values of a new issue. A field without a value has the zero Value in the result.
func parseValues(c choices, inputs []*model.CustomValueInput) (map[tracker.FieldID]tracker.Value,
	error) {
	if err := tooMany(len(inputs)); err != nil {
		return nil, err
	}
	p := newValueParser(c, len(inputs))
	values := make(map[tracker.FieldID]tracker.Value, len(inputs))
	for i, in := range inputs {
		if f := p.field(index(i), in.FieldID); f != nil {
			values[f.ID] = p.value(index(i)+".value", f, in.Value)
		}
	}
	return values, p.err()
}

// parseValueChanges converts the changes of values into c. A value to remove has the zero Value.
func parseValueChanges(of choices, inputs []*model.CustomValueChangeInput,
	c *tracker.Change) error {
	if err := tooMany(len(inputs)); err != nil {
		return err
	}
	p := newValueParser(of, len(inputs))
	c.Values = make(map[tracker.FieldID]tracker.Value, len(inputs))
	for i, in := range inputs {
		at := index(i)
		f := p.field(at, in.FieldID)
		if f == nil {
			continue
		}
		clears := model.Is(in.Clear, true)
		if clears && in.Value != nil {
			p.add(at, tracker.Bad("clear", "give either `value` or `clear`, not both"))
		}
		if !changesMembers(in) {
			switch {
			case in.Value != nil:
				c.Values[f.ID] = p.value(at+".value", f, in.Value)
			case clears:
				c.Values[f.ID] = p.value(at+".clear", f, nil)
			default:
				p.add(at, tracker.Bad("value", "no value is given; `clear: true` removes the value"))
			}
			continue
		}
		if clears || in.Value != nil {
			p.add(at, tracker.Bad("", "give either the value or members to add and remove, not both"))
		}
		if c.Members == nil {
			c.Members = map[tracker.FieldID]tracker.MemberChange{}
		}
		c.Members[f.ID] = p.members(at, f, in)
	}
	return p.err()
}

func changesMembers(in *model.CustomValueChangeInput) bool {
	return in.AddOptionIds != nil || in.AddOptions != nil || in.RemoveOptionIds != nil ||
		in.RemoveOptions != nil || in.AddTags != nil || in.RemoveTags != nil
}

// members converts the members to add and to remove.
func (p *valueParser) members(at string, f *tracker.Field,
	in *model.CustomValueChangeInput) tracker.MemberChange {
	out := tracker.MemberChange{Path: "values" + at}
	if f.Archived {
		p.add(at, tracker.Bad("", "the field %q is archived, and takes no values", f.Name))
	}
	for _, m := range []struct {
		name  string
		given []string
		of    tracker.FieldType
		find  func(*tracker.Field, string) (tracker.OptionID, error)
		to    *[]string
	}{
		{"addOptionIds", in.AddOptionIds, tracker.TypeMultiSelect, p.option, &out.Add},
		{"addOptions", in.AddOptions, tracker.TypeMultiSelect, p.optionNamed, &out.Add},
		{"removeOptionIds", in.RemoveOptionIds, tracker.TypeMultiSelect, p.option, &out.Remove},
		{"removeOptions", in.RemoveOptions, tracker.TypeMultiSelect, p.optionNamed, &out.Remove},
		{"addTags", in.AddTags, tracker.TypeTags, nil, &out.Add},
		{"removeTags", in.RemoveTags, tracker.TypeTags, nil, &out.Remove},
	} {
		if m.given == nil {
			continue
		}
		if f.Type != m.of {
			p.add(at, tracker.Bad(m.name, "the field %q is of type %s; only fields of type %s take `%s`",
				f.Name,
				f.Type, m.of, m.name))
			continue
		}
		v, err := tracker.Set(m.given), error(nil)
		if m.of.HasOptions() {
			v, err = p.options(f, m.given, m.find)
		} else if v = f.Clean(v); len(v.Set()) > 0 {
			err = tracker.Join(f.Check(v), f.CheckNames(v), f.CheckDistinct(v))
		}
		if *m.to != nil {
			err = tracker.Bad("", "give either `%s` or `%sIds`, not both", m.name, strings.TrimSuffix(m.name,
				"s"))
		}
		p.add(at+"."+m.name, err)
		*m.to = v.Set()
	}
	return out
}

// givenField returns the field with an id. Its error has the given path.
func givenField(d *tracker.Definition, path, id string) (*tracker.Field, error) {
	f, err := model.FieldOf(d, id)
	if err != nil {
		bad := tracker.Bad(path, "the project has no such field; give the id of one of its own fields")
		bad.Outdated = tracker.Outdated(err)
		return nil, bad
	}
	return f, nil
}

// parse converts the given member of in. Exactly one member must be given, and it must fit the type of the
// field. If in is nil, it returns the zero Value.
func (c choices) parse(f *tracker.Field, in *model.ValueInput) (tracker.Value, error) {
	if in == nil {
		return tracker.Value{}, f.Check(tracker.Value{})
	}
	if f.Archived {
		return tracker.Value{}, tracker.Bad("", "the field %q is archived, and takes no values",
			f.Name).MayBeOutdated()
	}
	all := given(in)
	if len(all) != 1 {
		return tracker.Value{}, tracker.Bad("", "give exactly one of the members of ValueInput; %d are given",
			len(all))
	}
	member, fits := all[0].member, model.ValueTypes[f.Type].Member
	find := c.optionNamed
	switch ids := byID[fits]; {
	case ids != "" && member == ids:
		find = c.option
	case member != fits:
		takes := "`" + fits + "`"
		if ids != "" {
			takes += " or `" + ids + "`"
		}
		return tracker.Value{}, tracker.Bad(member, "the field %q is of type %s and takes %s", f.Name, f.Type,
			takes).MayBeOutdated()
	}
	v := f.Clean(all[0].value)
	var err error
	switch {
	case f.Type == tracker.TypeUser && member != fits:
		var u *tracker.User
		if u, err = c.user(v.Text()); err == nil {
			v = tracker.UserValue(u.Name, u.ID)
		}
	case f.Type.HasOptions() && f.Type.Kind() == tracker.KindSet:
		v, err = c.options(f, v.Set(), find)
	case f.Type.HasOptions():
		var option tracker.OptionID
		option, err = find(f, v.Text())
		v = tracker.Text(string(option))
	}
	if err == nil {
		err = f.Check(v)
	}
	return v, tracker.At(member, err)
}

// parseNewIssue converts and checks a new issue. The error joins all problems found.
func parseNewIssue(ctx context.Context, d *tracker.Definition, in *model.IssueCreateInput) (tracker.Issue,
	error) {
	issue := tracker.Issue{Name: tracker.CleanName(in.Name), State: d.Project.FirstState(),
		Author: session(ctx).Principal.UserIn(d.Project.Tenant)}
	wrong := []error{tracker.CheckIssueName("name", issue.Name)}
	c := choicesOf(ctx, d)
	state, err := c.givenState(in.StateID, in.State)
	wrong = append(wrong, err)
	issue.State = cmp.Or(state, issue.State)
	if in.Description != nil {
		issue.Description = tracker.Text(*in.Description)
		wrong = append(wrong, checkDescription(*in.Description))
	}
	issue.Values, err = parseValues(c, in.Values)
	wrong = append(wrong, err)
	people, err := newParticipantParser(ctx, d.Project.Tenant)
	if err != nil {
		return issue, err
	}
	issue.Assignees, err = people.parse(ctx, "assigneeIds", in.AssigneeIds)
	wrong = append(wrong, err)
	issue.Watchers, err = people.parse(ctx, "watcherIds", in.WatcherIds)
	wrong = append(wrong, err)
	for _, f := range d.Fields {
		if _, given := issue.Values[f.ID]; f.Required && !f.Archived && !given {
			wrong = append(wrong, tracker.Bad("values", "the field %q is required and must have a value",
				f.Name).MayBeOutdated())
		}
	}
	return issue, tracker.Join(wrong...)
}

// parseChange converts and checks a change of an issue. The error joins all problems found.
func parseChange(ctx context.Context, d *tracker.Definition, in *model.IssueUpdateInput) (tracker.Change,
	error) {
	c := tracker.Change{ExpectedVersion: int64Of(in.ExpectedVersion)}
	var wrong []error
	if in.Name != nil {
		name := tracker.CleanName(*in.Name)
		c.Name = &name
		wrong = append(wrong, tracker.CheckIssueName("name", name))
	}
	of := choicesOf(ctx, d)
	if in.State != nil || in.StateID != nil {
		state, err := of.givenState(in.StateID, in.State)
		c.State = &state
		wrong = append(wrong, err)
	}
	if c.Description = in.Description; c.Description != nil {
		wrong = append(wrong, checkDescription(*c.Description))
	}
	wrong = append(wrong, parseValueChanges(of, in.Values, &c))
	people, err := newParticipantParser(ctx, d.Project.Tenant)
	if err != nil {
		return c, err
	}
	c.Assignees, err = people.change(ctx, "assignees", in.Assignees)
	wrong = append(wrong, err)
	c.Watchers, err = people.change(ctx, "watchers", in.Watchers)
	wrong = append(wrong, err)
	return c, tracker.Join(wrong...)
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
