package graph

import (
	"context"
	"regexp"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// States and options have two ids: a short one within their project or field, used in values, the index and
// package tracker, and an opaque one, used by clients. Inputs accept only the opaque id. The id of another
// field, project or tenant is refused like one that does not exist, before anything is read.

// parseState converts the opaque id of a state of the project.
func parseState(p *tracker.Project, id string) (tracker.OptionID, error) {
	state, ok := model.ParseStateID(p.Tenant, p.ID, id)
	if _, known := p.State(state); !known || !ok {
		bad := tracker.Bad("", "the project has no state with the id %q", id)
		bad.Outdated = ok
		return "", bad
	}
	return state, nil
}

// parseOption converts the opaque id of an option of a field.
func parseOption(p *tracker.Project, f *tracker.Field, id string) (tracker.OptionID, error) {
	option, ok := model.ParseOptionID(p.Tenant, p.ID, f.ID, id)
	if _, known := f.Option(option); !known || !ok {
		bad := tracker.Bad("", "the field %q has no option with the id %q", f.Name, id)
		bad.Outdated = ok
		return "", bad
	}
	return option, nil
}

// parseOptions converts opaque ids of options to a value. Duplicates are errors. The paths of errors are the
// indexes of the ids.
func parseOptions(p *tracker.Project, f *tracker.Field, ids []string) (tracker.Value, error) {
	if len(ids) > tracker.MaxOptions {
		return tracker.Value{}, f.Check(tracker.Set(ids)) // returns an error: too many
	}
	options, seen := make([]string, len(ids)), make(map[string]bool, len(ids))
	var wrong []error
	for i, id := range ids {
		option, err := parseOption(p, f, id)
		if seen[id] {
			err = tracker.Bad("", "%q is given twice for %q", id, f.Name)
		}
		seen[id] = true
		wrong = append(wrong, tracker.At(index(i), err))
		options[i] = string(option)
	}
	return tracker.Set(options), tracker.Join(wrong...)
}

// keptOrNew returns the state or option with the given opaque id, or the id of a new one if id is nil. An id
// that find does not know is refused, because clients must not choose ids; the result is then a new id, with
// which the rest of the input can be checked.
func keptOrNew(path string, id *string, find func(id string) (tracker.OptionID, error)) (tracker.OptionID,
	error) {
	if id == nil {
		return newOptionID()
	}
	kept, err := find(*id)
	if err != nil {
		fresh, failed := newOptionID()
		if failed != nil {
			return "", failed
		}
		return fresh, tracker.Bad(path+".id", "there is none with the id %q; omit the id to add a new one",
			*id)
	}
	return kept, nil
}

func newOptionID() (tracker.OptionID, error) {
	id, err := newID()
	return tracker.OptionID(id), err
}

// newOptions converts new options. Errors are relative to the input.
func newOptions(inputs []*model.OptionInput) ([]tracker.Option, error) {
	options := make([]tracker.Option, len(inputs))
	var wrong []error
	for i, o := range inputs {
		id, err := newOptionID()
		if err != nil {
			return nil, err
		}
		at := "options" + index(i)
		options[i] = tracker.Option{ID: id, Name: tracker.CleanName(o.Name)}
		options[i].Color, err = color(at, o.Color)
		wrong = append(wrong, tracker.CheckNewName(at+".name", options[i].Name), err)
	}
	return options, tracker.Join(wrong...)
}

var cssColor = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,30})$`)

// color checks the color of an option. It returns "" if c is nil.
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
	into, given := in.Into.ValueOK()
	if !given {
		return nil, tracker.Bad("input.into", "no option is given; null removes the values")
	}
	m := optionMerge{in: in, from: make([]tracker.OptionID, len(in.From))}
	for i, id := range in.From {
		m.from[i] = mergedOption(n, id)
	}
	if into != nil {
		m.into = mergedOption(n, *into)
	}
	changed, err := w.MergeOptions(ctx, n.Project, n.Field, m.from, m.into)
	if err != nil {
		return nil, asField(m.asGiven(err))
	}
	field, err := writtenField(ctx, n, changed)
	return &model.MergeCustomFieldOptionsPayload{Field: field}, err
}

// noOption is an invalid id, which no option has.
const noOption tracker.OptionID = "-"

// mergedOption returns the option of the field that an id refers to, or noOption. Whether the option exists
// is checked by the write.
func mergedOption(n model.NodeID, id string) tracker.OptionID {
	if option, ok := model.ParseOptionID(n.Tenant, n.Project, n.Field, id); ok {
		return option
	}
	return noOption
}

// optionMerge has the options to merge, as opaque ids and as option ids.
type optionMerge struct {
	in   model.MergeCustomFieldOptionsInput
	from []tracker.OptionID
	into tracker.OptionID
}

// asGiven replaces the option ids in errors about unknown options by the opaque ids that the client sent. Two
// other errors have the same paths and are returned unchanged: a missing `into` for a required field, and
// merging an option into itself.
func (m *optionMerge) asGiven(err error) error {
	if tracker.CodeOf(err) != tracker.BadInput {
		return err
	}
	var all []error
	for _, refused := range tracker.AllOf(err) {
		unknown, known := "", true
		if refused.Path == "into" && m.into != "" {
			unknown, known = *m.in.Into.Value(), false
		}
		for i, option := range m.from {
			if refused.Path == "from"+index(i) && option != m.into {
				unknown, known = m.in.From[i], false
			}
		}
		if !known {
			refused = tracker.Bad(refused.Path, "the field has no option with the id %q", unknown)
		}
		all = append(all, refused)
	}
	return tracker.Join(all...)
}
