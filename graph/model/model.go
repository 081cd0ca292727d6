// Package model holds the Go side of the schema's types: thin views of tracker's things, and the opaque ids.
// The inputs and payloads beside them are generated, but for the filters of values in filter.go. Start with
// Issue and value.go.
//
// A view computes what a client selected from what was read already; only what its loaders bring costs a
// call.
package model

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// Tenant is a tenant.
type Tenant struct {
	Tenant  tracker.Tenant
	Loaders Reads
}

// IsNode marks a node.
func (Tenant) IsNode() {}

// ID is the opaque id.
func (t Tenant) ID() string { return TenantNodeID(t.Tenant.ID) }

// Name is the tenant's name.
func (t Tenant) Name() string { return t.Tenant.Name }

// Claim is how tokens name the tenant.
func (t Tenant) Claim() string { return string(t.Tenant.ID) }

// Project is a project, with or without its fields read.
type Project struct {
	Project *tracker.Project
	Loaders Reads
}

// IsNode marks a node.
func (Project) IsNode() {}

// ID is the opaque id.
func (p Project) ID() string { return ProjectNodeID(p.Project.Tenant, p.Project.ID) }

// Key is the project's key.
func (p Project) Key() string { return p.Project.Key }

// Name is the project's name.
func (p Project) Name() string { return p.Project.Name }

// States are the project's states in their order.
func (p Project) States() []*State {
	out := make([]*State, len(p.Project.States))
	for i, s := range p.Project.States {
		out[i] = &State{State: s, project: p.Project}
	}
	return out
}

// State is a state of a project.
type State struct {
	State   tracker.State
	project *tracker.Project
}

// ID is the opaque id.
func (s State) ID() string { return StateID(s.project.Tenant, s.project.ID, s.State.ID) }

// Name is the state's name.
func (s State) Name() string { return s.State.Name }

// Open tells whether an issue in this state still needs work.
func (s State) Open() bool { return s.State.Open }

// Definition is the project with its fields, from memory or with one Query.
func (p Project) Definition(ctx context.Context) (*tracker.Definition, error) {
	return p.Loaders.Definition(ctx, p.Project.ID)
}

// CustomField is the definition of a custom field.
type CustomField struct {
	Field      *tracker.Field
	Definition *tracker.Definition
	Loaders    Reads
}

// IsNode marks a node.
func (CustomField) IsNode() {}

// ID is the opaque id.
func (f CustomField) ID() string {
	p := &f.Definition.Project
	return FieldNodeID(p.Tenant, p.ID, f.Field.ID)
}

// Name is the field's name.
func (f CustomField) Name() string { return f.Field.Name }

// Description is what the field is for.
func (f CustomField) Description() string { return f.Field.Description }

// Type is the type of the field's values.
func (f CustomField) Type() CustomFieldType { return CustomFieldType(f.Field.Type) }

// Required tells whether a new issue must have a value.
func (f CustomField) Required() bool { return f.Field.Required }

// Sortable tells whether a grid can be sorted by the field.
func (f CustomField) Sortable() bool { return f.Field.Type.Sortable() }

// Filterable tells whether a grid can be filtered by the field, which it can by all of them.
func (f CustomField) Filterable() bool { return true }

// Archived tells that the field is kept, but not listed.
func (f CustomField) Archived() bool { return f.Field.Archived }

// Rebuilding tells that a job is bringing the issues up to a change of the field.
func (f CustomField) Rebuilding() bool { return f.Field.Rebuilding() }

// Position orders the fields of a project.
func (f CustomField) Position() int32 { return int32(f.Field.Position) }

// Options are the field's options in their order.
func (f CustomField) Options() []*Option {
	out := make([]*Option, len(f.Field.Options))
	for i, o := range f.Field.Options {
		out[i] = &Option{Option: o, field: f.Field, project: &f.Definition.Project}
	}
	return out
}

// Option is the option with an id, or nil.
func (f CustomField) Option(id tracker.OptionID) *Option {
	o, ok := f.Field.Option(id)
	if !ok {
		return nil
	}
	return &Option{Option: o, field: f.Field, project: &f.Definition.Project}
}

// Project is the field's project.
func (f CustomField) Project() *Project {
	return &Project{Project: &f.Definition.Project, Loaders: f.Loaders}
}

// Option is an option of a custom field.
type Option struct {
	Option  tracker.Option
	field   *tracker.Field
	project *tracker.Project
}

