// Package uploads stores the files that clients upload, and what is known about them. It knows nothing of the
// contents.
//
// An upload is a table partition: a record with a version, and contents in parts of equal size. A content is
// written once, part after part, and read at any offset. All items expire.
package uploads

import (
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// PartBytes is the size of all parts of a content but the last. Writing one costs 65 WCU, and reading one
// 16.5 RCU.
const PartBytes = 64 << 10

// Queue is the id of a record that does not expire. It is removed with the tenant.
const Queue = layout.UploadQueue

// Store has the uploads of one tenant.
type Store struct {
	t   *store.Tenant
	all *dynamo.Tenant
}

// Of returns the uploads of a tenant, which need not exist.
func Of(t *dynamo.Tenant) *Store { return &Store{t.Inside().Tenant, t} }

// Tenant returns the tenant's handle.
func (s *Store) Tenant() *dynamo.Tenant { return s.all }

// Background returns the store whose cost is charged to the tenant's background work.
func (s *Store) Background() *Store { return Of(s.all.Background()) }

// Pace waits until the tenant's background work may continue.
func (s *Store) Pace(ctx context.Context) error { return s.t.Pace(ctx) }

// Now returns the time of the table's clock.
func (s *Store) Now() time.Time { return s.t.Now() }

// Record is what is known about an upload, as text.
type Record struct {
	ID      string
	Text    string
	Version int64     // 0 for a record that does not exist
	Expires time.Time // the zero time means never
}

// ErrChanged is the error of Save for a record that was changed since it was read.
var ErrChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "another request is changing the import; try again"}

// Get reads records consistently, in the order of ids. Those that do not exist, or have expired, have version
// 0.
func (s *Store) Get(ctx context.Context, ids ...string) ([]Record, error) {
	keys := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(id) {
			keys[i] = layout.Upload{Keys: s.t.Keys, ID: id}.Record()
		}
	}
	items, err := s.t.Get(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	out := make([]Record, len(ids))
	for i, m := range items {
		out[i] = Record{ID: ids[i]}
		if m == nil || s.t.Expired(m) {
			continue
		}
		out[i].Text, out[i].Version = layout.GetS(m, "record"), layout.GetN(m, "version")
		if n := layout.GetN(m, layout.AttrExpires); n > 0 {
			out[i].Expires = time.Unix(n, 0).UTC()
		}
	}
	return out, nil
}

// Save writes records in one transaction, on condition that they are as they were read, and that the tenant
// exists. It returns ErrChanged otherwise, and NotFound without a tenant. It sets their new versions.
func (s *Store) Save(ctx context.Context, records ...*Record) error {
	var x client.Transaction
	for _, r := range records {
		m := layout.KeyItem(layout.Upload{Keys: s.t.Keys, ID: r.ID}.Record())
		m["record"], m["version"] = layout.S(r.Text), layout.N(r.Version+1)
		if !r.Expires.IsZero() {
			m[layout.AttrExpires] = layout.N(r.Expires.Unix())
		}
		condition := client.MustNotExist(ErrChanged)
		if r.Version > 0 {
			condition = client.MustHaveVersion(r.Version, ErrChanged)
		}
		x.Put(s.t.Table, m, condition)
	}
	x.Check(s.t.Table, s.t.Keys.TenantItem(), client.MustBeActive())
	if err := s.t.Write(ctx, &x); err != nil {
		return err
	}
	for _, r := range records {
		r.Version++
	}
	return nil
}

// Writer writes a content of an upload in parts. Only Close writes the last part.
type Writer struct {
	id, content string
	expires     time.Time
	operate     func(func(context.Context, *Store) error) error
	part        []byte
	parts       int
	size        int64
}

// NewWriter returns a writer of a content of an upload. operate is called for each part: it calls its
// argument with a store of the tenant, at most once, and returns its error.
func NewWriter(id, content string, expires time.Time,
	operate func(func(context.Context, *Store) error) error) *Writer {
	return &Writer{id: id, content: content, expires: expires, operate: operate}
}

