package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo"
	"issuegrid/internal/httpd"
	"issuegrid/internal/importjob"
	"issuegrid/internal/sample"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

const (
	// orphanTime is the time for requests under way after the engine has died. Each of them can receive an
	// error response in it.
	orphanTime = 2 * time.Second
	// flushTime is the time to send the last responses after all requests have ended.
	flushTime = time.Second
	// gcPercent lets the heap grow to five times the live heap before a collection. The live heap is small,
	// about 20 MB, and a page allocates 1 MB. With Go's default of 100, the collector takes a third of the
	// CPU time of a page. The environment variable GOGC overrides gcPercent.
	gcPercent = 400
)

type serveCmd struct {
	Addr string
	apiFlags
	observeFlags
	edgeFlags
	storeFlags
	DrainDelay  time.Duration
	UploadBytes int64
	Sample      bool `negatable:""`
}

func (s *serveCmd) definitions() []setting.Definition {
	return slices.Concat([]setting.Definition{
		{Name: "addr", Placeholder: "HOST:PORT", Default: "127.0.0.1:8080",
			Help: "Address to listen on. Port 0 selects a free port."},
		{Name: "drain-delay", Default: time.Duration(0), Min: time.Duration(0), Max: 5 * time.Minute,
			Help: "How long the server continues to serve after a signal to stop while /readyz returns " +
				"503, so that load balancers stop sending requests. It should be longer than a load " +
				"balancer takes to notice."},
		{Name: "upload-bytes", Default: int64(64 << 20), Min: int64(1 << 20), Max: int64(1 << 30), Rare: true,
			Help: "Maximum size of a file that is uploaded to import it, in bytes. After decompression it " +
				"may be 16 times as large."},
		{Name: "sample", Default: true,
			Help: "Load sample data into an empty embedded engine."},
	}, s.apiFlags.definitions(), s.observeFlags.definitions(), s.edgeFlags.definitions(),
		s.storeFlags.definitions())
}

// Help returns the text that kong prints above the flags.
func (s *serveCmd) Help() string {
	return "Ctrl-C or SIGTERM stops the server: after --drain-delay, requests in progress may finish " +
		"within --timeout, and the exit code is 0. A second signal stops the server immediately.\n\n" +
		s.tableFlags.Help()
}

// AfterApply validates the command line.
func (s *serveCmd) AfterApply(k *kong.Context) error {
	if err := s.apiFlags.check(k, s.Addr); err != nil {
		return err
	}
	if err := s.observeFlags.check(os.Getenv); err != nil {
		return err
	}
	if err := s.edgeFlags.check(httpd.OpenFiles()); err != nil {
		return err
	}
	if s.Sample {
		if err := s.storeFlags.refuse(k, "sample"); err != nil {
			return err
		}
	}
	return s.storeFlags.check(k)
}

// Run serves until a signal stops it or the embedded engine dies. First it reads the files that the settings
// name and the JWK set, so that a server that cannot start does not take the address. Then it listens, so
// that it starts nothing if the address is taken. From then on all requests receive a response; until the
// table is ready, it says that the server is starting.
func (s *serveCmd) Run(c *console) (err error) {
	followContainer(c)
	control := s.trafficFlags.control()
	obs, err := s.observeFlags.begin(c, control.Load, s.Auth.JWKS != "")
	if err != nil {
		return err
	}
	defer obs.end()
	s.Auth.warn(c)
	options, err := s.options()
	if err != nil {
		return err
	}
	verifier, err := s.Auth.verifier(c.ctx, obs.OnKeys())
	if err != nil {
		return err
	}
	listener, err := httpd.Listen(s.Addr,
		s.connectionLimit(control.Requests(), httpd.OpenFiles()), func(a netip.Addr) bool {
			return a.IsLoopback() || s.trusted.Has(a)
		})
	if err != nil {
		return listenError("--addr", s.Addr, "127.0.0.1:8080", err)
	}
	if c.getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	url := "http://" + hostPort(listener.Addr())
	c.starting(" on "+url, s.where(), &s.Auth)
	if !s.Auth.enabled() {
		c.note("Development mode: no sign-in is required, and the server can be reached from this " +
			"machine only.")
	}
	hosts := httpd.LoopbackHosts(listener.Addr(), s.Addr)
	if s.Auth.enabled() {
		hosts = nil
	}
	settings := s.httpSettings(obs.Telemetry, control, verifier, options)
	settings.Hosts, settings.BoundAnonymous, settings.Proxies = hosts, true, s.trusted
	settings.Streams = true
	chain := httpd.New(settings)
	server := httpd.NewServer(chain)
	defer server.Close()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	st, err := s.prepare(c, obs)
	if st != nil {
		defer func() { err = errors.Join(err, st.close()) }()
	}
	if c.ctx.Err() != nil {
		c.note("Stopped before the start was complete; the next start continues from here.")
		return nil
	}
	if err != nil {
		return err
	}
	jobs, stopJobs := context.WithCancel(c.ctx)
	stopped := st.db.RunJobs(jobs, func(err error) {
		if errors.Is(err, dynamo.ErrJobsNotFound) {
			slog.Warn("listing open background jobs failed; trying again shortly", "error", err)
			return
		}
		slog.Warn("a background job failed; trying again shortly", "error", err)
	})
	imports := importjob.New(st.db, s.UploadBytes, control)
	importsStopped := imports.Run(jobs, func(err error) {
		slog.Warn("running imports failed; trying again shortly", "error", err)
	})
	defer func() {
		stopJobs()
		stopped()
		importsStopped()
	}()
	chain.Open(st.db, imports)
	s.ready(c, url)
	select {
	case err := <-served:
		return fmt.Errorf("the server can no longer accept connections: %w", err)
	case <-st.done():
		drain(c, server, chain, orphanTime)
		return st.engine.Err()
	case <-c.ctx.Done():
		s.retire(c, chain, st)
		err := drain(c, server, chain, s.Timeout+flushTime)
		c.note("Stopped.")
		return err
	}
}

