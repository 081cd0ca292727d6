package graph

import (
	"context"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"issuegrid/graph/model"
	"issuegrid/internal/account"
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

// names finds states, options and fields by their names. The zero names is ready to use. It is safe for
// concurrent use.
//
// Its law of cost: an operation folds each distinct name once, at most maxNameBytes of them, and pays for it.
type names struct {
	mu    sync.Mutex
	bytes int
	keys  map[string]string // the NameKeys of names that were looked up
	// lists has the ids by NameKey for each *tracker.Project and *tracker.Field.
	lists map[any]map[string]tracker.OptionID
}

// maxNameBytes is the maximum number of bytes of the names that an operation looks up.
const maxNameBytes = 64 << 10

// state returns the id of a state of a project: the one with this name, or else one whose name differs only
// in case. ok is false if there is none.
func (n *names) state(a *account.Account, p *tracker.Project, name string) (id tracker.OptionID, ok bool,
	err error) {
	return findNamed(n, a, p, p.States, name, func(s tracker.State) (tracker.OptionID, string) {
		return s.ID, s.Name
	})
}

// option is like state, for an option of a field.
func (n *names) option(a *account.Account, f *tracker.Field, name string) (id tracker.OptionID, ok bool,
	err error) {
	return findNamed(n, a, f, f.Options, name, func(o tracker.Option) (tracker.OptionID, string) {
		return o.ID, o.Name
	})
}

// field is like state, for a field of a project. It returns nil if there is none.
func (n *names) field(a *account.Account, d *tracker.Definition, name string) (*tracker.Field, error) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f, nil
		}
	}
	key, err := n.key(a, name)
	if err != nil || key == "" {
		return nil, err
	}
	return d.FieldWithKey(key), nil
}

