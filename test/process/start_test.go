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

	"issuegrid/local"
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
	for _, test := range []struct {
		name   string
		engine string
		words  []string
	}{
		{"a file that is not there", "/nowhere/dynoxide", []string{"/nowhere/dynoxide", "--engine"}},
		{"a program that ends", fakeEngine(t, "echo the moon is in the wrong phase >&2; exit 3"),
			[]string{"exit status 3", "the moon is in the wrong phase"}},
		{"a program that is no engine", "/bin/sh", []string{"/bin/sh"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			harness.Start(t, harness.ServeArgs(data, "--engine", test.engine)).Fails(test.words...)
			if entries(t, data) != nil {
				t.Error("the server made a data directory")
			}
		})
	}
}

// newMachine returns an environment without an engine: PATH is path, and the cache is empty.
func newMachine(t *testing.T, path string) (cache string, v harness.Variant) {
	t.Helper()
	home := t.TempDir()
	return home, harness.Env("PATH="+path, "HOME="+home, "XDG_CACHE_HOME="+home)
}

func TestNoNPM(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	cache, machine := newMachine(t, t.TempDir())
	harness.Start(t, harness.ServeArgs(data), machine).Fails("npm", "not on PATH", "Node.js", "--engine")
	if entries(t, data) != nil || entries(t, cache) != nil {
		t.Error("unexpected files")
	}
}

// TestStopWhileStarting stops a server that does not serve yet. It exits with code 0 and leaves no incomplete
// files.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	t.Run("npm fetches", func(t *testing.T) {
		t.Parallel()
		bin, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
		began := filepath.Join(bin, "began")
		script(t, filepath.Join(bin, "npm"),
			fmt.Sprintf("echo $$ >%[1]s.new; /bin/mv %[1]s.new %[1]s; exec /bin/sleep 1000", began))
		cache, machine := newMachine(t, bin)
		p := harness.Start(t, harness.ServeArgs(data), machine)
		var npm int
		harness.Eventually(t, "npm runs", func() bool {
			text, err := os.ReadFile(began)
			fmt.Sscan(string(text), &npm)
			return err == nil
		})
		harness.WantPage(t, p.URL()+"/readyz", http.StatusServiceUnavailable, "starting\n")
		p.Signal(syscall.SIGTERM)
		p.Wants(0)
		if err := syscall.Kill(npm, 0); err == nil {
			t.Error("npm still runs")
		}
		if got := entries(t, filepath.Join(cache, "issuegrid")); entries(t, data) != nil || len(got) != 0 {
			t.Errorf("leftover files: data %v, cache %v", entries(t, data), got)
		}
	})
	t.Run("the engine starts", func(t *testing.T) {
		t.Parallel()
		data := filepath.Join(t.TempDir(), "data")
		began := filepath.Join(t.TempDir(), "began")
		p := harness.Start(t, harness.ServeArgs(data, "--engine",
			fakeEngine(t, fmt.Sprintf(": >%s; exec /bin/sleep 1000", began))))
		harness.Eventually(t, "the engine runs", func() bool {
			_, err := os.Stat(began)
			return err == nil
		})
		p.Signal(syscall.SIGINT)
		p.Wants(0)
		if entries(t, data) != nil {
			t.Error("a data directory is left over")
		}
	})
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

func TestNothingAtEndpoint(t *testing.T) {
	t.Parallel()
	const closed = "http://127.0.0.1:1" // the port of a server that was closed could be given to another one
	at := []string{"--endpoint", closed, "--table", "tracker"}
	harness.Start(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, at...)).Fails(closed,
		"connection refused")
	p := harness.Start(t, append([]string{"table", "create"}, at...))
	p.Fails(closed, "connection refused")
}

// TestAmazon checks the errors without a region and without credentials. It sends nothing to AWS.
func TestAmazon(t *testing.T) {
	t.Parallel()
	serve := []string{"serve", "--addr", "127.0.0.1:0", "--table", "tracker"}
	harness.Start(t, serve).Fails("no AWS region", "--region", "AWS_REGION")
	harness.Start(t, append(serve, "--region", "eu-west-1")).Fails("no AWS credentials", "AWS_PROFILE")
	harness.Start(t, []string{"table", "create", "--table", "tracker", "--region", "eu-west-1"}).Fails(
		"no AWS credentials", "AWS_PROFILE")
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
