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

// Version is the version that the change made.
func (c *IssueChange) Version() int32 { return int32(c.Change.Version) }

// Kind says what the change made of the issue.
func (c *IssueChange) Kind() IssueChangeKind { return IssueChangeKind(c.Change.Kind) }

// At is when the change was made.
func (c *IssueChange) At() DateTime { return DateTime(tracker.FormatDateTime(c.Change.At)) }

// By is who made the change, nil where that is not known.
func (c *IssueChange) By() *string { return given(c.Change.By) }

// given is nil for an empty text.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Columns are what was changed.
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
	field  *tracker.Field // nil for a built-in column, and for one that was deleted
	change tracker.ChangedColumn
}

// Name is the column's name; of a field that was deleted, the id that clients had of it.
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

// Field is the custom field, if it is one that there is.
func (c *ColumnChange) Field() *CustomField {
	if c.field == nil {
		return nil
	}
	return &CustomField{Field: c.field, Definition: c.issue.Definition, Loaders: c.issue.Loaders}
}

// Before is what the column was, as a text.
func (c *ColumnChange) Before(ctx context.Context) (*string, error) {
	return c.text(ctx, c.change.Before)
}

// After is what the column is since then, as a text.
func (c *ColumnChange) After(ctx context.Context) (*string, error) {
	return c.text(ctx, c.change.After)
}

// BeforeValue is the value of the custom field before.
func (c *ColumnChange) BeforeValue() CustomValue { return c.value(c.change.Before) }

// AfterValue is the value of the custom field since then.
func (c *ColumnChange) AfterValue() CustomValue { return c.value(c.change.After) }

func (c *ColumnChange) value(v tracker.Value) CustomValue {
	if c.field == nil || v.Kind != tracker.KindNone && !c.field.Type.Fits(v) {
		return nil // it was of another type then
	}
	return c.issue.view(c.field, v)
}

// displayed are the values that are texts as soon as they are there, and those that may have to be read.
type (
	displayed interface{ Display() string }
	read      interface {
		Display(ctx context.Context) (string, error)
	}
)

func (c *ColumnChange) text(ctx context.Context, v tracker.Value) (*string, error) {
	if v.Kind == tracker.KindNone {
		return nil, nil
	}
	switch view := c.value(v).(type) {
	case displayed:
		text := view.Display()
		return &text, nil
	case read:
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
