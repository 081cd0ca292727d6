package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/uploads"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/internal/importjob"
	"issuegrid/internal/operation"
	"issuegrid/internal/refusal"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// ImportsPath is the path of imports. The path of one import has its id as the next segment, and that of its
// rejected rows has "rejects" after it.
const ImportsPath = "/imports"

const (
	// uploadTime, plus a second for each uploadRate bytes, is how long a client may take to send a file. Time
	// that it waits for capacity does not count.
	uploadTime = 15 * time.Second
	uploadRate = 32 << 10
	// uploadPatience is how long a request waits for the capacity to store or read a part.
	uploadPatience = time.Minute
	// uploadsAtOnce is how many files a server receives at a time, and uploadsOfTenant how many of a tenant.
	// Each takes up to 2 MiB for buffers and to compress the file, which is not in the memory of operations:
	// uploads are as slow as their clients, and must not keep operations waiting.
	uploadsAtOnce, uploadsOfTenant = 32, 4
	// uploadRetry is the time after which a refused upload is tried again.
	uploadRetry = 5 * time.Second
	// uploadByteCPU is the CPU time of compressing and storing a byte.
	uploadByteCPU = 2 * account.ByteCPU
	// partWCU, partRCU and recordUnits are the estimated capacity units of storing and of reading a part, and
	// of reading or changing an import.
	partWCU     = uploads.PartBytes>>10 + 1
	partRCU     = uploads.PartBytes>>12 + 1
	recordUnits = 4
	// listUnits is that of reading all imports that are listed.
	listUnits = 60
)

// imports lets clients upload and import files, and shows what became of them.
type imports struct {
	db          *dynamo.DB
	jobs        *importjob.Service
	places      *traffic.Queue // of uploads
	unavailable *tracker.Error // why there are no imports, or nil
	present     func(context.Context, error) graph.Errors
	patient     time.Duration // uploadTime
	wait        func(ctx context.Context, d time.Duration) error
}

func uploadPlaces() *traffic.Queue { return traffic.NewShared(uploadsAtOnce, 0, uploadsOfTenant) }

// isImport reports whether a path is that of imports, or of one of them.
func isImport(path string) bool {
	return path == ImportsPath || strings.HasPrefix(path, ImportsPath+"/")
}

// errOnlyListed is the error of all imports of a server that runs only listed operations.
var errOnlyListed = &tracker.Error{Code: tracker.Forbidden, Message: "this server runs only listed " +
	"operations, and an import changes any issue: run `issuegrid import`"}

// errNoJobs is the error of all imports of a server that runs no background work.
var errNoJobs = &tracker.Error{Code: tracker.NotFound, Message: "imports are not available here, because " +
	"this server runs no background work: run `issuegrid import`"}

// methods are the handlers of a path by the method of the request.
type methods map[string]func(w http.ResponseWriter, r *http.Request, id string) error

// change reads or changes an import with an id.
type change func(ctx context.Context, all *importjob.Imports, id string) (*importjob.Import,
	*importjob.Result, error)

// route returns the handlers of a path, and the id in it. They are nil if there is nothing at the path.
func (i *imports) route(path string) (handlers methods, id string) {
	id, rest, deeper := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, ImportsPath), "/"), "/")
	switch {
	case id == "" && !deeper:
		return methods{http.MethodGet: i.list, http.MethodPost: i.upload}, ""
	case !deeper:
		return methods{http.MethodGet: i.show, http.MethodPost: i.start, http.MethodDelete: i.cancel}, id
	case rest == "rejects":
		return methods{http.MethodGet: i.rejects}, id
	}
	return nil, ""
}

// ServeHTTP implements http.Handler.
func (i *imports) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handlers, id := i.route(r.URL.Path)
	if handlers == nil {
		refusal.WriteError(w, &tracker.Error{Code: tracker.NotFound, Message: "there is nothing at this " +
			"path; imports are at " + ImportsPath + ", and the rejected rows of an import at " + ImportsPath +
			"/{id}/rejects"})
		return
	}
	if get := handlers[http.MethodGet]; get != nil {
		handlers[http.MethodHead] = get // net/http leaves out the body
	}
	handle := handlers[r.Method]
	if handle == nil {
		all := strings.Join(append(slices.Sorted(maps.Keys(handlers)), http.MethodOptions), ", ")
		w.Header().Set("Allow", all)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		refusal.WriteStatus(w, http.StatusMethodNotAllowed,
			refusal.List(tracker.Bad("", "the methods of this path are %s", all)), 0)
		return
	}
	defer operation.From(r.Context()).Bill()
	var err error
	if i.unavailable != nil {
		err = i.unavailable
	} else {
		err = handle(w, r, id)
	}
	if err == nil {
		return
	}
	if _, late := errors.AsType[lateError](err); late {
		panic(http.ErrAbortHandler)
	}
	shown := i.present(r.Context(), err)
	operation.From(r.Context()).Response.Codes = codes(shown)
	refusal.Write(w, shown, tracker.RetryAfter(err))
}

