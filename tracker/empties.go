package tracker

// Empties is the method by which the rows without a value in a column are found.
//
// Filtered is the method of columns in which few issues have a value: the keys of all issues are read in the
// order of their numbers, and DynamoDB leaves out those of issues with a value. Indexed is the method of
// columns in which most issues have one: each issue without a value has an index entry, so that these rows
// are a range of the column's index partition.
//
// A column changes from Filtered to Building, and when a job has added the entries of all older issues, to
// Indexed. Readers use the entries only then; writers maintain them in both. Back, it changes to Leaving, in
// which readers no longer use the entries and writers still maintain them, because a reader may have the
// older definition; then to Removing, in which a job removes them; and then to Filtered.
type Empties string

// The methods.
const (
	EmptiesFiltered Empties = ""
	EmptiesBuilding Empties = "BUILDING"
	EmptiesIndexed  Empties = "INDEXED"
	EmptiesLeaving  Empties = "LEAVING"
	EmptiesRemoving Empties = "REMOVING"
)

// Changing reports whether the work of a job ends in another method.
func (e Empties) Changing() bool { return e != e.Changed() }

// Changed returns the method after the work of a job.
func (e Empties) Changed() Empties {
	switch e {
	case EmptiesBuilding:
		return EmptiesIndexed
	case EmptiesRemoving:
		return EmptiesFiltered
	}
	return e
}

// empties returns the method of a column.
func (d *Definition) empties(c Column) Empties {
	switch c {
	case ColumnCreatedBy, ColumnUpdatedBy:
		return d.Project.Empties
	}
	if c.Builtin() {
		return EmptiesFiltered
	}
	if f := d.Field(c.Field()); f != nil && f.Type.Indexed() {
		return f.Empties
	}
	return EmptiesFiltered
}

// WritesEmpties reports whether an issue without a value in a column gets an index entry.
func (d *Definition) WritesEmpties(c Column) bool {
	e := d.empties(c)
	return e == EmptiesBuilding || e == EmptiesIndexed || e == EmptiesLeaving
}

// RemovesEmpties reports whether a job removes the entries of the issues without a value in a column.
func (d *Definition) RemovesEmpties(c Column) bool { return d.empties(c) == EmptiesRemoving }

// IndexesEmpties reports whether each issue without a value in a column has an index entry.
func (d *Definition) IndexesEmpties(c Column) bool {
	return d.empties(c) == EmptiesIndexed && !d.RebuildingColumn(c)
}
