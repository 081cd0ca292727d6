// Package importer imports files as issues: CSV and JSON Lines, plain or gzip, of any size, into one or
// several projects. Run imports, and Inspect is its dry run. A Mapping defines what each column becomes;
// without one it is inferred from the file and the projects.
//
// A file is read as a stream, more than once. The first pass checks everything and collects the projects,
// fields, options and states that the rows need. The second pass compares the rows with the stored issues and
// writes the differences. So nothing is written for a file that cannot be read to its end, or for a mapping
// that does not fit it. A dry run makes the same passes, without the writes.
//
// The laws that code and tests refer to:
//
//	R1  Every row of the file is added, changes its issue, is found unchanged, or is rejected with its
//	    line, column and reason; no row is lost silently.
//	R2  A cell is stored exactly, byte for byte, or its row is rejected. A value that its type cannot hold
//	    is not rounded, except that datetimes are cut to the microsecond. Characters that are not allowed in
//	    an issue's name (tracker.Hidden) are removed, and the summary counts such rows: trackers contain
//	    names with terminal codes, and no row should be lost because of one. If the mapping says so, what is
//	    not a part of the value is dropped, but never a digit: quotes of members, and with a decimal
//	    separator the separators of groups, a unit that all numbers of the column have, and the spaces
//	    around them. How a cell is read is never guessed.
//	R3  Nothing of a rejected row is written, not even an option that only this row has. The exception are
//	    options and states of a row that is rejected because of a stored issue, or because it is too large,
//	    which the second pass finds.
//	R4  The id of an issue is derived from its project and its row key, so that repeating an import adds
//	    nothing twice, and repeating an interrupted one completes it. A repeated row writes only the cells
//	    that differ from its issue, in one version, and nothing if there are none.
//	R5  Two issues of a project never get the same number.
//	R6  A dry run has the summary that the import would have: both are made by the same code, which writes
//	    last.
//
// The package does not use the AWS SDK or GraphQL; it writes through a dynamo.Tenant.
package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// Options configure an import.
type Options struct {
	// File is the path of a CSV or JSON Lines file, plain or gzip, as detected from its content. If it is not
	// a regular file, such as a pipe, it is first copied to a temporary file.
	File string
	// Source is read instead of a file if it is not nil. It has Size bytes, and File is only its name. Its
	// errors end the import as they are if they are *tracker.Error.
	Source io.ReaderAt
	Size   int64
	// MaxBytes and MaxRows are the maximum size of the file after decompression, in bytes, and its maximum
	// number of rows; 0 means no limit.
	MaxBytes, MaxRows int64
	// MaxRecord is the maximum number of bytes of a row; a longer one is rejected. 0 means 32 MiB.
	MaxRecord int
	// MaxName is the maximum number of bytes of the name of a column; a file with a longer one is refused. 0
	// means no limit.
	MaxName int
	// Memory, if not nil, is the budget of the import.
	Memory Memory
	// Format is the format of the file. If it is empty, the mapping or the content determines it.
	Format Format
	// Project is the key of the project for rows for which no column names one.
	Project string
	// Mapping is nil, or has no columns, if they are to be inferred.
	Mapping *Mapping
	// Rejects is the path of the file for rejected rows, which must not exist. If it is empty, a free name
	// next to File is derived from File. The file is created only if a row is rejected.
	Rejects string
	// OpenRejects is called with the name of the file, instead of creating it, if it is not nil.
	OpenRejects func(name string) (io.WriteCloser, error)
	// IssuesOnly refuses, with Forbidden, an import that would create a project, a field, an option or a
	// state.
	IssuesOnly bool
	// NewOptions adds options and states that a row uses to existing fields and projects, and to those that
	// the mapping lists. Without it, and without the member of the mapping with this name, such rows are
	// rejected.
	NewOptions bool
	// OnlyNew adds the rows that have no issue yet, and leaves the issues of the others as they are, without
	// comparing them.
	OnlyNew bool
	// RemoveApostrophes removes, from the cells and names of a CSV file, the apostrophes that the grid's
	// export inserts where a spreadsheet would run a part of a cell as a formula. Rejected rows have them
	// again.
	RemoveApostrophes bool
	// User is the user that imports the file, for histories. It may be empty.
	User string
	// UserID is the id of that user; empty if the user has none in the tenant.
	UserID tracker.UserID
	// Workers is the number of batches written in parallel; 0 means the default.
	Workers int
	// Journal, if not nil, keeps what the import has found for its next attempt.
	Journal Journal
	// Progress, if not nil, is called with the progress of the import. Calls do not overlap.
	Progress func(Progress)
	// units are those of the columns of the mapping that have a decimal separator; otherwise nil.
	units []*forms.Units
	// inferred reports that the columns of the mapping were inferred, and notes are what this assumes.
	// keyless are the projects whose rows were identified by a column, if the file has none.
	inferred bool
	keyless  []*tracker.Definition
	notes    []string
	// Pace, if not nil, is called regularly, also in parallel, and waits until the import may continue. cpu
	// is the CPU time used since the last call, which is counted in units of work.
	Pace func(ctx context.Context, cpu time.Duration) error
	// meter counts the work; Run and Inspect set it.
	meter *meter
}

