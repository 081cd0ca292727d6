// Package harness runs the server as its users do, for tests: the built program as a child process, a real
// engine, real HTTP. Start here: Start, Process and the requests of client.go. Tests alone import it; a
// package that starts the program calls Main from its TestMain.
package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Exit codes of the program.
const (
	ExitFailed = 1
	ExitUsage  = 2
)

// Program is the built server.
var Program string

// Main builds the program, runs the tests in the root of the repository, so that they name files as people do
// there, and returns their exit code.
func Main(m *testing.M) int {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err == nil {
		err = os.Chdir(filepath.Dir(strings.TrimSpace(string(module))))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "issuegrid-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	Program = filepath.Join(dir, "issuegrid")
	if out, err := exec.Command("go", "build", "-o", Program, "issuegrid").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the server can't be built: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// Patience bounds every wait; on a busy machine loading the sample takes 10 s.
const Patience = 90 * time.Second

// Eventually polls until the condition holds.
func Eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(Patience)
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", Patience, what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Process is a run of the program.
type Process struct {
	T      *testing.T
	Cmd    *exec.Cmd
	Stdout output
	Stderr output
	Ended  chan struct{}
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Variant changes how a process is started.
type Variant func(*exec.Cmd)

// Env sets environment variables, as NAME=VALUE.
func Env(variables ...string) Variant {
	return func(c *exec.Cmd) { c.Env = append(c.Env, variables...) }
}

// Start runs the program with nothing in its environment that the machine's owner has set for it or for AWS.
func Start(t *testing.T, args []string, variants ...Variant) *Process {
	t.Helper()
	p := &Process{T: t, Cmd: exec.Command(Program, args...), Ended: make(chan struct{})}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ISSUEGRID_") && !strings.HasPrefix(v, "AWS_") {
			p.Cmd.Env = append(p.Cmd.Env, v)
		}
	}
	p.Cmd.Env = append(p.Cmd.Env, "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null", "COLUMNS=80")
	p.Cmd.Dir = t.TempDir()
	p.Cmd.Stdout, p.Cmd.Stderr = &p.Stdout, &p.Stderr
	for _, v := range variants {
		v(p.Cmd)
	}
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.Cmd.Wait()
		close(p.Ended)
	}()
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		<-p.Ended
		if t.Failed() {
			t.Logf("issuegrid %s\nstdout: %s\nstderr: %s", strings.Join(args, " "), &p.Stdout, &p.Stderr)
		}
	})
	return p
}

// ServeArgs is a server with an embedded engine in a directory, on any free port.
func ServeArgs(data string, more ...string) []string {
	return append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data}, more...)
}

// Signal sends a signal to the program alone.
func (p *Process) Signal(s syscall.Signal) {
	p.T.Helper()
	if err := p.Cmd.Process.Signal(s); err != nil {
		p.T.Fatal(err)
	}
}

// Wants waits for the end and checks the exit code, -1 for a death by a signal.
func (p *Process) Wants(code int) {
	p.T.Helper()
	select {
	case <-p.Ended:
	case <-time.After(Patience):
		p.T.Fatalf("has not ended within %s", Patience)
	}
	if got := p.Cmd.ProcessState.ExitCode(); got != code {
		p.T.Errorf("%s, want exit code %d", p.Cmd.ProcessState, code)
	}
}

// Fails waits for the end with exit code 1 and one sentence that has all the words.
func (p *Process) Fails(words ...string) {
	p.T.Helper()
	p.Wants(ExitFailed)
	p.Sentence(words...)
}

// Sentence checks that the last line on stderr, and only it, is a failure told in one sentence that has all
// the words; in a log of JSON it is a line.
func (p *Process) Sentence(words ...string) {
	p.T.Helper()
	lines := strings.Split(strings.TrimSuffix(p.Stderr.String(), "\n"), "\n")
	last := len(lines) - 1
	failure := func(l string) bool {
		return strings.HasPrefix(l, "issuegrid: ") || strings.HasPrefix(l, "{") &&
			strings.Contains(l, `"level":"ERROR","msg":"fatal","error":`)
	}
	if slices.IndexFunc(lines, failure) != last {
		p.T.Errorf("stderr does not end in one sentence: %q", lines)
	}
	var told struct{ Error string }
	if json.Unmarshal([]byte(lines[last]), &told) == nil {
		lines[last] = told.Error
	}
	for _, word := range words {
		if !strings.Contains(lines[last], word) {
			p.T.Errorf("%q does not say %q", lines[last], word)
		}
	}
	for _, jargon := range []string{"operation error", "https response", "RequestID", "goroutine"} {
		if strings.Contains(lines[last], jargon) {
			p.T.Errorf("%q says %q, which tells people nothing", lines[last], jargon)
		}
	}
	if p.Stdout.String() != "" {
		p.T.Errorf("stdout of a failure: %q", &p.Stdout)
	}
}

// Has waits until an output has one of the texts.
func (p *Process) Has(o fmt.Stringer, texts ...string) {
	p.T.Helper()
	said := func() bool {
		all := o.String()
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(all, text) })
	}
	Eventually(p.T, fmt.Sprintf("output has one of %q", texts), func() bool {
		select {
		case <-p.Ended:
			if !said() {
				p.T.Fatalf("ended without having said one of %q", texts)
			}
		default:
		}
		return said()
	})
}

// URL is where the server listens, known before it serves.
func (p *Process) URL() string {
	p.T.Helper()
	return p.Noted("Starting on ")
}

// Noted waits for a note that begins with prefix and goes on with a URL, which it returns. A log in JSON has
// the notes in it.
func (p *Process) Noted(prefix string) string {
	p.T.Helper()
	line := regexp.MustCompile(regexp.QuoteMeta(prefix) + `(http://[^\s"]+)["\n]`)
	var found []string
	p.Has(&p.Stderr, prefix)
	Eventually(p.T, "a note with a URL behind "+prefix, func() bool {
		found = line.FindStringSubmatch(p.Stderr.String())
		return found != nil
	})
	return found[1]
}

// Serving waits until the server has said that it serves, and returns its URL.
func (p *Process) Serving() string {
	p.T.Helper()
	p.Has(&both{p}, "Ctrl-C", `"msg":"serving"`)
	return p.URL()
}

// both is what a process writes to either output.
type both struct{ p *Process }

func (b *both) String() string { return b.p.Stdout.String() + b.p.Stderr.String() }

// Line is a line of the log.
type Line map[string]any

// Lines are those of a log in JSON with a message. All of stderr must be JSON.
func (p *Process) Lines(msg string) (lines []Line) {
	p.T.Helper()
	for text := range strings.Lines(p.Stderr.String()) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			p.T.Fatalf("%q is no line of the log: %v", text, err)
		}
		if l["msg"] == msg {
			lines = append(lines, l)
		}
	}
	return lines
}
