//go:build unix

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/local"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// quiet is a console whose output goes nowhere.
func quiet(t *testing.T) *console {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return &console{ctx: t.Context(), out: null, err: null, getenv: func(string) string { return "" }}
}

func joinAt(t *testing.T, data string) *store {
	t.Helper()
	f := storeFlags{engineFlags: engineFlags{Data: data}}
	s, err := f.join(t.Context(), quiet(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// hasTenant tells whether a store has a tenant.
func hasTenant(t *testing.T, s *store, id tracker.TenantID) bool {
	t.Helper()
	found, err := s.db.Tenants(t.Context(), []tracker.TenantID{id})
	if err != nil {
		t.Fatal(err)
	}
	return found[0] != nil
}

// TestJoin joins a server that runs, and the directory of one that was killed.
func TestJoin(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	url := p.Serving()
	joined := joinAt(t, data)
	if joined.engine != nil {
		t.Error("an engine was started beside the server's")
	}
	if err := joined.db.CreateTenant(t.Context(), tracker.Tenant{ID: "joined", Name: "Joined"}); err != nil {
		t.Fatal(err)
	}
	harness.WantTenants(t, url, "Joined")
	if err := joined.close(); err != nil {
		t.Error(err)
	}
	harness.WantPage(t, url+"/readyz", 200, "ok\n") // closing has left the server's engine alone
	if _, ok := readAddress(addressFile(data)); !ok {
		t.Error("closing has removed the server's address")
	}

	engine := harness.EngineURL(t, data)
	p.Signal(syscall.SIGKILL)
	p.Wants(-1)
	harness.EngineGone(t, engine)
	if at, ok := readAddress(addressFile(data)); ok {
		t.Errorf("the killed server's engine is still believed to be at %s", at)
	}
	alone := joinAt(t, data)
	if alone.engine == nil || !hasTenant(t, alone, "joined") {
		t.Errorf("after the server's death: engine %v", alone.engine)
	}
}

// TestJoinBesideStaleAddress is a server that starts where one was killed, and whose engine's address has
// become another server's: whoever joins must wait for the new address, and not follow the old.
func TestJoinBesideStaleAddress(t *testing.T) {
	t.Parallel()
	other := joinAt(t, t.TempDir()) // has a table of the same name
	data := t.TempDir()
	starting, err := local.Start(t.Context(), local.Options{DataDir: data})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { starting.Stop(context.Background()) })
	dead := exec.Command(harness.Program, "--help")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(addressFile(data),
		fmt.Appendf(nil, "%s\n%d\n", other.engine.URL(), dead.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}

	f := storeFlags{engineFlags: engineFlags{Data: data}}
	impatient, cancel := context.WithTimeout(t.Context(), 5*joinPoll)
	defer cancel()
	if _, err := f.join(impatient, quiet(t)); err == nil {
		t.Fatal("joined a server that has not said where its engine is")
	}
	joined := make(chan *store)
	go func() {
		s, err := f.join(t.Context(), quiet(t))
		if err != nil {
			t.Error(err)
		}
		joined <- s
	}()
	db, err := dynamo.Open(t.Context(), embeddedSettings(starting.URL()))
	if err == nil {
		_, err = db.CreateTable(t.Context())
	}
	if err == nil {
		err = db.CreateTenant(t.Context(), tracker.Tenant{ID: "right", Name: "Right"})
	}
	if err == nil {
		err = writeAddress(addressFile(data), starting.URL())
	}
	if err != nil {
		t.Fatal(err)
	}
	if s := <-joined; s != nil && !hasTenant(t, s, "right") {
		t.Error("the address of a dead server was followed to another server's table")
	}
}
