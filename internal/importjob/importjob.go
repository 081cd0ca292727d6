// Package importjob imports files that clients upload. A file is stored in the table, so that any server can
// import it, and the import runs in the background with package importer.
//
// The laws that code and tests refer to:
//
//	U1  At most one import of a tenant runs. The others wait in the order in which they were started, so
//	    that two imports never add the same row.
//	U2  An import that was started ends. If its server stops or crashes, another server, or the same one
//	    after a restart, runs it again from the beginning. Rows that were already written are then unchanged
//	    (R4 of package importer). It fails after maxAttempts, so that an import that crashes its server does
//	    not crash others without end.
//	U3  A server runs an import only while it holds the lease of the tenant's queue, which it renews every
//	    few seconds. If it cannot, it stops before another server may take over.
//	U4  A file, its mapping and its results are removed Keep after the upload.
//	U5  The summary counts what all attempts have done: an attempt keeps what it has found to do with rows
//	    before it does it, and what the first attempt has found of a row counts. If the last attempt fails
//	    or is canceled, rows that an earlier one was about to write when its server crashed count, too.
//
// Start with Imports, which has what clients do; runner.go runs the imports.
package importjob

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/uploads"
	"issuegrid/internal/account"
	"issuegrid/internal/importer"
	"issuegrid/internal/runner"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const (
	// Keep is how long an upload and its results are kept.
	Keep = 7 * 24 * time.Hour
	// MaxOpen is the maximum number of imports of a tenant that wait or run.
	MaxOpen = 20
	// MaxMapping is the maximum size of a mapping in bytes.
	MaxMapping = 256 << 10
	// MaxRows is the maximum number of rows of a file.
	MaxRows = 250_000
	// Unpacked is how many times as large as the largest upload a file may be after decompression.
	Unpacked = 16
)

// Status is the status of an import.
type Status string

// The statuses.
const (
	Waiting  Status = "WAITING"  // for other imports of the tenant, or for a server
	Running  Status = "RUNNING"  // also while a server takes over from one that has stopped
	Done     Status = "DONE"     // all rows were imported or rejected
	Failed   Status = "FAILED"   // an error ended the import; what was imported before it stays
	Canceled Status = "CANCELED" // a request ended the import; what was imported before it stays
)

// Open reports whether the import waits or runs.
func (s Status) Open() bool { return s == Waiting || s == Running }

// Settings are what a client decides about an import. They are options of package importer.
type Settings struct {
	Project           string            `json:"project,omitempty"`
	Mapping           *importer.Mapping `json:"mapping,omitempty"` // nil if it is to be inferred
	NewOptions        bool              `json:"newOptions,omitempty"`
	OnlyNew           bool              `json:"onlyNew,omitempty"`
	DryRun            bool              `json:"dryRun,omitempty"`
	RemoveApostrophes bool              `json:"removeApostrophes,omitempty"`
}

// Import is an uploaded file and its last import.
type Import struct {
	ID       string    `json:"-"`
	Name     string    `json:"name"`  // of the file
	Bytes    int64     `json:"bytes"` // as uploaded
	Created  time.Time `json:"created"`
	By       string    `json:"by,omitempty"` // the user that has uploaded the file
	Expires  time.Time `json:"-"`
	Settings `json:"settings"`
	// IssuesOnly is the option of package importer. It is set if the user that starts the import may not
	// change definitions.
	IssuesOnly bool `json:"issuesOnly,omitempty"`
	// User has started the import; UserID is its id in the tenant.
	User     string         `json:"user,omitempty"`
	UserID   tracker.UserID `json:"userId,omitempty"`
	Status   Status         `json:"status"`
	Attempts int            `json:"attempts,omitempty"` // of this file, in all its imports
	First    int            `json:"first,omitempty"`    // Attempts when the import was started
	// Uncounted is the number of attempts since then that ended because their server was stopped or had no
	// memory left.
	Uncounted int       `json:"uncounted,omitempty"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`
	// Progress is that of the running import.
	Progress Progress `json:"-"`
	// Stored, Result and Rejects are the sizes of contents: the file as stored, the result, and the rejected
	// rows, compressed. RejectsName is the name of a file with the rejected rows.
	Stored      int64  `json:"stored"`
	Result      int64  `json:"result,omitempty"`
	Rejects     int64  `json:"rejects,omitempty"`
	RejectsName string `json:"rejectsName,omitempty"`

	record uploads.Record
}

// attempts returns how often the import was begun since it was started, without those that do not count.
func (m *Import) attempts() int { return m.Attempts - m.First - m.Uncounted }

// Progress is how much of a stage of an import is done, in bytes of the file or in rows.
type Progress struct {
	Stage importer.Stage `json:"stage"`
	Done  int64          `json:"done"`
	Total int64          `json:"total"`
}

