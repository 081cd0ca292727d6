package importjob

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/columns"
	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/importer"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

const tenant tracker.TenantID = "acme"

var (
	admin  = tracker.Principal{Tenant: tenant, User: "ann", Role: tracker.Admin}
	editor = tracker.Principal{Tenant: tenant, User: "ed", Role: tracker.Editor}
)

// site is a table with a tenant.
type site struct {
	*testing.T
	db       *dynamo.DB
	wire     *dynamotest.Wire
	settings dynamo.Settings
	ahead    atomic.Int64 // of the clock
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t}
	s.db, s.wire = dynamotest.Open(t, func(d *dynamo.Settings) {
		d.Now = func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
		s.settings = *d
	})
	if err := s.db.CreateTenant(t.Context(), tracker.Tenant{ID: tenant, Name: "ACME"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// server is a process with a service of its own.
type server struct {
	*site
	*Service
	wire   *dynamotest.Wire
	stop   func()
	mu     sync.Mutex
	errors []error
}

// server returns a new process. It runs imports if run is set.
func (s *site) server(run bool) *server {
	s.Helper()
	out := &server{site: s, wire: &dynamotest.Wire{}}
	settings := s.settings
	settings.Transport = out.wire.Around
	db, err := dynamo.Open(s.Context(), settings)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(db.Close)
	out.Service = New(db, 4<<20)
	out.every, out.retry = 5*time.Millisecond, 5*time.Millisecond
	if run {
		ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
		ended := out.Run(ctx, func(err error) {
			out.mu.Lock()
			defer out.mu.Unlock()
			out.errors = append(out.errors, err)
		})
		out.stop = sync.OnceFunc(func() {
			cancel()
			ended()
		})
		s.Cleanup(out.stop)
	}
	return out
}

func (s *server) imports() *Imports {
	s.Helper()
	i, err := s.Of(s.Service.db, tenant)
	if err != nil {
		s.Fatal(err)
	}
	return i
}

// upload uploads a file and starts its import.
func (s *server) upload(text string, settings Settings, by tracker.Principal) (*Import, error) {
	s.Helper()
	return s.uploadPieces(strings.NewReader(text), "file.csv", settings, by)
}

func (s *server) uploadPieces(from io.Reader, name string, settings Settings,
	by tracker.Principal) (*Import, error) {
	s.Helper()
	u, err := s.NewUpload(name, by, func(write func(context.Context, *Imports) error) error {
		return write(s.Context(), s.imports())
	})
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(struct{ io.Writer }{u}, from); err != nil {
		return nil, err
	}
	if err := u.Finish(); err != nil {
		return nil, err
	}
	return s.imports().Add(s.Context(), u, settings, by)
}

// must uploads a file and starts its import.
func (s *server) must(text string, settings Settings, by tracker.Principal) string {
	s.Helper()
	m, err := s.upload(text, settings, by)
	if err != nil {
		s.Fatal(err)
	}
	return m.ID
}

// until waits until an import has a status.
func (s *server) until(id string, status Status) (*Import, *Result) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		m, r, err := s.imports().Get(s.Context(), id)
		if err != nil {
			s.Fatal(err)
		}
		if m.Status == status {
			return m, r
		}
		if !m.Status.Open() || time.Now().After(deadline) {
			s.Fatalf("the import is %s, want %s: %s", m.Status, status, encode(r))
		}
		if err := wait(s.Context(), time.Millisecond); err != nil {
			s.Fatal(err)
		}
	}
}

// rows returns the issues of the project P as NUMBER NAME, by number.
func (s *site) rows() (out []string) {
	s.Helper()
	t, err := s.db.Tenant(tenant)
	if err != nil {
		s.Fatal(err)
	}
	p, err := t.ProjectByKey(s.Context(), "P")
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil
	}
	if err != nil {
		s.Fatal(err)
	}
	for _, i := range issues(s.T, t, p) {
		out = append(out, fmt.Sprint(i.Num, " ", i.Name))
	}
	return out
}

