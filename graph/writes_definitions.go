package graph

import (
	"context"
	"time"

	"issuegrid/account"
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func createTenant(ctx context.Context, in model.CreateTenantInput) (*model.CreateTenantPayload, error) {
	id, err := newID()
	if err != nil {
		return nil, err
	}
	t := tracker.Tenant{ID: tracker.TenantID(id), Name: tracker.CleanName(in.Name)}
	wrong := []error{tracker.CheckNewName("name", t.Name)}
	if in.Claim != nil {
		if t.ID = tracker.TenantID(*in.Claim); !tracker.ValidID(*in.Claim) {
			wrong = append(wrong, tracker.Bad("claim",
				"a claim is 1 to %d characters from a-z and 0-9; got %q",
				tracker.MaxID, *in.Claim))
		}
	}
	if err := tracker.Join(wrong...); err != nil {
		return nil, tracker.At("input", err)
	}
	if err := session(ctx).Writes.CreateTenant(ctx, t); err != nil {
		return nil, tracker.At("input", err)
	}
	tenant, err := tenantOf(ctx, &t)
	return &model.CreateTenantPayload{Tenant: tenant}, err
}

func tenantOf(ctx context.Context, t *tracker.Tenant) (*model.Tenant, error) {
	l, err := session(ctx).Reads.Tenant(t.ID)
	if err != nil {
		return nil, err
	}
	return &model.Tenant{Tenant: *t, Loaders: l}, nil
}

func updateTenant(ctx context.Context, in model.UpdateTenantInput) (*model.UpdateTenantPayload, error) {
	_, w, err := writerOf(ctx, in.ID, parseTenantID)
	if err != nil {
		return nil, err
	}
	name := tracker.CleanName(in.Name)
	if err := tracker.CheckNewName("input.name", name); err != nil {
		return nil, err
	}
	t, err := w.Rename(ctx, name)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	tenant, err := tenantOf(ctx, t)
	return &model.UpdateTenantPayload{Tenant: tenant}, err
}

func createProject(ctx context.Context, in model.CreateProjectInput) (*model.CreateProjectPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.Tenant, parseTenantID, in.IdempotencyKey, "createProject", in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	p := tracker.Project{ID: tracker.ProjectID(id), Key: in.Key, Name: tracker.CleanName(in.Name),
		States: []tracker.State{{ID: "open", Name: "open", Open: true}, {ID: "closed", Name: "closed"}}}
	wrong := []error{tracker.CheckNewName("name", p.Name)}
	if in.States != nil {
		p.States = make([]tracker.State, len(in.States))
		for i, s := range in.States {
			p.States[i] = tracker.State{Name: tracker.CleanName(s.Name), Open: s.Open}
			if p.States[i].ID, err = newOptionID(); err != nil {
				return nil, err
			}
			wrong = append(wrong, tracker.CheckNewName("states"+index(i)+".name", p.States[i].Name))
		}
	}
	spendOnNames(ctx, p.States, func(s tracker.State) string { return s.Name })
	wrong = append(wrong, p.Check(nil))
	if err := tracker.Join(invalid, tracker.At("input", tracker.Join(wrong...))); err != nil {
		return nil, err
	}
	created, err := w.CreateProject(ctx, p)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	project, err := projectOf(ctx, n, tracker.NewDefinition(*created, nil))
	return &model.CreateProjectPayload{Project: project}, err
}

func updateProject(ctx context.Context, in model.UpdateProjectInput) (*model.UpdateProjectPayload, error) {
	n, w, err := writerOf(ctx, in.ID, parseProjectID)
	if err != nil {
		return nil, err
	}
	changed, err := w.UpdateProject(ctx, n.Project, func(p *tracker.Project) error {
		set(&p.Key, in.Key)
		wrong := []error{setName("name", &p.Name, in.Name)}
		if in.States == nil {
			return wrong[0]
		}
		states := make([]tracker.State, len(in.States))
		for i, s := range in.States {
			at := "states" + index(i)
			id, err := keptOrNew(at, s.ID, func(id string) (tracker.OptionID, error) {
				return parseState(p, id)
			})
			had, _ := p.State(id)
			states[i] = tracker.State{ID: id, Name: had.Name, Open: s.Open}
			wrong = append(wrong, err, setName(at+".name", &states[i].Name, &s.Name))
		}
		p.States = states
		return tracker.Join(wrong...)
	})
	if err != nil {
		return nil, tracker.At("input", err)
	}
	project, err := projectOf(ctx, n, tracker.NewDefinition(*changed, nil))
	return &model.UpdateProjectPayload{Project: project}, err
}

// setName assigns *from without white space at its ends to *to, unless from is nil, and checks it. An
// unchanged name stays as it is stored and is always valid.
func setName(path string, to, from *string) error {
	if from == nil || *from == *to {
		return nil
	}
	*to = tracker.CleanName(*from)
	return tracker.CheckNewName(path, *to)
}

// set assigns *from to *to unless from is nil.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func createField(ctx context.Context, in model.CreateCustomFieldInput) (*model.CreateCustomFieldPayload,
	error) {
	n, w, invalid := keyedWriterOf(ctx, in.Project, parseProjectID, in.IdempotencyKey, "createCustomField",
		in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	f := tracker.Field{ID: tracker.FieldID(id), Name: tracker.CleanName(in.Name),
		Type: tracker.FieldType(in.Type), Required: in.Required}
	set(&f.Description, in.Description)
	wrong := []error{tracker.CheckNewName("name", f.Name), nil, nil}
	f.Position, wrong[1] = position(in.Position)
	f.Options, wrong[2] = newOptions(in.Options)
	spendOnNames(ctx, f.Options, func(o tracker.Option) string { return o.Name })
	wrong = append(wrong, checkAlone(&f))
	if err := tracker.Join(invalid, tracker.At("input", tracker.Join(wrong...))); err != nil {
		return nil, err
	}
	created, err := w.CreateField(ctx, n.Project, f)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	field, err := writtenField(ctx, n, created)
	return &model.CreateCustomFieldPayload{Field: field}, err
}

// spendOnNames charges the operation for comparing the names of a list.
func spendOnNames[T any](ctx context.Context, all []T, name func(T) string) {
	var spent time.Duration
	for _, t := range all {
		spent += tracker.LookalikeCPU(name(t))
	}
	account.From(ctx).Spend(spent)
}

// checkAlone checks a field without the other fields of its project, so that these errors are reported
// together with those of the input.
func checkAlone(f *tracker.Field) error {
	return tracker.NewDefinition(tracker.Project{}, nil).CheckField(f)
}

// maxPosition is the greatest position that a client can set. Positions above it are for fields that are
// added without a position.
const maxPosition = 1_000_000

// position checks the position of a field. It returns 0 if p is nil.
func position(p *int32) (int64, error) {
	if p == nil {
		return 0, nil
	}
	if *p < 1 || *p > maxPosition {
		return 0, tracker.Bad("position", "%d is out of range: a position is 1 to %d", *p, maxPosition)
	}
	return int64(*p), nil
}

// writtenField returns the view of a field that was just written.
func writtenField(ctx context.Context, n model.NodeID, f *tracker.Field) (*model.CustomField, error) {
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	return fieldOf(ctx, n, d, f)
}

func updateField(ctx context.Context, in model.UpdateCustomFieldInput) (*model.UpdateCustomFieldPayload,
	error) {
	n, w, err := writerOf(ctx, in.ID, parseFieldID)
	if err != nil {
		return nil, err
	}
	newPosition, invalid := position(in.Position)
	changed, err := w.UpdateField(ctx, n.Project, n.Field, func(f *tracker.Field) error {
		wrong := []error{invalid, setName("name", &f.Name, in.Name)}
		set(&f.Description, in.Description)
		set(&f.Required, in.Required)
		set(&f.Archived, in.Archived)
		if newPosition > 0 {
			f.Position = newPosition
		}
		if in.Options != nil {
			options, err := updatedOptions(n, f, in.Options)
			f.Options = options
			wrong = append(wrong, err)
		}
		return tracker.Join(wrong...)
	})
	if err != nil {
		return nil, asField(err)
	}
	field, err := writtenField(ctx, n, changed)
	return &model.UpdateCustomFieldPayload{Field: field}, err
}

// updatedOptions converts the new list of options of a field.
func updatedOptions(n model.NodeID, f *tracker.Field, inputs []*model.UpdateOptionInput) ([]tracker.Option,
	error) {
	project := &tracker.Project{ID: n.Project, Tenant: n.Tenant}
	options := make([]tracker.Option, len(inputs))
	var wrong []error
	for i, o := range inputs {
		at := "options" + index(i)
		id, err := keptOrNew(at, o.ID, func(id string) (tracker.OptionID, error) {
			return parseOption(project, f, id)
		})
		had, _ := f.Option(id)
		options[i] = tracker.Option{ID: id, Name: had.Name, Color: had.Color}
		wrong = append(wrong, err, setName(at+".name", &options[i].Name, &o.Name))
		if given, set := o.Color.ValueOK(); set {
			options[i].Color, err = color(at, given)
			wrong = append(wrong, err)
		}
	}
	return options, tracker.Join(wrong...)
}

// otherError returns err unless it is about an invalid input, to which further invalid inputs can be added.
func otherError(err error) error {
	if tracker.CodeOf(err) == tracker.BadInput {
		return nil
	}
	return err
}

// writerOf parses an id and returns the writes of its tenant.
func writerOf(ctx context.Context, id string, parse func(context.Context, string) (model.NodeID, error)) (
	model.NodeID, TenantWrites, error) {
	return keyedWriterOf(ctx, id, parse, nil, "", nil)
}

// keyedWriterOf is like writerOf, for a mutation with an idempotency key. key may be nil.
func keyedWriterOf(ctx context.Context, id string, parse func(context.Context, string) (model.NodeID, error),
	key *string, mutation string, input any) (model.NodeID, TenantWrites, error) {
	n, err := parse(ctx, id)
	if err != nil {
		return n, nil, err
	}
	once, err := onceOf(key, mutation, input)
	if err != nil {
		return n, nil, err
	}
	w, err := session(ctx).Writes.Tenant(n.Tenant, once)
	return n, w, err
}

// asField converts a NotFound error of a project or field to that of a custom field.
func asField(err error) error {
	if tracker.CodeOf(err) == tracker.NotFound {
		return tracker.Missing("custom field")
	}
	return tracker.At("input", err)
}

func changeFieldType(ctx context.Context,
	in model.ChangeCustomFieldTypeInput) (*model.ChangeCustomFieldTypePayload, error) {
	n, w, err := writerOf(ctx, in.ID, parseFieldID)
	if err != nil {
		return nil, err
	}
	to := tracker.Form{Type: tracker.FieldType(in.Type), FromValues: in.CreateOptions}
	var invalid error
	to.Options, invalid = newOptions(in.Options)
	if err := tracker.Join(invalid, checkAlone(&tracker.Field{Name: "any", Type: to.Type,
		Options: to.Options})); err != nil {
		return nil, tracker.At("input", err)
	}
	job, err := w.ChangeFieldType(ctx, n.Project, n.Field, to,
		in.Unconvertible == model.UnconvertibleValuesRemove)
	if err != nil {
		return nil, asField(err)
	}
	return &model.ChangeCustomFieldTypePayload{Job: model.NewJob(n.Tenant, n.Project, job)}, nil
}

func deleteField(ctx context.Context, in model.DeleteCustomFieldInput) (*model.DeleteCustomFieldPayload,
	error) {
	n, w, err := writerOf(ctx, in.ID, parseFieldID)
	if err != nil {
		return nil, err
	}
	if err := w.DeleteField(ctx, n.Project, n.Field); err != nil {
		return nil, asField(err)
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	project, err := projectOf(ctx, n, d)
	return &model.DeleteCustomFieldPayload{DeletedFieldID: in.ID, Project: project}, err
}

func deleteProject(ctx context.Context, in model.DeleteProjectInput) (*model.DeleteProjectPayload, error) {
	n, w, err := writerOf(ctx, in.ID, parseProjectID)
	if err != nil {
		return nil, err
	}
	if err := w.DeleteProject(ctx, n.Project); err != nil {
		return nil, err
	}
	tenant, err := tenantByID(ctx, n.Tenant)
	return &model.DeleteProjectPayload{DeletedProjectID: in.ID, Tenant: tenant}, err
}