// lateError is an error after the response has begun.
type lateError struct{ error }

// mayImport returns Forbidden unless the principal may import files.
func mayImport(p tracker.Principal) error {
	if p.May(tracker.Editor) {
		return nil
	}
	return &tracker.Error{Code: tracker.Forbidden, Message: "this requires the role EDITOR; yours is " +
		strings.ToUpper(p.Role.String())}
}

// operate runs a part of the request that works on a tenant's imports.
func (i *imports) operate(ctx context.Context, t tracker.TenantID, e operation.Estimate,
	run func(context.Context, *importjob.Imports) error) error {
	ctx, part := operation.From(ctx).Part(dynamo.Confine(ctx, t))
	defer part.Close()
	return part.Run(ctx, e, 0, func(ctx context.Context) error {
		all, err := i.jobs.Of(i.db.Metered(part.Meter), t)
		if err != nil {
			return err
		}
		return run(ctx, all)
	})
}

// on runs an operation on the import with an id of the API, and sends the import.
func (i *imports) on(w http.ResponseWriter, r *http.Request, id string, status int, run change) error {
	t, part, err := parseImport(r, id)
	if err != nil {
		return err
	}
	e := operation.Estimate{RCU: recordUnits}
	if e.Write = r.Method != http.MethodGet && r.Method != http.MethodHead; e.Write {
		e.WCU = recordUnits
	}
	var found *importjob.Import
	var result *importjob.Result
	if err := i.operate(r.Context(), t, e, func(ctx context.Context, all *importjob.Imports) error {
		found, result, err = run(ctx, all, part)
		return err
	}); err != nil {
		return err
	}
	sendImport(w, t, status, found, result) // after it was charged: the headers show what is left
	return nil
}

// parseImport parses the id of an import. It returns NotFound for the id of another tenant, and Forbidden if
// the principal may not import files.
func parseImport(r *http.Request, id string) (t tracker.TenantID, part string, err error) {
	p := principal(r.Context())
	if err := mayImport(p); err != nil {
		return "", "", err
	}
	if r.URL.RawQuery != "" {
		return "", "", tracker.Bad("", "the URL of an import takes no parameters")
	}
	if t, part, err = model.ParseImportID(id); err == nil && !p.CanAccess(t) {
		err = tracker.Missing("import")
	}
	return t, part, err
}

// list sends the imports of a tenant.
func (i *imports) list(w http.ResponseWriter, r *http.Request, _ string) error {
	p := principal(r.Context())
	if err := mayImport(p); err != nil {
		return err
	}
	values, wrong := parameters(r.URL, []string{"tenantId"})
	if values == nil {
		return tracker.Join(wrong...)
	}
	t, err := tenantOf(values, p)
	if err := tracker.Join(append(wrong, err)...); err != nil {
		return err
	}
	var all []*importjob.Import
	if err := i.operate(r.Context(), t, operation.Estimate{RCU: listUnits},
		func(ctx context.Context, of *importjob.Imports) error {
			all, err = of.List(ctx)
			return err
		}); err != nil {
		return err
	}
	sendImports(w, t, all)
	return nil
}

func (i *imports) show(w http.ResponseWriter, r *http.Request, id string) error {
	return i.on(w, r, id, http.StatusOK, func(ctx context.Context, all *importjob.Imports,
		id string) (*importjob.Import, *importjob.Result, error) {
		return all.Get(ctx, id)
	})
}

func (i *imports) cancel(w http.ResponseWriter, r *http.Request, id string) error {
	return i.on(w, r, id, http.StatusOK, func(ctx context.Context, all *importjob.Imports,
		id string) (*importjob.Import, *importjob.Result, error) {
		found, err := all.Cancel(ctx, id)
		return found, nil, err
	})
}

// start starts the import of an uploaded file again, such as after a dry run.
func (i *imports) start(w http.ResponseWriter, r *http.Request, id string) error {
	if _, _, err := parseImport(r, id); err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, importjob.MaxMapping))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return tracker.Bad("", "the body has more than %d bytes", importjob.MaxMapping)
	}
	if err != nil {
		return tracker.Bad("", "the body cannot be read")
	}
	account.From(r.Context()).Spend(time.Duration(len(body)) * uploadByteCPU)
	set, err := importSettings(body)
	if err != nil {
		return err
	}
	return i.on(w, r, id, http.StatusAccepted, func(ctx context.Context, all *importjob.Imports,
		id string) (*importjob.Import, *importjob.Result, error) {
		found, err := all.Start(ctx, id, set, principal(ctx))
		return found, nil, err
	})
}

