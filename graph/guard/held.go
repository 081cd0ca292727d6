package guard

import (
	"context"
	"io"
	"net/http"
	"time"

	"issuegrid/internal/account"
)

// These constants are the memory of a request before its operation runs. It counts toward the operation's
// account.
const (
	// bodyFree is the size of a body for which no memory is reserved: the fixed cost of a request covers it.
	bodyFree = 16 << 10
	// bodyMemory is per byte of the body while it is received into a growing buffer. valuesMemory is per
	// byte, for the values decoded from it.
	bodyMemory   = 2
	valuesMemory = 6
	// bodyTime, plus a second for every bodyRate bytes of its Content-Length, is how long a client may take
	// to send a body. A body of unknown length has the time of the longest one.
	bodyTime = 15 * time.Second
	bodyRate = 32 << 10
	// queryMemory is per byte of a query that is parsed. maxQueryMemory is for a query with the maximum
	// number of tokens.
	queryMemory    = 64
	maxQueryMemory = 8 << 20
)

// Receive limits the body of a request: its size, the time to receive it, the memory reserved for it, and the
// values in its JSON, which are counted while it is read.
func (l Limits) Receive(w http.ResponseWriter, r *http.Request) {
	size := int64(l.Body)
	if r.ContentLength >= 0 {
		size = min(size, r.ContentLength)
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime +
		time.Duration(size/bodyRate)*time.Second))
	bounded := http.MaxBytesReader(w, r.Body, int64(l.Body))
	r.Body = &jsonBody{ReadCloser: &heldBody{ReadCloser: bounded, ctx: r.Context()}, limits: l,
		account: account.From(r.Context())}
}

// heldBody is the body of a request. It reserves memory before it reads.
type heldBody struct {
	io.ReadCloser
	ctx  context.Context
	read int64
	held int64 // bytes of the body for which memory is reserved
}

// Read implements io.Reader. It returns an error if it cannot reserve the memory.
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
	a.Spend(time.Duration(n) * account.ByteCPU)
	return n, err
}

// HoldValues reserves memory for the values decoded from a body of the given size.
func HoldValues(ctx context.Context, bytes int) error {
	return account.From(ctx).Hold(ctx, valuesMemory*int64(max(0, bytes-bodyFree)))
}

// holdQuery reserves memory for parsing a query, and counts the CPU time.
func holdQuery(ctx context.Context, query string) error {
	a := account.From(ctx)
	a.Spend(time.Duration(len(query)) * account.ParseCPU)
	return a.Hold(ctx, min(int64(len(query))*queryMemory, maxQueryMemory))
}
