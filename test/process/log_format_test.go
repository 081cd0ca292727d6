//go:build unix

package process

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"issuegrid/test/harness"
)

// TestLogFormat checks that the log is plain text by default and JSON on request, including the startup
// messages, and that a higher log level hides the lines of requests.
func TestLogFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flags []string
		json  bool
		says  bool
	}{
		{nil, false, true},
		{[]string{"--log-format", "json"}, true, true},
		{append(harness.NewIssuer(t).Flags(), "--log-format", "text"), false, true},
		{harness.NewIssuer(t).Flags(), true, true},
		{[]string{"--log-level", "error"}, false, false},
	} {
		t.Run(fmt.Sprint(test.flags), func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), test.flags...))
			asked{http.MethodPost, "/graphql", `{"query": "{__typename}"}`, nil}.send(t, p.Serving())
			p.Signal(syscall.SIGTERM)
			p.Wants(0)
			if test.json {
				if n := len(p.Lines("request")); n != 1 || p.Stdout.String() != "" {
					t.Errorf("%d lines for requests, stdout %q", n, &p.Stdout)
				}
				served := p.Lines("serving")
				if len(served) != 1 || served[0]["url"] != p.URL() || served[0]["grid"] != true ||
					served[0]["playground"] != true {
					t.Errorf("%v", served)
				}
				begun := p.Lines("Starting on " + p.URL())
				if len(begun) != 1 || begun[0]["version"] == nil ||
					!strings.HasPrefix(fmt.Sprint(begun[0]["table"]), "the embedded engine in ") ||
					begun[0]["sign_in"] == nil {
					t.Errorf("%v", begun)
				}
			} else if says := strings.Contains(p.Stderr.String(),
				" msg=request method=POST path=/graphql "); says != test.says {
				t.Errorf("logged a line for the request: %t, want %t", says, test.says)
			}
		})
	}
}

// TestJSONAlone checks that with a JSON log every line on stderr is JSON, for a server that loads its sample.
func TestJSONAlone(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, append(harness.ServeArgs(t.TempDir()), "--log-format", "json"))
	p.Has(&p.Stderr, "Loading sample data: 105 of 2005")
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	if loaded := p.Lines("Loading sample data: 105 of 2005"); len(loaded) != 1 {
		t.Errorf("%v", loaded)
	}
}

// TestVersion checks the version that the program reports, which is set by the build or comes from Go's build
// information.
func TestVersion(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, []string{"--version"}, harness.Env("ISSUEGRID_VERSION=hunter2"))
	p.Wants(0)
	version := p.Stdout.String()
	if !regexp.MustCompile(`^(devel|v\d\S+)\n$`).MatchString(version) || p.Stderr.String() != "" {
		t.Errorf("stdout %q, stderr %q", version, &p.Stderr)
	}
	s := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), "--metrics-addr",
		"127.0.0.1:0"))
	s.Serving()
	if !strings.Contains(s.Stderr.String(), "\nissuegrid "+strings.TrimSpace(version)+
		", with the embedded engine in ") || !strings.Contains(s.Stderr.String(),
		"; no sign-in is required\n") {
		t.Errorf("stderr %q", &s.Stderr)
	}
	if got := harness.Scrape(t, s.Noted("Metrics on "))[`issuegrid_build_info{version="`+
		strings.TrimSpace(version)+`"}`]; got != 1 {
		t.Errorf("the metric of version %q is %v", version, got)
	}
}

// TestMessagesDocs checks that docs/observability.md explains every fixed log message.
func TestMessagesDocs(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	found := logMessages(t, `\b(?:slog|log)\.(?:Debug|Info|Warn|Error)(?:Context)?\((?:ctx, )?"([^"]+)"`)
	for _, message := range found {
		if !bytes.Contains(docs, []byte("`"+message)) {
			t.Errorf("docs/observability.md does not explain %q", message)
		}
	}
	if len(found) < 10 {
		t.Errorf("%d messages", len(found))
	}
}
