package importjob

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

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
			m, err := s.uploadPieces(s.imports(), iotestOneByte{strings.NewReader(content)}, name,
				Settings{Project: "P", Mapping: mapping, DryRun: true}, admin)
			if err != nil {
				t.Fatal(err)
			}
			m, dry := s.until(m.ID, Done)
			want := &Result{Summary: summaryOf(report.Summary), Mapping: mapping, Reading: &report.Reading,
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
			if _, err := s.imports().Start(t.Context(), m.ID, func(*Settings) {},
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

// TestOneAtATime starts the same file many times on two servers, and checks that every row is added once
// (U1).
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
	if err != nil {
		t.Fatal(err)
	}
	listed := slices.Sorted(slices.Values(q.Recent))
	if q.Recent = nil; encode(q) != "{}" || !slices.Equal(listed, slices.Sorted(slices.Values(ids[:]))) {
		t.Errorf("the queue is %s; %q are listed, want %q", encode(q), listed, ids)
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
	if _, err := idle.imports().Start(t.Context(), running, func(*Settings) {}, admin); tracker.CodeOf(err) !=
		tracker.Conflict {
		t.Errorf("an import that waits is started: %v", err)
	}
	busy := site.server(true)
	held, once := make(chan struct{}), sync.Once{}
	busy.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if r.Operation == "BatchWriteItem" && !strings.Contains(string(r.Body), "/upload-") {
			once.Do(func() {
				if _, err := idle.imports().Cancel(t.Context(), running); err != nil {
					t.Error(err)
				}
				close(held)
			})
			<-r.Context().Done() // until the import has been stopped
		}
		return nil
	}))
	busy.kick(tenant)
	<-held
	m, r := busy.until(running, Canceled)
	busy.wire.Intercept(nil)
	if r.Problems != nil || m.Ended.IsZero() {
		t.Errorf("%+v, %s", m, encode(r))
	}
	m, err := busy.imports().Start(t.Context(), running, func(*Settings) {}, admin)
	if err != nil || m.Status != Waiting {
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
		_, err = s.uploadPieces(s.imports(), strings.NewReader("x"), name, intoP, admin)
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
	s.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if r.Operation == "BatchWriteItem" && !strings.Contains(string(r.Body), "upload-") {
			return dynamotest.Refusal("ResourceNotFoundException", "down")
		}
		return nil
	}))
	text, want := namesOf(file(3))
	id := s.must(text, intoP, admin)
	m, r := s.until(id, Failed)
	if m.Attempts != maxAttempts || len(r.Problems) != 1 || r.Problems[0].Code != tracker.Unavailable {
		t.Errorf("%d attempts: %s", m.Attempts, encode(r))
	}
	s.wire.Intercept(nil)
	if _, err := s.imports().Start(t.Context(), id, func(*Settings) {}, admin); err != nil {
		t.Fatal(err)
	}
	s.until(id, Done)
	if diff := cmp.Diff(want, site.names()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
