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

// Wire is what lies between a table and its engine. It counts the requests, attempts that are made again among them, and lets a test look at
// them, hold them up, alter them, or answer them in the engine's place. It is safe for concurrent use.
type Wire struct {
	next http.RoundTripper

	mu        sync.Mutex
	calls     map[string]int
	intercept Interceptor
}

// Around puts the wire around a transport, as dynamo.Settings.Transport wants it. What is opened with the same wire later uses it, too; not at
// the same time.
func (w *Wire) Around(next http.RoundTripper) http.RoundTripper {
	w.next = next
	return w
}

// PlainClient is an HTTP client for the plain SDK, beside the product. It sends bodies of its own, as the product does and for the same reason: the SDK
// makes net/http close a connection under an answer now and then, and a test would fail for it.
func PlainClient() *http.Client {
	w := &Wire{}
	w.Intercept(func(r *Request, send func(*Request) *Answer) *Answer { return send(r) })
	return &http.Client{Transport: w.Around(http.DefaultTransport)}
}

// Request is a request on the wire.
type Request struct {
	// Operation is the API's name of it, such as BatchGetItem.
	Operation string
	// Body is JSON. An interceptor may replace it before it sends the request on.
	Body []byte
	http *http.Request
}

// Context ends when the client does not wait for the answer any more.
func (r *Request) Context() context.Context { return r.http.Context() }

// with is the request with another body.
func (r *Request) with(body []byte) *Request {
	altered := *r
	altered.Body = body
	return &altered
}

// Answer is what the engine, or an interceptor, answers. With an Err the connection failed.
type Answer struct {
	Status int
	Body   []byte
	Err    error
	http   *http.Response
}

// ok tells that the engine has done what it was asked.
func (a *Answer) ok() bool { return a.Err == nil && a.Status == http.StatusOK }

// Interceptor stands in the way of every request. It calls send for what is to reach the engine, which it may do any number of times.
type Interceptor func(r *Request, send func(*Request) *Answer) *Answer

// Intercept puts an interceptor on the wire, in the place of the one that was there; nil for none.
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
		t.WroteHeaders() // the wire has it, whatever becomes of it
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
	response := &http.Response{StatusCode: a.Status, Status: http.StatusText(a.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Request: r}
	if a.http != nil {
		response.Header = a.http.Header.Clone()
		response.Header.Del("X-Amz-Crc32") // the interceptor may have altered the body
	}
	response.Header.Set("Content-Length", strconv.Itoa(len(a.Body)))
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(a.Body)), int64(len(a.Body))
	return response, nil
}

func (w *Wire) send(r *Request) *Answer {
	sent := r.http.Clone(r.http.Context())
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
	response, err := w.next.RoundTrip(sent)
	if err != nil {
		return &Answer{Err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return &Answer{Status: response.StatusCode, Body: body, Err: err, http: response}
}
