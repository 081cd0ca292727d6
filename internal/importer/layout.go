package importer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/bits"
	"slices"
	"time"
)

// layout collects from all bytes of a file how many cells its rows have, for each delimiter that it may have.
type layout struct {
	characters
	was    byte // the last byte
	commas []*delimited
	bit    [256]uint8 // of the delimiters
	told   int        // the line of the header, 0 if it is to be detected
	ended  int64      // rows, for all delimiters together
	// Sets of delimiters: those for which the next byte is the first of a cell, is in quotes, or follows a
	// quote in quotes, and those whose cell has no visible byte yet.
	begins, inside, after, empty uint8
	between                      *delimited // the last byte was this delimiter, after a digit
}

// delimited counts the rows of a file that has a delimiter.
type delimited struct {
	comma         string
	cells, filled int // delimiters of the row so far, and cells that are not empty
	reach         int // cells up to the last one that is not empty
	begun, line   int // the lines of the row and of the next byte
	rows          int64
	widths        map[int]int64 // numbers of rows by numbers of cells
	blank         bool          // the last row was blank, or there was an empty line
	first         headerRow     // the first row
	header        headerRow     // the row in the line that a mapping gives, or the one after titles
	untitled      bool          // a row had several cells that are not empty
	all, decimals int64         // delimiters, and those between two digits
}

// headerRow is a row that may have the names of the columns.
type headerRow struct {
	line, cells int
	before      int64 // rows
}

// delimiters are those that are detected. Of two that fit equally well, the first is taken.
var delimiters = []string{",", ";", "\t", "|"}

// newLayout returns a layout for the given delimiter and line of the header, or if they are zero for those
// that are detected. The text begins in the given line.
func newLayout(delimiter string, header, line int) *layout {
	l := &layout{told: header}
	all := delimiters
	if delimiter != "" {
		all = []string{delimiter}
	}
	for i, comma := range all {
		l.commas = append(l.commas, &delimited{comma: comma, widths: map[int]int64{}, line: line})
		l.bit[comma[0]] = 1 << i
	}
	l.beginRows(l.all())
	return l
}

// all is the set of all delimiters.
func (l *layout) all() uint8 { return 1<<len(l.commas) - 1 }

// scanByteCPU and scanRowCPU are the CPU time of scanning a byte, and of the end of a row for one delimiter.
const (
	scanByteCPU = 8 * time.Nanosecond
	scanRowCPU  = 20 * time.Nanosecond
)

// scan reads the text of a file to its end.
func (l *layout) scan(ctx context.Context, in *input, text io.Reader, meter *meter) error {
	block := make([]byte, peek)
	for {
		n, err := text.Read(block)
		before := l.ended
		l.look(block[:n])
		l.rows(block[:n])
		meter.spend(time.Duration(n)*scanByteCPU + time.Duration(l.ended-before)*scanRowCPU)
		if err := meter.pause(ctx); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			l.end()
			l.endRows(l.all())
			return nil
		}
		if err != nil {
			return in.damaged(err)
		}
	}
}

// rows examines a block for the numbers of cells of its rows.
func (l *layout) rows(block []byte) {
	for _, b := range block {
		switch of := l.bit[b]; {
		case b == '"':
			opens, doubled := l.begins&^l.inside, l.inside&l.after
			l.after = l.inside &^ doubled
			l.inside |= opens
			l.begins = 0
		case b == '\n' || b == '\r':
			l.closeQuotes()
			l.endLine(b)
		case of != 0:
			l.closeQuotes()
			ends := of &^ l.inside
			l.fill(l.all() &^ ends)
			l.begins = ends
			if ends != 0 {
				l.empty |= ends
				d := l.of(ends)
				d.cells++
				d.all++
				if l.between = nil; l.was >= '0' && l.was <= '9' {
					l.between = d
				}
			}
		case l.after|l.begins|l.empty != 0:
			l.closeQuotes()
			l.begins = 0
			if b != ' ' && b != '\t' {
				l.fill(l.all())
			}
			if l.between != nil {
				if b >= '0' && b <= '9' {
					l.between.decimals++
				}
				l.between = nil
			}
		}
		l.was = b
	}
}

// endLine is called at a LF or CR. Inside quotes only LF ends a line, and none ends a row; see csvReader.
func (l *layout) endLine(b byte) {
	l.between = nil
	if b == '\n' {
		for set := l.inside; set != 0; set &= set - 1 {
			l.of(set).line++
		}
	}
	if b == '\n' && l.was == '\r' {
		return
	}
	outside := l.all() &^ l.inside
	for set := outside; set != 0; set &= set - 1 {
		l.of(set).line++
	}
	l.endRows(outside)
	l.beginRows(outside)
}

