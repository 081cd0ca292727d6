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
	"issuegrid/local"
	"issuegrid/setting"
	"issuegrid/tracker"
)

const (
	// defaultTable is the name of the table in an embedded engine, and of one that nobody has named at an
	// endpoint.
	defaultTable = "issuegrid"
	// createTime bounds the making of the table in an embedded engine; it takes a few milliseconds.
	createTime = 30 * time.Second
	// deathTime is how long one waits to learn that a failure was the engine's death, which may be noticed
	// after the broken connection.
	deathTime = time.Second
)

// storeFlags say which table to use: that of an embedded engine, unless one elsewhere is named.
type storeFlags struct {
	engineFlags
	tableFlags
	alter func(*dynamo.Settings) // what a command has to say of the settings; nil for nothing
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
			Unset: "the one on PATH, or one fetched once with npm",
			Help:  "Program of the embedded engine (dynoxide " + local.Version + ")."},
	}, f.tableFlags.definitions()...)
}

func (f *tableFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "table", Placeholder: "NAME",
			Help: "Name of a table of Amazon DynamoDB. Without it and --endpoint, there is an embedded " +
				"engine."},
		{Name: "endpoint", Placeholder: "URL",
			Help: "URL of another engine that speaks the DynamoDB API; its table is issuegrid unless " +
				"--table is set."},
		{Name: "region", Placeholder: "REGION", Unset: "that of the standard AWS configuration",
			Help: "AWS region of the table."},
	}
}

// Help is what kong shows above the flags.
func (f *tableFlags) Help() string {
	return "AWS credentials come from the standard configuration. An --endpoint on this machine " +
		"(localhost, 127.0.0.1 or ::1) is sent made-up ones, " +
		"unless AWS_ACCESS_KEY_ID or AWS_PROFILE is set, because the engines that run there take any."
}

// AfterApply is called by kong for a command line that it has understood. It refuses what can't be meant.
func (f *tableFlags) AfterApply() error {
	if f.Endpoint != "" {
		u, err := url.Parse(f.Endpoint)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
			return tracker.Bad("--endpoint", "%s is no URL such as http://127.0.0.1:8000", f.Endpoint)
		}
	}
	if f.Table == "" && f.Endpoint == "" && f.Region != "" {
		return tracker.Bad("--region", "a region alone does not say which table to use; give --table too")
	}
	return nil
}

// AfterApply is called by kong, as that of tableFlags is for commands that start no engine.
func (f *storeFlags) AfterApply(k *kong.Context) error { return f.check(k) }

// check refuses what is about the embedded engine beside a table elsewhere: whoever sets both means one of
// them, and it matters which.
func (f *storeFlags) check(k *kong.Context) error {
	for _, name := range []string{"data", "engine"} {
		if err := f.refuse(k, name); err != nil {
			return err
		}
	}
	return f.tableFlags.AfterApply()
}

// refuse refuses a flag of the embedded engine beside a table elsewhere. A variable gives way to a flag: it
// may be there for other runs.
func (f *storeFlags) refuse(k *kong.Context, name string) error {
	elsewhere := "table"
	if f.Table == "" {
		elsewhere = "endpoint"
	}
	if from := originOf(k, name); f.embedded() || from == byDefault || from < originOf(k, elsewhere) {
		return nil
	}
	return tracker.Bad(given(k, name),
		"this is about the embedded engine, and %s names a table elsewhere: leave one of them out",
		given(k, elsewhere))
}

// where names the table for people.
func (f *storeFlags) where() string {
	if f.embedded() {
		return "the embedded engine in " + f.Data
	}
	return f.tableFlags.where()
}

func (f *tableFlags) embedded() bool { return f.Table == "" && f.Endpoint == "" }

// settings of a table that is not an embedded engine's.
func (f *tableFlags) settings(getenv func(string) string) dynamo.Settings {
	return dynamo.Settings{Table: cmp.Or(f.Table, defaultTable), Endpoint: f.Endpoint, Region: f.Region,
		Embedded: loopback(f.Endpoint) && getenv("AWS_ACCESS_KEY_ID") == "" && getenv("AWS_PROFILE") == ""}
}

// where names the table for people.
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

// loopback tells whether a URL leads to this machine.
func loopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	return loopbackHost(u.Hostname())
}

// loopbackHost tells whether a host is this machine.
func loopbackHost(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// store is an open table, with the engine behind it if this process has started it.
type store struct {
	db      *dynamo.DB
	engine  *local.Engine // nil when the engine is another's
	address string        // the file that tells others where the engine is
}

// open opens the table that the flags name, starting the embedded engine and making its table if they name
// none. When it returns, the table can be used.
func (f *storeFlags) open(ctx context.Context, c *console) (*store, error) {
	if f.embedded() {
		return f.embed(ctx, c)
	}
	db, err := dynamo.Open(ctx, f.altered(f.settings(c.getenv)))
	if err != nil {
		return nil, err
	}
	if err := db.Ready(ctx); err != nil {
		return nil, fmt.Errorf("%s can't be used: %s", f.where(), sentence(err))
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
	// What a server that was killed has left there leads nowhere, or to another's engine.
	os.Remove(s.address)
	// A signal in the middle of this would leave a table without some of its settings.
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

// embeddedSettings are for dynoxide: see Settings for what GroupWrites and NoStream save there.
func embeddedSettings(url string) dynamo.Settings {
	return dynamo.Settings{Table: defaultTable, Endpoint: url, Embedded: true, GroupWrites: true,
		NoStream: true}
}

// close closes the connections, and ends the engine if it is this process's. A store can be closed twice.
func (s *store) close() error {
	if s.db != nil {
		s.db.Close()
	}
	if s.engine == nil {
		return nil
	}
	os.Remove(s.address) // while the data directory is still ours
	return s.engine.Stop(context.Background())
}

// done is closed when this process's engine has ended; never for another's.
func (s *store) done() <-chan struct{} {
	if s.engine == nil {
		return nil
	}
	return s.engine.Done()
}

// blame returns why the engine died, if that is why something failed, and else the failure.
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
