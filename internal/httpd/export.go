package httpd

import (
	"context"
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"time"

	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/operation"
	"issuegrid/internal/refusal"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// ExportPath is the path of exports.
const ExportPath = "/exports"

const (
	// exportTime, plus a second for each exportRate bytes, is how long a client may take to receive what was
	// written for a page. It is what GraphQL responses have.
	exportTime = 15 * time.Second
	exportRate = 64 << 10
	// exportPatience is how long an export that has begun waits for a page while the server is overloaded.
	// For the capacity of its tenant it waits as long as it takes.
	exportPatience = time.Minute
	// exportShare is the share of its tenant's capacity that an export leaves to other requests.
	exportShare = 0.5
)

// exporter sends grids as files.
//
// The first page is read before anything is sent, so that all errors of the request have their status. An
// error after that closes the connection without the end of the response, so that no client takes a part of a
// file for the whole. This needs chunked responses, which HTTP/1.0 does not have, and responses that are sent
// while they are written.
type exporter struct {
	exports     *graph.Exports
	unavailable *tracker.Error // why there are no exports, or nil
	wait        func(ctx context.Context, d time.Duration) error
}

func newExporter(exports *graph.Exports) *exporter {
	return &exporter{exports: exports, wait: traffic.Sleep}
}

// The errors of all exports of a server that does not offer them.
var (
	errBuffered = &tracker.Error{Code: tracker.NotFound, Message: "exports are not available here, because " +
		"responses are not sent while they are written: run `issuegrid export`"}
	errNotListed = &tracker.Error{Code: tracker.Forbidden, Message: "this server runs only listed " +
		"operations, and an export can have any filter: run `issuegrid export`"}
)

// exportRequest has the parameters of an export.
type exportRequest struct {
	grid    graph.ExportedGrid
	options export.Options
	mapping bool // the mapping is requested instead of the rows
}

// exportParameters are the parameters of the URL.
var exportParameters = []string{"projectId", "format", "where", "orderBy", "timeZone", "columns",
	"mapping"}

// parseExport decodes the URL of an export. It reports all invalid parameters.
func parseExport(u *url.URL) (q exportRequest, _ error) {
	values, wrong := parameters(u, exportParameters)
	if values == nil {
		return q, tracker.Join(wrong...)
	}
	q.grid = graph.ExportedGrid{Project: values.Get("projectId"), Where: values.Get("where"),
		OrderBy: values.Get("orderBy"), TimeZone: values.Get("timeZone")}
	if q.grid.Project == "" {
		wrong = append(wrong, tracker.Bad("projectId", "give the id of a project"))
	}
	q.options.Columns = values.Get("columns")
	format, formatErr := export.ParseFormat(values.Get("format"))
	mapping, mappingErr := trueOrFalse(values, "mapping")
	q.options.Format, q.mapping = format, mapping
	return q, tracker.Join(append(wrong, formatErr, mappingErr)...)
}

// ServeHTTP implements http.Handler.
func (e *exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		refusal.WriteStatus(w, http.StatusMethodNotAllowed,
			refusal.List(tracker.Bad("", "files are exported by GET, and HEAD has its headers")), 0)
	case e.unavailable != nil:
		refusal.WriteError(w, e.unavailable)
	case r.ContentLength != 0: // while a body is unread, net/http does not notice that the client disconnects
		refusal.WriteError(w, tracker.Bad("", "an export takes parameters of the URL, and no body"))
	case !r.ProtoAtLeast(1, 1):
		refusal.WriteStatus(w, http.StatusHTTPVersionNotSupported, refusal.List(tracker.Bad("",
			"an export needs HTTP/1.1, because HTTP/1.0 cannot tell a part of a file from the whole; set a "+
				"proxy to HTTP/1.1, such as nginx with proxy_http_version 1.1")), 0)
	default:
		e.export(w, r)
	}
}

func (e *exporter) export(w http.ResponseWriter, r *http.Request) {
	ctx, o := r.Context(), operation.From(r.Context())
	q, err := parseExport(r.URL)
	grid, openErr := e.exports.Open(ctx, q.grid)
	if err = tracker.Join(err, openErr); err != nil {
		refusal.Write(w, e.exports.PresentErrors(ctx, err), 0)
		return
	}
	defer grid.Close()
	d := &download{ResponseWriter: w, ctx: ctx, format: q.options.Format}
	switch {
	case q.mapping:
		err = e.sendMapping(ctx, d, grid, q.options)
	case r.Method == http.MethodHead: // no row is read
		err = grid.Head(ctx, func(definition *tracker.Definition) error {
			d.ofRows(definition)
			_, err := export.Mapping(definition, q.options)
			return err
		})
	default:
		_, err = export.Write(ctx, d, &pacedGrid{Export: grid, exporter: e, to: d}, q.options)
	}
	o.Bill()
	var shown graph.Errors
	if err != nil && !d.lost && ctx.Err() == nil {
		shown = e.exports.PresentErrors(ctx, err)
	}
	o.Response.Codes = codes(shown)
	switch {
	case err == nil:
		d.begin() // a file without rows may have no bytes
	case d.begun:
		panic(http.ErrAbortHandler)
	case shown != nil:
		refusal.Write(w, shown, tracker.RetryAfter(err))
	}
}

