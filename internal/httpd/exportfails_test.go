package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/internal/auth"
	"issuegrid/internal/operation"
	"issuegrid/internal/traffic"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// failing returns an interceptor that calls f instead of the nth Query.
func failing(n int64, f func(*dynamotest.Request) *dynamotest.Response) dynamotest.Interceptor {
	var queries atomic.Int64
	return func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "Query" && queries.Add(1) >= n {
			return f(r)
		}
		return send(r)
	}
}

// denied is a response of DynamoDB that is not tried again.
func denied(*dynamotest.Request) *dynamotest.Response {
	return dynamotest.Refusal("AccessDeniedException", "no")
}

// TestExportFails: an error before the file has its status, and one within the file is visible to the client.
func TestExportFails(t *testing.T) {
	t.Parallel()
	s := newExportSite(t, 900, traffic.Rates{}, nil)
	s.wire.Intercept(failing(1, denied))
	if r, text := s.get(); r.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(text, "UNAVAILABLE") || r.Header.Get("Content-Disposition") != "" {
		t.Errorf("%s %v %s", r.Status, r.Header, text)
	}
	for _, encoding := range []string{"identity", "gzip"} {
		s.wire.Intercept(failing(8, denied))
		r, part, err := s.send(t.Context(), encoding)
		if r == nil || r.StatusCode != http.StatusOK || len(part) == 0 ||
			!errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %+v, %d bytes, %v", encoding, r, len(part), err)
		}
	}
	s.holdsNothing()
}

// TestExportClientGone: nothing is read after the client has disconnected.
func TestExportClientGone(t *testing.T) {
	t.Parallel()
	s := newExportSite(t, 900, traffic.Rates{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.wire.Intercept(failing(4, func(r *dynamotest.Request) *dynamotest.Response {
		cancel()
		<-r.Context().Done()
		return &dynamotest.Response{Err: r.Context().Err()}
	}))
	s.wire.Reset()
	s.send(ctx, "identity")
	if calls := s.wire.Calls(); calls["Query"] != 4 {
		t.Errorf("calls %v", calls)
	}
	s.holdsNothing()
}

// TestExportTimeout: the timeout of an operation ends all calls of a page.
func TestExportTimeout(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"Query", "BatchGetItem"} {
		s := newExportSite(t, 10, traffic.Rates{}, nil)
		s.control.Timeout = time.Second
		var attempts atomic.Int64
		s.wire.Intercept(func(r *dynamotest.Request,
			send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
			if r.Operation != operation {
				return send(r)
			}
			attempts.Add(1)
			<-r.Context().Done()
			return &dynamotest.Response{Err: r.Context().Err()}
		})
		r, text := s.get()
		if n := attempts.Load(); n > 1 || r.StatusCode != http.StatusServiceUnavailable ||
			!strings.Contains(text, "UNAVAILABLE") {
			t.Errorf("%s does not end: %d attempts, %s %s", operation, n, r.Status, text)
		}
		s.holdsNothing()
	}
}

// TestCPUOfFiles: CPU time between the operations of an export or an import, such as that of sending a file,
// costs what that of an operation does, beyond a free part.
func TestCPUOfFiles(t *testing.T) {
	t.Parallel()
	rates := traffic.Rates{RCU: 1e6, WCU: 1e6}
	e, i := newExportSite(t, 10, rates, nil), newImportSite(t, rates)
	id := model.ImportID(i.caller.Tenant, "0123456789abcdefghijklmnop")
	for _, c := range []struct {
		name    string
		control *Control
		caller  tracker.Principal
		request func(cpu time.Duration)
	}{
		{"an export", e.control, e.caller, func(cpu time.Duration) {
			e.cpu = cpu
			e.get()
		}},
		{"an import", i.control, i.caller, func(cpu time.Duration) {
			ctx, o := i.control.Begin(auth.With(t.Context(), i.caller), i.caller)
			defer o.Close()
			o.Account.Spend(cpu)
			i.imports.ServeHTTP(httptest.NewRecorder(),
				httptest.NewRequestWithContext(ctx, http.MethodGet, ImportsPath+"/"+id, nil))
		}},
	} {
		cost := func(cpu time.Duration) float64 {
			before, _ := c.control.Buckets.Read(c.caller.Tenant)
			c.request(cpu)
			after, _ := c.control.Buckets.Read(c.caller.Tenant)
			return before.Remaining - after.Remaining
		}
		few := cost(0)
		most := cost(operation.FreeCPU + 30*time.Millisecond)
		if math.Abs(most-few-30*operation.CPURCU) > 1 {
			t.Errorf("%s: 40 ms of CPU time cost %g RCU, and none %g", c.name, most, few)
		}
	}
}

// TestExportOutlastsReadTimeout: the time to read a request does not end its export.
func TestExportOutlastsReadTimeout(t *testing.T) {
	tier.Verify(t, "a timeout of 50 ms must not end the arrival of the request")
	t.Parallel()
	const limit = 50 * time.Millisecond
	s := newExportSite(t, 300, traffic.Rates{}, func(h *http.Server) { h.ReadTimeout = limit })
	var queries atomic.Int64
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "Query" && queries.Add(1) == 2 {
			select { // the limit passes while the second page is read
			case <-time.After(3 * limit):
			case <-r.Context().Done():
			}
		}
		return send(r)
	})
	if r, text := s.get("columns=number"); r.StatusCode != http.StatusOK || strings.Count(text, "\n") != 301 {
		t.Errorf("%s, %d lines", r.Status, strings.Count(text, "\n"))
	}
}

