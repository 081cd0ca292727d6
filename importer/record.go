package importer

// record is one row of a file as it was read, before anything is made of it.
type record struct {
	// line is where the record begins, from 1.
	line int
	// cells are in the order of the reader's columns. A record of JSON Lines may have fewer; what is missing is empty.
	cells []cell
	// raw is the line as it was read, of JSON Lines only.
	raw []byte
	// fault tells why the record can't be read. Its cells are then those that could be.
	fault *fault
}

// cell is the text of one column in one row. Empty text is no value.
type cell struct {
	// text is the cell of a CSV file or the text of a JSON string; any other JSON value as it is written in the file.
	text string
	// list holds the members of a JSON array of strings, numbers and booleans; nil for anything else.
	list []string
	// bytes is the length of the whole cell. It is more than text has when the cell is larger than any value may be, and was cut.
	bytes int
}

// fault says what is wrong with a cell, or with the row when there is no column.
type fault struct {
	column string
	reason Reason
	detail string
}

// reader reads the records of a file.
type reader interface {
	// columns are the names of the columns: for CSV those of the header, for JSON Lines those asked for and those met so far.
	columns() []string
	// next returns the next record, io.EOF at the end. A record that can't be read carries a fault and is not an error.
	next() (*record, error)
}

const (
	// maxCell is the most bytes of a cell that are kept in memory; a longer one can't be a value.
	maxCell = 2 << 20
	// maxRecord is the most bytes of a record that are kept in memory.
	maxRecord = 32 << 20
)

// at returns the cell of a column; an empty one where the record is shorter.
func (r *record) at(i int) cell {
	if i < 0 || i >= len(r.cells) {
		return cell{}
	}
	return r.cells[i]
}

// Format is how a file is written.
type Format string

// The formats.
const (
	CSV       Format = "CSV"
	JSONLines Format = "JSON_LINES"
)
