// Package importer imports files as issues: CSV and JSON Lines, plain or gzip, of any size, into one or
// several projects. Run imports, and Inspect is its dry run. A Mapping defines what each column becomes;
// without one it is inferred from the file.
//
// A file is read as a stream, more than once. The first pass checks everything and collects the projects,
// fields, options and states that the rows need. The second pass writes the rows. So nothing is written for a
// file that cannot be read to its end, or for a mapping that does not fit it.
//
// The laws that code and tests refer to:
//
//	R1  Every row of the file is added, found to exist already, or rejected with its line, column and
//	    reason; no row is lost silently.
//	R2  A cell is stored exactly, byte for byte, or its row is rejected. A value that its type cannot hold
//	    is not rounded, except that datetimes are cut to the microsecond. Characters that are not allowed in
//	    an issue's name (tracker.Hidden) are removed, and the summary counts such rows: trackers contain
//	    names with terminal codes, and no row should be lost because of one.
//	R3  Nothing of a rejected row is written, not even an option that only this row has.
//	R4  The id of an issue is derived from its project and its row key, so that repeating an import adds
//	    nothing twice, and repeating an interrupted one completes it.
//	R5  Two issues of a project never get the same number.
//
// The package does not use the AWS SDK or GraphQL; it writes through a dynamo.Tenant.
package importer

import (
	"context"
	"errors"
	"io"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// Options configure an import.
type Options struct {
	// File is the path of a CSV or JSON Lines file, plain or gzip, as detected from its content. If it is not
	// a regular file, such as a pipe, it is first copied to a temporary file.
	File string
	// Format is the format of the file. If it is empty, the mapping or the content determines it.
	Format Format
	// Project is the key of the project for rows for which no column names one.
	Project string
	// Mapping is nil if it is to be inferred.
	Mapping *Mapping
	// Rejects is the path of the file for rejected rows, which must not exist. If it is empty, a free name
	// next to File is derived from File. The file is created only if a row is rejected.
	Rejects string
	// Workers is the number of batches written in parallel; 0 means the default.
	Workers int
	// Progress, if not nil, is called with the progress of the import. Calls do not overlap.
	Progress func(Progress)
}

// Stage is a stage of an import.
type Stage string

// The stages, in order. Inferring is skipped if there is a mapping.
const (
	Inferring Stage = "reading types"
	Checking  Stage = "checking rows"
	Writing   Stage = "importing"
)

// Progress is how much of a stage is done: bytes of the file for the first two stages, rows for Writing.
type Progress struct {
	Stage       Stage
	Done, Total int64
}

// Run imports a file. The summary counts what was done, even if an error ended the import; it is nil if no
// row was written. Run returns BadInput if the file, the mapping or the options are invalid, and NotFound if
// the tenant does not exist; then no issue was written. It returns Unavailable if the database failed or ctx
// ended; then repeating the import continues where it stopped.
func Run(ctx context.Context, t *dynamo.Tenant, opts Options) (*Summary, error) {
	start := time.Now()
	if _, err := t.Get(ctx); err != nil {
		return nil, err
	}
	in, err := openInput(opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	opts, err = withMapping(ctx, in, opts)
	if err != nil {
		return nil, err
	}
	found, err := check(ctx, in, opts)
	if err != nil {
		return nil, err
	}
	rejects, err := newRejects(opts, in, found)
	if err != nil {
		return nil, err
	}
	targets, err := prepare(ctx, t, found)
	if err != nil {
		rejects.discard()
		return nil, err
	}
	w := newWriter(t, found, targets, rejects, opts)
	err = w.run(ctx, in)
	if closed := rejects.close(); err == nil {
		err = closed
	}
	s := w.summary()
	s.Elapsed = time.Since(start)
	return s, err
}

// withMapping sets the mapping if there is none, and otherwise checks it.
func withMapping(ctx context.Context, in *input, opts Options) (Options, error) {
	if opts.Project != "" {
		if err := tracker.CheckProjectKey("project", opts.Project); err != nil {
			return opts, err
		}
	}
	if opts.Mapping == nil {
		p, err := profileFile(ctx, in, opts)
		if err != nil {
			return opts, err
		}
		opts.Mapping = p.mapping()
	}
	return opts, opts.Mapping.Check()
}

// eachRecord reads the records of one pass and reports the progress in bytes.
func eachRecord(ctx context.Context, in *input, opts Options, stage Stage, preset []string,
	each func(*pass, *record) error) (*pass, error) {
	p, err := in.pass(opts, preset)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := interrupted(ctx); err != nil {
				return nil, err
			}
			in.report(opts, stage, p.read())
		}
		rec, err := p.reader.next()
		if errors.Is(err, io.EOF) {
			in.report(opts, stage, in.size)
			return p, nil
		}
		if err != nil {
			return nil, in.damaged(err)
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