// TestExportMemory: the memory of an export does not depend on the length of the file (E3).
func TestExportMemory(t *testing.T) {
	t.Parallel()
	const texts = 40
	s := newExportSite(t, 1, traffic.Rates{}, nil)
	p := s.project.Project.ID
	tenant, err := s.db.Tenant(s.project.Tenant.ID)
	if err != nil {
		t.Fatal(err)
	}
	d, err := tenant.Definition(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	// a control character has six bytes in JSON
	long := strings.Repeat("0123456789abcde\x01", tracker.MaxText/16)
	for n := range texts {
		i := s.project.Issues[0]
		i.ID, i.Num, i.Description = tracker.IssueID{Project: p, Issue: fmt.Sprint("x", n)}, int64(n+10),
			tracker.Text(long)
		if err := tenant.PutIssues(t.Context(), d, []tracker.Issue{i}); err != nil {
			t.Fatal(err)
		}
	}
	var peak atomic.Int64
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		a := send(r)
		peak.Store(max(peak.Load(), s.control.Memory.State().Used))
		return a
	})
	r, text := s.get("format=jsonl", "columns=description", `where={"num": {"gte": 10}}`)
	want := texts * (len(long) + 5*len(long)/16 + len(`{"description":""}`) + 1)
	if r.StatusCode != http.StatusOK || len(text) != want {
		t.Errorf("%s, %d bytes, want %d", r.Status, len(text), want)
	}
	if used := peak.Load(); used < 8<<20 || used > 48<<20 {
		t.Errorf("an export of %d MiB held up to %d MiB", len(text)>>20, used>>20)
	}
}

// deadlines records the write deadlines of a response.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestExportDeadline: a client has 15 seconds for a page, and a second for each 64 KiB.
func TestExportDeadline(t *testing.T) {
	t.Parallel()
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	d := &download{ResponseWriter: w, ctx: t.Context(), name: "a.csv", media: "text/csv"}
	d.allow()
	from := d.until.Add(-exportTime)
	for range 3 {
		if _, err := d.Write(make([]byte, 128<<10)); err != nil {
			t.Fatal(err)
		}
	}
	for i, at := range w.set {
		if got, want := at.Sub(from), 15*time.Second+time.Duration(i+1)*2*time.Second; got != want {
			t.Errorf("after %d writes: %v, want %v", i+1, got, want)
		}
	}
}
