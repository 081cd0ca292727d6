// Package harness runs the server for tests as users run it: the built program as a child process, with a
// real engine and real HTTP. Start with Start, Process and the requests in client.go. Only tests import this
// package. A package that starts the program calls Main from its TestMain.
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

	"issuegrid/test/tier"
)

// Exit codes of the program.
const (
	ExitFailed = 1
	ExitUsage  = 2
)

// Program is the path of the built server.
var Program string

// ProgramVar is the environment variable with the path of the program, if it is built already.
const ProgramVar = "ISSUEGRID_TEST_BUILT"

// folder holds what the tests of this process share.
var folder string

// Main builds the program, unless ProgramVar names it, changes to the root of the repository, runs the tests
// and returns their exit code.
func Main(m *testing.M) int {
	tier.Parallel()
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err == nil {
		err = os.Chdir(filepath.Dir(strings.TrimSpace(string(module))))
	}
	if err == nil {
		folder, err = os.MkdirTemp("", "issuegrid-test-")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if Program = os.Getenv(ProgramVar); Program == "" {
		Program = filepath.Join(folder, "issuegrid")
		if out, err := exec.Command("go", "build", "-o", Program, "issuegrid").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "the server can't be built: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// ownVar is the environment variable that makes a test binary run as the program.
const ownVar = "ISSUEGRID_TEST_PROGRAM"

// MainOr is Main, unless the test binary was started with Own: it then runs program.
func MainOr(m *testing.M, program func() int) int {
	if os.Getenv(ownVar) != "" {
		return program()
	}
	return Main(m)
}

// Own is a Variant that runs the test binary instead of the built program. It has the race detector if the
// tests have it.
func Own(c *exec.Cmd) {
	c.Path, c.Err = os.Executable()
	c.Env = append(c.Env, ownVar+"=1")
}

// Patience is the timeout of every wait. Loading the sample takes 10 s on a busy machine.
const Patience = 90 * time.Second

// Eventually polls condition until it holds and fails the test after Patience.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	Within(t, Patience, what, condition)
}

// Within is Eventually with another limit, for work that takes minutes on a busy machine.
func Within(t testing.TB, limit time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(limit)
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", limit, what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Process is one run of the program.
type Process struct {
	T      testing.TB
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

// Env returns a Variant that sets environment variables, each as NAME=VALUE.
func Env(variables ...string) Variant {
	return func(c *exec.Cmd) { c.Env = append(c.Env, variables...) }
}

// RunVar is the environment variable by which .ci/run finds the processes that a run leaves behind.
const RunVar = "ISSUEGRID_CI_RUN"

// Environ returns the environment of the test without what the machine's owner has set for the server or for
// AWS. Of the server's variables it keeps RunVar.
func Environ() []string {
	var environ []string
	for _, v := range os.Environ() {
		setting := strings.HasPrefix(v, "ISSUEGRID_") || strings.HasPrefix(v, "AWS_")
		if !setting || strings.HasPrefix(v, RunVar+"=") {
			environ = append(environ, v)
		}
	}
	return append(environ, "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null")
}

// Start runs the program in the environment of Environ.
func Start(t testing.TB, args []string, variants ...Variant) *Process {
	t.Helper()
	p := &Process{T: t, Cmd: exec.Command(Program, args...), Ended: make(chan struct{})}
	p.Cmd.Env = append(Environ(), "COLUMNS=80")
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
			t.Logf("issuegrid %s\nstdout: %s\nstderr: %s", strings.Join(args, " "), ends(p.Stdout.String()),
				ends(p.Stderr.String()))
		}
	})
	return p
}

// ends returns a text, or the beginning and the end of a long one: a server logs a line for each request.
func ends(text string) string {
	const most = 8 << 10
	if len(text) <= 2*most {
		return text
	}
	return fmt.Sprintf("%s\n… %d bytes …\n%s", text[:most], len(text)-2*most, text[len(text)-most:])
}

// PeakResident returns the peak of the resident memory in bytes.
func (p *Process) PeakResident() int64 {
	p.T.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid))
	if err != nil {
		p.T.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var kb int64
	if _, err := fmt.Sscan(after, &kb); err != nil {
		p.T.Fatalf("no VmHWM in %s", text)
	}
	return kb << 10
}

// ServeArgs returns the arguments of a server on any free port with an embedded engine in the directory data.
func ServeArgs(data string, more ...string) []string {
	return append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data}, more...)
}

// SampleVar is the environment variable with a data directory that has the sample data, if it is loaded
// already.
const SampleVar = "ISSUEGRID_TEST_SAMPLE"

var sampleOnce sync.Once

