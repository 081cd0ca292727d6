package httpd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/internal/auth"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/operation"
	"issuegrid/internal/sample"
	"issuegrid/internal/session"
	"issuegrid/internal/traffic"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dynamotest.Main(m)
}

// exportSite serves exports of a sample project over HTTP.
type exportSite struct {
	*httptest.Server
	t       *testing.T
	db      *dynamo.DB
	wire    *dynamotest.Wire
	project sample.Project
	id      string // of the project
	control *Control
	caller  tracker.Principal
	now     time.Time // of the buckets
	waits   []time.Duration
	cpu     time.Duration // that each request spends in addition
	handled chan struct{} // receives when a request has ended
}

// newExportSite serves a project of some issues. alter changes the server before it starts.
func newExportSite(t *testing.T, issues int, rates traffic.Rates, alter func(*http.Server)) *exportSite {
	t.Helper()
	s := &exportSite{t: t, project: sample.Generated(), now: time.Now(), handled: make(chan struct{}, 100)}
	s.project.Issues = s.project.Issues[:issues]
	s.id = model.ProjectNodeID(s.project.Tenant.ID, s.project.Project.ID)
	s.caller = tracker.Principal{Tenant: s.project.Tenant.ID, User: "ann", Role: tracker.Reader}
	s.db, s.wire = dynamotest.Open(t, func(s *dynamo.Settings) {
		s.GroupWrites, s.DefinitionTTL = true, time.Hour
	})
	if err := sample.Load(t.Context(), s.db, []sample.Project{s.project}, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	s.control = NewControl(Bounds{Requests: 100, Operations: 10, Memory: 256 << 20,
		OperationMemory: 64 << 20, OperationCPU: time.Second})
	s.control.Buckets = traffic.NewBuckets(rates, func() time.Time { return s.now })
	exports := newExporter(graph.NewExports(session.NewFactory(s.db, principal, nil)))
	exports.wait = func(_ context.Context, d time.Duration) error {
		s.now = s.now.Add(d)
		s.waits = append(s.waits, d)
		return nil
	}
	api := s.control.counted(s.control.operated(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		operation.From(r.Context()).Account.Spend(s.cpu)
		compressed(exports).ServeHTTP(w, r)
	})))
	s.Server = httptest.NewUnstartedServer(nil)
	s.Config = NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { s.handled <- struct{}{} }()
		ctx := dynamo.Confine(auth.With(r.Context(), s.caller), s.caller.Tenant)
		api.ServeHTTP(w, r.WithContext(ctx))
	}))
	if alter != nil {
		alter(s.Config)
	}
	s.Start()
	t.Cleanup(s.Close)
	s.get("") // the definition is cached from now on
	s.wire.Reset()
	return s
}

// get requests an export of the project with parameters, each as name=value.
func (s *exportSite) get(parameters ...string) (*http.Response, string) {
	s.t.Helper()
	r, text := harness.Do(s.t, http.MethodGet, s.path(parameters...))
	<-s.handled
	return r, text
}

func (s *exportSite) path(parameters ...string) string {
	values := url.Values{"projectId": {s.id}}
	for _, p := range parameters {
		if name, value, ok := strings.Cut(p, "="); ok {
			values[name] = []string{value}
		}
	}
	return s.URL + ExportPath + "?" + values.Encode()
}

// send requests an export, and returns the response and the part of it that has arrived when it ends.
func (s *exportSite) send(ctx context.Context, encoding string) (r *http.Response, part []byte, err error) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.path(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", encoding)
	if r, err = http.DefaultTransport.RoundTrip(request); err == nil {
		part, err = io.ReadAll(r.Body)
		r.Body.Close()
	}
	<-s.handled
	return r, part, err
}

// holdsNothing checks that no export holds memory.
func (s *exportSite) holdsNothing() {
	s.t.Helper()
	if m := s.control.Memory.State(); m.Used != 0 {
		s.t.Errorf("%d bytes are still held", m.Used)
	}
}

