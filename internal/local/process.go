package local

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	probeEvery  = 5 * time.Millisecond // between attempts to reach an engine that has announced its address
	probeLimit  = time.Second          // for one attempt
	lingerLimit = time.Second          // for the engine's process group to end after the engine
)

// process is one run of the engine's program on one port.
type process struct {
	program string
	port    int
	url     string
	out     *output
	guard   *guard
	done    chan struct{} // closed when all of its processes have ended
	ending  string        // how it ended; valid after done is closed
}

// launch starts the program on the port and returns at once. db is the path of the database, or "" for
// memory.
func launch(program, db string, port int) (*process, error) {
	p := &process{program: program, port: port, url: "http://" + address(port), done: make(chan struct{})}
	p.out = newOutput(p.url)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, notStarted(program, err)
	}
	defer w.Close()
	args := []string{"serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port)}
	if db != "" {
		args = append(args, "--db-path", db)
	}
	p.guard, err = startGuard(w, program, args...)
	if err != nil {
		r.Close()
		return nil, notStarted(program, err)
	}
	go p.out.read(r)
	go p.watch(r)
	return p, nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func notStarted(program string, err error) error {
	return failure(KindSystem, err,
		"the operating system could not start the embedded engine %s (%s); free processes, files or memory",
		program, err)
}

// watch waits for the end of the process. The output pipe closes when the last process that has it open ends,
// which shows that the engine has ended even if only its guard was killed.
func (p *process) watch(r io.Closer) {
	p.ending = p.guard.wait()
	select {
	case <-p.out.ended:
	case <-time.After(lingerLimit):
		p.guard.sweep()
		select {
		case <-p.out.ended:
		case <-time.After(lingerLimit): // a process outside of the group holds the pipe
		}
	}
	r.Close()
	close(p.done)
}

// kill ends the process and waits until it has ended.
func (p *process) kill() {
	p.guard.kill()
	<-p.done
}

// ready waits until the engine has announced its address and responds to HTTP there. A response alone would
// prove nothing, because it could come from another program that has taken the port.
func (p *process) ready(ctx context.Context) error {
	select {
	case <-p.out.announced:
	case <-p.done:
		return p.died()
	case <-ctx.Done():
		return p.late(ctx)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: probeLimit}
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for !responds(ctx, client, p.url) {
		select {
		case <-p.done:
			return p.died()
		case <-ctx.Done():
			return p.late(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// responds reports whether url returns any HTTP response.
func responds(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return true
}

func (p *process) died() error {
	return failure(KindDied, nil, "the embedded engine %s ended while it started (%s)%s; check that it is "+
		"dynoxide %s and that its database is sound", p.program, p.ending, p.said(), Version)
}

func (p *process) late(ctx context.Context) error {
	return interrupted(ctx, fmt.Sprintf("the embedded engine %s started%s", p.program, p.said()))
}

// said returns the engine's last output, to be appended to a message.
func (p *process) said() string {
	if words := p.out.tail(); words != "" {
		return ", saying: " + words
	}
	return ""
}

// portTaken reports whether a process that has ended failed because another program used its port: either the
// port is still in use, or the engine reported it. The output is checked because the other program may have
// released the port by now, as tests that look for a free port do, and because the engine's exit status is 1
// for every error.
func (p *process) portTaken() bool {
	l, err := net.Listen("tcp4", address(p.port))
	if err != nil {
		return true
	}
	l.Close()
	words := p.out.tail()
	return strings.Contains(words, strconv.Itoa(p.port)) && strings.Contains(words, "in use")
}
