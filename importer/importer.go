// Package importer turns files into issues: CSV and JSON Lines, plain or gzip, of any size, into one or several projects. Start
// with Run; Inspect is its dry run; a Mapping says which column becomes what, and
// is inferred from the file where none is given.
//
// A file is read as a stream, more than once: first everything is checked and the projects, fields, options and states that the rows
// need are collected, then the rows are written. So nothing is written for a file that can't be read to its end, or for a
// mapping that does not fit it.
//
// The laws that code and tests cite:
//
//	R1  Every row of the file is added, found already there, or rejected with its line, column and reason; none is lost silently.
//	R2  A cell is kept exactly, byte for byte, or its row is rejected; what a typed value can't hold is not rounded, but for
//	    datetimes, which are cut to the microsecond. Of an issue's name the characters are left out that no name may have
//	    (tracker.Hidden), and the summary counts such rows: trackers have names with terminal codes, and no row must be lost for one.
//	R3  Nothing of a rejected row is written, not even an option that only it has.
//	R4  The id of an issue is made from its project and its row key, so that repeating an import adds nothing twice, and
//	    repeating one that was interrupted completes it.
//	R5  Two issues of a project never get the same number.
//
// It knows nothing of the AWS SDK and of GraphQL; what it writes goes through a dynamo.Tenant.
package importer

import (
	"context"
	"errors"
	"io"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// Options say what to import, and how.
type Options struct {
	// File is the path of a CSV or JSON Lines file, plain or gzip, which is told by its content. What is not a regular file, such as a
	// pipe, is copied to a temporary file first.
	File string
	// Format forces how the file is read; empty tells it by the content, or the mapping says it.
	Format Format
	// Project is the key of the project that takes the rows for which no column names one.
	Project string
	// Mapping is nil when it is to be inferred.
	Mapping *Mapping
	// Rejects is the path of the file for rejected rows, which must not exist. Empty is a free name beside File, made from its name. It
	// is made only when there is a rejected row.
	Rejects string
	// Workers is how many batches of rows are written side by side; 0 is a good number.
	Workers int
	// Progress is told how far the import is, from one goroutine at a time; it may be nil.
	Progress func(Progress)
}

// Stage is what an import is doing.
type Stage string

// The stages, in their order. Inferring is left out when there is a mapping.
const (
	Inferring Stage = "reading types"
	Checking  Stage = "checking rows"
	Writing   Stage = "importing"
)

// Progress tells how much of a stage is done: bytes of the file for the first two, rows for Writing.
type Progress struct {
	Stage       Stage
	Done, Total int64
}

// Run imports a file. The summary counts what was done, also where an error ended it; it is nil when no row was written. Errors: BadInput
// when the file, the mapping or the options are wrong, NotFound when there is no such tenant, and then no issue was written;
// Unavailable when the database failed or ctx ended, and then repeating the same import goes on where it stopped.
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

// withMapping fills in the mapping where there is none, and checks the one that there is.
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

// eachRecord reads the records of one pass and tells the progress in bytes.
func eachRecord(ctx context.Context, in *input, opts Options, stage Stage, preset []string, each func(*pass, *record) error) (*pass, error) {
	p, err := in.pass(opts, preset)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := interrupted(ctx); err != nil {
				return nil, err
			}
			in.tell(opts, stage, p.read())
		}
		rec, err := p.reader.next()
		if errors.Is(err, io.EOF) {
			in.tell(opts, stage, in.size)
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
