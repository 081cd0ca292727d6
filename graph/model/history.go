package model

import (
	"context"
	"slices"
	"strings"
	"time"

	"issuegrid/tracker"
)

// IssueChange is an entry of an issue's history.
type IssueChange struct {
	Issue  *Issue
	Change tracker.Changed
}

// Version returns the issue's version after the change.
func (c *IssueChange) Version() int32 { return int32(c.Change.Version) }

// Kind returns the kind of the change.
func (c *IssueChange) Kind() IssueChangeKind { return IssueChangeKind(c.Change.Kind) }

// At returns when the change was made.
func (c *IssueChange) At() DateTime { return DateTime(tracker.FormatDateTime(c.Change.At)) }

// By returns what made the change, or nil if unknown.
func (c *IssueChange) By() *Actor {
	return ActorOf(c.Issue.Definition.Project.Tenant, c.Issue.Loaders, c.Change.By)
}

// Actor is what made a change in a tenant.
type Actor struct {
	actor   tracker.Actor
	tenant  tracker.TenantID
	loaders Reads
}

// ActorOf returns the view of an actor in a tenant, or nil if it is unknown.
func ActorOf(t tracker.TenantID, l Reads, a tracker.Actor) *Actor {
	if !a.Known() {
		return nil
	}
	return &Actor{a, t, l}
}

// Kind returns whether the actor is a user, a job or an import.
func (a *Actor) Kind() ActorKind { return ActorKind(a.actor.Kind) }

// Name returns the name of the user, or nil if unknown.
func (a *Actor) Name() *string { return nonEmpty(a.actor.Name) }

// User returns the user, or nil if unknown.
func (a *Actor) User(ctx context.Context) (*User, error) {
	return userOf(ctx, a.tenant, a.loaders, a.actor.User)
}

// nonEmpty returns nil for an empty string.
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Columns returns the changed columns.
func (c *IssueChange) Columns() []*ColumnChange {
	return columnChanges(c.Issue, c.Change.At, c.Change.Columns)
}

// columnChanges returns views of changes. Users and teams have the names that they had at a time.
func columnChanges(i *Issue, at time.Time, columns []tracker.ChangedColumn) []*ColumnChange {
	out := make([]*ColumnChange, len(columns))
	for n, column := range columns {
		out[n] = &ColumnChange{issue: i, change: column, at: at}
		if !column.Column.Builtin() {
			out[n].field = i.Definition.Field(column.Column.Field())
		}
	}
	return out
}

// Activity is an entry of the activity of a project. Issue, Change and Comment are set if they are selected
// and exist.
type Activity struct {
	Entry   tracker.Activity
	Tenant  tracker.TenantID
	Loaders Reads
	Issue   *Issue
	Change  *IssueChange
	Comment *Comment
}

// Kind returns what happened.
func (a *Activity) Kind() ActivityKind {
	if a.Entry.OfComment() {
		return ActivityKindCommented
	}
	return ActivityKind(a.Entry.Kind)
}

// At returns when it happened.
func (a *Activity) At() DateTime { return DateTime(tracker.FormatDateTime(a.Entry.At)) }

// By returns what made the change, or nil if unknown.
func (a *Activity) By() *Actor { return ActorOf(a.Tenant, a.Loaders, a.Entry.By) }

// IssueID returns the opaque id of the issue.
func (a *Activity) IssueID() string { return IssueNodeID(a.Tenant, a.Entry.Issue) }

// IssueNum returns the number of the issue.
func (a *Activity) IssueNum() int32 { return int32(a.Entry.Num) }

// Conflict describes an object that does not have the version that a change is based on.
type Conflict struct {
	Version int64                    // the current one
	Issue   *tracker.VersionConflict // nil for other objects
	Loaders Reads
}

// CurrentVersion returns the current version.
func (c *Conflict) CurrentVersion() int32 { return int32(c.Version) }

// ChangedBy returns what created the current version, or nil if unknown.
func (c *Conflict) ChangedBy() *Actor {
	if c.Issue == nil || c.Issue.Definition == nil {
		return nil
	}
	return ActorOf(c.Issue.Definition.Project.Tenant, c.Loaders, c.Issue.Last.By)
}

// ChangedAt returns when the current version of an issue was created.
func (c *Conflict) ChangedAt() *DateTime {
	if c.Issue == nil {
		return nil
	}
	return new(DateTime(tracker.FormatDateTime(c.Issue.Last.At)))
}

// BaseKnown reports whether Columns has the values of the version that the change is based on.
func (c *Conflict) BaseKnown() bool { return c.Issue != nil && c.Issue.BaseKnown }

// present is later than any change of a name.
var present = time.Unix(1<<40, 0)

// Columns returns the columns that the change names.
func (c *Conflict) Columns() []*ColumnChange {
	if c.Issue == nil {
		return []*ColumnChange{}
	}
	i := &Issue{Issue: c.Issue.Issue, Definition: c.Issue.Definition, Loaders: c.Loaders}
	return columnChanges(i, present, c.Issue.Columns)
}

// ColumnChange is the change of one column of an issue.
type ColumnChange struct {
	issue  *Issue
	field  *tracker.Field // nil for a built-in column or a deleted field
	change tracker.ChangedColumn
	at     time.Time // users and teams are shown with their names at this time
}

