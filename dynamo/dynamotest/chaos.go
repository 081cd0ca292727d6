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

// The kinds of faults. A request meets one of them at the most, and Latency besides.
const (
	// Latency holds a request up on its way to the engine, and its answer on the way back.
	Latency Fault = "latency"
	// DropBefore ends the connection before the engine has the request.
	DropBefore Fault = "drop before"
	// DropAfter ends the connection when the engine has acted, so that the answer is lost.
	DropAfter Fault = "drop after"
	// ErrorBefore answers InternalServerError, and the engine does not act.
	ErrorBefore Fault = "error before"
	// ErrorAfter answers InternalServerError when the engine has acted.
	ErrorAfter Fault = "error after"
	// Throttle answers ProvisionedThroughputExceededException, or ThrottlingException to a transaction.
	Throttle Fault = "throttle"
	// Conflict tells of another transaction: TransactionConflictException to a write of one item; to a transaction TransactionCanceledException,
	// with the reason TransactionConflict for one of its items and None for the others. Only they can meet it.
	Conflict Fault = "conflict"
	// Partial lets the engine process a part of a batch, at least one item of each table, and gives the rest back as unprocessed. Only batches of more
	// than that can meet it. Nothing at all is Throttle, because that is what DynamoDB answers then.
	Partial Fault = "partial"
)

// Faults are the probabilities, from 0 to 1 and together 1 at the most, that a request meets a fault. The zero Faults are none.
type Faults struct {
	// Latency is the most that a request is held up, there and back together; each is held up for a random part of it.
	Latency time.Duration

	DropBefore, DropAfter, ErrorBefore, ErrorAfter, Throttle, Conflict, Partial float64
}

// rate is how likely a fault is.
type rate struct {
	fault Fault
	p     float64
}

func (f Faults) rates() []rate {
	return []rate{{DropBefore, f.DropBefore}, {DropAfter, f.DropAfter}, {ErrorBefore, f.ErrorBefore}, {ErrorAfter, f.ErrorAfter},
		{Throttle, f.Throttle}, {Conflict, f.Conflict}, {Partial, f.Partial}}
}

// Chaos injects faults at random. Its Inject is an Interceptor for a Wire; a Proxy has a Chaos of its own.
//
// The same seed makes the same faults again: in the order of arrival, each request draws its luck from the common source, always as many
// numbers, and nothing else has a part in what it meets. So a single client that asks for the same things in the same order meets the same
// faults, and of several the n-th request to come has the same luck.
//
// Only operations on items meet faults. Those on tables are spared, so that tests can make and remove tables meanwhile, and because how often
// a table is looked at until it is ready is a matter of time and not of the seed.
type Chaos struct {
	mu       sync.Mutex
	source   *rand.Rand
	faults   Faults
	injected map[Fault]int
}

// luck is what a request draws: numbers from 0 to 1, exclusive.
type luck struct{ fault, detail, there, back float64 }

// NewChaos returns a Chaos that injects nothing until SetFaults.
func NewChaos(seed uint64) *Chaos {
	return &Chaos{source: rand.New(rand.NewPCG(seed, 0)), injected: map[Fault]int{}}
}

// SetFaults sets what the requests meet that come from now on.
func (c *Chaos) SetFaults(f Faults) {
	sum := 0.0
	for _, r := range f.rates() {
		if r.p < 0 {
			panic(fmt.Sprintf("dynamotest: the probability of %q is %v", r.fault, r.p))
		}
		sum += r.p
	}
	if sum > 1+1e-9 || f.Latency < 0 {
		panic(fmt.Sprintf("dynamotest: probabilities that come to %v, or a latency of %v", sum, f.Latency))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
}

// Injected returns how many requests have met each fault. A test that is about faults asserts that they have happened.
func (c *Chaos) Injected() map[Fault]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.injected)
}

// errDropped stands for a connection that a fault has ended.
var errDropped = errors.New("dynamotest: the connection is dropped")

// Inject is an Interceptor.
func (c *Chaos) Inject(r *Request, send func(*Request) *Answer) *Answer {
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
		return &Answer{Err: err}
	}
	a := c.meet(faults.pick(r.Operation, luck.fault), luck.detail, r, send)
	if err := hold(r.http.Context(), back); err != nil {
		return &Answer{Err: err}
	}
	return a
}

func (c *Chaos) draw() (Faults, luck) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults, luck{c.source.Float64(), c.source.Float64(), c.source.Float64(), c.source.Float64()}
}

// pick returns the fault that a request meets, or none. A fault that the operation can't meet leaves its share to none.
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

func (c *Chaos) meet(fault Fault, luck float64, r *Request, send func(*Request) *Answer) *Answer {
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
		return &Answer{Err: errDropped}
	case DropAfter:
		send(r)
		return &Answer{Err: errDropped}
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

// part does a batch in part. Other requests, and batches of one item, pass as they are.
func (c *Chaos) part(luck float64, r *Request, send func(*Request) *Answer) *Answer {
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

// cancelled is the answer to a transaction one of whose items another transaction is touching.
func cancelled(r *Request, luck float64, message string) *Answer {
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

// hold waits, and not longer than for the end of the context.
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

// The operations that read or write items, and those of them that another transaction can be in the way of.
var (
	onItems = map[string]bool{"GetItem": true, "BatchGetItem": true, "TransactGetItems": true, "Query": true, "Scan": true,
		"PutItem": true, "UpdateItem": true, "DeleteItem": true, "BatchWriteItem": true, "TransactWriteItems": true}
	conflicts = map[string]bool{"PutItem": true, "UpdateItem": true, "DeleteItem": true, "TransactWriteItems": true, "TransactGetItems": true}
)
