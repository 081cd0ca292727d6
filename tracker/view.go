package tracker

import (
	"slices"
	"strconv"
	"time"
)

// ViewID identifies a view within its project.
type ViewID string

// View is a way to show the issues of a project that a user has saved. What it refers to may have been
// deleted since.
type View struct {
	ID      ViewID
	Project ProjectID
	Name    string
	// Shared reports whether all users of the tenant have the view. Otherwise only its owner has it.
	Shared bool
	// Owner is the user whose private view it is, or who has shared it. It is empty if the server does not
	// authenticate users.
	Owner string
	// Default reports whether the view is the one with which the project opens. Only a shared view can be.
	Default bool
	// Columns are the shown columns from left to right. None means those that a client shows by default.
	Columns []ViewColumn
	// Filter is a condition on issues as JSON in the form of the API, with ids for names, or empty. Only
	// package graph/view can read it.
	Filter string
	Order  []ViewOrder
	// Groupings say how the issues are grouped, in levels from the outermost. Package groups checks them.
	Groupings []ViewGrouping
	// Summaries are the parts of summaries that columns show. Package summaries checks them.
	Summaries []ViewSummary
	// Board reports whether clients show the groups as the columns of a board, and not as rows.
	Board bool
	// Names are the names that what the view refers to had when the view was saved, by the ids of the API,
	// for messages about what was deleted since.
	Names map[string]string
	// Checked is the version of the project with which the view was checked. What an older definition of the
	// project does not have may have been added since.
	Checked int64
	// Version counts the changes to the view, from 1.
	Version          int64
	Created, Updated time.Time
}

// ViewColumn is a shown column.
type ViewColumn struct {
	Column Column
	// Width is in pixels of CSS; 0 means that a client chooses.
	Width int
}

// ViewOrder is one part of the order of a view.
type ViewOrder struct {
	Column                 Column
	Descending, NullsFirst bool
}

// ViewGrouping is one level of the groups of a view: by a column, and by ranges of its values if one of the
// other fields is set.
type ViewGrouping struct {
	ViewOrder
	Period      string // of the calendar, as the API names it
	Width       float64
	FirstLetter bool
}

// ViewSummary is the part of a summary that a column shows, as the API names it.
type ViewSummary struct {
	Column Column
	Part   string
}

// ViewRef identifies a view within its tenant.
type ViewRef struct {
	Project ProjectID
	View    ViewID
}

// Ref returns the view's reference.
func (v *View) Ref() ViewRef { return ViewRef{v.Project, v.ID} }

// Check checks a view that replaces old; old is nil for a new view. It reports all that is wrong. Errors are
// BadInput, with paths relative to the view's input. It does not check what the view refers to.
func (v *View) Check(old *View) error {
	var wrong []error
	if old == nil || v.Name != old.Name {
		wrong = append(wrong, CheckNewName("name", v.Name))
	}
	if v.Default && !v.Shared {
		wrong = append(wrong, Bad("isDefault",
			"a private view can't be the default of its project; share it first"))
	}
	if n := len(v.Columns); n > MaxViewColumns {
		wrong = append(wrong, Bad("columns", "%d columns; the limit is %d", n, MaxViewColumns))
	}
	for i, c := range v.Columns[:min(len(v.Columns), MaxViewColumns)] {
		at := "columns[" + strconv.Itoa(i) + "]"
		same := func(other ViewColumn) bool { return other.Column == c.Column }
		if slices.ContainsFunc(v.Columns[:i], same) {
			wrong = append(wrong, Bad(at+".column", "the view has this column twice"))
		}
		if c.Width != 0 {
			wrong = append(wrong, CheckViewWidth(at+".width", c.Width))
		}
	}
	if n := len(v.Summaries); n > MaxViewColumns {
		wrong = append(wrong, Bad("summaries", "%d summaries; the limit is %d", n, MaxViewColumns))
	}
	for i, s := range v.Summaries[:min(len(v.Summaries), MaxViewColumns)] {
		same := func(other ViewSummary) bool { return other.Column == s.Column }
		if slices.ContainsFunc(v.Summaries[:i], same) {
			wrong = append(wrong, Bad("summaries["+strconv.Itoa(i)+"].column",
				"the view has a summary of this column already"))
		}
	}
	if n := len(v.Filter); n > MaxViewFilter {
		wrong = append(wrong, Bad("filter", "the filter has %d bytes, with ids for names; the limit is %d", n,
			MaxViewFilter))
	}
	return Join(wrong...)
}

// CheckViewWidth checks the width of a column that has one.
func CheckViewWidth(path string, n int) error {
	if n < MinViewWidth || n > MaxViewWidth {
		return Bad(path, "%d is out of range: a column is %d to %d pixels wide", n, MinViewWidth,
			MaxViewWidth)
	}
	return nil
}

// CheckAmong checks a new or renamed view, or one that was shared or made private, among the others of its
// list: the shared views of its project, or the private views of its owner. Errors are BadInput or Conflict,
// with paths relative to the view's input.
func (v *View) CheckAmong(others []*View) error {
	list := "you have %d private views in the project already, which is the limit"
	taken := "you have a private view named "
	if v.Shared {
		list = "the project has %d shared views already, which is the limit"
		taken = "the project has a shared view named "
	}
	if len(others) >= MaxViews {
		return Bad("", list, len(others))
	}
	name := NameKey(v.Name)
	for _, other := range others {
		if NameKey(other.Name) == name {
			return &Error{Code: Conflict, Path: "name", Message: taken + strconv.Quote(other.Name) +
				" already"}
		}
	}
	return nil
}

// Outdated reports whether a definition of the project may lack what was there when the view was checked.
func (v *View) Outdated(d *Definition) bool { return v.Checked > d.Project.Version }

// savedName is the maximum length of a name in View.Names.
const savedName = 50

// NoteName records the name of what the view refers to by an id of the API. Only its beginning is kept, as
// much as a message needs.
func (v *View) NoteName(id, name string) {
	if v.Names == nil {
		v.Names = map[string]string{}
	}
	runes := []rune(name)
	if len(runes) > savedName {
		name = string(runes[:savedName-1]) + "…"
	}
	v.Names[id] = name
}
