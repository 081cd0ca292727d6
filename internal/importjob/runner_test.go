package importjob

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/uploads"
	"issuegrid/internal/importer"
	"issuegrid/internal/runner"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// TestTakenOver stops a server, or cuts it off from the table, at many points of an import, and checks that
// another one completes it (U2), and counts what both have done (U5).
func TestTakenOver(t *testing.T) {
	t.Parallel()
	text, want := namesOf(file(300))
	for _, graceful := range []bool{true, false} {
		for _, after := range []int{0, 1, 2, 3, 5, 8, 11} {
			t.Run(fmt.Sprintf("stopped %t, after %d writes", graceful, after), func(t *testing.T) {
				t.Parallel()
				site := newSite(t)
				m, r := site.interrupted(text, graceful, after)
				if got := counts(r); got != "added 300, changed 0, unchanged 0, rejected 0" {
					t.Errorf("%s", got)
				}
				if diff := cmp.Diff([]string{"new project P", `new states of P: "Open", "Closed"`,
					`new fields of P: "key"`},
					r.Summary.Definitions); diff != "" {
					t.Errorf("definitions (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want, site.names()); diff != "" {
					t.Errorf("after %d attempts (-want +got):\n%s", m.Attempts, diff)
				}
			})
		}
	}
}

// TestChangesTakenOver is TestTakenOver for rows of which some have an issue, with another name or the same.
func TestChangesTakenOver(t *testing.T) {
	t.Parallel()
	text, want := namesOf(file(60))
	lines := strings.SplitAfter(text, "\n")
	before := lines[0] + strings.ReplaceAll(strings.Join(lines[1:21], ""), "Issue", "Old") +
		strings.Join(lines[21:31], "")
	for _, after := range []int{0, 1, 3, 7, 12, 20, 30} {
		t.Run(fmt.Sprintf("after %d writes", after), func(t *testing.T) {
			t.Parallel()
			site := newSite(t)
			server := site.server(true)
			server.until(server.must(before, intoP, admin), Done)
			server.stop()
			_, r := site.interrupted(text, false, after)
			if got := counts(r); got != "added 30, changed 20, unchanged 10, rejected 0" {
				t.Errorf("%s", got)
			}
			if diff := cmp.Diff(want, site.names()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// interrupted imports a file on a server that is stopped or cut off from the table after some writes, and
// then on another one.
func (s *site) interrupted(text string, graceful bool, after int) (*Import, *Result) {
	s.Helper()
	first := s.server(true)
	calls, reached := atomic.Int64{}, make(chan struct{})
	id := s.server(false).must(text, intoP, admin)
	first.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if strings.Contains(r.Operation, "Write") {
			if n := calls.Add(1); n == int64(after)+1 {
				close(reached)
			} else if n > int64(after)+1 {
				return dynamotest.Refusal("ResourceNotFoundException", "cut off")
			}
		}
		return nil
	}))
	first.kick(tenant)
	<-reached
	if graceful {
		first.wire.Intercept(nil)
	}
	first.stop()
	if !graceful {
		s.ahead.Add(int64(runner.LeaseTime))
	}
	return s.server(true).until(id, Done)
}

// TestCanceledLater cancels the second attempt of an import before it reaches the rows that the first one has
// found, and checks that the result counts them (U5).
func TestCanceledLater(t *testing.T) {
	t.Parallel()
	text, _ := namesOf(file(300))
	for what, request := range map[string]string{"before it begins": "",
		"while it reads the file": "xpart-file", "while it compares rows": "/issue-"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			site := newSite(t)
			first, kept, cut := site.server(true), atomic.Int64{}, make(chan struct{})
			id := site.server(false).must(text, intoP, admin)
			first.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
				if r.Operation == "BatchWriteItem" && strings.Contains(string(r.Body), "xpart-journal") &&
					kept.Add(1) == 3 { // after the definitions and 100 rows
					close(cut)
				}
				if kept.Load() > 2 {
					return dynamotest.Refusal("ResourceNotFoundException", "cut off")
				}
				return nil
			}))
			first.kick(tenant)
			<-cut
			first.stop()
			site.ahead.Add(int64(runner.LeaseTime))
			if request == "" {
				if _, err := site.server(false).imports().Cancel(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			second := site.server(true)
			var once sync.Once
			second.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
				if request != "" && r.Operation == "BatchGetItem" &&
					strings.Contains(string(r.Body), request) {
					once.Do(func() {
						if _, err := site.server(false).imports().Cancel(t.Context(), id); err != nil {
							t.Error(err)
						}
					})
					<-r.Context().Done() // until the import has been stopped
				}
				return nil
			}))
			second.kick(tenant)
			m, r := second.until(id, Canceled)
			if got := counts(r); got != "added 100, changed 0, unchanged 0, rejected 0" || m.Attempts != 2 ||
				r.Summary.Rows < 100 || !cmp.Equal(r.Summary.Projects, []Project{{Key: "P", Added: 100}}) {
				t.Errorf("%+v, %s", m, encode(r))
			}
		})
	}
}