// want returns the export of the project, written without HTTP.
func (s *exportSite) want(g graph.ExportedGrid, o export.Options) (string, *importer.Mapping) {
	s.t.Helper()
	g.Project = s.id
	x, err := graph.NewExports(session.NewFactory(s.db, session.Anonymous, nil)).Open(s.t.Context(), g)
	if err != nil {
		s.t.Fatal(err)
	}
	defer x.Close()
	var b bytes.Buffer
	m, err := export.Write(s.t.Context(), &b, x, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return b.String(), m
}

// TestExport compares exports with those of the command, in both formats, compressed and not.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newExportSite(t, 230, traffic.Rates{}, nil)
	where, orderBy := `{"open": true}`, `[{"column": {"builtin": "NAME"}}]`
	for format, want := range map[string][]string{
		"csv":   {string(importer.CSV), "FLEET.csv", "text/csv; charset=utf-8; header=present"},
		"jsonl": {string(importer.JSONLines), "FLEET.jsonl", "application/jsonl; charset=utf-8"},
	} {
		file, m := s.want(graph.ExportedGrid{Where: where, OrderBy: orderBy},
			export.Options{Format: importer.Format(want[0]), Columns: "name, number, Systems"})
		parameters := []string{"format=" + format, "where=" + where, "orderBy=" + orderBy,
			"columns=name, number, Systems"}
		r, got := s.get(parameters...)
		if got != file || r.StatusCode != http.StatusOK ||
			r.Header.Get("Content-Disposition") != "attachment; filename="+want[1] ||
			r.Header.Get("Content-Type") != want[2] {
			t.Errorf("%s %v %.300s, want %.300s", r.Status, r.Header, got, file)
		}
		r, got = harness.Do(t, http.MethodGet, s.path(parameters...), "Accept-Encoding: gzip")
		<-s.handled
		if r.Header.Get("Content-Encoding") != "gzip" || harness.Unzip(t, got) != file {
			t.Errorf("compressed: %v, %d bytes", r.Header, len(got))
		}
		r, got = s.get(append(parameters, "mapping=true")...)
		if got != m.String() || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("Content-Disposition") != "attachment; filename=FLEET.mapping.json" {
			t.Errorf("the mapping: %v %s", r.Header, got)
		}
	}
	// a file without rows
	for format, want := range map[string]string{"csv": importer.ByteOrderMark + "number\r\n", "jsonl": ""} {
		r, got := s.get("where="+`{"num": {"lt": 0}}`, "columns=number", "format="+format)
		if got != want || r.StatusCode != http.StatusOK || r.Header.Get("Content-Disposition") == "" {
			t.Errorf("%s %v %q", r.Status, r.Header, got)
		}
	}
	s.holdsNothing()
}

// TestExportMethods: only GET exports, and HEAD is like it.
func TestExportMethods(t *testing.T) {
	t.Parallel()
	s := newExportSite(t, 1, traffic.Rates{}, nil)
	for method, want := range map[string]int{http.MethodHead: http.StatusOK,
		http.MethodPost: http.StatusMethodNotAllowed, http.MethodOptions: http.StatusNoContent} {
		r, _ := harness.Do(t, method, s.path())
		if allow := r.Header.Get("Allow"); r.StatusCode != want ||
			method != http.MethodHead && allow != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: %s %v", method, r.Status, r.Header)
		}
	}
	withBody, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.path(),
		strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := http.DefaultTransport.RoundTrip(withBody); err != nil {
		t.Error(err)
	} else if r.Body.Close(); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a body: %s", r.Status)
	}
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET "+strings.TrimPrefix(s.path(), s.URL)+" HTTP/1.0\r\n\r\n")
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || r.StatusCode != http.StatusHTTPVersionNotSupported {
		t.Errorf("HTTP/1.0: %v, %v", r, err)
	}
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("requests that export nothing made the calls %v", calls)
	}
}

// TestExportHead checks that HEAD has the headers of GET, and the errors, and reads no row.
func TestExportHead(t *testing.T) {
	t.Parallel()
	s := newExportSite(t, 3, traffic.Rates{}, nil)
	for _, parameters := range [][]string{{}, {"format=jsonl"}, {"mapping=true"}, {"columns=name,Nothing"},
		{"projectId=x"}, {"where={"}, {`where={"state": {"eq": "?"}}`}} {
		got, _ := s.get(parameters...)
		s.wire.Reset()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodHead, s.path(parameters...), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || len(body) > 0 || r.StatusCode != got.StatusCode {
			t.Errorf("%q: %d with %q, %v, want %d", parameters, r.StatusCode, body, err, got.StatusCode)
		}
		for _, name := range []string{"Content-Type", "Content-Disposition"} {
			if a, b := got.Header.Get(name), r.Header.Get(name); a != b {
				t.Errorf("%q: %s is %q, want %q", parameters, name, b, a)
			}
		}
		if calls := s.wire.Calls(); got.StatusCode == http.StatusOK && calls["BatchGetItem"] > 0 ||
			calls["Query"] > 1 {
			t.Errorf("%q: the calls %v", parameters, calls)
		}
	}
}