// SampleData returns a data directory with the sample data. To load it takes a server longer than most tests
// take, so that each test gets a copy.
func SampleData(t testing.TB) string {
	t.Helper()
	loaded := os.Getenv(SampleVar)
	if loaded == "" {
		loaded = filepath.Join(folder, "sample")
		sampleOnce.Do(func() {
			p := Start(t, ServeArgs(loaded))
			p.Serving()
			p.Signal(syscall.SIGTERM)
			p.Wants(0)
		})
	}
	data := t.TempDir()
	if err := os.CopyFS(data, os.DirFS(loaded)); err != nil {
		t.Fatal(err)
	}
	return data
}

// Signal sends a signal to the program, not to its children.
func (p *Process) Signal(s syscall.Signal) {
	p.T.Helper()
	if err := p.Cmd.Process.Signal(s); err != nil {
		p.T.Fatal(err)
	}
}

// Wants waits until the program ends and checks its exit code, which is -1 if a signal ended it.
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

// Fails waits until the program ends with exit code 1 and calls Sentence.
func (p *Process) Fails(words ...string) {
	p.T.Helper()
	p.Wants(ExitFailed)
	p.Sentence(words...)
}

// Sentence checks that exactly one line on stderr, the last, reports a failure, and that it contains all
// words. If the log is JSON, the line is a log entry.
func (p *Process) Sentence(words ...string) {
	p.T.Helper()
	lines := strings.Split(strings.TrimSuffix(p.Stderr.String(), "\n"), "\n")
	last := len(lines) - 1
	failure := func(l string) bool {
		return strings.HasPrefix(l, "issuegrid: ") || strings.HasPrefix(l, "{") &&
			strings.Contains(l, `"level":"ERROR","msg":"fatal","error":`)
	}
	if slices.IndexFunc(lines, failure) != last {
		p.T.Errorf("stderr does not end in exactly one failure message: %q", lines)
	}
	var entry struct{ Error string }
	if json.Unmarshal([]byte(lines[last]), &entry) == nil {
		lines[last] = entry.Error
	}
	for _, word := range words {
		if !strings.Contains(lines[last], word) {
			p.T.Errorf("%q does not contain %q", lines[last], word)
		}
	}
	for _, jargon := range []string{"operation error", "https response", "RequestID", "goroutine"} {
		if strings.Contains(lines[last], jargon) {
			p.T.Errorf("%q contains the jargon %q", lines[last], jargon)
		}
	}
	if p.Stdout.String() != "" {
		p.T.Errorf("a failure wrote to stdout: %q", &p.Stdout)
	}
}

// Has waits until an output contains one of the texts.
func (p *Process) Has(o fmt.Stringer, texts ...string) {
	p.T.Helper()
	found := func() bool {
		all := o.String()
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(all, text) })
	}
	Eventually(p.T, fmt.Sprintf("output contains one of %q", texts), func() bool {
		select {
		case <-p.Ended:
			if !found() {
				p.T.Fatalf("ended without output of any of %q", texts)
			}
		default:
		}
		return found()
	})
}

// URL returns the URL at which the server listens. It is known before the server is ready.
func (p *Process) URL() string {
	p.T.Helper()
	return p.Noted("Starting on ")
}

// Noted waits for a message on stderr that consists of prefix and a URL, and returns the URL. The log may be
// JSON.
func (p *Process) Noted(prefix string) string {
	p.T.Helper()
	line := regexp.MustCompile(regexp.QuoteMeta(prefix) + `(http://[^\s"]+)["\n]`)
	var found []string
	p.Has(&p.Stderr, prefix)
	Eventually(p.T, "a message with a URL after "+prefix, func() bool {
		found = line.FindStringSubmatch(p.Stderr.String())
		return found != nil
	})
	return found[1]
}

// Serving waits until the server reports that it serves, and returns its URL.
func (p *Process) Serving() string {
	p.T.Helper()
	p.Has(&both{p}, "Ctrl-C", `"msg":"serving"`)
	return p.URL()
}

// both is the output of a process to stdout and stderr.
type both struct{ p *Process }

func (b *both) String() string { return b.p.Stdout.String() + b.p.Stderr.String() }

// Line is an entry of the JSON log.
type Line map[string]any

// Lines returns the entries of a JSON log whose message is msg. It fails the test if a line of stderr is not
// JSON.
func (p *Process) Lines(msg string) (lines []Line) {
	p.T.Helper()
	for text := range strings.Lines(p.Stderr.String()) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			p.T.Fatalf("%q is not a log entry: %v", text, err)
		}
		if l["msg"] == msg {
			lines = append(lines, l)
		}
	}
	return lines
}
