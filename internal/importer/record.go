package importer

import (
	"slices"
	"strings"

	"issuegrid/tracker"
)

// record is one row as read from the file.
type record struct {
	// line is the line at which the record begins, from 1.
	line int
	// cells are in the order of the reader's columns. A record of JSON Lines may have fewer; missing cells
	// are empty.
	cells []cell
	// raw is the line as read, for JSON Lines only.
	raw []byte
	// fault is why the record cannot be read; cells then has those that could be read.
	fault *fault
}

// cell is one column of one row. An empty text is no value.
type cell struct {
	// text is the cell of a CSV file, the value of a JSON string, or the source of any other JSON value.
	text string
	// list has the members of a JSON array of strings, numbers and booleans that are not empty, at most
	// maxMembers of them; nil for other values. count is how many the array has.
	list  []string
	count int
	// bytes is the length of the whole cell, which is greater than that of text if the cell was cut because
	// it is longer than any value.
	bytes int
	// literal is set if the cell is a JSON number, which never has the separators of people.
	literal bool
	// absent is set if the object of a JSON Lines file does not have the member at all.
	absent bool
}

// fault is what is wrong with a cell, or with the row if column is empty.
type fault struct {
	column string
	reason Reason
	detail string
	// also is what else is wrong with the row, in other columns.
	also []*fault
}

// and returns a fault with those of another one of the same row, either of which may be nil.
func (f *fault) and(other *fault) *fault {
	if f == nil {
		return other
	}
	f.also = append(f.also, other.all()...)
	return f
}

// all returns the faults of a row.
func (f *fault) all() []*fault {
	if f == nil {
		return nil
	}
	return append([]*fault{f}, f.also...)
}

// reader reads the records of a file.
type reader interface {
	// columns returns the names of the columns: for CSV those of the header, for JSON Lines those of preset
	// and those found so far.
	columns() []string
	// next returns the next record, or io.EOF at the end. A record that cannot be read has a fault and is not
	// an error.
	next() (*record, error)
}

const (
	// maxCell is the maximum number of bytes of a cell that are kept in memory: one more than a value can
	// have, so that what is left of a longer cell in the file of rejected rows is rejected again.
	maxCell = tracker.MaxText + 1
	// maxRecord is the default of Options.MaxRecord.
	maxRecord = 32 << 20
	// maxMembers is the maximum number of members of a cell that are kept: no value has more.
	maxMembers = max(tracker.MaxOptions, tracker.MaxTags)
	// maxColumns is the maximum number of cells of a record, and of columns of a file.
	maxColumns = 10_000
)

// blank reports whether a record has no content, like the rows that spreadsheets write where cells are only
// formatted.
func (r *record) blank() bool {
	return (r.fault == nil || r.fault.reason == Ragged) && !slices.ContainsFunc(r.cells, func(c cell) bool {
		return strings.TrimSpace(c.text) != ""
	})
}

// at returns the ith cell, or an absent one if the record is shorter.
func (r *record) at(i int) cell {
	if i < 0 || i >= len(r.cells) {
		return cell{absent: true}
	}
	return r.cells[i]
}

const (
	// cellMemory and memberMemory are the memory of a cell and of a member of a list, in addition to their
	// bytes. Decoding a line of JSON takes decodeMemory times its bytes.
	cellMemory   = 64
	memberMemory = 16
	decodeMemory = 3
)

// memory returns the memory that a record takes.
func (r *record) memory() int {
	n := len(r.raw) + len(r.cells)*cellMemory
	for i := range r.cells {
		n += len(r.cells[i].text) + len(r.cells[i].list)*memberMemory
	}
	return n
}

// Format is a file format.
type Format string

// The formats.
const (
	CSV       Format = "CSV"
	JSONLines Format = "JSON_LINES"
)