// queue is the queue of a tenant's imports, with the lease of the server that runs the first one (U1, U3).
type queue struct {
	Waiting []string `json:"waiting,omitempty"`
	Running string   `json:"running,omitempty"`
	runner.Lease
	Cancel bool `json:"cancel,omitempty"` // the running import
	// Recent has the last maxRecent imports that were uploaded, the latest one last. Some may have expired.
	Recent   []string `json:"recent,omitempty"`
	Progress Progress `json:"progress,omitzero"`

	record uploads.Record
}

// Imports has the imports of one tenant.
type Imports struct {
	service *Service
	tenant  tracker.TenantID
	store   *uploads.Store
}

// Of returns the imports of a tenant. Their cost is metered by db. It returns NotFound for an invalid id.
func (s *Service) Of(db *dynamo.DB, id tracker.TenantID) (*Imports, error) {
	t, err := db.Tenant(id)
	if err != nil {
		return nil, err
	}
	return &Imports{service: s, tenant: id, store: uploads.Of(t)}, nil
}

// errNothing ends update without a change.
var errNothing = errors.New("nothing to change")

// update changes the queue and an import, which may be "", together. If they were changed since they were
// read, it reads them again. change may return errNothing.
func (i *Imports) update(ctx context.Context, id string,
	change func(*queue, *Import) error) (*Import, error) {
	return i.save(ctx, change, func() (*queue, *Import, error) { return i.read(ctx, id) })
}

