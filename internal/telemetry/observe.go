package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"issuegrid/tracker"
)

const (
	// statusGone is recorded for a request whose client closed the connection before the response. HTTP
	// defines no status for this; nginx uses 499.
	statusGone = 499

	queryType    = "query"
	mutationType = "mutation"
	noType       = "none"

	other = "other"
)

// Observe wraps the handler of all requests: it gives each request an id, and records the request when it has
// ended.
func (t *Telemetry) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, request, out := time.Now(), &Request{ID: requestID(r)}, &recorder{ResponseWriter: w}
		w.Header().Set(RequestIDHeader, request.ID)
		api := r.URL.Path == t.settings.API && !preflight(r)
		ctx, end := context.WithValue(r.Context(), requestKey{}, request), func(outcome) {}
		if api {
			ctx, end = t.traceRequest(ctx, r)
			t.metrics.begin()
		}
		panicked := true
		defer func() {
			o := outcome{Request: request, method: method(r.Method), path: t.path(r.URL.Path),
				duration: time.Since(start), bytes: out.bytes}
			o.status = out.outcome(panicked, r.Context().Err() != nil)
			if o.codes = request.answer.Codes; len(o.codes) == 0 && codeOf(o.status) != "" {
				o.codes = []tracker.Code{codeOf(o.status)}
			}
			o.codes = distinct(o.codes)
			t.logRequest(ctx, o, api)
			if api {
				t.metrics.end(o)
				end(o)
			}
		}()
		next.ServeHTTP(out, r.WithContext(ctx))
		panicked = false
	})
}

// outcome describes a request that has ended.
type outcome struct {
	*Request
	method, path string
	status       int
	duration     time.Duration
	bytes        int64
	codes        []tracker.Code // each once, in the order of the errors
}

// preflight reports whether r is a CORS preflight request, which a browser sends before the actual request.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// distinct returns the codes without duplicates.
func distinct(codes []tracker.Code) (once []tracker.Code) {
	for _, code := range codes {
		if !slices.Contains(once, code) {
			once = append(once, code)
		}
	}
	return once
}

// kind returns the type of the operation, or none.
func (o *outcome) kind() string {
	if o.answer.Operation == "" {
		return noType
	}
	return o.answer.Operation
}

// level returns the level of the log line: ERROR for faults of the server, WARN for signs of a problem with a
// client or a tenant. All others, such as NOT_FOUND and CONFLICT, are INFO.
func (o *outcome) level() slog.Level {
	level := slog.LevelInfo
	if o.expected {
		return level
	}
	for _, code := range o.codes {
		switch code {
		case tracker.InternalErr, tracker.Unavailable:
			return slog.LevelError
		case tracker.Unauthenticated, tracker.Forbidden, tracker.RateLimited:
			level = slog.LevelWarn
		}
	}
	if o.status >= http.StatusInternalServerError {
		return slog.LevelError
	}
	return level
}

// logRequest writes the one log line of a request. Lines of health checks, preflight requests and files of
// the web pages have level DEBUG unless something is wrong.
func (t *Telemetry) logRequest(ctx context.Context, o outcome, api bool) {
	level := o.level()
	if !api && level == slog.LevelInfo && o.answer.Calls == 0 {
		level = slog.LevelDebug
	}
	if !t.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs, slog.String("method", o.method), slog.String("path", o.path),
		slog.Int("status", o.status),
		slog.Float64("duration_ms", float64(o.duration.Microseconds())/1000), slog.Int64("bytes", o.bytes))
	if api {
		attrs = append(attrs, slog.String("type", o.kind()))
	}
	if o.answer.Name != "" {
		attrs = append(attrs, slog.String("operation", o.answer.Name))
	}
	if o.tenant != "" {
		attrs = append(attrs, slog.String("tenant", string(o.tenant)))
	}
	if len(o.codes) > 0 {
		attrs = append(attrs, slog.Any("codes", slices.Sorted(slices.Values(o.codes))))
	}
	if o.refused != "" {
		attrs = append(attrs, slog.String("reason", o.refused))
	}
	if o.answer.Calls > 0 {
		attrs = append(attrs, slog.Int("calls", o.answer.Calls), slog.Float64("rcu", o.answer.RCU),
			slog.Float64("wcu", o.answer.WCU))
	}
	t.log.LogAttrs(ctx, level, "request", attrs...)
}

// path returns p if the server has that path, the folder if p is below one of the server's folders, and else
// "other", because a client may put anything into a path.
func (t *Telemetry) path(p string) string {
	if p == t.settings.API || slices.Contains(t.settings.Paths, p) {
		return p
	}
	for _, folder := range t.settings.Paths {
		if len(folder) > 1 && strings.HasSuffix(folder, "/") && strings.HasPrefix(p, folder) {
			return folder
		}
	}
	return other
}

func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodPost, http.MethodHead, http.MethodOptions, http.MethodPut,
		http.MethodPatch, http.MethodDelete:
		return m
	}
	return other
}

// recorder records the status of a response and counts the bytes of its body.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader records the status; those below 200 are interim responses.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// outcome returns the status that was sent, or the one that stands for what happened instead.
func (w *recorder) outcome(panicked, gone bool) int {
	switch {
	case w.status != 0:
		return w.status
	case panicked:
		return http.StatusInternalServerError
	case gone:
		return statusGone
	}
	return http.StatusOK
}
