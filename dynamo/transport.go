package dynamo

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
	sent, told := ctx.Value(sentKey{}).(*atomic.Bool)
	if told {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	}
	response, err := c.transport.RoundTrip(withBody(ctx, original, body))
	if told && err == nil {
		sent.Store(true) // also by what answers in the place of an engine
	}
	if err != nil {
		return nil, err
	}
	if err := readAll(response); err != nil {
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

// readAll replaces the response's body by one that is in memory.
func readAll(response *http.Response) error {
	defer response.Body.Close()
	b := bodies.Get().(*bytes.Buffer)
	b.Reset()
	if _, err := b.ReadFrom(response.Body); err != nil {
		bodies.Put(b)
		return err
	}
	response.Body = &pooledBody{b}
	return nil
}

// bodies are buffers of answers that were read. The SDK copies what it keeps and closes the body.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled keeps a few giant answers from staying in memory.
const maxPooled = 1 << 20

type pooledBody struct{ buffer *bytes.Buffer }

// Read reads what is left; nothing once the body is closed.
func (p *pooledBody) Read(b []byte) (int, error) {
	if p.buffer == nil {
		return 0, io.EOF
	}
	return p.buffer.Read(b)
}

// Close gives the buffer back, once.
func (p *pooledBody) Close() error {
	if b := p.buffer; b != nil && b.Cap() <= maxPooled {
		bodies.Put(b)
	}
	p.buffer = nil
	return nil
}
