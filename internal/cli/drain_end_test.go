//go:build unix

package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"issuegrid/internal/httpd"
	"issuegrid/test/harness"
)

// stuckAPI is a drainer with one request that never ends.
type stuckAPI struct{}

func (stuckAPI) Drain() (int, <-chan struct{}) { return 1, make(chan struct{}) }

// TestDrainEnds checks that drain cuts off a request that takes too long.
func TestDrainEnds(t *testing.T) {
	t.Parallel()
	entered, left := make(chan struct{}), make(chan struct{})
	hangs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done() // until the connection is closed
		close(left)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httpd.NewServer(hangs)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	slow := harness.Connect(t, "http://"+l.Addr().String())
	fmt.Fprint(slow, "GET /graphql HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-entered
	if err := drain(quiet(t), server, stuckAPI{}, time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), "requests in progress were canceled") {
		t.Errorf("drain returned %v, want an error about the cut-off request", err)
	}
	<-left
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("Serve returned %v, want ErrServerClosed", err)
	}
	if _, err := slow.Answers.ReadByte(); err != io.EOF {
		t.Errorf("read from the connection: got error %v, want EOF", err)
	}
}