// Create returns a writer of a content of an upload.
func (s *Store) Create(ctx context.Context, id, content string, expires time.Time) *Writer {
	return NewWriter(id, content, expires, s.within(ctx))
}

// Size returns the number of bytes written so far.
func (w *Writer) Size() int64 { return w.size }

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	n := 0
	for len(b) > 0 {
		k := min(len(b), PartBytes-len(w.part))
		w.part = append(w.part, b[:k]...)
		b, n = b[k:], n+k
		w.size += int64(k)
		if len(w.part) == PartBytes {
			if err := w.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// Close writes the rest.
func (w *Writer) Close() error {
	if len(w.part) == 0 {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	err := w.operate(func(ctx context.Context, s *Store) error {
		return s.PutPart(ctx, w.id, w.content, w.parts, w.part, w.expires)
	})
	if err == nil {
		w.parts++
		w.part = nil // not reused, because the request may still hold it
	}
	return err
}

// Reader reads a content of an upload at any offset. It is safe for concurrent use.
type Reader struct {
	id, content string
	size        int64
	operate     func(func(context.Context, *Store) error) error
	mu          sync.Mutex
	at          int // the number of the part that was read last, or -1
	part        []byte
}

// NewReader returns a reader of a content of an upload, which has size bytes. operate is called for each
// part, as by a Writer.
func NewReader(id, content string, size int64,
	operate func(func(context.Context, *Store) error) error) *Reader {
	return &Reader{id: id, content: content, size: size, operate: operate, at: -1}
}

// Open returns a reader of a content of an upload, which has size bytes.
func (s *Store) Open(ctx context.Context, id, content string, size int64) *Reader {
	return NewReader(id, content, size, s.within(ctx))
}

// within returns the function that runs the operations of a Reader or Writer with ctx.
func (s *Store) within(ctx context.Context) func(func(context.Context, *Store) error) error {
	return func(run func(context.Context, *Store) error) error { return run(ctx, s) }
}

// ReadAt implements io.ReaderAt.
func (r *Reader) ReadAt(b []byte, offset int64) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n < len(b) {
		if offset+int64(n) >= r.size {
			return n, io.EOF
		}
		at := int((offset + int64(n)) / PartBytes)
		if at != r.at {
			r.at = -1
			read := func(ctx context.Context, s *Store) error { return r.read(ctx, s, at) }
			if err := r.operate(read); err != nil {
				return n, err
			}
			r.at = at
		}
		n += copy(b[n:], r.part[int((offset+int64(n))%PartBytes):])
	}
	return n, nil
}

func (r *Reader) read(ctx context.Context, s *Store, n int) error {
	key := layout.Upload{Keys: s.t.Keys, ID: r.id}.Part(r.content, n)
	items, err := s.t.Get(ctx, []layout.Key{key}, true)
	if err != nil {
		return err
	}
	if r.part = layout.GetB(items[0], "v"); int64(len(r.part)) != min(PartBytes, r.size-int64(n)*PartBytes) {
		return tracker.Internal("part "+strconv.Itoa(n)+" of an upload is missing or incomplete", nil)
	}
	return nil
}

// PutPart writes the n-th part of a content of an upload, from 0. A content that is not written by a Writer
// can have parts of any size, and leave out numbers.
func (s *Store) PutPart(ctx context.Context, id, content string, n int, part []byte,
	expires time.Time) error {
	m := layout.KeyItem(layout.Upload{Keys: s.t.Keys, ID: id}.Part(content, n))
	m["v"], m[layout.AttrExpires] = layout.B(part), layout.N(expires.Unix())
	return s.t.Put(ctx, m)
}

// Parts calls each with all parts of a content of an upload. It reads them consistently.
func (s *Store) Parts(ctx context.Context, id, content string, each func(part []byte) error) error {
	pk, prefix := layout.Upload{Keys: s.t.Keys, ID: id}.Parts(content)
	return s.t.Select(ctx, pk, prefix, "v", func(m layout.Item) error { return each(layout.GetB(m, "v")) })
}