func (i *Imports) save(ctx context.Context, change func(*queue, *Import) error,
	read func() (*queue, *Import, error)) (*Import, error) {
	for try := 1; ; try++ {
		q, found, err := read()
		if err != nil {
			return nil, err
		}
		if err := change(q, found); err != nil {
			if errors.Is(err, errNothing) {
				err = nil
			}
			return found, err
		}
		var changed []*uploads.Record
		note := func(r *uploads.Record, v any) {
			if text := encode(v); text != r.Text {
				r.Text = text
				changed = append(changed, r)
			}
		}
		note(&q.record, q)
		if found != nil {
			note(&found.record, found)
		}
		if len(changed) > 0 {
			err = i.store.Save(ctx, changed...)
		}
		if !errors.Is(err, uploads.ErrChanged) || try == maxTries {
			return found, err
		}
		if err := traffic.Sleep(ctx, time.Duration(try)*10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// maxTries is the maximum number of times that a change is tried while others are made at the same time.
const maxTries = 10

// read reads the queue and an import. The import is nil if id is "". It returns NotFound for an import that
// does not exist.
func (i *Imports) read(ctx context.Context, id string) (*queue, *Import, error) {
	ids := []string{uploads.Queue}
	if id != "" {
		ids = append(ids, id)
	}
	if id == uploads.Queue {
		return nil, nil, tracker.Missing("import")
	}
	records, err := i.store.Get(ctx, ids...)
	if err != nil {
		return nil, nil, err
	}
	q := &queue{record: records[0]}
	if err := decode(records[0], q); err != nil {
		return nil, nil, err
	}
	if id == "" {
		return q, nil, nil
	}
	if records[1].Version == 0 {
		return nil, nil, tracker.Missing("import")
	}
	found, err := q.imported(records[1])
	return q, found, err
}

// imported returns the import of a record.
func (q *queue) imported(r uploads.Record) (*Import, error) {
	m := &Import{ID: r.ID, Expires: r.Expires, record: r}
	if err := decode(r, m); err != nil {
		return nil, err
	}
	if q.Running == r.ID {
		m.Progress = q.Progress
	}
	return m, nil
}

// encode returns the text of a record.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types can be encoded
	}
	return string(text)
}

func decode(r uploads.Record, v any) error {
	if r.Version == 0 {
		return nil
	}
	if err := json.Unmarshal([]byte(r.Text), v); err != nil {
		return tracker.Internal("the record "+r.ID+" of an import is damaged", err)
	}
	return nil
}

// decodedResult is how many times its bytes a result takes while it is decoded.
const decodedResult = 4

// Get returns an import, and its result if it has one. If no server runs an import that was started, this
// server does.
func (i *Imports) Get(ctx context.Context, id string) (*Import, *Result, error) {
	q, found, err := i.read(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if found.Status.Open() && q.Held("", i.now()) == 0 {
		i.service.kick(i.tenant)
	}
	if found.Result == 0 {
		return found, nil, nil
	}
	if err := account.From(ctx).Hold(ctx, decodedResult*found.Result); err != nil {
		return nil, nil, err
	}
	text := make([]byte, found.Result)
	stored := i.store.Open(ctx, id, content(contentResult, found.Attempts), found.Result)
	if _, err := stored.ReadAt(text, 0); err != nil {
		return nil, nil, err
	}
	r := &Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, nil, tracker.Internal("the result of an import is damaged", err)
	}
	return found, r, nil
}

// maxRecent is the maximum number of imports that are listed.
const maxRecent = 30

// List returns the imports of the last files that were uploaded, the latest one first, without their results.
func (i *Imports) List(ctx context.Context) ([]*Import, error) {
	q, _, err := i.read(ctx, "")
	if err != nil || len(q.Recent) == 0 {
		return nil, err
	}
	var out []*Import
	for ids := range slices.Chunk(q.Recent, listedAtOnce) {
		records, err := i.store.Get(ctx, ids...)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if r.Version == 0 { // it has expired
				continue
			}
			m, err := q.listed(r)
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// listedAtOnce is how many imports are read in one call, because each may have a mapping of MaxMapping.
const listedAtOnce = 5

// listed returns the import of a record without its mapping, which may take many times its bytes.
func (q *queue) listed(r uploads.Record) (*Import, error) {
	m := &Import{ID: r.ID, Expires: r.Expires}
	var settings struct {
		*Import
		Settings struct {
			Settings
			Mapping struct{} `json:"mapping"`
		} `json:"settings"`
	}
	settings.Import = m
	if err := decode(r, &settings); err != nil {
		return nil, err
	}
	if m.Settings = settings.Settings.Settings; q.Running == r.ID {
		m.Progress = q.Progress
	}
	return m, nil
}

// Start starts the import of a file that was uploaded, with the settings of its last start as change changes
// them, but not as a dry run unless change says so. It returns Conflict if the import waits or runs, and
// RateLimited if MaxOpen imports of the tenant do.
func (i *Imports) Start(ctx context.Context, id string, change func(*Settings),
	by tracker.Principal) (*Import, error) {
	found, err := i.update(ctx, id, func(q *queue, found *Import) error {
		if found.Status.Open() {
			return &tracker.Error{Code: tracker.Conflict,
				Message: "the import waits or runs; wait until it has ended, or cancel it"}
		}
		s := found.Settings
		s.DryRun = false
		change(&s)
		return i.begin(q, found, s, by)
	})
	if err != nil {
		return nil, err
	}
	i.service.kick(i.tenant)
	return found, nil
}

// HasRoom returns RateLimited if MaxOpen imports of the tenant wait or run.
func (i *Imports) HasRoom(ctx context.Context) error {
	q, _, err := i.read(ctx, "")
	if err != nil {
		return err
	}
	return q.hasRoom()
}

func (q *queue) hasRoom() error {
	open := len(q.Waiting)
	if q.Running != "" {
		open++
	}
	if open < MaxOpen {
		return nil
	}
	return &tracker.Error{Code: tracker.RateLimited, RetryAfter: time.Minute, Message: fmt.Sprintf(
		"%d imports of the tenant wait or run, which is the limit; wait until one has ended", MaxOpen)}
}

// begin adds an import to the queue.
func (i *Imports) begin(q *queue, m *Import, s Settings, by tracker.Principal) error {
	if err := q.hasRoom(); err != nil {
		return err
	}
	m.Settings, m.User, m.UserID, m.IssuesOnly = s, by.User, by.UserIn(i.tenant), !by.May(tracker.Admin)
	m.Status, m.First, m.Uncounted = Waiting, m.Attempts, 0
	m.Started, m.Ended, m.Result, m.Rejects = time.Time{}, time.Time{}, 0, 0
	q.Waiting = append(q.Waiting, m.ID)
	return nil
}

// Cancel cancels an import. If it has begun, its status changes when a server has noticed. It returns
// Conflict if the import has ended.
func (i *Imports) Cancel(ctx context.Context, id string) (*Import, error) {
	found, err := i.update(ctx, id, func(q *queue, found *Import) error {
		switch {
		case !found.Status.Open():
			return &tracker.Error{Code: tracker.Conflict, Message: "the import has ended already"}
		case q.Running == id:
			q.Cancel = true
			return nil
		}
		found.Status, found.Ended = Canceled, i.now()
		q.remove(id)
		return nil
	})
	if err == nil && found.Status.Open() {
		i.service.kick(i.tenant)
	}
	return found, err
}

// remove removes an import from the queue.
func (q *queue) remove(id string) {
	q.Waiting = slices.DeleteFunc(q.Waiting, func(other string) bool { return other == id })
	if q.Running == id {
		q.Running, q.Lease, q.Cancel, q.Progress = "", runner.Lease{}, false, Progress{}
	}
}

// now returns the time as imports show it.
func (i *Imports) now() time.Time { return i.store.Now().UTC().Truncate(time.Millisecond) }

func newID() (string, error) { return tracker.NewID(rand.Reader) }
