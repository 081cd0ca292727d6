//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
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

	"go.uber.org/goleak"

	"issuegrid/local"
)

// The tests of this package run the server as its users do: the built program as a child process, a real engine, real HTTP.

var update = flag.Bool("update", false, "write the golden files again")

// program is the built server.
var program string

// asProgram is the environment variable that makes the tests' own binary the program, which also tells of goroutines that are left in the end.
const asProgram = "ISSUEGRID_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(runWithoutLeaks())
	}
	flag.Parse()
	os.Exit(buildAndRun(m))
}

// exitLeak is the exit code of a program that leaves goroutines.
const exitLeak = 97

func runWithoutLeaks() int {
	clearEmptyVariables()
	code := run(untilSignal(), os.Args[1:], os.Stdout, os.Stderr)
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		return exitLeak
	}
	return code
}

// watched makes a process the program that looks for leaks.
func watched(c *exec.Cmd) {
	own, err := os.Executable()
	if err != nil {
		own = ""
	}
	c.Path, c.Err = own, err
	c.Env = append(c.Env, asProgram+"=1")
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "issuegrid-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "issuegrid")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the server can't be built: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience bounds every wait; on a busy machine loading the sample takes 10 s.
const patience = 90 * time.Second

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", patience, what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// process is a run of the program.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout output
	stderr output
	ended  chan struct{}
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

// variant changes how a process is started.
type variant func(*exec.Cmd)

// env sets environment variables, as NAME=VALUE.
func env(variables ...string) variant {
	return func(c *exec.Cmd) { c.Env = append(c.Env, variables...) }
}

// start runs the program with nothing in its environment that the machine's owner has set for it or for AWS.
func start(t *testing.T, args []string, variants ...variant) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(program, args...), ended: make(chan struct{})}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ISSUEGRID_") && !strings.HasPrefix(v, "AWS_") {
			p.cmd.Env = append(p.cmd.Env, v)
		}
	}
	p.cmd.Env = append(p.cmd.Env, "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "COLUMNS=80")
	p.cmd.Dir = t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	for _, v := range variants {
		v(p.cmd)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("issuegrid %s\nstdout: %s\nstderr: %s", strings.Join(args, " "), &p.stdout, &p.stderr)
		}
	})
	return p
}

// serveArgs is a server with an embedded engine in a directory, on any free port.
func serveArgs(data string, more ...string) []string {
	return append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data}, more...)
}

// signal sends a signal to the program alone.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wants waits for the end and checks the exit code, -1 for a death by a signal.
func (p *process) wants(code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("has not ended within %s", patience)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("%s, want exit code %d", p.cmd.ProcessState, code)
	}
}

// fails waits for the end with exit code 1 and one sentence that has all the words.
func (p *process) fails(words ...string) {
	p.t.Helper()
	p.wants(exitFailed)
	p.sentence(words...)
}

// sentence checks that the last line on stderr, and only it, is a failure told in one sentence that has all the words; in a log of JSON it is a line.
func (p *process) sentence(words ...string) {
	p.t.Helper()
	lines := strings.Split(strings.TrimSuffix(p.stderr.String(), "\n"), "\n")
	last := len(lines) - 1
	failure := func(l string) bool {
		return strings.HasPrefix(l, "issuegrid: ") || strings.HasPrefix(l, "{") && strings.Contains(l, `"level":"ERROR","msg":"fatal","error":`)
	}
	if slices.IndexFunc(lines, failure) != last {
		p.t.Errorf("stderr does not end in one sentence: %q", lines)
	}
	var told struct{ Error string }
	if json.Unmarshal([]byte(lines[last]), &told) == nil {
		lines[last] = told.Error
	}
	for _, word := range words {
		if !strings.Contains(lines[last], word) {
			p.t.Errorf("%q does not say %q", lines[last], word)
		}
	}
	for _, jargon := range []string{"operation error", "https response", "RequestID", "goroutine"} {
		if strings.Contains(lines[last], jargon) {
			p.t.Errorf("%q says %q, which tells people nothing", lines[last], jargon)
		}
	}
	if p.stdout.String() != "" {
		p.t.Errorf("stdout of a failure: %q", &p.stdout)
	}
}

