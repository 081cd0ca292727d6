package guard

import (
	"context"
	"io"
	"net/http"
	"time"

	"issuegrid/account"
)

// What a request takes of the process before its operation runs. What is held and spent for it is the operation's.
const (
	// bodyFree is how much of a body is not held: what every request takes covers it.
	bodyFree = 16 << 10
	// bodyMemory and bodyCPU are for a byte of the body while it is received: in the buffer, which grows. valuesMemory is for the values that are made of it.
	bodyMemory   = 2
	valuesMemory = 6
	bodyCPU      = 20 * time.Nanosecond
	// bodyTime and a second for each bodyRate bytes is how long a client may take to send a body, which is held meanwhile.
	bodyTime = 15 * time.Second
	bodyRate = 32 << 10
	// queryMemory and queryCPU are for a byte of a query that is parsed, and maxQueryMemory is as much as one with the most tokens takes.
	queryMemory    = 64
	queryCPU       = 100 * time.Nanosecond
	maxQueryMemory = 8 << 20
)

// Receive bounds the body of a request: its bytes, the time that it may take, the memory that is held for it,
// and the values of its JSON, which are counted while it is read.
func (l Limits) Receive(w http.ResponseWriter, r *http.Request) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime + time.Duration(l.Body/bodyRate)*time.Second))
	bounded := http.MaxBytesReader(w, r.Body, int64(l.Body))
	r.Body = &jsonBody{ReadCloser: &heldBody{ReadCloser: bounded, ctx: r.Context()}, limits: l}
}

// heldBody is the body of a request, whose memory is held before it is read.
type heldBody struct {
	io.ReadCloser
	ctx  context.Context
	read int64
	held int64 // bytes of the body
}

// Read reads as much as is held.
func (b *heldBody) Read(into []byte) (int, error) {
	a := account.From(b.ctx)
	if more := b.read + int64(len(into)) - bodyFree - b.held; more > 0 {
		if err := a.Hold(b.ctx, bodyMemory*more); err != nil {
			return 0, err
		}
		b.held += more
	}
	n, err := b.ReadCloser.Read(into)
	b.read += int64(n)
	a.Spend(time.Duration(n) * bodyCPU)
	return n, err
}

// HoldValues holds the memory of what is made of a body of so many bytes that was received.
func HoldValues(ctx context.Context, bytes int) error {
	return account.From(ctx).Hold(ctx, valuesMemory*int64(max(0, bytes-bodyFree)))
}

// holdQuery holds the memory of a query that is going to be parsed.
func holdQuery(ctx context.Context, query string) error {
	a := account.From(ctx)
	a.Spend(time.Duration(len(query)) * queryCPU)
	return a.Hold(ctx, min(int64(len(query))*queryMemory, maxQueryMemory))
}