// TestImportThatCrashesServers crashes each server that runs an import, and checks that the import fails
// after maxAttempts, that the next import in the queue runs, and that the failed one can be started again
// (U2).
func TestImportThatCrashesServers(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	text, want := namesOf(file(3))
	idle := site.server(false)
	id := idle.must(text, intoP, admin)
	next := idle.must("key,name\nnext,Next\n", intoP, admin)
	for range maxAttempts {
		crashing, begun := site.server(true), make(chan struct{})
		var once sync.Once
		crashing.wire.Intercept(func(r *dynamotest.Request,
			send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
			if strings.Contains(r.Operation, "Write") && !strings.Contains(string(r.Body), "upload-") {
				once.Do(func() { close(begun) })
			}
			select {
			case <-begun:
				return dynamotest.Refusal("ResourceNotFoundException", "crashed")
			default:
				return send(r)
			}
		})
		crashing.kick(tenant)
		<-begun
		crashing.stop()
		site.ahead.Add(int64(runner.LeaseTime))
	}
	s := site.server(true)
	m, r := s.until(id, Failed)
	if m.Attempts != maxAttempts || len(r.Problems) != 1 || r.Problems[0].Code != tracker.Unavailable ||
		!strings.Contains(r.Problems[0].Message, "5 attempts") {
		t.Errorf("%d attempts: %s", m.Attempts, encode(r))
	}
	if r.Summary == nil || len(r.Summary.Definitions) != 3 {
		t.Errorf("what the attempts began is missing: %s", encode(r))
	}
	if m, _ := s.until(next, Done); m.Attempts != 1 {
		t.Errorf("the next import was begun %d times", m.Attempts)
	}
	if _, err := s.imports().Start(t.Context(), id, func(*Settings) {}, admin); err != nil {
		t.Fatal(err)
	}
	if m, _ := s.until(id, Done); m.Attempts != maxAttempts+1 {
		t.Errorf("the import was begun %d times", m.Attempts)
	}
	if diff := cmp.Diff(append(want, "Next"), site.names()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestLeaseIsLost cuts a server off from the queue while it imports, and checks that it stops before its
// lease ends, and that it does not overwrite what another one has written (U3).
func TestLeaseIsLost(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	first := site.server(true)
	text, want := namesOf(file(2000))
	id := site.server(false).must(text, intoP, admin)
	var cut atomic.Bool
	first.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if strings.Contains(string(r.Body), "upload-queue") && cut.Load() {
			return dynamotest.Refusal("ValidationException", "cut off")
		}
		if r.Operation == "BatchWriteItem" && cut.CompareAndSwap(false, true) {
			site.ahead.Add(int64(runner.LeaseTime - stopBefore + time.Second)) // the other renewals fail
		}
		return nil
	}))
	first.kick(tenant)
	for !cut.Load() {
		if err := traffic.Sleep(t.Context(), time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	second := site.server(true)
	q, _, err := second.imports().read(t.Context(), "")
	if err != nil || q.Held("", second.imports().now()) == 0 {
		t.Fatalf("the lease has ended already: %s, %v", encode(q), err)
	}
	first.stop()
	site.ahead.Add(int64(runner.LeaseTime))
	_, r := second.until(id, Done)
	if diff := cmp.Diff(want, site.names()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", counts(r), diff)
	}
}

// TestExpiry checks that everything of an import expires at the same time, and that it is gone then (U4).
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := newSite(t).server(true)
	var mu sync.Mutex
	expires := map[string]int{}
	s.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		mu.Lock()
		defer mu.Unlock()
		for _, item := range uploadItems(r.Body) {
			expires[item]++
		}
		return nil
	}))
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
				!strings.HasSuffix(key, uploads.Queue) {
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

// TestStopsDoNotCount stops more servers during an import than the attempts that it has, and checks that it
// does not fail because of them.
func TestStopsDoNotCount(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	text, want := namesOf(file(20))
	id := site.server(false).must(text, intoP, admin)
	for range maxAttempts + 1 {
		s := site.server(true)
		reached, once := make(chan struct{}), sync.Once{}
		s.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
			if r.Operation == "BatchWriteItem" {
				once.Do(func() { close(reached) })
				<-r.Context().Done()
			}
			return nil
		}))
		s.kick(tenant)
		<-reached
		s.stop()
	}
	last := site.server(true)
	if m, _ := last.until(id, Done); m.Attempts != maxAttempts+2 {
		t.Errorf("%d attempts", m.Attempts)
	}
	if diff := cmp.Diff(want, site.names()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestTenantsDoNotWait holds the import of a tenant, and checks that those of another one run meanwhile.
func TestTenantsDoNotWait(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	s := site.server(true)
	reached, release, once := make(chan struct{}), make(chan struct{}), sync.Once{}
	s.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if r.Operation == "BatchWriteItem" && strings.Contains(string(r.Body), `"`+string(tenant)+"/issue-") {
			once.Do(func() { close(reached) })
			<-release
		}
		return nil
	}))
	text, _ := file(3)
	id := s.must(text, intoP, admin)
	<-reached
	other, otherID := s.uploadTo("other", text)
	s.untilIn(other, otherID, Done)
	close(release)
	s.until(id, Done)
}

