package dynamotest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
)

// Wire is the connection between a table and its engine. It counts requests, including retries, and lets a
// test inspect, delay or modify them, or respond in place of the engine. It is safe for concurrent use.
type Wire struct {
	next http.RoundTripper

	mu        sync.Mutex
	calls     map[string]int
	intercept Interceptor
}

// Around wraps a transport, for dynamo.Settings.Transport. A Wire may be reused by another table after the
// first one, but not at the same time.
func (w *Wire) Around(next http.RoundTripper) http.RoundTripper {
	w.next = next
	return w
}

// PlainClient returns an HTTP client for using the SDK without the product. It sends its own request bodies
// for the same reason as the product does: with the SDK's bodies, net/http occasionally closes a connection
// while a response is read, which would fail tests.
func PlainClient() *http.Client {
	w := &Wire{}
	w.Intercept(func(r *Request, send Send) *Response { return send(r) })
	return &http.Client{Transport: w.Around(http.DefaultTransport)}
}

// Request is a request to the engine.
type Request struct {
	// Operation is the name of the API operation, such as BatchGetItem.
	Operation string
	// Body is JSON. An interceptor may replace it before it sends the request.
	Body []byte
	http *http.Request
}

// Context returns a context that ends when the client no longer waits for the response.
func (r *Request) Context() context.Context { return r.http.Context() }

// with returns a copy of the request with another body.
func (r *Request) with(body []byte) *Request {
	altered := *r
	altered.Body = body
	return &altered
}

// Response is the response of the engine or of an interceptor. If Err is not nil, the connection has failed.
type Response struct {
	Status int
	Body   []byte
	Err    error
	http   *http.Response
}

// ok reports whether the engine has performed the operation.
func (a *Response) ok() bool { return a.Err == nil && a.Status == http.StatusOK }

// Send sends a request to the engine.
type Send = func(*Request) *Response

// Interceptor handles every request. It may call send any number of times.
type Interceptor func(r *Request, send Send) *Response

// Before returns an Interceptor that calls do before each request of an operation, or before each request if
// operation is "".
func Before(operation string, do func(*Request)) Interceptor {
	return func(r *Request, send Send) *Response {
		if operation == "" || r.Operation == operation {
			do(r)
		}
		return send(r)
	}
}

// Intercept sets the interceptor and replaces the previous one; nil removes it.
func (w *Wire) Intercept(f Interceptor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.intercept = f
}

// Reset sets the counts to zero.
func (w *Wire) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = nil
}

// Calls returns the number of requests by operation since the last Reset.
func (w *Wire) Calls() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls == nil {
		return map[string]int{}
	}
	return maps.Clone(w.calls)
}

// RoundTrip implements http.RoundTripper.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	if w.calls == nil {
		w.calls = map[string]int{}
	}
	w.calls[operation]++
	intercept := w.intercept
	w.mu.Unlock()
	if intercept == nil {
		return w.next.RoundTrip(r)
	}
	if t := httptrace.ContextClientTrace(r.Context()); t != nil && t.WroteHeaders != nil {
		t.WroteHeaders() // the wire has received it, whatever the interceptor does
	}
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	a := intercept(&Request{Operation: operation, Body: body, http: r}, w.send)
	if a.Err != nil {
		return nil, a.Err
	}
	response := &http.Response{StatusCode: a.Status, Status: http.StatusText(a.Status), Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Request: r}
	if a.http != nil {
		response.Header = a.http.Header.Clone()
		response.Header.Del("X-Amz-Crc32") // the interceptor may have modified the body
	}
	response.Header.Set("Content-Length", strconv.Itoa(len(a.Body)))
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(a.Body)), int64(len(a.Body))
	return response, nil
}

func (w *Wire) send(r *Request) *Response {
	sent := r.http.Clone(r.http.Context())
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
	response, err := w.next.RoundTrip(sent)
	if err != nil {
		return &Response{Err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return &Response{Status: response.StatusCode, Body: body, Err: err, http: response}
}
