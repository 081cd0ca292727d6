package model

import (
	"errors"
	"io"

	"issuegrid/internal/summaries"
	"issuegrid/tracker"
)

// View is a saved view of a project.
type View struct {
	View       *tracker.View
	Definition *tracker.Definition
	Loaders    Reads
	// Read returns what the view shows, checked with the definition. It is called only if that is selected,
	// possibly more than once.
	Read func() *ViewContents
}

// ViewContents is what a view shows, without what no longer exists.
type ViewContents struct {
	Columns   []*ViewColumn
	Where     *IssueFilter
	Filter    *SavedFilter // of Where
	OrderBy   []*ViewOrder
	GroupBy   []*ViewGrouping
	Summaries []*ViewSummary
	Problems  []*ViewProblem
}

// IsNode implements Node.
func (*View) IsNode() {}

// ID returns the opaque id.
func (v *View) ID() string { return ViewNodeID(v.Definition.Project.Tenant, v.View.Ref()) }

// Project returns the view's project.
func (v *View) Project() *Project {
	return &Project{Project: &v.Definition.Project, Loaders: v.Loaders}
}

// Name returns the view's name.
func (v *View) Name() string { return v.View.Name }

// Shared reports whether all users of the tenant have the view.
func (v *View) Shared() bool { return v.View.Shared }

// OwnerName returns the user whose view it is, or nil.
func (v *View) OwnerName() *string { return nonEmpty(v.View.Owner) }

// IsDefault reports whether the project opens with the view.
func (v *View) IsDefault() bool { return v.View.Default }

// Columns returns the shown columns.
func (v *View) Columns() []*ViewColumn { return v.Read().Columns }

// Filter returns the filter, or nil.
func (v *View) Filter() *SavedFilter { return v.Read().Filter }

// OrderBy returns the order.
func (v *View) OrderBy() []*ViewOrder { return v.Read().OrderBy }

// GroupBy returns how the issues are grouped.
func (v *View) GroupBy() []*ViewGrouping { return v.Read().GroupBy }

// Summaries returns the summaries that are shown.
func (v *View) Summaries() []*ViewSummary { return v.Read().Summaries }

// Layout returns how the issues are shown.
func (v *View) Layout() ViewLayout {
	if v.View.Board {
		return ViewLayoutBoard
	}
	return ViewLayoutGrid
}

// SummaryParts has the parts of summaries by their names in the API.
var SummaryParts = map[SummaryPart]summaries.Part{SummaryPartFilled: summaries.Filled,
	SummaryPartEmpty: summaries.Empty, SummaryPartDistinct: summaries.Distinct,
	SummaryPartSum: summaries.Sum, SummaryPartAverage: summaries.Average,
	SummaryPartMedian: summaries.Median, SummaryPartMin: summaries.Min, SummaryPartMax: summaries.Max,
	SummaryPartChecked: summaries.Checked, SummaryPartPercentChecked: summaries.PercentChecked}

// Problems returns what is left out.
func (v *View) Problems() []*ViewProblem { return v.Read().Problems }

// Version returns the view's version.
func (v *View) Version() int32 { return int32(v.View.Version) }

// CreatedAt returns when the view was created.
func (v *View) CreatedAt() DateTime { return DateTime(tracker.FormatDateTime(v.View.Created)) }

// UpdatedAt returns when the view was last changed.
func (v *View) UpdatedAt() DateTime { return DateTime(tracker.FormatDateTime(v.View.Updated)) }

// SavedFilter is a filter as JSON.
type SavedFilter string

// MarshalGQL writes the filter.
func (f SavedFilter) MarshalGQL(w io.Writer) { io.WriteString(w, string(f)) }

// UnmarshalGQL returns an error, because no input has the type.
func (f *SavedFilter) UnmarshalGQL(any) error { return errors.New("SavedFilter is not an input") }

// ViewConnection is a page of views.
type ViewConnection struct {
	Edges    []*ViewEdge
	Nodes    []*View
	PageInfo *PageInfo
	Counted
}
