package dynamotest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Fault is a kind of fault.
type Fault string

// The kinds of faults. A request has at most one of them, and Latency in addition.
const (
	// Latency delays a request to the engine, and its response.
	Latency Fault = "latency"
	// DropBefore closes the connection before the engine receives the request.
	DropBefore Fault = "drop before"
	// DropAfter closes the connection after the engine has acted, so that the response is lost.
	DropAfter Fault = "drop after"
	// ErrorBefore responds with InternalServerError; the engine does not act.
	ErrorBefore Fault = "error before"
	// ErrorAfter responds with InternalServerError after the engine has acted.
	ErrorAfter Fault = "error after"
	// Throttle responds with ProvisionedThroughputExceededException, or with ThrottlingException to a
	// transaction.
	Throttle Fault = "throttle"
	// Conflict simulates another transaction. A write of one item receives TransactionConflictException. A
	// transaction receives TransactionCanceledException with the reason TransactionConflict for one of its
	// items and None for the others. Other operations are not affected.
	Conflict Fault = "conflict"
	// Partial lets the engine process part of a batch, at least one item of each table, and returns the rest
	// as unprocessed. Batches of one item are not affected: if nothing at all is processed, DynamoDB's
	// response is that of Throttle.
	Partial Fault = "partial"
)

// Faults are the probabilities, from 0 to 1 and at most 1 in total, that a request has a fault. The zero
// Faults inject none.
type Faults struct {
	// Latency is the maximum delay of a request and its response together. The delay of each is random.
	Latency time.Duration

	DropBefore, DropAfter, ErrorBefore, ErrorAfter, Throttle, Conflict, Partial float64
}

// rate is the probability of a fault.
type rate struct {
	fault Fault
	p     float64
}

func (f Faults) rates() []rate {
	return []rate{{DropBefore, f.DropBefore}, {DropAfter, f.DropAfter}, {ErrorBefore, f.ErrorBefore},
		{ErrorAfter, f.ErrorAfter},
		{Throttle, f.Throttle}, {Conflict, f.Conflict}, {Partial, f.Partial}}
}

// Chaos injects random faults. Its Inject is an Interceptor for a Wire; a Proxy has its own Chaos.
//
// Equal seeds inject equal faults. Each request draws the same number of random values from a common source
// in order of arrival, and nothing else determines its fault. So a single client that sends the same requests
// in the same order has the same faults, and among several clients the nth request to arrive draws the same
// values.
type Chaos struct {
	mu       sync.Mutex
	source   *rand.Rand
	faults   Faults
	injected map[Fault]int
}

// luck is the random values of one request, in [0, 1).
type luck struct{ fault, detail, there, back float64 }

// NewChaos returns a Chaos that injects no faults until SetFaults is called.
func NewChaos(seed uint64) *Chaos {
	return &Chaos{source: rand.New(rand.NewPCG(seed, 0)), injected: map[Fault]int{}}
}

// SetFaults sets the faults of subsequent requests.
func (c *Chaos) SetFaults(f Faults) {
	sum := 0.0
	for _, r := range f.rates() {
		if r.p < 0 {
			panic(fmt.Sprintf("dynamotest: the probability of %q is %v", r.fault, r.p))
		}
		sum += r.p
	}
	if sum > 1+1e-9 || f.Latency < 0 {
		panic(fmt.Sprintf("dynamotest: invalid faults: sum of probabilities %v, latency %v", sum, f.Latency))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
}

// Injected returns the number of requests that had each fault. Tests of faults should check that they have
// occurred.
func (c *Chaos) Injected() map[Fault]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.injected)
}

// errDropped is the error of a connection that a fault has closed.
var errDropped = errors.New("dynamotest: connection dropped")

