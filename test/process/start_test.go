//go:build unix

package process

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"issuegrid/internal/local"
	"issuegrid/test/harness"
)

// fakeEngine writes an engine that prints its version and then runs the shell script text.
func fakeEngine(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	script(t, path, fmt.Sprintf("[ \"$1\" = --version ] && { echo dynoxide %s; exit; }\n%s", local.Version,
		text))
	return path
}

// TestNoEngine checks that a start without a working engine fails with one error and makes no data directory.
func TestNoEngine(t *testing.T) {
	t.Parallel()
	home := t.TempDir() // of a machine without npm, whose cache is empty
	machine := harness.Env("PATH="+t.TempDir(), "HOME="+home, "XDG_CACHE_HOME="+home)
	for name, test := range map[string]struct {
		flags   []string
		variant harness.Variant
		words   []string
	}{
		"a file that is not there": {[]string{"--engine", "/nowhere/dynoxide"}, harness.Env(),
			[]string{"/nowhere/dynoxide", "--engine"}},
		"a program that ends": {
			[]string{"--engine", fakeEngine(t, "echo the moon is full >&2; exit 3")}, harness.Env(),
			[]string{"exit status 3", "the moon is full"}},
		"no npm": {nil, machine, []string{"npm", "not on PATH", "Node.js", "--engine"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			harness.Start(t, harness.ServeArgs(data, test.flags...), test.variant).Fails(test.words...)
			if entries(t, data) != nil || entries(t, home) != nil {
				t.Error("the server made files")
			}
		})
	}
}

// TestStopWhileStarting stops a server whose engine does not respond yet. It exits with code 0 and leaves no
// files.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	data, began := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "began")
	p := harness.Start(t, harness.ServeArgs(data, "--engine",
		fakeEngine(t, fmt.Sprintf(": >%s; exec /bin/sleep 1000", began))))
	harness.Eventually(t, "the engine runs", func() bool {
		_, err := os.Stat(began)
		return err == nil
	})
	harness.WantPage(t, p.URL()+"/readyz", http.StatusServiceUnavailable, "starting\n")
	p.Signal(syscall.SIGINT)
	p.Wants(0)
	if entries(t, data) != nil {
		t.Error("a data directory is left over")
	}
}

// TestTableElsewhere creates a table at an endpoint and serves it. The endpoint is an in-memory engine of the
// test.
func TestTableElsewhere(t *testing.T) {
	t.Parallel()
	engine := harness.StartEngine(t)
	at := []string{"--endpoint", engine.URL(), "--table", "tracker"}

	harness.Start(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, at...)).Fails("the table tracker at "+
		engine.URL(), "does not exist", "`table create`")
	for _, said := range []string{"The table tracker is ready.\n",
		"The table tracker already exists and is complete.\n"} {
		p := harness.Start(t, append([]string{"table", "create"}, at...))
		p.Wants(0)
		if p.Stdout.String() != said {
			t.Errorf("stdout %q, want %q", &p.Stdout, said)
		}
	}
	p := harness.Start(t, []string{"serve"},
		harness.Env("ISSUEGRID_ADDR=localhost:0", "ISSUEGRID_ENDPOINT="+engine.URL(),
			"ISSUEGRID_TABLE=tracker"))
	url := p.Serving()
	if !strings.Contains(p.Stderr.String(), "Development mode") {
		t.Errorf("stderr %s", &p.Stderr)
	}
	createTenant(t, url, "Elsewhere")
	harness.WantTenants(t, url, "Elsewhere") // no sample was loaded
	if entries(t, p.Cmd.Dir) != nil {
		t.Error("the server made a data directory")
	}
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	if engine.Err() != nil {
		t.Error("the server stopped the engine of the test")
	}
}

// TestCredentials checks the credentials that an engine at a loopback URL receives: made-up ones, unless the
// user has set some.
func TestCredentials(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
		id, _, _ := strings.Cut(credential, "/")
		mu.Lock()
		defer mu.Unlock()
		got = append(got, id)
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w,
			`{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "no"}`)
	}))
	t.Cleanup(engine.Close)
	args := []string{"serve", "--addr", "127.0.0.1:0", "--endpoint", engine.URL}
	harness.Start(t, args).Fails("the table issuegrid at "+engine.URL, "does not exist")
	harness.Start(t, args, harness.Env("AWS_ACCESS_KEY_ID=MINE", "AWS_SECRET_ACCESS_KEY=secret")).Fails(
		"does not exist")
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"embedded", "MINE"}; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("credentials %q, want %q", got, want)
	}
}
