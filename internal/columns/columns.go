// Package columns defines the values of columns in the index and in filters: their encoding, their order, and
// the form in which set members are compared. The store writes index entries by these rules; grids and
// filters read and compare by them. Start with Kind and SortValue. The rules of each field type are in
// fieldtype.go.
//
// This package does no I/O and does not know the table.
package columns

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// field returns the custom field of a column. It returns nil for a built-in column and for a field that d
// lacks.
func field(d *tracker.Definition, c tracker.Column) *tracker.Field {
	if d == nil || c.Builtin() {
		return nil
	}
	return d.Field(c.Field())
}

// Kind returns the kind of a column's encoded values.
func Kind(d *tracker.Definition, c tracker.Column) sortkey.Kind {
	switch c {
	case tracker.ColumnName, tracker.ColumnDescription, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy:
		return sortkey.KindText
	case tracker.ColumnNum, tracker.ColumnState, tracker.ColumnCreated, tracker.ColumnUpdated:
		return sortkey.KindInt
	}
	if f := field(d, c); f != nil {
		return rule(f.Type).kind
	}
	return sortkey.KindInt
}

// Textual reports whether a column's values are strings that are compared without regard to case and accents.
func Textual(d *tracker.Definition, c tracker.Column) bool {
	if f := field(d, c); f != nil {
		return TextualType(f.Type)
	}
	return c.Builtin() && Kind(nil, c) == sortkey.KindText
}

// TextualType is like Textual for the fields of a type.
func TextualType(t tracker.FieldType) bool { return rule(t).textual }

// Count returns the number of possible values of a column whose values are encoded as integers from 0, such
// as states and options. It returns 0 for any other column.
func Count(d *tracker.Definition, c tracker.Column) int {
	if c == tracker.ColumnState {
		return len(d.Project.States)
	}
	if f := field(d, c); f != nil && rule(f.Type).count != nil {
		return rule(f.Type).count(f)
	}
	return 0
}

// Choices returns the ids of the states of the project, or of the options of a field, in their order. It
// returns nil for any other column.
func Choices(d *tracker.Definition, c tracker.Column) (ids []tracker.OptionID) {
	switch f := field(d, c); {
	case d != nil && c == tracker.ColumnState:
		ids = make([]tracker.OptionID, len(d.Project.States))
		for i := range ids {
			ids[i] = d.Project.States[i].ID
		}
	case f != nil && len(f.Options) > 0:
		ids = make([]tracker.OptionID, len(f.Options))
		for i := range ids {
			ids[i] = f.Options[i].ID
		}
	}
	return ids
}

// ChoiceMarks returns, for each of the choices, a checksum of its id and of the set of those before it: of
// which rows are before and which are behind a position at the choice. Moves on one side of it, and choices
// that are added after it, keep its mark. All marks differ after choices were merged, because rows may have
// moved across any position, and while a job rebuilds the index, because rows may not be where their values
// say.
func ChoiceMarks(d *tracker.Definition, c tracker.Column) []uint32 {
	ids := Choices(d, c)
	if len(ids) == 0 {
		return nil
	}
	var merges int64
	if f := field(d, c); f != nil {
		merges = f.Merges
	} else {
		merges = d.Project.Merges
	}
	before := crc32.ChecksumIEEE(fmt.Append(nil, merges, d.RebuildingColumn(c)))
	marks := make([]uint32, len(ids))
	for i, id := range ids {
		own := crc32.ChecksumIEEE([]byte(id))
		marks[i] = 3*before + own
		before += own * own
	}
	return marks
}

// BuiltinValue encodes an issue's value of a built-in column that it has.
func BuiltinValue(p *tracker.Project, i *tracker.Issue, c tracker.Column) sortkey.Value {
	switch c {
	case tracker.ColumnName:
		return sortkey.Text(i.Name)
	case tracker.ColumnState:
		rank, _ := p.StateRank(i.State)
		return sortkey.Rank(rank)
	case tracker.ColumnCreated:
		return sortkey.Time(i.Created)
	case tracker.ColumnUpdated:
		return sortkey.Time(i.Updated)
	case tracker.ColumnCreatedBy:
		return sortkey.Text(i.CreatedBy)
	case tracker.ColumnUpdatedBy:
		return sortkey.Text(i.UpdatedBy)
	}
	return sortkey.Num(i.Num)
}

// SortValue encodes a value of a sortable field. The value of a long text must be the text itself.
func SortValue(f *tracker.Field, v tracker.Value) sortkey.Value { return rule(f.Type).value(f, v) }

// Display formats an encoded value for people. It returns false if the column cannot have this value.
func Display(d *tracker.Definition, c tracker.Column, encoded []byte) (string, bool) {
	value, ok := sortkey.Decode(Kind(d, c), encoded)
	if !ok {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return strconv.Quote(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int64:
		return displayInteger(d, c, v), true
	}
	return "", false
}

func displayInteger(d *tracker.Definition, c tracker.Column, v int64) string {
	f := field(d, c)
	switch {
	case f != nil && rule(f.Type).show != nil:
		return rule(f.Type).show(f, v)
	case c == tracker.ColumnCreated, c == tracker.ColumnUpdated:
		return tracker.FormatDateTime(time.UnixMicro(v))
	case c == tracker.ColumnState && d != nil && v >= 0 && v < int64(len(d.Project.States)):
		return strconv.Quote(d.Project.States[v].Name)
	}
	return strconv.FormatInt(v, 10)
}
