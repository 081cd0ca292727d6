package graph

import (
	"context"
	"errors"
	"regexp"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// States and options have two ids: one within their project or field, which is what values, the index and the
// tracker have of them, and the opaque one that clients have. Inputs take the opaque one alone, are checked
// with it, and refused by it. One of another field, project or tenant is refused like one that there is not,
// before anything is read.

// parseState reads the id of a state of the project.
func parseState(p *tracker.Project, id string) (tracker.OptionID, error) {
	state, ok := model.ParseStateID(p.Tenant, p.ID, id)
	if ok {
		_, ok = p.State(state)
	}
	if !ok {
		return "", tracker.Bad("", "the project has no state with the id %q", id)
	}
	return state, nil
}

// parseOption reads the id of an option of a field of the project.
func parseOption(p *tracker.Project, f *tracker.Field, id string) (tracker.OptionID, error) {
	option, ok := model.ParseOptionID(p.Tenant, p.ID, f.ID, id)
	if ok {
		_, ok = f.Option(option)
	}
	if !ok {
		return "", tracker.Bad("", "the field %q has no option with the id %q", f.Name, id)
	}
	return option, nil
}

// parseOptions makes a value of the ids of options, each of which may stand there once.
func parseOptions(p *tracker.Project, f *tracker.Field, ids []string) (tracker.Value, error) {
	if len(ids) > tracker.MaxOptions {
		return tracker.Value{}, f.Check(tracker.Set(ids)) // which refuses so many, whatever they name
	}
	options, seen := make([]string, len(ids)), make(map[string]bool, len(ids))
	for i, id := range ids {
		if seen[id] {
			return tracker.Value{}, tracker.Bad("", "%q is given twice for %q", id, f.Name)
		}
		seen[id] = true
		option, err := parseOption(p, f, id)
		if err != nil {
			return tracker.Value{}, err
		}
		options[i] = string(option)
	}
	return tracker.Set(options), nil
}

// keptOrNew is the state or option that an input keeps, or the id of a new one. What find does not know is
// refused: clients make no ids up.
func keptOrNew(path string, id *string, find func(id string) (tracker.OptionID, error)) (tracker.OptionID,
	error) {
	if id == nil {
		return newOptionID()
	}
	kept, err := find(*id)
	if err != nil {
		return "", tracker.Bad(path+".id", "there is none with the id %q; omit the id to add a new one", *id)
	}
	return kept, nil
}

// renamed checks a name that something gets that has another one, or none. One that it has already may stay
// as it is.
func renamed(path, has, name string) error {
	if name == has {
		return nil
	}
	return tracker.CheckNewName(path, name)
}

func newOptionID() (tracker.OptionID, error) {
	id, err := newID()
	return tracker.OptionID(id), err
}

func newOptions(inputs []*model.OptionInput) (out []tracker.Option, err error) {
	for i, o := range inputs {
		if err := tracker.CheckNewName("input.options"+index(i)+".name", o.Name); err != nil {
			return nil, err
		}
		option := tracker.Option{Name: o.Name}
		if option.Color, err = color("input.options"+index(i), o.Color); err != nil {
			return nil, err
		}
		if option.ID, err = newOptionID(); err != nil {
			return nil, err
		}
		out = append(out, option)
	}
	return out, nil
}

var cssColor = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,30})$`)

// color checks an option's color; empty for none.
func color(path string, c *string) (string, error) {
	if c == nil {
		return "", nil
	}
	if !cssColor.MatchString(*c) {
		return "", tracker.Bad(path+".color",
			"a color is # and 3 to 8 hexadecimal digits, or a name of up to 30 letters")
	}
	return *c, nil
}

func mergeOptions(ctx context.Context,
	in model.MergeCustomFieldOptionsInput) (*model.MergeCustomFieldOptionsPayload, error) {
	n, w, err := writerOf(ctx, in.ID, parseFieldID)
	if err != nil {
		return nil, err
	}
	m := optionMerge{in: in, from: make([]tracker.OptionID, len(in.From))}
	for i, id := range in.From {
		m.from[i] = mergedOption(n, id)
	}
	if in.Into != nil {
		m.into = mergedOption(n, *in.Into)
	}
	changed, err := w.MergeOptions(ctx, n.Project, n.Field, m.from, m.into)
	if err != nil {
		return nil, asField(m.asGiven(err))
	}
	field, err := fieldNow(ctx, n, changed)
	return &model.MergeCustomFieldOptionsPayload{Field: field}, err
}

// noOption is an id that no option has, because it is not a valid one.
const noOption tracker.OptionID = "-"

// mergedOption is the option of the field that an id names, or noOption. Only who writes knows which options
// the field has by then.
func mergedOption(n model.NodeID, id string) tracker.OptionID {
	if option, ok := model.ParseOptionID(n.Tenant, n.Project, n.Field, id); ok {
		return option
	}
	return noOption
}

// optionMerge is which options a client merges: as it named them, and as they are.
type optionMerge struct {
	in   model.MergeCustomFieldOptionsInput
	from []tracker.OptionID
	into tracker.OptionID
}

// asGiven makes an error about an option that the field has not name it as the client did. Of the other
// refusals, that for having none in place of a required value comes without an option to replace by, and that
// of an option into itself where both are the same.
func (m *optionMerge) asGiven(err error) error {
	refused, ok := errors.AsType[*tracker.Error](err)
	if !ok || refused.Code != tracker.BadInput {
		return err
	}
	unknown := func(id string) error {
		return tracker.Bad(refused.Path, "the field has no option with the id %q", id)
	}
	if refused.Path == "into" && m.into != "" {
		return unknown(*m.in.Into)
	}
	for i, option := range m.from {
		if refused.Path == "from"+index(i) && option != m.into {
			return unknown(m.in.From[i])
		}
	}
	return err
}