// has waits until an output has one of the texts.
func (p *process) has(o fmt.Stringer, texts ...string) {
	p.t.Helper()
	said := func() bool {
		all := o.String()
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(all, text) })
	}
	eventually(p.t, fmt.Sprintf("output has one of %q", texts), func() bool {
		select {
		case <-p.ended:
			if !said() {
				p.t.Fatalf("ended without having said one of %q", texts)
			}
		default:
		}
		return said()
	})
}

// url is where the server listens, known before it serves.
func (p *process) url() string {
	p.t.Helper()
	return p.noted("Starting on ")
}

// noted waits for a note that begins with prefix and goes on with a URL, which it returns. A log in JSON has the notes in it.
func (p *process) noted(prefix string) string {
	p.t.Helper()
	line := regexp.MustCompile(regexp.QuoteMeta(prefix) + `(http://[^\s"]+)["\n]`)
	var found []string
	p.has(&p.stderr, prefix)
	eventually(p.t, "a note with a URL behind "+prefix, func() bool {
		found = line.FindStringSubmatch(p.stderr.String())
		return found != nil
	})
	return found[1]
}

// serving waits until the server has said that it serves, and returns its URL.
func (p *process) serving() string {
	p.t.Helper()
	p.has(&both{p}, "Ctrl-C", `"msg":"serving"`)
	return p.url()
}

// both is what a process writes to either output.
type both struct{ p *process }

func (b *both) String() string { return b.p.stdout.String() + b.p.stderr.String() }

// get returns the status and the text of a page.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// post asks GraphQL and returns the status and the answer.
func post(t *testing.T, url, query string) (int, map[string]any) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url+"/graphql", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, answer
}

// ask asks GraphQL for data, without errors.
func ask[T any](t *testing.T, url, query string) T {
	t.Helper()
	status, answer := post(t, url, query)
	if status != http.StatusOK || answer["errors"] != nil {
		t.Fatalf("%s: status %d, %v", query, status, answer)
	}
	var data T
	text, err := json.Marshal(answer["data"])
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// engineURL reads where the server's engine is.
func engineURL(t *testing.T, data string) string {
	t.Helper()
	text, err := os.ReadFile(addressFile(data))
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(string(text), "\n")
	return url
}

// enginePIDs finds the engine with this URL, and what guards it, among the processes; the engine is the first. Zombies have no command left.
func enginePIDs(t *testing.T, url string) (pids []int) {
	t.Helper()
	port := "--port " + url[strings.LastIndex(url, ":")+1:]
	add := func(pid int, command string) {
		switch {
		case !strings.Contains(command+" ", port+" "):
		case strings.Contains(command, "/bin/sh"):
			pids = append(pids, pid)
		default:
			pids = slices.Insert(pids, 0, pid)
		}
	}
	var pid int
	if dirs, _ := filepath.Glob("/proc/[0-9]*"); dirs != nil {
		for _, dir := range dirs {
			command, _ := os.ReadFile(dir + "/cmdline")
			fmt.Sscan(filepath.Base(dir), &pid)
			add(pid, strings.ReplaceAll(string(command), "\x00", " "))
		}
		return pids
	}
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,command=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fmt.Sscan(line, &pid)
		add(pid, strings.TrimSpace(line))
	}
	return pids
}

// engineGone waits until nothing of the engine is left.
func engineGone(t *testing.T, url string) {
	t.Helper()
	eventually(t, "the engine at "+url+" is gone", func() bool { return len(enginePIDs(t, url)) == 0 })
}

// entries lists a directory; nil when there is none.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// script writes an executable shell script. Another process writes it: a child of this one that is forked between open and close would hold
// the file open for writing, and running it would fail with ETXTBSY.
func script(t *testing.T, path, text string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0"`, path, text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
}

// startEngine starts an engine in memory that belongs to the test.
func startEngine(t *testing.T) *local.Engine {
	t.Helper()
	engine, err := local.Start(t.Context(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Stop(t.Context()) })
	return engine
}
