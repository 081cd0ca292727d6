package graph

import (
	"context"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func createTenant(ctx context.Context, in model.CreateTenantInput) (*model.CreateTenantPayload, error) {
	id, err := newID()
	if err != nil {
		return nil, err
	}
	if in.Claim != nil {
		if id = *in.Claim; !tracker.ValidID(id) {
			return nil, tracker.Bad("input.claim", "a claim is 1 to %d characters from a-z and 0-9; got %q",
				tracker.MaxID, id)
		}
	}
	if err := tracker.CheckNewName("input.name", in.Name); err != nil {
		return nil, err
	}
	t := tracker.Tenant{ID: tracker.TenantID(id), Name: in.Name}
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
	if err := tracker.CheckNewName("input.name", in.Name); err != nil {
		return nil, err
	}
	t, err := w.Rename(ctx, in.Name)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	tenant, err := tenantOf(ctx, t)
	return &model.UpdateTenantPayload{Tenant: tenant}, err
}

func createProject(ctx context.Context, in model.CreateProjectInput) (*model.CreateProjectPayload, error) {
	n, w, err := keyedWriterOf(ctx, in.Tenant, parseTenantID, in.IdempotencyKey, "createProject", in)
	if err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	if err := tracker.CheckNewName("input.name", in.Name); err != nil {
		return nil, err
	}
	p := tracker.Project{ID: tracker.ProjectID(id), Key: in.Key, Name: in.Name,
		States: []tracker.State{{ID: "open", Name: "open", Open: true}, {ID: "closed", Name: "closed"}}}
	if in.States != nil {
		p.States = make([]tracker.State, len(in.States))
		for i, s := range in.States {
			if err := tracker.CheckNewName("input.states"+index(i)+".name", s.Name); err != nil {
				return nil, err
			}
			p.States[i] = tracker.State{Name: s.Name, Open: s.Open}
			if p.States[i].ID, err = newOptionID(); err != nil {
				return nil, err
			}
		}
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
		if in.Name != nil {
			if err := checkRename("name", p.Name, *in.Name); err != nil {
				return err
			}
		}
		set(&p.Name, in.Name)
		if in.States == nil {
			return nil
		}
		states := make([]tracker.State, len(in.States))
		for i, s := range in.States {
			states[i] = tracker.State{Name: s.Name, Open: s.Open}
			var err error
			if states[i].ID, err = keptOrNew("states"+index(i),
				s.ID, func(id string) (tracker.OptionID, error) {
					return parseState(p, id)
				}); err != nil {
				return err
			}
			had, _ := p.State(states[i].ID)
			if err := checkRename("states"+index(i)+".name", had.Name, s.Name); err != nil {
				return err
			}
		}
		p.States = states
		return nil
	})
	if err != nil {
		return nil, tracker.At("input", err)
	}
	project, err := projectOf(ctx, n, tracker.NewDefinition(*changed, nil))
	return &model.UpdateProjectPayload{Project: project}, err
}

// set assigns *from to *to unless from is nil.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func createField(ctx context.Context, in model.CreateCustomFieldInput) (*model.CreateCustomFieldPayload,
	error) {
	n, w, err := keyedWriterOf(ctx, in.Project, parseProjectID, in.IdempotencyKey, "createCustomField", in)
	if err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	if err := tracker.CheckNewName("input.name", in.Name); err != nil {
		return nil, err
	}
	f := tracker.Field{ID: tracker.FieldID(id), Name: in.Name, Type: tracker.FieldType(in.Type),
		Required: in.Required}
	set(&f.Description, in.Description)
	if f.Position, err = position(in.Position); err != nil {
		return nil, err
	}
	if f.Options, err = newOptions(in.Options); err != nil {
		return nil, err
	}
	created, err := w.CreateField(ctx, n.Project, f)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	field, err := writtenField(ctx, n, created)
	return &model.CreateCustomFieldPayload{Field: field}, err
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
		return 0, tracker.Bad("input.position", "%d is out of range: a position is 1 to %d", *p, maxPosition)
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
	newPosition, err := position(in.Position)
	if err != nil {
		return nil, err
	}
	changed, err := w.UpdateField(ctx, n.Project, n.Field, func(f *tracker.Field) error {
		if in.Name != nil {
			if err := checkRename("name", f.Name, *in.Name); err != nil {
				return err
			}
		}
		set(&f.Name, in.Name)
		set(&f.Description, in.Description)
		set(&f.Required, in.Required)
		set(&f.Archived, in.Archived)
		if newPosition > 0 {
			f.Position = newPosition
		}
		if in.Options == nil {
			return nil
		}
		project := &tracker.Project{ID: n.Project, Tenant: n.Tenant}
		options := make([]tracker.Option, len(in.Options))
		for i, o := range in.Options {
			options[i] = tracker.Option{Name: o.Name}
			var err error
			if options[i].ID, err = keptOrNew("options"+index(i),
				o.ID, func(id string) (tracker.OptionID, error) {
					return parseOption(project, f, id)
				}); err != nil {
				return err
			}
			had, _ := f.Option(options[i].ID)
			if err := checkRename("options"+index(i)+".name", had.Name, o.Name); err != nil {
				return err
			}
			if options[i].Color, err = color("options"+index(i), o.Color); err != nil {
				return err
			}
		}
		f.Options = options
		return nil
	})
	if err != nil {
		return nil, asField(err)
	}
	field, err := writtenField(ctx, n, changed)
	return &model.UpdateCustomFieldPayload{Field: field}, err
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
	to := tracker.Form{Type: tracker.FieldType(in.Type)}
	if to.Options, err = newOptions(in.Options); err != nil {
		return nil, err
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