// TestPlacesGoRound checks that imports that wait for the CPU or for capacity hold no place: with two places,
// one of a third tenant ends while those of two others wait.
func TestPlacesGoRound(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	s := site.server(true)
	h := &host{waiting: map[tracker.TenantID]bool{tenant: true, "second": true},
		reached: make(chan tracker.TenantID), release: make(chan struct{})}
	s.host = h
	text, _ := file(300)
	long := strings.ReplaceAll(text, "Issue", strings.Repeat("x", 230)) // so many bytes that imports wait
	id := s.must(long, intoP, admin)
	second, secondID := s.uploadTo("second", long)
	for range 2 {
		<-h.reached
	}
	third, thirdID := s.uploadTo("third", long)
	s.untilIn(third, thirdID, Done)
	close(h.release)
	s.until(id, Done)
	s.untilIn(second, secondID, Done)
}

// TestImportsWithoutMemory checks that an import waits while others hold the memory of its server, without
// counting the attempts, and fails if it needs more than it may have.
func TestImportsWithoutMemory(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	s := site.server(true)
	var holds atomic.Int64
	var tooLarge atomic.Bool
	s.host = &host{memory: func() error {
		switch {
		case tooLarge.Load():
			return tracker.Bad("", "more than the limit")
		case holds.Add(1) <= maxAttempts+2:
			return &tracker.Error{Code: tracker.Unavailable, Message: "no memory"}
		}
		return nil
	}}
	text, _ := file(3)
	m, _ := s.until(s.must(text, intoP, admin), Done)
	if m.Attempts != maxAttempts+3 || m.Uncounted != maxAttempts+2 {
		t.Errorf("%d attempts, of which %d do not count", m.Attempts, m.Uncounted)
	}
	tooLarge.Store(true)
	m, result := s.until(s.must(text, intoP, admin), Failed)
	if m.Attempts != 1 || !strings.Contains(fmt.Sprint(result.Problems), "more memory than an import has") {
		t.Errorf("%d attempts, %+v", m.Attempts, result.Problems)
	}
}

// TestStoredQueue checks that the stored form of a queue does not change: servers of other versions read it.
func TestStoredQueue(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	q := queue{Waiting: []string{"b"}, Running: "a", Lease: runner.Lease{Owner: "s", Until: at}, Cancel: true,
		Progress: Progress{"rows", 1, 2}}
	const want = `{"waiting":["b"],"running":"a","owner":"s","until":"2026-03-01T12:00:00Z","cancel":true,` +
		`"progress":{"stage":"rows","done":1,"total":2}}`
	if got := encode(q); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestImportsHaveTheirUser imports files as a user with an account and as others, and reads who last changed
// the issues.
func TestImportsHaveTheirUser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.server(true)
	text, _ := file(3)
	known, operator := admin, tracker.Principal{Tenant: "other", User: "oz", Role: tracker.Operator,
		UserID: "oz"}
	known.UserID = "ann1"
	for name, by := range map[string]tracker.Principal{"ann1": known, "": operator} {
		server.until(server.must(strings.ReplaceAll(text, "Issue", "By "+name), intoP, by), Done)
		for _, i := range s.issues() {
			if string(i.Editor) != name || i.Author != "" {
				t.Errorf("%q was last changed by %q, and is by %q; want %q", i.Name, i.Editor, i.Author, name)
			}
		}
	}
}