func (o *Options) maxRecord() int { return cmp.Or(o.MaxRecord, maxRecord) }

// Memory is a budget of bytes.
type Memory interface {
	// Hold takes bytes. It returns BadInput if the import may not hold so many, and Unavailable if there are
	// none left at the moment.
	Hold(ctx context.Context, bytes int64) error
	// Release returns bytes.
	Release(bytes int64)
}

// Stage is a stage of an import.
type Stage string

// The stages, in order. Inferring is skipped if there is a mapping without decimal separators.
const (
	Inferring Stage = "reading types"
	Checking  Stage = "checking rows"
	Writing   Stage = "importing"
	Comparing Stage = "comparing rows" // the last stage of a dry run, instead of Writing
)

// Progress is how much of a stage is done: bytes of the file for the first two stages, rows for
// the last.
type Progress struct {
	Stage       Stage
	Done, Total int64
}

// Run imports a file. The summary counts what was done, even if an error ended the import; it is nil if no
// row was written. Run returns BadInput if the file, the mapping or the options are invalid, and NotFound if
// the tenant does not exist; then no issue was written. It returns Unavailable if the database failed or ctx
// ended; then repeating the import continues where it stopped.
func Run(ctx context.Context, t *dynamo.Tenant, opts Options) (*Summary, error) {
	if _, err := t.Get(ctx); err != nil {
		return nil, err
	}
	opts.meter = newMeter(&opts)
	in, err := openInput(opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	have := newStored(t.As(tracker.Actor{Kind: tracker.ActorImport, Name: opts.User, User: opts.UserID}))
	if opts.infers() {
		p, err := profileFile(ctx, in, opts)
		if err != nil {
			return nil, err
		}
		if err := p.infer(ctx, have, &opts); err != nil {
			return nil, err
		}
		p.memory.release()
	}
	return work(ctx, in, opts, have, false)
}

// work is what Run and Inspect have in common: it checks the file, determines what each row changes, and
// writes this unless the run is dry. So both have the same summary.
func work(ctx context.Context, in *input, opts Options, have *stored, dry bool) (*Summary, error) {
	start := time.Now()
	if dry {
		opts.Journal = nil
	}
	if err := opts.identified(); err != nil {
		return nil, err
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	var err error
	if opts.units, err = unitsIn(ctx, in, opts); err != nil {
		return nil, err
	}
	found, err := check(ctx, in, opts, have)
	if err != nil {
		return nil, err
	}
	if err := found.settleNumbers(ctx); err != nil {
		return nil, err
	}
	rejects, err := newRejects(opts, in, found, dry)
	if err != nil {
		return nil, err
	}
	targets, err := prepare(ctx, found, opts, dry)
	if err != nil {
		rejects.discard()
		return nil, err
	}
	w := newWriter(found, targets, rejects, opts, dry)
	err = w.run(ctx, in)
	if closed := rejects.close(); err == nil {
		err = closed
	}
	s := w.summary(err == nil)
	s.Mapping, s.Reading, s.Elapsed = opts.Mapping, in.read.Reading, time.Since(start)
	s.Notes = append(opts.notes, found.notes...)
	return s, err
}

// identified returns an error if a mapping was inferred in which no column identifies the rows of a project
// whose rows were: they would be new issues.
func (o *Options) identified() error {
	for _, d := range o.keyless {
		if d.Project.RowKeys != nil {
			return tracker.Bad("mapping", "the rows of the project %s are identified by the column %q, "+
				"which the file does not have: give a mapping, in which a column is the row key",
				d.Project.Key, d.Project.RowKeys[0])
		}
	}
	return nil
}

// check checks the options and the mapping.
func (o *Options) check() error {
	if o.Project != "" {
		if err := tracker.CheckProjectKey("project", o.Project); err != nil {
			return err
		}
	}
	return o.Mapping.Check()
}

// infer sets the mapping of a file without one.
func (p *profile) infer(ctx context.Context, have *stored, opts *Options) error {
	projects, err := have.receivers(ctx, p, opts.Project)
	if err != nil {
		return err
	}
	receiving := p.receiving(projects)
	m := p.mapping(projects, receiving, opts.IssuesOnly)
	if opts.Mapping != nil {
		given := *opts.Mapping
		given.Columns, given.RowKey = m.Columns, m.RowKey
		m = &given
	}
	opts.Mapping, opts.inferred = m, true
	if m.first(ToRowKey) == nil && m.first(ToNum) == nil && m.RowKey == "" {
		opts.keyless = receiving
	}
	for i, mapped := range m.of(p.names) {
		opts.notes = append(opts.notes, p.columns[i].notes(mapped)...)
	}
	return nil
}

// notes are sentences on what an inferred mapping assumes about a column.
func (c *columnProfile) notes(mapped []*Column) (out []string) {
	for _, m := range mapped {
		if m.Zone != "" {
			out = append(out, fmt.Sprintf("Times without a time zone in the column %q are taken to be in %s.",
				m.Column, m.Zone))
		}
		if m.Separator == listSeparator && c.listed {
			out = append(out, fmt.Sprintf("The cells of the column %q are lists, whose members are "+
				"separated by %q.", m.Column, m.Separator))
		}
	}
	return out
}

// infers reports whether the columns of the mapping are to be inferred.
func (o *Options) infers() bool { return o.Mapping == nil || o.Mapping.Columns == nil }

// eachRecord reads the records of one pass. If stage is not empty, it reports the progress in bytes.
func eachRecord(ctx context.Context, in *input, opts Options, stage Stage, preset []string,
	each func(*pass, *record) error) (*pass, error) {
	p, err := in.pass(ctx, opts, preset)
	if err != nil {
		return nil, err
	}
	known, largest := 0, 0 // columns, and the memory of the largest record
	memory := lent{meter: opts.meter}
	defer memory.release()
	before, reported := int64(0), int64(0) // bytes after decompression
	for n := 0; ; n++ {
		if stage != "" && (n%1024 == 0 || before-reported >= 1<<20) {
			in.report(opts, stage, p.read())
			reported = before
		}
		rec, err := p.reader.next()
		if errors.Is(err, io.EOF) {
			if stage != "" {
				in.report(opts, stage, in.size)
			}
			return p, nil
		}
		if err != nil {
			return nil, in.damaged(err)
		}
		isBlank := rec.blank()
		if isBlank {
			p.blank++
		} else if opts.MaxRows > 0 && int64(n)-p.blank >= opts.MaxRows {
			return nil, tracker.Bad("file", "the file has more than %d rows, the limit of an import over "+
				"HTTP; split it, or run `issuegrid import`", opts.MaxRows)
		}
		now := p.unpacked()
		opts.meter.spend(time.Duration(now-before)*readByteCPU + time.Duration(len(rec.cells))*cellCPU)
		before = now
		if n := rec.memory() + len(rec.raw)*decodeMemory; n > largest {
			memory.grow(n - largest)
			largest = n
		}
		for _, name := range p.reader.columns()[known:] {
			if opts.MaxName > 0 && len(name) > opts.MaxName {
				return nil, tracker.Bad("file", "the name of column %d has %d bytes; the limit is %d",
					known+1, len(name), opts.MaxName)
			}
			memory.grow(nameMemory + len(name))
			known++
		}
		if err := opts.meter.pause(ctx); err != nil {
			return nil, err
		}
		if isBlank {
			continue
		}
		if err := each(p, rec); err != nil {
			return nil, err
		}
	}
}

func interrupted(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &tracker.Error{Code: tracker.Unavailable, Message: "the import was interrupted", Cause: err}
	}
	return nil
}
