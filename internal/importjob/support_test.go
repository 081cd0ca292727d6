package importjob

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/internal/runner"
	"issuegrid/internal/traffic"
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
	out.Service = New(db, 4<<20, nil)
	out.every, out.runner = 5*time.Millisecond, runner.New[tracker.TenantID](5*time.Millisecond)
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

func (s *server) imports() *Imports { return s.importsOf(tenant) }

func (s *server) importsOf(id tracker.TenantID) *Imports {
	s.Helper()
	i, err := s.Of(s.Service.db, id)
	if err != nil {
		s.Fatal(err)
	}
	return i
}

// upload uploads a file and starts its import.
func (s *server) upload(text string, settings Settings, by tracker.Principal) (*Import, error) {
	s.Helper()
	return s.uploadPieces(s.imports(), strings.NewReader(text), "file.csv", settings, by)
}

func (s *server) uploadPieces(all *Imports, from io.Reader, name string, settings Settings,
	by tracker.Principal) (*Import, error) {
	s.Helper()
	u, err := s.NewUpload(name, by, func(write func(context.Context, *Imports) error) error {
		return write(s.Context(), all)
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
	return all.Add(s.Context(), u, settings, by)
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

// uploadTo uploads a file to another tenant, which it creates, and starts its import.
func (s *server) uploadTo(id tracker.TenantID, text string) (*Imports, string) {
	s.Helper()
	other := tracker.Tenant{ID: id, Name: "Tenant " + string(id)}
	if err := s.site.db.CreateTenant(s.Context(), other); err != nil {
		s.Fatal(err)
	}
	all := s.importsOf(id)
	m, err := s.uploadPieces(all, strings.NewReader(text), "f", intoP, admin)
	if err != nil {
		s.Fatal(err)
	}
	return all, m.ID
}

// host is a process in which the imports of some tenants wait for the CPU until release is closed.
type host struct {
	waiting map[tracker.TenantID]bool
	reached chan tracker.TenantID
	release chan struct{}
	memory  holding
}

func (h *host) Background(ctx context.Context, t tracker.TenantID, _ time.Duration) error {
	if !h.waiting[t] {
		return nil
	}
	select {
	case h.reached <- t:
	case <-h.release:
	}
	<-h.release
	return ctx.Err()
}

func (h *host) ImportMemory(tracker.TenantID) (importer.Memory, func()) { return h.memory, func() {} }

// holding is a budget: it returns whether bytes can be held. Without a function, they can.
type holding func() error

func (h holding) Hold(context.Context, int64) error {
	if h == nil {
		return nil
	}
	return h()
}

func (h holding) Release(int64) {}

// until waits until an import has a status.
func (s *server) until(id string, status Status) (*Import, *Result) {
	s.Helper()
	return s.untilIn(s.imports(), id, status)
}

// untilIn is until for an import of another tenant.
func (s *server) untilIn(all *Imports, id string, status Status) (*Import, *Result) {
	s.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; { // DynamoDB Local is slow beside other work
		m, r, err := all.Get(s.Context(), id)
		if err != nil {
			s.Fatal(err)
		}
		if m.Status == status {
			return m, r
		}
		if !m.Status.Open() || time.Now().After(deadline) {
			s.Fatalf("the import is %s, want %s: %s", m.Status, status, encode(r))
		}
		if err := traffic.Sleep(s.Context(), time.Millisecond); err != nil {
			s.Fatal(err)
		}
	}
}

// rows returns the issues of the project P as NUMBER NAME, by number.
func (s *site) rows() (out []string) {
	s.Helper()
	for _, i := range s.issues() {
		out = append(out, fmt.Sprint(i.Num, " ", i.Name))
	}
	return out
}

// issues returns the issues of the project P, by number.
func (s *site) issues() []*tracker.Issue {
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
	return dynamotest.Issues(s, t, &tracker.Project{ID: p})
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

func keysOf(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
