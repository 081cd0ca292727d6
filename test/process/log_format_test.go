//go:build unix

package process

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
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

// TestJSONAlone checks that with a JSON log every line on stderr is JSON, for a server that fails and for one
// that loads its sample.
func TestJSONAlone(t *testing.T) {
	t.Parallel()
	i := harness.NewIssuer(t)
	for _, test := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{append([]string{"--addr", "127.0.0.1:0", "--endpoint", "http://127.0.0.1:1"}, i.Flags()...),
			[]string{"ISSUEGRID_TABEL=x"}, harness.ExitFailed, "cannot be used"},
		{append([]string{"--page-budget", "0"}, i.Flags()...), nil, harness.ExitUsage, "--page-budget"},
		{[]string{"--log-format", "json", "--timeout", "1ms"}, nil, harness.ExitUsage, "--timeout"},
		{[]string{"--no-such-flag"}, []string{"ISSUEGRID_LOG_FORMAT=json"}, harness.ExitUsage,
			"--no-such-flag"},
	} {
		p := harness.Start(t, test.args, harness.Env(test.env...))
		p.Wants(test.code)
		p.Sentence(test.says)
		if fatal := p.Lines("fatal"); len(fatal) != 1 || fatal[0]["exit_code"] != float64(test.code) ||
			fatal[0]["version"] == nil {
			t.Errorf("%v", fatal)
		}
	}
	p := harness.Start(t, append(harness.ServeArgs(t.TempDir()), "--log-format", "json"))
	p.Serving()
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	if loaded := p.Lines("Loading sample data: 2005 of 2005"); len(loaded) != 1 {
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
	logs := regexp.MustCompile(`\b(?:slog|log)\.(?:Debug|Info|Warn|Error)(?:Context)?\((?:ctx, )?"([^"]+)"`)
	found := 0
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, message := range logs.FindAllSubmatch(text, -1) {
			if found++; !bytes.Contains(docs, append([]byte("`"), message[1]...)) {
				t.Errorf("%s logs %q, which docs/observability.md does not explain", name, message[1])
			}
		}
		return err
	})
	if err != nil || found < 10 {
		t.Errorf("%d messages, %v", found, err)
	}
}
