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
	"issuegrid/internal/local"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// quiet returns a console that discards its output.
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

// hasTenant reports whether the store has a tenant.
func hasTenant(t *testing.T, s *store, id tracker.TenantID) bool {
	t.Helper()
	found, err := s.db.Tenants(t.Context(), []tracker.TenantID{id})
	if err != nil {
		t.Fatal(err)
	}
	return found[0] != nil
}

// TestJoin joins a running server, and then uses the data directory after the server was killed.
func TestJoin(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	url := p.Serving()
	joined := joinAt(t, data)
	if joined.engine != nil {
		t.Error("join started a second engine")
	}
	if err := joined.db.CreateTenant(t.Context(), tracker.Tenant{ID: "joined", Name: "Joined"}); err != nil {
		t.Fatal(err)
	}
	harness.WantTenants(t, url, "Joined")
	if err := joined.close(); err != nil {
		t.Error(err)
	}
	harness.WantPage(t, url+"/readyz", 200, "ok\n") // closing did not stop the server's engine
	if _, ok := readAddress(addressFile(data)); !ok {
		t.Error("close removed the server's address file")
	}

	engine := harness.EngineURL(t, data)
	p.Signal(syscall.SIGKILL)
	p.Wants(-1)
	harness.EngineGone(t, engine)
	if at, ok := readAddress(addressFile(data)); ok {
		t.Errorf("readAddress returned the address of a killed server: %s", at)
	}
	alone := joinAt(t, data)
	if alone.engine == nil || !hasTenant(t, alone, "joined") {
		t.Errorf("after the server was killed: engine %v, want a new one with the tenant", alone.engine)
	}
}

// TestJoinBesideStaleAddress starts a server after another was killed, when the address of the killed
// server's engine belongs to a different server. A command that joins must wait for the new address, and must
// not use the old one.
func TestJoinBesideStaleAddress(t *testing.T) {
	t.Parallel()
	other := joinAt(t, t.TempDir()) // its table has the same name
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
		t.Fatal("joined a server that has not written its address")
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
		t.Error("join used the address of a dead server and opened another server's table")
	}
}