// ready announces that the server is serving: the URLs on stdout, or an entry in a JSON log.
func (s *serveCmd) ready(c *console, url string) {
	if c.log != nil {
		c.log.Info("serving", "url", url, "grid", s.Grid, "playground", s.Playground)
		return
	}
	if s.Grid {
		c.say("Grid          %s/", url)
	}
	c.say("GraphQL API   %s/graphql", url)
	if s.Playground {
		c.say("Playground    %s/playground", url)
	}
	c.say("Health check  %s/livez and %s/readyz\nCtrl-C stops the server.", url, url)
}

// prepare opens the table, and loads the sample data into an empty one. It may return a store together with
// an error; the caller must close the store in any case.
func (s *serveCmd) prepare(c *console, obs *observer) (*store, error) {
	s.alter = func(d *dynamo.Settings) {
		s.setRetention(d)
		s.pace(d)
		obs.observeCalls(d)
	}
	st, err := s.open(c.ctx, c)
	if err != nil || st.engine == nil || !s.Sample {
		return st, err
	}
	err = loadSample(c, st.db)
	if err != nil && c.ctx.Err() == nil {
		err = st.blame(fmt.Errorf("the sample data cannot be loaded; start again to continue: %s",
			sentence(err)))
	}
	return st, err
}

// loadSample loads the sample data, with a progress bar. It does nothing if the table has other data only. It
// resumes a load that did not finish.
func loadSample(c *console, db *dynamo.DB) error {
	projects := sample.All()
	if wanted, err := wantsSample(c.ctx, db, projects); !wanted || err != nil {
		return err
	}
	total := 0
	for _, p := range projects {
		total += len(p.Issues)
	}
	bar := newBar(c, "Loading sample data")
	defer bar.end()
	before, loading := 0, false // whether any project so far was incomplete
	for _, p := range projects {
		err := sample.Load(c.ctx, db, []sample.Project{p}, func(done, all int) {
			if loading = loading || done < all; loading {
				bar.set(before+done, total)
			}
		})
		if err != nil {
			return err
		}
		before += len(p.Issues)
	}
	return nil
}

func wantsSample(ctx context.Context, db *dynamo.DB, projects []sample.Project) (bool, error) {
	tenants, _, err := db.TenantList().Page(ctx, dynamo.ListQuery{Limit: 1})
	if err != nil || len(tenants) == 0 {
		return err == nil, err
	}
	var ids []tracker.TenantID
	for _, p := range projects {
		ids = append(ids, p.Tenant.ID)
	}
	theirs, err := db.Tenants(ctx, ids)
	for _, t := range theirs {
		if t != nil {
			return true, err // a load was begun; repeating a complete load costs three reads
		}
	}
	return false, err
}

// retire continues to serve until load balancers have had time to stop sending requests.
func (s *serveCmd) retire(c *console, chain *httpd.Chain, st *store) {
	if s.DrainDelay == 0 {
		return
	}
	chain.Retire()
	c.note("Stopping in %s: /readyz returns 503, and requests are still served; a second signal stops "+
		"the server immediately.", s.DrainDelay)
	select {
	case <-time.After(s.DrainDelay):
	case <-st.done():
	}
}

// drainer is an API that can stop accepting requests. Drain returns the number of requests under way, and a
// channel that is closed when all have ended.
type drainer interface {
	Drain() (inside int, empty <-chan struct{})
}

// drain shuts down the server gracefully. It stops accepting API requests, and waits up to limit for those
// under way.
func drain(c *console, server *http.Server, api drainer, limit time.Duration) error {
	// The listener stays open, so that /readyz can report the shutdown. Idle connections are closed.
	server.SetKeepAlivesEnabled(false)
	inside, empty := api.Drain()
	if inside > 0 {
		c.note("Stopping: %d requests in progress have %s to finish; a second signal stops the server "+
			"immediately.", inside,
			limit)
	}
	select {
	case <-empty:
	case <-time.After(limit):
		server.Close()
		return fmt.Errorf("requests in progress were canceled after %s", limit)
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		server.Close() // connections without a request
	}
	return nil
}

// hostPort returns an address that a browser on this machine can open.
func hostPort(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
}

// listenError returns an error that says why the address of a flag cannot be listened on. such is an example
// of a valid address.
func listenError(flag, addr, such string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("the address %s is in use: stop the program that uses it, or choose another "+
			"address with %[2]s, such as %[2]s 127.0.0.1:0 for any free port", addr, flag)
	}
	why := err.Error()
	if e, ok := errors.AsType[*net.OpError](err); ok {
		why = e.Err.Error()
	}
	return fmt.Errorf("cannot listen on %s (%s): choose an address of this machine with %[3]s, such as "+
		"%[3]s %[4]s", addr, why, flag, such)
}
