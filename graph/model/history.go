package model

import (
	"context"
	"strings"

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

// By returns the user who made the change, or nil if unknown.
func (c *IssueChange) By() *string { return nonEmpty(c.Change.By) }

// nonEmpty returns nil for an empty string.
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Columns returns the changed columns.
func (c *IssueChange) Columns() []*ColumnChange {
	out := make([]*ColumnChange, len(c.Change.Columns))
	for n, column := range c.Change.Columns {
		out[n] = &ColumnChange{issue: c.Issue, change: column}
		if !column.Column.Builtin() {
			out[n].field = c.Issue.Definition.Field(column.Column.Field())
		}
	}
	return out
}

// ColumnChange is the change of one column of an issue.
type ColumnChange struct {
	issue  *Issue
	field  *tracker.Field // nil for a built-in column or a deleted field
	change tracker.ChangedColumn
}

// Name returns the column's name. For a deleted field it is the field's opaque id.
func (c *ColumnChange) Name() string {
	switch column := c.change.Column; {
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
	if v.Kind == tracker.KindSet {
		text := strings.Join(v.Set(), ", ")
		return &text, nil
	}
	text, err := c.issue.LongText(ctx, c.change.Column, v)
	return &text, err
}