// file returns a CSV file with some rows, without numbers.
func file(rows int) (text string, want []string) {
	var b strings.Builder
	b.WriteString("key,name\n")
	for n := range rows {
		fmt.Fprintf(&b, "k%d,Issue %d\n", n, n)
		want = append(want, fmt.Sprint(n+1, " Issue ", n))
	}
	return b.String(), want
}

// names returns the names of the issues of the project P in order. It reports numbers that two issues have.
// Numbers that an attempt has reserved but not used are left out.
func (s *site) names() (out []string) {
	s.Helper()
	last := ""
	for _, row := range s.rows() {
		num, name, _ := strings.Cut(row, " ")
		if num == last {
			s.Errorf("two issues have the number %s", num)
		}
		out, last = append(out, name), num
	}
	slices.Sort(out)
	return out
}

// namesOf returns a file and the names of its issues in order.
func namesOf(text string, rows []string) (_ string, names []string) {
	for _, row := range rows {
		_, name, _ := strings.Cut(row, " ")
		names = append(names, name)
	}
	slices.Sort(names)
	return text, names
}

var intoP = Settings{Project: "P"}

func counts(r *Result) string {
	if r == nil || r.Summary == nil {
		return "none"
	}
	return fmt.Sprintf("added %d, changed %d, unchanged %d, rejected %d", r.Summary.Added, r.Summary.Changed,
		r.Summary.Unchanged, r.Summary.Rejected)
}

