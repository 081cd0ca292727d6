package loaders_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

const project = tracker.ProjectID("p1")

// engine is a fake of DynamoDB's BatchGetItem without a network, for virtual time (testing/synctest) and
// injected errors. Every issue whose id begins with i exists, every project whose id begins with p, and every
// long text, except those in missing.
type engine struct {
	mu      sync.Mutex
	missing map[string]bool // by partition key
	// before is called for each request; its result, if not nil, replaces the response.
	before func(keys []string) *dynamotest.Response
	calls  [][]string // the partition keys of each request
}

type awsKey struct{ PK, SK struct{ S string } }

func (e *engine) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation != "BatchGetItem" {
		return nil, fmt.Errorf("the fake engine does not implement %s", operation)
	}
	var request struct {
		RequestItems map[string]struct{ Keys []awsKey }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return nil, err
	}
	responses := map[string][]any{}
	var keys []string
	for table, ask := range request.RequestItems {
		responses[table] = []any{}
		for _, k := range ask.Keys {
			keys = append(keys, k.PK.S)
			if item := e.item(k); item != nil {
				responses[table] = append(responses[table], item)
			}
		}
	}
	e.mu.Lock()
	e.calls = append(e.calls, keys)
	before := e.before
	e.mu.Unlock()
	status := http.StatusOK
	body, err := json.Marshal(map[string]any{"Responses": responses, "UnprocessedKeys": map[string]any{}})
	if err != nil {
		return nil, err
	}
	if before != nil {
		if a := before(keys); a != nil {
			status, body = a.Status, a.Body
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

func (e *engine) item(k awsKey) any {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.missing[k.PK.S] {
		return nil
	}
	s := func(v string) any { return map[string]string{"S": v} }
	n := func(v int) any { return map[string]string{"N": fmt.Sprint(v)} }
	item := map[string]any{"PK": s(k.PK.S), "SK": s(k.SK.S), "name": s(k.PK.S), "version": n(1)}
	switch {
	case strings.Contains(k.SK.S, "/xtext-"):
		item["v"] = map[string][]byte{"B": []byte(textOf(k.PK.S))}
	case strings.Contains(k.PK.S, "/issue-"+string(project)+".i"):
		item["num"], item["state"], item["created"], item["updated"] = n(1), s("open"),
			s("2024-01-01T00:00:00Z"), s("2024-01-01T00:00:00Z")
	case strings.Contains(k.PK.S, "/project-p"), strings.Contains(k.PK.S, "/tenant-"):
	default:
		return nil
	}
	return item
}

// textOf returns the long text of the issue with this partition key.
func textOf(pk string) string { return "the long text of " + pk }

// sizes returns the numbers of keys of the requests so far, largest first.
func (e *engine) sizes() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []int
	for _, keys := range e.calls {
		out = append(out, len(keys))
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// repeated returns the keys that were requested more than once.
func (e *engine) repeated() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen, out := map[string]bool{}, []string(nil)
	for _, key := range slices.Concat(e.calls...) {
		if seen[key] {
			out = append(out, key)
		}
		seen[key] = true
	}
	return out
}

// fail makes the next requests fail with an error code of DynamoDB.
func (e *engine) fail(times int, code string) {
	e.before = func([]string) *dynamotest.Response {
		e.mu.Lock()
		defer e.mu.Unlock()
		if times--; times < 0 {
			return nil
		}
		return dynamotest.Refusal(code, "internal-detail")
	}
}

// request is a client request in a synctest bubble, whose time passes only while all goroutines are blocked.
// The test fails if a goroutine does not end.
type request struct {
	*testing.T
	engine *engine
	db     *dynamo.DB
	set    *loaders.Set
	begin  time.Time
	end    context.CancelFunc
}

// inRequest runs f as a request.
func inRequest(t *testing.T, f func(*request)) {
	t.Helper()
	e := &engine{missing: map[string]bool{}}
	// The table outlives requests, and its background goroutines do not belong to the bubble.
	db, err := dynamo.Open(t.Context(),
		dynamo.Settings{Table: "fake", Endpoint: "http://127.0.0.1:1", Embedded: true,
			Transport: func(http.RoundTripper) http.RoundTripper { return e }})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f(&request{T: t, engine: e, db: db, set: loaders.New(ctx, db), begin: time.Now(), end: cancel})
	})
}

func (r *request) tenant(id tracker.TenantID) *loaders.Tenant {
	r.Helper()
	tenant, err := r.set.Tenant(id)
	if err != nil {
		r.Fatal(err)
	}
	return tenant
}

func issueID(n int) tracker.IssueID {
	return tracker.IssueID{Project: project, Issue: fmt.Sprintf("i%d", n)}
}

// issueIDs returns the ids of issues from (inclusive) to to (exclusive).
func issueIDs(from, to int) []tracker.IssueID {
	var out []tracker.IssueID
	for n := from; n < to; n++ {
		out = append(out, issueID(n))
	}
	return out
}

// textRef refers to the long text of an issue.
func textRef(n int) tracker.LongRef {
	return tracker.LongRef{Issue: issueID(n), Column: "f",
		Long: tracker.Long{Bytes: len(textOf(fmt.Sprintf("acme/issue-p1.i%d", n))), Parts: 1}}
}

// wantBatches checks the sizes of the requests so far, largest first.
func (r *request) wantBatches(sizes ...int) {
	r.Helper()
	if diff := cmp.Diff(sizes, r.engine.sizes()); diff != "" {
		r.Errorf("sizes of batches (-want +got):\n%s", diff)
	}
}

// wantTook checks the time since the request began.
func (r *request) wantTook(want time.Duration) {
	r.Helper()
	if took := time.Since(r.begin); took != want {
		r.Errorf("took %s, want %s", took, want)
	}
}

// load reads issues through a grid, and checks that they are those of ids in order, and nil for missing ones.
func (r *request) load(g *loaders.Grid, ids []tracker.IssueID) {
	r.Helper()
	got, err := g.Issues(r.Context(), ids)
	if err != nil || len(got) != len(ids) {
		r.Errorf("%d issues for %d ids, %v", len(got), len(ids), err)
		return
	}
	for n, id := range ids {
		missing := r.engine.missing["acme/issue-p1."+id.Issue]
		if missing != (got[n] == nil) || !missing && got[n].ID != id {
			r.Errorf("index %d is %v, want %v", n, got[n], id)
		}
	}
}
