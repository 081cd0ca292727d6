package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/auth"
	"issuegrid/internal/importer"
	"issuegrid/internal/importjob"
	"issuegrid/internal/refusal"
	"issuegrid/internal/session"
	"issuegrid/internal/traffic"
	"issuegrid/test/harness"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// importSite serves imports over HTTP.
type importSite struct {
	*httptest.Server
	*testing.T
	db      *dynamo.DB
	control *Control
	imports *imports
	caller  tracker.Principal
	now     time.Time // of the buckets
	waits   int
}

const maxUpload = 1 << 20

func newImportSite(t *testing.T, rates traffic.Rates) *importSite {
	t.Helper()
	s := &importSite{T: t, now: time.Now()}
	s.caller = tracker.Principal{Tenant: "acme", User: "ann", Role: tracker.Admin}
	s.db, _ = dynamotest.Open(t)
	for _, id := range []tracker.TenantID{"acme", "rival"} {
		if err := s.db.CreateTenant(t.Context(), tracker.Tenant{ID: id, Name: string(id)}); err != nil {
			t.Fatal(err)
		}
	}
	s.control = NewControl(Bounds{Requests: 100, Operations: 10, Memory: 256 << 20,
		OperationMemory: 64 << 20, OperationCPU: time.Second})
	s.control.Buckets = traffic.NewBuckets(rates, func() time.Time { return s.now })
	jobs := importjob.New(s.db, maxUpload, s.control)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := jobs.Run(ctx, func(err error) { t.Error(err) })
	t.Cleanup(func() {
		stop()
		ended()
	})
	s.imports = &imports{db: s.db, jobs: jobs, places: uploadPlaces(), patient: time.Minute}
	s.imports.wait = func(_ context.Context, d time.Duration) error {
		s.now = s.now.Add(d)
		s.waits++
		return nil
	}
	api := newAPI(session.NewFactory(s.db, principal, nil), s.control, graph.Options{}, true, s.imports)
	s.Server = httptest.NewUnstartedServer(nil)
	s.Config = NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r.WithContext(auth.With(r.Context(), s.caller)))
	}))
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// do sends a request, and decodes its response into a shownImport.
func (s *importSite) do(method, path string, body io.Reader) (*http.Response, string, shownImport) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.URL+path, body)
	if err != nil {
		s.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	var m shownImport
	isJSON := strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
	if isJSON && method != http.MethodHead {
		if err := json.Unmarshal(text, &m); err != nil {
			s.Fatalf("%s: %v", text, err)
		}
	}
	return response, string(text), m
}

// ended waits until an import has ended.
func (s *importSite) ended(path string) (m shownImport) {
	s.Helper()
	harness.Eventually(s.T, "the end of the import", func() bool {
		var response *http.Response
		var text string
		if response, text, m = s.do(http.MethodGet, path, nil); response.StatusCode != http.StatusOK {
			s.Fatalf("%s: %s", response.Status, text)
		}
		return !m.Status.Open()
	})
	return m
}

const threeRows = "key,name,points\n1,First,3\n2,Second,5\n3,Third,many\n"

