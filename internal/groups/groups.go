// Package groups divides the issues of a grid into groups by the values of a column: one for each value, or
// for ranges of values such as months. Start with New, ParsePosition and Find.
//
// The groups of a column that grids can be sorted by are found in its order, without reading all issues of
// each: a window of rows shows the next groups, and the next window begins after the last of them, however
// many issues that has. Only keys are read where they decide the filter. Three kinds of columns have no such
// order, or not always: the groups of MULTI_SELECT fields, of states and options that a job rebuilds, and all
// groups if empty ones are requested, come from the definition of the project, and those of TAGS fields from
// the list of their tags, or if a filter leaves few issues, from the documents of these.
//
// The package must not import the AWS SDK, GraphQL, or a dataloader.
//
// The code and the tests cite these laws:
//
//   - Q1, partition. Every issue that matches the filter is in exactly one group; in a column of sets, in one
//     for each member of its set. Issues without a value have a group of their own. The condition of a group
//     is met by its issues alone.
//   - Q2, order. Groups are in the order of their values, as rows are in package grid; the group without a
//     value comes last, or first with NullsFirst. Groups of a column of sets are in the order of the options,
//     or of the folded tags.
//   - Q3, walk. A walk through the pages, in either direction and with any page sizes, shows each group once
//     whose issues do not change during the walk. A group without issues is shown only if those are
//     requested, or if the budget ended before an issue was found. Every page progresses.
//   - Q4, cost. Without a filter, or with one that keys decide, a page reads at most one window of keys and
//     one document for each group and one more, however many issues the groups have. With any other filter,
//     windows cost what pages of the filtered grid cost, within one budget for the page. In a column of sets,
//     each option or tag that is looked for costs what a page of one issue costs.
package groups

