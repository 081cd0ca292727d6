package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// TestLateWriter forces the race in smithy-go (see httpClient): writing a request returns only after its
// response has begun, and the rest of the response is late. With the SDK's client every call loses its
// connection and is retried; with httpClient none does.
func TestLateWriter(t *testing.T) {
	const calls = 10
	engine := answering(t)
	for name, test := range map[string]struct {
		client func(http.RoundTripper) dynamodb.HTTPClient
		again  bool
	}{
		"ours": {func(rt http.RoundTripper) dynamodb.HTTPClient { return &httpClient{rt} }, false},
		"the SDK's": {func(rt http.RoundTripper) dynamodb.HTTPClient {
			return &http.Client{Transport: rt}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			transport := newTransport()
			transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				return &lateConn{Conn: conn, answered: make(chan struct{}, 1)}, err
			}
			counting := &counter{next: transport}
			client := dynamodb.NewFromConfig(aws.Config{Region: "us-east-1",
				Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")},
				func(o *dynamodb.Options) {
					o.BaseEndpoint, o.HTTPClient, o.RetryMaxAttempts = &engine, test.client(counting), 1
				})
			failed := 0
			for range calls {
				if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
					if !errors.Is(err, net.ErrClosed) {
						t.Fatal(err)
					}
					failed++
				}
			}
			if (failed > 0) != test.again || counting.sent.Load() != calls {
				t.Errorf("%d of %d calls failed, %d requests were sent", failed, calls, counting.sent.Load())
			}
		})
	}
}

// answering starts a server that sends its response in two parts, headers first.
func answering(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.Header().Set("Content-Length", "8017")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		w.Write([]byte(`{"TableNames":[]}` + strings.Repeat(" ", 8000)))
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String()
}

// answerHead is longer than the headers of the response and shorter than all of it.
const answerHead = 512

// lateConn is a connection on a busy machine. The write of a request's body returns a while after the
// response has begun to arrive, and the rest of the response is read a while later. What is transmitted does
// not change.
type lateConn struct {
	net.Conn
	sent     atomic.Bool // the body was sent, and no response has been received
	answered chan struct{}
}

func (c *lateConn) Write(b []byte) (int, error) {
	body := b[len(b)-1] == '}'
	c.sent.Store(body)
	n, err := c.Conn.Write(b)
	if body {
		<-c.answered
		pass(5 * time.Millisecond)
	}
	return n, err
}

func (c *lateConn) Read(b []byte) (int, error) {
	if !c.sent.Load() {
		pass(40 * time.Millisecond)
	}
	n, err := c.Conn.Read(b[:min(len(b), answerHead)])
	if c.sent.CompareAndSwap(true, false) {
		c.answered <- struct{}{}
	}
	return n, err
}

// pass waits: this test is about time.
func pass(d time.Duration) { <-time.After(d) }

type counter struct {
	next http.RoundTripper
	sent atomic.Int64
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return c.next.RoundTrip(r)
}

// TestBrokenResponse checks that a connection that breaks during a response fails the request, not a later
// read of the response.
func TestBrokenResponse(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&httpClient{broken{}}).Do(r); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// broken sends responses whose body cannot be read to its end.
type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: brokenBody{}}, nil
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, net.ErrClosed }
func (brokenBody) Close() error             { return nil }