// TestImports uploads a file for a dry run, imports it with another mapping, and downloads the rejected rows.
func TestImports(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	response, text, m := s.do(http.MethodPost, ImportsPath+"?projectKey=P&dryRun=true&name=three.csv",
		strings.NewReader(threeRows))
	path := response.Header.Get("Location")
	if response.StatusCode != http.StatusCreated || path != ImportsPath+"/"+m.ID ||
		m.Status != importjob.Waiting || !m.DryRun || m.Name != "three.csv" ||
		m.Bytes != int64(len(threeRows)) || m.CreatedBy.Name == nil || *m.CreatedBy.Name != "ann" {
		t.Fatalf("%s %s: %s", response.Status, path, text)
	}
	m = s.ended(path)
	if m.Status != importjob.Done || m.Summary.Added != 3 || len(m.Columns) != 3 || m.Mapping == nil ||
		m.Progress != nil || m.Rejects != nil {
		t.Fatalf("%+v", m)
	}
	m.Mapping.Columns[3].Type = tracker.TypeInteger
	body, err := json.Marshal(map[string]any{"projectKey": "P", "mapping": m.Mapping})
	if err != nil {
		t.Fatal(err)
	}
	if response, text, m = s.do(http.MethodPost, path, bytes.NewReader(body)); response.StatusCode !=
		http.StatusAccepted || m.DryRun || m.Status != importjob.Waiting || m.Summary != nil {
		t.Fatalf("%s: %s", response.Status, text)
	}
	m = s.ended(path)
	if m.Status != importjob.Done || m.Summary.Added != 2 || m.Summary.Rejected != 1 || m.DryRun ||
		m.Attempts != 1 || m.Rejects == nil {
		t.Fatalf("%+v", m)
	}
	if r := m.Summary.Reasons; len(r) != 1 || !strings.Contains(r[0].Remedy, `"decimal"`) {
		t.Errorf("the reasons are %+v", r)
	}
	response, text, _ = s.do(http.MethodGet, *m.Rejects, nil)
	const want = importer.ByteOrderMark +
		"reject_line,reject_column,reject_reason,key,name,points\r\n4,points,"
	if name := response.Header.Get("Content-Disposition"); !strings.HasPrefix(text, want) ||
		name != "attachment; filename=three.rejects.csv" || response.Header.Get("Content-Type") !=
		"text/csv; charset=utf-8; header=present" {
		t.Errorf("%s, %s: %q", response.Status, name, text)
	}
	if response, text, _ = s.do(http.MethodDelete, path, nil); response.StatusCode != http.StatusConflict {
		t.Errorf("an import that has ended is canceled: %s: %s", response.Status, text)
	}
	_, text, m = s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader("PK\x03\x04"))
	if m = s.ended(ImportsPath + "/" + m.ID); m.Status != importjob.Failed || len(m.Errors) != 1 ||
		m.Errors[0].Extensions["code"] != string(tracker.BadInput) ||
		m.Errors[0].Extensions["argument"] != "file" {
		t.Errorf("%s: %+v", text, m)
	}
	// A list does not say that an import that has failed has no errors.
	if _, text, _ = s.do(http.MethodGet, ImportsPath, nil); !strings.Contains(text, `"status":"FAILED"`) ||
		strings.Count(text, `"errors":null`) != 2 {
		t.Errorf("the list is %s", text)
	}
}

// TestImportAccess sends requests of every role to every path, and checks that imports of other tenants do
// not exist.
func TestImportAccess(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	_, _, own := s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader(threeRows))
	s.ended(ImportsPath + "/" + own.ID)
	s.caller.Tenant = "rival"
	_, _, other := s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader(threeRows))
	s.ended(ImportsPath + "/" + other.ID)
	acme, rival := model.TenantNodeID("acme"), model.TenantNodeID("rival")
	for _, role := range []tracker.Role{tracker.Reader, tracker.Editor, tracker.Admin, tracker.Operator} {
		s.caller = tracker.Principal{Tenant: "acme", User: "ann", Role: role}
		for _, test := range []struct {
			method, path string
			want         int // for an editor
			elsewhere    bool
		}{
			{http.MethodPost, ImportsPath + "?projectKey=P", http.StatusCreated, false},
			{http.MethodPost, ImportsPath + "?projectKey=P&tenantId=" + acme, http.StatusCreated, false},
			{http.MethodPost, ImportsPath + "?projectKey=P&tenantId=" + rival, http.StatusCreated, true},
			{http.MethodGet, ImportsPath, http.StatusOK, false},
			{http.MethodGet, ImportsPath + "?tenantId=" + rival, http.StatusOK, true},
			{http.MethodGet, ImportsPath + "/" + own.ID, http.StatusOK, false},
			{http.MethodGet, ImportsPath + "/" + other.ID, http.StatusOK, true},
			{http.MethodPost, ImportsPath + "/" + other.ID, http.StatusAccepted, true},
			{http.MethodDelete, ImportsPath + "/" + own.ID, http.StatusConflict, false},
			{http.MethodGet, ImportsPath + "/" + own.ID + "/rejects", http.StatusNotFound, false},
			{http.MethodGet, ImportsPath + "/" + other.ID + "/rejects", http.StatusNotFound, false},
			{http.MethodGet, ImportsPath + "/" + model.ImportID("acme", "queue"), http.StatusNotFound, false},
			{http.MethodGet, ImportsPath + "/nonsense", http.StatusNotFound, false},
			{http.MethodGet, ImportsPath + "/" + acme, http.StatusNotFound, false},
		} {
			var body io.Reader
			if test.method == http.MethodPost && strings.Contains(test.path, "?") {
				body = strings.NewReader(threeRows)
			}
			response, text, _ := s.do(test.method, test.path, body)
			want := test.want
			switch {
			case role == tracker.Reader:
				want = http.StatusForbidden
			case test.elsewhere && role != tracker.Operator:
				want = http.StatusNotFound
			}
			if response.StatusCode != want {
				t.Errorf("%v, %s %s: %s, want %d: %s", role, test.method, test.path, response.Status, want,
					text)
			}
		}
	}
	s.caller = tracker.Principal{Role: tracker.Operator}
	if response, text, _ := s.do(http.MethodPost, ImportsPath, strings.NewReader("x")); response.StatusCode !=
		http.StatusBadRequest || !strings.Contains(text, "give the id of a tenant") {
		t.Errorf("an operator without a tenant: %s %s", response.Status, text)
	}
	for path, want := range map[string]string{ImportsPath: "GET, HEAD, POST, OPTIONS",
		ImportsPath + "/" + own.ID: "DELETE, GET, HEAD, POST, OPTIONS",
		ImportsPath + "/x/rejects": "GET, HEAD, OPTIONS"} {
		for method, status := range map[string]int{http.MethodPut: http.StatusMethodNotAllowed,
			http.MethodOptions: http.StatusNoContent} {
			response, _, _ := s.do(method, path, nil)
			if got := response.Header.Get("Allow"); got != want || response.StatusCode != status {
				t.Errorf("%s %s: %s, %q", method, path, response.Status, got)
			}
		}
	}
	for _, path := range []string{ImportsPath + "?tenantId=" + acme, ImportsPath + "/" + own.ID,
		ImportsPath + "/x"} {
		get, _, _ := s.do(http.MethodGet, path, nil)
		head, body, _ := s.do(http.MethodHead, path, nil)
		if head.StatusCode != get.StatusCode || body != "" ||
			head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %s, %q, want %s", path, head.Status, body, get.Status)
		}
	}
	if response, _, _ := s.do(http.MethodGet, ImportsPath+"/x/y", nil); response.StatusCode !=
		http.StatusNotFound {
		t.Errorf("an unknown path: %s", response.Status)
	}
}