// key returns the NameKey of a name, or "" if nothing can have this name.
func (n *names) key(a *account.Account, name string) (string, error) {
	if len(name) > utf8.UTFMax*tracker.MaxName || utf8.RuneCountInString(name) > tracker.MaxName {
		return "", nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	key, ok := n.keys[name]
	if ok {
		return key, nil
	}
	if n.bytes += len(name); n.bytes > maxNameBytes {
		return "", tracker.Bad("", "with this the operation looks up names of %d bytes; the limit is %d: "+
			"send some of its fields in separate operations", n.bytes, maxNameBytes)
	}
	a.Spend(account.NameCPU(name))
	key = tracker.NameKey(name)
	if n.keys == nil {
		n.keys, n.lists = map[string]string{}, map[any]map[string]tracker.OptionID{}
	}
	n.keys[name] = key
	return key, nil
}

// findNamed finds an element of a list by its name. of returns the id and the name of an element.
func findNamed[T any](n *names, a *account.Account, list any, all []T, name string,
	of func(T) (tracker.OptionID, string)) (tracker.OptionID, bool, error) {
	for _, t := range all {
		if id, exact := of(t); exact == name {
			return id, true, nil
		}
	}
	key, err := n.key(a, name)
	if err != nil || key == "" {
		return "", false, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	ids, ok := n.lists[list]
	if !ok {
		spendOnNames(a, all, func(t T) string { _, name := of(t); return name })
		ids = make(map[string]tracker.OptionID, len(all))
		for _, t := range slices.Backward(all) { // the first of those with the same key
			id, name := of(t)
			ids[tracker.NameKey(name)] = id
		}
		n.lists[list] = ids
	}
	id, ok := ids[key]
	return id, ok, nil
}

func stateName(s tracker.State) string   { return s.Name }
func optionName(o tracker.Option) string { return o.Name }

// spendOnNames charges an account for comparing the names of a list.
func spendOnNames[T any](a *account.Account, all []T, name func(T) string) {
	var spent time.Duration
	for _, t := range all {
		spent += account.NameCPU(name(t))
	}
	a.Spend(spent)
}

func newOptionID() (tracker.OptionID, error) {
	id, err := newID()
	return tracker.OptionID(id), err
}

// newOptions converts new options. The paths of errors are the indexes of the options.
func newOptions(inputs []*model.OptionInput) ([]tracker.Option, error) {
	options := make([]tracker.Option, len(inputs))
	var wrong []error
	for i, o := range inputs {
		id, err := newOptionID()
		if err != nil {
			return nil, err
		}
		options[i] = tracker.Option{ID: id, Name: tracker.CleanName(o.Name)}
		options[i].Color, err = color(o.Color)
		wrong = append(wrong, tracker.At(index(i), tracker.Join(
			tracker.CheckNewName("name", options[i].Name), err)))
	}
	return options, tracker.Join(wrong...)
}

var cssColor = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,30})$`)

// color checks the color of an option or a state. It returns "" if c is nil.
func color(c *string) (string, error) {
	if c == nil || *c == "" {
		return "", nil
	}
	if !cssColor.MatchString(*c) {
		return "", tracker.Bad("color",
			"a color is # and 3 to 8 hexadecimal digits, or a name of up to 30 letters")
	}
	return *c, nil
}

// setColor sets a color that is given. An empty string is none.
func setColor(to, given *string) (err error) {
	if given != nil {
		*to, err = color(given)
	}
	return err
}

// option returns the option of the edit's field with an opaque id, or noChoice.
func (e *edit) option(f *tracker.Field, id string) (tracker.OptionID, error) {
	o, ok := model.ParseOptionID(e.Tenant, e.Project, e.Field, id)
	if _, known := f.Option(o); ok && known {
		return o, nil
	}
	return noChoice, tracker.Bad("", "the field %q has no option with the id %q", f.Name, id)
}

func parseNewOption(id string) (model.NodeID, tracker.OptionID, error) {
	n, err := model.ParseFieldID(id)
	return n, "", err
}

// changeOptions changes the options of the edit's field, and returns its view. member is the member of the
// input that an error about all options is about.
func (e *edit) changeOptions(ctx context.Context, member string, change func(*tracker.Field) error) (
	*model.CustomField, error) {
	changed, err := e.writes.UpdateField(ctx, e.Project, e.Field, func(f *tracker.Field) error {
		spendOnNames(account.From(ctx), f.Options, optionName)
		return tracker.Join(e.invalid, change(f))
	})
	what := "custom field"
	if e.choice != "" {
		what = "option"
	}
	if err != nil {
		return nil, asInput(what, atList("options", member, err))
	}
	return writtenField(ctx, e.NodeID, changed)
}

func addOption(ctx context.Context, in model.AddOptionInput) (*model.AddOptionPayload, error) {
	e, err := editOf(ctx, in.Field, parseNewOption, in.IdempotencyKey, "addOption", in)
	if err != nil {
		return nil, err
	}
	o := tracker.Option{Name: tracker.CleanName(in.Name)}
	if o.ID, err = e.newChoiceID(in.IdempotencyKey, o.Name); err != nil {
		return nil, err
	}
	var badColor error
	o.Color, badColor = color(in.Color)
	field, err := e.changeOptions(ctx, "name", func(f *tracker.Field) error {
		return tracker.Join(badColor, f.AddOption(o))
	})
	if err != nil {
		return nil, err
	}
	option := field.Option(o.ID)
	if option == nil {
		return nil, tracker.Missing("option; it was added earlier, and has been removed since")
	}
	return &model.AddOptionPayload{Option: option, Field: field}, nil
}

func updateOption(ctx context.Context, in model.UpdateOptionInput) (*model.UpdateOptionPayload, error) {
	e, err := editOf(ctx, in.ID, model.ParseOption, in.IdempotencyKey, "updateOption", in)
	if err != nil {
		return nil, err
	}
	field, err := e.changeOptions(ctx, "name", func(f *tracker.Field) error {
		o, ok := f.Option(e.choice)
		if !ok {
			return tracker.Missing("option")
		}
		if in.Name != nil && *in.Name != o.Name {
			o.Name = tracker.CleanName(*in.Name)
		}
		badColor := setColor(&o.Color, in.Color)
		return tracker.Join(badColor, f.ChangeOption(o))
	})
	if err != nil {
		return nil, err
	}
	option := field.Option(e.choice)
	if option == nil {
		return nil, tracker.Missing("option; it was changed earlier, and has been removed since")
	}
	return &model.UpdateOptionPayload{Option: option, Field: field}, nil
}

func moveOption(ctx context.Context, in model.MoveOptionInput) (*model.MoveOptionPayload, error) {
	e, err := editOf(ctx, in.ID, model.ParseOption, in.IdempotencyKey, "moveOption", in)
	if err != nil {
		return nil, err
	}
	field, err := e.changeOptions(ctx, "to.beforeId", func(f *tracker.Field) error {
		to, err := destination(in.To, func(id string) (tracker.OptionID, error) {
			return e.option(f, id)
		})
		return tracker.Join(err, others(renamed(f.MoveOption(e.choice, to), "before", "to.beforeId"), err))
	})
	return &model.MoveOptionPayload{Field: field}, err
}

func mergeOptions(ctx context.Context,
	in model.MergeCustomFieldOptionsInput) (*model.MergeCustomFieldOptionsPayload, error) {
	e, err := editOf(ctx, in.ID, parseNewOption, in.IdempotencyKey, "mergeCustomFieldOptions", in)
	if err != nil {
		return nil, err
	}
	field, err := e.changeOptions(ctx, "from", func(f *tracker.Field) error {
		find := func(id string) (tracker.OptionID, error) { return e.option(f, id) }
		from, to, err := mergedIDs(in.From, in.Into.OptionID, "into.optionId", find)
		none := in.Into.None
		if (in.Into.OptionID != nil) == (none != nil) || model.Is(none, false) {
			return tracker.Join(err, tracker.Bad("into", "give either `optionId` or `none: true`"))
		}
		path := "into.optionId"
		if none != nil {
			path = "into.none"
		}
		return tracker.Join(err, others(renamed(f.MergeOptions(from, to), "into", path), err))
	})
	return &model.MergeCustomFieldOptionsPayload{Field: field}, err
}
