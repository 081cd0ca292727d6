package export

import (
	"strconv"

	"issuegrid/tracker"
)

// cell is the content of a column of a row. Exactly one member is set; if none is, there is no value.
type cell struct {
	text    string
	literal string   // a number or a Boolean
	list    []string // the members of a set
	long    bool     // a text that is stored outside the document
}

// fieldType is what an export adds to a type of field.
type fieldType struct {
	// cell makes the cell of a value of the type's kind.
	cell func(f *tracker.Field, v tracker.Value) cell
	// set reports whether values have several members.
	set bool
}

// fieldTypes describes each field type.
var fieldTypes = map[tracker.FieldType]fieldType{
	tracker.TypeText:     {cell: textCell},
	tracker.TypeLongText: {cell: textCell},
	tracker.TypeUser:     {cell: textCell},
	tracker.TypeDate:     {cell: textCell},
	tracker.TypeDateTime: {cell: textCell},
	tracker.TypeInteger: {cell: func(_ *tracker.Field, v tracker.Value) cell {
		return cell{literal: strconv.FormatInt(v.Int(), 10)}
	}},
	// the shortest literal that a reader converts to the same number
	tracker.TypeNumber: {cell: func(_ *tracker.Field, v tracker.Value) cell {
		return cell{literal: tracker.Float(v.Float()).Literal()}
	}},
	tracker.TypeBoolean: {cell: func(_ *tracker.Field, v tracker.Value) cell {
		return cell{literal: strconv.FormatBool(v.Bool())}
	}},
	tracker.TypeSelect: {cell: func(f *tracker.Field, v tracker.Value) cell {
		return cell{text: optionName(f, v.Text())}
	}},
	tracker.TypeMultiSelect: {set: true, cell: func(f *tracker.Field, v tracker.Value) cell {
		names := []string{}
		for _, id := range v.Set() {
			if name := optionName(f, id); name != "" {
				names = append(names, name)
			}
		}
		return cell{list: names}
	}},
	tracker.TypeTags: {set: true, cell: func(_ *tracker.Field, v tracker.Value) cell {
		return cell{list: v.Set()}
	}},
}

func textCell(_ *tracker.Field, v tracker.Value) cell { return cell{text: v.Text()} }

// optionName returns the name of an option, or "" if the field does not have it any more.
func optionName(f *tracker.Field, id string) string {
	o, _ := f.Option(tracker.OptionID(id))
	return o.Name
}

// cell returns the cell of a row.
func (c *column) cell(d *tracker.Definition, row *tracker.Issue) cell {
	if v, ok := c.stored(row); ok {
		switch {
		case v.Kind == tracker.KindNone:
			return cell{}
		case v.Kind == tracker.KindLong:
			return cell{long: true}
		case c.id == tracker.ColumnDescription:
			return cell{text: v.Text()}
		}
		f := d.Field(c.id.Field())
		if t, ok := fieldTypes[f.Type]; ok {
			return t.cell(f, v)
		}
		return textCell(f, v) // of a type that a later version of the product has stored
	}
	switch c.id {
	case tracker.ColumnNum:
		return cell{literal: strconv.FormatInt(row.Num, 10)}
	case tracker.ColumnName:
		return cell{text: row.Name}
	case tracker.ColumnState:
		s, _ := d.Project.State(row.State)
		return cell{text: s.Name}
	case tracker.ColumnCreated:
		return cell{text: tracker.FormatDateTime(row.Created)}
	case tracker.ColumnUpdated:
		return cell{text: tracker.FormatDateTime(row.Updated)}
	case tracker.ColumnCreatedBy:
		return cell{text: row.CreatedBy}
	case tracker.ColumnUpdatedBy:
		return cell{text: row.UpdatedBy}
	}
	return cell{text: d.Project.IssueKey(row.Num)}
}
