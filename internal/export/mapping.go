package export

import (
	"slices"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// Mapping returns the mapping with which an import reads an export of a project as it is now. It returns
// BadInput if the columns do not include the name, which an import requires.
func Mapping(d *tracker.Definition, o Options) (*importer.Mapping, error) {
	columns, err := parseColumns(d, o.Columns)
	if err != nil {
		return nil, err
	}
	m := mappingOf(d, columns, o.Format)
	if m == nil {
		return nil, tracker.Bad("columns", "a file without the column `name` cannot be imported, so that it "+
			"has no mapping: add the column")
	}
	return m, nil
}

// mappingOf is Mapping for known columns. It is nil if the columns do not include the name.
func mappingOf(d *tracker.Definition, columns []column, format importer.Format) *importer.Mapping {
	m := &importer.Mapping{Format: format}
	if format == importer.CSV {
		m.Delimiter = ","
	}
	has := func(t importer.Target) bool {
		return slices.ContainsFunc(columns, func(c column) bool { return c.target == t })
	}
	if !has(importer.ToName) {
		return nil
	}
	if !has(importer.ToRowKey) && !has(importer.ToNum) {
		m.RowKey = "CONTENT"
	}
	for _, c := range columns {
		to := importer.Column{Column: c.name, To: c.target}
		switch c.target {
		case importer.ToState:
			for _, s := range d.Project.States {
				if s.Open {
					to.Open = append(to.Open, s.Name)
				} else {
					to.Closed = append(to.Closed, s.Name)
				}
			}
		case importer.ToField:
			f := d.Field(c.id.Field())
			to.Name, to.Type = f.Name, f.Type
			for _, o := range f.Options {
				to.Options = append(to.Options, o.Name)
			}
			if fieldTypes[f.Type].set {
				to.Separator = separator
			}
		}
		m.Columns = append(m.Columns, to)
	}
	return m
}
