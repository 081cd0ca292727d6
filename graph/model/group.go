package model

import (
	"context"
	"strconv"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/groups"
	"issuegrid/internal/relative"
	"issuegrid/internal/sortkey"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// IssueGroup is the view of a group of issues.
type IssueGroup struct {
	Group      *groups.Group
	Grouping   *groups.Grouping
	Definition *tracker.Definition
	Loaders    Reads
	// Request is the request for groups that the group belongs to, and Level the number of groups around it.
	Request *GroupRequest
	Level   int
	// Conditions are those of the group and of the group around it.
	Conditions []filter.Condition
	// ID is the key of the group, which begins with that of the group around it.
	ID string
	Counted
	// Summarize computes the summary of a column.
	Summarize func(ctx context.Context, column IssueColumn) (*ColumnSummary, error)
	// Registered returns a grid that was registered for the issues of the group, or nil.
	Registered func() *loaders.Grid
}

// GroupRequest is what the groups of a request have in common.
type GroupRequest struct {
	Groupings []*groups.Grouping
	OrderBy   []*IssueOrder
	Filter    *IssueFilter
	View      *IssueFilter     // of the view that is read, or nil
	Where     filter.Condition // of both filters
	Empty     bool
	Collapsed map[string]bool // by their keys
	TimeZone  string
	// Now is what relative times in the filter refer to, and Mark what cursors end in.
	Now        time.Time
	Mark       string
	RelativeTo *DateTime
}

var groupPeriods = map[GroupPeriod]relative.Unit{GroupPeriodDay: relative.Day,
	GroupPeriodWeek: relative.Week, GroupPeriodMonth: relative.Month, GroupPeriodQuarter: relative.Quarter,
	GroupPeriodYear: relative.Year}

// Grouping returns the grouping by a column in a time zone. Errors are BadInput, with paths relative to the
// input.
func (in *IssueGroupBy) Grouping(d *tracker.Definition, c tracker.Column, zone *time.Location) (
	*groups.Grouping, error) {
	ranges := groups.Ranges{Zone: zone, FirstLetter: Is(in.FirstLetter, true)}
	if in.Period != nil {
		ranges.Period = groupPeriods[*in.Period]
	}
	if in.Width != nil {
		if ranges.Width = *in.Width; ranges.Width <= 0 {
			return nil, tracker.Bad("width", "%v; it must be greater than 0", ranges.Width)
		}
	}
	return groups.New(d, c, ranges, Is(in.Direction, OrderDirectionDesc), Is(in.Nulls, NullsOrderFirst))
}

// KeySeparator separates the keys of the groups of two levels. It occurs in no key.
const KeySeparator = "~"

// Key returns what identifies the group.
func (g *IssueGroup) Key() string { return g.ID }

// Collapsed reports whether the issues of the group are not requested.
func (g *IssueGroup) Collapsed() bool { return g.Request.Collapsed[g.ID] }

// Summary returns the summary of a column.
func (g *IssueGroup) Summary(ctx context.Context, column IssueColumn) (*ColumnSummary, error) {
	return g.Summarize(ctx, column)
}

// Name returns the value for display, or nil.
func (g *IssueGroup) Name() *string {
	if s := g.State(); s != nil {
		name := s.Name()
		return &name
	}
	if o := g.Option(); o != nil {
		name := o.Name()
		return &name
	}
	if b := g.Boolean(); b != nil {
		name := strconv.FormatBool(*b)
		return &name
	}
	if t := g.Text(); t != nil {
		return t
	}
	return g.From()
}

// State returns the state of the issues, or nil.
func (g *IssueGroup) State() *State {
	p := &g.Definition.Project
	s, ok := p.State(g.Group.Option)
	if g.Grouping.Column() != tracker.ColumnState || !ok {
		return nil
	}
	return NewState(p, s)
}

// Option returns the option of the issues, or nil.
func (g *IssueGroup) Option() *Option {
	f := g.Grouping.Field()
	if f == nil || g.Group.Option == "" {
		return nil
	}
	return CustomField{Field: f, Definition: g.Definition}.Option(g.Group.Option)
}

// Boolean returns the Boolean value of the issues, or nil.
func (g *IssueGroup) Boolean() *bool {
	if f := g.Grouping.Field(); f == nil || f.Type != tracker.TypeBoolean || g.Group.None {
		return nil
	}
	b := string(g.Group.Low) == string(sortkey.Bool(true))
	return &b
}

// Text returns the text, user or tag of the issues, or nil.
func (g *IssueGroup) Text() *string {
	if g.Group.None || g.Group.Option != "" {
		return nil
	}
	if f := g.Grouping.Field(); f != nil && f.Type == tracker.TypeTags {
		tag := g.tag(f)
		return &tag
	}
	if !columns.Textual(g.Definition, g.Grouping.Column()) {
		return nil
	}
	text, _ := sortkey.FoldedOf(g.Group.Low)
	if first := g.Group.First; first != nil && !g.Grouping.Letters() {
		v := first.Value(g.Grouping.Column())
		switch {
		case v.Kind == tracker.KindLong && v.Long().Excerpt != "":
			text = v.Long().Excerpt
		case v.Kind == tracker.KindText:
			text = v.Text()
		}
	}
	return &text
}

// tag returns the tag as an issue has it.
func (g *IssueGroup) tag(f *tracker.Field) string {
	if first := g.Group.First; first != nil {
		for _, tag := range first.Values[f.ID].Set() {
			if columns.FoldTag(tag) == g.Group.Tag {
				return tag
			}
		}
	}
	return g.Group.Tag
}

// From returns the first number, date or time of the group, or nil.
func (g *IssueGroup) From() *string { return g.bound(g.Group.Low) }

// To returns the first number, date or time after the group, or nil.
func (g *IssueGroup) To() *string { return g.bound(g.Group.Next) }

func (g *IssueGroup) bound(v sortkey.Value) *string {
	c := g.Grouping.Column()
	if v == nil || g.Group.Option != "" || g.Boolean() != nil || columns.Textual(g.Definition, c) {
		return nil
	}
	shown, ok := ShowValue(g.Definition, c, v)
	if !ok {
		return nil
	}
	return &shown
}

// ShowValue formats an encoded number, date or time. It returns false if the column cannot have this value.
func ShowValue(d *tracker.Definition, c tracker.Column, v sortkey.Value) (string, bool) {
	if f := d.Field(c.Field()); f != nil && f.Type == tracker.TypeNumber {
		number, ok := sortkey.Decode(sortkey.KindFloat, v)
		if !ok {
			return "", false
		}
		return f.Display(tracker.Float(number.(float64))), true
	}
	return columns.Display(d, c, v)
}

// IssueGroupConnection is a page of groups.
type IssueGroupConnection struct {
	Nodes    []*IssueGroup
	Page     groups.Page
	Backward bool
	Request  *GroupRequest
	Grouping *groups.Grouping
	Counted
}

// IssueGroupEdge is a group in a page.
type IssueGroupEdge struct {
	Node *IssueGroup
}

// Cursor returns the position of the group.
func (e *IssueGroupEdge) Cursor() string {
	return e.Node.Grouping.Encode(groups.At(e.Node.Group)) + e.Node.Request.Mark
}

// Edges returns the groups with their cursors.
func (c *IssueGroupConnection) Edges() []*IssueGroupEdge {
	out := make([]*IssueGroupEdge, len(c.Nodes))
	for i, n := range c.Nodes {
		out[i] = &IssueGroupEdge{Node: n}
	}
	return out
}

// PageInfo returns the cursors of the page and whether groups precede and follow it.
func (c *IssueGroupConnection) PageInfo() *PageInfo {
	info := &PageInfo{HasNextPage: c.Page.HasNext, HasPreviousPage: c.Page.HasPrevious}
	if n := len(c.Nodes); n > 0 {
		start, end := (&IssueGroupEdge{c.Nodes[0]}).Cursor(), (&IssueGroupEdge{c.Nodes[n-1]}).Cursor()
		info.StartCursor, info.EndCursor = &start, &end
	}
	if p := c.Page.Stopped; p != nil {
		position := c.Grouping.Encode(p) + c.Request.Mark
		if c.Backward {
			info.StartCursor = &position
		} else {
			info.EndCursor = &position
		}
	}
	return info
}

// Incomplete reports whether the work budget ran out.
func (c *IssueGroupConnection) Incomplete() bool { return c.Page.Stopped != nil }

// RelativeTo returns what relative times in the filter refer to, or nil.
func (c *IssueGroupConnection) RelativeTo() *DateTime { return c.Request.RelativeTo }

// Summary returns the summary of a column.
func (c *IssueConnection) Summary(ctx context.Context, column IssueColumn) (*ColumnSummary, error) {
	return c.Summarize(ctx, column)
}

// ColumnSummary has the parts of a summary that were selected, by the names of their fields.
type ColumnSummary struct {
	Parts     map[string]SummaryPartValue
	Precision CountPrecision
	ReadAt    DateTime
}

// SummaryPartValue is a part of a summary: a pointer that is nil if it is not known, or an error.
type SummaryPartValue struct {
	Value any
	Err   error
}

func part[T any](s *ColumnSummary, name string) (*T, error) {
	value, _ := s.Parts[name].Value.(*T)
	return value, s.Parts[name].Err
}

// Filled returns the number of issues with a value.
func (s *ColumnSummary) Filled() (*int32, error) { return part[int32](s, "filled") }

// Empty returns the number of issues without a value.
func (s *ColumnSummary) Empty() (*int32, error) { return part[int32](s, "empty") }

// Distinct returns the number of different values.
func (s *ColumnSummary) Distinct() (*int32, error) { return part[int32](s, "distinct") }

// Sum returns the sum of the numbers.
func (s *ColumnSummary) Sum() (*float64, error) { return part[float64](s, "sum") }

// Average returns the mean of the numbers.
func (s *ColumnSummary) Average() (*float64, error) { return part[float64](s, "average") }

// Median returns the median of the numbers.
func (s *ColumnSummary) Median() (*float64, error) { return part[float64](s, "median") }

// Min returns the least value.
func (s *ColumnSummary) Min() (*string, error) { return part[string](s, "min") }

// Max returns the greatest value.
func (s *ColumnSummary) Max() (*string, error) { return part[string](s, "max") }

// Checked returns the number of issues with the value true.
func (s *ColumnSummary) Checked() (*int32, error) { return part[int32](s, "checked") }

// PercentChecked returns the percentage of issues with the value true.
func (s *ColumnSummary) PercentChecked() (*float64, error) { return part[float64](s, "percentChecked") }
