package client

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"issuegrid/internal/account"
)

// newTransport returns the HTTP transport to the engine. Its connections are kept and shared by all requests
// of the process.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       dialer.DialContext,
		ForceAttemptHTTP2: true,
		// for the one host: with fewer, bursts of parallel batches open and close connections
		MaxIdleConnsPerHost: 512,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		WriteBufferSize:     16 << 10, // a batch of 100 keys is sent in one write
		DisableCompression:  true,
	}
}

// httpClient sends the SDK's requests. It works around a race in smithy-go (up to at least v1.28.8): the SDK
// closes the request's body as soon as it has the response's headers. Its body reader then returns io.EOF as
// an error to net/http's last read, and net/http closes the connection while the response is being read ("use
// of closed network connection" on a 200). On a busy machine this affects one call in several hundred, and
// costs a retry. A body of our own has no such reader.
type httpClient struct{ transport http.RoundTripper }

// Do sends a request and reads the whole response, so that a connection that fails during the response fails
// here.
func (c *httpClient) Do(original *http.Request) (*http.Response, error) {
	var body []byte
	if original.Body != nil {
		var err error
		if body, err = io.ReadAll(original.Body); err != nil {
			return nil, err
		}
		original.Body.Close()
	}
	ctx := original.Context()
	account.From(ctx).Spend(account.CallCPU + time.Duration(len(body))*account.ByteCPU)
	sent, wanted := ctx.Value(sentKey{}).(*atomic.Bool)
	if wanted {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() {
			sent.Store(true)
		}})
	}
	response, err := c.transport.RoundTrip(withBody(ctx, original, body))
	if wanted && err == nil {
		sent.Store(true) // also for responses that do not come from an engine
	}
	if err != nil {
		return nil, err
	}
	if err := readAll(ctx, response); err != nil {
		return nil, err
	}
	return response, nil
}

func withBody(ctx context.Context, original *http.Request, body []byte) *http.Request {
	request := original.WithContext(ctx) // a shallow copy
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request.ContentLength, request.GetBody = int64(len(body)), open
	request.Body, _ = open()
	return request
}

const (
	// Decoding is the memory, in bytes per byte of a response, that decoding takes: the buffer and the
	// decoded values (TestDecodeMemory).
	Decoding = 5
	// decoded is the part that remains when the buffer is released: the decoded values, which the operation
	// may keep until it ends.
	decoded = 2
	// unknownLength is the reservation step for a response of unknown length.
	unknownLength = 64 << 10
)

// readAll reads the response's body into memory. It reserves the memory for the operation of ctx first
// (account.A1): all data that operations read pass through here.
func readAll(ctx context.Context, response *http.Response) error {
	defer response.Body.Close()
	a := account.From(ctx)
	b := bodies.Get().(*bytes.Buffer)
	b.Reset()
	p := &pooledBody{buffer: b, account: a}
	if err := p.read(ctx, response); err != nil {
		p.Close()
		a.Release(decoded * p.bytes)
		return err
	}
	a.Spend(time.Duration(p.bytes) * account.ByteCPU)
	response.Body = p
	return nil
}

// read fills the buffer.
func (p *pooledBody) read(ctx context.Context, response *http.Response) error {
	step := response.ContentLength
	if step <= 0 {
		step = unknownLength
	}
	for from := io.Reader(response.Body); ; {
		if err := p.account.Hold(ctx, Decoding*step); err != nil {
			return &unreadError{cause: err, bytes: max(response.ContentLength, p.bytes+step)}
		}
		p.bytes += step
		n, err := p.buffer.ReadFrom(io.LimitReader(from, step))
		if err != nil || n < step || response.ContentLength > 0 {
			return err
		}
	}
}

// unreadError is the error of a call whose response was not read, because the operation's or the process's
// memory limit was reached, or whose items were not decoded because the caller no longer waits. The engine
// bills it nevertheless.
type unreadError struct {
	cause    error
	bytes    int64            // minimum size of the response that was not read
	reported account.Capacity // by a response whose items were not decoded
}

func (e *unreadError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unreadError) Unwrap() error { return e.cause }

// bodies is a pool of response buffers. The SDK copies what it keeps, and closes the body.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled keeps a few very large responses from staying in memory.
const maxPooled = 1 << 20

// pooledBody is a response in memory.
type pooledBody struct {
	buffer  *bytes.Buffer
	account *account.Account // of the operation that the response is for
	bytes   int64            // reserved bytes, times Decoding
}

// Read implements io.Reader. After Close it returns nothing.
func (p *pooledBody) Read(b []byte) (int, error) {
	if p.buffer == nil {
		return 0, io.EOF
	}
	return p.buffer.Read(b)
}

// Bytes returns the whole body without copying it. It is valid until Close.
func (p *pooledBody) Bytes() []byte { return p.buffer.Bytes() }

// Close returns the buffer to the pool. Further calls have no effect.
func (p *pooledBody) Close() error {
	if p.buffer == nil {
		return nil
	}
	if p.buffer.Cap() <= maxPooled {
		bodies.Put(p.buffer)
	}
	p.account.Release((Decoding - decoded) * p.bytes)
	p.buffer = nil
	return nil
}