// list returns the names of the imports that are listed.
func (s *importSite) list(query string) (names []string) {
	s.Helper()
	response, text, _ := s.do(http.MethodGet, ImportsPath+query, nil)
	var all shownImports
	if err := json.Unmarshal([]byte(text), &all); err != nil || response.StatusCode != http.StatusOK {
		s.Fatalf("%s: %s", response.Status, text)
	}
	for _, m := range all.Imports {
		names = append(names, m.Name)
		if _, _, one := s.do(http.MethodGet, ImportsPath+"/"+m.ID, nil); one.Name != m.Name ||
			one.Status != m.Status || m.Mapping != nil || m.Summary != nil {
			s.Errorf("listed as %+v, shown as %+v", m, one)
		}
	}
	return names
}

// TestImportsAreListed lists the imports of a tenant, the latest one first.
func TestImportsAreListed(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	if got := s.list(""); got != nil {
		t.Errorf("no imports: %q", got)
	}
	var want []string
	for n := range 32 {
		name := fmt.Sprint("file", n)
		_, _, m := s.do(http.MethodPost, ImportsPath+"?dryRun=true&projectKey=P&name="+name,
			strings.NewReader(threeRows))
		s.ended(ImportsPath + "/" + m.ID)
		want = append([]string{name}, want...)
	}
	if got := s.list(""); !slices.Equal(got, want[:30]) {
		t.Errorf("listed %q", got)
	}
	s.caller.Tenant = "rival"
	if got := s.list(""); got != nil {
		t.Errorf("another tenant has %q", got)
	}
	s.caller = tracker.Principal{Role: tracker.Operator}
	if got := s.list("?tenantId=" + model.TenantNodeID("acme")); !slices.Equal(got, want[:30]) {
		t.Errorf("an operator has %q", got)
	}
	if response, text, _ := s.do(http.MethodGet, ImportsPath+"?limit=3", nil); response.StatusCode !=
		http.StatusBadRequest {
		t.Errorf("%s %s", response.Status, text)
	}
}

