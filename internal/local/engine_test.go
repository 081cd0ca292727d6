//go:build unix

package local_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/internal/local"
	"issuegrid/test/harness"
)

// TestDataSurvives checks that a stopped engine leaves only its database, and that a new one reads it.
func TestDataSurvives(t *testing.T) {
	data := filepath.Join(t.TempDir(), "some", "data")
	engine := start(t, local.Options{DataDir: data})
	createTable(t, engine, "kept")
	stop(t, engine)
	ended(t, engine)
	if err := engine.Err(); err != nil {
		t.Errorf("Err after Stop: %v", err)
	}
	wantFiles(t, data, "dynoxide.db")
	if _, err := call(engine.URL(), "ListTables", "{}"); err == nil {
		t.Error("a stopped engine responds")
	}

	again := start(t, local.Options{DataDir: data})
	wantTables(t, again, "kept")
}

func TestEnginesInMemoryAreApart(t *testing.T) {
	one, two := start(t, local.Options{}), start(t, local.Options{})
	createTable(t, one, "mine")
	wantTables(t, two)
	if err := one.Err(); err != nil {
		t.Errorf("Err of a running engine: %v", err)
	}
}

func TestDataDirLocked(t *testing.T) {
	data := t.TempDir()
	first := start(t, local.Options{DataDir: data})
	_, err := local.Start(t.Context(), local.Options{DataDir: data})
	wantError(t, err, local.KindLocked, data, "another server")
	createTable(t, first, "undisturbed")
	stop(t, first)
	start(t, local.Options{DataDir: data})
}

// TestDataDirHasOneOwner checks that of several engines started in parallel at most one gets the directory
// (L3).
func TestDataDirHasOneOwner(t *testing.T) {
	data := t.TempDir()
	var owners, starts atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 8 {
				engine, err := local.Start(t.Context(), local.Options{DataDir: data})
				if err != nil {
					if local.KindOf(err) != local.KindLocked {
						t.Error(err)
					}
					continue
				}
				if n := owners.Add(1); n != 1 {
					t.Errorf("%d engines own the directory", n)
				}
				starts.Add(1)
				if _, err := call(engine.URL(), "ListTables", "{}"); err != nil {
					t.Error(err)
				}
				owners.Add(-1)
				if err := engine.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if starts.Load() == 0 {
		t.Error("no engine got the lock")
	}
}

func TestDataDirUnusable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{file, filepath.Join(file, "below")} {
		_, err := local.Start(t.Context(), local.Options{DataDir: data})
		wantError(t, err, local.KindDataDir, data, "not a directory")
	}
	wantFiles(t, dir, "file")
}

func TestEngineDiesAtStart(t *testing.T) {
	dir := t.TempDir()
	opts := playing(t, "dies", local.Options{DataDir: filepath.Join(dir, "new", "data")})
	_, err := local.Start(t.Context(), opts)
	wantError(t, err, local.KindDied, opts.Binary, "exit status 3",
		"first line / error: no disk")
	wantFiles(t, dir)
}

// TestOwnDatabaseIsKept checks that a failed start keeps a database that existed before, even one that the
// engine cannot read.
func TestOwnDatabaseIsKept(t *testing.T) {
	data := t.TempDir()
	db := filepath.Join(data, "dynoxide.db")
	const text = "this is not a database, but it must be kept, and it is longer than the header of SQLite, " +
		"which has a hundred bytes"
	if err := os.WriteFile(db, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := local.Start(t.Context(), local.Options{DataDir: data})
	wantError(t, err, local.KindDied, "database")
	if got, err := os.ReadFile(db); err != nil || string(got) != text {
		t.Errorf("the database is now %q, %v", got, err)
	}
	wantFiles(t, data, "dynoxide.db")
}

func TestPortTaken(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		t.Setenv(markerVar, filepath.Join(t.TempDir(), "marker"))
		var log journal
		start(t, playing(t, "port taken once", local.Options{Log: log.logf}))
		if n := strings.Count(log.String(), "tries another"); n != 1 {
			t.Errorf("log: %q", &log)
		}
	})
	t.Run("always", func(t *testing.T) {
		_, err := local.Start(t.Context(), playing(t, "port always taken", local.Options{}))
		wantError(t, err, local.KindPort, "try again")
	})
}

func TestStartIsBoundByContext(t *testing.T) {
	dir := t.TempDir()
	opts := playing(t, "silent", local.Options{DataDir: filepath.Join(dir, "data")})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := local.Start(ctx, opts)
	wantError(t, err, local.KindTimeout, opts.Binary)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not wrap context.DeadlineExceeded", err)
	}
	wantFiles(t, dir)

	ctx, cancel = context.WithCancel(t.Context())
	engine, err := local.Start(ctx, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	createTable(t, engine, "after-the-start")
	stop(t, engine)
}

func TestStop(t *testing.T) {
	t.Run("idempotent and concurrent", func(t *testing.T) {
		engine := start(t, local.Options{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { stop(t, engine) })
		}
		wg.Wait()
		ended(t, engine)
		stop(t, engine)
	})
	t.Run("kills when the context ends, and keeps the directory until then", func(t *testing.T) {
		marker := filepath.Join(t.TempDir(), "asked")
		t.Setenv(markerVar, marker)
		opts := playing(t, "ignores SIGTERM", local.Options{DataDir: t.TempDir()})
		engine := start(t, opts)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var wg sync.WaitGroup
		for range 3 { // repeated calls of Stop do not kill
			wg.Go(func() {
				if err := engine.Stop(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		harness.Eventually(t, "the engine receives SIGTERM", func() bool {
			_, err := os.Stat(marker)
			return err == nil
		})
		_, err := local.Start(t.Context(), opts)
		wantError(t, err, local.KindLocked)
		resp, err := http.Get(engine.URL())
		if err != nil {
			t.Fatalf("killed too early: %s", err)
		}
		resp.Body.Close()
		cancel()
		wg.Wait()
		ended(t, engine)
		if err := engine.Err(); err != nil {
			t.Errorf("Err after Stop: %v", err)
		}
	})
	t.Run("kills after the time limit", func(t *testing.T) {
		t.Setenv(markerVar, filepath.Join(t.TempDir(), "asked"))
		var log journal
		engine := start(t, playing(t, "ignores SIGTERM", local.Options{Log: log.logf}))
		stop(t, engine)
		if !strings.Contains(log.String(), "is killed") {
			t.Errorf("the engine ended without being killed; log: %q", &log)
		}
	})
}

func TestKindOf(t *testing.T) {
	for want, err := range map[local.Kind]error{
		"":             errors.New("foreign"),
		local.KindPort: errors.Join(errors.New("x"), &local.Error{Kind: local.KindPort}),
	} {
		if got := local.KindOf(err); got != want {
			t.Errorf("KindOf(%v) = %q, want %q", err, got, want)
		}
	}
	if got := local.KindOf(nil); got != "" {
		t.Errorf("KindOf(nil) = %q", got)
	}
}