// Inject is an Interceptor.
func (c *Chaos) Inject(r *Request, send Send) *Response {
	if !onItems[r.Operation] {
		return send(r)
	}
	faults, luck := c.draw()
	if faults.Latency > 0 {
		c.count(Latency)
	}
	there := time.Duration(luck.there * float64(faults.Latency))
	back := time.Duration(luck.back * float64(faults.Latency-there))
	if err := hold(r.http.Context(), there); err != nil {
		return &Response{Err: err}
	}
	a := c.apply(faults.pick(r.Operation, luck.fault), luck.detail, r, send)
	if err := hold(r.http.Context(), back); err != nil {
		return &Response{Err: err}
	}
	return a
}

func (c *Chaos) draw() (Faults, luck) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults, luck{c.source.Float64(), c.source.Float64(), c.source.Float64(), c.source.Float64()}
}

// pick returns the fault of a request, or "" for none. It returns "" in place of a fault that the operation
// cannot have.
func (f Faults) pick(operation string, luck float64) Fault {
	for _, r := range f.rates() {
		if luck -= r.p; luck < 0 {
			if r.fault == Conflict && !conflicts[operation] {
				return ""
			}
			return r.fault
		}
	}
	return ""
}

func (c *Chaos) apply(fault Fault, luck float64, r *Request, send Send) *Response {
	if fault == "" {
		return send(r)
	}
	if fault == Partial {
		return c.part(luck, r, send)
	}
	c.count(fault)
	detail := "internal-detail of an injected fault: " + string(fault)
	switch fault {
	case DropBefore:
		return &Response{Err: errDropped}
	case DropAfter:
		send(r)
		return &Response{Err: errDropped}
	case ErrorBefore:
		return Refusal("InternalServerError", detail)
	case ErrorAfter:
		send(r)
		return Refusal("InternalServerError", detail)
	case Throttle:
		if isTransaction(r.Operation) {
			return Refusal("ThrottlingException", detail)
		}
		return Refusal("ProvisionedThroughputExceededException", detail)
	default: // Conflict
		if isTransaction(r.Operation) {
			return cancelled(r, luck, detail)
		}
		return Refusal("TransactionConflictException", detail)
	}
}

// part processes part of a batch. Other requests and batches of one item are sent unchanged.
func (c *Chaos) part(luck float64, r *Request, send Send) *Response {
	left := 0
	a := Unprocessed(func(n int) int {
		kept := 1 + int(luck*float64(n-1))
		left += n - kept
		return kept
	})(r, send)
	if left > 0 {
		c.count(Partial)
	}
	return a
}

// cancelled returns the response to a transaction with a conflict on one of its items.
func cancelled(r *Request, luck float64, message string) *Response {
	type reason struct {
		Code    string
		Message string `json:",omitempty"`
	}
	var request struct{ TransactItems []any }
	parse(r.Body, &request)
	reasons := make([]reason, len(request.TransactItems))
	touched := int(luck * float64(len(reasons)))
	for i := range reasons {
		reasons[i].Code = "None"
		if i == touched {
			reasons[i] = reason{Code: "TransactionConflict", Message: message}
		}
	}
	a := Refusal("TransactionCanceledException", message)
	var body object
	parse(a.Body, &body)
	a.Body = format(replaced(body, "CancellationReasons", reasons))
	return a
}

func (c *Chaos) count(f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.injected[f]++
}

// hold waits for d or until the context ends.
func hold(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func isTransaction(operation string) bool { return strings.HasPrefix(operation, "Transact") }

// Operations on items, and those of them that can conflict with a transaction.
var (
	onItems = map[string]bool{"GetItem": true, "BatchGetItem": true, "TransactGetItems": true, "Query": true,
		"Scan":    true,
		"PutItem": true, "UpdateItem": true, "DeleteItem": true, "BatchWriteItem": true,
		"TransactWriteItems": true}
	conflicts = map[string]bool{"PutItem": true, "UpdateItem": true, "DeleteItem": true,
		"TransactWriteItems": true, "TransactGetItems": true}
)
