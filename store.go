package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"issuegrid/dynamo"
	"issuegrid/local"
	"issuegrid/tracker"
)

// embeddedTable is the name of the table in an embedded engine.
const embeddedTable = "issuegrid"

// storeFlags say which table to use.
type storeFlags struct {
	Data     string `help:"Data directory of the embedded engine." default:".data" type:"path" placeholder:"DIR"`
	Engine   string `help:"Program of the embedded engine (dynoxide ${engine_version}), instead of the one on PATH or the one fetched with npm." type:"path" placeholder:"FILE"`
	Table    string `help:"DynamoDB table to use instead of the embedded engine, in --region or at --endpoint." placeholder:"NAME"`
	Endpoint string `help:"URL of another engine that speaks the DynamoDB API." placeholder:"URL"`
	Region   string `help:"AWS region of the table; without it the standard AWS configuration says." placeholder:"R"`
}

func (f *storeFlags) embedded() bool { return f.Table == "" && f.Endpoint == "" }

// check refuses a region without a table, which would silently be the embedded engine.
func (f *storeFlags) check() error {
	if f.embedded() && f.Region != "" {
		return tracker.Bad("--region", "a region alone does not say which table to use; give --table too")
	}
	return nil
}

// store is an open table, with the engine behind it if that is embedded.
type store struct {
	db     *dynamo.DB
	engine *local.Engine // nil when the engine is not this process's
}

// open opens the table that the flags name, starting the embedded engine if they name none.
func (f *storeFlags) open(ctx context.Context, c *console) (*store, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if !f.embedded() {
		name := f.Table
		if name == "" {
			name = embeddedTable
		}
		db, err := dynamo.Open(ctx, dynamo.Settings{Table: name, Endpoint: f.Endpoint, Region: f.Region})
		return &store{db: db}, err
	}
	engine, err := local.Start(ctx, local.Options{Binary: f.Engine, DataDir: f.Data, Log: c.say})
	if err != nil {
		return nil, err
	}
	s := &store{engine: engine}
	if s.db, err = dynamo.Open(ctx, embeddedSettings(engine.URL())); err == nil {
		_, err = s.db.CreateTable(ctx)
	}
	if err == nil {
		err = f.writeAddress(engine.URL())
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func embeddedSettings(url string) dynamo.Settings {
	return dynamo.Settings{Table: embeddedTable, Endpoint: url, Embedded: true, GroupWrites: true, NoStream: true}
}

func (s *store) close() error {
	if s.engine == nil {
		return nil
	}
	return s.engine.Stop(context.Background())
}

// done is closed when the embedded engine has ended; never for another engine.
func (s *store) done() <-chan struct{} {
	if s.engine == nil {
		return nil
	}
	return s.engine.Done()
}

// addressFile, in the data directory, has the URL of the engine that owns it, so that a command can join a running server.
const addressFile = "engine.url"

func (f *storeFlags) writeAddress(url string) error {
	return os.WriteFile(filepath.Join(f.Data, addressFile), []byte(url+"\n"), 0o600)
}

// join opens the table like open, but when a running server owns the data directory, it uses that server's engine.
func (f *storeFlags) join(ctx context.Context, c *console) (*store, error) {
	s, err := f.open(ctx, c)
	if local.KindOf(err) != local.KindLocked {
		return s, err
	}
	url, readErr := os.ReadFile(filepath.Join(f.Data, addressFile))
	if readErr != nil {
		return nil, errors.Join(err, readErr)
	}
	db, err := dynamo.Open(ctx, embeddedSettings(strings.TrimSpace(string(url))))
	if err == nil {
		err = db.Ready(ctx)
	}
	return &store{db: db}, err
}
