package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo"
	"issuegrid/internal/local"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

const (
	// defaultTable is the name of the table in an embedded engine, and the default with --endpoint.
	defaultTable = "issuegrid"
	// createTime limits the creation of the table in an embedded engine, which takes a few milliseconds.
	createTime = 30 * time.Second
	// deathTime is the time to wait for the engine's death after a failure. The death may be detected later
	// than the broken connection that it caused.
	deathTime = time.Second
)

// storeFlags select the table: by default that of an embedded engine, or a table elsewhere.
type storeFlags struct {
	engineFlags
	tableFlags
	alter func(*dynamo.Settings) // sets the command's own settings; may be nil
}

type engineFlags struct {
	Data   string `type:"path"`
	Engine string `type:"path"`
}

type tableFlags struct {
	Table    string
	Endpoint string
	Region   string
}

func (f *storeFlags) definitions() []setting.Definition {
	return append([]setting.Definition{
		{Name: "data", Placeholder: "DIR", Default: ".data",
			Help: "Data directory of the embedded engine."},
		{Name: "engine", Placeholder: "FILE", Rare: true,
			UnsetMeans: "the one on PATH, or one downloaded once with npm",
			Help:       "Program of the embedded engine (dynoxide " + local.Version + ")."},
	}, f.tableFlags.definitions()...)
}

func (f *tableFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "table", Placeholder: "NAME",
			Help: "Name of a table in Amazon DynamoDB. Without it and --endpoint, the embedded engine " +
				"is used."},
		{Name: "endpoint", Placeholder: "URL",
			Help: "URL of another engine with the DynamoDB API. Its table is issuegrid unless --table " +
				"is set."},
		{Name: "region", Placeholder: "REGION", UnsetMeans: "the region of the standard AWS configuration",
			Help: "AWS region of the table."},
	}
}

// Help returns the text that kong prints above the flags.
func (f *tableFlags) Help() string {
	return "AWS credentials come from the standard AWS configuration. An --endpoint on this machine " +
		"(localhost, 127.0.0.1 or ::1) receives placeholder credentials unless AWS_ACCESS_KEY_ID or " +
		"AWS_PROFILE is set, because local engines accept any."
}

// AfterApply validates the command line. kong calls it after parsing.
func (f *tableFlags) AfterApply() error {
	if f.Endpoint != "" {
		u, err := url.Parse(f.Endpoint)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
			return tracker.Bad("--endpoint", "%s is not a URL such as http://127.0.0.1:8000", f.Endpoint)
		}
	}
	if f.Table == "" && f.Endpoint == "" && f.Region != "" {
		return tracker.Bad("--region", "a region alone does not name a table; set --table too")
	}
	return nil
}

// AfterApply validates the command line. kong calls it after parsing.
func (f *storeFlags) AfterApply(k *kong.Context) error { return f.check(k) }

// check rejects settings of the embedded engine together with a table elsewhere, because it is unclear which
// of them the user wants.
func (f *storeFlags) check(k *kong.Context) error {
	for _, name := range []string{"data", "engine"} {
		if err := f.refuse(k, name); err != nil {
			return err
		}
	}
	return f.tableFlags.AfterApply()
}

// refuse rejects a flag of the embedded engine together with a table elsewhere. A variable is ignored if a
// flag names the table, because the variable may be set for other runs.
func (f *storeFlags) refuse(k *kong.Context, name string) error {
	elsewhere := "table"
	if f.Table == "" {
		elsewhere = "endpoint"
	}
	if from := originOf(k, name); f.embedded() || from == byDefault || from < originOf(k, elsewhere) {
		return nil
	}
	return tracker.Bad(sourceName(k, name),
		"this configures the embedded engine, but %s names another table: leave one of them out",
		sourceName(k, elsewhere))
}

// where describes the table for messages.
func (f *storeFlags) where() string {
	if f.embedded() {
		return "the embedded engine in " + f.Data
	}
	return f.tableFlags.where()
}

