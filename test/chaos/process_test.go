//go:build unix

package chaos_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"issuegrid/local"
	"issuegrid/test/harness"
)

// program and engineProgram are the paths of the built server and engine.
var program, engineProgram string

func TestMain(m *testing.M) {
	// Each check of TestLaggingIndex makes many requests. The flag -rapid.checks overrides this value.
	if err := flag.Set("rapid.checks", "50"); err != nil {
		panic(err)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "issuegrid-chaos-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "issuegrid")
	if out, err := exec.Command("go",
		append([]string{"build", "-o", program},
			append(buildFlags, "issuegrid")...)...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the server can't be built: %v\n%s", err, out)
		return 1
	}
	engineProgram, err = local.Find(context.Background(),
		local.Options{Log: func(format string, args ...any) {
			fmt.Fprintf(os.Stderr, format+"\n", args...)
		}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// patience is the timeout of every wait.
const patience = 90 * time.Second

// guardScript runs a program and kills it by its PID when the guard's input ends, which also happens when the
// test itself is killed.
const guardScript = `exec 3<&0 </dev/null
"$@" 3<&- &
read -r _ <&3
kill -KILL $!
wait $!`

// killed is the exit code that a shell reports for a program that was killed.
const killed = 128 + 9

// child is a running program.
type child struct {
	what     string
	cmd      *exec.Cmd
	lifeline *os.File
	output   *output
}

// startChild runs a program without the environment variables that the machine's owner has set for it or for
// AWS.
func startChild(program string, args ...string) (*child, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := &child{what: filepath.Base(program),
		cmd:      exec.Command("/bin/sh", append([]string{"-c", guardScript, "guard", program}, args...)...),
		lifeline: w, output: newOutput()}
	c.cmd.Env = harness.Environ()
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = r, c.output, c.output
	if err := c.cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return c, nil
}

// kill kills the program and waits for it to exit. It returns an error if the program had already exited.
func (c *child) kill() error {
	c.lifeline.Close()
	c.cmd.Wait()
	if code := c.cmd.ProcessState.ExitCode(); code != killed {
		return fmt.Errorf("%s had already exited with code %d:\n%s", c.what, code, c.output)
	}
	return nil
}

// output collects the output of a program.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed when there is more output
}

func newOutput() *output { return &output{more: make(chan struct{})} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// says waits until the program has written the text.
func (o *output) says(text string) error {
	deadline := time.After(patience)
	for {
		o.mu.Lock()
		said, more := o.text.String(), o.more
		o.mu.Unlock()
		if strings.Contains(said, text) {
			return nil
		}
		select {
		case <-more:
		case <-deadline:
			return fmt.Errorf("no output of %q within %s:\n%s", text, patience, said)
		}
	}
}

// startEngine starts an engine on a database file and returns when it accepts requests.
func startEngine(db string) (c *child, url string, err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	url = "http://127.0.0.1:" + strconv.Itoa(port)
	if c, err = startChild(engineProgram, "serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port),
		"--db-path", db); err != nil {
		return nil, "", err
	}
	if err = c.output.says(url); err == nil {
		err = answers(url)
	}
	if err != nil {
		return nil, "", errors.Join(err, c.kill())
	}
	return c, url, nil
}

// answers waits until the URL responds.
func answers(url string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	deadline := time.After(patience)
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for {
		response, err := client.Get(url)
		if err == nil {
			return response.Body.Close()
		}
		select {
		case <-ticker.C:
		case <-deadline:
			return err
		}
	}
}

// startServer starts a server on an engine and returns when it accepts requests.
func startServer(engine string) (c *child, url string, err error) {
	if c, err = startChild(program, "serve", "--addr", "127.0.0.1:0", "--endpoint", engine, "--limit-body",
		"8388608"); err != nil {
		return nil, "", err
	}
	if err = c.output.says("Ctrl-C"); err != nil {
		return nil, "", errors.Join(err, c.kill())
	}
	_, url, _ = strings.Cut(c.output.String(), "Starting on ")
	url, _, _ = strings.Cut(url, "\n")
	return c, url, nil
}
