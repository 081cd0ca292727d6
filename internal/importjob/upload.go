package importjob

import (
	"compress/gzip"
	"context"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"issuegrid/dynamo/uploads"
	"issuegrid/tracker"
)

// The names of contents. Those of results end in the number of the attempt, so that a server that has lost
// its lease writes no part of the result of another one.
const (
	contentFile    = "file"
	contentResult  = "result"
	contentRejects = "rejects"
	contentJournal = "journal"
)

func content(name string, attempt int) string { return name + strconv.Itoa(attempt) }

// Upload is a file that is being uploaded. It is compressed unless it is a gzip file already, because the
// capacity that an upload uses depends on what is stored.
type Upload struct {
	most    int64
	entry   Import
	content *uploads.Writer
	to      io.Writer // content, or zip in front of it
	zip     *gzip.Writer
	start   []byte // the first bytes, until they show the format
}

// maxFileName is the maximum length of the name of a file, in bytes.
const maxFileName = 255

// NewUpload returns a new upload of a file with a name, which may be empty. operate is called for each part
// that is written: it calls its argument with the imports of the tenant, at most once.
func (s *Service) NewUpload(name string, by tracker.Principal,
	operate func(func(context.Context, *Imports) error) error) (*Upload, error) {
	if len(name) > maxFileName || !utf8.ValidString(name) || tracker.HasHidden(name) {
		return nil, tracker.Bad("name", "the name of a file has at most %d bytes of UTF-8, and no control "+
			"characters", maxFileName)
	}
	if name = path.Base("/" + strings.ReplaceAll(name, `\`, "/")); name == "/" {
		name = "import"
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	now := s.db.Now().UTC().Truncate(time.Millisecond)
	u := &Upload{most: s.maxBytes, entry: Import{ID: id, Name: name, Created: now, By: by.User,
		Expires: now.Add(Keep)}}
	u.content = uploads.NewWriter(id, contentFile, u.entry.Expires,
		func(write func(context.Context, *uploads.Store) error) error {
			return operate(func(ctx context.Context, i *Imports) error { return write(ctx, i.store) })
		})
	return u, nil
}

// Write implements io.Writer. It returns BadInput for a file that is larger than the limit.
func (u *Upload) Write(b []byte) (int, error) {
	u.entry.Bytes += int64(len(b))
	if u.entry.Bytes > u.most {
		return 0, tracker.Bad("", "the file has more than %d bytes, the limit of an upload; compress it "+
			"with gzip, split it, or run `issuegrid import`", u.most)
	}
	if u.to == nil {
		if u.start = append(u.start, b...); len(u.start) < 2 {
			return len(b), nil
		}
		if err := u.begin(); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return u.to.Write(b)
}

// begin determines whether the file is compressed, and writes its first bytes.
func (u *Upload) begin() error {
	u.to = u.content
	if string(u.start[:min(2, len(u.start))]) != "\x1f\x8b" {
		z, err := gzip.NewWriterLevel(u.content, gzip.BestSpeed)
		if err != nil {
			return err
		}
		u.zip, u.to = z, z
	}
	_, err := u.to.Write(u.start)
	u.start = nil
	return err
}

// Finish stores the rest of the file. It returns BadInput for an empty file.
func (u *Upload) Finish() error {
	if u.entry.Bytes == 0 {
		return tracker.Bad("", "the body of the request is empty; send the file as the body")
	}
	if u.to == nil {
		if err := u.begin(); err != nil {
			return err
		}
	}
	if u.zip != nil {
		if err := u.zip.Close(); err != nil {
			return err
		}
	}
	return u.content.Close()
}

// Add adds an upload that is finished, and starts its import. It returns RateLimited if MaxOpen imports of
// the tenant wait or run.
func (i *Imports) Add(ctx context.Context, u *Upload, s Settings, by tracker.Principal) (*Import, error) {
	m := u.entry
	m.Stored = u.content.Size()
	m.record = uploads.Record{ID: m.ID, Expires: m.Expires}
	started, err := i.save(ctx, func(q *queue, m *Import) error {
		q.Recent = append(q.Recent, m.ID)
		q.Recent = q.Recent[max(0, len(q.Recent)-maxRecent):]
		return i.begin(q, m, s, by)
	},
		func() (*queue, *Import, error) {
			q, _, err := i.read(ctx, "")
			fresh := m
			return q, &fresh, err
		})
	if err != nil {
		return nil, err
	}
	i.service.kick(i.tenant)
	return started, nil
}