// upload stores the body as a file, and starts its import.
func (i *imports) upload(w http.ResponseWriter, r *http.Request, _ string) error {
	p := principal(r.Context())
	if err := mayImport(p); err != nil {
		return err
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if strings.HasPrefix(media, "multipart/") { // its first lines would be those of the file
		return tracker.Bad("Content-Type", "the body must be the file itself, not a form with it: with "+
			"curl, --data-binary @FILE")
	}
	q, err := parseUpload(r.URL, p)
	if err != nil {
		return err
	}
	ctx, a := r.Context(), account.From(r.Context())
	leave, err := i.places.Enter(ctx, q.tenant)
	if err != nil {
		return &tracker.Error{Code: tracker.RateLimited, RetryAfter: uploadRetry, Cause: err,
			Message: fmt.Sprintf("%d files of the tenant, or %d of all tenants, are being received, which "+
				"is the limit; try again later", uploadsOfTenant, uploadsAtOnce)}
	}
	defer leave()
	if err := i.operate(ctx, q.tenant, operation.Estimate{RCU: recordUnits},
		func(ctx context.Context, all *importjob.Imports) error { return all.HasRoom(ctx) }); err != nil {
		return err
	}
	body := &uploadBody{from: r.Body, to: http.NewResponseController(w), until: time.Now().Add(i.patient)}
	o := operation.From(ctx)
	u, err := i.jobs.NewUpload(q.name, p, func(write func(context.Context, *importjob.Imports) error) error {
		o.Bill()
		began := time.Now()
		defer func() { body.until = body.until.Add(time.Since(began)) }()
		return i.patiently(ctx, func() error {
			return i.operate(ctx, q.tenant, operation.Estimate{WCU: partWCU, Write: true}, write)
		})
	})
	if err != nil {
		return err
	}
	for piece := make([]byte, 32<<10); ; {
		n, err := body.Read(piece)
		a.Spend(time.Duration(n) * uploadByteCPU)
		if err := a.Pace(ctx); err != nil {
			return err
		}
		if _, err := u.Write(piece[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			break
		}
		if _, ours := errors.AsType[*tracker.Error](err); ours {
			return err
		}
		if err != nil {
			return tracker.Bad("", "the file was not received to its end in time, at %d bytes; a second for "+
				"each %d bytes is allowed", body.bytes, uploadRate)
		}
	}
	if err := u.Finish(); err != nil {
		return err
	}
	var started *importjob.Import
	if err := i.operate(ctx, q.tenant, operation.Estimate{RCU: recordUnits, WCU: recordUnits, Write: true},
		func(ctx context.Context, all *importjob.Imports) error {
			started, err = all.Add(ctx, u, q.settings, p)
			return err
		}); err != nil {
		return err
	}
	w.Header().Set("Location", ImportsPath+"/"+model.ImportID(q.tenant, started.ID))
	sendImport(w, q.tenant, http.StatusCreated, started, nil)
	return nil
}

// patiently calls run, and again while there is no capacity for it: for uploadPatience if the server lacks
// it, and for as long in addition if the tenant does.
func (i *imports) patiently(ctx context.Context, run func() error) error {
	return patience{server: uploadPatience, tenant: uploadPatience}.call(ctx, i.wait, run)
}

// uploadBody reads the body of an upload. It must be received until a time that each byte extends.
type uploadBody struct {
	from  io.Reader
	to    *http.ResponseController
	until time.Time
	bytes int64
}

func (b *uploadBody) Read(p []byte) (int, error) {
	err := errors.Join(b.to.SetReadDeadline(b.until), b.to.SetWriteDeadline(b.until.Add(writeTime)))
	if err != nil {
		return 0, tracker.Internal("the time to receive an upload cannot be limited", err)
	}
	n, err := b.from.Read(p)
	b.bytes += int64(n)
	b.until = b.until.Add(time.Duration(n) * time.Second / uploadRate)
	return n, err
}

// rejects sends the rows that an import has rejected. Each part of the file is an operation.
func (i *imports) rejects(w http.ResponseWriter, r *http.Request, id string) error {
	t, part, err := parseImport(r, id)
	if err != nil {
		return err
	}
	d := &download{ResponseWriter: w, ctx: r.Context(), media: "text/csv; charset=utf-8; header=present"}
	each := func(read func(context.Context, *importjob.Imports) error) error {
		defer d.allow()
		operation.From(r.Context()).Bill()
		return i.patiently(r.Context(), func() error {
			return i.operate(r.Context(), t, operation.Estimate{RCU: partRCU}, read)
		})
	}
	var from io.Reader
	if err := i.operate(r.Context(), t, operation.Estimate{RCU: recordUnits},
		func(ctx context.Context, all *importjob.Imports) (err error) {
			from, d.name, err = all.Rejected(ctx, part, each)
			return err
		}); err != nil {
		return err
	}
	if strings.HasSuffix(d.name, ".jsonl") {
		d.media = "application/jsonl; charset=utf-8"
	}
	if r.Method == http.MethodHead { // no row is read
		d.begin()
		return nil
	}
	if _, err = io.Copy(d, from); err != nil && d.begun {
		return lateError{err}
	}
	return err
}
