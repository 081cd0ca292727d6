package graph

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"issuegrid/graph/model"
	"issuegrid/graph/once"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

func createTenant(ctx context.Context, in model.CreateTenantInput) (*model.CreateTenantPayload, error) {
	o, badKey := onceOf(ctx, in.IdempotencyKey, "createTenant", in)
	if err := otherError(badKey); err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	t := tracker.Tenant{ID: tracker.TenantID(id), Name: tracker.CleanName(in.Name)}
	wrong := []error{belowInput(badKey), tracker.CheckNewName("name", t.Name)}
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
	created, err := session(ctx).Writes.AllTenants(o).NewTenant(ctx, t)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	tenant, err := tenantOf(ctx, created)
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
	n, err := parseTenantID(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	o, badKey := onceOf(ctx, in.IdempotencyKey, "updateTenant", in)
	name := tracker.CleanName(in.Name)
	if err := tracker.Join(badKey, tracker.CheckNewName("input.name", name)); err != nil {
		return nil, err
	}
	account.From(ctx).Spend(account.NameCPU(name))
	t, err := session(ctx).Writes.AllTenants(o).RenameTenant(ctx, n.Tenant, name)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	tenant, err := tenantOf(ctx, t)
	return &model.UpdateTenantPayload{Tenant: tenant}, err
}

func deleteTenant(ctx context.Context, in model.DeleteTenantInput) (*model.DeleteTenantPayload, error) {
	n, err := parseTenantID(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	o, badKey := onceOf(ctx, in.IdempotencyKey, "deleteTenant", in)
	if err := otherError(badKey); err != nil {
		return nil, err
	}
	err = session(ctx).Writes.AllTenants(o).DeleteTenant(ctx, n.Tenant, func(t *tracker.Tenant) error {
		if in.Confirm == t.Name {
			return belowInput(badKey)
		}
		return tracker.Join(belowInput(badKey), tracker.Bad("confirm",
			"the tenant's name is %s; give exactly this to delete the "+
				"tenant with all its projects permanently", strconv.Quote(t.Name)))
	})
	if err != nil {
		return nil, tracker.At("input", err)
	}
	return &model.DeleteTenantPayload{DeletedTenantID: &in.ID}, nil
}

func createProject(ctx context.Context, in model.CreateProjectInput) (*model.CreateProjectPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.TenantID, parseTenantID, in.IdempotencyKey, "createProject", in)
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
	if in.Shards != nil {
		if err := tracker.CheckShards("shards", int(*in.Shards)); err != nil {
			wrong = append(wrong, err)
		} else {
			p.Shards = int(*in.Shards)
		}
	}
	if in.States != nil {
		p.States = make([]tracker.State, len(in.States))
		for i, s := range in.States {
			p.States[i] = tracker.State{Name: tracker.CleanName(s.Name), Open: s.Open}
			if p.States[i].ID, err = newOptionID(); err != nil {
				return nil, err
			}
			p.States[i].Color, err = color(s.Color)
			wrong = append(wrong, tracker.At("states"+index(i), tracker.Join(
				tracker.CheckNewName("name", p.States[i].Name), err)))
		}
	}
	spendOnNames(account.From(ctx), p.States, stateName)
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
	n, w, invalid, err := checkedWriterOf(ctx, in.ID, parseProjectID, in.IdempotencyKey, "updateProject", in)
	if err != nil {
		return nil, err
	}
	changed, err := w.UpdateProject(ctx, n.Project, func(p *tracker.Project) error {
		if err := expectProject(in.ExpectedVersion)(p); err != nil {
			return err
		}
		set(&p.Key, in.Key)
		return tracker.Join(invalid, setName("name", &p.Name, in.Name))
	})
	if err != nil {
		return nil, tracker.At("input", err)
	}
	project, err := projectOf(ctx, n, tracker.NewDefinition(*changed, nil))
	return &model.UpdateProjectPayload{Project: project}, err
}

// expectProject returns a function that returns the error of a change that is based on another version of a
// project than the current one. expected may be nil.
func expectProject(expected *int32) func(*tracker.Project) error {
	return func(p *tracker.Project) error { return expectVersion("project", expected, p.Changes+1) }
}

// expectField is like expectProject, for a field.
func expectField(expected *int32) func(*tracker.Field) error {
	return func(f *tracker.Field) error { return expectVersion("field", expected, f.Version()) }
}

func expectVersion(what string, expected *int32, current int64) error {
	if expected == nil || int64(*expected) == current {
		return nil
	}
	return tracker.OtherVersion(what, current)
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
	n, w, invalid := keyedWriterOf(ctx, in.ProjectID, parseProjectID, in.IdempotencyKey, "createCustomField",
		in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	f := tracker.Field{Name: tracker.CleanName(in.Name), Type: tracker.FieldType(in.Type),
		Required: model.Is(in.Required, true)}
	set(&f.Description, in.Description)
	wrong := []error{tracker.CheckNewName("name", f.Name), nil, nil}
	f.Position, wrong[1] = position(in.Position)
	f.Options, wrong[2] = newOptions(in.Options)
	wrong[2] = tracker.At("options", wrong[2])
	spendOnNames(account.From(ctx), f.Options, optionName)
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
	n, w, badKey, err := checkedWriterOf(ctx, in.ID, parseFieldID, in.IdempotencyKey, "updateCustomField", in)
	if err != nil {
		return nil, err
	}
	newPosition, invalid := position(in.Position)
	added, invalidOptions := newOptions(in.NewOptions)
	if err := otherError(invalidOptions); err != nil {
		return nil, err
	}
	changed, err := w.UpdateField(ctx, n.Project, n.Field, func(f *tracker.Field) error {
		if err := expectField(in.ExpectedVersion)(f); err != nil {
			return err
		}
		wrong := []error{badKey, invalid, setName("name", &f.Name, in.Name), tracker.At("newOptions",
			invalidOptions)}
		set(&f.Description, in.Description)
		set(&f.Required, in.Required)
		set(&f.Archived, in.Archived)
		if newPosition > 0 {
			f.Position = newPosition
		}
		if in.NewOptions != nil {
			spendOnNames(account.From(ctx), slices.Concat(f.Options, added), optionName)
			wrong = append(wrong, tracker.At("newOptions", others(f.AddOptions(added), invalidOptions)))
		}
		return tracker.Join(wrong...)
	})
	if err != nil {
		return nil, asField(atList("options", "newOptions", err))
	}
	field, err := writtenField(ctx, n, changed)
	return &model.UpdateCustomFieldPayload{Field: field}, err
}

// onceOf checks an idempotency key of the caller.
func onceOf(ctx context.Context, key *string, mutation string, input any) (*tracker.Once, error) {
	return once.Of(session(ctx).Principal, key, mutation, input)
}

// otherError returns err unless it is about an invalid input, to which further invalid inputs can be added.
func otherError(err error) error {
	if tracker.CodeOf(err) == tracker.BadInput {
		return nil
	}
	return err
}

// checkedWriterOf is like keyedWriterOf. If the idempotency key is invalid, it returns writes without one,
// and the error relative to the input, which the change must return with its other errors.
func checkedWriterOf(ctx context.Context, id string,
	parse func(context.Context, string) (model.NodeID, error), key *string, mutation string, input any) (
	n model.NodeID, w TenantWrites, badKey, err error) {
	n, w, err = keyedWriterOf(ctx, id, parse, key, mutation, input)
	if tracker.CodeOf(err) == tracker.BadInput {
		badKey = belowInput(err)
		n, w, err = keyedWriterOf(ctx, id, parse, nil, mutation, input)
	}
	return n, w, badKey, err
}

// keyedWriterOf parses an id and returns the writes of its tenant, for a mutation with an idempotency key,
// which may be nil.
func keyedWriterOf(ctx context.Context, id string, parse func(context.Context, string) (model.NodeID, error),
	key *string, mutation string, input any) (model.NodeID, TenantWrites, error) {
	n, err := parse(ctx, id)
	if err != nil {
		return n, nil, err
	}
	o, err := onceOf(ctx, key, mutation, input)
	if err != nil {
		return n, nil, err
	}
	w, err := session(ctx).Writes.Tenant(n.Tenant, o)
	return n, w, err
}

// asField converts a NotFound error of a project or field to that of a custom field.
func asField(err error) error { return asInput("custom field", err) }

// asInput returns an error of a change of what: NotFound names what, and other errors are about the input.
func asInput(what string, err error) error {
	return tracker.At("input", asMissing(what, err))
}

// asMissing returns the NotFound error of another object as that of what. One with a path is about something
// else.
func asMissing(what string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Code == tracker.NotFound && e.Path == "" {
		return tracker.Missing(what)
	}
	return err
}

func changeFieldType(ctx context.Context,
	in model.ChangeCustomFieldTypeInput) (*model.ChangeCustomFieldTypePayload, error) {
	n, w, badKey, err := checkedWriterOf(ctx, in.ID, parseFieldID, in.IdempotencyKey,
		"changeCustomFieldType", in)
	if err != nil {
		return nil, err
	}
	zone := model.Or(in.TimeZone, "UTC")
	to := tracker.Form{Type: tracker.FieldType(in.Type), FromValues: model.Is(in.CreateOptions, true),
		Zone: zone}
	var invalid error
	to.Options, invalid = newOptions(in.Options)
	_, noZone := session(ctx).zones.zone(zone)
	if err := tracker.Join(badKey, tracker.At("timeZone", noZone), tracker.At("options", invalid),
		checkAlone(&tracker.Field{Name: "any", Type: to.Type, Options: to.Options})); err != nil {
		return nil, tracker.At("input", err)
	}
	job, err := w.ChangeFieldType(ctx, n.Project, n.Field, to,
		model.Is(in.Unconvertible, model.UnconvertibleValuesRemove), expectField(in.ExpectedVersion))
	if err != nil {
		return nil, asField(err)
	}
	return &model.ChangeCustomFieldTypePayload{Job: model.NewJob(n.Tenant, n.Project, job)}, nil
}

func deleteField(ctx context.Context, in model.DeleteCustomFieldInput) (*model.DeleteCustomFieldPayload,
	error) {
	n, w, err := keyedWriterOf(ctx, in.ID, parseFieldID, in.IdempotencyKey, "deleteCustomField", in)
	if err != nil {
		return nil, err
	}
	if err := w.DeleteField(ctx, n.Project, n.Field, expectField(in.ExpectedVersion)); err != nil {
		return nil, asField(err)
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	project, err := projectOf(ctx, n, d)
	return &model.DeleteCustomFieldPayload{DeletedCustomFieldID: &in.ID, Project: project,
		Job: startedJob(ctx, n, w)}, err
}

func deleteProject(ctx context.Context, in model.DeleteProjectInput) (*model.DeleteProjectPayload, error) {
	n, w, invalid := keyedWriterOf(ctx, in.ID, parseProjectID, in.IdempotencyKey, "deleteProject", in)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	permanently := model.Is(in.Permanently, true)
	confirm := func(p *tracker.Project) error {
		if orEmpty(in.Confirm) == p.Key {
			return expectProject(in.ExpectedVersion)(p)
		}
		return tracker.Bad("confirm", "the project's key is %s; give exactly this to delete the project "+
			"permanently", p.Key)
	}
	if !permanently && in.Confirm != nil {
		invalid = tracker.Join(invalid, tracker.Bad("input.confirm",
			"a project that is moved to the trash needs no confirmation; `permanently` deletes it"))
	}
	if invalid != nil {
		if d, err := lookUpDefinition(ctx, n); err == nil && permanently {
			invalid = tracker.Join(invalid, tracker.At("input", confirm(&d.Project)))
		}
		return nil, invalid
	}
	payload := &model.DeleteProjectPayload{DeletedProjectID: &in.ID}
	var err error
	if permanently {
		err = w.DeleteProject(ctx, n.Project, confirm)
	} else {
		var trashed *tracker.Project
		trashed, err = w.TrashProject(ctx, n.Project, expectProject(in.ExpectedVersion))
		if err == nil && trashed.Trash != nil {
			at := model.DateTime(tracker.FormatDateTime(trashed.Trash.Purge))
			payload.PurgeAt = &at
		}
	}
	if err != nil {
		return nil, asInput("project", err)
	}
	payload.Tenant, err = tenantByID(ctx, n.Tenant)
	return payload, err
}

func restoreProject(ctx context.Context, in model.RestoreProjectInput) (*model.RestoreProjectPayload, error) {
	n, w, err := keyedWriterOf(ctx, in.ID, parseProjectID, in.IdempotencyKey, "restoreProject", in)
	if err != nil {
		return nil, err
	}
	restored, err := w.RestoreProject(ctx, n.Project)
	if err != nil {
		return nil, asInput("project in the trash", err)
	}
	project, err := projectOf(ctx, n, tracker.NewDefinition(*restored, nil))
	return &model.RestoreProjectPayload{Project: project}, err
}