import (
	"time"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/relative"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Grouping is how issues are grouped. Make it with New.
type Grouping struct {
	column     tracker.Column
	field      *tracker.Field // nil for a built-in column
	definition *tracker.Definition
	descending bool
	nullsFirst bool
	kind       sortkey.Kind
	set        bool       // a MULTI_SELECT or TAGS field, which has no order
	choices    []uint32   // the marks of the states or options
	order      grid.Order // by the column, ascending, if it has one
	bucket     func(v sortkey.Value) bucket
	letters    bool
	mark       string // of the column and its ranges, in keys
}

// Ranges says how values are combined to groups. The zero value makes a group for each value, and for each
// day of times.
type Ranges struct {
	// Period combines dates and times to calendar periods of the time zone Zone: relative.Day, Week, Month,
	// Quarter or Year.
	Period relative.Unit
	Zone   *time.Location
	// Width combines numbers to ranges of this width that begin at its multiples. 0 makes no ranges.
	Width float64
	// FirstLetter combines texts by their first character, without case and accents.
	FirstLetter bool
}

// New returns the grouping by a column. It returns BadInput if the column cannot be grouped by, or not with
// these ranges; its path is that of a member of IssueGroupBy.
func New(d *tracker.Definition, c tracker.Column, r Ranges, descending, nullsFirst bool) (*Grouping, error) {
	g := &Grouping{column: c, definition: d, descending: descending, nullsFirst: nullsFirst}
	if !c.Builtin() {
		if g.field = d.Field(c.Field()); g.field != nil {
			switch g.field.Type {
			case tracker.TypeMultiSelect, tracker.TypeTags:
				g.set = true
			case tracker.TypeLongText:
				return nil, tracker.Bad("column.fieldId",
					"issues cannot be grouped by the field %q, because its type is %s", g.field.Name,
					g.field.Type).MayBeOutdated()
			}
			if g.field.From != nil {
				return nil, g.field.Converting("group")
			}
		}
	}
	g.kind, g.choices = columns.Kind(d, c), columns.ChoiceMarks(d, c)
	if !g.set {
		var err error
		if g.order, err = grid.OrderBy(d, c, false, false); err != nil {
			return nil, err
		}
	}
	return g, g.setRanges(r)
}

// setRanges sets the buckets. It returns BadInput if the type of the column does not have such ranges.
func (g *Grouping) setRanges(r Ranges) error {
	times, days, numbers, texts := false, false, false, false
	switch {
	case g.field != nil:
		times, days = g.field.Type == tracker.TypeDateTime, g.field.Type == tracker.TypeDate
		numbers = g.field.Type == tracker.TypeInteger || g.field.Type == tracker.TypeNumber
		texts = g.field.Type == tracker.TypeText || g.field.Type == tracker.TypeUser
	case g.column == tracker.ColumnCreated, g.column == tracker.ColumnUpdated:
		times = true
	case g.column == tracker.ColumnNum:
		numbers = true
	case g.kind == sortkey.KindText:
		texts = true
	}
	switch {
	case r.Period != 0 && !times && !days:
		return tracker.Bad("period", "only dates and times have periods").MayBeOutdated()
	case r.Width != 0 && !numbers:
		return tracker.Bad("width", "only numbers have ranges of a width").MayBeOutdated()
	case r.FirstLetter && !texts:
		return tracker.Bad("firstLetter", "only columns of texts and users are grouped by letters").
			MayBeOutdated()
	case r.Width == 0 && g.column == tracker.ColumnNum:
		return tracker.Bad("width", "give the width of the ranges, because every issue has another number")
	}
	if r.Period == 0 {
		r.Period = relative.Day
	}
	g.mark = mark(g.column, r)
	switch {
	case times && r.Zone == nil:
		return tracker.Internal("periods of times without a time zone", nil)
	case times:
		g.bucket = timePeriods(r.Period, r.Zone)
	case days:
		g.bucket = datePeriods(r.Period)
	case r.Width != 0:
		var err error
		g.bucket, err = widths(g.kind, r.Width)
		return err
	case r.FirstLetter:
		g.bucket, g.letters = letters, true
	default:
		g.bucket = single
	}
	return nil
}

// CheckPrefix returns BadInput at prefix if Request.Prefix cannot be given.
func (g *Grouping) CheckPrefix() error {
	switch {
	case g.letters:
		return tracker.Bad("prefix", "texts that are grouped by their first letter have no prefix; leave "+
			"out `firstLetter`")
	case g.kind == sortkey.KindText, g.column == tracker.ColumnState,
		g.field != nil && g.field.Type.HasOptions():
		return nil
	}
	return tracker.Bad("prefix", "only texts, users, tags, options and states have a prefix").MayBeOutdated()
}

// Letters reports whether texts are grouped by their first character.
func (g *Grouping) Letters() bool { return g.letters }

// Column returns the column that is grouped by.
func (g *Grouping) Column() tracker.Column { return g.column }

// Field returns the custom field that is grouped by, or nil.
func (g *Grouping) Field() *tracker.Field { return g.field }

// listed reports whether the values that issues can have are those of the definition: states, options and
// Booleans.
func (g *Grouping) listed() bool {
	return columns.Count(g.definition, g.column) > 0 || g.options() != nil ||
		g.column == tracker.ColumnState
}

// options returns the options of a field, or nil.
func (g *Grouping) options() []tracker.Option {
	if g.field == nil {
		return nil
	}
	return g.field.Options
}

// Group is the issues of a grid that have the same value in a column, or values of the same range, or none.
type Group struct {
	// None reports whether it is the group of the issues without a value.
	None bool
	// Low is the least value of the group. It is nil if None is set, and in columns of sets.
	Low sortkey.Value
	// Next is the least value after the group, if the group is a range of numbers or times; nil if the column
	// has no greater values.
	Next sortkey.Value
	// Option is the state or option of the group, if the column has such.
	Option tracker.OptionID
	// Tag is the folded tag of the group, in a TAGS field.
	Tag string
	// First is an issue of the group, if the values are texts, users or tags.
	First *tracker.Issue
	// Count is the number of issues in the group if Counted is set, as grid.Count would count them.
	Count   int
	Counted bool

	values filter.Range // if none of None, Option of a set, and Tag are set
}

// Condition returns the condition of the issues in a group.
func (g *Grouping) Condition(x *Group) filter.Condition {
	switch {
	case x.None:
		return filter.In{Column: g.column, Values: filter.NoValue()}
	case g.set:
		return filter.Has{Column: g.column, Member: g.member(x)}
	}
	return filter.In{Column: g.column, Values: filter.Values{Ranges: []filter.Range{x.values}}}
}

func (g *Grouping) member(x *Group) string {
	if g.field.Type == tracker.TypeTags {
		return x.Tag
	}
	return string(x.Option)
}

// ranked returns the group of the state, option or Boolean at a position in the definition.
func (g *Grouping) ranked(n int) Group {
	x := Group{}
	switch {
	case g.column == tracker.ColumnState:
		x.Option = g.definition.Project.States[n].ID
	case len(g.options()) > 0:
		x.Option = g.options()[n].ID
	}
	if !g.set {
		b := g.bucket(sortkey.Rank(n))
		x.Low, x.values = b.low, b.values
	}
	return x
}

// group returns the group of a value.
func (g *Grouping) group(v sortkey.Value) (Group, bool) {
	if rank, ok := sortkey.Decode(g.kind, v); ok && g.listed() {
		n, isRank := rank.(int64)
		if !isRank || n < 0 || n >= int64(columns.Count(g.definition, g.column)) {
			return Group{}, false
		}
		return g.ranked(int(n)), true
	}
	b := g.bucket(v)
	return Group{Low: b.low, Next: b.next, values: b.values}, true
}
