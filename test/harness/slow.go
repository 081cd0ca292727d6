package harness

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// SlowRequest is a GraphQL request whose body has not been sent.
type SlowRequest struct {
	net.Conn
	Answers *bufio.Reader
}

// SlowQuery is the body of a SlowRequest.
const SlowQuery = `{"query":"{tenants {nodes {name}}}"}`

// BeginSlow sends the header of a request and returns when the server asks for the body.
func BeginSlow(t testing.TB, url string) SlowRequest {
	t.Helper()
	r := Connect(t, url)
	fmt.Fprintf(r, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(SlowQuery))
	if line, err := r.Answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.Answers.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return r
}

// Connect opens a connection and sends nothing.
func Connect(t testing.TB, url string) SlowRequest {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return SlowRequest{conn, bufio.NewReader(conn)}
}

// Answer reads the next response and returns it with its body.
func (r SlowRequest) Answer(t testing.TB) (*http.Response, string) {
	t.Helper()
	response, err := http.ReadResponse(r.Answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}
