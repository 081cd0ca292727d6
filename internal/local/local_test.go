//go:build unix

package local_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"issuegrid/internal/local"
)

// The test binary also acts as other programs: faulty engines, and a server that can be killed. roleVar
// selects the role; markerVar names a file that some roles write or check.
const (
	roleVar   = "LOCAL_TEST_ROLE"
	markerVar = "LOCAL_TEST_MARKER"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVar); role {
	case "":
		os.Exit(m.Run())
	case "server":
		playServer()
	default:
		playEngine(role)
	}
}

// playEngine acts as an engine that responds to --version correctly and then fails as the role says.
func playEngine(role string) {
	if os.Args[1] == "--version" {
		fmt.Println("dynoxide " + local.Version)
		return
	}
	address := "127.0.0.1:" + os.Args[slices.Index(os.Args, "--port")+1]
	die := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
		os.Exit(3)
	}
	switch role {
	case "dies":
		if i := slices.Index(os.Args, "--db-path"); i > 0 {
			os.WriteFile(os.Args[i+1], []byte("half made"), 0o600)
		}
		die("first line\nerror: no disk")
	case "port always taken":
		die("error: port %s is already in use", address)
	case "port taken once":
		marker := os.Getenv(markerVar)
		if _, err := os.Stat(marker); err != nil {
			os.WriteFile(marker, nil, 0o600)
			die("error: failed to bind %s: Address in use (os error 98)", address)
		}
		serve(address)
	case "ignores SIGTERM":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		go func() {
			<-asked
			os.WriteFile(os.Getenv(markerVar), nil, 0o600)
		}()
		serve(address)
	case "silent":
		time.Sleep(time.Hour) // not select, which is a deadlock in a program without cgo
	}
}

func serve(address string) {
	l, err := net.Listen("tcp4", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s\n", address)
	http.Serve(l, http.NotFoundHandler())
}

// playServer acts as a server with an engine: it prints the engine's URL, drains on SIGINT with one more
// request, and stops the engine.
func playServer() {
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, syscall.SIGINT)
	engine, err := local.Start(context.Background(), local.Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(engine.URL())
	<-interrupt
	if _, err := call(engine.URL(), "ListTables", "{}"); err != nil {
		fmt.Println("could not drain:", err)
		os.Exit(1)
	}
	if err := engine.Stop(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("drained")
}

// playing sets the engine in opts to the test binary in the given role.
func playing(t *testing.T, role string, opts local.Options) local.Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(roleVar, role)
	opts.Binary = self
	return opts
}

// start starts an engine and stops it at the end of the test.
func start(t *testing.T, opts local.Options) *local.Engine {
	t.Helper()
	engine, err := local.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, engine) })
	return engine
}

func stop(t *testing.T, engine *local.Engine) {
	t.Helper()
	if err := engine.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// call makes one call of the DynamoDB API and returns the response body.
func call(url, operation, body string) (string, error) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	req.Header.Set("Authorization",
		"AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, "+
			"Signature=x")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	response, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(string(response))
	}
	return string(response), err
}

func createTable(t *testing.T, engine *local.Engine, name string) {
	t.Helper()
	body := fmt.Sprintf(
		`{"TableName":%q,"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],`+
			`"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}]}`, name)
	if _, err := call(engine.URL(), "CreateTable", body); err != nil {
		t.Fatal(err)
	}
}

// wantTables checks the names of an engine's tables.
func wantTables(t *testing.T, engine *local.Engine, want ...string) {
	t.Helper()
	response, err := call(engine.URL(), "ListTables", "{}")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ TableNames []string }
	if err := json.Unmarshal([]byte(response), &list); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(list.TableNames, want) {
		t.Errorf("the engine has the tables %q, want %q", list.TableNames, want)
	}
}

// wantError checks the kind of an error, and that its message is one line with all the words.
func wantError(t *testing.T, err error, kind local.Kind, words ...string) {
	t.Helper()
	if local.KindOf(err) != kind {
		t.Fatalf("error %v is of kind %q, want %q", err, local.KindOf(err), kind)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not contain %q", err, word)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r\t") {
		t.Errorf("%q is more than one line", err)
	}
}

// ended waits until Done is closed.
func ended(t *testing.T, engine *local.Engine) {
	t.Helper()
	select {
	case <-engine.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("Done was not closed within 10 s")
	}
}

// wantFiles checks the paths of everything below dir, which need not exist if there is nothing (L4).
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != dir {
			list = append(list, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if !slices.Equal(list, want) {
		t.Errorf("%s holds %q, want %q", dir, list, want)
	}
}

// script writes an executable shell script.
func script(t *testing.T, path, text string) {
	t.Helper()
	// Another process writes the file: a child of this process, forked between open and close, would have the
	// file open for writing, and running it would fail with ETXTBSY.
	cmd := exec.Command("/bin/sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" >"$0"`, path, text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// journal is a Log that keeps its lines.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) logf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, "\n")
}

// server is a process in its own process group that runs playServer.
type server struct {
	cmd *exec.Cmd
	out *bufio.Reader
	url string
}

func startServer(t *testing.T) *server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"=server")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	s := &server{cmd: cmd, out: bufio.NewReader(stdout)}
	s.url = s.line(t)
	if !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Fatal(s.url)
	}
	return s
}

func (s *server) line(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the server ended early: %q, %s", line, err)
	}
	return strings.TrimSpace(line)
}

// proc is a process of the system's process list.
type proc struct {
	pid, parent int
	command     string
}

func (p proc) shell() bool { return strings.Contains(p.command, "/bin/sh") }

// processesOf returns the processes whose command contains the port of the URL: engine, guard and watcher.
// Zombies have no command and are left out.
func processesOf(t *testing.T, url string) []proc {
	t.Helper()
	port := "--port " + url[strings.LastIndex(url, ":")+1:]
	all := fromProcFS()
	if all == nil {
		all = fromPS(t)
	}
	return slices.DeleteFunc(all, func(p proc) bool { return !strings.Contains(p.command, port) })
}

// fromProcFS reads Linux's /proc, because small Linux systems have no ps. It returns nil on other systems.
func fromProcFS() []proc {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var list []proc
	for _, dir := range dirs {
		command, err1 := os.ReadFile(dir + "/cmdline")
		stat, err2 := os.ReadFile(dir + "/stat")
		if err1 != nil || err2 != nil {
			continue // it has ended
		}
		p := proc{command: strings.ReplaceAll(string(command), "\x00", " ")}
		fmt.Sscan(filepath.Base(dir), &p.pid)
		fmt.Sscan(string(stat[strings.LastIndex(string(stat), ")")+3:]), &p.parent)
		list = append(list, p)
	}
	return list
}

func fromPS(t *testing.T) []proc {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []proc
	for line := range strings.Lines(string(out)) {
		p := proc{command: line}
		fmt.Sscan(line, &p.pid, &p.parent)
		list = append(list, p)
	}
	return list
}