// ID is the opaque id.
func (o Option) ID() string {
	return OptionID(o.project.Tenant, o.project.ID, o.field.ID, o.Option.ID)
}

// Name is the option's name.
func (o Option) Name() string { return o.Option.Name }

// Color is the option's color, or nil.
func (o Option) Color() *string { return given(o.Option.Color) }

// Issue is an issue.
type Issue struct {
	Issue      *tracker.Issue
	Definition *tracker.Definition
	Loaders    Reads
}

// IsNode marks a node.
func (*Issue) IsNode() {}

// ID is the opaque id.
func (i *Issue) ID() string { return IssueNodeID(i.Definition.Project.Tenant, i.Issue.ID) }

// Num is the issue's number.
func (i *Issue) Num() int32 { return int32(i.Issue.Num) }

// Name is what the issue is about.
func (i *Issue) Name() string { return i.Issue.Name }

// State is the issue's state. One that the project has not goes by its id, as an option does: another server
// may have added it while this one still believes the definition that it read before.
func (i *Issue) State() *State {
	s, ok := i.Definition.Project.State(i.Issue.State)
	if !ok {
		s = tracker.State{ID: i.Issue.State, Name: string(i.Issue.State), Open: true}
	}
	return &State{State: s, project: &i.Definition.Project}
}

// Description is the long text, loaded when it is not in the document.
func (i *Issue) Description(ctx context.Context) (*string, error) {
	v := i.Issue.Description
	if v.Kind == tracker.KindNone {
		return nil, nil
	}
	text, err := i.LongText(ctx, tracker.ColumnDescription, v)
	if err != nil || text == "" {
		return nil, err // "" when it was removed since the document was read
	}
	return &text, nil
}

// LongText is a text of the issue, loaded when it is not in the document.
func (i *Issue) LongText(ctx context.Context, c tracker.Column, v tracker.Value) (string, error) {
	if v.Kind != tracker.KindLong {
		return v.Text(), nil
	}
	return i.Loaders.LongText(ctx, tracker.LongRef{Issue: i.Issue.ID, Column: c, Long: v.Long()})
}

// CreatedAt is when the issue was made.
func (i *Issue) CreatedAt() DateTime { return DateTime(tracker.FormatDateTime(i.Issue.Created)) }

// UpdatedAt is when the issue was last changed.
func (i *Issue) UpdatedAt() DateTime { return DateTime(tracker.FormatDateTime(i.Issue.Updated)) }

// Version counts the changes of the issue.
func (i *Issue) Version() int32 { return int32(i.Issue.Version) }

// Project is the issue's project.
func (i *Issue) Project() *Project {
	return &Project{Project: &i.Definition.Project, Loaders: i.Loaders}
}

// Value is the issue's value of a field, or nil.
func (i *Issue) Value(field string) (CustomValue, error) {
	f, err := FieldOf(i.Definition, field)
	if err != nil {
		return nil, tracker.At("field", err)
	}
	return i.View(f), nil
}

// Values are the issue's values of the fields, or of all fields that it has a value of. A field that is not
// the project's is null and an error of its own, and spoils no other.
func (i *Issue) Values(ctx context.Context, fields []string) ([]CustomValue, error) {
	if fields == nil {
		out := make([]CustomValue, 0, len(i.Issue.Values))
		for _, f := range i.Definition.Fields {
			if v := i.View(f); v != nil {
				out = append(out, v)
			}
		}
		return out, nil
	}
	if len(fields) > tracker.MaxFields {
		return nil, tracker.Bad("fields", "%d ids; the limit is %d", len(fields), tracker.MaxFields)
	}
	out := make([]CustomValue, len(fields))
	for n, field := range fields {
		f, err := FieldOf(i.Definition, field)
		if err != nil {
			graphql.AddError(graphql.WithPathContext(ctx, graphql.NewPathWithIndex(n)), err)
			continue
		}
		out[n] = i.View(f)
	}
	return out, nil
}

// FieldOf returns a project's field by its opaque id; NotFound for one that is not of this project.
func FieldOf(d *tracker.Definition, id string) (*tracker.Field, error) {
	n, err := ParseFieldID(id)
	if err != nil {
		return nil, err
	}
	f := d.Field(n.Field)
	if f == nil || n.Project != d.Project.ID || n.Tenant != d.Project.Tenant {
		return nil, tracker.Missing("custom field in this project")
	}
	return f, nil
}