func (f *tableFlags) embedded() bool { return f.Table == "" && f.Endpoint == "" }

// settings returns the settings of a table that is not in an embedded engine.
func (f *tableFlags) settings(getenv func(string) string) dynamo.Settings {
	return dynamo.Settings{Table: cmp.Or(f.Table, defaultTable), Endpoint: f.Endpoint, Region: f.Region,
		Embedded: loopback(f.Endpoint) && getenv("AWS_ACCESS_KEY_ID") == "" && getenv("AWS_PROFILE") == ""}
}

// where describes the table for messages.
func (f *tableFlags) where() string {
	name := "the table " + cmp.Or(f.Table, defaultTable)
	switch {
	case f.Endpoint != "":
		name += " at " + f.Endpoint
	case f.Region != "":
		name += " in " + f.Region
	}
	return name
}

// loopback reports whether a URL refers to this machine.
func loopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	return loopbackHost(u.Hostname())
}

// loopbackHost reports whether host is this machine.
func loopbackHost(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// store is an open table, with the engine if this process started it.
type store struct {
	db      *dynamo.DB
	engine  *local.Engine // nil if this process did not start the engine
	address string        // the file that contains the engine's URL
}

// open opens the table that the flags select. For an embedded engine, it starts the engine and creates the
// table. When it returns, the table is ready.
func (f *storeFlags) open(ctx context.Context, c *console) (*store, error) {
	if f.embedded() {
		return f.embed(ctx, c)
	}
	db, err := dynamo.Open(ctx, f.altered(f.settings(c.getenv)))
	if err != nil {
		return nil, err
	}
	if err := db.Ready(ctx); err != nil {
		return nil, fmt.Errorf("%s cannot be used: %s", f.where(), sentence(err))
	}
	return &store{db: db}, nil
}

func (f *storeFlags) altered(s dynamo.Settings) dynamo.Settings {
	if f.alter != nil {
		f.alter(&s)
	}
	return s
}

// embed starts the embedded engine.
func (f *storeFlags) embed(ctx context.Context, c *console) (*store, error) {
	engine, err := local.Start(ctx, local.Options{Binary: f.Engine, DataDir: f.Data, Log: c.note})
	if err != nil {
		return nil, err
	}
	s := &store{engine: engine, address: addressFile(f.Data)}
	// A server that was killed may have left a file with an outdated URL.
	os.Remove(s.address)
	// A signal must not interrupt the creation, which would leave the table without some of its settings.
	making, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTime)
	defer cancel()
	if s.db, err = dynamo.Open(ctx, f.altered(embeddedSettings(engine.URL()))); err == nil {
		_, err = s.db.CreateTable(making)
	}
	if err == nil {
		err = writeAddress(s.address, engine.URL())
	}
	if err != nil {
		err = s.blame(err)
		s.close()
		return nil, err
	}
	return s, nil
}

// embeddedSettings returns the settings for dynoxide. See dynamo.Settings for the effect of GroupWrites and
// NoStream.
func embeddedSettings(url string) dynamo.Settings {
	return dynamo.Settings{Table: defaultTable, Endpoint: url, Embedded: true, GroupWrites: true,
		NoStream: true}
}

// close closes the connections, and stops the engine if this process started it. It can be called twice.
func (s *store) close() error {
	if s.db != nil {
		s.db.Close()
	}
	if s.engine == nil {
		return nil
	}
	os.Remove(s.address) // while this process still owns the data directory
	return s.engine.Stop(context.Background())
}

// done returns a channel that is closed when the engine of this process has ended. It is nil if this process
// did not start the engine.
func (s *store) done() <-chan struct{} {
	if s.engine == nil {
		return nil
	}
	return s.engine.Done()
}

// blame returns the reason why the engine died if its death caused err, and otherwise err.
func (s *store) blame(err error) error {
	if s.engine == nil {
		return err
	}
	select {
	case <-s.engine.Done():
		return cmp.Or(s.engine.Err(), err)
	case <-time.After(deathTime):
		return err
	}
}
