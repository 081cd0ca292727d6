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
// package tracker, and an opaque one, used by clients. Inputs accept the opaque id, and the name in another
// member. The id of another field, project or tenant is refused like one that does not exist, before anything
// is read.

// choices finds the states and options that an input refers to. The paths of its errors are empty.
type choices struct {
	definition *tracker.Definition
	names      *names
	account    *account.Account // of the operation
	user       func(id string) (*tracker.User, error)
}

func choicesOf(ctx context.Context, d *tracker.Definition) choices {
	return choices{d, &session(ctx).names, account.From(ctx), func(id string) (*tracker.User, error) {
		p, err := newParticipantParser(ctx, d.Project.Tenant)
		if err != nil {
			return nil, err
		}
		return p.user(ctx, id, true)
	}}
}

// user returns the user of the tenant with an opaque id, who must be active or not.
func (p participantParser) user(ctx context.Context, id string, active bool) (*tracker.User, error) {
	found, err := p.ids(ctx, &givenIDs{ids: []string{id}, one: true}, active)
	if err != nil {
		return nil, err
	}
	user, _ := found[0].User()
	all, err := p.reads.People().Users(ctx, []tracker.UserID{user})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// userID returns the id of the user with an opaque id, which need not exist, like participant.
func (c choices) userID(id string) (tracker.UserID, error) {
	if one, err := c.participant(id); err == nil {
		if user, ok := one.User(); ok {
			return user, nil
		}
	}
	return "", tracker.Bad("", "%q is not the id of a user", id)
}

// state returns the state with an opaque id.
func (c choices) state(id string) (tracker.OptionID, error) {
	p := &c.definition.Project
	state, ok := model.ParseStateID(p.Tenant, p.ID, id)
	if _, known := p.State(state); !known || !ok {
		bad := tracker.Bad("", "the project has no state with the id %q", id)
		bad.Outdated = ok
		return "", bad
	}
	return state, nil
}

// stateNamed returns the state with a name.
func (c choices) stateNamed(name string) (tracker.OptionID, error) {
	id, ok, err := c.names.state(c.account, &c.definition.Project, name)
	if !ok && err == nil {
		err = tracker.Bad("", "the project has no state with the name %q", name).MayBeOutdated()
	}
	return id, err
}

// givenState returns the state that an input refers to by its id or its name, or "" if by none.
func (c choices) givenState(id, name *string) (tracker.OptionID, error) {
	switch {
	case id != nil && name != nil:
		return "", tracker.Bad("state", "give either `state` or `stateId`, not both")
	case id != nil:
		state, err := c.state(*id)
		return state, tracker.At("stateId", err)
	case name != nil:
		state, err := c.stateNamed(*name)
		return state, tracker.At("state", err)
	}
	return "", nil
}

// participant returns the user or the team with an opaque id, which need not exist. One of another tenant is
// looked for in the project's, which has none with its id, like one that does not exist.
func (c choices) participant(id string) (tracker.Participant, error) {
	n, ok := model.ParseNodeID(id)
	one, is := n.Participant()
	if !ok || !is {
		return "", tracker.Bad("", "%q is not the id of a user or a team", id)
	}
	return one, nil
}

// option returns the option of a field with an opaque id.
func (c choices) option(f *tracker.Field, id string) (tracker.OptionID, error) {
	p := &c.definition.Project
	option, ok := model.ParseOptionID(p.Tenant, p.ID, f.ID, id)
	if _, known := f.Option(option); !known || !ok {
		bad := tracker.Bad("", "the field %q has no option with the id %q", f.Name, id)
		bad.Outdated = ok
		return "", bad
	}
	return option, nil
}

// optionNamed returns the option of a field with a name.
func (c choices) optionNamed(f *tracker.Field, name string) (tracker.OptionID, error) {
	id, ok, err := c.names.option(c.account, f, name)
	if !ok && err == nil {
		err = tracker.Bad("", "the field %q has no option with the name %q", f.Name, name).MayBeOutdated()
	}
	return id, err
}

// options returns the value with the options of a field that an input refers to. find finds one. Duplicates
// are errors. The paths of errors are the indexes of the references.
func (c choices) options(f *tracker.Field, given []string,
	find func(*tracker.Field, string) (tracker.OptionID, error)) (tracker.Value, error) {
	if len(given) > tracker.MaxOptions {
		return tracker.Value{}, f.Check(tracker.Set(given)) // returns an error: too many
	}
	options, seen := make([]string, len(given)), make(map[tracker.OptionID]bool, len(given))
	var wrong []error
	for i, one := range given {
		option, err := find(f, one)
		if err == nil && seen[option] {
			err = tracker.Bad("", "%q is given twice for %q", one, f.Name)
		}
		seen[option] = true
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

// changeOptions changes the options of the edit's field, and returns its view. member is the member of the
// input that an error about all options is about.
func (e *edit) changeOptions(ctx context.Context, member string, change func(*tracker.Field) error) (
	*model.CustomField, error) {
	changed, err := e.writes.UpdateField(ctx, e.Project, e.Field, func(f *tracker.Field) error {
		spendOnNames(account.From(ctx), f.Options, optionName)
		return tracker.Join(e.invalid, change(f))
	})
	what := "custom field"
	if e.Choice != "" {
		what = "option"
	}
	if err != nil {
		return nil, asInput(what, atList("options", member, err))
	}
	return writtenField(ctx, e.NodeID, changed)
}

func createOption(ctx context.Context, in model.CreateOptionInput) (*model.CreateOptionPayload, error) {
	e, err := editOf(ctx, in.FieldID, model.ParseFieldID, in.IdempotencyKey, "createOption", in)
	if err != nil {
		return nil, err
	}
	o := tracker.Option{Name: tracker.CleanName(in.Name)}
	if o.ID, err = e.newChoiceID(o.Name); err != nil {
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
	return &model.CreateOptionPayload{Option: option, Field: field}, nil
}

func updateOption(ctx context.Context, in model.UpdateOptionInput) (*model.UpdateOptionPayload, error) {
	e, err := editOf(ctx, in.ID, model.ParseOption, in.IdempotencyKey, "updateOption", in)
	if err != nil {
		return nil, err
	}
	field, err := e.changeOptions(ctx, "name", func(f *tracker.Field) error {
		o, ok := f.Option(e.Choice)
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
	option := field.Option(e.Choice)
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
		return tracker.Join(err, others(renamed(f.MoveOption(e.Choice, to), "before", "to.beforeId"), err))
	})
	if err != nil {
		return nil, err
	}
	return &model.MoveOptionPayload{Field: field, Job: startedJob(ctx, e.NodeID, e.writes)}, nil
}

func mergeOptions(ctx context.Context,
	in model.MergeOptionsInput) (*model.MergeOptionsPayload, error) {
	e, err := editOf(ctx, in.FieldID, model.ParseFieldID, in.IdempotencyKey, "mergeOptions", in)
	if err != nil {
		return nil, err
	}
	field, err := e.changeOptions(ctx, "fromIds", func(f *tracker.Field) error {
		find := func(id string) (tracker.OptionID, error) { return e.option(f, id) }
		from, to, err := mergedIDs(in.FromIds, in.Into.OptionID, "into.optionId", find)
		none := in.Into.None
		if (in.Into.OptionID != nil) == (none != nil) || model.Is(none, false) {
			return tracker.Join(err, tracker.Bad("into", "give either `optionId` or `none: true`"))
		}
		path := "into.optionId"
		if none != nil {
			path = "into.none"
		}
		return tracker.Join(err, others(renamed(renamed(f.MergeOptions(from, to), "into", path), "from",
			"fromIds"), err))
	})
	if err != nil {
		return nil, err
	}
	return &model.MergeOptionsPayload{Field: field, Job: startedJob(ctx, e.NodeID, e.writes)}, nil
}
