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

	"issuegrid/account"
)

// newTransport is the HTTP transport to the engine: connections are kept and shared by all requests of the process.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 512, // one host: with fewer, bursts of parallel batches open and close connections
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		WriteBufferSize:     16 << 10, // a batch of 100 keys leaves in one write
		DisableCompression:  true,
	}
}

// httpClient sends the SDK's requests. It exists because of a race in smithy-go (to v1.28.8 at least): the SDK closes a request's body as
// soon as the response's headers are there, its body reader then answers net/http's last look at it with io.EOF as an error, and
// net/http closes the connection under the response that is being read ("use of closed network connection" on a 200). On a
// busy machine that hits a call in some hundreds, and costs it a retry. A body of our own has no such reader.
type httpClient struct{ transport http.RoundTripper }

// Do sends a request and reads the whole answer, so that a connection that fails in the middle of it fails here.
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
	account.From(ctx).Spend(callCPU + time.Duration(len(body))*sendCPU)
	sent, wanted := ctx.Value(sentKey{}).(*atomic.Bool)
	if wanted {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	}
	response, err := c.transport.RoundTrip(withBody(ctx, original, body))
	if wanted && err == nil {
		sent.Store(true) // also by what answers in the place of an engine
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
	// Decoding is how many bytes of memory a byte of a response takes while it is decoded: in the buffer, and in what is made of it (TestDecodeMemory).
	Decoding = 5
	// decoded is how many of these are left when the buffer is closed: what is made of it, which the operation may keep until it ends.
	decoded = 2
	// unknownLength is what is held at once for a response that does not say how long it is.
	unknownLength = 64 << 10
	// callCPU is the CPU time of a call: its request is made, signed and sent, and the response received. sendCPU is that of a byte of the request.
	callCPU = 250 * time.Microsecond
	sendCPU = 10 * time.Nanosecond
	// readCPU is the CPU time that a byte of a response takes, from the connection to what is decoded of it.
	readCPU = 8 * time.Nanosecond
)

// readAll replaces the response's body by one that is in memory. Its memory is held for the operation of ctx first (account.A1): this is where all data that
// operations read comes from.
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
	a.Spend(time.Duration(p.bytes) * readCPU)
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

// unreadError is the error of a call whose response was not read, because its operation may not hold that much or the process has no room for it, or whose
// items were not decoded, because nobody waits for them any more. The engine bills it all the same.
type unreadError struct {
	cause    error
	bytes    int64    // of a response that was not read, at least
	reported Capacity // by a response whose items were not decoded
}

func (e *unreadError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unreadError) Unwrap() error { return e.cause }

// bodies are buffers of answers that were read. The SDK copies what it keeps and closes the body.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled keeps a few giant answers from staying in memory.
const maxPooled = 1 << 20

// pooledBody is a response in memory.
type pooledBody struct {
	buffer  *bytes.Buffer
	account *account.Account // of the operation that the response is for
	bytes   int64            // that are held, decoding times
}

// Read reads what is left; nothing once the body is closed.
func (p *pooledBody) Read(b []byte) (int, error) {
	if p.buffer == nil {
		return 0, io.EOF
	}
	return p.buffer.Read(b)
}

// Bytes returns all of the body without a copy. They are valid until Close.
func (p *pooledBody) Bytes() []byte { return p.buffer.Bytes() }

// Close gives the buffer back, once.
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