// Name returns the column's name at the time of the change. If it is not known, it is the current one, or the
// opaque id of a deleted field.
func (c *ColumnChange) Name() string {
	switch column := c.change.Column; {
	case c.change.Words.Name != "":
		return c.change.Words.Name
	case c.field != nil:
		return c.field.Name
	case column.Builtin():
		return string(column)
	default:
		p := &c.issue.Definition.Project
		return FieldNodeID(p.Tenant, p.ID, column.Field())
	}
}

// Field returns the custom field, or nil for a built-in column or a deleted field.
func (c *ColumnChange) Field() *CustomField {
	if c.field == nil {
		return nil
	}
	return &CustomField{Field: c.field, Definition: c.issue.Definition, Loaders: c.issue.Loaders}
}

// Before returns the value before the change, as a string.
func (c *ColumnChange) Before(ctx context.Context) (*string, error) {
	return c.text(ctx, c.change.Before)
}

// After returns the value after the change, as a string.
func (c *ColumnChange) After(ctx context.Context) (*string, error) {
	return c.text(ctx, c.change.After)
}

// BeforeValue returns the value of the custom field before the change.
func (c *ColumnChange) BeforeValue() CustomValue { return c.value(c.change.Before) }

// AfterValue returns the value of the custom field after the change.
func (c *ColumnChange) AfterValue() CustomValue { return c.value(c.change.After) }

func (c *ColumnChange) value(v tracker.Value) CustomValue {
	if c.field == nil || v.Kind != tracker.KindNone && !c.field.Type.Fits(v) {
		return nil // the field had another type at that time
	}
	return c.issue.view(c.field, v)
}

// Loaded returns the values before and after the change as strings, without those of long texts and of users
// and teams, which would have to be loaded.
func (c *ColumnChange) Loaded(ctx context.Context) map[string]*string {
	out := map[string]*string{}
	for name, v := range map[string]tracker.Value{"before": c.change.Before, "after": c.change.After} {
		if v.Kind != tracker.KindLong && !c.participants() {
			out[name], _ = c.text(ctx, v)
		}
	}
	return out
}

// participants reports whether the values are users and teams.
func (c *ColumnChange) participants() bool {
	return c.change.Column == tracker.ColumnAssignees || c.change.Column == tracker.ColumnWatchers
}

// displayer is a value in memory. loader is a value whose text may have to be loaded.
type (
	displayer interface{ Display() string }
	loader    interface {
		Display(ctx context.Context) (string, error)
	}
)

func (c *ColumnChange) text(ctx context.Context, v tracker.Value) (*string, error) {
	if v.Kind == tracker.KindNone {
		return nil, nil
	}
	if text, ok := c.choices(v); ok {
		return &text, nil
	}
	switch view := c.value(v).(type) {
	case displayer:
		text := view.Display()
		return &text, nil
	case loader:
		text, err := view.Display(ctx)
		return &text, err
	}
	if c.change.Column == tracker.ColumnState {
		if s, ok := c.issue.Definition.Project.State(tracker.OptionID(v.Text())); ok {
			return &s.Name, nil
		}
	}
	if c.participants() {
		text, err := c.issue.names(ctx, v.Participants(), c.at)
		return &text, err
	}
	if v.Kind == tracker.KindSet {
		text := strings.Join(v.Set(), ", ")
		return &text, nil
	}
	text, err := c.issue.LongText(ctx, c.change.Column, v)
	return &text, err
}

// choices returns the names that the states or options of a value had at the time of the change. It reports
// false if none is known.
func (c *ColumnChange) choices(v tracker.Value) (string, bool) {
	known := c.change.Words.Choices
	if v.Kind == tracker.KindText {
		name, ok := known[tracker.OptionID(v.Text())]
		return name, ok
	}
	names := slices.Clone(v.Set())
	for i, id := range names {
		if name, ok := known[tracker.OptionID(id)]; ok {
			names[i] = name
		} else if c.field != nil {
			if o, ok := c.field.Option(tracker.OptionID(id)); ok {
				names[i] = o.Name
			}
		}
	}
	return strings.Join(names, ", "), len(names) > 0 && len(known) > 0
}

// NewProjectChange returns the view of an entry of a project's history.
func NewProjectChange(of *Project, c *tracker.ProjectChange) *ProjectChange {
	p := of.Project
	out := &ProjectChange{Version: int32(c.Version), At: DateTime(tracker.FormatDateTime(c.At)),
		By: ActorOf(p.Tenant, of.Loaders, c.By), OmittedParts: int32(c.Omitted),
		Parts: make([]*ProjectPartChange, len(c.Parts))}
	for i, part := range c.Parts {
		view := &ProjectPartChange{Kind: ProjectPartChangeKind(part.Change), Part: ProjectPart(part.Part),
			Name: part.Name, FieldName: nonEmpty(part.FieldName),
			Properties: make([]*ProjectPropertyChange, len(part.Properties))}
		switch part.Part {
		case tracker.PartProject:
			view.PartID = ProjectNodeID(p.Tenant, p.ID)
		case tracker.PartState:
			view.PartID = StateID(p.Tenant, p.ID, part.ID)
		case tracker.PartField:
			view.PartID = FieldNodeID(p.Tenant, p.ID, part.Field)
		case tracker.PartOption:
			view.PartID = OptionID(p.Tenant, p.ID, part.Field, part.ID)
		}
		for n, changed := range part.Properties {
			view.Properties[n] = &ProjectPropertyChange{Property: ProjectProperty(changed.Property),
				Before: nonEmpty(changed.Before), After: nonEmpty(changed.After)}
		}
		out.Parts[i] = view
	}
	return out
}
