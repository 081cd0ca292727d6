package export

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// column is a column of the file.
type column struct {
	name string
	// id is the column of the grid. It is empty for the key, which no column of a grid has.
	id tracker.Column
	// target is what an import makes of the column.
	target importer.Target
}

// builtinIDs are the columns of the grid of importer.ExportedColumns. The key is none.
var builtinIDs = []tracker.Column{"", tracker.ColumnNum, tracker.ColumnName, tracker.ColumnState,
	tracker.ColumnCreated, tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy,
	tracker.ColumnDescription}

func builtinNames() []string {
	var names []string
	for _, c := range importer.ExportedColumns {
		names = append(names, c.Column)
	}
	return names
}

// columnSet has all columns of a project.
type columnSet struct {
	all []column
	at  map[string]int // the index of each name, by tracker.NameKey
}

// columnsOf returns all columns of a project. A custom field has its own name, unless a built-in column has
// the same; then importer.ExportedField is added.
func columnsOf(d *tracker.Definition) columnSet {
	set := columnSet{at: map[string]int{}}
	add := func(c column) {
		set.at[tracker.NameKey(c.name)] = len(set.all)
		set.all = append(set.all, c)
	}
	for i, c := range importer.ExportedColumns {
		add(column{c.Column, builtinIDs[i], c.To})
	}
	for _, f := range d.Fields {
		name := tracker.CleanName(f.Name)
		for set.named(name) != nil {
			name += importer.ExportedField
		}
		add(column{name, f.ID.Column(), importer.ToField})
	}
	return set
}

// named returns the column with a name, or nil.
func (s *columnSet) named(name string) *column {
	i, ok := s.at[tracker.NameKey(name)]
	if !ok {
		return nil
	}
	return &s.all[i]
}

// parseColumns returns the columns of a list, in its order, or all columns if the list is empty. It reports
// all invalid names.
func parseColumns(d *tracker.Definition, list string) ([]column, error) {
	set := columnsOf(d)
	if list == "" {
		return set.all, nil
	}
	r := csv.NewReader(strings.NewReader(list))
	r.TrimLeadingSpace = true
	lines, err := r.ReadAll()
	switch {
	case err != nil || len(lines) != 1:
		return nil, tracker.Bad("columns", "not a list of names with commas between them; a name that has a "+
			"comma or a quote is written in quotes, and quotes in it are doubled")
	case len(lines[0]) > len(set.all):
		return nil, tracker.Bad("columns", "%d columns are listed; the project has %d", len(lines[0]),
			len(set.all))
	}
	var columns []column
	var wrong []error
	for i, name := range lines[0] {
		path := "columns[" + strconv.Itoa(i) + "]"
		switch c := set.named(strings.TrimSpace(name)); {
		case c == nil:
			wrong = append(wrong, tracker.Bad(path, "the project has no column %q; give the name of a "+
				"custom field, or one of %s",
				name, strings.Join(builtinNames(), ", ")).MayBeOutdated())
		case slices.Contains(columns, *c):
			wrong = append(wrong, tracker.Bad(path, "the column %q is listed twice", c.name))
		default:
			columns = append(columns, *c)
		}
	}
	return columns, tracker.Join(wrong...)
}

// stored returns the stored value of the column if it can be a text: of the description or of a custom field.
func (c *column) stored(row *tracker.Issue) (tracker.Value, bool) {
	switch {
	case c.target == importer.ToField:
		return row.Values[c.id.Field()], true
	case c.id == tracker.ColumnDescription:
		return row.Description, true
	}
	return tracker.Value{}, false
}

// unchanged returns an error if the definition after a page has changed the meaning of what was written (E4).
// New options and states change nothing.
func unchanged(columns []column, before, after *tracker.Definition) error {
	if before == after || before.Project.Version == after.Project.Version {
		return nil
	}
	for _, c := range columns {
		what := "the column " + strconv.Quote(c.name)
		switch {
		case c.target == importer.ToState:
			for _, s := range before.Project.States {
				if now, ok := after.Project.State(s.ID); !ok || now.Name != s.Name || now.Open != s.Open {
					return changed("the state " + strconv.Quote(s.Name))
				}
			}
		case c.id == "" && before.Project.Key != after.Project.Key:
			return changed(what)
		case c.target == importer.ToField:
			f, now := before.Field(c.id.Field()), after.Field(c.id.Field())
			if now == nil || now.Type != f.Type {
				return changed(what)
			}
			for _, o := range f.Options {
				if option, ok := now.Option(o.ID); !ok || option.Name != o.Name {
					return changed("the option " + strconv.Quote(o.Name) + " of " + what)
				}
			}
		}
	}
	return nil
}

func changed(what string) error {
	return &tracker.Error{Code: tracker.Conflict,
		Message: what + " was changed or removed while the file was written; export again"}
}
