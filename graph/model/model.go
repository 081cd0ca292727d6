// Package model implements the object types of the GraphQL schema as thin views of tracker's types, and the
// opaque ids. Inputs and payloads are generated, except for the value filters in filter.go. Start with Issue
// and value.go.
//
// A view computes the selected fields from data that is already read. Only calls to its Loaders can cost a
// read.
package model

import (
	"context"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// Tenant is the view of a tenant.
type Tenant struct {
	Tenant  tracker.Tenant
	Loaders Reads
}

// IsNode implements Node.
func (Tenant) IsNode() {}

// ID returns the opaque id.
func (t Tenant) ID() string { return TenantNodeID(t.Tenant.ID) }

// Name returns the tenant's name.
func (t Tenant) Name() string { return t.Tenant.Name }

// Claim returns the value that identifies the tenant in tokens.
func (t Tenant) Claim() string { return string(t.Tenant.ID) }

// Project is the view of a project. Its fields need not be read yet.
type Project struct {
	Project *tracker.Project
	Loaders Reads
}

// IsNode implements Node.
func (Project) IsNode() {}

// ID returns the opaque id.
func (p Project) ID() string { return ProjectNodeID(p.Project.Tenant, p.Project.ID) }

// Key returns the project's key.
func (p Project) Key() string { return p.Project.Key }

// Name returns the project's name.
func (p Project) Name() string { return p.Project.Name }

// States returns the project's states in order.
func (p Project) States() []*State {
	out := make([]*State, len(p.Project.States))
	for i, s := range p.Project.States {
		out[i] = &State{State: s, project: p.Project}
	}
	return out
}

// StateByID returns the state with an id, or nil.
func (p Project) StateByID(id tracker.OptionID) *State {
	s, ok := p.Project.State(id)
	if !ok {
		return nil
	}
	return &State{State: s, project: p.Project}
}

// Version counts the changes of the project's definition, without the steps of jobs.
func (p Project) Version() int32 { return int32(p.Project.Changes + 1) }

// Shards returns the number of shards, at least 1.
func (p Project) Shards() int32 { return int32(p.Project.ShardCount()) }

// Rebuilding reports whether a job is updating issues after a change of the states.
func (p Project) Rebuilding() bool { return p.Project.Rebuilding() }

// State is the view of a state of a project.
type State struct {
	State   tracker.State
	project *tracker.Project
}

// IsNode marks State as an implementation of Node.
func (State) IsNode() {}

// NewState returns the view of a state of p.
func NewState(p *tracker.Project, s tracker.State) *State { return &State{State: s, project: p} }

// ID returns the opaque id.
func (s State) ID() string { return StateID(s.project.Tenant, s.project.ID, s.State.ID) }

// Name returns the state's name.
func (s State) Name() string { return s.State.Name }

// Open reports whether an issue in this state still needs work.
func (s State) Open() bool { return s.State.Open }

// Color returns the state's color, or nil.
func (s State) Color() *string { return nonEmpty(s.State.Color) }

// Definition returns the project with its fields, from the cache or with one Query.
func (p Project) Definition(ctx context.Context) (*tracker.Definition, error) {
	return p.Loaders.Definition(ctx, p.Project.ID)
}

// CustomField is the view of a custom field's definition.
type CustomField struct {
	Field      *tracker.Field
	Definition *tracker.Definition
	Loaders    Reads
}

// IsNode implements Node.
func (CustomField) IsNode() {}

// ID returns the opaque id.
func (f CustomField) ID() string {
	p := &f.Definition.Project
	return FieldNodeID(p.Tenant, p.ID, f.Field.ID)
}

// Name returns the field's name.
func (f CustomField) Name() string { return f.Field.Name }

// Description returns the purpose of the field.
func (f CustomField) Description() *string { return nonEmpty(f.Field.Description) }

// Type returns the type of the field's values.
func (f CustomField) Type() CustomFieldType { return CustomFieldType(f.Field.Type) }

// Required reports whether a new issue must have a value.
func (f CustomField) Required() bool { return f.Field.Required }

// Sortable reports whether a grid can be sorted by the field.
func (f CustomField) Sortable() bool { return f.Field.Type.Sortable() }

// Operators returns the operators of filters for the field.
func (f CustomField) Operators() []FilterOperator { return ValueTypes[f.Field.Type].Operators }

// Archived reports whether the field is archived. An archived field is kept but not listed.
func (f CustomField) Archived() bool { return f.Field.Archived }

// Version counts the changes of the field.
func (f CustomField) Version() int32 { return int32(f.Field.Version()) }

// Rebuilding reports whether a job is updating issues after a change of the field.
func (f CustomField) Rebuilding() bool { return f.Field.Rebuilding() }

// Position returns the sort position of the field in its project.
func (f CustomField) Position() int32 { return int32(f.Field.Position) }

// Options returns the field's options in order.
func (f CustomField) Options() []*Option {
	out := make([]*Option, len(f.Field.Options))
	for i, o := range f.Field.Options {
		out[i] = &Option{Option: o, field: f.Field, project: &f.Definition.Project}
	}
	return out
}

// Option returns the option with an id, or nil.
func (f CustomField) Option(id tracker.OptionID) *Option {
	o, ok := f.Field.Option(id)
	if !ok {
		return nil
	}
	return &Option{Option: o, field: f.Field, project: &f.Definition.Project}
}

// Project returns the field's project.
func (f CustomField) Project() *Project {
	return &Project{Project: &f.Definition.Project, Loaders: f.Loaders}
}

// Option is the view of an option of a custom field.
type Option struct {
	Option  tracker.Option
	field   *tracker.Field
	project *tracker.Project
}

// IsNode marks Option as an implementation of Node.
func (Option) IsNode() {}

// ID returns the opaque id.
func (o Option) ID() string {
	return OptionID(o.project.Tenant, o.project.ID, o.field.ID, o.Option.ID)
}

// Name returns the option's name.
func (o Option) Name() string { return o.Option.Name }

// Color returns the option's color, or nil.
func (o Option) Color() *string { return nonEmpty(o.Option.Color) }

// Issue is the view of an issue.
type Issue struct {
	Issue      *tracker.Issue
	Definition *tracker.Definition
	Loaders    Reads
}

// IsNode implements Node.
func (*Issue) IsNode() {}

// ID returns the opaque id.
func (i *Issue) ID() string { return IssueNodeID(i.Definition.Project.Tenant, i.Issue.ID) }

// Num returns the issue's number.
func (i *Issue) Num() int32 { return int32(i.Issue.Num) }

// Name returns the issue's name.
func (i *Issue) Name() string { return i.Issue.Name }

// State returns the issue's state. A state that Definition lacks is named by its id: another server may have
// added it after this one cached the definition.
func (i *Issue) State() *State {
	s, ok := i.Definition.Project.State(i.Issue.State)
	if !ok {
		s = tracker.State{ID: i.Issue.State, Name: string(i.Issue.State), Open: true}
	}
	return &State{State: s, project: &i.Definition.Project}
}

// Description returns the description. It loads the text if the document does not contain it.
func (i *Issue) Description(ctx context.Context) (*string, error) {
	v := i.Issue.Description
	if v.Kind == tracker.KindNone {
		return nil, nil
	}
	text, err := i.LongText(ctx, tracker.ColumnDescription, v)
	if err != nil || text == "" {
		return nil, err // "" if it was removed after the document was read
	}
	return &text, nil
}

// LongText returns the text of column c. It loads the text if the document does not contain it.
func (i *Issue) LongText(ctx context.Context, c tracker.Column, v tracker.Value) (string, error) {
	if v.Kind != tracker.KindLong {
		return v.Text(), nil
	}
	return i.Loaders.LongText(ctx, tracker.LongRef{Issue: i.Issue.ID, Column: c, Long: v.Long()})
}

// CreatedAt returns when the issue was created.
func (i *Issue) CreatedAt() DateTime { return DateTime(tracker.FormatDateTime(i.Issue.Created)) }

// UpdatedAt returns when the issue was last changed.
func (i *Issue) UpdatedAt() DateTime { return DateTime(tracker.FormatDateTime(i.Issue.Updated)) }

// CreatedByName returns the user that created the issue, or nil.
func (i *Issue) CreatedByName() *string { return nonEmpty(i.Issue.CreatedBy) }

// UpdatedByName returns the user that last changed the issue, or nil.
func (i *Issue) UpdatedByName() *string { return nonEmpty(i.Issue.UpdatedBy) }

// Version returns the issue's version, which increases with each change.
func (i *Issue) Version() int32 { return int32(i.Issue.Version) }

// Project returns the issue's project.
func (i *Issue) Project() *Project {
	return &Project{Project: &i.Definition.Project, Loaders: i.Loaders}
}

// Value returns the issue's value of a field, or nil.
func (i *Issue) Value(fieldID string) (CustomValue, error) {
	f, err := FieldOf(i.Definition, fieldID)
	if err != nil {
		return nil, tracker.MissingAt("fieldId", err)
	}
	return i.View(f), nil
}

// Values returns the issue's values of the given fields or, for nil, all its values. A field that does not
// belong to the project yields null and an error for this element only.
func (i *Issue) Values(ctx context.Context, fieldIds []string) ([]CustomValue, error) {
	if fieldIds == nil {
		out := make([]CustomValue, 0, len(i.Issue.Values))
		for _, f := range i.Definition.Fields {
			if v := i.View(f); v != nil {
				out = append(out, v)
			}
		}
		return out, nil
	}
	if len(fieldIds) > tracker.MaxFields {
		return nil, tracker.Bad("fieldIds", "%d ids; the limit is %d", len(fieldIds), tracker.MaxFields)
	}
	out := make([]CustomValue, len(fieldIds))
	for n, field := range fieldIds {
		f, err := FieldOf(i.Definition, field)
		if err != nil {
			graphql.AddError(graphql.WithPathContext(ctx, graphql.NewPathWithIndex(n)),
				tracker.MissingAt("fieldIds["+strconv.Itoa(n)+"]", err))
			continue
		}
		out[n] = i.View(f)
	}
	return out, nil
}

// FieldOf returns a project's field by its opaque id. The error is NotFound if the project has no such field.
func FieldOf(d *tracker.Definition, id string) (*tracker.Field, error) {
	n, err := ParseFieldID(id)
	if err != nil {
		return nil, err
	}
	missing := tracker.Missing("custom field in this project")
	if n.Project != d.Project.ID || n.Tenant != d.Project.Tenant {
		return nil, missing
	}
	f := d.Field(n.Field)
	if f == nil {
		return nil, missing.MayBeOutdated()
	}
	return f, nil
}

// Is reports whether an optional member of an input has a value.
func Is[T comparable](member *T, value T) bool { return member != nil && *member == value }

// Or returns an optional member of an input, or its default if it is not given: in a query, a member whose
// variable has no value is nil although the schema has a default.
func Or[T any](member *T, byDefault T) T {
	if member == nil {
		return byDefault
	}
	return *member
}
