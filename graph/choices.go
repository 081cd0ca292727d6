package graph

import (
	"context"
	"slices"
	"strings"

	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Options and states are changed one at a time. An id of an option or a state contains the id of its field or
// project.

// edit is a change of the options of a field, or of the states of a project.
type edit struct {
	model.NodeID // of the field, the project, or the option or state to change
	writes       TenantWrites
	once         *tracker.Once
	// invalid is the error about the idempotency key, relative to the input. A change must return it with its
	// other errors.
	invalid error
}

// editOf returns the edit for the id of a field, a project, an option or a state.
func editOf(ctx context.Context, id string, parse func(string) (model.NodeID, error),
	key *string, mutation string, input any) (*edit, error) {
	e := &edit{}
	n, err := parseID(ctx, id, parse)
	if err != nil {
		return nil, err
	}
	o, err := onceOf(ctx, key, mutation, input)
	if other := otherError(err); other != nil {
		return nil, other
	}
	e.NodeID, e.once, e.invalid = n, o, belowInput(err)
	e.writes, err = session(ctx).Writes.Tenant(n.Tenant, o)
	return e, err
}

// belowInput returns an error with its path relative to the input.
func belowInput(err error) error {
	return withPaths(err, func(path string) string { return strings.TrimPrefix(path, "input.") })
}

// atList moves errors about a list of options or states to the member of the input that has changed it.
func atList(list, member string, err error) error {
	return withPaths(err, func(path string) string {
		if path == list || strings.HasPrefix(path, list+"[") {
			return member
		}
		return path
	})
}

func withPaths(err error, path func(string) string) error {
	all := tracker.AllOf(err)
	if len(all) == 0 {
		return err
	}
	changed := make([]error, len(all))
	for i, e := range all {
		moved := *e
		moved.Path = path(e.Path)
		changed[i] = &moved
	}
	return tracker.Join(changed...)
}

// others returns the errors in err about inputs that known is not about.
func others(err, known error) error {
	var out []error
	for _, e := range tracker.AllOf(err) {
		same := func(k *tracker.Error) bool { return k.Path == e.Path }
		if !slices.ContainsFunc(tracker.AllOf(known), same) {
			out = append(out, e)
		}
	}
	return tracker.Join(out...)
}

// noChoice is an invalid id, which no option or state has.
const noChoice tracker.OptionID = "-"

// newChoiceID returns the id of a new option or state. It is derived from the idempotency key, so that a
// repeated mutation finds what the first one has added.
func (e *edit) newChoiceID(name string) (tracker.OptionID, error) {
	if e.once == nil {
		return newOptionID()
	}
	return tracker.OptionID(tracker.IDFor("added", string(e.Project), string(e.Field), e.once.Key, name)), nil
}

// destination returns the option or state before which another one is moved.
func destination(to *model.MoveTargetInput, find func(id string) (tracker.OptionID, error)) (tracker.OptionID,
	error) {
	if (to.BeforeID != nil) == (to.End != nil) || model.Is(to.End, false) {
		return "", tracker.Bad("to", "give either `beforeId` or `end: true`")
	}
	if to.BeforeID == nil {
		return "", nil
	}
	before, err := find(*to.BeforeID)
	return before, tracker.At("to.beforeId", err)
}

// renamed returns an error about the argument from, or about an element of it, as one about the argument to.
func renamed(err error, from, to string) error {
	return withPaths(err, func(path string) string {
		if path == from || strings.HasPrefix(path, from+"[") {
			return to + path[len(from):]
		}
		return path
	})
}

// mergedIDs returns the options or states to merge, and the errors of find about their ids. path is that of
// into.
func mergedIDs(ids []string, into *string, path string, find func(id string) (tracker.OptionID, error)) (
	from []tracker.OptionID, to tracker.OptionID, _ error) {
	var wrong []error
	from = make([]tracker.OptionID, len(ids))
	for i, id := range ids[:min(len(ids), tracker.MaxOptions)] { // more are refused
		var err error
		from[i], err = find(id)
		wrong = append(wrong, tracker.At("fromIds"+index(i), err))
	}
	if into != nil {
		var err error
		to, err = find(*into)
		wrong = append(wrong, tracker.At(path, err))
	}
	return from, to, tracker.Join(wrong...)
}

// state returns the state of the edit's project with an opaque id, or noChoice.
func (e *edit) state(p *tracker.Project, id string) (tracker.OptionID, error) {
	s, ok := model.ParseStateID(e.Tenant, e.Project, id)
	if _, known := p.State(s); ok && known {
		return s, nil
	}
	return noChoice, tracker.Bad("", "the project has no state with the id %q", id)
}

// changeStates changes the states of the edit's project, and returns its view. member is the member of the
// input that an error about all states is about.
func (e *edit) changeStates(ctx context.Context, member string, change func(*tracker.Project) error) (
	*model.Project, error) {
	changed, err := e.writes.UpdateProject(ctx, e.Project, func(p *tracker.Project) error {
		spendOnNames(account.From(ctx), p.States, stateName)
		return tracker.Join(e.invalid, change(p))
	})
	what := "project"
	if e.Choice != "" {
		what = "state"
	}
	if err != nil {
		return nil, asInput(what, atList("states", member, err))
	}
	return projectOf(ctx, e.NodeID, tracker.NewDefinition(*changed, nil))
}

func createState(ctx context.Context, in model.CreateStateInput) (*model.CreateStatePayload, error) {
	e, err := editOf(ctx, in.ProjectID, model.ParseProjectID, in.IdempotencyKey, "createState", in)
	if err != nil {
		return nil, err
	}
	s := tracker.State{Name: tracker.CleanName(in.Name), Open: in.Open}
	if s.ID, err = e.newChoiceID(s.Name); err != nil {
		return nil, err
	}
	var badColor error
	s.Color, badColor = color(in.Color)
	project, err := e.changeStates(ctx, "name", func(p *tracker.Project) error {
		return tracker.Join(badColor, p.AddState(s))
	})
	if err != nil {
		return nil, err
	}
	state := project.StateByID(s.ID)
	if state == nil {
		return nil, tracker.Missing("state; it was added earlier, and has been removed since")
	}
	return &model.CreateStatePayload{State: state, Project: project}, nil
}

func updateState(ctx context.Context, in model.UpdateStateInput) (*model.UpdateStatePayload, error) {
	e, err := editOf(ctx, in.ID, model.ParseState, in.IdempotencyKey, "updateState", in)
	if err != nil {
		return nil, err
	}
	project, err := e.changeStates(ctx, "name", func(p *tracker.Project) error {
		s, ok := p.State(e.Choice)
		if !ok {
			return tracker.Missing("state")
		}
		if in.Name != nil && *in.Name != s.Name {
			s.Name = tracker.CleanName(*in.Name)
		}
		set(&s.Open, in.Open)
		badColor := setColor(&s.Color, in.Color)
		return tracker.Join(badColor, p.ChangeState(s))
	})
	if err != nil {
		return nil, err
	}
	state := project.StateByID(e.Choice)
	if state == nil {
		return nil, tracker.Missing("state; it was changed earlier, and has been removed since")
	}
	return &model.UpdateStatePayload{State: state, Project: project,
		Job: startedJob(ctx, e.NodeID, e.writes)}, nil
}

func moveState(ctx context.Context, in model.MoveStateInput) (*model.MoveStatePayload, error) {
	e, err := editOf(ctx, in.ID, model.ParseState, in.IdempotencyKey, "moveState", in)
	if err != nil {
		return nil, err
	}
	project, err := e.changeStates(ctx, "to.beforeId", func(p *tracker.Project) error {
		to, err := destination(in.To, func(id string) (tracker.OptionID, error) {
			return e.state(p, id)
		})
		return tracker.Join(err, others(renamed(p.MoveState(e.Choice, to), "before", "to.beforeId"), err))
	})
	if err != nil {
		return nil, err
	}
	return &model.MoveStatePayload{Project: project, Job: startedJob(ctx, e.NodeID, e.writes)}, nil
}

func mergeStates(ctx context.Context, in model.MergeStatesInput) (*model.MergeStatesPayload, error) {
	e, err := editOf(ctx, in.ProjectID, model.ParseProjectID, in.IdempotencyKey, "mergeStates", in)
	if err != nil {
		return nil, err
	}
	project, err := e.changeStates(ctx, "fromIds", func(p *tracker.Project) error {
		find := func(id string) (tracker.OptionID, error) { return e.state(p, id) }
		from, into, err := mergedIDs(in.FromIds, &in.IntoID, "intoId", find)
		merging := renamed(renamed(p.MergeStates(from, into), "into", "intoId"), "from", "fromIds")
		return tracker.Join(err, others(merging, err))
	})
	if err != nil {
		return nil, err
	}
	return &model.MergeStatesPayload{Project: project, Job: startedJob(ctx, e.NodeID, e.writes)}, nil
}
