//go:build unix

package process

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// fewFiles limits the number of files that a process may have open.
func fewFiles(n int) harness.Variant {
	return func(c *exec.Cmd) {
		c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, n), c.Path},
			c.Args[1:]...)
		c.Path = "/bin/sh"
	}
}

// TestFewFiles checks that idle connections leave the server the files that it needs, even when the limit is
// low.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, harness.ServeArgs(t.TempDir(), "--no-sample"), fewFiles(256))
	url := p.Serving()
	held := harness.Connect(t, url)
	ask := func() (*http.Response, string) {
		fmt.Fprintf(held, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s", len(harness.SlowQuery), harness.SlowQuery)
		return held.Answer(t)
	}
	for range 2 {
		var idle []harness.SlowRequest
		for range 300 {
			idle = append(idle, harness.Connect(t, url))
		}
		if r, text := ask(); r.StatusCode != http.StatusOK || strings.Contains(text, `"errors"`) {
			t.Errorf("with 300 idle connections: %s %s", r.Status, text)
		}
		for _, conn := range idle {
			conn.Close()
		}
		if r, text := harness.Do(t, "GET", url+"/readyz"); r.StatusCode != http.StatusOK {
			t.Errorf("without the idle connections: %s %s", r.Status, text)
		}
	}
	if strings.Contains(p.Stderr.String(), "too many open files") {
		t.Error("the server ran out of files")
	}
	many := harness.Start(t, []string{"serve", "--connections", "200"}, fewFiles(256))
	many.Wants(harness.ExitUsage)
	many.Sentence("--connections", "three quarters", "192")
}