// TestExportInput sends invalid requests. The errors name the parameters.
func TestExportInput(t *testing.T) {
	t.Parallel()
	s := newExportSite(t, 1, traffic.Rates{}, nil)
	for parameter, want := range map[string][]string{
		"projectId=":        {"400", "projectId"},
		"projectId=nothing": {"404", ""},
		"projectId=" + model.ProjectNodeID("other", "p"): {"404", ""},
		"format=xml":                         {"400", "format"},
		"mapping=yes":                        {"400", "mapping"},
		"order=[]":                           {"400", "order"},
		"where={":                            {"400", "where"},
		`where={"open": 1}`:                  {"400", "where.open"},
		`where={"state": {"eq": "?"}}`:       {"400", "where.state.eq"},
		`orderBy=[{"column": {}}]`:           {"400", "orderBy[0].column"},
		"timeZone=Mars/Base":                 {"400", "timeZone"},
		"columns=name,Nothing":               {"400", "columns[1]"},
		"columns=name,name,Nothing":          {"400", "columns[1]", "columns[2]"},
		"where=" + strings.Repeat("[", 9000): {"400", "where"},
	} {
		r, text := s.get(parameter)
		var body apiErrors
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			t.Errorf("%s: %v: %s", parameter, err, text)
			continue
		}
		got := []string{r.Status[:3]}
		for _, e := range body.Errors {
			got = append(got, e.Extensions.Argument)
		}
		if diff := cmp.Diff(want, got); diff != "" || r.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s (-want +got): %s\n%s", parameter, text, diff)
		}
	}
	// no more errors than of a GraphQL response
	if _, text := s.get("columns=x1,x2,x3,x4,x5,x6,x7,x8", `where={"and": [`+
		strings.Repeat(`{"open": 1},`, 30)+`{}]}`); strings.Count(text, `"message"`) != 20 ||
		!strings.Contains(text, "there are more errors") {
		t.Errorf("many errors: %s", text)
	}
	r, _ := harness.Do(t, http.MethodGet, s.path()+"&format=csv&format=jsonl")
	if r.StatusCode != http.StatusBadRequest {
		t.Errorf("a parameter given twice: %s", r.Status)
	}
	for want, streams := range map[int]bool{http.StatusNotFound: false, http.StatusForbidden: true} {
		api := newAPI(session.NewFactory(s.db, principal, nil), s.control,
			graph.Options{Options: guard.Options{Allowed: &guard.Manifest{}}}, streams, &imports{})
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, ExportPath+"?projectId="+s.id, nil))
		if w.Code != want || !strings.Contains(w.Body.String(), "issuegrid export") {
			t.Errorf("streams %t: %d %s", streams, w.Code, w.Body)
		}
	}
}

// TestExportCost checks the calls of an export, that its tenant pays for each page, and that half of the
// capacity is left to other requests.
func TestExportCost(t *testing.T) {
	t.Parallel()
	const rate = 20
	s := newExportSite(t, 1000, traffic.Rates{RCU: rate, WCU: 100}, nil)
	s.now = s.now.Add(time.Minute) // the bucket is full
	started := s.now
	least := 0.0
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		reads, _ := s.control.Buckets.Read(s.caller.Tenant)
		if r.Operation == "Query" && (least == 0 || reads.Remaining < least) {
			least = reads.Remaining
		}
		return send(r)
	})
	s.wire.Reset()
	r, text := s.get("columns=key,name,Priority")
	if r.StatusCode != http.StatusOK || r.Header.Get("RateLimit-Limit") != "200" {
		t.Fatalf("%s %v", r.Status, r.Header)
	}
	if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(rows) != 1001 {
		t.Errorf("%d records, %v", len(rows), err)
	}
	want := map[string]int{"Query": 10, "BatchGetItem": 10}
	if diff := cmp.Diff(want, s.wire.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	waited := s.now.Sub(started).Seconds()
	reads, _ := s.control.Buckets.Read(s.caller.Tenant)
	if used := 200 - reads.Remaining + rate*waited; used < 505 || used > 800 {
		t.Errorf("an export of 1,000 rows was charged %.1f RCU", used)
	}
	// at most a page's reservation below the half
	if least < 100-55 {
		t.Errorf("an export has left %.1f of 200 RCU to other requests", least)
	}
	if slices.Max(s.waits) > 10*time.Second {
		t.Errorf("it has waited for %v", s.waits)
	}
	s.wire.Intercept(nil)

	// without capacity, an export does not begin
	s.control.Buckets.Charge(s.caller.Tenant, 1000, 0)
	r, text = s.get()
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" ||
		!strings.Contains(text, "RATE_LIMITED") {
		t.Errorf("%s %v %s", r.Status, r.Header, text)
	}
}
