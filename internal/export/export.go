// Package export writes the rows of a grid as CSV or JSON Lines. Write does it; a Source provides the rows,
// page by page. It also makes the mapping with which package importer reads such a file.
//
// The laws that code and tests refer to:
//
//	E1  Importing an export with its mapping reproduces every issue of the grid: its number, name,
//	    state, times, description, and the values of all custom fields, byte for byte. A file that
//	    leaves out columns reproduces the others.
//	E2  The rows are those of the grid, in its order.
//	E3  The memory of an export does not depend on the number of rows or on the length of their texts.
//	E4  Within a file, a column has one meaning. If a name that the file refers to is changed or removed
//	    while the file is written, the export fails.
//
// The package knows neither filters nor orders, and it does not use the AWS SDK or GraphQL.
package export

import (
	"bufio"
	"context"
	"io"
	"strings"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// Source is a grid that is read once, from its beginning to its end.
type Source interface {
	// Page returns the next page with the definition that applies to it, which must not be changed. last
	// reports whether it is the last page. A page may have no rows. Before the page is read, accept is called
	// with the definition. If its error may be due to an outdated definition, it is called again with the
	// current one.
	Page(ctx context.Context, accept func(*tracker.Definition) error) (d *tracker.Definition,
		rows []*tracker.Issue, last bool, err error)
	// Texts returns long texts of the last page, in the order of refs.
	Texts(ctx context.Context, refs []tracker.LongRef) ([]string, error)
}

// Options configure an export.
type Options struct {
	// Format is importer.CSV or importer.JSONLines.
	Format importer.Format
	// Columns is the list of the columns, as a line of CSV. If it is empty, all columns are written.
	Columns string
	// Progress, if not nil, is called with the number of rows written so far.
	Progress func(rows int)
}

// Formats are the names of the formats in commands and URLs.
var Formats = []string{"csv", "jsonl"}

// ParseFormat returns the format with a name; that of "" is CSV.
func ParseFormat(name string) (importer.Format, error) {
	switch name {
	case "", "csv":
		return importer.CSV, nil
	case "jsonl":
		return importer.JSONLines, nil
	}
	return "", tracker.Bad("format", "%q is none of %s", name, strings.Join(Formats, ", "))
}

// bufferSize is the number of bytes that are passed on at once.
const bufferSize = 64 << 10

// Write writes all rows of a grid. It returns the mapping with which an import reads the file; see Mapping.
// If it returns an error, what it has written is incomplete. Nothing was written if the error is about the
// options, the arguments of the grid, or the first page.
func Write(ctx context.Context, to io.Writer, from Source, o Options) (*importer.Mapping, error) {
	var columns []column
	d, rows, last, err := from.Page(ctx, func(d *tracker.Definition) (err error) {
		columns, err = parseColumns(d, o.Columns)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(to, bufferSize)
	w := newWriter(out, o.Format, columns)
	w.header()
	for n := 0; ; {
		texts := &textReader{source: from, refs: longRefs(columns, rows)}
		for _, row := range rows {
			if err := w.row(ctx, d, row, texts); err != nil {
				return nil, err
			}
		}
		if n += len(rows); o.Progress != nil {
			o.Progress(n)
		}
		if last {
			break
		}
		before := d
		if d, rows, last, err = from.Page(ctx, func(d *tracker.Definition) error {
			return unchanged(columns, before, d)
		}); err != nil {
			return nil, err
		}
	}
	return mappingOf(d, columns, o.Format), out.Flush()
}

// longRefs returns the long texts of the rows in the order in which they are written.
func longRefs(columns []column, rows []*tracker.Issue) (refs []tracker.LongRef) {
	for _, row := range rows {
		for _, c := range columns {
			if v, ok := c.stored(row); ok && v.Kind == tracker.KindLong {
				refs = append(refs, tracker.LongRef{Issue: row.ID, Column: c.id, Long: v.Long()})
			}
		}
	}
	return refs
}

// Texts are read in groups of up to maxGroup texts that have up to groupBytes together, or of a single text.
const (
	maxGroup   = 100
	groupBytes = 8 << 20
)

// textReader returns the long texts of a page one after the other.
type textReader struct {
	source Source
	refs   []tracker.LongRef // that were not read yet
	group  []string          // texts that were read and not returned yet
}

func (r *textReader) next(ctx context.Context) (string, error) {
	if len(r.group) == 0 {
		n, bytes := 0, 0
		for n < len(r.refs) && n < maxGroup && (n == 0 || bytes+r.refs[n].Long.Bytes <= groupBytes) {
			bytes += r.refs[n].Long.Bytes
			n++
		}
		var err error
		if r.group, err = r.source.Texts(ctx, r.refs[:n]); err != nil {
			return "", err
		}
		r.refs = r.refs[n:]
	}
	text := r.group[0]
	r.group = r.group[1:]
	return text, nil
}