// TestSettingsAreKept starts an import again with some settings; the others are those of the last start.
func TestSettingsAreKept(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	_, _, m := s.do(http.MethodPost,
		ImportsPath+"?projectKey=P&dryRun=true&onlyNew=true&removeApostrophes=true",
		strings.NewReader(threeRows))
	path := ImportsPath + "/" + m.ID
	s.ended(path)
	const named = `"mapping": {"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"},
		{"column": "points", "to": "skip"}]}`
	for _, test := range []struct {
		body    string
		dry     bool
		project string
		onlyNew bool
		columns int // of the mapping that is given, 0 if it is inferred
	}{
		{`{"dryRun": true, ` + named + `}`, true, "P", true, 3},
		{`{"dryRun": true}`, true, "P", true, 3},
		{`{"dryRun": true, "onlyNew": false, "projectKey": "Q"}`, true, "Q", false, 3},
		{`{"dryRun": true, "mapping": {}}`, true, "Q", false, 0},
		{``, false, "Q", false, 0},
	} {
		response, text, m := s.do(http.MethodPost, path, strings.NewReader(test.body))
		columns := 0
		if m.Mapping != nil {
			columns = len(m.Mapping.Columns)
		}
		if response.StatusCode != http.StatusAccepted || m.DryRun != test.dry || m.ProjectKey == nil ||
			*m.ProjectKey != test.project || m.OnlyNew != test.onlyNew || !m.RemoveApostrophes ||
			columns != test.columns {
			t.Errorf("%s: %s", test.body, text)
		}
		if m = s.ended(path); m.Status != importjob.Done {
			t.Errorf("%s: %+v", test.body, m)
		}
	}
}

// TestImportInputs checks that all invalid parameters and settings are reported, each with its name.
func TestImportInputs(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	_, _, m := s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader(threeRows))
	path := ImportsPath + "/" + m.ID
	s.ended(path)
	for _, test := range []struct {
		path, body string
		want       []string // arguments
	}{
		{ImportsPath + "?newOptions=1&onlyNew=TRUE&removeApostrophes=no&dryRun=x&projectKey=p+q&tenantId=",
			"x",
			[]string{"dryRun", "newOptions", "onlyNew", "projectKey", "removeApostrophes"}},
		{ImportsPath + "?projectKey=P&projectKey=Q&mapping=1", "x", []string{"mapping", "projectKey"}},
		{ImportsPath + "?%zz", "x", []string{""}},
		{ImportsPath + "?projectKey=P", "", []string{""}},
		{ImportsPath + "?projectKey=P&name=a%00b", "x", []string{"name"}},
		{ImportsPath + "?projectKey=P", strings.Repeat("x", maxUpload+1), []string{""}},
		{path, `[]`, []string{""}},
		{path, `null`, []string{""}},
		{path, `{"dryRun": null, "newOptions": 1, "onlyNew": "true", "projectKey": 7, "file": "x", "removeApostrophes": 0}`,
			[]string{"dryRun", "file", "newOptions", "onlyNew", "projectKey", "removeApostrophes"}},
		{path, `{"projectKey": "p q", "mapping": {"columns": []}}`, []string{"mapping.columns", "projectKey"}},
		{path, `{"mapping": null}`, []string{"mapping"}},
		{path, `{"dryRun": true, "dryRun": false}`, []string{"dryRun"}},
		{path, `{"dryRun": true} {}`, []string{""}},
		{path, `{"mapping": {"columns": [{"column": "key", "to": "nowhere"}]}}`,
			[]string{"mapping.columns[0].to"}},
		{path, `{"mapping": "` + strings.Repeat("x", importjob.MaxMapping) + `"}`, []string{""}},
		{path + "?dryRun=true", "", []string{""}},
	} {
		response, text, m := s.do(http.MethodPost, test.path, strings.NewReader(test.body))
		var got []string
		for _, e := range m.Errors {
			argument, _ := e.Extensions["argument"].(string)
			got = append(got, argument)
			if e.Extensions["code"] != string(tracker.BadInput) {
				t.Errorf("%s: %v", test.path, e)
			}
		}
		less := func(a, b string) bool { return a < b }
		if diff := cmp.Diff(test.want, got, cmpopts.SortSlices(less)); diff != "" || response.StatusCode !=
			http.StatusBadRequest {
			t.Errorf("%s %.80s: %s: %s\narguments (-want +got):\n%s", test.path, test.body, response.Status,
				text, diff)
		}
	}
	if m := s.ended(path); m.Status != importjob.Done || m.Attempts != 1 {
		t.Errorf("a refused request has started the import: %+v", m)
	}
}

