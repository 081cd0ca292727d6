package importjob

import (
	"compress/gzip"
	"context"
	"errors"
	"io"

	"issuegrid/dynamo/uploads"
	"issuegrid/tracker"
)

// rejectsFile is the file with the rejected rows, compressed.
type rejectsFile struct {
	*gzip.Writer
	stored *uploads.Writer
	name   string
	closed bool
}

func (r *run) newRejects(ctx context.Context, name string) *rejectsFile {
	// Also rows that a canceled import has rejected are kept.
	w := r.store.Create(
		context.WithoutCancel(ctx),
		r.entry.ID,
		content(contentRejects, r.entry.Attempts),
		r.entry.Expires,
	)
	return &rejectsFile{Writer: gzip.NewWriter(w), stored: w, name: name}
}

// Close implements io.Closer.
func (f *rejectsFile) Close() error {
	err := errors.Join(f.Writer.Close(), f.stored.Close())
	f.closed = err == nil
	return err
}

// Rejected returns the file with the rows that an import has rejected, and its name. It returns NotFound if
// there is none. operate is called for each part of the file, as by NewUpload.
func (i *Imports) Rejected(ctx context.Context, id string,
	operate func(func(context.Context, *Imports) error) error) (io.Reader, string, error) {
	_, found, err := i.read(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if found.Rejects == 0 {
		return nil, "", &tracker.Error{Code: tracker.NotFound,
			Message: "the import has no rejected rows, or has not ended"}
	}
	stored := uploads.NewReader(id, content(contentRejects, found.Attempts), found.Rejects,
		func(read func(context.Context, *uploads.Store) error) error {
			return operate(func(ctx context.Context, i *Imports) error { return read(ctx, i.store) })
		})
	return &unzipped{from: io.NewSectionReader(stored, 0, found.Rejects)}, found.RejectsName, nil
}

// unzipped decompresses what it reads, from the first Read on.
type unzipped struct {
	from io.Reader
	zip  *gzip.Reader
}

func (u *unzipped) Read(b []byte) (n int, err error) {
	if u.zip == nil {
		if u.zip, err = gzip.NewReader(u.from); err != nil {
			return 0, err
		}
	}
	return u.zip.Read(b)
}
