//go:build unix

package process

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestFirstStarts checks the first starts in a new directory: one that is interrupted while it loads the
// sample, one that completes it, and one that finds it complete.
func TestFirstStarts(t *testing.T) {
	tier.Verify(t, "the second server must start while the first one loads the sample")
	t.Parallel()
	data := filepath.Join(t.TempDir(), "new", "data")

	p := harness.Start(t, harness.ServeArgs(data))
	url := p.URL()
	p.Has(&p.Stderr, "Loading sample data: 105 of 2005\n")
	engine := harness.EngineURL(t, data)
	harness.WantPage(t, url+"/livez", http.StatusOK, "ok\n")
	harness.WantPage(t, url+"/readyz", http.StatusServiceUnavailable, "starting\n")
	wantUnavailable(t, url, "starting")
	p.Signal(syscall.SIGINT)
	p.Wants(0)
	if got := p.Stdout.String(); got != "" {
		t.Errorf("the interrupted server wrote %q to stdout", got)
	}
	if strings.Contains(p.Stderr.String(), "2005 of 2005") {
		t.Error("the sample was loaded before the signal; the test is void")
	}
	harness.EngineGone(t, engine)
	if diff := cmp.Diff([]string{"dynoxide.db"}, entries(t, data)); diff != "" {
		t.Errorf("the data directory after an interrupted start (-want +got):\n%s", diff)
	}

	p = harness.Start(t, harness.ServeArgs(data))
	url = p.Serving()
	p.Has(&p.Stderr, "Loading sample data: 2005 of 2005\n")
	want := fmt.Sprintf("Grid          %[1]s/\nGraphQL API   %[1]s/graphql\nPlayground    "+
		"%[1]s/playground\nHealth check  %[1]s/livez and %[1]s/readyz\nCtrl-C stops the server.\n", url)
	if diff := cmp.Diff(want, p.Stdout.String()); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	harness.WantPage(t, url+"/readyz", http.StatusOK, "ok\n")
	if n := countIssues(t, url, "{}"); n != 2005 {
		t.Errorf("%d issues of the sample", n)
	}
	engine = harness.EngineURL(t, data)
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	harness.EngineGone(t, engine)
	if diff := cmp.Diff([]string{"dynoxide.db"}, entries(t, data)); diff != "" {
		t.Errorf("the data directory after a stop (-want +got):\n%s", diff)
	}

	p = harness.Start(t, harness.ServeArgs(data))
	p.Serving()
	if strings.Contains(p.Stderr.String(), "sample") {
		t.Error("the sample was loaded again")
	}
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
}

// wantUnavailable checks that GraphQL requests fail with a well-formed error.
func wantUnavailable(t *testing.T, url, word string) {
	t.Helper()
	status, answer := harness.Post(t, url, "{tenants {totalCount}}")
	text, _ := json.Marshal(answer)
	var got struct {
		Data   any
		Errors []struct {
			Message    string
			Extensions struct{ Code tracker.Code }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusServiceUnavailable || got.Data != nil || len(got.Errors) != 1 ||
		got.Errors[0].Extensions.Code != tracker.Unavailable ||
		!strings.Contains(got.Errors[0].Message, word) {
		t.Errorf("status %d, %s", status, text)
	}
}

// TestNoSample sets flags by environment variables, where an empty variable counts as unset. It also checks
// that a table with data of a user gets no sample.
func TestNoSample(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, []string{},
		harness.Env("ISSUEGRID_ADDR=127.0.0.1:0", "ISSUEGRID_DATA="+data, "ISSUEGRID_SAMPLE=false",
			"ISSUEGRID_TABLE=", "ISSUEGRID_ENGINE="))
	createTenant(t, p.Serving(), "Mine")
	p.Signal(syscall.SIGTERM)
	p.Wants(0)

	p = harness.Start(t, harness.ServeArgs(data))
	harness.WantTenants(t, p.Serving(), "Mine")
}

func createTenant(t *testing.T, url, name string) {
	t.Helper()
	harness.Ask[any](t, url, fmt.Sprintf(`mutation {createTenant(input: {name: %q}) {tenant {id}}}`, name))
}

// TestEngineKilled kills the engine while a server loads its sample, or serves.
func TestEngineKilled(t *testing.T) {
	t.Parallel()
	for moment, flags := range map[string][]string{"Loading sample data": nil,
		"Starting on": {"--no-sample"}} {
		data := t.TempDir()
		p := harness.Start(t, harness.ServeArgs(data, flags...))
		if p.Has(&p.Stderr, moment); flags != nil {
			p.Serving()
		}
		pids := harness.EnginePIDs(t, harness.EngineURL(t, data))
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		p.Wants(harness.ExitFailed)
		if said := p.Stderr.String(); !regexp.MustCompile(`\nissuegrid: the embedded engine .*signal 9.*` +
			`start the server again.*` + regexp.QuoteMeta(data) + `\n$`).MatchString(said) {
			t.Errorf("%s: stderr %q", moment, said)
		}
	}
}

func TestDataDirectoryLocked(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	url := first.Serving()
	harness.Start(t, harness.ServeArgs(data)).Fails("another server", data, "--data")
	harness.WantTenants(t, url)
}