// TestUploadedForm checks that a form with a file is refused, rather than read as the file.
func TestUploadedForm(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	response, err := http.Post(s.URL+ImportsPath+"?projectKey=P", "multipart/form-data; boundary=x",
		strings.NewReader("--x\r\nContent-Disposition: form-data; name=file\r\n\r\n"+threeRows+
			"\r\n--x--\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusBadRequest ||
		!strings.Contains(string(text), "--data-binary") {
		t.Errorf("%s: %s, %v", response.Status, text, err)
	}
}

// TestUploadIsCharged checks that an upload waits for the capacity of its tenant, and is charged for what it
// stores.
func TestUploadIsCharged(t *testing.T) {
	t.Parallel()
	const rate = 10
	s := newImportSite(t, traffic.Rates{RCU: 1000, WCU: rate})
	s.now = s.now.Add(time.Minute) // the bucket is full
	began := s.now
	noise := make([]byte, 512<<10) // not compressible
	for n, state := 0, uint32(1); n < len(noise); n++ {
		state = state*1664525 + 1013904223
		noise[n] = byte(state >> 24)
	}
	response, text, _ := s.do(http.MethodPost, ImportsPath+"?projectKey=P", bytes.NewReader(noise))
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", response.Status, text)
	}
	_, writes := s.control.Buckets.Read(s.caller.Tenant)
	if left := response.Header.Get("RateLimit-Remaining"); left != strconv.Itoa(int(writes.Remaining)) {
		t.Errorf("the response says that %q units are left, of %+v", left, writes)
	}
	// The bucket holds the units of 10 seconds, and can go below zero by what an operation uses.
	written := float64(len(noise) >> 10)
	least := (written - 10*rate - partWCU) / rate
	if took := s.now.Sub(began).Seconds(); dynamotest.ReportsUnits() && took < least {
		t.Errorf("%g WCU at %d per second took %g s, in %d waits", written, rate, took, s.waits)
	}
}

// TestSlowUpload checks that an upload that is not received in time is refused, and that its import does not
// begin.
func TestSlowUpload(t *testing.T) {
	tier.Verify(t, "a timeout of 50 ms must pass while the body is read, not before")
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	s.imports.patient = 50 * time.Millisecond
	body, stall := io.Pipe()
	go fmt.Fprint(stall, threeRows)
	defer stall.Close()
	response, text, _ := s.do(http.MethodPost, ImportsPath+"?projectKey=P", body)
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(text, "was not received") {
		t.Errorf("%s: %s", response.Status, text)
	}
}

// TestNoImports checks the responses of servers that do not import files.
func TestNoImports(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	for _, reason := range []*tracker.Error{errNoJobs, errOnlyListed} {
		s.imports.unavailable = reason
		response, text, _ := s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader("x"))
		if response.StatusCode != refusal.Status(reason.Code) ||
			!strings.Contains(text, "`issuegrid import`") {
			t.Errorf("%s: %s", response.Status, text)
		}
	}
}

// TestUploadPlaces checks that a tenant can send only some files at a time, and all tenants only some more,
// that others are refused before they send anything, and that slow uploads leave requests and the last parts
// of other uploads their memory.
func TestUploadPlaces(t *testing.T) {
	t.Parallel()
	s := newImportSite(t, traffic.Rates{})
	// What operations share is all that two parts need, so that an upload that held some of it would show.
	s.control.Memory = traffic.NewMemory(8 << 20)
	stalled := make([]*io.PipeWriter, uploadsOfTenant)
	type answer struct {
		status int
		text   string
	}
	answers := make(chan answer, len(stalled))
	for n := range stalled {
		var body io.Reader
		body, stalled[n] = io.Pipe()
		go func() {
			response, text, _ := s.do(http.MethodPost, ImportsPath+"?projectKey=P", body)
			answers <- answer{response.StatusCode, text}
		}()
		fmt.Fprint(stalled[n], threeRows) // returns when the server reads
	}
	harness.Eventually(t, "the uploads to have their places", func() bool {
		running, _ := s.imports.places.Load()
		return running == len(stalled)
	})
	response, text, _ := s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader(threeRows))
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "5" ||
		!strings.Contains(text, "4 files of the tenant") {
		t.Errorf("one more: %s, %s", response.Status, text)
	}
	for n := range uploadsAtOnce - uploadsOfTenant {
		leave, err := s.imports.places.Enter(t.Context(), tracker.TenantID(fmt.Sprint("tenant ", n)))
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	s.caller.Tenant = "rival"
	response, text, _ = s.do(http.MethodPost, ImportsPath+"?projectKey=P", strings.NewReader(threeRows))
	if response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("while %d are received: %s, %s", uploadsAtOnce, response.Status, text)
	}
	for _, body := range stalled {
		body.Close()
		if a := <-answers; a.status != http.StatusCreated {
			t.Errorf("a slow upload: %d %s", a.status, a.text)
		}
	}
}