// closeQuotes ends quotes after one that is not doubled.
func (l *layout) closeQuotes() { l.inside, l.after = l.inside&^l.after, 0 }

// of returns the first delimiter of a set.
func (l *layout) of(set uint8) *delimited { return l.commas[bits.TrailingZeros8(set)] }

// fill counts cells of a set of delimiters as not empty.
func (l *layout) fill(set uint8) {
	for set &= l.empty; set != 0; set &= set - 1 {
		d := l.of(set)
		d.filled++
		d.reach = d.cells + 1
		l.empty &^= set & -set
	}
}

func (l *layout) endRows(set uint8) {
	for ; set != 0; set &= set - 1 {
		l.of(set).endRow(l.told)
		l.ended++
	}
}

func (l *layout) beginRows(set uint8) {
	l.begins |= set
	l.empty |= set
	for ; set != 0; set &= set - 1 {
		d := l.of(set)
		d.begun = d.line
	}
}

// Titles are rows before the header, of which each has at most one cell that is not empty. A header is after
// a blank row, and has minTitled names at least and none that is empty before the last one.
const (
	minTitled = 3
	maxTitles = 10
)

func (d *delimited) endRow(told int) {
	r, filled, reach := headerRow{line: d.begun, cells: d.cells + 1, before: d.rows}, d.filled, d.reach
	d.cells, d.filled, d.reach = 0, 0, 0
	if filled == 0 {
		d.blank = true
		return
	}
	d.widths[min(r.cells, maxColumns+1)]++
	if d.rows++; r.before == 0 {
		d.first = r
	}
	switch {
	case d.header.cells > 0:
	case told > 0:
		if r.line >= told {
			d.header = r
		}
	case !d.untitled && d.blank && r.before > 0 && r.before <= maxTitles && filled == reach &&
		reach >= minTitled:
		d.header = r
	}
	d.untitled = d.untitled || filled > 1
	d.blank = false
}

// minFitting is the minimum share of rows that have as many cells as the header if the delimiter is the right
// one; after titles it is minFittingTitled, and there are minAfterTitles such rows.
const (
	minFitting       = 0.5
	minFittingTitled = 0.9
	minAfterTitles   = 2
)

// fit is how well a delimiter fits a file: the row with the names of the columns, and the share of the rows
// from it on that have as many cells. It is 0 if the file hardly has this delimiter.
func (d *delimited) fit(told int) (header headerRow, share float64) {
	fits := func(h headerRow) float64 {
		return float64(d.widths[min(h.cells, maxColumns+1)]) / float64(max(d.rows-h.before, 1))
	}
	header = d.first
	if h := d.header; told > 0 && h.cells > 0 || h.cells > 0 && fits(h) >= minFittingTitled &&
		d.widths[h.cells] > minAfterTitles {
		header = h
	}
	if share = fits(header); header.cells < 2 || share < minFitting {
		share = 0
	}
	return header, share
}

// best returns the delimiter that fits best, the line of the header, and the number of cells that most rows
// have.
func (l *layout) best() (delimiter string, line, cells int) {
	best := slices.MaxFunc(l.commas, func(a, b *delimited) int {
		headerA, shareA := a.fit(l.told)
		headerB, shareB := b.fit(l.told)
		return cmp.Or(
			cmp.Compare(min(shareA, minFittingTitled), min(shareB, minFittingTitled)),
			cmp.Compare(headerA.cells, headerB.cells),
			cmp.Compare(shareA, shareB),
			cmp.Compare(a.divided(), b.divided()),
			// A comma between two digits is rather that of a decimal.
			cmp.Compare(b.isDecimal(), a.isDecimal()))
	})
	h, _ := best.fit(l.told)
	most := int64(0)
	for width, rows := range best.widths {
		if rows > most || rows == most && width > cells {
			cells, most = width, rows
		}
	}
	return best.comma, max(h.line, 1), min(cells, maxColumns)
}

// divided returns the number of rows with several cells.
func (d *delimited) divided() int64 { return d.rows - d.widths[1] }

// isDecimal returns 1 if most delimiters are between digits, otherwise 0.
func (d *delimited) isDecimal() int {
	if 2*d.decimals > d.all {
		return 1
	}
	return 0
}