// sendMapping sends the mapping of a file.
func (e *exporter) sendMapping(ctx context.Context, d *download, grid *graph.Export,
	o export.Options) error {
	var m *importer.Mapping
	if err := grid.Definition(ctx, func(definition *tracker.Definition) (err error) {
		d.name, d.media = definition.Project.Key+".mapping.json", "application/json"
		m, err = export.Mapping(definition, o)
		return err
	}); err != nil {
		return err
	}
	d.allow()
	_, err := d.Write([]byte(m.String()))
	return err
}

// pacedGrid reads a grid, and waits for capacity.
type pacedGrid struct {
	*graph.Export
	exporter *exporter
	to       *download
	pages    int
}

// Page implements export.Source.
func (g *pacedGrid) Page(ctx context.Context, accept func(*tracker.Definition) error) (
	d *tracker.Definition, rows []*tracker.Issue, last bool, err error) {
	if g.pages++; g.pages > 1 {
		o := operation.From(ctx)
		o.Bill()
		if err := g.exporter.wait(ctx, pause(o.Capacity())); err != nil {
			return nil, nil, false, err
		}
	}
	err = g.patiently(ctx, func() error {
		d, rows, last, err = g.Export.Page(ctx, accept)
		return err
	})
	if err == nil && g.to.name == "" {
		g.to.ofRows(d)
	}
	g.to.allow()
	return d, rows, last, err
}

// Texts implements export.Source.
func (g *pacedGrid) Texts(ctx context.Context, refs []tracker.LongRef) (texts []string, err error) {
	err = g.patiently(ctx, func() error {
		texts, err = g.Export.Texts(ctx, refs)
		return err
	})
	g.to.allow()
	return texts, err
}

// patiently calls read, and once the file has begun, again while there is no capacity for it: for
// exportPatience if the server lacks it, and for as long as it takes if the tenant does.
func (g *pacedGrid) patiently(ctx context.Context, read func() error) error {
	if !g.to.begun {
		return read()
	}
	return patience{server: exportPatience, tenant: math.MaxInt64}.call(ctx, g.exporter.wait, read)
}

// pause returns how long an export waits before a page, so that other requests of its tenant find capacity.
func pause(reads, _ traffic.State) time.Duration {
	missing := exportShare*reads.Limit - reads.Remaining
	if missing <= 0 {
		return 0
	}
	return time.Duration(float64(reads.Reset) * missing / (reads.Limit - reads.Remaining))
}

// download is the response of an export. It sends the headers with the first bytes.
type download struct {
	http.ResponseWriter
	ctx         context.Context
	format      importer.Format
	name, media string
	begun, lost bool      // whether the headers were sent, and whether a write has failed
	until       time.Time // the client must have received what was written
}

// ofRows makes the response the file of a project's rows.
func (d *download) ofRows(of *tracker.Definition) {
	d.name, d.media = of.Project.Key+".csv", "text/csv; charset=utf-8; header=present"
	if d.format == importer.JSONLines {
		d.name, d.media = of.Project.Key+".jsonl", "application/jsonl; charset=utf-8"
	}
}

// allow gives the client time to receive what is written next.
func (d *download) allow() { d.until = time.Now().Add(exportTime) }

// begin sends the headers.
func (d *download) begin() {
	if d.begun {
		return
	}
	d.begun = true
	d.Header().Set("Content-Type", d.media)
	d.Header().Set("Content-Disposition",
		mime.FormatMediaType("attachment", map[string]string{"filename": d.name}))
	d.WriteHeader(http.StatusOK)
}

// Write implements io.Writer. It waits while other tenants need the CPU more.
func (d *download) Write(p []byte) (int, error) {
	d.begin()
	a := account.From(d.ctx)
	a.Spend(time.Duration(len(p)) * account.ByteCPU)
	if err := a.Pace(d.ctx); err != nil {
		return 0, err
	}
	d.until = d.until.Add(time.Duration(len(p)) * time.Second / exportRate)
	if err := http.NewResponseController(d.ResponseWriter).SetWriteDeadline(d.until); err != nil {
		return 0, fmt.Errorf("the time to receive an export cannot be limited: %w", err)
	}
	n, err := d.ResponseWriter.Write(p)
	d.lost = err != nil
	return n, err
}