// TestLikeTheCommand compares dry runs and imports with those of package importer, for plain and compressed
// files, and the rejected rows.
func TestLikeTheCommand(t *testing.T) {
	t.Parallel()
	text := "key,name,status,points\n1,First,Open,3\n2,Second,Done,5\n3,Third,Open,7\n3,Again,Open,7\n" +
		"4,\"Fou\nrth\",Closed,9\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, text)
	z.Close()
	for name, content := range map[string]string{"file.csv": text, "file.csv.gz": zipped.String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).server(true)
			mapping, err := importer.ParseMapping([]byte(`{"columns": [{"column": "key", "to": "rowKey"},
				{"column": "name", "to": "name"}, {"column": "status", "to": "state"},
				{"column": "points", "type": "INTEGER"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			acme, err := s.site.db.Tenant(tenant)
			if err != nil {
				t.Fatal(err)
			}
			options := importer.Options{File: path, Project: "P", Mapping: mapping}
			report, err := importer.Inspect(t.Context(), acme, options)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.uploadPieces(iotestOneByte{strings.NewReader(content)}, name,
				Settings{Project: "P", Mapping: mapping, DryRun: true}, admin)
			if err != nil {
				t.Fatal(err)
			}
			m, dry := s.until(m.ID, Done)
			want := &Result{Summary: summaryOf(report.Summary), Mapping: mapping,
				Columns: columnsOf(report.Columns)}
			if diff := cmp.Diff(encode(want), encode(dry)); diff != "" {
				t.Errorf("dry run (-command +service):\n%s", diff)
			}
			if m.Bytes != int64(len(content)) || m.Name != name || m.By != "ann" {
				t.Errorf("%+v", m)
			}
			if got := s.rows(); got != nil {
				t.Errorf("a dry run has imported %q", got)
			}
			if _, err := s.imports().Start(t.Context(), m.ID, Settings{Project: "P", Mapping: mapping},
				admin); err != nil {
				t.Fatal(err)
			}
			m, real := s.until(m.ID, Done)
			if diff := cmp.Diff(encode(want.Summary), encode(real.Summary)); diff != "" {
				t.Errorf("import (-dry +real):\n%s", diff)
			}
			wantRows := []string{"1 First", "2 Second", "3 Third", "4 Fou rth"}
			if diff := cmp.Diff(wantRows, s.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			// The command rejects the same row of a file whose other rows exist already.
			summary, err := importer.Run(t.Context(), acme, options)
			if err != nil || summary.Added+summary.Changed != 0 {
				t.Fatalf("%v, %v", summary, err)
			}
			wantRejects, err := os.ReadFile(summary.RejectsFile)
			if err != nil {
				t.Fatal(err)
			}
			from, rejectsName, err := s.imports().Rejected(t.Context(), m.ID,
				func(read func(context.Context, *Imports) error) error {
					return read(t.Context(), s.imports())
				})
			if err != nil {
				t.Fatal(err)
			}
			gotRejects, err := io.ReadAll(from)
			if err != nil || string(gotRejects) != string(wantRejects) || rejectsName != "file.rejects.csv" {
				t.Errorf("%s: %q, %v; want %q", rejectsName, gotRejects, err, wantRejects)
			}
		})
	}
}

// iotestOneByte returns one byte for each Read.
type iotestOneByte struct{ io.Reader }

func (r iotestOneByte) Read(b []byte) (int, error) { return r.Reader.Read(b[:min(1, len(b))]) }

// TestOneAtATime starts the same file many times on two servers, and checks that every row is added once (U1).
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	servers := []*server{site.server(true), site.server(true)}
	text, want := file(250)
	var ids [6]string
	var all sync.WaitGroup
	for n := range ids {
		all.Go(func() { ids[n] = servers[n%2].must(text, intoP, admin) })
	}
	all.Wait()
	added := int64(0)
	for n, id := range ids {
		_, r := servers[n%2].until(id, Done)
		added += r.Summary.Added
		if r.Summary.Added+r.Summary.Unchanged != 250 {
			t.Errorf("import %d: %s", n, counts(r))
		}
	}
	if diff := cmp.Diff(want, site.rows()); diff != "" || added != 250 {
		t.Errorf("%d rows added (-want +got):\n%s", added, diff)
	}
	q, _, err := servers[0].imports().read(t.Context(), "")
	if err != nil || encode(q) != "{}" {
		t.Errorf("the queue is %s, %v", encode(q), err)
	}
}

// TestTakenOver stops a server, or cuts it off from the table, at many points of an import, and checks that
// another one completes it (U2).
func TestTakenOver(t *testing.T) {
	t.Parallel()
	text, want := namesOf(file(300))
	for _, graceful := range []bool{true, false} {
		for _, after := range []int{0, 1, 2, 3, 5, 8, 11} {
			t.Run(fmt.Sprintf("stopped %t, after %d writes", graceful, after), func(t *testing.T) {
				t.Parallel()
				site := newSite(t)
				first := site.server(true)
				calls, reached := atomic.Int64{}, make(chan struct{})
				id := site.server(false).must(text, intoP, admin)
				first.wire.Intercept(func(r *dynamotest.Request,
					send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
					if strings.Contains(r.Operation, "Write") {
						if n := calls.Add(1); n == int64(after)+1 {
							close(reached)
						} else if n > int64(after)+1 {
							return &dynamotest.Response{Err: errors.New("cut off")}
						}
					}
					return send(r)
				})
				first.kick(tenant)
				<-reached
				if graceful {
					first.wire.Intercept(nil)
				}
				first.stop()
				if !graceful {
					site.ahead.Add(int64(leaseTime))
				}
				second := site.server(true)
				m, r := second.until(id, Done)
				if got := r.Summary.Added + r.Summary.Unchanged; got != 300 || r.Summary.Rejected != 0 {
					t.Errorf("%s", counts(r))
				}
				if diff := cmp.Diff(want, site.names()); diff != "" {
					t.Errorf("after %d attempts (-want +got):\n%s", m.Attempts, diff)
				}
			})
		}
	}
}

// TestLeaseIsLost cuts a server off from the queue while it imports, and checks that it stops before its lease
// ends, and that it does not overwrite what another one has written (U3).
func TestLeaseIsLost(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	first := site.server(true)
	text, want := namesOf(file(2000))
	id := site.server(false).must(text, intoP, admin)
	var cut atomic.Bool
	first.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if strings.Contains(string(r.Body), "upload-queue") && cut.Load() {
			return dynamotest.Refusal("ValidationException", "cut off")
		}
		if r.Operation == "BatchWriteItem" && cut.CompareAndSwap(false, true) {
			site.ahead.Add(int64(leaseTime - stopBefore + time.Second)) // the other renewals fail
		}
		return send(r)
	})
	first.kick(tenant)
	for !cut.Load() {
		if err := wait(t.Context(), time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	second := site.server(true)
	if q, _, err := second.imports().read(t.Context(), ""); err != nil || !q.leased(second.imports().now()) {
		t.Errorf("the lease has ended already: %s, %v", encode(q), err)
	}
	first.stop()
	site.ahead.Add(int64(leaseTime))
	_, r := second.until(id, Done)
	if diff := cmp.Diff(want, site.names()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", counts(r), diff)
	}
}

// TestCancel cancels imports that wait, that run, and that have ended.
func TestCancel(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	idle := site.server(false)
	text, _ := file(500)
	waiting := idle.must(text, intoP, admin)
	if m, err := idle.imports().Cancel(t.Context(), waiting); err != nil || m.Status != Canceled {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := idle.imports().Cancel(t.Context(), waiting); tracker.CodeOf(err) != tracker.Conflict {
		t.Errorf("a canceled import is canceled: %v", err)
	}
	running := idle.must(text, intoP, admin)
	if _, err := idle.imports().Start(t.Context(), running, intoP, admin); tracker.CodeOf(err) !=
		tracker.Conflict {
		t.Errorf("an import that waits is started: %v", err)
	}
	busy := site.server(true)
	held, once := make(chan struct{}), sync.Once{}
	busy.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "BatchWriteItem" && !strings.Contains(string(r.Body), "/upload-") {
			once.Do(func() {
				if _, err := idle.imports().Cancel(t.Context(), running); err != nil {
					t.Error(err)
				}
				close(held)
			})
			<-r.Context().Done() // until the import has been stopped
		}
		return send(r)
	})
	busy.kick(tenant)
	<-held
	m, r := busy.until(running, Canceled)
	busy.wire.Intercept(nil)
	if r.Problems != nil || m.Ended.IsZero() {
		t.Errorf("%+v, %s", m, encode(r))
	}
	if m, err := busy.imports().Start(t.Context(), running, intoP, admin); err != nil || m.Status != Waiting {
		t.Errorf("%+v, %v", m, err)
	}
	if _, r := busy.until(running, Done); r.Summary.Added+r.Summary.Unchanged != 500 {
		t.Errorf("%s", counts(r))
	}
}

// TestLimits checks the limits of imports, and the role that a file needs.
func TestLimits(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	s := site.server(true)
	refused := func(what string, code tracker.Code, words string, err error) {
		t.Helper()
		if tracker.CodeOf(err) != code || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := s.upload("", intoP, admin)
	refused("an empty file", tracker.BadInput, "empty", err)
	_, err = s.upload(strings.Repeat("x", 4<<20+1), intoP, admin)
	refused("a large file", tracker.BadInput, "4194304 bytes", err)
	for _, name := range []string{"a\x00b", strings.Repeat("n", 256), "\xff"} {
		_, err = s.uploadPieces(strings.NewReader("x"), name, intoP, admin)
		refused("a name", tracker.BadInput, "255 bytes", err)
	}
	failed := func(what, text string, settings Settings, by tracker.Principal, code tracker.Code,
		words string) {
		t.Helper()
		_, r := s.until(s.must(text, settings, by), Failed)
		if len(r.Problems) != 1 || r.Problems[0].Code != code ||
			!strings.Contains(r.Problems[0].Message, words) {
			t.Errorf("%s: %s", what, encode(r.Problems))
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	io.WriteString(z, "key,name\n")
	for n := range Unpacked*4 + 1 {
		fmt.Fprintf(z, "k%d,%s\n", n, strings.Repeat("n", 1<<20))
	}
	z.Close()
	failed("a bomb", bomb.String(), intoP, admin, tracker.BadInput, "67108864 bytes after decompression")
	failed("no text", "PK\x03\x04", intoP, admin, tracker.BadInput, "ZIP")
	text, _ := file(3)
	failed("an editor's new project", text, intoP, editor, tracker.Forbidden, "new project P")
	s.until(s.must(text, intoP, admin), Done)
	s.until(s.must(text+"k9,More\n", intoP, editor), Done)
	failed("an editor's new field", "key,name,size\nk1,x,3\n", intoP, editor, tracker.Forbidden,
		`new fields of P: "size"`)
	failed("no project", text, Settings{}, admin, tracker.BadInput, "project")
	if _, _, err := s.imports().Get(t.Context(), "queue"); tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("the queue is an import: %v", err)
	}
	idle := newSite(t).server(false)
	for range MaxOpen {
		idle.must(text, intoP, admin)
	}
	_, err = idle.upload(text, intoP, admin)
	refused("too many imports", tracker.RateLimited, "20 imports", err)
	if tracker.RetryAfter(err) == 0 {
		t.Error("no time to retry after")
	}
}

// TestCrashingImport checks that an import that ends its server again and again fails in the end.
func TestCrashingImport(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	s := site.server(true)
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "BatchWriteItem" && !strings.Contains(string(r.Body), "upload-") {
			return dynamotest.Refusal("InternalServerError", "down")
		}
		return send(r)
	})
	text, want := namesOf(file(3))
	id := s.must(text, intoP, admin)
	m, r := s.until(id, Failed)
	if m.Attempts != maxAttempts || len(r.Problems) != 1 || r.Problems[0].Code != tracker.Unavailable {
		t.Errorf("%d attempts: %s", m.Attempts, encode(r))
	}
	s.wire.Intercept(nil)
	if _, err := s.imports().Start(t.Context(), id, intoP, admin); err != nil {
		t.Fatal(err)
	}
	s.until(id, Done)
	if diff := cmp.Diff(want, site.names()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestExpiry checks that everything of an import expires at the same time, and that it is gone then (U4).
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := newSite(t).server(true)
	var mu sync.Mutex
	expires := map[string]int{}
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		mu.Lock()
		defer mu.Unlock()
		for _, item := range uploadItems(r.Body) {
			expires[item]++
		}
		return send(r)
	})
	mapping, err := importer.ParseMapping([]byte(`{"columns": [{"column": "key", "to": "rowKey"},
		{"column": "name", "to": "name"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	id := s.must("key,name\n1,a\n1,b\n", Settings{Project: "P", Mapping: mapping}, admin)
	m, _ := s.until(id, Done)
	if want := m.Created.Add(Keep); m.Expires.Unix() != want.Unix() || m.Rejects == 0 {
		t.Errorf("expires at %v, want %v; %d bytes of rejected rows", m.Expires, want, m.Rejects)
	}
	mu.Lock()
	if diff := cmp.Diff([]string{fmt.Sprint(m.Expires.Unix())}, keysOf(expires)); diff != "" {
		t.Errorf("times of expiry (-want +got):\n%s", diff)
	}
	mu.Unlock()
	s.ahead.Add(int64(Keep + time.Second))
	if _, _, err := s.imports().Get(t.Context(), id); tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("an expired import: %v", err)
	}
}

// uploadItems returns when the items of uploads in the body of a write expire. The queue does not.
func uploadItems(body []byte) (out []string) {
	var each func(any)
	each = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				each(e)
			}
		case map[string]any:
			item, _ := v["Item"].(map[string]any)
			pk, _ := item["PK"].(map[string]any)
			if key, _ := pk["S"].(string); strings.Contains(key, "/upload-") &&
				!strings.HasSuffix(key, queueID) {
				at, _ := item["expires"].(map[string]any)
				out = append(out, fmt.Sprint(at["N"]))
			}
			for _, e := range v {
				each(e)
			}
		}
	}
	var v any
	if json.Unmarshal(body, &v) == nil {
		each(v)
	}
	return out
}

func keysOf(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// issues returns the issues of a project by number.
func issues(t *testing.T, of *dynamo.Tenant, p tracker.ProjectID) []*tracker.Issue {
	t.Helper()
	var out []*tracker.Issue
	for q := (columns.KeyQuery{Project: p, Column: tracker.ColumnNum, Limit: 100}); ; {
		page, err := of.QueryKeys(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]tracker.IssueID, len(page.Keys))
		for n, k := range page.Keys {
			ids[n] = k.Issue
		}
		found, err := of.Issues(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
		if page.Last == nil {
			return out
		}
		q.From = sortkey.After(page.Last)
	}
}
